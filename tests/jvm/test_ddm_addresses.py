"""Every form of address= on a live JVM, connecting out, and ZLIB as the options have it."""
import os
import re
import socket
import stat
import time

from ddm_client import Client, Target, chunk, packed, text
from harness import test
from tool import REFUSED, USAGE, ddm, shown_on_terminal


def listeners(pid):
    """[address] of the TCP sockets on which the process listens."""
    inodes = set()
    for fd in os.listdir(f"/proc/{pid}/fd"):
        try:
            found = re.match(r"socket:\[(\d+)\]", os.readlink(f"/proc/{pid}/fd/{fd}"))
        except FileNotFoundError:
            continue
        if found:
            inodes.add(found.group(1))
    result = []
    for family, name in ((socket.AF_INET, "tcp"), (socket.AF_INET6, "tcp6")):
        with open(f"/proc/{pid}/net/{name}") as table:
            next(table)
            for line in table:
                words = line.split()
                if words[3] == "0A" and words[9] in inodes:
                    raw = bytes.fromhex(words[1].partition(":")[0])
                    host = b"".join(raw[i:i + 4][::-1] for i in range(0, len(raw), 4))
                    result.append(socket.inet_ntop(family, host))
    return result


def assert_listens(p, wanted):
    """By outcome: /proc lists a socket whose owner it may name a moment later, and the other way
    round."""
    deadline = time.monotonic() + 20
    while listeners(p.pid) != wanted:
        assert time.monotonic() < deadline, (listeners(p.pid), wanted)
        time.sleep(0.05)


def works(p):
    with p.client() as ddm:
        assert ddm.hello().pid == p.pid


@test()
def nothing_listens_beyond_the_loopback_unless_asked_to(t):
    unix = t.path("s")
    for options, wanted in (("", ["127.0.0.1"]), ("address=0", ["127.0.0.1"]),
                            ("address=localhost:0", ["127.0.0.1"]), (f"address=unix:{unix}", []),
                            ("address=0.0.0.0:0", ["0.0.0.0"])):
        with Target(t, agent=options) as p:
            assert_listens(p, wanted)
            if wanted == ["0.0.0.0"]:
                lines = p.process.said_before
                assert len(lines) == 1 and "access=any" in lines[0], lines
                p.address = p.address.replace("0.0.0.0", "127.0.0.1")
            works(p)
    t.java("DdmTarget", agent="address=none", stdin="")


@test()
def opening_a_program_to_everybody_is_said_in_one_line(t):
    with Target(t, agent="address=*:0,access=any") as p:
        lines = p.process.said_before
        assert len(lines) == 1 and "anybody" in lines[0], lines
        p.address = p.address.replace("0.0.0.0", "127.0.0.1")
        works(p)


@test()
def a_unix_socket_is_its_owners_alone_and_goes_with_the_program(t):
    path = t.path("socket")
    with Target(t, agent=f"address=unix:{path}") as p:
        assert p.address == f"unix:{path}"
        assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
        works(p)
        p.tell("marks 1")
    assert not os.path.exists(path)
    with Target(t, agent="address=unix:relative") as p:
        assert p.address == "unix:" + t.path("relative")
        works(p)


@test()
def scan_takes_the_first_free_port_from_8000_on(t):
    with Target(t, agent="address=scan") as one, Target(t, agent="address=scan") as two:
        ports = [int(p.address.rpartition(":")[2]) for p in (one, two)]
        assert all(8000 <= port <= 8040 for port in ports) and ports[0] != ports[1], ports
        works(one)
        works(two)


@test()
def a_program_on_ipv6_is_served(t):
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        return  # this machine has no IPv6
    with Target(t, agent="address=[::1]:0") as p:
        assert_listens(p, ["::1"])
        works(p)


@test()
def a_port_that_is_taken_is_one_line_and_the_program_runs_on(t):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        place = "127.0.0.1:%d" % taken.getsockname()[1]
        run = t.java("DdmTarget", agent=f"address={place}", stdin="collections\n")
    assert run.out.startswith("ready\n") and place in run.err, run
    assert len(run.err.splitlines()) == 1, run


@test()
def a_program_connects_out_and_again_when_its_server_has_gone(t):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    # Nobody is there yet.
    process = t.popen("DdmTarget", agent=f"server=n,address=127.0.0.1:{port},log=error")
    try:
        assert process.stdout.readline() == "ready\n", "the program does not wait for a server"
        time.sleep(0.3)
        server = socket.socket()
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        server.bind(("127.0.0.1", port))
        server.listen()
        server.settimeout(60)
        with server:
            for _ in range(3):
                link, _ = server.accept()
                with Client(link) as ddm:
                    assert ddm.hello().pid == process.pid
                    ddm.enable_threads()
                    assert len(ddm.thread_table()) > 3
        out, err = process.communicate(timeout=60)
        assert process.returncode == 0 and not err, err
    finally:
        process.kill()
        process.wait()


@test()
def a_program_that_waits_connects_out_to_its_server(t):
    path = t.path("server")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(path)
        server.listen()
        server.settimeout(60)
        process = t.popen("DdmTarget", agent=f"server=n,suspend=y,address=unix:{path}")
        try:
            link, _ = server.accept()
            with Client(link) as ddm:
                assert not ddm.tracking()
                assert ddm.hello().app == "DdmTarget"
                assert ddm.take_events() == [("WAIT", b"\0")]
                assert process.stdout.readline() == "ready\n"
                process.communicate(timeout=60)
                assert process.returncode == 0
        finally:
            process.kill()
            process.wait()


