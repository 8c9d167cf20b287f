"""DYPATCH's cycle in a live program: MODEL, PATCH, INSTRUMENT, counters, and the code as it was."""
import time
import xml.etree.ElementTree as Xml

from agent_jars import agent_jar
from dyper_client import Dyper, errors, told
from harness import test
from instrumented import (Instrumented, calls, code_in_model, counted, counts, guests, instrument,
                          model, numbers_of)
from watched import FREE, MODEL, Watched

UNLIMITED = FREE + ",budget=10000"


def counted_at_rest(client, seconds=20):
    """When methods that were running with their counters have ended."""
    end, last = time.monotonic() + seconds, None
    while (now := counted(client)) != last:
        assert time.monotonic() < end, "counters go on without patches"
        last = now
        time.sleep(0.3)
    return now


@test(timeout=120, every_days=4)
def methods_and_blocks_are_counted_until_the_patches_are_taken_out(t):
    with Watched(t, agent=UNLIMITED) as program, program.client() as client:
        before = code_in_model(t, client, "Watched")
        table = client.tell("MODEL", MODEL.format(""), root="DYPATCH").find("COUNTERS")
        wish = "<PATCH MODEL='M1'><CLASS NAME='Watched' /></PATCH>"
        made = client.tell("PATCH", wish, root="DYPATCH").find("PATCH/CLASS")
        patch = f"<PATCH CLASS='Watched' ORIG='{made.get('ORIG')}' PATCH='{made.get('PATCH')}' />"
        reply = client.tell("INSTRUMENT", f"<MODEL NAME='M1' INSERT='TRUE'>{patch}</MODEL>")
        assert reply.find("PATCH").get("TIME")
        # The tables are about the class as it is without the patches.
        again = client.tell("MODEL", MODEL.format(""), root="DYPATCH").find("COUNTERS")
        assert Xml.tostring(again) == Xml.tostring(table)
        assert code_in_model(t, client, "Watched") != before
        first = counted(client)
        time.sleep(0.5)
        assert all(count > first[number] for number, count in counted(client).items())
        assert errors(instrument(client, False, "Watched")) == []
        found = counted_at_rest(client)
        method = table.find("COUNTERDATA/METHOD")
        calls_of_busy = found[int(method.get("INDEX"))]
        blocks = {int(one.get("STARTINS")): found[int(one.get("INDEX"))]
                  for one in method.findall("BLOCK")}
        assert calls_of_busy > 0
        assert sorted(blocks.values()) == sorted(
            [calls_of_busy, calls_of_busy, 20000 * calls_of_busy, 20001 * calls_of_busy]), found
        time.sleep(1)
        assert counted(client) == found
        assert code_in_model(t, client, "Watched") == before


@test()
def methods_and_allocations_are_chosen_by_their_types(t):
    def when(what):
        return f"<WHEN CASE='CLASS' ARG='{what}' />"
    with Instrumented(t) as program:
        client = program.client
        reply = model(
            client, ("Instrumented", "", counts("BASE_ARRAY_ALLOC", 1003, when=when("int"))),
            ("Instrumented", "twice(int)", counts("ENTER", 1001)),
            ("Instrumented", "big(JI)J", counts("ENTER", 1002)),
            ("Instrumented", "work", counts("BASE_ARRAY_ALLOC", 1004, when=when("long"))
             + counts("ARRAY_ALLOC", 1005, when=when("long[][]"))
             + counts("ARRAY_ALLOC", 1006, when=when("java.lang.Object"))
             + counts("OBJECT_ALLOC", 1007, when=when("Instrumented"))))
        assert errors(reply) == [], told(reply)
        assert errors(instrument(client, True)) == []
        program.run()
        found = counted(client)
        assert found == {1001: 5, 1002: 1, 1003: 1, 1005: 1, 1006: 1, 1007: 1}, found
        assert errors(instrument(client, False)) == []
        for method in ("absent", "twice(long)", "twice(J)I"):
            reply = model(client, ("Instrumented", method, counts("ENTER", 1001)), name="M2")
            assert errors(reply) == ["BAD_VALUE"] and "has no such method" in told(reply), told(reply)
            model(client, ("*", "*", ""), name="M2")
        reply = model(client, ("Instrumented", "twice(int", counts("ENTER", 1001)), name="M2")
        assert errors(reply) == ["BAD_VALUE"], told(reply)


