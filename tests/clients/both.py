#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""both.py PREFIX WORK [PART...]: programs that were built for netCDF-C, run on it and on Cellar.

Each line of PART.txt is a command for bash. It runs twice, with RUN empty and with RUN="PREFIX/bin/cellar run --", and
must print the same, end with the same code and write the same files, as netCDF-C's own `ncdump -s` shows them.
    needs PROGRAM   a part without it is left out, and that is said
    $IN             the line runs once for each input: classic, 64-bit offset, CDF-5, netCDF-4, netCDF-4 classic model
    $CDL/x.nc       made of NCO's x.cdl, where its source is there (NCO_SOURCE)
    OUT*            what the command writes
expected.txt has the commands that are known to differ for some input, with the reasons in docs/differences.md; one that does
not differ any more is an error, too.
"""
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
NO_PARTS = {"expected.txt", "CMakeLists.txt"}
KINDS = {"classic": "classic", "64bit": "64-bit offset", "cdf5": "cdf5", "nc4": "netCDF-4", "nc4c": "netCDF-4 classic model"}
# Dates, versions and process ids: what differs between two runs of the same program.
CHANGING = re.compile(r"^\s*(string )?:?(history|history_of_appended_files|NCO|CDO|_NCProperties|creation_date|created_by|"
                      r"gdal|GDAL|_SuperblockVersion|title.*gmt|source) = .*|.*:_NCProperties = .*|.*:history = .*|\s*\"[A-Z][a-z]{2} [A-Z][a-z]{2} +\d+ \d\d:\d\d:.*")


class Side:
    """One way to run a command: folder and environment."""

    def __init__(self, name, work, run):
        self.folder = os.path.join(work, name)
        self.env = dict(os.environ, RUN=run, LC_ALL="C", CDO_HISTORY_INFO="0", HDF5_PLUGIN_PATH=os.environ.get("HDF5_PLUGIN_PATH", ""))

    def run(self, line, inputs):
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(self.folder)
        if "IN" in inputs:  # programs may write beside it
            inputs = dict(inputs, IN=shutil.copy(inputs["IN"], self.folder))
        try:
            done = subprocess.run(["bash", "-c", line], cwd=self.folder, env=dict(self.env, **inputs), capture_output=True,
                                  timeout=300)
            said, complaints, code = done.stdout, done.stderr, done.returncode
        except subprocess.TimeoutExpired:
            said, complaints, code = b"", b"more than 300 s", "timeout"
        result = {"code": str(code), "said": self.plain(said)}
        for folder, _, files in os.walk(self.folder):
            for name in sorted(files):
                if name.startswith("OUT") and ".pid" not in name:  # NCO leaves its temporary file when it fails
                    path = os.path.join(folder, name)
                    result[os.path.relpath(path, self.folder)] = self.show(path)
        result["complaints"] = self.plain(complaints)
        return result

    def plain(self, text):
        lines = text.decode(errors="replace").replace(self.folder, "DIR").splitlines()
        return [line for line in lines if not CHANGING.match(line)]

    def show(self, path):
        """A netCDF file as text; any other file as its bytes."""
        with open(path, "rb") as f:
            magic = f.read(4)
        if magic[:3] != b"CDF" and magic != b"\x89HDF":
            with open(path, "rb") as f:
                return f.read()
        dump = subprocess.run(["/usr/bin/ncdump", "-s", "-n", "x", path], capture_output=True, env=dict(os.environ, LC_ALL="C"))
        return self.plain(dump.stdout) + self.plain(dump.stderr)


def make_inputs(work):
    """One small field in five formats, by netCDF-C."""
    first = os.path.join(work, "input.nc")
    subprocess.run(["/usr/bin/python3", os.path.join(HERE, "..", "interop", "preload", "make_input.py"), first], check=True)
    inputs = {}
    for kind, name in KINDS.items():
        inputs[kind] = os.path.join(work, "in_%s.nc" % kind)
        subprocess.run(["/usr/bin/nccopy", "-k", name, first, inputs[kind]], check=True)
    return inputs


def make_nco_inputs(work):
    """NCO's own data, or nothing."""
    folder, source = os.path.join(work, "cdl"), os.environ.get("NCO_SOURCE", "")
    os.makedirs(folder, exist_ok=True)
    for name in "in", "in_4", "in_grp", "in_grp_1", "in_grp_2":
        cdl = os.path.join(source, "data", name + ".cdl")
        if source and os.path.exists(cdl):
            subprocess.run(["/usr/bin/ncgen", *(["-4"] if name != "in" else []), "-o", os.path.join(folder, name + ".nc"), cdl],
                           check=True)
    return folder


def difference(theirs, ours):
    """What differs, in a few lines; stderr is shown and not compared."""
    lines = []
    for part in sorted(set(theirs) | set(ours)):
        a, b = theirs.get(part), ours.get(part)
        if part == "complaints" or a == b:
            continue
        lines.append("  %s:" % part)
        if isinstance(a, list) and isinstance(b, list):
            lines += ["    < " + line for line in a if line not in b][:6] + ["    > " + line for line in b if line not in a][:6]
        else:
            lines.append("    < %.200r\n    > %.200r" % (a, b))
    if lines:
        lines += ["    stderr > " + line for line in ours["complaints"][:4]]
    return lines


def read_part(part):
    """needs, lines"""
    with open(os.path.join(HERE, part + ".txt")) as f:
        text = [line.rstrip("\n") for line in f if line.strip() and not line.startswith("#")]
    return [t.split()[1] for t in text if t.startswith("needs ")], [t for t in text if not t.startswith("needs ")]


def cases_of(line, inputs):
    if "$IN" in line:
        return [(kind, {"IN": path}) for kind, path in inputs.items()]
    return [("", {})]


def main():
    prefix, work, parts = sys.argv[1], os.path.abspath(sys.argv[2]), sys.argv[3:]
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    inputs, nco = make_inputs(work), make_nco_inputs(work)
    theirs, ours = Side("theirs", work, ""), Side("ours", work, os.path.join(prefix, "bin", "cellar") + " run --")
    with open(os.path.join(HERE, "expected.txt")) as f:
        expected = {line.rstrip("\n") for line in f if line.strip() and not line.startswith("#")}
    wrong = total = 0
    differing = set()
    for part in parts or sorted(n[:-4] for n in os.listdir(HERE) if n.endswith(".txt") and n not in NO_PARTS):
        needs, lines = read_part(part)
        absent = [n for n in needs if not shutil.which(n)]
        if absent:
            print("NOT RUN: %s: no %s here" % (part, ", ".join(absent)))
            continue
        n = failed = 0
        for line in lines:
            if "$CDL" in line and not os.listdir(nco):
                continue
            for kind, extra in cases_of(line, inputs):
                given = dict(extra, CDL=nco, HERE=HERE)
                different = difference(theirs.run(line, given), ours.run(line, given))
                n += 1
                if different:
                    differing.add(line)
                if different and line not in expected:
                    failed += 1
                    print("--- %s: %s%s" % (part, kind + ": " if kind else "", line))
                    print("\n".join(different), flush=True)
            if line in expected and line not in differing:
                failed += 1
                print("--- %s: %s\n  is expected to differ and does not" % (part, line))
        print("%s: %d commands, %d not as expected" % (part, n, failed), flush=True)
        wrong, total = wrong + failed, total + n
    print("%d commands, %d not as expected; %d of them, known to differ, do" % (total, wrong, len(differing & expected)))
    return 1 if wrong or not total else 0


sys.exit(main())
