#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""netCDF-C's own test programs (programs.txt), unchanged, compiled and run against an installed prefix.

usage: programs.py SOURCE PREFIX [PART]   SOURCE: netCDF-C's source tree; only names with PART in them, if given"""
import concurrent.futures
import glob
import os
import shutil
import subprocess
import sys
import tempfile

from build import HERE, Library, expectations, first_line, verdict

SECONDS = 900  # a hang
# Programs of several files.
MORE = {"nc_test/nc_test": ["error.c", "test_get.c", "test_put.c", "test_read.c", "test_write.c", "util.c"]}
# Tests that declare calls for Fortran themselves, which no public header of netCDF-C does: the library's come first.
FORTRAN = {"nc_test4/tst_files", "nc_test4/tst_vars2"}


def wanted(part):
    folder = None
    with open(HERE + "/programs.txt") as f:
        for line in f:
            if line.startswith("["):
                folder = line.strip("[]\n")
            elif not line.startswith("#"):
                yield from (f"{folder}/{name}" for name in line.split() if part in f"{folder}/{name}")


class Runner:
    def __init__(self, library, scratch):
        self.library, self.scratch = library, scratch
        self.plugins = scratch + "/plugins"
        library.make_shim(scratch + "/shim")
        library.make_plugins(self.plugins)

    def compile(self, test, program):
        source, folder = self.library.source, os.path.dirname(test)
        files = [f"{source}/{test}.c"] + [f"{source}/{folder}/{f}" for f in MORE.get(test, [])]
        more = ["-DTESTNCZARR"] if folder == "nczarr_test" else []
        more += ["-include", "netcdf_f.h"] if test in FORTRAN else []
        more += ["-DHAVE_CONFIG_H", "-include", "longlong.h"] if test in MORE else []
        return self.library.compile(files, program, *more, f"-I{source}/{folder}")

    def copy_inputs(self, test, to):
        source, folder = self.library.source, os.path.dirname(test)
        for pattern in (f"{folder}/ref_*", f"{folder}/*.cdl", f"{folder}/*.h5", "nc_test4/ref_*.nc"):
            for file in glob.glob(f"{source}/{pattern}"):
                if os.path.isfile(file):
                    shutil.copy(file, to)

    def run(self, test):
        program = f"{self.scratch}/{test.replace('/', '__')}"
        why = self.compile(test, program)
        if why:
            return test, False, "not built: " + first_line(why)
        folder = program + ".d"
        os.makedirs(folder)
        self.copy_inputs(test, folder)
        env = dict(os.environ, srcdir=f"{self.library.source}/{os.path.dirname(test)}", HDF5_PLUGIN_PATH=self.plugins)
        try:
            if test in MORE:  # its input is made by itself
                subprocess.run([program, "-c"], cwd=folder, env=env, capture_output=True, timeout=SECONDS)
            done = subprocess.run([program], cwd=folder, env=env, capture_output=True, text=True, errors="replace",
                                  timeout=SECONDS, stdin=subprocess.DEVNULL)
            return test, done.returncode == 0, (done.stdout[-120:] + done.stderr[-200:]).strip().replace("\n", " | ")
        except subprocess.TimeoutExpired:
            return test, False, f"not finished after {SECONDS} s"
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def main():
    source, prefix = (os.path.abspath(path) for path in sys.argv[1:3])
    part = sys.argv[3] if len(sys.argv) > 3 else ""
    expected = expectations(HERE + "/expected.txt", "program")
    with tempfile.TemporaryDirectory(prefix="cellar-netcdf-") as scratch:
        runner = Runner(Library(prefix, source), scratch)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            results = list(pool.map(runner.run, wanted(part)))
    return verdict(results, expected, "programs")


sys.exit(main())
