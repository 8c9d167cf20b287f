"""The benchmarks of bench/ run, each as small as it gets; what they measure then is nobody's figure."""
import glob
import os
import sys

from harness import ROOT, test

# Those that need what the tests do not install (Tomcat, Debian's programs, a library's tests) have no row.
SMALLEST = {
    "compare": ["--pairs", "1", "--cases", "small", "--ways", "vm", "--jdk", "17"],
    "ddm_answers": ["--rounds", "2"],
    "ddm_load": ["--pairs", "1", "--rounds", "2"],
    "five_cases": ["--pairs", "1", "--jdk", "17"],
    "gc_events": ["1"],
    "heap_walk": ["100000"],
    "hostile_client": ["--seconds", "1", "--rounds", "1"],
    "listener_start": ["--pairs", "1", "--jdk", "17"],
    "live_cost": ["--pairs", "1", "--jdk", "17", "--only", "sites"],
    "method_cost": ["--rounds", "1", "--jdk", "17"],
    "native_cost": ["1", "20000"],
    "off_cost": ["--forks", "1", "--turns", "1"],
    "probe_budget": ["--pairs", "1", "--seconds", "1", "--jdk", "17"],
    "probe_cost": ["--rounds", "1", "--jdk", "17"],
    "real_programs": ["--pairs", "1", "--programs", "h2", "--ways", "vm", "--jdk", "17"],
    "record_cost": ["--cases", "1 frame"],
    "ring_size": ["5", "--jdk", "17"],
    "sampler_cost": ["--pairs", "1", "--rounds", "2000", "--busy", "1", "--jdk", "17"],
    "startup_and_exit": ["2"],
    "toggle_cost": ["--classes", "200", "--runs", "1"],
    "whole_stacks": ["--programs", "h2", "--jdk", "17"],
}
ELSEWHERE = {"library_tests", "truth", "warm_server"}


@test(full_only=True, max_jdk=17, timeout=600)
def every_benchmark_runs(t):
    scripts = {os.path.basename(path)[:-len(".py")]: path for path in glob.glob(os.path.join(ROOT, "bench", "*.py"))}
    for name, path in scripts.items():
        with open(path, encoding="utf-8") as f:
            is_script = f.readline().startswith("#!")
        assert not is_script or name in SMALLEST or name in ELSEWHERE, f"{name} has no row"
    for name, words in SMALLEST.items():
        done = t.command([sys.executable, scripts[name], *words])
        # Some judge what they measure, by their exit code.
        assert done.out and "Traceback" not in done.err and done.code in (0, 1), f"{name}: {done}"