@test()
def the_model_names_what_is_called_and_allocated_outside_of_its_classes(t):
    def place(what, mode):
        return f"<PATCH WHAT='{what}' MODE='{mode}' />"
    with Instrumented(t) as program:
        client = program.client
        reply = model(client, ("Instrumented", "work", place("CALL", "COUNT_CALLED") + "".join(
            place(what, "COUNT_ALLOCATED") for what in ("OBJECT_ALLOC", "ARRAY_ALLOC", "BASE_ARRAY_ALLOC"))),
            ("Instrumented", "fails", place("CALL", "COUNT_CALLED") + place("OBJECT_ALLOC", "COUNT_ALLOCATED")))
        assert errors(reply) == [], told(reply)
        data = reply.find("COUNTERS/COUNTERDATA")
        names = {int(one.get("INDEX")): one.get("NAME") + (one.get("SIGNATURE") or "")
                 for kind in ("CLASS", "METHOD") for one in data.findall(kind)}
        assert {one.get("ID"): one.get("TYPE") for one in reply.findall("COUNTERS/COUNTERS/USE")} == {
            str(number): "METHOD" if "(" in name else "CLASS" for number, name in names.items()
            if name not in ("Instrumented.work()", "Instrumented.fails()")}, told(reply)
        assert errors(instrument(client, True)) == []
        program.run()
        found = {names[number]: count for number, count in counted(client).items() if count}
        assert found == {"Instrumented": 1, "int[]": 1, "java.lang.Object[]": 1, "long[][]": 1,
                         "java.lang.IllegalStateException": 1, "Instrumented.<init>(int)": 1,
                         "Instrumented.twice(int)": 5,
                         "java.lang.IllegalStateException.<init>(java.lang.String)": 1}, found


@test()
def classes_that_are_named_without_a_patch_are_told_of(t):
    with Instrumented(t) as program:
        client = program.client
        assert program.run() == []  # loads Seen
        model(client, ("Instrumented", "twice", counts("ENTER", 1001)))
        reply = client.ask("PATCH", "<PATCH MODEL='M1'><CLASS NAME='Instrumented' />"
                           "<CLASS NAME='Instrumented$Seen' /><CLASS NAME='no.Such' /></PATCH>",
                           root="DYPATCH")
        made = {one.get("NAME"): (one.get("ORIG"), one.get("PATCH"))
                for one in reply.findall("PATCH/CLASS")}
        assert sorted(made) == ["Instrumented", "Instrumented$Seen"], told(reply)
        assert all(made["Instrumented"]) and made["Instrumented$Seen"][1] is None, made
        assert made["Instrumented$Seen"][0], made
        assert errors(reply) == ["NO_CLASS"], told(reply)
        model(client, ("int[]", "*", counts("ENTER", 1001)))
        assert errors(instrument(client, True)) == ["NO_CLASS"]


def put_in_and_out(t, rounds):
    with Watched(t, agent=UNLIMITED) as program, program.client() as client:
        table = client.tell("MODEL", MODEL.format(""), root="DYPATCH").find("COUNTERS")
        method = int(table.find("COUNTERDATA/METHOD").get("INDEX"))
        for _ in range(rounds):
            assert errors(instrument(client, True)) == []
            assert errors(instrument(client, False)) == []
        found = counted_at_rest(client)
        assert max(found.values()) == 20001 * found[method] > 0


@test(gc="all", timeout=240)
def patches_of_documents_go_in_and_out_under_load(t):
    put_in_and_out(t, 10)


@test(gc="all", flags=((), ("-Xcheck:jni",)), full_only=True, timeout=600)
def patches_of_documents_go_in_and_out_a_hundred_times_under_load(t):
    put_in_and_out(t, 100)


