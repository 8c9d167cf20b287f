"""SPSS, SPSE: stacks of running threads as a trace file of calls that begin and end between samples."""
import json
import struct
import time

from cpu_shares import PARTS, shares_come_to
from ddm_client import DdmError, Target, chunk
from harness import test
from measured import best_of
from method_traces import Trace
from tool import DDM


def stop(ddm):
    """SPSE is answered by an MPSE chunk, as Android has it."""
    error, answer = ddm.wait_reply(ddm.send_raw(chunk("SPSE")))
    assert error == 0 and answer[:4] == b"MPSE", (error, answer[:200])
    assert struct.unpack(">I", answer[4:8]) == (len(answer) - 8,)
    return answer[8:]


def sample(ddm, seconds, micros=1000, flags=0, size=0):
    assert ddm.request("SPSS", struct.pack(">III", size, flags, micros)) == b""
    assert ddm.request("MPRQ") == b"\2"
    time.sleep(seconds)
    data = stop(ddm)
    assert ddm.request("MPRQ") == b"\0"
    return Trace(data)


def inside(trace, thread):
    """{method: microseconds between its entries and exits}, of what is in no other call of it."""
    spent, open_calls = {}, {}
    for number, method, action, *clocks in trace.events:
        if trace.threads[number] != thread:
            continue
        depth, since = open_calls.get(method, (0, 0))
        if action == 0:
            open_calls[method] = (depth + 1, since if depth else clocks[-1])
        else:
            open_calls[method] = (depth - 1, since)
            if depth == 1:
                spent[method] = spent.get(method, 0) + clocks[-1] - since
    assert all(depth == 0 for depth, _ in open_calls.values()), "a call without an end"
    return spent


@test(timing=True)
def sampling_for_a_ddm_server_gives_a_trace_that_shares_the_time_as_the_program_did(t):
    with Target(t, "budget=50", program=("SharesServed",)) as p, p.client() as ddm:
        def measure():
            for _ in range(20):  # on a busy machine the program may not have come to its work
                trace = sample(ddm, 2, flags=flags)
                assert trace.version == version and trace.options["data-file-overflow"] == "false"
                trace.calls()  # nests
                spent = inside(trace, "shares")
                parts = {part: spent.get(f"CpuShares.{part}", 0) for part in PARTS}
                if sum(parts.values()) > 1_000_000:
                    break
            else:
                raise AssertionError(spent)
            name, signature, file, line = next(m for m in trace.methods.values() if m[0] == "CpuShares.spin")
            assert (signature, file) == ("(J)J", "CpuShares.java") and line > 10
            assert not [name for name in trace.threads.values() if name.startswith("ddmagent")]
            return parts, dict(zip(PARTS, (70, 20, 10)))

        for flags, version in ((0, 2), (0x110, 3)):
            shares_come_to(4, measure)


@test(timing=True)
def runs_of_milliseconds_between_waits_have_their_time(t):
    with Target(t, "budget=50", program=("ShortRuns",)) as p, p.client() as ddm:
        def measure():
            spent = inside(sample(ddm, 2, flags=0x110), "runs")
            runs, waits = spent["ShortRuns.compute"], spent["java.lang.Thread.sleep"]
            # 5 of 20 ms, of which the first and the last may lie a sample beside.
            assert 0.15 < runs / (runs + waits) < 0.35, (runs, waits)

        best_of(3, measure)


@test(min_jdk=21)
def a_virtual_thread_that_has_ended_gets_no_more_time(t):
    with Target(t, program=("VirtualShares", "300", "stay")) as p, p.client() as ddm:
        assert ddm.request("SPSS", struct.pack(">III", 0, 0, 1000)) == b""
        p.tell("")
        ended = time.monotonic()
        time.sleep(2)
        trace = Trace(stop(ddm))
        after = 1e6 * (time.monotonic() - ended)
    spinner = [clocks[-1] for number, _, _, *clocks in trace.events if trace.threads[number] == "spinner"]
    assert spinner and max(spinner) < int(trace.options["elapsed-time-usec"]) - 0.9 * after, (spinner, after)


@test()
def the_file_of_samples_opens_in_dmtracedump_and_in_ddm(t):
    with Target(t, program=("SharesServed",)) as p:
        with p.client() as ddm:
            ddm.request("SPSS", struct.pack(">III", 0, 0, 1000))
            time.sleep(0.5)
            with open(t.path("s.trace"), "wb") as f:
                f.write(stop(ddm))
        done = t.command(["dmtracedump", "-o", t.path("s.trace")])
        assert done.code == 0 and "CpuShares.spin" in done.out, done
        for _ in range(20):  # on a busy machine the program may not come to the shortest part so soon
            done = t.command([DDM, "trace", p.address, "--sample", "2", "-d", "0.7", "-o", t.path("d.trace"), "--json"])
            assert done.code == 0, done
            told = json.loads(done.out)
            assert 0 < told["rounds"] <= told["elapsed_us"] / 1000, told  # at most one each 2 ms or so
            methods = {m["method"]: m for m in told["methods"]}
            if methods.keys() >= set(PARTS):
                break
        assert methods["spin"]["self_us"] > 0 and methods["seventy"]["total_us"] > methods["ten"]["total_us"]
        with open(t.path("d.trace"), "rb") as f:
            assert "shares" in Trace(f.read()).threads.values()
        both = t.command([DDM, "trace", p.address, "--sample", "2", "--methods", "CpuShares*"])
        assert both.code == 2 and "--methods" in both.err, both


@test()
def one_server_samples_at_a_time_and_its_end_ends_it(t):
    with Target(t, program=("SharesServed",), agent="cpu=samples,interval_ms=5,dump=none") as p, p.client() as ddm:
        with p.client() as other:
            assert other.request("SPSS", struct.pack(">III", 0, 0, 2000)) == b""
            for kind, data in (("SPSS", struct.pack(">III", 0, 0, 2000)), ("SPSS", struct.pack(">III", 0, 0, 1))):
                try:
                    raise AssertionError(ddm.request(kind, data))
                except DdmError as failure:
                    assert "sampled already" in failure.message or "100 us" in failure.message, failure
        deadline = time.monotonic() + 30
        while ddm.request("MPRQ") != b"\0":
            assert time.monotonic() < deadline
        # Samples by options go on beside it.
        assert inside(sample(ddm, 1), "shares")["CpuShares.main"] > 0
        # A buffer that is full is said, and what is open ends.
        trace = sample(ddm, 1, size=200)
        assert trace.options["data-file-overflow"] == "true" and len(trace.events) < 200
        trace.calls()

