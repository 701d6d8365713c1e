#!/usr/bin/env python3
"""Results files that Weir did not write, made from a valid one, as an attacker could send them.

usage: hostile.py HONEST FOLDER [SERIES]      one file for each kind; SERIES: the size of the decompression bomb

Each kind is a function of a file's path, and its name is the defect.  As a module: KINDS, make_all(), and
damage(), which changes a file at random.
"""
import os
import random
import shutil
import sqlite3
import struct
import subprocess
import sys

TABLES = ["run", "parameter", "engine_parameter", "node", "port", "flow", "workload", "counter", "event", "wait", "violation",
          "series", "block", "sweep", "summary", "summary_workload", "claim"]
ENDLESS = "WITH RECURSIVE c(x) AS (VALUES(1) UNION ALL SELECT x + 1 FROM c) SELECT "
JOURNAL_MARK = bytes.fromhex("d9d505f920a163d7")
N_SERIES, N_SETTINGS, HOLE_BYTES = 200000, 100000, 1 << 40


def open_file(path):
    db = sqlite3.connect(path, isolation_level=None)
    db.text_factory = bytes
    return db


def do(path, *statements):
    db = open_file(path)
    for sql in statements:
        db.execute(*(sql if isinstance(sql, tuple) else (sql,)))
    db.close()


def columns(db, table):
    return [row[1].decode() for row in db.execute(f"PRAGMA table_info({table})")]


def schema_edits(path, *edits):
    """Applies edits to sqlite_schema, each as (SQL, values)."""
    db = open_file(path)
    db.execute("PRAGMA writable_schema = 1")
    for sql, values in edits:
        db.execute(sql, values)
    db.execute("PRAGMA schema_version = 777")
    db.close()


def unchecked(path, table, *statements):
    """Runs statements on a table while the table has neither NOT NULL nor CHECK."""
    db = open_file(path)
    sql = db.execute("SELECT sql FROM sqlite_schema WHERE name = ?", (table,)).fetchone()[0].decode()
    db.close()
    loose = sql.replace("NOT NULL", "").replace("CHECK (status", "CHECK (1 OR status")
    schema_edits(path, ("UPDATE sqlite_schema SET sql = ? WHERE name = ?", (loose, table)))
    try:
        do(path, *statements)
    finally:
        schema_edits(path, ("UPDATE sqlite_schema SET sql = ? WHERE name = ?", (sql, table)))


# Defects of a file. Each is a function of the file's path.

def loop(path, _):
    """The last of many flows has the largest possible id, so the id after it would wrap around."""
    db = open_file(path)
    db.execute("BEGIN")
    db.execute("DELETE FROM flow WHERE id > 0")
    at = columns(db, "flow").index("id")
    db.text_factory = str
    row = list(db.execute("SELECT * FROM flow WHERE run = 1").fetchone())
    for row[at] in list(range(1, 9999)) + [2**63 - 1]:
        db.execute(f"INSERT INTO flow VALUES ({','.join('?' * len(row))})", row)
    db.execute("COMMIT")
    db.close()


def view(path, _):
    do(path, "DROP TABLE violation",
       f"CREATE VIEW violation AS {ENDLESS} 1 AS run, x AS id, 0 AS at_ps, 'x' AS what FROM c")


def runview(path, _):
    db = open_file(path)
    cells = ",".join(("-x" if name == "id" else "'a'") + f" AS {name}" for name in columns(db, "run"))
    db.execute("DROP TABLE run")
    db.execute(f"CREATE VIEW run AS {ENDLESS} {cells} FROM c")
    db.close()


def bomb(path, n_series):
    """A block of a few bytes claims to have 4096 rows of very many columns."""
    db = open_file(path)
    db.execute("BEGIN")
    db.execute("DELETE FROM block")
    db.execute("DELETE FROM series")
    db.executemany("INSERT INTO series VALUES (1, ?, 'q', 'b', 'p', 0, 0, NULL)", ((k,) for k in range(n_series)))
    plain = bytes(17 * (n_series + 1))
    small = subprocess.run(["zstd", "-q", "-c", "--no-check", "--stream-size", str(len(plain))], input=plain,
                           capture_output=True, check=True).stdout
    db.execute("INSERT INTO block VALUES (1, 0, 0, 0, 4096, ?)", (small,))
    db.execute("COMMIT")
    db.execute("VACUUM")
    db.close()


def infinite(path, _):
    do(path, "UPDATE run SET wall_s = 9e999")