@test(timeout=120)
def each_kind_of_place_is_counted_and_the_code_is_put_back(t):
    expected = {"ENTER": 1, "EXIT": 1, "THROW": 0, "SYNC_TEST": 1, "SYNC_ENTER": 1, "SYNC_EXIT": 1,
                "STATIC_ACCESS": 1, "STATIC_WRITE": 1, "FIELD_ACCESS": 1, "FIELD_WRITE": 1,
                "OBJECT_ALLOC": 1, "ARRAY_ALLOC": 2, "BASE_ARRAY_ALLOC": 1, "CALL": 6}
    numbers = {what: 1000 + i for i, what in enumerate(expected)}
    with Instrumented(t) as program:
        before = program.code()
        reply = model(program.client, ("Instrumented", "work", "".join(
            counts(what, number) for what, number in numbers.items())))
        assert errors(reply) == [], Xml.tostring(reply)
        assert errors(instrument(program.client, True)) == []
        assert program.code() != before
        for _ in range(7):
            program.run()
        found = counted(program.client)
        assert {what: found.get(numbers[what]) for what in expected} == {
            what: 7 * count for what, count in expected.items()}, found
        assert errors(instrument(program.client, False)) == []
        program.run()
        after = program.code()
        assert after == before, (before, after)
        assert counted(program.client) == found, (found, counted(program.client))


@test(timeout=120)
def what_is_handed_over_is_what_the_method_has(t):
    returned = "<ARG TYPE='RETURN' />"
    targets = (
        ("Instrumented", "work", calls("EXIT", "number", "(long)", returned)),
        ("Instrumented", "big", calls("EXIT", "number", "(long)", returned)
         + calls("ENTER", "number", "(long)", "<ARG TYPE='ARG' VALUE='2' />")),
        ("Instrumented", "half", calls("EXIT", "real", "(double)", returned)),
        ("Instrumented", "text", calls("EXIT", "object", "(java.lang.Object)", returned)),
        ("Instrumented", "nothing", calls("EXIT", "object", "(java.lang.Object)",
                                          "<ARG TYPE='THIS' />")
         + calls("ENTER", "numbers", "(int,int)", "<ARG TYPE='METHODID' /><ARG TYPE='CLASSID' />")),
        ("Instrumented", "fails", calls("ENTER", "object", "(java.lang.Object)",
                                        "<ARG TYPE='CURTHREAD' />")))
    with Instrumented(t) as program:
        reply = model(program.client, *targets)
        assert errors(reply) == [], Xml.tostring(reply)
        data = reply.find("COUNTERS/COUNTERDATA")
        assert errors(instrument(program.client, True, "Instrumented")) == []
        method = next(one.get("INDEX") for one in data.findall("METHOD")
                      if one.get("NAME") == "Instrumented.nothing")
        said = program.run()
        ids = f"{method}/{data.find('CLASS').get('INDEX')}"
        assert said == ["24", "3", "30000000000", "2.5", "String", ids, "Instrumented", "Thread"], said
        assert errors(instrument(program.client, False, "Instrumented")) == []
        assert program.run() == []


