# SPDX-License-Identifier: BSD-3-Clause
"""functions.py PROJECT: docs/functions.md has a row for each function of netcdf.h, and for no other."""
import re
import sys

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
