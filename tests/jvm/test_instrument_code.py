"""INSTRUMENT on methods, classes and values of every kind: works, or is refused with the reason."""
import os
import threading
import time
import xml.etree.ElementTree as Xml

from dyper_client import errors
from harness import test
from instrumented import (Instrumented, calls, code_in_model, counted, counts, guests, instrument,
                          model, numbers_of)
from watched import Watched

ENTER = "<PATCH WHAT='ENTER' MODE='COUNT_METHOD' />"


def case(what, argument):
    return f"<WHEN CASE='{what}' ARG='{argument}' />"


def ask_model(client, *targets, name="M1"):
    reply = model(client, *targets, name=name)
    assert errors(reply) == [], Xml.tostring(reply)
    return reply


@test(timeout=240, every_days=5)
def class_files_of_every_version_are_patched_and_put_back(t):
    patches = (ENTER + "<PATCH WHAT='BLOCK_START' MODE='COUNT_BLOCK' />" + counts("SYNC_ENTER", 3001)
               + counts("SYNC_EXIT", 3002) + counts("EXIT", 3003))
    for version in t.some((49, 50, 52, t.jdk.major + 44), 2):
        classes = guests(t, f"v{version}", version)
        with Instrumented(t) as program:
            client = program.client
            program.say(f"load plain {classes} Plain")
            said, before = program.say("call plain run"), code_in_model(t, client, "Plain")
            number = numbers_of(ask_model(client, ("Plain", "*", patches)))
            reply = instrument(client, True, "Plain")
            assert errors(reply) == [], (version, Xml.tostring(reply))
            assert code_in_model(t, client, "Plain") != before
            assert program.say("call plain run") == said
            found = counted(client)
            hits = {name: found[number[f"Plain.{name}"]] for name in (
                "<init>(int)", "<init>()", "down(int)", "wide(long,int,double,java.lang.Object)",
                "guarded(int)", "choose(int)", "run()", "locked(int)")}
            assert hits == {"<init>(int)": 3, "<init>()": 1, "run()": 1, **dict.fromkeys(
                ("down(int)", "wide(long,int,double,java.lang.Object)", "guarded(int)", "choose(int)",
                 "locked(int)"), 3)}, (version, hits)
            assert (found[3001], found[3002]) == (12, 12), (version, found)
            assert found[3003] == 1 + 4 + 3 * 8, (version, found)
            assert errors(instrument(client, False)) == []
            assert program.say("call plain run") == said
            assert code_in_model(t, client, "Plain") == before, version


@test(flags=((), ("-Xcheck:jni",)), every_days=4)
def methods_of_every_kind_are_counted_or_refused(t):
    names = ("Guest", "Guest$Shape", "Guest$Half", "Guest$Square")
    synchronized = "".join(counts(what, number) for what, number in (
        ("SYNC_ENTER", 3001), ("SYNC_EXIT", 3002), ("THROW", 3003)))
    with Instrumented(t) as program:
        client = program.client
        program.say(f"load Guest {guests(t, 'guests')} Guest")
        for one in names[1:]:
            assert program.say(f"also {one} Guest") == "loaded"
        reply = model(client, *((one, "*", ENTER) for one in names))
        number = numbers_of(reply)
        assert errors(reply) == ["NOT_MODIFIABLE"] * 3, Xml.tostring(reply)
        words = " ".join(error.text for error in reply.findall("ERROR"))
        assert all(one in words for one in ("elsewhere", "sides", "whole")), words
        model(client, *((one, "*", ENTER) for one in names), ("Guest", "locked", synchronized),
              ("Guest", "lockedToo", synchronized))
        reply = instrument(client, True)
        assert errors(reply) == ["NOT_MODIFIABLE"] * 3, Xml.tostring(reply)
        # A static initialiser runs when the class is first used: now.
        assert "Error" not in program.say("call Guest run")
        found = counted(client)
        expected = {
            "Guest.<clinit>()": 1, "Guest.<init>()": 1, "Guest.run()": 1, "Guest.loop(int)": 1,
            "Guest.inside(int)": 1000, "Guest.locked(int)": 10, "Guest.lockedToo(int)": 11,
            "Guest.lambda$run$0(int,int)": 10, "Guest$Shape.area(int)": 10, "Guest$Shape.corners()": 10,
            "Guest$Half.<init>()": 1, "Guest$Square.<init>()": 1, "Guest$Square.sides()": 10,
            "Guest$Square.whole()": 10}
        assert {name: found.get(number[name]) for name in expected} == expected, found
        assert (found[3001], found[3002], found[3003]) == (21, 21, 1), found


