# SPDX-License-Identifier: BSD-3-Clause
"""targets.py PROJECT: each `make NAME` of a page and of the workflow of hosted CI is a target of the Makefile."""
import glob
import os
import re
import sys

root = sys.argv[1]


def read(path):
    return open(os.path.join(root, path), encoding="utf-8").read()


def named():
    """(file, target) of each place where one is called."""
    for path in glob.glob("*.md", root_dir=root) + glob.glob("docs/**/*.md", root_dir=root, recursive=True):
        text = read(path)
        for call in re.findall(r"`make ([^`]*)`", text) + re.findall(r"^    make (.*)$", text, flags=re.M):
            yield from ((path, word) for word in re.sub(r"#.*", "", call).split() if "=" not in word)
    for path in glob.glob(".github/workflows/*.yml", root_dir=root, include_hidden=True):
        text = read(path)
        for call in re.findall(r"^ *- run: make (.*)$", text, flags=re.M):
            yield from ((path, word) for word in call.replace("${{ matrix.target }}", "").split())
        for row in re.findall(r"^ *target: \[(.*)\]$", text, flags=re.M):
            yield from ((path, word.strip()) for word in row.split(","))


targets = set(re.search(r"^\.PHONY: (.*)$", read("Makefile"), flags=re.M)[1].split())
rules = set(re.findall(r"^([a-z][a-z0-9-]*):", read("Makefile"), flags=re.M))
calls = sorted(set(named()))
wrong = ["%s: make %s: there is no such target" % call for call in calls if call[1] not in rules]
wrong += ["Makefile: %s: .PHONY and the rules differ" % name for name in sorted(targets ^ rules)]
wrong += ["no workflow calls make"] if not any(path.startswith(".github") for path, _ in calls) else []
print("\n".join(wrong + ["%d calls of %d targets" % (len(calls), len(rules))]))
sys.exit(1 if wrong else 0)
