"""DDM servers that are broken rather than hostile, in crowds, and what they leave in the program."""
import os
import socket
import struct

from ddm_client import HANDSHAKE, chunk
from hostile import packet
from process_stat import status_kb

# One broken server each; 2 GB lengths, half packets, noise, no packet at all, and no reading.
GREETINGS = (
    b"", HANDSHAKE[:7], HANDSHAKE, b"GET / HTTP/1.1\r\n\r\n",
    HANDSHAKE + struct.pack(">IIBBB", 0x7fffffff, 1, 0, 0xC7, 1) + b"x" * 1000,
    HANDSHAKE + struct.pack(">IIBBB", 0xffffffff, 1, 0, 0xC7, 1),
    HANDSHAKE + struct.pack(">IIBBB", 3, 1, 0, 0xC7, 1),
    HANDSHAKE + struct.pack(">IIBBB", 16 << 20, 1, 0, 0xC7, 1) + b"half" * 1000,
    HANDSHAKE + packet(chunk("HELO") + b"\0\0"), HANDSHAKE + packet(b"HPIF\x7f\xff\xff\xff"),
    HANDSHAKE + packet(b"STKL\0\0\0\4\0\0\0\1") * 50,
    HANDSHAKE + packet(b"THEN\0\0\0\1\1") + packet(b"THST\0\0\0\4\0\0\0\x0a") +
    packet(b"HPIF\0\0\0\1\3") + packet(b"THST\0\0\0\0") * 100,
    HANDSHAKE + packet(b"ZLIB" + struct.pack(">I4sI", 20, b"HELO", 0x7fffffff) + b"\x78\x9c" * 6),
    HANDSHAKE + bytes(range(256)) * 4,
)


def place(p):
    host, _, port = p.address.rpartition(":")
    return host, int(port)


def crowd(p, count):
    """So many broken servers at once; none reads, and they leave in different ways."""
    links = []
    for number in range(count):
        link = socket.create_connection(place(p), 60)
        links.append(link)
        link.settimeout(60)
        try:
            link.sendall(GREETINGS[number % len(GREETINGS)])
        except ConnectionError:
            pass
    for number, link in enumerate(links):
        if number % 3 == 0:
            link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        link.close()


def memory(pid):
    return status_kb(pid, "VmRSS") >> 10  # MiB


def descriptors(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))
