"""Common code of the tests of `weir plan`."""
import os

from weirtest import ROOT, weir_json

HERE = os.path.join(ROOT, "tests", "plan")


def plan(*arguments, code=0):
    return weir_json("plan", *arguments, code=code)


def scheme(p, key):
    return next(s for s in p["schemes"] if s["key"] == key)