@test(timeout=120)
def places_and_conditions_choose_what_counts(t):
    def case(what, argument):
        return f"<WHEN CASE='{what}' ARG='{argument}' />"

    def holds(kind, left, right):
        return f"<CONDITION TYPE='{kind}' LVALUE='{left}' RVALUE='{right}' />"

    wishes = {
        1001: (5, "work", "CALL", case("METHOD", "Instrumented.twice"), ""),
        1002: (0, "work", "CALL", case("METHOD", "Other.twice"), ""),
        1003: (1, "work", "FIELD_WRITE", case("FIELD", "field"), ""),
        1004: (0, "work", "FIELD_WRITE", case("FIELD", "statics"), ""),
        1005: (1, "work", "OBJECT_ALLOC", case("CLASS", "Instrumented"), ""),
        1006: (0, "work", "OBJECT_ALLOC", case("CLASS", "java.lang.Object"), ""),
        1007: (1, "work", "BLOCK_START", case("BLOCK", "0"), ""),
        1008: (0, "work", "BLOCK_START", case("BLOCK", "1"), ""),
        1009: (0, "work", "CALL", case("METHOD", "twice") + case("BLOCK", "0"), ""),
        1010: (1, "twice", "ENTER", "", holds("ARG", 1, 3)),
        1011: (0, "twice", "ENTER", "", holds("ARG", 1, 30)),
        1012: (1, "text", "EXIT", "", holds("RETURN", "", "NONNULL")),
        1013: (1, "nothing", "EXIT", "", holds("FIELD", "field", 1)),
    }
    targets = {}
    for number, (_, method, what, when, condition) in wishes.items():
        targets.setdefault(method, []).append(counts(what, number, when, condition))
    with Instrumented(t) as program:
        # Patches of the same place take each other's: one document a number.
        for method, patches in targets.items():
            for patch in patches:
                reply = program.client.ask("MODEL", f"<MODEL NAME='{patches.index(patch)}'><FOR "
                                           f"CLASS='Instrumented' METHOD='{method}' UPDATE='ADD'>"
                                           f"{patch}</FOR></MODEL>", root="DYPATCH")
                assert errors(reply) == [], Xml.tostring(reply)
        found = {}
        for name in range(max(map(len, targets.values()))):
            assert errors(instrument(program.client, True, name=name)) == []
            program.run()
            found = counted(program.client)
            assert errors(instrument(program.client, False, name=name)) == []
        expected = {number: wish[0] for number, wish in wishes.items()}
        # A place that is not there has no counter.
        assert {number: found.get(number, 0) for number in wishes} == expected, found


@test(timeout=120)
def what_cannot_be_put_in_is_said_and_the_rest_is_in(t):
    enter = "<PATCH WHAT='ENTER' MODE='COUNT_METHOD' />"
    with Instrumented(t) as program:
        client = program.client
        assert errors(instrument(client, True)) == ["NO_MODEL"]
        before = program.code("java.util.ArrayList"), program.code()
        reply = model(client, ("Instrumented", "*", enter), ("java.util.ArrayList", "add", enter),
                      ("java.lang.Thread", "currentThread", enter))
        assert errors(reply) == ["NOT_MODIFIABLE"], Xml.tostring(reply)
        number = numbers_of(reply)
        reply = instrument(client, True, "Instrumented", "java.util.ArrayList", "java.lang.Thread",
                           "no.Such", "java.util.HashMap")
        assert sorted(errors(reply)) == ["NOT_MODIFIABLE", "NO_CLASS", "NO_CLASS"], Xml.tostring(reply)
        program.run()
        found = counted(client)
        assert found[number["Instrumented.twice(int)"]] == 5
        assert found[number["Instrumented.<init>(int)"]] == 2
        # Two models may be in if they are about different classes.
        assert errors(model(client, ("Instrumented", "text", enter),
                            ("java.util.HashMap", "put", enter), name="M2")) == []
        assert errors(instrument(client, True, name="M2")) == ["BUSY"]
        # One class of a model goes, the others stay.
        assert errors(instrument(client, False, "Instrumented")) == []
        assert program.code() == before[1], (before[1], program.code())
        assert program.code("java.util.ArrayList") != before[0]
        assert errors(instrument(client, True, "Instrumented", name="M2")) == []
        program.run()
        again = counted(client)
        assert again[number["Instrumented.twice(int)"]] == 5
        assert again[number["Instrumented.text()"]] == found[number["Instrumented.text()"]] + 1
        assert errors(instrument(client, False)) + errors(instrument(client, False, name="M2")) == []
        assert (program.code("java.util.ArrayList"), program.code()) == before


def later_of(reply):
    return [one.get("CLASS") for one in reply.findall("PATCH/LATER")]


