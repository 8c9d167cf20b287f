"""Every class of the JDK, rewritten with every hook and every patch and linked: see
bci_sweep/run.sh."""
import os
import subprocess

from harness import HERE, PRESET, ROOT, test


def sweep(t, *arguments):
    done = subprocess.run([os.path.join(HERE, "bci_sweep", "run.sh"), t.jdk.home, *arguments],
                          capture_output=True, text=True, timeout=t.timeout,
                          env={**os.environ, "BUILD_DIR": os.path.join(ROOT, "build", PRESET)})
    assert done.returncode == 0, done.stdout + done.stderr
    print("     " + done.stdout.replace("\n", "\n     ").rstrip(), flush=True)


@test(jdks="each", timeout=480, daily=1, every_days=5)
def classes_of_java_base_are_linked_with_every_hook_in_them(t):
    """A tenth of them, another one each day, with long branches on one JDK and with patches on the next."""
    sweep(t, f"{t.turn() // 2 % 10}/10", ("all wide", "all patches")[t.turn() % 2])


@test(jdks="each", timeout=3000, full_only=True)
def every_class_of_the_jdk_and_of_known_jars_is_linked_with_every_hook_in_it(t):
    sweep(t, "--full")
