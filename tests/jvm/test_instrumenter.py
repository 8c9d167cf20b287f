"""ddm-instrumenter.jar: the names of java-allocation-instrumenter, with that of Debian beside it."""
import os
import subprocess

from harness import AGENT, HERE, PRESET, ROOT, test

JAR = os.path.join(ROOT, "build", PRESET, "lib", "ddm-instrumenter.jar")
DEBIANS = "/usr/share/java/java-allocation-instrumenter.jar"
KINDS = ("new", "inside", "sub", "reflection", "clone", "array", "array-clone", "array-copy", "arrays", "threads",
         "removed", "strings", "callback", "half")

SAID = {"inside": "Listened$Inner:-1", "sub": "Listened$Sub:-1", "array": "Listened$Node:5",
        "array-clone": "Listened$Node:5", "array-copy": "Listened$Node:6", "arrays": "[LListened$Node;:2"}


def classes(t, against, program="Listened", release=8):
    """The program, for Java 8 unless it says so: Debian's takes no newer class files."""
    out = t.path("classes")
    subprocess.run([os.path.join(t.jdk.home, "bin", "javac"), "-nowarn", "-Xlint:none", "--release", str(release),
                    "-cp", against, "-d", out, os.path.join(HERE, "instrumenter", f"{program}.java")], check=True,
                   capture_output=True)
    return out


def listened(t, *flags):
    """{kind: (made, told, bytes, [DESC:COUNT])} as the program says."""
    done = t.command([t.jdk.java, *t.vm_flags(), *flags, "Listened"])
    assert done.code == 0, done
    rows = [line.split() for line in done.out.splitlines()]
    told = {kind: (int(made), int(seen), int(size), said) for kind, made, seen, size, *said in rows}
    assert tuple(told) == KINDS, done
    return told, done


@test(jdks="each", flags=((), ("-Xint",)), daily=2)
def samplers_are_told_of_every_object_once_it_is_complete(t):
    """Class files that were compiled against Debian's jar run on ours as they are."""
    out = classes(t, DEBIANS)
    ways = {
        "-agentpath": (f"-agentpath:{AGENT}=address=none,dump=none", f"-javaagent:{JAR}", "-cp", f"{out}:{JAR}"),
        "-javaagent": ("-XX:+EnableDynamicAgentLoading", f"-javaagent:{JAR}", "-cp", out),
        # Without either the first addSampler() attaches; main() is running then, and makes nothing itself.
        "attached": ("-XX:+EnableDynamicAgentLoading", "-cp", f"{out}:{JAR}"),
    }
    for way in t.some(sorted(ways), 2):
        told, done = listened(t, *(flag for flag in ways[way] if t.jdk.major >= 21 or "Dynamic" not in flag))
        for kind, (made, seen, _, said) in told.items():
            assert seen == made, (way, kind, made, seen, done)
            assert said in ([], [SAID.get(kind, "Listened$Node:-1")]), (way, kind, said)
        # A Node has two ints, a header of 12 bytes or 8; a Node[5] twelve or so and 5 references.
        small = 16 if t.jdk.compact_headers else 24
        assert told["new"][2] == 10000 * small, (way, told)
        assert not done.err.strip(), (way, done.err)


@test()
def a_callback_is_told_of_subclasses_where_that_is_asked_for(t):
    out = classes(t, DEBIANS)
    told, done = listened(t, f"-javaagent:{JAR}=manualOnly,subclassesAlso", "-cp", out)
    # A Node and a Sub a turn.
    assert told["callback"][:2] == (100, 200), done


@test(jdks="each", min_jdk=21, flags=((), ("-Djdk.virtualThreadScheduler.parallelism=1",)), daily=2)
def virtual_threads_that_wait_in_constructors_are_told_of_their_own_objects(t):
    out = classes(t, JAR, "ListenedVirtually", 21)
    done = t.command([t.jdk.java, *t.vm_flags(), f"-javaagent:{JAR}", "-XX:+EnableDynamicAgentLoading", "-cp", out,
                      "ListenedVirtually"])
    assert done.code == 0 and done.out == "told 4000 half 0 elsewhere 0\nleft 0\n", done


# Debian's rewrites no class of the JDK from 17 on, whose version its ASM does not know; the program's are
# of Java 8.
@test(max_jdk=17, every_days=3)
def debians_instrumenter_is_told_of_no_more_than_samplers_are(t):
    out = classes(t, JAR)
    theirs, _ = listened(t, f"-javaagent:{DEBIANS}", "-cp", out)
    ours, _ = listened(t, f"-javaagent:{JAR}", "-cp", out)
    for kind in KINDS:
        assert ours[kind][1] == ours[kind][0], (kind, ours)
        # A reflective constructor that has got bytecode is told of twice there, as is one that calls another.
        assert theirs[kind][1] <= ours[kind][1] or kind in ("reflection", "callback"), (kind, theirs, ours)
    for kind in ("new", "inside", "sub", "clone", "array", "array-clone", "threads"):
        assert theirs[kind][1:3] == ours[kind][1:3], (kind, theirs, ours)
    # What copyOf() makes is not told there: the array that is copied is all.
    assert theirs["array-copy"][1] == 1, theirs


@test()
def without_the_agent_the_error_says_what_to_add(t):
    done = t.command([t.jdk.java, "-Dddm.agent=/nowhere/libddmagent.so", "-cp", f"{classes(t, JAR)}:{JAR}", "Listened"])
    assert done.code != 0 and "IllegalStateException: add -agentpath:/nowhere/libddmagent.so=" in done.err, done


@test()
def what_was_refused_is_not_registered(t):
    out = classes(t, JAR, "Refused")
    done = t.command([t.jdk.java, f"-agentpath:{AGENT}=engine=vm,track=y,address=none,dump=none", "-cp",
                      f"{out}:{JAR}", "Refused"])
    assert done.code == 0 and done.out == "samplers 0 callbacks 0\n", done
    assert done.err.count("allocations are not told: ") == 2, done


@test()
def a_listener_that_throws_silences_no_other_and_not_the_program(t):
    out = classes(t, JAR, "Throwing", 17)
    done = t.command([t.jdk.java, *t.vm_flags(), f"-agentpath:{AGENT}=address=none,dump=none", f"-javaagent:{JAR}",
                      "-cp", f"{out}:{JAR}", "Throwing"])
    # The counting sampler is removed before the last object.
    assert done.code == 0 and done.out.split() == ["0", "thrown", "1001", "1000", "1001", "1001", "1001"], done
    assert not done.err.strip(), done.err


@test()
def of_several_loaders_jars_one_at_a_time_is_told(t):
    out = classes(t, JAR, "TwoLoaders", 17)
    done = t.command([t.jdk.java, *t.vm_flags(), f"-agentpath:{AGENT}=address=none,dump=none", "-cp", out, "TwoLoaders",
                      JAR])
    assert done.code == 0 and done.out.splitlines() == [
        "first 10", "still first 10", "second 10", "still second 10"], done
    assert done.err.count("another class loader's jar are told of allocations no more") == 1, done
