"""Captures that Weir has written, read for tests.

    for port, is_sent, frame, ns in captured("out.pcapng"):
"""
import struct


def captured(path):
    """The packets of a pcapng file that Weir wrote: port, whether it was sent, bytes without check
    sequence, and time."""
    packets, names = [], []
    with open(path, "rb") as file:
        data = file.read()
    at = 0
    while at < len(data):
        kind, size = struct.unpack_from("<II", data, at)
        if kind == 1:
            names.append(option(data, at + 16, at + size, 2).decode())
        elif kind == 6:
            interface, high, low, n_bytes, n_all = struct.unpack_from("<IIIII", data, at + 8)
            flags, = struct.unpack("<I", option(data, at + 28 + (n_bytes + 3) // 4 * 4, at + size, 2))
            n_kept = min(n_bytes, n_all - (flags >> 5 & 15))
            packets.append((names[interface], flags & 3 == 2, data[at + 28:at + 28 + n_kept], high << 32 | low))
        at += size
    return packets


def option(data, at, end, wanted):
    while at < end:
        kind, size = struct.unpack_from("<HH", data, at)
        if kind == wanted:
            return data[at + 4:at + 4 + size]
        at += 4 + (size + 3) // 4 * 4
    return None


def is_control(frame):
    return frame[12:14] == b"\x88\x08"
