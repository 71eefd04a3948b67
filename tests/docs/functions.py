# SPDX-License-Identifier: BSD-3-Clause
"""functions.py PROJECT: docs/functions.md has a row for each function of netcdf.h, and for no other.
functions.py --site HTML HEADER: the site has a text for each function of cellar.h."""
import os
import re
import sys


def plain(html):
    return re.sub(r"<[^>]*>|&#160;", " ", html).strip()


def check_site(folder, header):
    names = re.findall(r"^EXTERNL [^;]*?(cellar_\w+)\(", open(header, encoding="utf-8").read(), flags=re.M)
    items = open(os.path.join(folder, "cellar_8h.html"), encoding="utf-8").read().split('<div class="memitem">')[1:]
    shown = {}
    for item in items:
        name = plain(re.search(r'class="memname">(.*?)</td>', item, flags=re.S)[1]).split()[-1]
        text = re.search(r'<div class="memdoc">(.*?)</div>', item, flags=re.S)
        shown[name] = shown.get(name, "") + (plain(text[1]) if text else "")
    wrong = ["cellar.h: the site says nothing of %s" % name for name in names if not shown.get(name)]
    print("\n".join(wrong + ["%d functions of cellar.h" % len(names)]))
    return 1 if wrong or not names else 0


if sys.argv[1] == "--site":
    sys.exit(check_site(sys.argv[2], sys.argv[3]))
root = sys.argv[1]
header = open(root + "/include/netcdf.h", encoding="utf-8").read()
page = open(root + "/docs/functions.md", encoding="utf-8").read()
# The macros of the typed calls end their names with ##tag; the page says TYPE. #define lines make no declaration.
declared = {re.sub(r"##tag$", "TYPE", name) for name in re.findall(r"^\s*CELLAR_API\([^()]*?, ([\w#]+),", header, flags=re.M)}
cells = re.findall(r"^\| (`.*?) \|", page, flags=re.M)
rows = [name for cell in cells for name in re.findall(r"`(\w+)`", cell)]
wrong = ["docs/functions.md has no row for %s" % name for name in sorted(declared - set(rows))]
wrong += ["docs/functions.md has a row for %s, which netcdf.h does not declare" % name for name in sorted(set(rows) - declared)]
wrong += ["docs/functions.md has two rows for %s" % name for name in sorted(set(rows)) if rows.count(name) > 1]
print("\n".join(wrong + ["%d functions" % len(declared)]))
sys.exit(1 if wrong or not declared else 0)
