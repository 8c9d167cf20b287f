"""Patches that call the program's own methods: what would not link is refused, and harms nobody."""
import glob
import os
import time

from dyper_client import errors, told
from harness import test
from instrumented import Instrumented, calls, counted, counts, guests, instrument, model

VALUE = "<ARG TYPE='INTEGER' VALUE='7' />"


def patch(client, *classes, name="M1"):
    inner = "".join(f"<CLASS NAME='{one}' />" for one in classes)
    return client.ask("PATCH", f"<PATCH MODEL='{name}'>{inner}</PATCH>", root="DYPATCH")


@test(flags=((), ("-Xcheck:jni",)), timeout=240)
def calls_that_would_not_link_are_refused_and_the_program_runs_on(t):
    seen = "Instrumented$Seen"
    cases = (
        ("no.Such", "number", "(long)", "NO_CLASS", "finds no such class"),
        (seen, "absent", "(long)", "VERIFY", "no such method"),
        (seen, "number", "(int)", "VERIFY", "no such method"),
        (seen, "number", "(long)int", "VERIFY", "no such method"),
        (seen, "ofAnObject", "(long)", "VERIFY", "not static"),
        (seen, "hidden", "(long)", "VERIFY", "not accessible"),
        ("Instrumented$Odd", "number", "(long)", "VERIFY", "an interface"),
        ("Instrumented$Broken", "number", "(long)", "VERIFY", "static initialiser has failed"),
        ("java.util.ImmutableCollections", "indexFromEntry", "(long)", "VERIFY", "not accessible"),
        ("jdk.internal.misc.VM", "initLevel", "(long)", "VERIFY", "not accessible"))
    with Instrumented(t) as program:
        client = program.client
        assert program.say("broken") == "broken"
        before = program.code()
        for of, method, signature, code, words in cases:
            # The patch beside it is put in.
            reply = model(client, ("Instrumented", "twice", counts("ENTER", 1000)
                                   + calls("EXIT", method, signature, VALUE, of)))
            assert errors(reply) == [], told(reply)
            for reply in (patch(client, "Instrumented"), instrument(client, True, "Instrumented")):
                error = reply.findall("ERROR")
                assert [one.get("CODE") for one in error] == [code], (of, method, told(reply))
                assert words in error[0].text and f"{of}.{method}" in error[0].text, told(reply)
                assert error[0].get("CLASS") == "Instrumented", told(reply)
            first = counted(client)[1000]
            assert program.run() == []
            assert counted(client)[1000] == first + 5
            assert errors(instrument(client, False)) == []
            assert program.code() == before
        # Alone it leaves nothing to be put in.
        model(client, ("Instrumented", "twice", calls("EXIT", "absent", "()", "")))
        reply = patch(client, "Instrumented")
        assert errors(reply) == ["VERIFY"] and reply.find("PATCH/CLASS").get("PATCH") is None
        assert errors(instrument(client, True, "Instrumented")) == ["VERIFY"]
        assert program.code() == before and program.run() == []


@test()
def calls_link_by_the_rules_of_the_vm(t):
    """What is inherited, protected in the same package, or public in another loader's."""
    with Instrumented(t) as program:
        client = program.client
        for of, method in (("Instrumented$Heir", "number"), ("Instrumented$Heir", "onlyForHeirs")):
            model(client, ("Instrumented", "text", calls("EXIT", method, "(long)", VALUE, of)))
            reply = instrument(client, True, "Instrumented")
            assert errors(reply) == [], told(reply)
            assert program.run() == ["7"], (of, method)
        assert errors(instrument(client, False)) == []
        assert program.say(f"load plain {guests(t, 'guests')} Plain") == "loaded"
        sinks = (("number", []), ("onlyForHeirs", ["VERIFY"]))  # another package: another loader's
        for method, expected in sinks:
            model(client, ("Plain", "choose", calls("ENTER", method, "(long)", VALUE)))
            assert errors(instrument(client, True, "Plain")) == expected
            said = program.say("call plain run").split()
            assert said[1:] == ([] if expected else ["7"] * 3) and "Error" not in said[0], said
        # A class of the JDK sees nothing of the program.
        model(client, ("java.util.HashMap", "put", calls("ENTER", "number", "(long)", VALUE)))
        assert errors(instrument(client, True, "java.util.HashMap")) == ["NO_CLASS"]
        assert program.say("fill 100") == "100 100"


