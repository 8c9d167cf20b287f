"""The VM's tables say where it keeps things. When they are wrong, what is read by them is switched off, with a
line that says so, or is right all the same; the program notices nothing."""
import os
import re
import zlib

from harness import PRESET, ROOT, Report, test

LIAR = os.path.join(ROOT, "build", PRESET, "lib", "libhide_vm_entry.so")
OTHER_RELEASE = os.path.join(ROOT, "build", PRESET, "lib", "libfake_release.so")
READERS = ("stack/layout_detection.cpp", "vm/object_layout.cpp", "vm/vm_thread_list.cpp",
           "vm/vm_flags.cpp", "vm/vm_arguments.cpp", "vm/method_pointers.cpp",
           "allocations/capture/allocated_bytes.cpp", "allocations/capture/open_tlabs.cpp", "allocations/capture/current_thread.cpp",
           "time/lock_holders.cpp", "vm/thread_fields.cpp")
TRUTH = "counted 30000 arrays 500 waits 20"


def entries_that_are_read():
    """As their readers' sources name them: fields, constants, types whose size is asked for."""
    names = set()
    for reader in READERS:
        with open(os.path.join(ROOT, "agent", reader), encoding="utf-8") as f:
            source = f.read()
        names |= {f"{kind}::{field}" for kind, field in
                  re.findall(r'"([\w<>:]+)",\s*"(_?[a-z][\w.]*)"', source) if kind[0].isupper() or field[0] == "_"}
        names |= set(re.findall(r'(?:constant|size|size_of)\(\{?"([\w:]+)"', source))
    return sorted(names)


def run_with(t, name):
    """What was said on stderr while the tables were wrong there; None: they have no such entry."""
    return judged(t, f"-agentpath:{LIAR}={name}", name)


def judged(t, flag, name):
    said = t.java("Claims", flags=[flag, "-Xmx128m", "-XX:+UseSerialGC"],
                  agent="track=y,monitor=y,records=1k,address=none,dump=r.jsonl", check=False)
    if said.err.startswith("not in the tables"):
        return None
    assert said.code == 0 and said.out.strip() == TRUTH, (name, said)
    report = Report(t.path("r.jsonl"))
    sites = [s for s in report.sites if s["stack"] and s["stack"][0]["class"] == "Claims"]
    for kind, method, count in (("Claims$Counted", "counted", 30000), ("short[]", "arrays", 500)):
        found = [s for s in sites if s["class"] == kind and s["stack"][0]["method"] == method]
        assert sum(s["count"] for s in found) == count, (name, kind, found, said)
    counted = [s for s in sites if s["class"] == "Claims$Counted"]
    assert sum(s["bytes"] for s in counted) in (30000 * 24, 30000 * 32), (name, counted)
    unattributed = report.summary.get("unattributed_bytes")
    assert unattributed is None or abs(unattributed) < 1 << 20, (name, unattributed, said)
    waits = [m for m in report.monitors if any(f["method"] == "waitForLock" for f in m["stack"])]
    holders = {holder["thread"] for m in waits for holder in m.get("holders", ())}
    assert holders <= {"main"}, (name, holders)
    return said.err.strip().splitlines()


# What it says is wrong, of those whose being wrong must not go unnoticed.
SAYS = {
    "oopDesc::_metadata._klass": "objects are not as", "Klass::_layout_helper": "objects are not as",
    "java_lang_Class::_klass_offset": "objects are not as",
    "Thread::_tlab": "allocated bytes are not", "Thread::_allocated_bytes": "allocated bytes are not",
    "ThreadLocalAllocBuffer::_top": "allocated bytes are not",
    "ThreadLocalAllocBuffer::_end": "open TLABs stay open",
    "ThreadsList::_threads": "threads are not where",
    "ObjectMonitor::_owner": "a monitor's owner is not",
    "JavaThread::_current_pending_monitor": "a monitor's owner is not",
    "JavaThread::_anchor": "walker=jvmti", "JavaThread::_stack_base": "walker=jvmti",
    "CodeCache::_heaps": "walked by jvmti", "CodeBlob::_frame_size": ("walker=jvmti", "walked by jvmti"),  # by release
    "Method::_constMethod": "walker=jvmti", "ConstMethod::_constants": "walker=jvmti",
    "ConstantPool::_pool_holder": "walker=jvmti", "nmethod::_scopes_pcs_offset": "walker=jvmti",
}


def no_wrong_entry_harms(t, shift_of, says=SAYS):
    assert run_with(t, "Nobody::_asks") == []
    assert Report(t.path("r.jsonl")).summary["walker"] == "vm"
    assert run_with(t, "Nobody::_asks+8") is None
    noticed, absent, tried = set(), set(), t.some(entries_that_are_read(), 10)
    for name in tried:
        said = run_with(t, name + shift_of(name))
        if said is None:
            absent.add(name)
            continue
        assert len(said) <= 2 and all(line.startswith("ddmagent: ") for line in said), (name, said)
        if name in says:
            forms = says[name] if isinstance(says[name], tuple) else (says[name],)
            assert any(form in line for form in forms for line in said), (name, said)
            noticed.add(name)
    assert noticed == (set(says) & set(tried)) - absent, set(says) - noticed


@test(jdks="each", every_days=3)
def objects_are_read_with_headers_of_either_kind(t):
    for header in ("-XX:-UseCompactObjectHeaders", "-XX:+UseCompactObjectHeaders"):
        run = t.java("Claims", flags=["-XX:+IgnoreUnrecognizedVMOptions", "-XX:+UnlockExperimentalVMOptions", header],
                     agent="track=y,address=none,dump=r.jsonl")
        assert run.out.strip() == TRUTH and "objects are not as" not in run.err, (header, run)


@test(jdks="each", timeout=600, every_days=4)
def no_wrong_entry_of_the_vms_tables_harms_a_program(t):
    no_wrong_entry_harms(t, lambda name: "+8")


@test(timeout=600, full_only=True)
def no_entry_that_is_wrong_the_other_way_harms_a_program(t):
    no_wrong_entry_harms(t, lambda name: "-8")


@test(jdks="each", timeout=1200, full_only=True)
def no_entry_that_is_off_by_half_a_word_harms_a_program(t):
    no_wrong_entry_harms(t, lambda name: "+4", says={})


@test(jdks="each", timeout=1200, full_only=True)
def no_entry_that_is_off_by_anything_harms_a_program(t):
    """Up to a mebibyte up or down, another distance for each entry, the same on each run."""
    def anything(name):
        number = zlib.crc32(name.encode())
        return f"{'+-'[number & 1]}{1 + (number >> 1) % ((1 << 20) >> (number >> 21) % 17)}"

    no_wrong_entry_harms(t, anything, says={})


@test(min_jdk=21)
def a_release_that_nobody_has_seen_is_walked_as_fast_as_those_that_are_known(t):
    assert judged(t, f"-agentpath:{OTHER_RELEASE}=99", "99") == []
    summary = Report(t.path("r.jsonl")).summary
    assert summary["walker"] == "vm" and summary["walker_differed"] == {}, summary
    # It has earned that, and next to none was left to the VM.
    assert summary["walker_compared"] >= 1000, summary
    assert sum(summary["walker_gave_up"].values()) < summary["seen"] / 100, summary
