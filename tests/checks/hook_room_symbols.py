#!/usr/bin/env python3
"""Proves that code which may run inside malloc calls nothing that may allocate or take a lock of the host's.

    hook_room_symbols.py ALLOWED OBJECTS... [--nm NM]

ALLOWED is hook_room_symbols.txt beside this file, OBJECTS are text files with the paths of objects, one a line: those
of memprof_core and of the Python workers' hooks, for each CPython. 3.11's are apart. The other CPythons' hot sources
are compiled as one file, and what is allowed for one of them is allowed for it.

Every source of the rooms below is hot unless ALLOWED lists it as cold. Of each
hot object the undefined symbols are listed (nm): each must be defined by another hot object or be allowed by name with
a reason. So a call into a cold file is found as well as one of malloc. What ALLOWED names without need is an error,
too: the list says exactly what the room relies on, as far as the CPythons of this build can tell.
"""

import argparse
import fnmatch
import pathlib
import re
import subprocess
import sys

ROOMS = {room: "common" for room in ("base", "sampling", "resident", "sites", "hooking", "blackbox")}
UNITY = "all hot sources of a CPython's hooks"
ROOMS |= {room: "pyworker-shim/native/hooks" for room in ("allocators", "frames", "lookups")}


class Allowed:
    def __init__(self, path):
        self.cold, self.symbols, self.emitted, self.problems = {}, {}, set(), []
        for number, line in enumerate(map(str.strip, path.read_text().splitlines()), 1):
            if not line or line.startswith("#"):
                continue
            entry, separator, reason = line.partition(" -- ")
            words = entry.split()
            if not separator or not reason.strip():
                self.problems.append(f"{path.name}:{number}: no reason given: {line}")
            elif words[0] == "cold" and len(words) == 2:
                self.cold[words[1]] = number
            elif words[0] == "emits" and len(words) == 2:
                self.emitted.add(words[1])
            elif words[0] == "allow" and len(words) == 3:
                self.symbols[words[1], words[2]] = number
            else:
                self.problems.append(f"{path.name}:{number}: none of 'cold', 'allow' and 'emits': {line}")
        self.used = set()

    def allows(self, source, symbol):
        if symbol in self.emitted:
            return True
        fitting = [key for key in self.symbols if fnmatch.fnmatch(symbol, key[1])]
        if source != UNITY:
            fitting = [key for key in fitting if fnmatch.fnmatch(source, key[0])]
        if not self.used.intersection(fitting):
            self.used.update(fitting[:1])
        return bool(fitting)


def source_of(path):
    """sites/recorder.cc of .../memprof_core.dir/sites/recorder.cc.o; None for what is in no hook room."""
    if path.parent.name == "Unity":
        return UNITY
    room = path.parent.name
    return f"{room}/{path.name.removesuffix('.o')}" if room in ROOMS else None


def symbols(nm, path, *options):
    output = subprocess.run([nm, "--demangle", *options, str(path)], check=True, capture_output=True, text=True).stdout
    for line in output.splitlines():
        kind, _, name = line[17:].strip().partition(" ") if line[:16].strip() else line.strip().partition(" ")
        yield kind, name


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("allowed", type=pathlib.Path)
    parser.add_argument("objects", type=pathlib.Path, nargs="+")
    parser.add_argument("--nm", default="nm")
    options = parser.parse_args()

    allowed = Allowed(options.allowed)
    problems = allowed.problems
    objects, unities = {}, []
    for objects_list in options.objects:
        found = {source_of(pathlib.Path(line)): pathlib.Path(line) for line in objects_list.read_text().split("\n")}
        found.pop(None, None)
        if unity := found.pop(UNITY, None):
            unities.append(unity)
            continue
        objects |= found
        if len(set(found) - set(allowed.cold)) < 5:
            problems.append(f"only {len(found)} objects of the hook room in {objects_list}: is it the right list?")
    hot = {source: path for source, path in objects.items() if source not in allowed.cold}
    for source in sorted(set(allowed.cold) - set(objects)):
        problems.append(f"{options.allowed.name}:{allowed.cold[source]}: there is no {source}")

    defined = set()
    for path in hot.values():
        defined.update(name for _, name in symbols(options.nm, path, "--defined-only", "--extern-only"))
    checked = 0

    def check(source, path, where):
        nonlocal checked
        for _, name in symbols(options.nm, path, "--undefined-only"):
            checked += 1
            if name not in defined and not allowed.allows(source, name):
                problems.append(f"{where} may run inside malloc and calls {name}: not in {options.allowed.name}")

    for source, path in sorted(hot.items()):
        check(source, path, f"{ROOMS[source.split('/')[0]]}/{source}")
    for path in unities:  # after 3.11's, which say better what is needed
        check(UNITY, path, path.parents[1].name)
    versions = {version for path in options.objects for version in re.findall(r"\d+", path.name)}

    def is_built(files):  # a file for certain CPythons has their numbers in its name
        needed = set(re.findall(r"\d+", files))
        return not needed or bool(needed & versions)

    for key, number in allowed.symbols.items():
        if key not in allowed.used and is_built(key[0]):
            problems.append(f"{options.allowed.name}:{number}: nothing in {key[0]} calls {key[1]}")

    for problem in problems:
        print(problem, file=sys.stderr)
    if not problems:
        cpythons = f"{len(unities)} other CPythons' hooks"
        print(f"{len(hot)} hot objects and {cpythons}, {checked} symbols, {len(allowed.cold)} cold files")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
