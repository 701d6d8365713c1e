"""Results of Weir in Python: open a results file, read its tables and samples as arrays, run scenarios.

Pure Python 3 that needs only the standard library.  If numpy or pandas is installed, columns are also available as
numpy arrays and tables as pandas data frames.

    >>> import weir
    >>> run = weir.run('''
    ... topology: {kind: incast, hosts: 2, rate: 10Gbps}
    ... flows: [{from: H1, to: H3, bytes: 1MB}, {from: H2, to: H3, bytes: 1MB}]
    ... run: {time: 2ms}
    ... ''')
    >>> run.flows["name"]
    ['H1-H3', 'H2-H3']
    >>> run.flows["received_bytes"]
    [1000000, 1000000]
    >>> queue = run.series("queue S1 from H1")
    >>> queue.unit, max(queue.values) > 100000
    ('bytes', True)

Tables are read from the file itself; doc/results.md explains their columns.  Samples are compressed in the file, so
they are read by the program, with `weir export --series`.  The program also runs scenarios.  It is found by the
variable WEIR, on the PATH, or where it was installed together with this module.
"""

from __future__ import annotations

import array
import builtins
import contextlib
import csv
import difflib
import io
import json
import os
import re
import shutil
import signal
import sqlite3
import stat
import subprocess
import sys
import tempfile
import threading
from typing import Any, Iterator, Mapping, Optional, Sequence, Union

try:
    import numpy
except ImportError:
    numpy = None  # type: ignore[assignment]
try:
    import pandas
except ImportError:
    pandas = None  # type: ignore[assignment]

__all__ = ["Error", "Results", "Run", "Samples", "Series", "Sweep", "Table", "open", "run"]

APPLICATION_ID = 1466263922  # "Weir", in the header of every results file.
VERSIONS = (14, 15)  # Versions of the schema that this module reads.
PS_PER_S = 10**12

# Results files may be untrusted.  Each row of a valid file is in it once, so the steps of a query are limited in
# proportion to the size of the file.  The limit ends queries that would otherwise never end.
STEPS_A_TURN, STEPS_A_BYTE, MIN_STEPS = 1000, 64, 10**7
MAX_CELL_BYTES = 1 << 28  # The longest cell is a block of samples.
WAL_MARK = 2  # The value of byte 18 or 19 of the header if the file has a write-ahead log.

# Matches the definition of a computed column, which Weir's files do not have.
COMPUTED = re.compile(r"\bAS\s*\(", re.I)
SQL_COMMENT = re.compile(r"--[^\n]*|/\*.*?\*/", re.S)

# The attributes of a run that are tables, with the names of these tables in the file.
TABLES = {"flows": "flow", "workloads": "workload", "events": "event", "counters": "counter", "waits": "wait",
          "nodes": "node", "ports": "port", "violations": "violation", "parameters": "parameter",
          "engine_parameters": "engine_parameter"}

FILE_TABLES = (*TABLES.values(), "run", "series", "block", "sweep", "summary", "summary_workload", "statement", "claim",
               "figure")

EXIT_BROKEN = 4  # The run broke a promise: a deadlock, or drops that the scenario does not expect.
EXIT_STOPPED = 130  # The run was stopped before its end.


class Error(Exception):
    """An error about a file, a name, or the program.  Its text is a sentence."""


def _nearest(what: str, name: object, names: Sequence[str]) -> str:
    """Returns a sentence about a name that does not exist, with the nearest names."""
    near = difflib.get_close_matches(str(name), names, 3)
    some = ", ".join(repr(n) for n in near or list(names)[:5])
    offer = f"the nearest are {some}" if near else f"there are {some or 'none'}"
    return f"there is no {what} {str(name)!r}; {offer}"


# Running the program.

def _find_program(program: Optional[str] = None) -> str:
    here = os.path.dirname(os.path.abspath(__file__))
    installed = os.path.join(here, "..", "..", "..", "bin", "weir")
    wanted = program or os.environ.get("WEIR")
    found = shutil.which(wanted or "weir") or (None if wanted else shutil.which(installed))
    if not found:
        raise Error(f"the program {wanted or 'weir'!r} was not found: put it on the PATH, or name it by the variable "
                    "WEIR, as in WEIR=/usr/local/bin/weir")
    return found


