"""What the tests of `weir plan` share: runs of the program, and checks that are counted."""
import json
import os
import re
import subprocess
import sys

PROGRAM = os.path.abspath(sys.argv[1])
HERE = os.path.dirname(os.path.abspath(sys.argv[0]))
ROOT = os.path.join(HERE, "..", "..")
n_checks, problems = 0, []


def check(what, got, wanted):
    global n_checks
    n_checks += 1
    if got != wanted:
        problems.append(f"{what}: got {got!r}, wanted {wanted!r}")


def weir(*arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=600)


def says(what, run, code, pattern):
    check(f"{what}: exit code", run.returncode, code)
    if not re.search(pattern, run.stdout + run.stderr, re.M):
        problems.append(f"{what}: {run.stdout + run.stderr!r} does not say {pattern!r}")


def plan(*arguments, code=0):
    run = weir("plan", "--json", *arguments)
    check(f"plan {arguments}: exit code, {run.stderr}", run.returncode, code)
    return json.loads(run.stdout)


def scheme(p, key):
    return next(s for s in p["schemes"] if s["key"] == key)


def write(name, text):
    with open(name, "w", encoding="utf-8") as file:
        file.write(text)


def finish():
    os.chdir("/")
    print("\n".join(problems) if problems else f"{n_checks} checks")
    return 1 if problems else 0
