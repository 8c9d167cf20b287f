"""The original's document flow, replayed from a recording: each answer has the shape of the original's.

An element fits a recorded one if it has its tag and its attributes, and values of the same kind: a
number, a boolean, words. Each child fits one of the recorded children, and each of those is fitted by
some child. What the agent says more in attributes, and in elements of its own, is its own affair.
"""
import os
import re
import time
import xml.etree.ElementTree as Xml

from harness import HERE, test
from watched import FREE, Watched

RECORDING = os.path.join(HERE, "documents", "dyvise_flow.txt")
# Comes once in a run, or now and then.
OPTIONAL = {"THREADDATA", "LOCKON"}
# The agent's own.
OURS = {"RTBUDGET"}
# Must be as recorded.
EXACT = {"CODE", "ORIGINAL", "TYPE", "NAME", "ID", "CANREDEFINE"}
# Exact only where a client looks for it.
ANY_NAME = {"THREAD", "CLASS", "ITEM", "USAGE", "GC", "LOCKON", "USER", "USE", "SOURCE"}


def read_recording(names):
    """(direction, document, how it ends), in order."""
    documents, lines = [], []
    with open(RECORDING) as f:
        for line in f:
            if line.startswith("#"):
                continue
            way, text = line[0], line[2:].rstrip("\n")
            if text in ("ENDDYPERMSG", "ENDDYPERREPLY"):
                whole = "\n".join(lines)
                for recorded, real in names.items():
                    whole = whole.replace(recorded, real)
                documents.append((way, whole, text))
                lines = []
            else:
                lines.append(text)
    assert not lines
    return documents


def kind_fits(value, recorded):
    value, recorded = (value or "").strip(), (recorded or "").strip()
    if re.fullmatch(r"-?\d+", recorded):
        return re.fullmatch(r"-?\d+", value)
    if re.fullmatch(r"-?\d+\.\d+", recorded):
        return re.fullmatch(r"-?\d+(\.\d+)?([eE][-+]?\d+)?", value)
    if recorded.lower() in ("true", "false"):
        return value.lower() in ("true", "false")
    return bool(value) == bool(recorded) or len(recorded) > 4  # a FILE may be unknown


def misfit(element, recorded):
    """None: it fits; or where it does not."""
    if element.tag != recorded.tag:
        return f"<{element.tag}> for <{recorded.tag}>"
    for name, value in recorded.attrib.items():
        got = element.get(name)
        if got is None:
            return f"<{element.tag}> has no {name}"
        exact = name in EXACT and not (name in ("NAME", "ID", "TYPE") and element.tag in ANY_NAME)
        if (exact and got != value) or not kind_fits(got, value):
            return f"<{element.tag} {name}='{got}'> for '{value}'"
    if len(recorded) == 0 and recorded.text in ("PONG", "OK"):
        if not (element.text or "").startswith(recorded.text):
            return f"'{element.text}' for {recorded.text}"
    elif len(recorded) == 0 and not kind_fits(element.text, recorded.text):
        return f"<{element.tag}> has '{element.text}' for '{recorded.text}'"
    for child in element:
        if child.tag in OURS:
            continue
        fits = [misfit(child, one) for one in recorded]
        if None not in fits:
            # Of those with its tag the most telling one.
            of_tag = [words for one, words in zip(recorded, fits) if one.tag == child.tag]
            return of_tag[0] if of_tag else f"<{child.tag}> in <{element.tag}>"
    for one in recorded:
        if one.tag not in OPTIONAL and all(misfit(child, one) for child in element):
            return f"<{element.tag}> has no <{one.tag} {one.attrib}>"
    return None


def answered(client, document, recorded):
    """Asked again, where the answer tells what monitoring has found meanwhile."""
    end = time.monotonic() + (60 if "'REPORT'" in document else 0)
    while True:
        reply = client.ask_text(document)
        wrong = misfit(Xml.fromstring(reply), Xml.fromstring(recorded))
        if wrong is None:
            return
        assert time.monotonic() < end, (document, wrong, reply[:2000])
        time.sleep(0.3)


def message_came(client, recorded):
    wanted = Xml.fromstring(recorded)
    end, wrong = time.monotonic() + 60, "nothing came"
    while time.monotonic() < end:
        message = client.next_message()
        assert message is not None, (recorded, wrong)
        found = Xml.fromstring(message)
        if set(wanted.attrib) <= set(found.attrib):
            wrong = misfit(found, wanted)
            if wrong is None:
                return
    assert False, (recorded, wrong)


@test(timeout=240)
def the_originals_documents_get_answers_in_their_shapes(t):
    with Watched(t, agent=FREE + ",track=y,dump=none,budget=50", flags=["-Xmx256m"],
                 arguments=["--port"]) as program, program.client() as client:
        documents = read_recording({
            "4711@box": client.id, "shop.Work": "Watched", "/srv/patches": t.dir,
            "ID='33' IGNORE": f"ID='{program.waiter}' IGNORE"})
        assert documents[0][1] == client.connect_line
        assert misfit(client.start, Xml.fromstring(documents[1][1])) is None
        asked = 0
        for at, (way, document, ends) in enumerate(documents[2:-1], 2):
            if way == ">":
                after = documents[at + 1]
                assert after[0] == "<" and after[2] == "ENDDYPERREPLY", document
                answered(client, document, after[1])
                asked += 1
            elif ends == "ENDDYPERMSG":
                message_came(client, document)
        assert asked > 40 and client.replies.empty()
        for name in ("orig", "patched"):
            assert os.path.exists(t.path(f"Watched.{name}.class"))
        program.process.stdin.close()
        assert program.process.wait(20) == 0
        message_came(client, documents[-1][1])
