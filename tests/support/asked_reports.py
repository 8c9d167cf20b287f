"""Reports that a server asks for."""
import struct
import zlib

from harness import Report


def report(client, kind):
    data = client.request("REPT", struct.pack(">I", len(kind)) + kind.encode("utf-16-be"))
    text = zlib.decompress(data[8:])
    assert len(text) == struct.unpack(">Q", data[:8])[0]
    return text.decode()


def report_of(t, client):
    with open(t.path("asked.jsonl"), "w", encoding="utf-8") as f:
        f.write(report(client, "jsonl"))
    return Report(t.path("asked.jsonl"))