def kind_on_the_wire(ddm, payload):
    error, raw = ddm.wait_reply(ddm.send_raw(payload))
    assert error == 0
    return raw[:4]


@test()
def compress_decides_what_is_sent_and_never_what_is_understood(t):
    asked = {}
    for options in ("compress=always", "compress=never", "compress=auto"):
        with Target(t, agent=options) as p, p.client() as ddm, p.client() as other:
            p.tell("many 40")
            big = chunk("THST")
            asked[options] = [kind_on_the_wire(ddm, big), kind_on_the_wire(ddm, packed("THST")),
                              kind_on_the_wire(ddm, big), kind_on_the_wire(other, big)]
            assert kind_on_the_wire(ddm, packed("REAQ")) == b"REAQ", "nothing to be gained"
            assert len(other.thread_table()) > 40 and ddm.hello().pid == p.pid
    assert asked == {"compress=always": [b"ZLIB"] * 4, "compress=never": [b"THST"] * 4,
                     "compress=auto": [b"THST", b"ZLIB", b"ZLIB", b"THST"]}, asked


@test()
def big_answers_and_events_arrive_compressed_as_well(t):
    with Target(t, agent="compress=always") as p, p.client() as ddm:
        p.tell("many 40")
        ddm.request("THST", b"\0\0\0\x32")
        assert len(ddm.next_event("THST")[1]) > 40 * 6
        assert ddm.request("HPDS").startswith(b"JAVA PROFILE")
        dump = t.path("x.hprof")
        assert ddm.exchange(packed("HPDU", text(dump))) == [("HPDU", b"\0")]
        assert os.path.getsize(dump) > 10000


@test()
def who_names_no_program_means_the_only_one_and_is_told_of_several(t):
    with Target(t, "dump=none,log=error") as one, Target(t, "dump=none,log=error"):
        for words in (["info"], ["track"], ["track", "on"], ["stack"], ["paths", "Nothing"],
                      ["probe", "--count", "Nothing.at"], ["send", "HELO"], ["dyper", "<DYPER COMMAND='WHO' />"]):
            told = ddm(t, *words, code=REFUSED)
            assert "there are several JVMs: " in told and "; say which" in told, (words, told)
        # What can only be a program is one, and so is a name of one; what has to follow is missing.
        for words, missing in ((["paths", one.pid], "CLASS"), (["probe", one.address], "METHOD"),
                               (["paths", "DdmTarget"], "CLASS is required"), (["probe", "DdmTar"], "METHOD is required"),
                               (["send", "DdmTarget"], "CHUNK is required"), (["dyper", "DdmTarget"], "XML is required"),
                               (["send", one.pid], "CHUNK"), (["attach"], "PID"),
                               (["paths", ""], "PID: it is empty"), (["track", ""], "PID: it is empty")):
            assert missing in ddm(t, *words, code=USAGE), words
        assert ddm(t, "track", one.pid) == "tracking is off\n"


@test()
def a_program_is_meant_by_a_part_of_its_name(t):
    name = f"shop.Unmistakable{t.jdk.major}x"  # of no program that another JDK runs meanwhile
    with Target(t, f"name={name},dump=none,log=error") as one, \
            Target(t, f"name={name}Too,dump=none,log=error", flags=["-XX:+EnableDynamicAgentLoading"]) as other:
        # A whole name is that program's, though another one's begins likewise.
        assert f"pid       {one.pid}\n" in ddm(t, "info", name)
        assert f"{name}Too" in ddm(t, "info", f"{name[-5:]}Too")
        several = ddm(t, "info", name[6:], code=REFUSED)
        assert f"'{name[6:]}' may be " in several, several
        assert f"{one.pid} ({name})" in several, several
        assert f"{other.pid} ({name}Too)" in several, several
        assert several == ddm(t, "attach", name[6:], code=REFUSED)
        loaded = ddm(t, "attach", f"{name}Too", "track=y")
        assert loaded.startswith(f"pid {other.pid} listens on ") and "tracking is on" in loaded, loaded
        for verb in ("info", "attach"):
            none = ddm(t, verb, "Nowhere", code=REFUSED)
            assert "part of no program's name" in none, none
        lines, _ = shown_on_terminal(t, "info", "Nowhere", code=REFUSED)
        assert len(lines) > 2 and max(map(len, lines)) <= 80, lines
        # A file that is no program either is told as what it is.
        for name in ("r.pb.gz", "vm.html"):
            with open(t.path(name), "wb"):
                told = ddm(t, "allocs", name, code=REFUSED)
            assert f"{name} is a file of a format that is not read; .jsonl and .sites.jsonl reports are" in told, told
        for verb in ("allocs", "live", "locks"):
            assert "nosuch.jsonl: there is no such file" in ddm(t, verb, "nosuch.jsonl", code=REFUSED)
        assert "-o x.html makes a page of two pages" in ddm(t, "allocs", "--diff", "vm.html", "vm.html", code=REFUSED)
