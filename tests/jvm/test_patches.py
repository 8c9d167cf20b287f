"""Patches put into a live program and taken out again: exact counts, the code as it was."""
import os

from harness import PRESET, ROOT, test

PATCH_AGENT = os.path.join(ROOT, "build", PRESET, "lib", "libpatch_test_agent.so")


def patched(t, *what, flags=()):
    """The lines that the program Patching says, by name."""
    done = t.java("Patching", *what, flags=(f"-agentpath:{PATCH_AGENT}", *flags))
    assert "WARNING in native method" not in done.out + done.err, done
    return dict(line.split(" ", 1) for line in done.out.splitlines() if " " in line)


@test(flags=((), ("-Xcheck:jni",)))
def a_counter_is_exact_on_any_number_of_threads(t):
    said = patched(t, "counts")
    assert said["report"] == "Patching hot 1", said
    expected = 8 * 1_000_000
    assert int(said["threads"]) == expected, said
    expected += 600 * 1000
    assert int(said["one_by_one"]) == expected, said
    expected += 400 * 5000
    assert int(said["many"]) == expected, said
    expected += 2_000_000
    assert int(said["virtual"]) == expected, said
    assert int(said["out"]) == expected, said


@test()
def a_timer_counts_calls_and_exceptions(t):
    said = patched(t, "times")
    hits, total, exceptions, calls = eval(said["hot"])
    assert (hits, exceptions, calls) == (400_000, 0, 400_000) and total > 0, said
    hits, total, exceptions, calls = eval(said["thrown"])
    assert (hits, exceptions, calls) == (4000, 1000, 4000) and total > 0, said


@test()
def counters_and_timers_are_used_again_from_zero_on(t):
    assert patched(t, "again")["wrong"] == "0"


@test(flags=((), ("-Xcheck:jni",)))
def values_go_to_the_receiver_while_they_are_wanted(t):
    said = patched(t, "handed")
    assert eval(said["closed"]) == [0, 0, 0, 0], said
    # Hits: three calls and one whose third argument is "yes". Numbers: 1 + 10 + 3, 100 times the
    # doubles 25 + 50 + 0, and the result of that one call.
    assert eval(said["open"]) == [4, 14 + 75 + 10, 2, 1], said
    assert said["closed_again"] == said["open"], said


@test()
def the_code_is_as_it_was_when_the_patches_are_out(t):
    said = patched(t, "restored")
    assert len(said) == 7 and set(said.values()) == {"true"}, said


@test(gc="all", daily=2, every_days=4)
def patches_go_in_and_out_under_load(t):
    said = patched(t, "rounds", "30")
    assert said == {"still": "true", "restored": "true"}, said


@test(gc="all", flags=((), ("-Xcheck:jni",)), full_only=True, timeout=600)
def patches_go_in_and_out_a_hundred_times_under_load(t):
    said = patched(t, "rounds", "100")
    assert said == {"still": "true", "restored": "true"}, said


@test()
def what_cannot_be_patched_is_refused_and_the_rest_is_patched(t):
    said = patched(t, "refusals")
    lines = set(said["report"].split(";"))
    assert "java/lang/Object hashCode refused no-code" in lines, lines
    assert "Patching hot refused static-method" in lines, lines
    assert "Patching work 1" in lines and len(lines) == 3, lines
    assert said["gone"] == "true"


@test()
def classes_loaded_later_and_what_the_sinks_stand_on_are_patched(t):
    said = patched(t, "late")
    assert said["late"] == "3", said  # <clinit>, <init>, run


@test(timing=True)
def a_hit_costs_next_to_nothing(t):
    print("     " + patched(t, "costs")["costs"], flush=True)
