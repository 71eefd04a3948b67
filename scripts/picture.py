# SPDX-License-Identifier: BSD-3-Clause
"""picture.py: docs/ratios.svg, the table "How fast" of README.md as bars; rows with several figures or a range stay in the table.
picture.py bench.json...: before that, the figures that these files of bench/run_bench.py have (of rows in several files: the last) go into the table.
picture.py --check: the picture is that of the table."""
import html
import json
import math
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LEFT, WIDTH, HEIGHT, TOP = 380, 400, 22, 58
README = os.path.join(ROOT, "README.md")
# Rows of the table, in its order: what bench/run_bench.py calls their figures.
MEASURED = {
    "read shuffle + deflate": ["read shuffle+deflate"],
    "read shuffle + deflate, with one thread": ["one thread: read shuffle+deflate"],
    "write shuffle + deflate 1": ["write shuffle+deflate 1"],
    "write shuffle + deflate 1, with one thread": ["one thread: write shuffle+deflate 1"],
    "write shuffle + deflate 5": ["write shuffle+deflate 5"],
    "read / write shuffle + zstd 3": ["read shuffle+zstd 3", "write shuffle+zstd 3"],
    "read / write uncompressed chunks": ["read uncompressed chunks", "write uncompressed chunks"],
    "write / read one time step per call, chunks of eight": ["write one step per call", "read one step per call"],
    "time series at a point / slab of one step": ["time series at a point", "one-step slab"],
}
TICKS = (1, 2, 5, 10, 20, 50, 100)
COLOURS = {"real": "#2a6f97", "synthetic": "#a9c6d8"}


def table():
    """The section of README.md with the table, and its rows: the line, the whole label, the two cells."""
    with open(README, encoding="utf-8") as f:
        section = f.read().split("## How fast", 1)[1].split("\n## ", 1)[0]
    before, out = "", []
    for found in list(re.finditer(r"^\| (.*?) \| *(.*?) *\| *(.*?) *\|$", section, flags=re.M))[1:]:
        label = found[1].replace("`", "")
        if label.startswith("..."):
            label = before + ", " + label[3:].strip()
        else:
            before = label
        out.append((found[0], found[1], label, found[2], found[3]))
    return section, out


def rows():
    out = []
    for _, _, label, real, synthetic in table()[1]:
        for kind, text in (("real", real), ("synthetic", synthetic)):
            if re.fullmatch(r"\d+(\.\d+)?", text):
                out.append((label, kind, float(text), text))
    return out


def shown(ratio):
    return "%.0f" % ratio if ratio >= 9.95 else "%.1f" % ratio


def cell(measured, titles, kind):
    """One cell of a row, of all its figures; None: not measured."""
    if not all(title in measured for title in titles):
        return None
    figures = [measured[title].get(kind) for title in titles]
    return "" if None in figures else " / ".join(shown(ratio) for ratio in figures)


def take(files):
    """The table with the figures of the benchmark's files."""
    measured = {}
    for file in files:
        with open(file, encoding="utf-8") as f:
            measured.update({row["row"]: row for row in json.load(f)["rows"] if not row.get("failed")})
    with open(README, encoding="utf-8") as f:
        text = f.read()
    taken = 0
    for line, first, label, _, _ in table()[1]:
        cells = [cell(measured, MEASURED.get(label, [None]), kind) for kind in ("real", "synthetic")]
        if None not in cells:
            text = text.replace(line, "|" + "|".join(" %s " % part if part else " " for part in [first, *cells]) + "|")
            taken += 1
    with open(README, "w", encoding="utf-8") as f:
        f.write(text)
    print("README.md: %d rows of the table taken from the benchmark" % taken)


def along(ratio):
    return LEFT + WIDTH * math.log10(ratio) / math.log10(TICKS[-1])


def picture():
    bars = rows()
    bottom = TOP + HEIGHT * len(bars)
    out = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="13">' % (LEFT + WIDTH + 50, bottom + 30),
           '<rect width="100%" height="100%" fill="#ffffff"/>',
           '<text x="10" y="20" font-size="15">Times as fast as netCDF-C 4.9.0, on 2 cores (logarithmic axis)</text>']
    for i, kind in enumerate(COLOURS):
        out.append('<rect x="%d" y="32" width="12" height="12" fill="%s"/><text x="%d" y="43">%s fields</text>' % (10 + 110 * i, COLOURS[kind], 27 + 110 * i, kind))
    for tick in TICKS:
        out.append('<line x1="%.1f" y1="%d" x2="%.1f" y2="%d" stroke="#dddddd"/>' % (along(tick), TOP - 4, along(tick), bottom))
        out.append('<text x="%.1f" y="%d" text-anchor="middle" fill="#555555">%d</text>' % (along(tick), bottom + 18, tick))
    last = None
    for i, (label, kind, ratio, text) in enumerate(bars):
        y = TOP + HEIGHT * i
        if label != last:
            out.append('<text x="%d" y="%d" text-anchor="end">%s</text>' % (LEFT - 8, y + 14, html.escape(label)))
        out.append('<rect x="%d" y="%d" width="%.1f" height="%d" fill="%s"/>' % (LEFT, y + 2, along(ratio) - LEFT, HEIGHT - 5, COLOURS[kind]))
        out.append('<text x="%.1f" y="%d">%s</text>' % (along(ratio) + 5, y + 14, text))
        last = label
    return "\n".join(out + ["</svg>", ""])


def main():
    file = os.path.join(ROOT, "docs/ratios.svg")
    if sys.argv[1:] != ["--check"]:
        take(sys.argv[1:])
        with open(file, "w", encoding="utf-8") as f:
            f.write(picture())
        return 0
    with open(file, encoding="utf-8") as f:
        same = f.read() == picture()
    print("docs/ratios.svg shows the table of README.md" if same else "docs/ratios.svg is not of README.md's table: run scripts/picture.py")
    return 0 if same and rows() else 1


sys.exit(main())