@test()
def a_method_in_a_long_loop_is_counted_at_once_and_the_loop_from_its_next_call(t):
    with Watched(t) as program, program.client() as client:
        number = numbers_of(ask_model(client, ("Watched", "burn", ENTER), ("Watched", "busy", ENTER)))
        assert errors(instrument(client, True, "Watched")) == []
        end, found = time.monotonic() + 60, {}
        while found.get(number["Watched.busy(int)"], 0) < 1000:
            assert time.monotonic() < end, found
            time.sleep(0.05)
            found = counted(client)
        assert found[number["Watched.burn()"]] == 0, found


@test()
def constructors_are_patched_behind_their_super_call(t):
    this = calls("ENTER", "object", "(java.lang.Object)", "<ARG TYPE='THIS' />")
    field = calls("ENTER", "number", "(long)", "<ARG TYPE='FIELD' VALUE='field' />")
    argument = calls("EXIT", "number", "(long)", "<ARG TYPE='ARG' VALUE='1' />")
    with Instrumented(t) as program:
        client = program.client
        ask_model(client, ("Instrumented", "<init>", this + argument))
        assert errors(instrument(client, True, "Instrumented")) == []
        assert program.run() == ["Instrumented", "3", "Instrumented", "1"]
        assert errors(instrument(client, False)) == []
        program.say(f"load plain {guests(t, 'guests')} Plain")
        # One branches before its super(), another has this(): no field is set before, all behind.
        ask_model(client, ("Plain", "<init>", this), name="M1")
        assert errors(instrument(client, True, "Plain")) == []
        assert program.say("call plain run").split()[1:] == ["Plain"] * 4
        ask_model(client, ("Plain", "<init>", field), name="M1")
        assert errors(instrument(client, True, "Plain")) == []
        assert program.say("call plain run").split()[1:] == ["0", "7", "0", "0"]


@test(every_days=5)
def classes_of_the_jdk_are_counted(t):
    with Instrumented(t) as program:
        client = program.client
        targets = (("java.util.ArrayList", "add"), ("java.util.HashMap", "put"),
                   ("java.util.HashMap", "putVal"), ("java.lang.Object", "<init>"),
                   ("java.lang.Integer", "valueOf"), ("java.lang.String", "hashCode"))
        number = numbers_of(ask_model(client, *((of, method, ENTER) for of, method in targets)))
        before = {of: code_in_model(t, client, of) for of, _ in targets}
        assert errors(instrument(client, True)) == []
        first = counted(client)
        assert program.say("fill 5000") == "5000 5000"
        found = counted(client)
        more = {name: found[one] - first.get(one, 0) for name, one in number.items() if one in found}
        # The JDK adds to collections for itself, too.
        for name in ("java.util.ArrayList.add(java.lang.Object)",
                     "java.util.HashMap.put(java.lang.Object,java.lang.Object)",
                     "java.util.HashMap.putVal(int,java.lang.Object,java.lang.Object,boolean,boolean)",
                     "java.lang.Object.<init>()"):
            assert 5000 <= more[name] < 100_000, (name, more)
        assert errors(instrument(client, False)) == []
        assert {of: code_in_model(t, client, of) for of, _ in targets} == before