@test(timeout=120)
def classes_that_come_later_are_patched_as_they_are_loaded(t):
    enter = "<PATCH WHAT='ENTER' MODE='COUNT_METHOD' />"
    where = guests(t, "guests")
    targets = (("Guest", "name", counts("ENTER", 1000)), ("Plain*", "*", enter),
               ("Guest", "run", calls("ENTER", "number", "(long)", "<ARG TYPE='INTEGER' VALUE='7' />")))
    with Instrumented(t) as program:
        client = program.client
        assert program.say(f"load unlinked {where} Guest unlinked") == "loaded"
        assert errors(model(client, *targets)) == ["NO_CLASS"]
        reply = instrument(client, True)
        assert errors(reply) == [] and later_of(reply) == ["Guest"], Xml.tostring(reply)
        # Loaded before and linked now; loaded now.
        assert program.say("call unlinked name") == "guest" and counted(client)[1000] == 1
        assert program.say(f"load two {where} Guest") == "loaded"
        assert program.say("call two name") == "guest" and counted(client)[1000] == 2
        assert len(program.say("call two run").split()) == 1, "a call of the program's"
        assert program.say(f"load plain {where} Plain") == "loaded"
        assert program.say("call plain run").startswith("7,")
        number = numbers_of(model(client, *targets))
        locked, base = number["Plain.locked(int)"], number["PlainBase.<init>(int)"]
        assert (counted(client)[locked], counted(client)[base]) == (3, 3)
        # One class of them goes, and others of that name do not come.
        assert errors(instrument(client, False, "Plain")) == []
        assert program.say("call plain run").startswith("7,")
        assert program.say(f"load other {where} Plain") == "loaded"
        assert program.say("call other run").startswith("7,")
        assert (counted(client)[locked], counted(client)[base]) == (3, 9)
        # Again, now that they are there.
        reply = instrument(client, True)
        assert errors(reply) == [] and later_of(reply) == [], Xml.tostring(reply)
        for who in ("plain", "other"):
            assert program.say(f"call {who} run").startswith("7,")
        assert len(program.say("call two run").split()) == 2
        assert program.say("call two name") == "guest"
        found = counted(client)
        assert (found[1000], found[locked], found[base]) == (3, 9, 15), found
        assert errors(instrument(client, False)) == []
        assert program.say(f"load late {where} Guest") == "loaded"
        for who in ("late name", "two name", "unlinked name", "plain run", "other run"):
            assert "Error" not in program.say(f"call {who}")
        assert counted(client) == found


@test(timeout=120)
def patches_go_out_of_classes_that_are_not_linked_yet(t):
    with Instrumented(t) as program:
        client = program.client
        where = guests(t, "guests")
        assert errors(model(client, ("Guest", "name", counts("ENTER", 1000)))) == ["NO_CLASS"]
        assert later_of(instrument(client, True)) == ["Guest"]
        assert program.say(f"load one {where} Guest unlinked") == "loaded"
        assert program.say(f"load two {where} Guest unlinked") == "loaded"
        assert program.say("call one name") == "guest" and counted(client)[1000] == 1
        assert errors(instrument(client, False)) == []
        for who in ("one", "two"):
            assert program.say(f"call {who} name") == "guest"
        assert counted(client)[1000] == 1


@test(timeout=120)
def a_class_that_the_vm_refuses_stays_as_it_was(t):
    broken = f"-javaagent:{agent_jar(t, 'BreakingAgent', t.classes())}"
    with Instrumented(t, flags=[broken]) as program:
        client = program.client
        assert program.say(f"load brittle {guests(t, 'guests')} Brittle") == "loaded"
        before = program.code("brittle")
        assert errors(model(client, ("Brittle", "name", counts("ENTER", 1000)),
                            ("Instrumented", "twice", counts("ENTER", 1001)))) == []
        for classes in ((), ("Brittle", "Instrumented")):
            reply = instrument(client, True, *classes)
            assert errors(reply) == ["VERIFY"], Xml.tostring(reply)
            error = reply.find("ERROR")
            assert error.get("CLASS") == "Brittle" and "FAILS_VERIFICATION" in error.text, error.text
            assert program.code("brittle") == before
            assert program.say("call brittle name") == "77"
            calls_before = counted(client)[1001]
            program.run()
            assert counted(client)[1001] == calls_before + 5 and counted(client).get(1000, 0) == 0
            assert errors(instrument(client, False)) == []
        assert client.tell("PING").text == "PONG"


