"""An idle agent, loaded at start, leaves the VM's shared archives in use."""
import os
import re

from attached import Running
from harness import AGENT, Report, test


def class_sources(t, flags, agent):
    """Where each class came from: {class: source}. `agent`: its options; None: without it."""
    line = [t.jdk.java, "-Xlog:class+load:file=loads.txt:none", *flags]
    if agent is not None:
        line.append(f"-agentpath:{AGENT}=address=none,{agent}")
    result = t.command([*line, "-cp", t.path("empty.jar"), "Empty"])
    assert result.code == 0, result
    assert not re.search(r"\[(warning|error)\]", result.out + result.err), result
    with open(t.path("loads.txt"), encoding="utf-8") as f:
        return dict(line.rstrip("\n").split(" source: ", 1) for line in f if " source: " in line)


def shared(sources):
    return {name for name, source in sources.items() if source.startswith("shared objects file")}


def assert_as_shared_as_without(t, flags, agent=""):
    without = shared(class_sources(t, flags, agent=None))
    assert len(without) > 300, f"the archive is not in use even without the agent: {len(without)}"
    missing = without - shared(class_sources(t, flags, agent=agent))
    assert not missing, f"no longer from the archive: {sorted(missing)}"
    return without


def make_jar(t):
    t.command([os.path.join(t.jdk.home, "bin", "jar"), "cf", t.path("empty.jar"),
               "-C", t.classes(), "Empty.class"])


@test(jdks="each")
def an_idle_agent_leaves_class_sharing_on(t):
    make_jar(t)
    assert_as_shared_as_without(t, ["-Xshare:auto"])


@test(jdks="each", min_jdk=25)
def the_aot_cache_stays_on_with_an_idle_agent_and_while_the_vm_tracks(t):
    make_jar(t)
    cache = t.path("empty.aot")
    made = t.command([t.jdk.java, f"-XX:AOTCacheOutput={cache}", "-cp", t.path("empty.jar"),
                      "Empty"])
    assert made.code == 0 and os.path.exists(cache), made
    flags = [f"-XX:AOTCache={cache}"]
    used = assert_as_shared_as_without(t, flags)
    assert used == assert_as_shared_as_without(t, flags, "track=y,live=y,dump=none")
    # The log names the last source: of a class that is changed that is no longer the cache.
    rewritten = shared(class_sources(t, flags, "track=y,engine=bci,dump=none"))
    assert len(rewritten) > 300 and rewritten < used
    assert "Empty" in used, "the program's own class does not come from the cache"


@test()
def a_late_attach_changes_no_class_of_a_vm_that_is_to_write_an_archive(t):
    t.command([os.path.join(t.jdk.home, "bin", "jar"), "cf", t.path("attached.jar"), "-C", t.classes(),
               "Attached.class", "-C", t.classes(), "Attached$Before.class"])
    archive = t.path("attached.jsa")
    # No VM that verifies the JDK's own classes shares any.
    flags = ["-Xverify:remote", f"-XX:ArchiveClassesAtExit={archive}", "-Xlog:disable"]
    with Running(t, "-cp", t.path("attached.jar"), "Attached", flags=flags) as program:
        assert program.load("track=y,engine=bci,sites=0,records=1k,dump=a.jsonl,address=none")
        program.tell("before 10")
        told = program.end()
    assert len(told) == 1 and "engine=vm" in told[0] and "ArchiveClassesAtExit" in told[0], told
    assert os.path.getsize(archive) > 0
    assert Report(t.path("a.jsonl")).summary["engine"] == "vm"


@test(min_jdk=25)
def no_class_is_changed_while_the_vm_records_an_archive(t):
    make_jar(t)
    recorded = t.path("empty.conf")
    options = "track=y,engine=bci,hooks=start,sites=0,records=1k,monitor=y,dump=e.jsonl"
    run = t.command([t.jdk.java, "-XX:AOTMode=record", f"-XX:AOTConfiguration={recorded}",
                     f"-agentpath:{AGENT}={options}", "-cp", t.path("empty.jar"), "Empty"])
    assert run.code == 0 and os.path.getsize(recorded) > 0, run
    assert "From ClassFileLoadHook" not in run.out + run.err, run
    told = [line for line in run.err.splitlines() if "engine=vm" in line]
    assert len(told) == 1 and "AOTMode=record" in told[0], run
    summary = Report(t.path("e.jsonl")).summary
    assert summary["engine"] == "vm" and summary["recorded"] > 0, summary
