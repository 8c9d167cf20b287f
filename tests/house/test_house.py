#!/usr/bin/env python3
"""The house as docs/architecture.md has it: arrows between rooms, no jni.h in pure rooms, sizes of files.

tests/house/test_house.py: prints what is not so; the last line is "N passed, N failed".
"""
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.append(os.path.join(ROOT, "tests", "support"))

from turns import turn_of  # noqa: E402  (of the tests' harness)

MOST_LINES = {".cpp": 400, ".h": 150}
# Longer than that today; none may grow, and none may join them.
LONGER = {
    "agent/allocations/capture/thread_books.h": 179, "agent/allocations/store/live_store.h": 152,
    "agent/allocations/tracking.h": 155, "agent/report/report.h": 182,
    "agent/stack/walk/frame_walker.h": 201,
    "agent/time/call_recorder.h": 197,
    "agent/time/calls/open_calls.h": 239, "bci/patch/patch_plan.h": 179,
}


def listed_in(*folders):
    listed = subprocess.run(["git", "ls-files", *folders], cwd=ROOT, capture_output=True, text=True,
                            check=True).stdout.split()
    return [path for path in listed if path.endswith((".h", ".cpp"))]


def sources():
    return listed_in("agent", "bci")


def tool_sources():
    return listed_in("tools/ddm")


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as f:
        return f.read()


def room_of(path, rooms):
    folder = os.path.dirname(path)
    if folder == "agent":
        return "agent"
    if folder.startswith("bci"):
        return "bci"
    folder = folder[len("agent/"):]
    while folder and folder not in rooms and f"{os.path.dirname(folder)}/*" not in rooms:
        folder = os.path.dirname(folder)
    return folder


def table_of(text):
    """room -> (the rooms it may include, whether it is pure), from the table under "Rooms and arrows"."""
    part = text[text.index("## Rooms and arrows"):text.index("## A feature")]
    rows = [[cell.strip() for cell in row] for row in
            re.findall(r"^\| `([^`]+)` \|([^|]*)\|([^|]*)\|$", part, re.M)]
    rooms = [name for name, _, _ in rows]
    families = {"core", "vm", "stack", "wire", "report", "time", "probes", "heap", "native", "allocations"}

    def meant(words, own):
        if words == "every room":
            return set(rooms) | {"bci"}
        if words == "every room but other adapters":
            return set(rooms) - {"adapters/*", "agent"} | {"bci"}
        if words.startswith("the same, "):
            return meant(dict((n, w) for n, w, _ in rows)["allocations/capture"], own) | \
                meant("every room of wire", own) | set(words[len("the same, "):].split(", "))
        if words.startswith("every room of "):
            result = set()
            for family in words[len("every room of "):].split(", "):
                result |= {room for room in rooms if room == family or room.startswith(family + "/")} \
                    if family in families else {family}
            return result
        return set(filter(None, words.split(", ")))

    return {name: (meant(words, name), pure == "pure") for name, words, pure in rows}


def included_by(path, known):
    for name in re.findall(r'#include "([^"]+)"', read(path)):
        for there in (f"agent/{name}", name, os.path.join(os.path.dirname(path), name)):
            if there in known:
                yield there
                break


def arrows():
    table = table_of(read("docs/architecture.md"))
    known = set(sources())
    for path in sorted(known):
        own = room_of(path, table)
        if own == "bci":
            allowed = {"bci"}
        else:
            entry = table.get(own) or table.get(f"{os.path.dirname(own)}/*")
            if entry is None:
                yield f"{path}: its room {own!r} is not in the table"
                continue
            allowed = entry[0] | {own}
        for there in included_by(path, known):
            room = room_of(there, table)
            if room not in allowed and f"{os.path.dirname(room)}/*" not in allowed:
                yield f"{path} ({own}) includes {there} ({room})"


def pure_rooms():
    table = table_of(read("docs/architecture.md"))
    known = set(sources())
    reaches = {}

    def reaches_jni(path):
        if path not in reaches:
            reaches[path] = False
            reaches[path] = bool(re.search(r"#include <(jni|jvmti)\.h>", read(path))) or any(
                reaches_jni(there) for there in included_by(path, known))
        return reaches[path]

    for path in sorted(known):
        own = room_of(path, table)
        if own == "bci" or own in table and table[own][1]:
            if reaches_jni(path):
                yield f"{path} is in a pure room and includes jni.h"


def sizes():
    for path in sources():
        lines = read(path).count("\n")
        most = LONGER.get(path, MOST_LINES[os.path.splitext(path)[1]])
        if lines > most and "bci/tool/" not in path:
            yield f"{path} has {lines} lines, {most} are the most"


def documents():
    """Each option of help stands in docs/options.md."""
    rows = set()
    for path in subprocess.run(["git", "ls-files", "agent"], cwd=ROOT, capture_output=True, text=True,
                               check=True).stdout.split():
        if path.endswith("options.cpp") and "hprof" not in path:
            rows |= set(re.findall(r'^ +\{"([a-z_]+)", "', read(path), re.M))
    text = read("docs/options.md")
    for row in sorted(rows):
        if f"`{row}" not in text:
            yield f"docs/options.md does not tell of {row}="


