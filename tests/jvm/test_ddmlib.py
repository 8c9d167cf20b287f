"""Google's ddmlib, as Debian has it, on Debian's adb, through `ddm bridge`, on a live JVM."""
from adb_bridge import Adb, Bridge
from ddmlib import JARS, built_classes
from harness import AGENT, JDKS, test


def check(t, agent_options):
    classes = built_classes(t)
    with Bridge() as bridge, Adb(t.path("home")) as adb:
        adb.connect(bridge)
        done = t.command([JDKS[0].java, "-cp", f"{JARS}:{classes}", "DdmlibCheck", bridge.address,
                          t.jdk.home, f"-agentpath:{AGENT}={agent_options}", "-Xmx256m",
                          *t.vm_flags(), "-cp", classes], env=adb.env)
    assert done.code == 0 and done.out.rstrip().endswith("\n0 failed"), done
    assert "ok   a map of the heap follows" in done.out, done
    assert "ok   a heap dump can be read to its end" in done.out, done


@test(queue=True, timeout=180, every_days=4)
def ddmlib_sees_what_the_program_says_of_itself(t):
    check(t, "engine=bci")


@test(queue=True, timeout=180, every_days=4)
def ddmlib_sees_what_the_program_says_of_itself_with_engine_vm(t):
    check(t, "engine=vm")
