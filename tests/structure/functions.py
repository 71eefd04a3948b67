#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Functions stay short and simple: at most 60 lines and a cyclomatic complexity of 15, except those that
ARCHITECTURE.md names under "Exceptions to the size of functions", at most five.

usage: functions.py ROOT FOLDER...
The tree is formatted by clang-format, so a function is what stands between a '{' and a '}' in the first column."""
import pathlib
import re
import sys

LINES, COMPLEXITY, EXCEPTIONS = 60, 15, 5
DECISION = re.compile(r'\b(?:if|for|while|case)\b|&&|\|\||\?')
NOISE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
HEAD = re.compile(r'([A-Za-z_]\w*(?:\([a-z_]\w*\))?)\s*\((?:[^;{}]*)\)[^;{}=]*$', re.S)


def blank(match):
    return re.sub(r'[^\n]', ' ', match.group(0))


def functions(text):
    lines = NOISE.sub(blank, text).split('\n')
    begin = None
    for i, line in enumerate(lines):
        if line == '{':
            begin = i
        elif line == '}' and begin is not None:
            head = begin - 1
            while head > 0 and lines[head - 1].strip() and not lines[head - 1].startswith(('}', '#')):
                head -= 1
            text = re.sub(r'__attribute__\s*\(\(.*?\)\)', '', '\n'.join(lines[head:begin]))
            name = HEAD.search(text)
            body = '\n'.join(lines[begin:i + 1])
            yield name.group(1) if name else '?', begin, i - begin + 2, 1 + len(DECISION.findall(body))
            begin = None


def named(root):
    page = (root / 'ARCHITECTURE.md').read_text()
    part = re.search(r'Exceptions to the size of functions(.*?)(?:\n#|\Z)', page, re.S)
    return set(re.findall(r'`(\S+?): (\S+?)`', part.group(1))) if part else set()


def main():
    root = pathlib.Path(sys.argv[1])
    allowed, total, bad, used = named(root), 0, 0, set()
    for path in (p for f in sys.argv[2:] for p in sorted((root / f).rglob('*.[ch]'))):
        for name, line, length, complexity in functions(path.read_text(errors='replace')):
            total += 1
            if length <= LINES and complexity <= COMPLEXITY:
                continue
            if (path.name, name) in allowed:
                used.add((path.name, name))
                continue
            print(f'{path.relative_to(root)}:{line}: {name}: {length} lines, complexity {complexity}')
            bad += 1
    for name in allowed - used:
        print(f'ARCHITECTURE.md names {name[0]}: {name[1]}, which needs no exception')
    if len(allowed) > EXCEPTIONS:
        print(f'ARCHITECTURE.md names {len(allowed)} exceptions, more than {EXCEPTIONS}')
    print(f'{total} functions, {bad} too long or too complex, {len(used)} exceptions')
    return 1 if bad or allowed - used or len(allowed) > EXCEPTIONS or total < 1000 else 0


sys.exit(main())