@test(flags=((), ("-Xcheck:jni",)))
def values_of_every_kind_are_handed_over(t):
    def number(what, argument, when=""):
        return calls(what, "number", "(long)", argument, when=when)

    def numbers(what, *kinds, when=""):
        return calls(what, "numbers", "(int,int)", "".join(f"<ARG TYPE='{one}' />" for one in kinds),
                     when=when)

    targets = (
        ("work", numbers("OBJECT_ALLOC", "REFCLASSID", "CLASSID")
         + numbers("FIELD_ACCESS", "REFCLASSID", "INSNO")
         + number("CALL", "<ARG TYPE='LOCAL' VALUE='sum' />", case("METHOD", "twice"))),
        ("big", number("ENTER", "<ARG TYPE='INTEGER' VALUE='100000' />")
         + number("EXIT", "<ARG TYPE='ARG' VALUE='1' />")),
        ("half", calls("ENTER", "object", "(java.lang.Object)", "<ARG TYPE='NULL' />")),
        ("run", numbers("CALL", "REFMETHODID", "METHODID", when=case("METHOD", "Instrumented.text"))
         + numbers("OBJECT_ALLOC", "REFCLASSID", "BLOCKID")),
        ("text", number("EXIT", "<ARG TYPE='FIELD' VALUE='field' />")),
        ("nothing", number("ENTER", "<ARG TYPE='FIELD' VALUE='statics' />")
         + calls("EXIT", "object", "(java.lang.Object)", "<ARG TYPE='FIELD' VALUE='some' />")),
        ("fails", numbers("ENTER", "INSNO", "BLOCKID")
         + calls("THROW", "object", "(java.lang.Object)", "<ARG TYPE='EXCEPTION' />")),
        ("twice", calls("ENTER", "object", "(java.lang.Object)", "<ARG TYPE='THIS' />")))
    with Instrumented(t) as program:
        client = program.client
        reply = model(client, *(("Instrumented", *one) for one in targets))
        refused = reply.findall("ERROR")
        assert [one.get("CODE") for one in refused] == ["UNSUPPORTED"], Xml.tostring(reply)
        assert "twice(int)" in refused[0].text and "static-method" in refused[0].text, refused[0].text
        data = reply.find("COUNTERS/COUNTERDATA")
        own = data.find("CLASS").get("INDEX")
        method = numbers_of(reply)
        block = {one.get("METHOD"): one.get("INDEX") for one in data.iter("BLOCK")
                 if one.get("STARTINS") == "0"}
        assert errors(instrument(client, True, "Instrumented")) == ["UNSUPPORTED"]
        said = program.run()
        access = said[1].split("/")
        assert access[0] == own and int(access[1]) > 0, said
        called = f"{method['Instrumented.text()']}/{method['Instrumented.run()']}"
        assert said == [
            f"{own}/{own}", said[1], "4", "4", "6", "10", "16", "100000", "7", "null",
            f"{own}/{block['Instrumented.run']}", called, "1", "1", "String",
            f"0/{block['Instrumented.fails']}", "IllegalStateException"], said


