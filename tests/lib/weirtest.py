"""Common code of test scripts: runs of the program, counted checks, files, and the exit code.

    import sys
    sys.path.append(sys.path[0] + "/../lib")
    from weirtest import check, equal, finish, scratch, weir, write

    with scratch():
        write("ring.yaml", RING)
        run = weir("run", "ring.yaml", "--json")
        equal("exit code", run.returncode, 0)
    sys.exit(finish())

The first argument of a script is the program.  If the fork server runs the script (fork-server.c), all cases but the first are forks of a
program that was started once; each is still a process with its own exit code, streams and leak check.
"""
import contextlib
import glob
import json
import os
import re
import socket
import struct
import subprocess
import sys
import tempfile
import threading
from typing import NamedTuple

PROGRAM = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else None
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SERVER = os.environ.get("FORK_SERVER")
# Prefixes of variables that the dynamic linker, the sanitizers and MPI read only when a program starts.
READ_AT_START = ("LD_", "ASAN_", "UBSAN_", "LSAN_", "OMPI_", "PMIX_", "PMI_")
SHOWN = 600
# Sentences stay on one line, and tables in one part, unless a test asks for the width of a terminal.
os.environ["COLUMNS"] = "1000"

n_checks, problems = 0, []
_lock, _n_runs = threading.Lock(), 0


# Runs.

class Run(NamedTuple):
    """The exit code of a run (a signal as a negative number), and its output."""
    returncode: int
    stdout: str
    stderr: str

    @property
    def said(self):
        return self.stdout + self.stderr

    @property
    def json(self):
        return json.loads(self.stdout)


def weir(*words, timeout=300, **how):
    """Runs a case of the program, in the fork server if that runs the script.

    The first case of a script, and cases that change a variable of READ_AT_START, start the program. Keys of 'how' are
    cwd, env, input, errors, and text=False for bytes; any other argument of subprocess.run() starts the program."""
    global _n_runs
    with _lock:
        _n_runs += 1
        is_first = _n_runs == 1
    if not SERVER or is_first or how.keys() - {"cwd", "env", "input", "text", "errors"} or changes_start(how.get("env")):
        return start(PROGRAM, *words, timeout=timeout, **how)
    return fork(words, timeout, **how)


def start(*command, timeout=300, text=True, **how):
    """Starts a program, and waits until it ends."""
    done = subprocess.run(command, capture_output=True, text=text, timeout=timeout, check=False, **how)
    return Run(done.returncode, done.stdout, done.stderr)


def changes_start(env):
    return env is not None and any(env.get(name) != os.environ.get(name)
                                   for name in {*env, *os.environ} if name.startswith(READ_AT_START))


def fork(words, timeout, cwd=".", env=None, input=None, text=True, errors=None):
    command = [os.fsencode(word) for word in (PROGRAM, *words)]
    variables = [os.fsencode(name) + b"=" + os.fsencode(value) for name, value in (os.environ if env is None else env).items()]
    data = b"".join(word + b"\0" for word in command + variables)
    if any(b"\0" in word for word in command + variables):
        raise ValueError("embedded null byte")
    with contextlib.ExitStack() as stack:
        out, err = (stack.enter_context(open(os.memfd_create(name), "w+b")) for name in ("out", "err"))
        fed = stack.enter_context(feed(input))
        folder = os.open(cwd or ".", os.O_PATH | os.O_DIRECTORY)
        stack.callback(os.close, folder)
        server = stack.enter_context(socket.socket(socket.AF_UNIX))
        server.connect(SERVER)
        socket.send_fds(server, [struct.pack("III", len(data), len(command), len(variables))],
                        [folder, fed.fileno(), out.fileno(), err.fileno()])
        server.sendall(data)
        server.settimeout(timeout)
        try:
            answer = server.recv(4)
        except TimeoutError:
            raise subprocess.TimeoutExpired([PROGRAM, *words], timeout) from None
        if len(answer) != 4:
            raise RuntimeError(f"the fork server did not play {words}")
        wrote = [read_back(stream, text, errors) for stream in (out, err)]
        return Run(os.waitstatus_to_exitcode(struct.unpack("i", answer)[0]), *wrote)


def feed(text):
    if text is None:
        return open(0, "rb", closefd=False)
    fed = open(os.memfd_create("in"), "w+b")
    fed.write(text.encode() if isinstance(text, str) else text)
    fed.seek(0)
    return fed


def read_back(stream, text, errors):
    stream.seek(0)
    data = stream.read()
    return data.decode("utf-8", errors or "strict").replace("\r\n", "\n").replace("\r", "\n") if text else data


def output(*words, code=0, **how):
    """Runs a case that must end with this code; returns its output."""
    run = weir(*words, **how)
    equal(f"{words}: exit code; {run.stderr}", run.returncode, code)
    return run.stdout


def weir_json(*words, code=0, **how):
    return json.loads(output(*words, "--json", code=code, **how))


def on_terminal(width=None):
    """The environment of a program on a terminal of this width; None: the width is unknown."""
    others = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    return others if width is None else {**others, "COLUMNS": str(width)}


# Checks.

def check(what, good, found=""):
    global n_checks
    with _lock:
        n_checks += 1
        if not good:
            problems.append(f"{what}: {str(found)[:SHOWN]}" if found != "" else str(what))


def equal(what, got, wanted):
    check(what, got == wanted, f"got {repr(got)[:SHOWN]}, wanted {repr(wanted)[:SHOWN]}")


def near(what, got, wanted, part):
    check(f"{what}: {got} is near {wanted}", got is not None and abs(got - wanted) <= part * abs(wanted))


def says(what, run, code, pattern, flags=re.M, times=None):
    """Checks the exit code of a run, and that a pattern is in its output: this number of times, or at least once."""
    n_found = len(re.findall(pattern, run.said, flags))
    equal(f"{what}: exit code of {run.said[:SHOWN]!r}", run.returncode, code)
    check(f"{what}: says {pattern!r}, {times or 'at least 1'} times", n_found == times if times else n_found, repr(run.said))


def finish(*more):
    """Prints the failed checks and the number of checks; returns the exit code of the script."""
    os.chdir("/")
    print(*problems, ", ".join([f"{n_checks} checks", f"{len(problems)} failed", *more]), sep="\n")
    return 1 if problems or not n_checks else 0


def skip(why):
    """Exit code 77 is meson's code for skipped."""
    print(f"skipped: {why}")
    sys.exit(77)


# Files.

@contextlib.contextmanager
def scratch(parent=None):
    """A temporary folder that is the current one."""
    with tempfile.TemporaryDirectory(dir=parent) as folder:
        os.chdir(folder)
        try:
            yield folder
        finally:
            os.chdir("/")


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def check_pictures(page, made_in, is_written):
    """Checks that figures which the commands of a page made in folders are the pictures that the page shows: figure
    incast/run-1-queues.svg is picture pictures/incast-run-1-queues.svg. If 'is_written', replaces the pictures."""
    for shown in re.findall(r"\]\((pictures/[\w-]+\.svg)\)", read(page)):
        picture, name = os.path.join(os.path.dirname(page), shown), os.path.basename(shown)
        made = [path for path in glob.glob(os.path.join(made_in, "*", "*.svg"))
                if "-".join(path.split(os.sep)[-2:]) == name]
        if made and is_written:
            write(picture, read(made[0]))
        check(f"{page}: {shown} is what the commands make", not made or os.path.exists(picture) and read(made[0]) == read(picture))


def write(path, text):
    """Writes a file, and makes its folder if necessary; returns the path."""
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path
