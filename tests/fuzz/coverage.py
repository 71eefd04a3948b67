#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Line coverage of our readers by the fuzz corpus: coverage.py BUILD [-f]

Each target of the build runs over its part of the corpus. Counted are the lines of the files in READERS, but for
the functions that only a writer calls: those that writers.txt names. -f lists every function that counts, least
covered first."""
import fnmatch
import glob
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
BAR = 85  # percent, of all together
READERS = {
    "hdf5": "container/hdf5/read/*.c",
    "classic": "container/classic/*.c",
    "zarr": "container/zarr/*.c",
    "zip": "store/store_zip_read.c store/store_zip.c store/keys.c store/store.c",
    "json": "base/json.c base/json_parse.c base/json_print.c",
    "codecs": "codec/*.c",
}


def writers():
    with open(HERE + "/writers.txt") as f:
        lines = [line.split("#")[0].split() for line in f]
    return [(line[0], name) for line in lines for name in line[1:]]


def run(build):
    env = dict(os.environ, HDF5_PLUGIN_PATH="/nonexistent", CELLAR_NUM_THREADS="1")
    programs = sorted(p for p in glob.glob(build + "/fuzz_*") if os.access(p, os.X_OK) and "." not in os.path.basename(p))
    for program in programs:
        target = os.path.basename(program)[len("fuzz_"):]
        inputs = sorted(glob.glob("%s/corpus/%s/*" % (HERE, target)))
        env["LLVM_PROFILE_FILE"] = "%s/%s.profraw" % (build, target)
        if inputs and subprocess.run([program] + inputs, env=env, stderr=subprocess.DEVNULL).returncode:
            sys.exit("coverage: %s fails on its corpus" % target)
    merged = build + "/all.profdata"
    subprocess.run(["llvm-profdata-14", "merge", "-sparse", "-o", merged] + glob.glob(build + "/*.profraw"), check=True)
    return merged, programs


def export(merged, programs):
    objects = [a for p in programs[1:] for a in ("-object", p)]
    out = subprocess.run(["llvm-cov-14", "export", "-format=lcov", "-instr-profile", merged, programs[0]] + objects,
                         check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    files, name = {}, None
    for line in out.splitlines():
        key, _, value = line.partition(":")
        if key == "SF":
            name = os.path.normpath(value)
            files[name] = ({}, {})
        elif key == "FN":
            at, function = value.split(",")[:2]
            files[name][0][int(at)] = function.split(":")[-1]
        elif key == "DA":
            at, count = value.split(",")[:2]
            files[name][1][int(at)] = int(count)
    return files


def by_function(functions, lines):
    starts = sorted(functions)
    for start, end in zip(starts, starts[1:] + [1 << 30]):
        counts = [c for at, c in lines.items() if start <= at < end]
        yield functions[start], len(counts), sum(c > 0 for c in counts)


def measure(files):
    skip, total = writers(), []
    for group, text in READERS.items():
        for path, (functions, lines) in sorted(files.items()):
            short = path.partition("/src/")[2]
            if not any(fnmatch.fnmatch(short, p) for p in text.split()):
                continue
            for function, n, hit in by_function(functions, lines):
                base = os.path.basename(short)
                if not any(fnmatch.fnmatch(base, f) and fnmatch.fnmatch(function, g) for f, g in skip):
                    total.append((group, short, function, n, hit))
    return total


def main():
    rows = measure(export(*run(sys.argv[1] + "/tests/fuzz")))
    if "-f" in sys.argv:
        for group, path, function, n, hit in sorted(rows, key=lambda r: r[4] - r[3]):
            print("%5d of %4d lines missing  %s: %s" % (n - hit, n, path, function))
    print("%-8s %8s %8s %7s" % ("readers", "lines", "covered", ""))
    for group in list(READERS) + ["all"]:
        n = sum(r[3] for r in rows if group in (r[0], "all"))
        hit = sum(r[4] for r in rows if group in (r[0], "all"))
        if not n:
            sys.exit("coverage: no line of the readers of %s was found: see READERS" % group)
        print("%-8s %8d %8d %6.1f%%" % (group, n, hit, 100 * hit / n))
    return 100 * hit < BAR * n


if __name__ == "__main__":
    sys.exit(main())