def over(path, _):
    do(path, f"UPDATE flow SET start_ps = {-2**63}, finished_ps = {2**63 - 1}, ideal_ps = 1, bytes = 5")


def trigger(path, _):
    do(path, "CREATE TRIGGER t AFTER INSERT ON run BEGIN DELETE FROM run WHERE id < new.id; END")


def index(path, _):
    do(path, "CREATE INDEX extra ON flow (bytes)")


def table(path, _):
    do(path, "CREATE TABLE sqlight (x)")


def rude(path, _):
    """A name with control characters, which would reach the terminal and JSON."""
    do(path, 'CREATE TABLE "\x1b[2J\u202e" (x)')


def virtual(path, _):
    schema_edits(path, ("INSERT INTO sqlite_schema VALUES ('table', 'v', 'v', 0, 'CREATE VIRTUAL TABLE v USING x()')", ()))


def default(path, _):
    schema_edits(path, ("UPDATE sqlite_schema SET sql = replace(sql, 'path           TEXT', "
                        "'path TEXT DEFAULT (hex(randomblob(9)))') WHERE name = 'flow'", ()))


def comment(path, _):
    """Text between quotes that looks like a comment, but is none."""
    schema_edits(path, ("UPDATE sqlite_schema SET sql = replace(sql, '''running''', '''running--' || char(10) || '''') "
                        "WHERE name = 'run'", ()))


def missing(path, _):
    do(path, "DROP TABLE claim")


def words(path, _):
    do(path, "UPDATE flow SET bytes = 'many'")


def word_id(path, _):
    do(path, "UPDATE node SET id = 'first' WHERE id = 0")


def null(path, _):
    unchecked(path, "node", "UPDATE node SET name = NULL")


def no_status(path, _):
    unchecked(path, "summary", "UPDATE summary SET status = NULL")


def blob_name(path, _):
    do(path, "UPDATE node SET name = x'41'")


def negative(path, _):
    do(path, "UPDATE port SET rate_bps = -1")


def far(path, _):
    do(path, "UPDATE port SET node = 1 << 40")


def no_hash(path, _):
    do(path, "UPDATE run SET results_hash = 'f00'")


def text_block(path, _):
    do(path, "UPDATE block SET bytes = 'text'")


def logged(path, _):
    do(path, "PRAGMA journal_mode = wal")


def log_beside(path, _):
    shutil.copy(path, path + "-wal")


def same_pages(path, _):
    """A tree of pages whose branches all lead to one leaf."""
    loop(path, None)
    db = open_file(path)
    size = db.execute("PRAGMA page_size").fetchone()[0]
    root = db.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'flow'").fetchone()[0]
    db.close()
    with open(path, "r+b") as file:
        file.seek((root - 1) * size)
        page = bytearray(file.read(size))
        (n,) = struct.unpack_from(">H", page, 3)
        cells = struct.unpack_from(f">{n}H", page, 12)
        for at in cells[1:]:
            page[at:at + 4] = page[cells[0]:cells[0] + 4]
        page[8:12] = page[cells[0]:cells[0] + 4]
        file.seek((root - 1) * size)
        file.write(page)


def write_journal(path, page, n_pages):
    """A journal that restores the first page and the size of the file."""
    nonce = 7
    head = JOURNAL_MARK + struct.pack(">IIIII", 1, nonce, n_pages, 512, len(page))
    page_sum = nonce + sum(page[i] for i in range(len(page) - 200, 0, -200))
    with open(path + "-journal", "wb") as file:
        file.write(head.ljust(512, b"\0") + struct.pack(">I", 1) + page + struct.pack(">I", page_sum))


def varint(number):
    parts = [number & 0x7f]
    while number > 0x7f:
        number >>= 7
        parts.append(number & 0x7f | 0x80)
    return bytes(reversed(parts))


def shared(path, _):
    """A hundred rows whose long texts share the same pages of the file."""
    # The bytes that a cell on a page of 4096 bytes keeps of a payload that continues on other
    # pages.
    local, payload = 489, 489 + 48 * 4092
    db = open_file(path)
    db.execute("PRAGMA secure_delete = 0")
    db.execute("DELETE FROM violation")
    rows = [(i, "x" * 487) for i in range(2, 102)] + [(102, "y" * (payload - 8))]
    db.executemany("INSERT INTO violation VALUES (1, ?, 0, ?)", rows)
    db.close()
    with open(path, "rb") as file:
        data = bytearray(file.read())
    head = bytes([7, 9, 1, 8]) + varint(13 + 2 * (payload - 8))
    long_at = data.index(varint(payload) + head + bytes([102]))
    chain = data[long_at + 3 + local:long_at + 7 + local]
    for i in range(2, 102):
        at = data.index(varint(494) + bytes([6, 9, 1, 8]) + varint(13 + 2 * 487) + bytes([i]))
        data[at:at + local + 7] = varint(payload) + head + bytes([i]) + b"x" * (local - 8) + chain
    with open(path, "wb") as file:
        file.write(data)


