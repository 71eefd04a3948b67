# SPDX-License-Identifier: BSD-3-Clause
"""environment.py PROJECT: docs/environment.md has a row for each variable that src/base/env.c, a tool or a plugin reads, and no other."""
import glob
import re
import sys

root = sys.argv[1]
read = set(re.findall(r'"((?:CELLAR|HDF5|NETCDF|NC|NCZARR|AWS)_?[A-Z0-9_]{3,}|NETRC)"', open(root + "/src/base/env.c").read())) | {"HOME"}
for file in glob.glob(root + "/tools/**/*.c", recursive=True) + glob.glob(root + "/plugins/*.c"):
    read |= set(re.findall(r'\b(?:getenv|put_first)\("(\w+)"', open(file, encoding="utf-8").read()))
rows = set(re.findall(r"^\| `([A-Z0-9_]+)`", open(root + "/docs/environment.md").read(), flags=re.M))
for name in sorted(read - rows):
    print("docs/environment.md has no row for %s" % name)
for name in sorted(rows - read):
    print("docs/environment.md tells of %s, which nothing reads" % name)
print("%d variables" % len(read))
sys.exit(read != rows or not read)
