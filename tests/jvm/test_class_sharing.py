"""An idle agent, loaded at start, leaves the VM's shared archives in use."""
import os
import re

from harness import AGENT, test


def class_sources(t, flags, agent):
    """Where each class came from: {class: source}."""
    line = [t.jdk.java, "-Xlog:class+load:file=loads.txt:none", *flags]
    if agent:
        line.append(f"-agentpath:{AGENT}=address=none")
    result = t.command([*line, "-cp", t.path("empty.jar"), "Empty"])
    assert result.code == 0, result
    assert not re.search(r"\[(warning|error)\]", result.out + result.err), result
    with open(t.path("loads.txt"), encoding="utf-8") as f:
        return dict(line.rstrip("\n").split(" source: ", 1) for line in f if " source: " in line)


def shared(sources):
    return {name for name, source in sources.items() if source.startswith("shared objects file")}


def assert_as_shared_as_without(t, flags):
    without = shared(class_sources(t, flags, agent=False))
    assert len(without) > 300, f"the archive is not in use even without the agent: {len(without)}"
    missing = without - shared(class_sources(t, flags, agent=True))
    assert not missing, f"no longer from the archive: {sorted(missing)}"
    return without


def make_jar(t):
    t.command([os.path.join(t.jdk.home, "bin", "jar"), "cf", t.path("empty.jar"),
               "-C", t.classes(), "Empty.class"])


@test()
def an_idle_agent_leaves_class_sharing_on(t):
    make_jar(t)
    assert_as_shared_as_without(t, ["-Xshare:auto"])


@test(min_jdk=25)
def an_idle_agent_leaves_the_aot_cache_on(t):
    make_jar(t)
    cache = t.path("empty.aot")
    made = t.command([t.jdk.java, f"-XX:AOTCacheOutput={cache}", "-cp", t.path("empty.jar"),
                      "Empty"])
    assert made.code == 0 and os.path.exists(cache), made
    used = assert_as_shared_as_without(t, [f"-XX:AOTCache={cache}"])
    assert "Empty" in used, "the program's own class does not come from the cache"
