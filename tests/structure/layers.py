#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""No folder of src/ uses a symbol of a folder above it.

usage: layers.py NM BUILD/src FOLDER...   (the folders from the floor up, as src/CMakeLists.txt lists them)
Includes are checked by the compiler (each folder sees only what its DEPENDS line names); this checks what the object
files really use, so that a declaration written by hand is found as well. The tables of formats and codecs are the
one thing a folder may name of the folders inside it."""
import pathlib
import subprocess
import sys


def symbols(nm, objects):
    out = subprocess.run([nm, '-g', '-P'] + objects, check=True, capture_output=True, text=True).stdout
    defined, wanted = set(), set()
    for line in out.splitlines():
        part = line.split()
        if len(part) > 1 and not line.endswith(':'):
            (wanted if part[1] in 'Uw' else defined).add(part[0])
    return defined, wanted - defined


def main():
    nm, build, folders = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3:]
    seen = {}
    for folder in folders:
        objects = [str(p) for p in sorted((build / folder / 'CMakeFiles').glob('*.dir/**/*.o'))]
        if objects:
            seen[folder] = symbols(nm, objects)
    up = 0
    for i, low in enumerate(folders):
        for high in folders[i + 1:]:
            if low not in seen or high not in seen:
                continue
            for name in sorted(seen[low][1] & seen[high][0]):
                if high.startswith(low + '/') and name.endswith('_ops'):
                    continue
                print(f'{low} uses {name} of {high}')
                up += 1
    print(f'{len(seen)} folders, {up} upward edges')
    return 1 if up or len(seen) < 5 else 0


sys.exit(main())
