#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""How time and memory grow with the number of things: chunks, variables, attributes, groups, dimensions, records, bytes of an
attribute, open files, threads, in each format. Time is processor time, the least of several runs, so that a busy machine does not
count. Each row has the slope of a straight line through its larger half in a log-log plot: 1 is n, and n log n is 1.1 at these
sizes. What is steeper than STEEP is marked.

--svg FILE draws it, --table prints the rows of docs/performance.md."""
import argparse
import html
import math
import os
import shutil
import subprocess
import sys
import tempfile

from sidebyside import processor

STEEP = 1.2
STEP = 4
FEW, MANY = [1000 * STEP ** i for i in range(4)], [2048 * STEP ** i for i in range(4)]
FORMATS = {"netcdf4": "netCDF-4", "classic": "classic (CDF-5)", "zarr": "Zarr"}
KINDS = {  # numbers, what is counted, formats
    "chunks": (MANY, "chunks of 4 KiB", ("netcdf4", "zarr")),
    "chunks-open": (MANY, "stored chunks, opened only", ("netcdf4", "zarr")),
    "variables": (FEW, "variables", ("netcdf4", "classic", "zarr")),
    "attributes": (FEW, "attributes", ("netcdf4", "classic", "zarr")),
    "attribute-bytes": ([65536 * STEP ** i for i in range(4)], "bytes of an attribute", ("netcdf4", "classic", "zarr")),
    "groups": (FEW, "groups", ("netcdf4", "zarr")),
    "dimensions": (FEW, "dimensions", ("netcdf4", "classic")),
    "records": (FEW, "records", ("netcdf4", "classic", "zarr")),
    "files": ([50, 200, 800], "open files", ("netcdf4", "classic", "zarr")),
    "threads": ([1, 2, 4, 8, 16, 32, 64], "threads, the same work", ("netcdf4", "zarr")),
}
FLAT = ("chunks-open", "threads")  # what should not grow
COLOURS = ("#2a6f97", "#d1495b", "#edae49", "#66a182", "#8d5a97", "#2e4057", "#c97b30", "#5fa8d3", "#7a7a7a", "#b0a800")


def run(program, kind, form, phase, n, scratch):
    env, name = dict(os.environ), "%s-%s" % (kind, form)
    path = os.path.join(scratch, name)
    if kind == "threads":
        kind, env["CELLAR_NUM_THREADS"], n = "chunks", str(n), MANY[1]
    place = "file://%s#mode=zarr,file" % path if form == "zarr" else path
    if phase == "write" and os.path.isdir(path):
        shutil.rmtree(path)
    out = subprocess.run([program, kind, form, phase, str(n), place], check=True, capture_output=True, text=True, env=env).stdout
    return [float(word) for word in out.split()]


def clear(scratch):
    shutil.rmtree(scratch)
    os.mkdir(scratch)


def measure(program, kind, form, numbers, repeats, scratch):
    """{"write" or "read": [(n, microseconds, KiB)]}"""
    rows = {"write": [], "read": []}
    for n in numbers:
        for phase, row in rows.items():
            tries = [run(program, kind, form, phase, n, scratch) for _ in range(repeats)]
            row.append((n, max(min(t[0] for t in tries), 1), max(min(t[1] for t in tries), 1)))
    return rows


def slope(points):
    points = points[(len(points) - 1) // 2:]
    x, y = ([math.log(p[i]) for p in points] for i in (0, 1))
    mx, my = sum(x) / len(x), sum(y) / len(y)
    return sum((a - mx) * (b - my) for a, b in zip(x, y)) / sum((a - mx) ** 2 for a in x)


# --- the picture -----------------------------------------------------------------------------------------------

WIDTH, HEIGHT, GAP, LEFT, TOP = 250, 190, 60, 70, 110


def panel(out, x, y, title, lines, unit):
    """lines: {kind: [(n, value)]}, both axes logarithmic."""
    every = [p for points in lines.values() for p in points]
    ends = [[f(math.log10(p[i]) for p in every) for f in (min, max)] for i in (0, 1)]
    (x0, x1), (y0, y1) = [(math.floor(low), math.ceil(high + 1e-9)) for low, high in ends]

    def at(n, value):
        return (x + WIDTH * (math.log10(n) - x0) / (x1 - x0), y + HEIGHT - HEIGHT * (math.log10(value) - y0) / (y1 - y0))

    out.append('<text x="%d" y="%d" font-size="13">%s</text>' % (x, y - 8, html.escape(title)))
    for e in range(x0, x1 + 1):
        px = at(10 ** e, 10 ** y0)[0]
        out.append('<line x1="%.1f" y1="%d" x2="%.1f" y2="%d" stroke="#dddddd"/>' % (px, y, px, y + HEIGHT))
        out.append('<text x="%.1f" y="%d" text-anchor="middle" fill="#555555">%s</text>' % (px, y + HEIGHT + 14, power(e)))
    for e in range(y0, y1 + 1):
        py = at(10 ** x0, 10 ** e)[1]
        out.append('<line x1="%d" y1="%.1f" x2="%d" y2="%.1f" stroke="#dddddd"/>' % (x, py, x + WIDTH, py))
        out.append('<text x="%d" y="%.1f" text-anchor="end" fill="#555555">%s</text>' % (x - 5, py + 4, unit(10 ** e)))
    for kind, points in lines.items():
        colour = COLOURS[list(KINDS).index(kind)]
        places = " ".join("%.1f,%.1f" % at(*p) for p in points)
        out.append('<polyline points="%s" fill="none" stroke="%s" stroke-width="2"/>' % (places, colour))
        out.extend('<circle cx="%.1f" cy="%.1f" r="2.5" fill="%s"/>' % (*at(*p), colour) for p in points)


def power(e):
    return {0: "1", 1: "10", 2: "100", 3: "1000"}.get(e, "10^%d" % e)


def seconds(us):
    return "%g µs" % us if us < 1e3 else "%g ms" % (us / 1e3) if us < 1e6 else "%g s" % (us / 1e6)


def kibibytes(n):
    return "%g KiB" % n if n < 1e3 else "%g MiB" % (n / 1e3)


def draw(rows, path):
    wide = LEFT + len(FORMATS) * (WIDTH + GAP)
    out = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="11">'
           % (wide, TOP + 3 * (HEIGHT + GAP)), '<rect width="100%" height="100%" fill="#ffffff"/>',
           '<text x="10" y="20" font-size="15">Processor time and memory against the number of things (%s)</text>' % html.escape(processor())]
    for i, (kind, (_, label, _)) in enumerate(KINDS.items()):
        x, y = 10 + 190 * (i % 5), 36 + 20 * (i // 5)
        out.append('<rect x="%d" y="%d" width="12" height="12" fill="%s"/>' % (x, y, COLOURS[i]))
        out.append('<text x="%d" y="%d">%s</text>' % (x + 17, y + 10, html.escape(label)))
    for column, (form, label) in enumerate(FORMATS.items()):
        of_format = {kind: r for (kind, f), r in rows.items() if f == form}
        x = LEFT + column * (WIDTH + GAP)
        for line, (title, phase, which, unit) in enumerate((("written, time", "write", 1, seconds), ("read, time", "read", 1, seconds),
                                                            ("written, memory", "write", 2, kibibytes))):
            lines = {kind: [(p[0], p[which]) for p in r[phase]] for kind, r in of_format.items()}
            panel(out, x, TOP + line * (HEIGHT + GAP), label + ": " + title, lines, unit)
    with open(path, "w", encoding="utf-8") as f:
        f.write("\n".join(out + ["</svg>", ""]))


# --- the table ---------------------------------------------------------------------------------------------------

def show(kind, form, rows, table):
    cells = []
    for phase in "write", "read":
        last = rows[phase][-1]
        each = last[1] if kind in FLAT else last[1] / last[0]
        cells.append(("%.3g" % each, "%.2f" % slope(rows[phase]), "%.1f" % (last[2] / 1024)))
    steep = any(slope(rows[phase]) > STEEP for phase in rows)
    values = [KINDS[kind][1], FORMATS[form], "%d" % rows["write"][-1][0], *cells[0], *cells[1]]
    print("| %s |" % " | ".join(values) if table else "%-28s %-16s %8s  write %8s us each, slope %5s, %6s MiB   read %8s, %5s, %6s"
          % tuple(values) + ("  STEEP" if steep else ""), flush=True)
    return steep


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--only", help="one kind")
    parser.add_argument("--svg")
    parser.add_argument("--table", action="store_true")
    args = parser.parse_args()
    program, rows, steep = os.path.join(args.build, "bench", "bench_growth_ours"), {}, 0
    print("processor: %s; slope: of time against number" % processor())
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as folder:
        scratch = os.path.join(folder, "work")
        os.mkdir(scratch)
        for kind, (numbers, _, formats) in KINDS.items():
            for form in formats if args.only in (None, kind) else ():
                rows[kind, form] = measure(program, kind, form, numbers, args.repeats, scratch)
                steep += show(kind, form, rows[kind, form], args.table)
                clear(scratch)
    if args.svg:
        draw(rows, args.svg)
    print("%d steeper than %.1f" % (steep, STEEP))
    return steep > 0


if __name__ == "__main__":
    sys.exit(main())
