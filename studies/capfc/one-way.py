#!/usr/bin/env python3
"""Prints a scenario whose short flows go from the first half of the hosts to the second.

usage: one-way.py [both]

Long flows go the same way, so ACKs of short flows wait behind no long packet.  With `both` as many
long flows go the other way, too.  All else is fabric.yaml.
"""
import os
import random
import sys

FABRIC = os.path.join(os.path.dirname(os.path.abspath(__file__)), "fabric.yaml")
PER_SECOND, SECONDS = 1250, 0.3


def flows(seed, size, traffic_class, back=False):
    draw = random.Random(seed)
    at = draw.expovariate(PER_SECOND)
    while at < SECONDS:
        ends = [f"H{draw.randint(0, 63)}", f"H{draw.randint(64, 127)}"]
        if back:
            ends.reverse()
        yield f"  - {{from: {ends[0]}, to: {ends[1]}, bytes: {size}, class: {traffic_class}, start: {at * 1e9:.0f}ns}}"
        at += draw.expovariate(PER_SECOND)


def main():
    lines = [*flows(1, "1MB", 0), *flows(2, "64KB", 1)]
    if sys.argv[1:] == ["both"]:
        lines += flows(3, "1MB", 0, back=True)
    print("\n".join([f"base: {FABRIC}", "name: capfc-one-way", "workload: []", "flows:", *lines]))


main()
