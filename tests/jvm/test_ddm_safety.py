"""Who gets in, and what a crowd of broken servers leaves behind in a live JVM."""
import encodings.idna  # noqa: F401  (not to be found any more as another user)
import os
import signal
import socket
import struct
import threading
import time

from broken_servers import crowd, descriptors, memory, place
from ddm_client import HANDSHAKE, Target, chunk, read_named
from harness import test
from hostile import packet

NOBODY = 65534

EXIT = HANDSHAKE + packet(chunk("EXIT", struct.pack(">i", 42)))


def as_nobody(work):
    """Runs work() in a process of another user; what it returned, as text."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            signal.alarm(100)
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
            os.write(write, repr(work()).encode())
        except BaseException as failure:
            os.write(write, f"failed: {failure!r}".encode())
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read) as answer:
        said = answer.read()
    os.waitpid(pid, 0)
    return said


def heard(address, greeting):
    """What a connection that says this is sent before it is closed; None: it stays open."""
    with socket.create_connection(address, 30) as link:
        link.settimeout(30)
        try:
            link.sendall(greeting)
            answer = b""
            while True:
                piece = link.recv(1 << 16)
                if not piece:
                    return answer
                answer += piece
        except ConnectionError:
            return b""
        except TimeoutError:
            return None


# A JVM of root is the one case where "uid 0, for the socket is closed" would let a stranger in.
@test()
def another_user_is_closed_unheard_even_with_exit_and_gone_at_once(t):
    if os.getuid() != 0:
        return  # nobody else can be played
    with Target(t) as p:
        def strange():
            answers = {heard(place(p), greeting) for greeting in (b"", HANDSHAKE, EXIT)}
            for round_ in range(200):
                with socket.create_connection(place(p), 30) as link:
                    if round_ % 2:  # a close that is a reset
                        link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                                        struct.pack("ii", 1, 0))
                    try:
                        link.sendall(EXIT)
                        if round_ % 4 == 0:
                            link.shutdown(socket.SHUT_WR)
                    except OSError:
                        pass  # closed before it was said
            return answers

        answers = as_nobody(strange)
        assert answers == "{b''}", answers
        with p.client() as ddm:  # the program lives, and its own user gets in
            assert ddm.hello().pid == p.pid
        p.stderr_line("refused")  # and once: nothing else is left there


@test()
def a_server_of_another_user_is_refused_with_one_line(t):
    if os.getuid() != 0:
        return
    told, tell = os.pipe()

    def serve():
        with socket.create_server(("127.0.0.1", 0)) as listener:
            os.write(tell, b"%d\n" % listener.getsockname()[1])
            heard_of = []
            for _ in range(2):
                link, _ = listener.accept()
                with link:
                    link.sendall(HANDSHAKE)
                    heard_of.append(link.recv(100))
            return heard_of

    answers = []
    server = threading.Thread(target=lambda: answers.append(as_nobody(serve)))
    server.start()
    port = os.read(told, 10).decode().strip()
    process = t.popen("DdmTarget", agent=f"server=n,address=127.0.0.1:{port}")
    with process:
        server.join(30)
        assert "HELO" not in answers[0] and "JDWP" not in answers[0], answers
        _, said = process.communicate("exit\n", timeout=30)
    lines = [line for line in said.splitlines() if "refused" in line]
    assert len(lines) == 1 and f"connection to 127.0.0.1:{port} refused" in lines[0], said
    assert "65534" in lines[0], said
    os.close(told)
    os.close(tell)


@test()
def another_user_is_refused_on_a_unix_socket_and_let_in_with_access_any(t):
    if os.getuid() != 0:
        return
    with Target(t, agent="access=any") as p:
        def shake_hands():
            with socket.create_connection(place(p), 30) as link:
                link.sendall(HANDSHAKE)
                return link.recv(100)

        said = as_nobody(shake_hands)
        assert said == repr(HANDSHAKE), said
    path = f"/tmp/ddm-test-{os.getpid()}-{t.jdk.major}"
    with Target(t, agent=f"address=unix:{path}") as p:
        def knock():
            with socket.socket(socket.AF_UNIX) as link:
                try:
                    link.connect(path)
                except PermissionError:
                    return "kept out"
                link.sendall(EXIT)
                return link.recv(100)

        assert as_nobody(knock) == "'kept out'"
        os.chmod(path, 0o666)  # somebody has opened it: the kernel still says who comes
        assert as_nobody(knock) in ("b''", "failed: ConnectionResetError(104, 'Connection reset "
                                    "by peer')", "failed: BrokenPipeError(32, 'Broken pipe')")
        with p.client() as ddm:
            assert ddm.hello().pid == p.pid
        p.stderr_line("refused")


@test()
def a_web_page_is_not_let_in_by_the_browser(t):
    body = EXIT.decode("latin-1")
    requests = [f"GET / HTTP/1.1\r\nHost: x\r\n\r\n{body}", f"POST / HTTP/1.1\r\n\r\n{body}", body[1:],
                "jdwp-handshake" + body[14:], "\x16\x03\x01\x02\x00\x01\x00"]
    with Target(t) as p:
        for request in requests:
            assert heard(place(p), request.encode("latin-1")) == b"", request
        with p.client() as ddm:
            assert ddm.hello().pid == p.pid


@test()
def nothing_is_said_before_the_handshake_is_answered(t):
    with Target(t) as p, p.client() as ddm, socket.create_connection(place(p)) as early, \
            socket.create_connection(place(p)) as half:
        half.sendall(HANDSHAKE[:13])
        # What others ask for, and what happens, is not for those who have not shaken hands.
        ddm.enable_threads()
        ddm.heap_info(3)
        ddm.request("THST", struct.pack(">I", 20))
        p.tell("churn 20")
        p.tell("gc")
        ddm.next_event("HPIF")
        for link in (early, half):
            link.setblocking(False)
            try:
                raise AssertionError(link.recv(100))
            except BlockingIOError:
                link.setblocking(True)
        # The rest of the handshake, and requests right behind it, with ids of any kind.
        ids = (0x40000000, 0, 0xffffffff, 0x80000001, 0x40000000)
        asked = b"".join(packet(chunk("REAQ"), number) for number in ids)
        for link, greeting in ((half, HANDSHAKE[13:]), (early, HANDSHAKE)):
            link.settimeout(60)
            link.sendall(greeting + asked)
            wanted = HANDSHAKE + b"".join(
                struct.pack(">IIBH", 20, number, 0x80, 0) + chunk("REAQ", b"\0") for number in ids)
            got = b""
            while len(got) < len(wanted):
                got += link.recv(len(wanted) - len(got))
            assert got == wanted, got


@test(timeout=300)
def a_thousand_broken_servers_fifty_at_once_leave_nothing_behind(t):
    # The program's own heap is fixed and touched: what grows is the agent's.
    flags = ["-Xms64m", "-Xmx64m", "-XX:+AlwaysPreTouch", "-XX:+UseSerialGC"]
    with Target(t, agent="log=error", flags=flags) as p, p.client(timeout=120) as ddm:
        p.tell("many 30")
        times = []
        stop = threading.Event()

        def ask_on():
            while not stop.is_set():
                begin = time.monotonic()
                assert ddm.hello().pid == p.pid
                assert len(ddm.thread_table()) > 30
                times.append(time.monotonic() - begin)

        def settled():
            # Those that have gone are noticed soon, not at once.
            lowest = descriptors(p.pid)
            deadline = time.monotonic() + 20
            while time.monotonic() < deadline and lowest > before + 3:
                time.sleep(0.05)
                lowest = min(lowest, descriptors(p.pid))
            return lowest

        before = descriptors(p.pid) + 1  # the clock for periodic events comes with the first one
        crowd(p, 50)
        crowd(p, 50)
        before = settled()
        warm = memory(p.pid)
        asking = threading.Thread(target=ask_on)
        asking.start()
        try:
            crowds, end = 0, time.monotonic() + 60
            while crowds < 20 or (len(times) <= 10 and time.monotonic() < end):
                crowd(p, 50)
                crowds += 1
        finally:
            stop.set()
            asking.join()
        left, grown = settled() - before, memory(p.pid) - warm
        times.sort()
        print(f"  JDK {t.jdk.major}: {len(times)} rounds of another server meanwhile, median "
              f"{1000 * times[len(times) // 2]:.0f} ms, p99 "
              f"{1000 * times[int(len(times) * 0.99)]:.0f} ms; RSS {grown:+d} MiB, "
              f"descriptors {left:+d}", flush=True)
        # A leak would be hundreds; somebody else (an adb bridge) may look in meanwhile.
        assert left <= 3, f"{left} descriptors are left"
        assert grown <= 12, f"{grown} MiB more"
        assert len(times) > 10
        ddm.enable_threads()
        assert any(read_named(data)[1] == "main" for kind, data in ddm.take_events()
                   if kind == "THCR")