class _Ended(BaseException):
    """Raised by a signal that ends Python."""


@contextlib.contextmanager
def _ending_later() -> Iterator[None]:
    """Defers a signal that would end Python, so that the program can be stopped first.  Handlers that the user has set
    stay.  Only the main thread can set handlers."""
    def end(number: int, _: object) -> None:
        raise _Ended(number)

    main = threading.current_thread() is threading.main_thread()
    ours = [s for s in (signal.SIGTERM, signal.SIGHUP) if main and signal.getsignal(s) == signal.SIG_DFL]
    number = 0
    try:
        for one in ours:
            signal.signal(one, end)
        yield
    except _Ended as ended:
        number = ended.args[0]
    finally:
        for one in ours:
            signal.signal(one, signal.SIG_DFL)
    if number:
        os.kill(os.getpid(), number)


def _stop(child: subprocess.Popen[str]) -> None:
    """Asks the program to stop, and waits until it has written its results."""
    if child.poll() is None:
        child.send_signal(signal.SIGINT)
    child.communicate()


def _call(program: Optional[str], *words: str, good: Sequence[int] = (0,)) -> subprocess.CompletedProcess[str]:
    """Runs the program in its own session, so that Ctrl-C reaches only Python, which passes it on once."""
    command = [_find_program(program), *words]
    with _ending_later(), subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                           start_new_session=True) as child:
        try:
            out, said = child.communicate()
        except BaseException:
            _stop(child)
            raise
    if child.returncode not in good:
        raise Error(said.strip() or f"weir {words[0]} ended with the code {child.returncode}")
    return subprocess.CompletedProcess(command, child.returncode, out, said)


# Columns of tables.

def _as_array(values: Sequence[Any]) -> Any:
    """Returns numbers as a numpy array if numpy is installed, else as an array.array.  None becomes NaN."""
    if any(v is None or isinstance(v, float) for v in values):
        floats = [float("nan") if v is None else float(v) for v in values]
        return numpy.array(floats, dtype="float64") if numpy else array.array("d", floats)
    big = any(v > 2**63 - 1 for v in values)
    if numpy:
        return numpy.array(values, dtype="uint64" if big else "int64")
    return array.array("Q" if big else "q", values)


def _need_pandas() -> Any:
    if pandas is None:
        raise Error("a data frame needs pandas, which is not installed (Debian: python3-pandas)")
    return pandas


