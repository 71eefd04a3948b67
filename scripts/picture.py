"""picture.py [--check]: docs/ratios.svg, the table "How fast" of README.md as bars; --check: the picture is that of the table.
Rows with several figures or a range stay in the table."""
import html
import math
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LEFT, WIDTH, HEIGHT, TOP = 380, 400, 22, 58
TICKS = (1, 2, 5, 10, 20, 50, 100)
COLOURS = {"real": "#2a6f97", "synthetic": "#a9c6d8"}


def rows():
    with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as f:
        table = f.read().split("## How fast", 1)[1].split("\n## ", 1)[0]
    before, out = "", []
    for label, real, synthetic in re.findall(r"^\| (.*?) \| *(.*?) *\| *(.*?) *\|$", table, flags=re.M)[1:]:
        label = label.replace("`", "")
        if label.startswith("..."):
            label = before + ", " + label[3:].strip()
        else:
            before = label
        for kind, text in (("real", real), ("synthetic", synthetic)):
            if re.fullmatch(r"\d+(\.\d+)?", text):
                out.append((label, kind, float(text), text))
    return out


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
        with open(file, "w", encoding="utf-8") as f:
            f.write(picture())
        return 0
    with open(file, encoding="utf-8") as f:
        same = f.read() == picture()
    print("docs/ratios.svg shows the table of README.md" if same else "docs/ratios.svg is not of README.md's table: run scripts/picture.py")
    return 0 if same and rows() else 1


sys.exit(main())
