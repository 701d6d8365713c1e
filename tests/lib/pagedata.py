"""Reads the data of a page of `weir report`, independently of the program's code."""
import base64
import gzip
import json
import re
import struct

BLOCK_ROWS = 4096


def script_texts(page, name=r"\w+"):
    """The JSON texts of the page's data scripts of one class, or of all classes."""
    return [gzip.decompress(base64.b64decode(text, validate=True)).decode() for text in
            re.findall(rf'<script type="application/gzip" class="{name}">(.*?)</script>', page, re.S)]


def scripts(page, name):
    return [json.loads(text) for text in script_texts(page, name)]


def unpack(text, n_rows, n_columns=1):
    """The columns of a packed item, and the number of bytes that are left over."""
    data, at, columns = base64.b64decode(text), 0, [[] for _ in range(n_columns)]
    for first in range(0, n_rows, BLOCK_ROWS):
        n = min(BLOCK_ROWS, n_rows - first) - 1
        for column in columns:
            value, grain, width = struct.unpack_from("<QQB", data, at)
            planes = [data[at + 17 + k * n:at + 17 + (k + 1) * n] for k in range(width)]
            at += 17 + width * n
            column.append(value)
            for i in range(n):
                step = sum(plane[i] << 8 * k for k, plane in enumerate(planes))
                value += (-(step + 1 >> 1) if step & 1 else step >> 1) * grain
                column.append(value)
    return columns, len(data) - at


def cells(table, column):
    """The values of a column of a table of the page."""
    given = table[column]
    if isinstance(given, dict):
        return [given["texts"][i] for i in unpack(given["of"], table["n"])[0][0]]
    if isinstance(given, list):
        return given
    return [None if v == 0 else v - 1 for v in unpack(given, table["n"])[0][0]]
