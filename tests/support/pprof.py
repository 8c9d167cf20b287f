"""A reader of pprof's profiles, from their layout."""
import gzip


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7f) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def fields(data):
    """(number, integer or bytes) of each field of a message."""
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        value, at = varint(data, at)
        if tag & 7 == 2:
            value, at = data[at:at + value], at + value
        else:
            assert tag & 7 == 0, tag
        yield tag >> 3, value


def numbers(data):
    at, result = 0, []
    while at < len(data):
        value, at = varint(data, at)
        result.append(value)
    return result


class Profile:
    """samples: (stack as (function, line), innermost first, {type: value}); addresses: those of each sample."""

    def __init__(self, path):
        with gzip.open(path) as f:
            parts = list(fields(f.read()))
        texts = [value.decode() for number, value in parts if number == 6]
        assert texts[0] == ""
        self.types = [texts[dict(fields(v))[1]] for n, v in parts if n == 1]
        functions = {f[1]: texts[f[2]] for f in (dict(fields(v)) for n, v in parts if n == 5)}
        locations, addresses = {}, {}
        for location in (list(fields(v)) for n, v in parts if n == 4):
            lines = [dict(fields(v)) for n, v in location if n == 4]
            assert len(lines) == 1, "one line a location"
            locations[dict(location)[1]] = functions[lines[0][1]], lines[0].get(2, 0)
            addresses[dict(location)[1]] = dict(location)[3]
        self.samples, self.addresses = [], []
        for sample in (dict(fields(v)) for n, v in parts if n == 2):
            self.addresses.append(tuple(addresses[i] for i in numbers(sample[1])))
            self.samples.append(([locations[i] for i in numbers(sample[1])],
                                 dict(zip(self.types, numbers(sample[2])))))