@test()
def conditions_decide_each_time(t):
    def holds(kind, left, right):
        return f"<CONDITION TYPE='{kind}' LVALUE='{left}' RVALUE='{right}' />"

    wishes = (
        ("nothing", "ENTER", holds("FIELD", "none", "NULL"), 1),
        ("nothing", "ENTER", holds("FIELD", "none", "NONNULL"), 0),
        ("nothing", "ENTER", holds("FIELD", "some", "NONNULL"), 1),
        ("nothing", "ENTER", holds("FIELD", "some", "NULL"), 0),
        ("nothing", "ENTER", holds("FIELD", "field", 1), 1),
        ("nothing", "ENTER", holds("FIELD", "field", 2), 0),
        ("twice", "ENTER", holds("ARG", 1, 0), 1),
        ("twice", "ENTER", holds("ARG", 1, -1), 0),
        ("big", "ENTER", holds("ARG", 1, 7), 1),
        ("text", "EXIT", holds("RETURN", "", "NONNULL"), 1),
        ("text", "EXIT", holds("RETURN", "", "NULL"), 0),
        ("twice", "EXIT", holds("RETURN", "", 8), 1),
        ("twice", "EXIT", holds("LOCAL", "n", 4), 1),
        ("twice", "EXIT", holds("LOCAL", "n", 4) + holds("RETURN", "", 9), 0),
        ("twice", "EXIT", holds("LOCAL", "n", 3) + holds("RETURN", "", 6), 1))
    with Instrumented(t) as program:
        client = program.client
        for at, (method, what, condition, hits) in enumerate(wishes):
            ask_model(client, ("Instrumented", method, counts(what, 4000 + at, condition=condition)),
                      name=f"C{at}")
            assert errors(instrument(client, True, "Instrumented", name=f"C{at}")) == []
            program.run()
            assert counted(client)[4000 + at] == hits, (method, what, condition)
            assert errors(instrument(client, False, name=f"C{at}")) == []
        # A method of the program's has what decides in its last argument.
        chosen = calls("ENTER", "chosen", "(long)", "<ARG TYPE='ARG' VALUE='1' />",
                       condition=holds("ARG", 1, 3))
        ask_model(client, ("Instrumented", "twice", chosen))
        assert errors(instrument(client, True, "Instrumented")) == []
        assert program.run() == ["3"]


@test()
def what_no_patch_can_be_put_into_is_said_for_each(t):
    with open(t.path("Full.java"), "w") as f:  # a method with no room left
        f.write("public class Full { static int s; public static String small() { s++; return \"\" + s; }\n"
                "public static String run() {\n" + "s++;\n" * 8000 + "return \"\" + s; } }\n")
    done = t.command([os.path.join(t.jdk.home, "bin", "javac"), "-d", t.dir, t.path("Full.java")])
    assert done.code == 0, done
    mode = calls("ENTER", "number", "(long", "<ARG TYPE='INTEGER' VALUE='1' />")
    cases = (
        (("java.util.AbstractList", "get", ENTER), "NOT_MODIFIABLE", "no-code"),
        (("java.lang.Object", "hashCode", ENTER), "NOT_MODIFIABLE", "no-code"),
        (("no.Such", "m", ENTER), "NO_CLASS", "no such class"),
        (("int[]", "*", ENTER), "NO_CLASS", "no such class"),
        (("[I", "*", ENTER), "NO_CLASS", "no such class"),
        (("java.lang.DdmTrackerSinks", "*", ENTER), "UNSUPPORTED", "holds-sink"),
        (("Full", "run", counts("STATIC_WRITE", 5000)), "UNSUPPORTED", "code-too-long"),
        (("Instrumented", "run", "<PATCH WHAT='ENTER' MODE='NOBODY' />"), "NO_MODE", "no such mode"),
        (("Instrumented", "run", "<PATCH WHAT='NOWHERE' MODE='COUNT_METHOD' />"), "BAD_VALUE", "place"),
        (("Instrumented", "run", mode), "BAD_VALUE", "it is like"))
    with Instrumented(t) as program:
        client = program.client
        program.say(f"load full {t.dir} Full")
        for at, (target, code, words) in enumerate(cases):
            # With another class, or another method of it, that can be patched.
            fine = ("Full", "small") if target[0] == "Full" else ("Instrumented", "twice")
            reply = model(client, target, (*fine, ENTER), name=f"C{at}")
            replies = [reply, instrument(client, True, name=f"C{at}")]
            told = [error for one in replies for error in one.findall("ERROR")]
            assert {error.get("CODE") for error in told} == {code}, Xml.tostring(reply)
            assert all(words in error.text for error in told), (target, Xml.tostring(reply))
            program.run()
            program.say("call full small")
            number = next(value for name, value in numbers_of(reply).items()
                          if name.startswith(".".join(fine)))
            assert counted(client)[number] > 0, (target, counted(client))
            assert errors(instrument(client, False, name=f"C{at}")) == []
        assert program.say("call full run").isdigit()


