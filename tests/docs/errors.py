# SPDX-License-Identifier: BSD-3-Clause
"""errors.py PROJECT: each text that docs/troubleshooting.md quotes in its table is one that the library or a tool can say."""
import glob
import re
import sys

root = sys.argv[1]
LITERALS = re.compile(r'"(?:[^"\\\n]|\\.)*"(?:\s+"(?:[^"\\\n]|\\.)*")*')
PIECE = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
VALUE = re.compile(r"%[-+ #0]*(?:\d+|\*)?(?:\.(?:\d+|\*))?(?:hh|h|ll|l|z|j|t)?[a-zA-Z]")


def texts():
    """Every string of the sources, adjacent literals joined, with ... for each value."""
    out = []
    for file in glob.glob(root + "/src/**/*.[ch]", recursive=True) + glob.glob(root + "/tools/**/*.[ch]", recursive=True):
        for found in LITERALS.findall(open(file, encoding="utf-8").read()):
            out.append(VALUE.sub("...", "".join(PIECE.findall(found))))
    return out


def main():
    table = re.findall(r"^\| (.*?) \|", open(root + "/docs/troubleshooting.md", encoding="utf-8").read(), flags=re.M)[1:]
    rows = [row.strip("`") for row in table]
    said = texts()
    unsaid = []
    for row in rows:
        wanted = re.compile(".*".join(re.escape(part) for part in row.split("...")))
        if not any(wanted.search(text) for text in said):
            unsaid.append(row)
    for row in unsaid:
        print("docs/troubleshooting.md quotes what no source says: %s" % row)
    print("%d texts looked up" % len(rows))
    return 1 if unsaid or not rows else 0


sys.exit(main())