class Table:
    """Rows of one table of a run.  `table["bytes"]` is a column, as a list; NULL is None.

    >>> table = Table("flow", ["name", "bytes"], [("F1", 1000), ("F2", None)])
    >>> len(table), table["bytes"]
    (2, [1000, None])
    >>> list(table)[0]
    {'name': 'F1', 'bytes': 1000}
    >>> table["bites"]
    Traceback (most recent call last):
    ...
    weir.Error: there is no column 'bites'; the nearest are 'bytes'
    """

    def __init__(self, name: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]):
        self.name, self.columns, self._rows = name, list(columns), list(rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return (dict(zip(self.columns, row)) for row in self._rows)

    def __getitem__(self, column: str) -> list[Any]:
        if not isinstance(column, str):
            raise Error(f"a table is indexed by column, as in table[{self.columns[0]!r}]; list(table)[{column!r}] is a row")
        if column not in self.columns:
            raise Error(_nearest("column", column, self.columns))
        place = self.columns.index(column)
        return [row[place] for row in self._rows]

    def __repr__(self) -> str:
        return f"<weir.Table {self.name}: {len(self)} rows of {', '.join(self.columns)}>"

    def array(self, column: str) -> Any:
        """Returns a column of numbers: a numpy array if numpy is installed, else an array.array.  NULL is NaN."""
        values = self[column]
        if not all(v is None or isinstance(v, (int, float)) for v in values):
            raise Error(f"column {column!r} has words, and an array has numbers: table[{column!r}] is a list")
        return _as_array(values)

    def frame(self) -> Any:
        """Returns the table as a pandas data frame.  Columns of whole numbers stay whole, and may have gaps."""
        frame = _need_pandas().DataFrame({c: pandas.Series(self[c], dtype="object") for c in self.columns})
        for c in self.columns:
            if all(v is None or isinstance(v, int) for v in self[c]):
                frame[c] = frame[c].astype("Int64")
            elif all(v is None or isinstance(v, (int, float)) for v in self[c]):
                frame[c] = frame[c].astype("float64")
        return frame


class Series:
    """One quantity over time: `name`, `unit`, and `at_ps` and `values`, which have the same length."""

    def __init__(self, name: str, unit: str, at_ps: Any, values: Any):
        self.name, self.unit, self.at_ps, self.values = name, unit, at_ps, values

    def __len__(self) -> int:
        return len(self.at_ps)

    def __repr__(self) -> str:
        return f"<weir.Series {self.name} [{self.unit}]: {len(self)} samples>"

    @property
    def at_s(self) -> Any:
        """The times in seconds."""
        return self.at_ps / PS_PER_S if numpy else array.array("d", [t / PS_PER_S for t in self.at_ps])


class Samples:
    """All series of a run, sampled at the same instants: `samples["queue S1 from L2"]`, `samples.names`."""

    def __init__(self, text: str):
        rows = csv.reader(io.StringIO(text))
        header = next(rows, ["at_ps"])
        columns = list(zip(*([int(v) for v in row] for row in rows))) or [() for _ in header]
        self.at_ps = _as_array(columns[0])
        self._series: dict[str, Series] = {}
        for title, values in zip(header[1:], columns[1:]):
            name, unit = re.fullmatch(r"(.*) \[(.*)\]", title).groups()  # type: ignore[union-attr]
            if name in self._series:
                raise Error(f"several series are called {name!r}: give the flows or nodes of the scenario names that differ")
            self._series[name] = Series(name, unit, self.at_ps, _as_array(values))

    @property
    def names(self) -> list[str]:
        return list(self._series)

    def __len__(self) -> int:
        return len(self._series)

    def __iter__(self) -> Iterator[Series]:
        return iter(self._series.values())

    def __getitem__(self, name: str) -> Series:
        name = re.sub(r" \[.*\]$", "", name)
        found = self._series.get(name)
        alike = [repr(n) for n in self.names if re.sub(r" #\d+", "", n) == name]
        if not found and alike:
            raise Error(f"several flows have this name; select one by its number: {', '.join(alike[:5])}")
        if not found:
            raise Error(_nearest("series", name, self.names))
        return found

    def frame(self) -> Any:
        """Returns all series as a pandas data frame, indexed by time in picoseconds."""
        index = _need_pandas().Index(list(self.at_ps), name="at_ps")
        return pandas.DataFrame({s.name: list(s.values) for s in self}, index=index)


def _object(text: Any) -> dict[str, Any]:
    """Parses a JSON object of the file.  NULL becomes an empty object."""
    try:
        value = json.loads(text or "{}")
    except (ValueError, TypeError, RecursionError) as error:
        raise Error(f"a sweep has settings or measures that are not JSON: {error}") from error
    if not isinstance(value, dict):
        raise Error(f"a sweep has settings or measures that are not a JSON object: {str(text)[:40]!r}")
    return value


class Sweep(Table):
    """The runs of a sweep, with a row for each.  The first columns are the varied settings, whose names are in
    `settings`; the others are the results."""

    def __init__(self, row: Mapping[str, Any], summaries: Table):
        settings = [_object(r["settings"]) for r in summaries]
        measures = [_object(r.get("measures")) for r in summaries]
        rows = [{**r, **s, **m} for r, s, m in zip(summaries, settings, measures)]
        self.number: int = row["id"]
        self.settings = list(dict.fromkeys(k for s in settings for k in s))
        measured = list(dict.fromkeys(k for m in measures for k in m))
        fixed = [c for c in summaries.columns if c not in ("sweep", "settings", "measures")]
        columns = list(dict.fromkeys([*self.settings, *fixed, *measured]))
        super().__init__(row["name"], columns, [[r.get(c) for c in columns] for r in rows])


# Results files.

class Run:
    """One run of a results file.  Its attributes are its tables (flows, workloads, events, counters, waits, nodes,
    ports, violations, parameters, engine_parameters) and its facts (n_dropped, paused_ps, ...)."""

    flows: Table
    workloads: Table
    events: Table
    counters: Table
    waits: Table
    nodes: Table
    ports: Table
    violations: Table
    parameters: Table
    engine_parameters: Table

    def __init__(self, results: Results, row: Mapping[str, Any]):
        self.results, self.row = results, dict(row)
        self.number: int = row["id"]
        self.name: str = row["name"]
        self.summary: Optional[dict[str, Any]] = None  # The output of `weir run --json`, if run() made the run.
        self.exit_code: Optional[int] = None  # The exit code, if run() made the run; 4: a promise was broken.
        self._tables: dict[str, Table] = {}
        self._samples: dict[str, Samples] = {}

    def __repr__(self) -> str:
        return f"<weir.Run {self.number}: {self.name}, {self.row['engines']}, {self.row['status']}>"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if name in TABLES:
            if name not in self._tables:
                self._tables[name] = self.results.table(TABLES[name], self.number)
            return self._tables[name]
        if name in self.row:
            return self.row[name]
        raise AttributeError(_nearest("attribute of a run", name, [*TABLES, *self.row]))

    @property
    def facts(self) -> dict[str, Any]:
        """The facts of this run, {"n_dropped": 0, "paused_ps": None}: the columns between started_at and status."""
        names = list(self.row)
        if not {"started_at", "status"} <= self.row.keys():
            raise Error(f"{self.results.path}: its table run has no column started_at or status")
        return {n: self.row[n] for n in names[names.index("started_at") + 1:names.index("status")]}

    @property
    def settings(self) -> dict[str, str]:
        """The settings of this run: {"switch.buffer": "300KB"}."""
        return dict(line.split("=", 1) for line in str(self.row["settings"]).splitlines() if "=" in line)

    def _export(self, quantity: Optional[str]) -> Samples:
        key = quantity or ""
        if key not in self._samples:
            words = ["export", self.results.path, "--run", str(self.number), "--series"]
            self._samples[key] = Samples(_call(self.results.program, *words, *([quantity] if quantity else [])).stdout)
        return self._samples[key]

    @property
    def samples(self) -> Samples:
        """All series of the run."""
        return self._export(None)

    def series(self, name: str) -> Series:
        """Returns one series by its name in the output of `weir export --series`, such as "queue S1 from L2"."""
        quantities = self.results.query("SELECT DISTINCT quantity FROM series WHERE run = ?", self.number)["quantity"]
        quantity = name.split(" ", 1)[0]
        return (self._export(quantity) if quantity in quantities else self.samples)[name]


class Results:
    """A results file, opened for reading.  `results[1]` is the run with this number, and `results["ring"]` the
    newest run with this name.  `for run in results` iterates over all runs in order.  It can be used in a `with`
    statement."""

    def __init__(self, path: Union[str, os.PathLike[str]], program: Optional[str] = None):
        self.path, self.program = os.fspath(path), program
        self._folder: Optional[tempfile.TemporaryDirectory[str]] = None
        if not os.path.isfile(self.path):
            raise Error(f"{self.path}: there is no such file")
        self._check_log()
        self._db = sqlite3.connect(f"file:{_quoted(os.path.abspath(self.path))}?mode=ro", uri=True)
        self._n_turns = 0
        try:
            self._limit()
            self._check()
            self._check_tables()
        except BaseException:
            self._db.close()
            raise

    def _check_log(self) -> None:
        """Refuses logs and journals before SQLite opens them.  They are separate files, which may be links, or
        pipes that block."""
        try:
            with builtins.open(self.path, "rb") as file:
                head = file.read(20)
                self._bytes = os.fstat(file.fileno()).st_size
        except OSError as error:
            raise Error(f"{self.path}: {error.strerror}") from error
        if WAL_MARK in head[18:20] or os.path.lexists(self.path + "-wal"):
            raise Error(f"{self.path}: it uses a write-ahead log, and files of Weir have none")
        journal = self.path + "-journal"
        if os.path.lexists(journal) and not stat.S_ISREG(os.lstat(journal).st_mode):
            raise Error(f"{self.path}: its journal, {journal}, is not a file")

    def _limit(self) -> None:
        """Restricts SQLite to reading data: no views, no functions of the schema, no endless queries."""
        self._db.set_progress_handler(self._on_turn, STEPS_A_TURN)
        if hasattr(self._db, "setlimit"):  # Since Python 3.11.
            self._db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_CELL_BYTES)
            self._db.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        for pragma in ("trusted_schema = 0", "cell_size_check = 1", "query_only = 1"):
            self._execute(f"PRAGMA {pragma}")

    def _on_turn(self) -> int:
        self._n_turns -= 1
        return int(self._n_turns < 0)

    def _execute(self, sql: str, *values: Any) -> Table:
        """Returns all rows of a statement.  Any fault of the file raises an Error."""
        with contextlib.suppress(OSError):  # The file may have grown, or may have been removed while it is open.
            self._bytes = os.path.getsize(self.path)
        self._n_turns = (MIN_STEPS + self._bytes * STEPS_A_BYTE) // STEPS_A_TURN
        try:
            cursor = self._db.execute(sql, values)
            rows = cursor.fetchall()
        except sqlite3.OperationalError as error:
            why = "the query takes more steps than a file of its size can need" if self._n_turns < 0 else error
            raise Error(f"{self.path}: {why}") from error
        except (sqlite3.Error, UnicodeError, OverflowError, MemoryError) as error:
            raise Error(f"{self.path}: {error}") from error
        return Table("query", [d[0] for d in cursor.description or ()], rows)

    def _check_tables(self) -> None:
        """Checks that the file has only the tables that Weir creates: no views, triggers or other indexes."""
        found = self._execute("SELECT type, name, sql FROM sqlite_master")
        for row in found:
            is_key = row["type"] == "index" and row["sql"] is None
            if not is_key and (row["type"] != "table" or row["name"] not in FILE_TABLES):
                article = "an" if row["type"] == "index" else "a"
                raise Error(f"{self.path}: it has {article} {row['type']} named {row['name']!r}, which Weir does not make")
            if COMPUTED.search(SQL_COMMENT.sub(" ", str(row["sql"] or ""))):
                raise Error(f"{self.path}: its table {row['name']} is not defined as Weir defines it")
        missing = [name for name in FILE_TABLES if name not in found["name"]]
        if missing:
            raise Error(f"{self.path}: it has no table {missing[0]}")

    def _check(self) -> None:
        try:
            application = self._execute("PRAGMA application_id")["application_id"][0]
            version = self._execute("PRAGMA user_version")["user_version"][0]
        except Error:
            application = version = None
        if application != APPLICATION_ID:
            raise Error(f"{self.path} is not a results file of weir")
        if version not in VERSIONS:
            raise Error(f"{self.path} has version {version} of the schema, and this module reads "
                        f"{' and '.join(str(v) for v in VERSIONS)}: use the module that came with the program")

    def __enter__(self) -> Results:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the file, and removes it if it was created only for a run."""
        self._db.close()
        if self._folder:
            self._folder.cleanup()

    def query(self, sql: str, *values: Any) -> Table:
        """Returns the rows of a SELECT statement.  The query may take as many steps as a file of this size can need."""
        return self._execute(sql, *values)

    def table(self, name: str, run_number: Optional[int] = None) -> Table:
        """Returns a table of the file.  With a run number, it has the rows of that run, without the column `run`."""
        names = self.query("SELECT name FROM sqlite_master WHERE type = 'table'")["name"]
        if name not in names:
            raise Error(_nearest("table", name, names))
        if run_number is None:
            return self.query(f"SELECT * FROM {name}")
        columns = [c for c in self.query(f"PRAGMA table_info({name})")["name"] if c != "run"]
        found = self.query(f"SELECT {', '.join(columns)} FROM {name} WHERE run = ? ORDER BY id", run_number)
        return Table(name, columns, found._rows)

    @property
    def runs(self) -> list[Run]:
        """All runs, in the order in which they were started."""
        return [Run(self, row) for row in self.query("SELECT * FROM run ORDER BY command_ns, place, id")]

    @property
    def sweeps(self) -> list[Sweep]:
        """The sweeps of the file, each a table with a row per run."""
        return [Sweep(row, self.query("SELECT * FROM summary WHERE sweep = ? ORDER BY id", row["id"]))
                for row in self.query("SELECT * FROM sweep ORDER BY id")]

    def __len__(self) -> int:
        return len(self.runs)

    def __iter__(self) -> Iterator[Run]:
        return iter(self.runs)

    def __getitem__(self, which: Union[int, str]) -> Run:
        runs = self.runs
        for one in reversed(runs):
            if which in (one.number, one.name):
                return one
        if isinstance(which, int):
            raise Error(f"{self.path}: there is no run {which}; there are {[r.number for r in runs]}")
        raise Error(f"{self.path}: " + _nearest("run", which, [r.name for r in runs]))


def _quoted(path: str) -> str:
    """Escapes the three characters of a path that are special in a URI of SQLite."""
    return path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")


def open(path: Union[str, os.PathLike[str]], program: Optional[str] = None) -> Results:
    """Opens a results file.

    >>> import weir
    >>> weir.open("nowhere.db")
    Traceback (most recent call last):
    ...
    weir.Error: nowhere.db: there is no such file
    """
    return Results(path, program)


def _word(value: Any) -> str:
    """Writes a value as it is written in a scenario.

    >>> _word(True), _word(["H1", "H2"]), _word({"from": "H1", "to": "H2"}), _word("300KB")
    ('yes', '[H1, H2]', '{from: H1, to: H2}', '300KB')
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{k}: {_word(v)}" for k, v in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_word(v) for v in value) + "]"
    return str(value)


