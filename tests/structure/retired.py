#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Words this code base has given up (tests/headers/retired.txt) are found nowhere in it.

usage: retired.py LIST ROOT FOLDER...
LIST has two sections. [identifiers] are C identifiers: none may stand in code, whatever a
comment says in plain English. [anywhere] are words or phrases: none may stand at all."""
import pathlib
import re
import sys

TOKEN = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|[A-Za-z_]\w*', re.S)


def sections(path):
    found, current = {}, None
    for line in path.read_text().splitlines():
        line = line.split('#')[0].strip()
        if line.startswith('['):
            current = found.setdefault(line.strip('[]'), set())
        elif line:
            current.update(w.strip() for w in line.split(','))
    return found


def places(text, banned, phrases):
    for token in TOKEN.finditer(text):
        if token.group(0) in banned:
            yield token.start(), token.group(0)
    for phrase in phrases:
        for hit in re.finditer(r'\b%s\b' % re.escape(phrase), text):
            yield hit.start(), phrase


def main():
    rules = sections(pathlib.Path(sys.argv[1]))
    root, n = pathlib.Path(sys.argv[2]), 0
    files = [p for folder in sys.argv[3:] for p in sorted((root / folder).rglob('*.[ch]'))]
    for path in files:
        text = path.read_text(errors='replace')
        for at, word in places(text, rules['identifiers'], rules['anywhere']):
            print(f'{path.relative_to(root)}:{text.count(chr(10), 0, at) + 1}: {word}')
            n += 1
    print(f'{len(files)} files, {n} retired words')
    return 1 if n or not files else 0


sys.exit(main())