@test(timeout=240)
def a_transformer_that_hangs_holds_up_no_other_command(t):
    end_of_hanging = t.path("go")
    hanging = f"-javaagent:{agent_jar(t, 'HangingAgent', t.classes())}=Instrumented:{end_of_hanging}"
    with Instrumented(t, flags=[hanging]) as program, Dyper(program.address) as other:
        client = program.client
        reply = model(client, ("Instrumented", "twice", counts("ENTER", 1001)))
        assert errors(reply) == ["BUSY"] and "has stood still" in told(reply), told(reply)
        for _ in range(3):
            reply = instrument(client, True)
            assert errors(reply) == ["BUSY"] and "an earlier document" in told(reply), told(reply)
            assert other.tell("PING").text == client.tell("PING").text == "PONG"
            assert other.tell("SHOWSTACK").find("THREADS") is not None
        with open(end_of_hanging, "w"):
            pass
        end = time.monotonic() + 60
        while errors(reply := instrument(client, True)) == ["BUSY"]:
            assert time.monotonic() < end, told(reply)
            time.sleep(0.1)
        # What hung has gone on: the model has it.
        assert errors(reply) == [], told(reply)
        before = counted(client)[1001]
        program.run()
        assert counted(client)[1001] == before + 5
        assert errors(instrument(client, False)) == []


# From JDK 26 on the VM itself waits a minute at its end for a callback that has not come back, whoever asked.
@test(max_jdk=25)
def a_program_ends_while_a_transformer_hangs(t):
    hanging = f"-javaagent:{agent_jar(t, 'HangingAgent', t.classes())}=Instrumented:{t.path('never')}"
    with Instrumented(t, flags=[hanging]) as program:
        reply = model(program.client, ("Instrumented", "twice", counts("ENTER", 1001)))
        assert errors(reply) == ["BUSY"], told(reply)


@test(timeout=120)
def counters_that_were_given_back_go_on_from_what_they_had(t):
    enter = "<PATCH WHAT='ENTER' MODE='COUNT_METHOD' />"
    with Instrumented(t) as program:
        client = program.client
        reply = model(client, ("Instrumented", "*", enter))
        number = next(int(one.get("INDEX")) for one in
                      reply.find("COUNTERS/COUNTERDATA").findall("METHOD")
                      if one.get("NAME") == "Instrumented.twice")
        for calls in (5, 10, 15):
            assert errors(instrument(client, True)) == []
            program.run()
            found = counted(client)
            assert found[number] == calls, found
            assert errors(instrument(client, False)) == []
            time.sleep(6)  # longer than counters rest
            assert counted(client) == found


@test(timeout=120, every_days=4)
def patches_over_the_budget_are_taken_out_and_reports_say_so(t):
    with Watched(t, agent=FREE + ",budget=1") as program, program.client() as client:
        before = code_in_model(t, client, "Watched")
        client.tell("MODEL", MODEL.format(""), root="DYPATCH")
        for _ in range(2):  # who asks again gets them again
            assert errors(instrument(client, True)) == []
            end = time.monotonic() + 30
            while (gone := client.report().find("COUNTERS/RTBUDGET/REMOVED")) is None:
                assert time.monotonic() < end, "they stay"
                time.sleep(0.1)
            assert (gone.get("MODEL"), gone.get("CLASS"), gone.get("REASON")) == (
                "M1", "Watched", "budget")
            found = counted_at_rest(client)
            assert max(found.values()) > 0 and counted(client) == found
            budget = client.report().find("COUNTERS/RTBUDGET")
            assert float(budget.get("LIMIT")) == 1 and float(budget.get("USED")) > 0
            assert code_in_model(t, client, "Watched") == before
        assert errors(instrument(client, False)) == []


def timed(client):
    return {int(item.get("COUNTER")): float(item.get("TIME"))
            for item in client.report().findall("COUNTERS/RTITEM") if item.get("TIME")}