@test()
def a_mode_runs_around_the_instruction_and_a_file_overrides_what_is_built_in(t):
    def said(number):
        return (f"<CODE TYPE='CALL' CLASS='Instrumented$Seen' METHOD='number' SIGNATURE='(long)'>"
                f"<ARG TYPE='INTEGER' VALUE='{number}' /></CODE>")

    with open(t.path("modes.xml"), "w") as f:
        f.write(f"<MODES><DYPATCH_MODE NAME='COUNT_METHOD'>{said(3)}<INSTRUCTION /></DYPATCH_MODE>"
                f"<MODE NAME='AROUND'>{said(1)}<INSTRUCTION />{said(2)}</MODE></MODES>")
    with Instrumented(t, options=f",dypatch_modes={t.path('modes.xml')}") as program:
        client = program.client
        around = f"<PATCH WHAT='CALL' MODE='AROUND'>{case('METHOD', 'Instrumented.big')}</PATCH>"
        ask_model(client, ("Instrumented", "run", around), ("Instrumented", "big", ENTER))
        assert errors(instrument(client, True, "Instrumented")) == []
        assert program.run() == ["1", "3", "2"]
        # One in the document is for this model's patches and those to come.
        inner = (f"<DYPATCH_MODE NAME='AROUND'>{said(8)}<INSTRUCTION />{said(9)}</DYPATCH_MODE>"
                 f"<FOR CLASS='Instrumented' METHOD='run' UPDATE='NEW'>{around}</FOR>")
        assert errors(client.ask("MODEL", f"<MODEL NAME='M1'>{inner}</MODEL>", root="DYPATCH")) == []
        assert errors(instrument(client, True, "Instrumented")) == []
        assert program.run() == ["8", "3", "9"]


@test()
def two_models_are_in_at_once_in_different_classes(t):
    with Instrumented(t) as program:
        client = program.client
        program.say(f"load plain {guests(t, 'guests')} Plain")
        one = numbers_of(ask_model(client, ("Instrumented", "twice", ENTER), name="ONE"))
        two = numbers_of(ask_model(client, ("Plain", "down", ENTER), name="TWO"))
        before = program.code(), code_in_model(t, client, "Plain")
        assert errors(instrument(client, True, name="ONE")) == []
        assert errors(instrument(client, True, name="TWO")) == []
        twice, down = one["Instrumented.twice(int)"], two["Plain.down(int)"]
        for round_of in range(1, 4):
            program.run()
            program.say("call plain run")
            found = counted(client)
            assert (found[twice], found[down]) == (5 * round_of, 3 * round_of), found
        assert errors(instrument(client, False, name="ONE")) == []
        assert program.code() == before[0]
        program.run()
        program.say("call plain run")
        found = counted(client)
        assert (found[twice], found[down]) == (15, 12), found
        assert errors(instrument(client, False, name="TWO")) == []
        assert code_in_model(t, client, "Plain") == before[1]


@test(flags=((), ("-Xint",)))
def a_stack_that_ends_where_a_lock_is_released_does_not_hold_it_up(t):
    before = counts("SYNC_EXIT", 3002)
    behind = before.replace("<INSTRUCTION />", "").replace("<DYPATCH_MODE>", "<DYPATCH_MODE><INSTRUCTION />")
    for patch in (before, behind, counts("BLOCK_START", 3002)):
        with Instrumented(t, flags=["-Xss512k"]) as program:
            client = program.client
            assert program.say(f"load deep {guests(t, 'guests')} Overflowing") == "loaded"
            ask_model(client, ("Overflowing", "*", patch))
            assert errors(instrument(client, True, "Overflowing")) == []
            held_up = threading.Timer(60, program.process.kill)
            held_up.start()
            said = program.say("call deep run")
            assert said == "20_20_false", (patch, said)
            held_up.cancel()
            assert counted(client)[3002] > 1000, patch
