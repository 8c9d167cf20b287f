"""The short form of tests/soak.sh."""
from harness import test
from soak import soak_on


@test(jdks="each", timeout=300, daily=1, every_days=5)
def everything_at_once_runs_on_while_tracking_goes_on_and_off(t):
    wrong, compared = soak_on(t.jdk, "g1", 4)
    assert wrong == 0 and compared > 10_000, compared