@test()
def calls_are_timed_from_enter_to_exit(t):
    patches = "<PATCH WHAT='ENTER' MODE='TIME_ENTER' /><PATCH WHAT='EXIT' MODE='TIME_EXIT' />"
    with Watched(t) as program, program.client() as client:
        method = numbers_of(model(client, ("Watched", "busy", patches)))["Watched.busy(int)"]
        assert errors(instrument(client, True)) == []

        def figures():
            report = client.report()
            item = report.find(f"COUNTERS/RTITEM[@COUNTER='{method}']")
            return int(report.get("NANO")) / 1e6, int(item.get("COUNT")), float(item.get("TIME"))

        first = figures()
        time.sleep(2)
        passed, calls_more, took = (b - a for a, b in zip(first, figures()))
        # The thread does little else; what is not ended yet is not in it.
        assert calls_more > 0 and 0.3 * passed < took < 1.1 * passed + 50, (passed, calls_more, took)
        assert errors(instrument(client, False)) == []
    with Instrumented(t) as program:
        client = program.client
        number = numbers_of(model(client, ("Instrumented", "fails", patches),
                                  ("Instrumented", "twice", patches)))
        fails, twice = number["Instrumented.fails()"], number["Instrumented.twice(int)"]
        assert errors(instrument(client, True)) == []
        program.run()
        assert (counted(client)[fails], counted(client)[twice]) == (1, 5)
        # An exception is no EXIT.
        assert timed(client)[fails] == 0 < timed(client)[twice]


@test()
def counters_begin_anew_when_they_are_cleared(t):
    enter = "<PATCH WHAT='ENTER' MODE='COUNT_METHOD' />"
    with Instrumented(t) as program:
        client = program.client
        twice = numbers_of(model(client, ("Instrumented", "twice", enter)))["Instrumented.twice(int)"]
        assert errors(instrument(client, True)) == []
        program.run()
        client.tell("CLEAR", "<CLEAR AGENT='THREADS' />")
        assert counted(client)[twice] == 5
        client.tell("CLEAR", "<CLEAR AGENT='CPU' />")
        assert counted(client)[twice] == 0
        program.run()
        assert counted(client)[twice] == 5
        assert errors(instrument(client, False)) == []
        client.tell("CLEAR")
        assert counted(client)[twice] == 0
        assert errors(instrument(client, True)) == []
        program.run()
        assert counted(client)[twice] == 5


@test(flags=((), ("-Xcheck:jni",)))
def threads_that_are_not_used_do_not_count(t):
    enter = "<PATCH WHAT='ENTER' MODE='COUNT_METHOD' />"
    with Instrumented(t) as program:
        client = program.client
        main = next(one.get("ID") for one in client.stacks() if one.get("NAME") == "main")
        twice = numbers_of(model(client, ("Instrumented", "twice", enter)))["Instrumented.twice(int)"]
        # Said before anything is patched, it holds, too.
        client.tell("USETHREAD", f"<THREADS><THREAD ID='{main}' IGNORE='true' /></THREADS>")
        assert errors(instrument(client, True)) == []

        def hits():
            """Of main, and of a new thread."""
            client.tell("CLEAR")
            program.run()
            of_main = counted(client)[twice]
            program.say("thread 1000")
            return of_main, counted(client)[twice] - of_main

        assert hits() == (0, 1000)
        client.tell("USETHREAD", f"<THREADS><THREAD ID='{main}' IGNORE='false' USE='true' /></THREADS>")
        assert hits() == (5, 1000)
        client.set(THREAD_DEFAULT="false")
        assert hits() == (5, 0)
        client.tell("USETHREAD", f"<THREADS><THREAD ID='{main}' IGNORE='true' USE='true' /></THREADS>")
        assert hits() == (0, 0)
        client.set(THREAD_DEFAULT="true")
        assert hits() == (0, 1000)
        client.tell("USETHREAD", f"<THREADS><THREAD ID='{main}' /></THREADS>")
        assert hits() == (5, 1000)