def threads():
    """Each thread that is started stands in the table of threads, and no other."""
    text = read("docs/architecture.md")
    part = text[text.index("## Threads"):text.index("## An allocation")]
    told = set(re.findall(r"`(ddm(?:agent)?(?:-[a-z]+)?)`", "".join(re.findall(r"^\|[^|]*\|", part, re.M))))
    started = set()
    for path in sources():
        if path.startswith("agent/"):
            started |= set(re.findall(
                r'(?:start_native_thread|start_thread|thread_|reporter_|quick_|slow_|aside_|changes_|AgentThread>)\((?:[a-z_.]+, )?"(ddm[a-z-]*)"'
                r'|char name\[\] = "(ddm[a-z-]*)"', read(path)))
    started = {name for pair in started for name in pair if name}
    for name in sorted(started - told):
        yield f"docs/architecture.md does not tell of the thread {name}"
    for name in sorted(told - started):
        yield f"docs/architecture.md tells of a thread {name}, which nobody starts"
    known = set(re.findall(r'"(ddm[a-z-]*)"', read("tools/ddm/threads.cpp")))
    cut = {name for name in started if len(name) > 15}
    for name in sorted(cut - known):
        yield f"tools/ddm/threads.cpp does not know {name}, of which the system keeps 15 letters"


def tests_apart():
    """What tests and benchmarks share lies in tests/support; none imports a test."""
    for path in subprocess.run(["git", "ls-files", "tests", "bench"], cwd=ROOT, capture_output=True, text=True,
                               check=True).stdout.split():
        if path.endswith(".py"):
            for name in re.findall(r"^ *(?:from|import) (test_\w+)", read(path), re.M):
                yield f"{path} imports {name}; what they share belongs into tests/support"


def libraries():
    """Folder of agent/ -> the static library of its sources; what agent/CMakeLists.txt does not name is the agent's own."""
    result = {}
    for name, words in re.findall(r"^room\((\w+) DIRECTORIES ([a-z/\s]+)", read("agent/CMakeLists.txt"), re.M):
        for folder in words.split():
            result[f"agent/{folder}"] = name
    return result


def names_in_unnamed_namespaces(path):
    """(name, what tells it from an overload or from the same alias) of each definition there."""
    inside = False
    lines = read(path).split("\n")
    for number, line in enumerate(lines):
        if line in ("namespace {", "}  // namespace"):
            inside = line == "namespace {"
        if not inside or not re.match(r"[A-Za-z]", line):
            continue
        alias = re.match(r"using (\w+) = (.*);$", line)
        type_ = re.match(r"(?:struct|class|enum class|enum) (\w+)[^;]*$", line)
        function = re.match(r"[\w:<>,&* ]*?[\s*&](\w+)\(", line)
        variable = re.match(r"[\w:<>,&*\s()]*?[\s*&](\w+)(?:\[[^\]]*\])*\s*[={;]", line)
        if alias:
            yield alias[1], alias[2]
        elif type_:
            yield type_[1], f"a type of {path}"
        elif function and not line.startswith(("constexpr std::array", "const std::")):
            given = re.sub(r"\s+", " ", " ".join(lines[number:number + 5]))[function.end():]
            given = re.sub(r"\(.*?\)", "()", given).split(")")[0]
            kinds = [re.sub(r" ?\w+( = .*)?$", "", one.strip()) if " " in one.strip() else one.strip()
                     for one in re.sub(r"<[^<>]*>", "<>", given).split(",")]
            yield function[1], f"({', '.join(kinds)})"
        elif variable:
            yield variable[1], f"a variable of {path}"


def names_apart():
    """Sources of one library are compiled together by the batch, so what is unnamed needs names of its own.

    Which files share a batch changes with every file that is added: the compiler tells of a clash a day late.
    """
    library = libraries()
    found = {}
    for path in sources() + tool_sources() + listed_in("tests/unit"):
        folder = os.path.dirname(path)
        if path.endswith(".cpp") and not folder.startswith("bci/tool"):
            own = library.get(folder) or ("tools/ddm" if folder.startswith("tools/") else
                                          folder if folder.startswith("tests/") else folder.split("/")[0])
            for name, signature in names_in_unnamed_namespaces(path):
                found.setdefault((own, name), {}).setdefault(path, set()).add(signature)
    for (own, name), places in sorted(found.items()):
        for path, signatures in places.items():
            for other, theirs in places.items():
                apart = all(a.startswith("(") for a in signatures | theirs) and not signatures & theirs
                if path < other and not apart and signatures | theirs != signatures & theirs:
                    yield f"{name} is in {path} and in {other}, both of {own}"
                elif path < other and not apart and any(a.startswith("(") for a in signatures & theirs):
                    yield f"{name}{(signatures & theirs).pop()} is in {path} and in {other}, both of {own}"


def turns():
    """Every variant of a test has its turn in the quick set, and knows each time that it is another one."""
    for count in range(1, 21):
        for a_day in range(1, count + 3):
            for index in range(count):
                had = [number for mine, number in (turn_of(index, count, a_day, day) for day in range(7 * count)) if mine]
                if had != list(range(len(had))) or len(had) < 7:
                    yield f"the {index}th of {count}, {a_day} a day, has its turns as {had}"


def main():
    failed = 0
    checks = (arrows, pure_rooms, sizes, documents, threads, tests_apart, names_apart, turns)
    for check in checks:
        wrong = list(check())
        for sentence in wrong:
            print(f"{check.__name__}: {sentence}")
        failed += bool(wrong)
        print(f"{'FAIL' if wrong else 'ok  '} the house: {check.__name__.replace('_', ' ')} (0 s)")
    print(f"house: {len(checks) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