@test(timeout=240, every_days=4)
def each_loader_is_asked_for_what_its_class_calls(t):
    whole, less = guests(t, "whole"), without_sink(t)
    target = ("Guest", "name", calls("ENTER", "hit", "()", "", "Sink"))
    with Instrumented(t) as program:
        client = program.client
        program.say(f"load one {whole} Guest alone")
        program.say("also Sink one")
        model(client, target)
        assert errors(instrument(client, True, "Guest")) == []
        assert program.say("call one name") == "guest"
        assert program.say("call Sink hits") == "1"
        # A second Guest comes, whose loader has no Sink: it stays as its author compiled it.
        program.say(f"load two {less} Guest alone")
        assert program.say("call two name") == "guest"
        assert program.say("call one name") == "guest" and program.say("call Sink hits") == "2"
        # With it there, what is asked of all classes of that name is refused for all.
        reply = instrument(client, True, "Guest")
        assert errors(reply) == ["NO_CLASS"] and "Sink.hit" in told(reply), told(reply)
        for who in ("one", "two"):
            assert program.say(f"call {who} name") == "guest"
        assert program.say("call Sink hits") == "2"
        # They go, and so do their names: nothing of the agent's holds them.
        end = time.monotonic() + 60
        while errors(instrument(client, True, "Guest")) != ["NO_CLASS"] or "Sink" in told(
                patch(client, "Guest")):
            assert time.monotonic() < end, "Guest is not unloaded"
            program.say("drop")
            time.sleep(0.2)
        assert program.say("load one {} Guest alone".format(whole)) == "loaded"
        assert errors(instrument(client, True, "Guest")) == []
        program.say("also Sink one")
        assert program.say("call one name") == "guest" and program.say("call Sink hits") == "1"


def without_sink(t):
    where = guests(t, "less")
    for path in glob.glob(os.path.join(where, "Sink*")):
        os.remove(path)
    return where


CALL_OF_SINK = counts("ENTER", 1000) + calls("EXIT", "hit", "()", "", "Sink")


@test()
def a_loader_of_the_programs_own_is_not_asked(t):
    with Instrumented(t) as program:
        client = program.client
        assert program.say(f"load slow {guests(t, 'guests')} Guest slow") == "loaded"
        model(client, ("Guest", "name", CALL_OF_SINK))
        # It would hang, and hold its lock, which the program needs.
        reply = instrument(client, True, "Guest")
        assert errors(reply) == ["NO_CLASS"] and "Sink.hit" in told(reply), told(reply)
        assert "has loaded no such class yet" in told(reply), told(reply)
        # The patch beside it is in.
        assert program.say("call slow name") == "guest" and counted(client)[1000] == 1
        # The program asks for it.
        assert program.say("answer") == "answers" and program.say("also Sink slow") == "loaded"
        assert errors(instrument(client, True, "Guest")) == []
        assert program.say("call slow name") == "guest" and program.say("call Sink hits") == "1"


@test()
def a_place_that_does_not_answer_holds_up_no_command(t):
    with Instrumented(t) as program:
        client = program.client
        assert program.say(f"load far {without_sink(t)} Guest far") == "loaded"
        model(client, ("Guest", "name", CALL_OF_SINK))
        reply = instrument(client, True, "Guest")
        assert errors(reply) == ["VERIFY"] and "Sink.hit" in told(reply), told(reply)
        assert "has not answered within" in told(reply)
        # The patch beside it is in, other commands are answered, and nobody waits for it again.
        assert client.tell("PING").text == "PONG"
        assert program.say("call far name") == "guest" and counted(client)[1000] == 1
        for _ in range(3):
            assert "has not answered yet" in told(instrument(client, True, "Guest"))
        assert program.say("answer") == "answers"
        end = time.monotonic() + 60
        while errors(reply := instrument(client, True, "Guest")) != ["NO_CLASS"]:
            assert time.monotonic() < end and "has not answered yet" in told(reply), told(reply)
            time.sleep(0.1)


@test()
def a_program_ends_while_a_place_does_not_answer(t):
    with Instrumented(t) as program:
        client = program.client
        assert program.say(f"load far {without_sink(t)} Guest far") == "loaded"
        model(client, ("Guest", "name", CALL_OF_SINK))
        assert errors(instrument(client, True, "Guest")) == ["VERIFY"]


@test()
def a_class_may_hold_what_patches_of_its_own_methods_call(t):
    """Where they are named one by one: the sink may call the others."""
    seen = "Instrumented$Seen"
    inner = calls("ENTER", "hidden", "(long)", VALUE)  # private
    with Instrumented(t) as program:
        client = program.client
        assert program.run() == []  # loads it
        before = program.code(seen)
        model(client, ("Instrumented", "half", calls("EXIT", "real", "(double)",
                                                     "<ARG TYPE='RETURN' />")), name="M2")
        model(client, (seen, "real", inner))
        for name in ("M2", "M1"):
            reply = instrument(client, True, name=name)
            assert errors(reply) == [], told(reply)
        assert program.run() == ["7", "2.5"]
        for name in ("M1", "M2"):
            assert errors(instrument(client, False, name=name)) == []
        for method in ("*", "hidden"):
            reply = model(client, (seen, method, inner))
            assert set(errors(reply)) == {"UNSUPPORTED"} and "holds-sink" in told(reply), told(reply)
            assert "UNSUPPORTED" in errors(instrument(client, True))
            assert program.code(seen) == before
