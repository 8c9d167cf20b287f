"""A DYPER client: documents out, replies and messages in, as the agent's socket carries them."""
import queue
import socket
import threading
import time
import xml.etree.ElementTree as Xml
from xml.sax.saxutils import quoteattr

MESSAGE_END, REPLY_END = "ENDDYPERMSG", "ENDDYPERREPLY"


def connect(address):
    if address.startswith("unix:"):
        sock = socket.socket(socket.AF_UNIX)
        sock.connect(address[len("unix:"):])
        return sock
    host, _, port = address.rpartition(":")
    return socket.create_connection((host.strip("[]"), int(port)), 30)


def document(command, inner="", pid="", root="DYPER"):
    who = f" PID={quoteattr(str(pid))}" if pid else ""
    return f"<{root}{who} COMMAND='{command}'>{inner}</{root}>"


def variables(**values):
    inner = "".join(f"<VAR NAME='{name}' VALUE={quoteattr(str(value))} />"
                    for name, value in values.items())
    return f"<SETTINGS>{inner}</SETTINGS>"


class Dyper:
    """`where`: an address, or the socket by which an agent has connected to us."""

    def __init__(self, where, timeout=30):
        self.socket = where if isinstance(where, socket.socket) else connect(where)
        self.timeout = timeout
        self.socket.settimeout(None)
        self.replies, self.messages = queue.Queue(), queue.Queue()
        threading.Thread(target=self._receive, daemon=True).start()
        self.connect_line = self.next_message()
        self.start = Xml.fromstring(self.next_message())
        assert self.start.tag == "DYPER" and self.start.get("START"), "no START first"
        self.id = self.start.get("START")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.socket.close()

    def _receive(self):
        lines = []
        try:
            with self.socket.makefile("r", encoding="utf-8", newline="\n") as stream:
                for line in stream:
                    end = line.rstrip("\n")
                    if end not in (MESSAGE_END, REPLY_END):
                        lines.append(line)
                        continue
                    whole = "".join(lines).strip("\n")
                    lines = []
                    (self.replies if end == REPLY_END else self.messages).put(whole)
        except (OSError, ValueError):
            pass
        assert not lines, f"half a document at the end: {lines}"
        for one in (self.replies, self.messages):
            one.put(None)

    def send(self, text):
        self.socket.sendall((text + f"\n{MESSAGE_END}\n").encode())

    def next_reply(self):
        return self.replies.get(timeout=self.timeout)

    def next_message(self, timeout=None):
        return self.messages.get(timeout=timeout or self.timeout)

    def ask_text(self, text):
        self.send(text)
        reply = self.next_reply()
        assert reply is not None, "the connection ended instead of a reply"
        return reply

    def ask(self, command, inner="", root="DYPER"):
        """The reply's element. What it says of errors is the caller's to look at."""
        reply = Xml.fromstring(self.ask_text(document(command, inner, self.id, root)))
        assert reply.tag == root + "_REPLY" and reply.get("ID") == self.id, Xml.tostring(reply)
        return reply

    def tell(self, command, inner="", root="DYPER"):
        reply = self.ask(command, inner, root)
        assert reply.find("ERROR") is None, Xml.tostring(reply)
        return reply

    def set(self, **values):
        return self.tell("SET", variables(**values))

    def get(self, name):
        reply = self.tell("GET", f"<VAR NAME='{name}' />")
        return reply.text or ""

    def report(self):
        return self.tell("REPORT", "<REPORT TYPE='ALL' />").find("MONITOR")

    def stacks(self):
        return self.tell("SHOWSTACK").find("THREADS")

    def take_messages(self, seconds):
        """All that come within so many seconds."""
        found, end = [], time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            try:
                found.append(Xml.fromstring(self.messages.get(timeout=left)))
            except queue.Empty:
                break
        return found


def errors(reply):
    return [error.get("CODE") for error in reply.findall("ERROR")]


def told(reply):
    return Xml.tostring(reply, encoding="unicode")