def run(scenario: Union[str, os.PathLike[str]], set: Optional[Mapping[str, Any]] = None,
        record: Union[str, os.PathLike[str], None] = None, program: Optional[str] = None,
        threads: Optional[int] = None) -> Run:
    """Runs a scenario, given as a file or as text, and returns the run.

    `set` has values that replace those of the scenario: {"switch.buffer": "300KB", "record.every": "1us"}. `record`
    names the results file of the run.  Without it, the run has a temporary file, which is removed when the run is no
    longer used.  `threads` is the number of threads; results are the same for any number.

    The output of `weir run --json` is in `summary`, and its exit code in `exit_code`.  Code 4 means that the run
    broke a promise, such as a deadlock that the scenario does not expect.  Code 130 means that a signal stopped the
    run, and that its results end at that time.  A scenario that is refused raises an Error with the reason.

    Ctrl-C stops the run as it stops `weir run`: its results so far are in the file `record`, with the status `stopped`,
    before KeyboardInterrupt is raised.
    """
    if set is not None and not isinstance(set, Mapping):
        raise Error(f"set is a dictionary, as in {{'switch.buffer': '300KB'}}, and not {set!r}")
    folder: tempfile.TemporaryDirectory[str] = tempfile.TemporaryDirectory(prefix="weir-")
    with contextlib.ExitStack() as undo:
        undo.callback(folder.cleanup)
        path = os.fspath(scenario)
        if "\n" in path:
            text, path = path, os.path.join(folder.name, "scenario.yaml")
            with builtins.open(path, "w", encoding="utf-8") as file:
                file.write(text)
        db = os.fspath(record) if record else os.path.join(folder.name, "results.db")
        sets = [word for key, value in (set or {}).items() for word in ("--set", f"{key}={_word(value)}")]
        sets += ["--threads", str(threads)] if threads is not None else []
        done = _call(program, "run", path, "--json", "--record", db, *sets, good=(0, EXIT_BROKEN, EXIT_STOPPED))
        if not done.stdout:
            raise Error(done.stderr.strip() or "the run was stopped before it began")
        results = Results(db, program)
        undo.pop_all()
    results._folder = folder
    newest = max(results.runs, key=lambda r: r.number)
    newest.summary, newest.exit_code = json.loads(done.stdout), done.returncode
    return newest


if __name__ == "__main__":
    sys.exit("weir.py is a module: import weir")