def sparse(path, _):
    """A file with such rows that claims a terabyte, nearly all of it a hole."""
    shared(path, None)
    os.truncate(path, HOLE_BYTES)


def journal_of_much(path, _):
    """A file with such rows, and a journal of one page that claims that the file had a terabyte:
    SQLite extends the file to that size."""
    shared(path, None)
    with open(path, "rb") as file:
        first = file.read(4096)
    write_journal(path, first, HOLE_BYTES // 4096)


def journal_pipe(path, _):
    os.mkfifo(path + "-journal")


def journal_link(path, _):
    os.symlink(path + ".nowhere", path + "-journal")


def log_link(path, _):
    os.symlink(path + ".nowhere", path + "-wal")


def log_pipe(path, _):
    os.mkfifo(path + "-wal")


def names(path, _):
    """Names that have a meaning elsewhere, and some that are not text: the file is read, and the
    names have no effect."""
    bad = "\x1b[2J</text></script>&\"'\x01\uffff\x7f ".encode() + b"\xff\xc3"
    texts = {"node": "name", "flow": "name", "run": "engines", "series": "unit", "violation": "what", "event": "kind"}
    for table_name, column in texts.items():
        do(path, (f"UPDATE {table_name} SET {column} = cast(? AS TEXT)", (bad * 9,)))


def settings(path, _):
    """A run with very many settings. Another run has all of them but the last, so its name is the
    setting that differs."""
    lines = "".join(f"a{i:06}=1\n" for i in range(N_SETTINGS))
    do(path, ("UPDATE run SET settings = ?", (lines,)),
       "INSERT INTO run (id, name, scenario, scenario_hash, seed, engines, arbitration, host, settings, command_ns, place, build, "
       "started_at, status, until_ps) SELECT 9, name, scenario, scenario_hash, seed, engines, arbitration, host, "
       "settings || 'b=2' || char(10), command_ns, place + 1, build, started_at, status, until_ps FROM run WHERE id = 1")


def orphans(path, _):
    """Rows of a run that does not exist yet must not become rows of the next run."""
    do(path, "INSERT INTO flow (run, id, name, from_node, to_node, class, start_ps, workload, header_bytes) "
             "VALUES (3, 77, 'theirs', 1, 2, 0, 0, 0, 0)")


def claimed(path, _):
    """A claim whose published value is no number."""
    do(path, "UPDATE claim SET published = 'much'")


def draw(path, **columns):
    """Makes a sweep of two engines, and a figure of it that has these columns."""
    row = {"study": "s", "name": "fig1", "source": "Fig. 1", "title": "t", "scenario": "s", "quantity": "n_dropped", "object": "sweep",
           "drawn": "\tdrawn\tn_dropped\n", "subjects": "", "by_setting": "engine", "line_setting": "", "panel_setting": "", "filters": "",
           "published": "", "relative": "", "draw": "", "x_title": "", "y_title": "", **columns}
    do(path, "INSERT INTO sweep (id, name, study, hash, build, started_at, n_runs) "
             "VALUES (77, 'drawn', 'axes', '77777777aaaaaaaa', '0.1.0', '2025-01-31T12:00:00Z', 2)",
       *[("INSERT INTO summary (sweep, id, settings, status, n_dropped) VALUES (77, ?, ?, 'complete', ?)",
          (i, f'{{"engine": "{engine}"}}', i)) for i, engine in enumerate(("pfc", "cbfc"))],
       (f"INSERT INTO figure ({', '.join(row)}) VALUES ({', '.join('?' * len(row))})", tuple(row.values())))


def infinite_figure(path, _):
    """A published value that is too large for any axis."""
    draw(path, published="\tpfc\t1e999\n")


def divided_figure(path, _):
    """Values relative to one that is 0."""
    draw(path, by_setting="", line_setting="engine", relative="pfc")


def twin_panels(path, _):
    """Two panels with the same name in a table, with a published value."""
    draw(path, by_setting="", panel_setting="engine", filters="engine\tpfc\tpfc\n" * 2, published="\tpfc\t3\n", draw="table",
         drawn="pfc\tdrawn\tn_dropped\n")


def foreign_filter(path, _):
    """A filter by a setting that the sweep does not vary; a reader once looped for ever on it."""
    draw(path, filters="run.seed\t1\t1\n")


def crowded_figure(path, _):
    """More groups, values and filters than a figure may have."""
    draw(path, by_setting="engine", drawn="".join(f"g{i}\tdrawn\tn_dropped\n" for i in range(76)), relative="least",
         filters="".join(f"engine\te{i}\te{i}\n" for i in range(70)))


def other_journal(path, _):
    """A journal of several files; when SQLite finishes with it, it removes the file that the
    journal names."""
    victim = path + ".victim"
    with open(victim, "w", encoding="utf-8") as file:
        file.write("precious\n")
    with open(path, "rb") as file:
        page_bytes = struct.unpack(">H", file.read(18)[16:])[0]
        file.seek(0)
        page = file.read(page_bytes)
    name = os.path.abspath(victim).encode()
    write_journal(path, page, os.path.getsize(path) // page_bytes)
    with open(path + "-journal", "ab") as file:
        file.write(struct.pack(">I", 0x40000000 // page_bytes + 1) + name + struct.pack(">II", len(name), sum(name)))
        file.write(JOURNAL_MARK)


# Expected messages: the command ("open", or an option of export) and the text; None if the file is
# read.
KINDS = {
    loop: ("--flows", None), view: ("open", "a view named violation where a table should be"),
    runview: ("open", "a view named run where a table should be"),
    bomb: ("--series", "cannot have 4096 rows of"), infinite: ("runs", "wall_s of row 1 is not a finite number"),
    over: ("--flows", "start_ps of row 0 is not a time"), trigger: ("open", "a trigger named 't'"),
    index: ("open", "an index named 'extra'"), table: ("open", "a table named 'sqlight'"),
    rude: ("open", r"a table named '(\\x1b|\x1b)\[2J(\\u202e|\u202e)'"), virtual: ("open", "a table named 'v'"), default: ("open", "its table flow is not defined as Weir defines it"),
    comment: ("open", "its table run is not defined as Weir defines it"), missing: ("open", "it has no table claim"),
    words: ("--flows", "bytes of row 0 is not a whole number"), word_id: ("--nodes", "id of row 0 is not a whole number"),
    null: ("--nodes", "name of row 0 is not text"), no_status: ("--summaries", "status of row 0 is not text"),
    blob_name: ("--nodes", "name of row 0 is not text"), negative: ("--ports", "rate_bps of row 0 is not"),
    far: ("--ports", "node of row 0 is not a whole number"), no_hash: ("runs", "results_hash of row 1 is not 16"),
    text_block: ("--series", "bytes of row 0 is not a sequence of bytes"),
    logged: ("open", "it is kept with a write-ahead log"), log_beside: ("open", "a write-ahead log next to it"),
    same_pages: ("--flows", "do not increase|damaged"),
    shared: ("--violations", "its table violation holds more than fits into the file"), 
    sparse: ("--violations", "its table violation holds more than fits into the file"),
    journal_of_much: ("--violations", "its table violation holds more than fits into the file"),
    journal_pipe: ("open", "its journal, .*-journal, is not a plain file"),
    journal_link: ("open", "its journal, .*-journal, is not a plain file"),
    log_pipe: ("open", "a write-ahead log next to it"), log_link: ("open", "a write-ahead log next to it"),
    claimed: ("--claims", "published of row 1 is not a (finite )?number"), names: ("--nodes", None), settings: ("--flows", None), orphans: ("--flows", None),
    crowded_figure: ("--summaries", None), foreign_filter: ("--summaries", None), infinite_figure: ("--summaries", None), divided_figure: ("--summaries", None), twin_panels: ("--summaries", None),
    other_journal: ("open", "its journal, .*-journal, names another file to be deleted"),
}


def make_all(honest, folder, n_series=N_SERIES):
    """Makes a file of each kind; returns their paths by kind."""
    paths = {}
    for kind in KINDS:
        paths[kind] = os.path.join(folder, kind.__name__.replace("_", "-") + ".db")
        shutil.copy(honest, paths[kind])
        kind(paths[kind], n_series)
    return paths


# Random damage.

VALUES = [None, 0, 1, -1, 2**31, 2**32 - 1, 2**32, 2**53, 2**62, 2**63 - 1, -2**63, 1e300, -1.5, float("inf"), "",
          "x" * 300, "\x1b[2J", "</script>", "7", "1e9", b"", b"\xff" * 20, "running", "queue", "port"]


def random_value(chance):
    kind = chance.randrange(4)
    return (chance.randrange(-2**63, 2**63) if kind == 0 else chance.randbytes(chance.randrange(40)) if kind == 1
            else chance.choice(VALUES))


def change_cell(path, chance):
    name = chance.choice(TABLES)
    db = open_file(path)
    column = chance.choice(columns(db, name))
    db.close()
    unchecked(path, name, (f"UPDATE OR REPLACE {name} SET {column} = ? WHERE random() % 3 = 0 OR id = 0 OR id = 1",
                           (random_value(chance),)))


def change_block(path, chance):
    db = open_file(path)
    row = db.execute("SELECT id, bytes FROM block WHERE run = 1 ORDER BY random() LIMIT 1").fetchone()
    db.close()
    if row is None or not isinstance(row[1], bytes) or not row[1]:
        return
    data = bytearray(row[1])
    for _ in range(chance.randrange(1, 6)):
        data[chance.randrange(min(len(data), 40) if chance.randrange(2) else len(data))] = chance.randrange(256)
    do(path, ("UPDATE block SET bytes = ?, n_rows = ? WHERE run = 1 AND id = ?",
              (bytes(data), chance.choice([1, 2, 16, 4095, 4096, 4097, 2**40]), row[0])))


def change_rows(path, chance):
    name = chance.choice(TABLES)
    do(path, f"DELETE FROM {name} WHERE random() % 2 = 0")


def change_schema(path, chance):
    name = chance.choice(TABLES)
    edit = chance.choice(["sql = replace(sql, 'INTEGER', 'REAL')", "sql = replace(sql, 'WITHOUT ROWID', '')",
                          "rootpage = rootpage + 1", "name = name || 'x'", "type = 'view'", "sql = NULL",
                          "sql = 'CREATE VIEW ' || name || ' AS SELECT 1'", "rootpage = 1", "sql = sql || ' STRICT'"])
    schema_edits(path, (f"UPDATE sqlite_schema SET {edit} WHERE name = ?", (name,)))


def change_bytes(path, chance):
    size = os.path.getsize(path)
    with open(path, "r+b") as file:
        for _ in range(chance.randrange(1, 20)):
            # The beginning of a page has the links to other pages.
            at = chance.randrange(size) if chance.randrange(2) else chance.randrange(size // 4096) * 4096 + chance.randrange(40)
            file.seek(at)
            file.write(chance.randbytes(chance.randrange(1, 5)))


# Parts of the columns of figures: some mean something to the reader, and some do not.
PARTS = ["", "drawn", "study", "n_dropped", "engine", "run.seed", "pfc", "cbfc", "S1 H1", "queue", "g", "p99", "3", "1e999", "nan", "least", "\t", "x" * 300]
OBJECTS = ["port", "flow", "hosts", "switch", "flows", "sizes", "sweep", "sweep", "sweep", "statement"]


def rows_at_random(chance):
    """Random lines of parts separated by tabs, as in the columns of figures."""
    n = chance.choice([0, 1, 1, 2, 3, 70])
    return "".join("\t".join(chance.choice(PARTS) for _ in range(chance.choice([1, 3, 3, 3, 5]))) + chance.choice(["\n", "\n", "\n", ""])
                   for _ in range(n))


def draw_at_random(path, seed):
    """A figure with any values that its table allows, of sweeps and runs that may not exist."""
    chance = random.Random(seed)
    draw(path, object=chance.choice(OBJECTS), quantity=chance.choice(PARTS), scenario=chance.choice(PARTS),
         drawn=chance.choice([rows_at_random(chance), "g\tdrawn\tn_dropped\n" * chance.choice([1, 2, 70])]),
         draw=chance.choice(["", "bars", "lines", "cdf", "table"]), relative=chance.choice(PARTS),
         **{column: rows_at_random(chance) for column in ("subjects", "filters", "published")},
         **{column: chance.choice(["", "engine", chance.choice(PARTS)]) for column in ("by_setting", "line_setting", "panel_setting")})


def damage(path, seed):
    """Changes a file at random; parts that SQLite refuses to change, or whose names are no longer
    text, stay unchanged."""
    chance = random.Random(seed)
    for _ in range(chance.randrange(1, 4)):
        change = chance.choice([change_cell, change_cell, change_cell, change_block, change_rows, change_schema, change_bytes])
        try:
            change(path, chance)
        except (sqlite3.Error, UnicodeDecodeError):
            pass


if __name__ == "__main__":
    make_all(sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else N_SERIES)
