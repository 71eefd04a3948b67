# SPDX-License-Identifier: BSD-3-Clause
"""trace_picture.py TRACE SVG: the part of a timeline (CELLAR_TRACE) that has its chunks as a picture: a lane for each thread, spans
in the colours of what they do, the innermost on top. It has no names of files, and of the machine the processor only."""
import html
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "bench"))
from sidebyside import processor

COLOURS = {"find": "#8d5a97", "read": "#2a6f97", "decode": "#d1495b", "encode": "#d1495b", "scatter": "#66a182", "gather": "#66a182",
           "place": "#8d5a97", "write": "#2a6f97", "wait": "#dddddd", "chunk": "#f2e2c4"}
SHOWN = {"find": "find, place", "read": "read, write", "decode": "filters", "scatter": "gather, scatter, convert", "wait": "waiting",
         "chunk": "a chunk, what is between its steps"}
ORDER = ["wait", "chunk"]  # drawn first; the others lie within
LEFT, WIDTH, LANE, TOP = 90, 860, 46, 70


def spans_of(trace):
    spans = [e for e in trace if e["ph"] == "X" and e["cat"] in COLOURS]
    chunks = [e for e in spans if e["cat"] == "chunk"]
    start, end = min(e["ts"] for e in chunks), max(e["ts"] + e["dur"] for e in chunks)
    return [e for e in spans if e["ts"] >= start and e["ts"] + e["dur"] <= end], start, end


def draw(trace, title):
    spans, start, end = spans_of(trace)
    names = {e["tid"]: e["args"]["name"] for e in trace if e["name"] == "thread_name"}
    lanes = sorted({e["tid"] for e in spans}, key=lambda tid: (names[tid] != "caller", tid))
    bottom = TOP + LANE * len(lanes)
    out = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">' % (LEFT + WIDTH + 20, bottom + 30),
           '<rect width="100%" height="100%" fill="#ffffff"/>', '<text x="10" y="20" font-size="15">%s</text>' % html.escape(title)]
    for i, (category, label) in enumerate(SHOWN.items()):
        x = LEFT + 145 * i - 80
        out.append('<rect x="%d" y="34" width="12" height="12" fill="%s"/><text x="%d" y="44">%s</text>' % (x, COLOURS[category], x + 17, label))
    for lane, tid in enumerate(lanes):
        y = TOP + LANE * lane
        out.append('<text x="%d" y="%d" text-anchor="end">%s</text>' % (LEFT - 8, y + 22, names[tid]))
        for e in sorted((e for e in spans if e["tid"] == tid), key=lambda e: (ORDER.index(e["cat"]) if e["cat"] in ORDER else len(ORDER), e["ts"])):
            x, width = (LEFT + WIDTH * (e["ts"] - start) / (end - start), WIDTH * e["dur"] / (end - start))
            out.append('<rect x="%.2f" y="%d" width="%.2f" height="%d" fill="%s"/>' % (x, y, max(width, 0.05), LANE - 12, COLOURS[e["cat"]]))
    out.append('<text x="%d" y="%d">0</text>' % (LEFT, bottom + 14))
    out.append('<text x="%d" y="%d" text-anchor="end">%.1f ms</text>' % (LEFT + WIDTH, bottom + 14, (end - start) / 1000))
    return "\n".join(out + ["</svg>", ""])


def main():
    if len(sys.argv) != 3:
        print(__doc__)
        return 2
    with open(sys.argv[1], encoding="utf-8") as f:
        picture = draw(json.load(f), "Reading, shuffle and deflate: " + processor())
    with open(sys.argv[2], "w", encoding="utf-8") as f:
        f.write(picture)
    return 0


sys.exit(main())
