# SPDX-License-Identifier: BSD-3-Clause
"""symbols.py LIBRARY NAMES DIR...: three lists that must agree.

NAMES holds the functions existing programs use (the list of 321). Every one of
them, and every function the headers declare, is exported with our prefix; nothing
else is, but what cellar.h declares; and the macros of cellar_symbols.h are complete.
"""
import re
import subprocess
import sys

library, names_file, dirs = sys.argv[1], sys.argv[2], sys.argv[3:]
headers = ["netcdf.h", "netcdf_filter.h", "netcdf_aux.h", "netcdf_mem.h", "netcdf_f.h", "netcdf_par.h", "cellar.h"]


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def preprocessed(*flags):
    includes = "".join('#include "%s"\n' % h for h in headers)
    command = ["gcc", "-E", "-P", "-x", "c", *flags, *["-I" + d for d in dirs], "-"]
    return subprocess.run(command, check=True, input=includes, capture_output=True, text=True).stdout


needed = set(open(names_file).read().split())
declared = set(re.findall(r'"cel_"\s*"(\w+)"', preprocessed()))
ours = set(re.findall(r"\b(cellar_\w+)\s*\(", preprocessed()))
macros = set(re.findall(r"\bcel_(nc\w+)", preprocessed("-DCELLAR_NO_ASM_LABELS")))
exported = {line.split()[-1] for line in run("nm", "-D", "--defined-only", library).splitlines()}
exported = {n for n in exported if not n.startswith("__")}  # a sanitizer's own

complaints = {
    "needed by programs, not declared": needed - declared,
    "declared, not exported": {n for n in declared if "cel_" + n not in exported} | (ours - exported),
    "exported, not declared": exported - {"cel_" + n for n in declared} - ours,
    "without a macro in cellar_symbols.h": declared ^ macros,
    "in the list of 321": set() if len(needed) == 321 else {str(len(needed))},
}
failed = False
for what, names in complaints.items():
    if names:
        failed = True
        print(what + ":", " ".join(sorted(names)))
sys.exit(failed)
