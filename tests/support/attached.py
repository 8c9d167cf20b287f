"""Programs into which the agent is loaded while they run."""
import os

from harness import AGENT


class Running:
    """A program that was started without the agent."""

    def __init__(self, t, *command, flags=(), **how):
        self.t = t
        self.process = t.popen(*command, flags=flags, **how)
        self.expect("ready")
        self.err = None  # what the program said on stderr, once it has ended

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.communicate()

    def expect(self, line):
        got = self.process.stdout.readline().rstrip("\n")
        assert got == line, f"{got!r} instead of {line!r}"

    def tell(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        self.expect("done")

    def load(self, options):
        """Loads the agent; whether Agent_OnAttach said yes."""
        jcmd = os.path.join(self.t.jdk.home, "bin", "jcmd")
        # jcmd parses its arguments as one line: quotes keep commas and = together.
        done = self.t.command([jcmd, str(self.process.pid), "JVMTI.agent_load", AGENT,
                               f'"{options}"'])
        return done.code == 0 and done.out.rstrip().endswith("return code: 0")

    def end(self):
        """Ends the program in its own way; its lines on stderr from the agent."""
        out, self.err = self.process.communicate(timeout=60)
        assert self.process.returncode == 0 and out in ("ends\n", "DONE\n"), (out, self.err)
        return [line for line in self.err.splitlines() if line.startswith("ddmagent:")]


def check_counts(report, before, after):
    # Below what allocates for it: engine=vm shows Object.clone() as a frame of its own.
    counts = report.count_by_class(lambda r: any(f["class"].startswith("Attached")
                                                 for f in r["stack"][:2]))
    wanted = {"Attached$Before": 2 * before, "Attached$Before[]": before,
              "Attached$After": after, "Attached$After[][]": after, "Attached$After[]": 2 * after}
    got = {kind: counts.get(kind, 0) for kind in wanted}
    assert got == wanted, f"{got}, not {wanted}"
