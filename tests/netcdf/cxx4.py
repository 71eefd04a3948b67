#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""netCDF-C++4 and its own tests, unchanged, compiled and run against an installed prefix: its headers use nearly every
call of the C interface, from C++.

usage: cxx4.py SOURCE PREFIX [PART]   SOURCE: netCDF-C++4's source tree; only names with PART in them, if given"""
import concurrent.futures
import glob
import os
import subprocess
import sys
import tempfile

from build import HERE, Library, expectations, verdict

SECONDS = 300  # a hang
# cxx4/Makefile.am and examples/Makefile.am: the programs of their TESTS, and test_filter. A reader comes after the writer of its file.
TESTS = ["test_classic", "test_group", "test_dim", "test_att", "test_var", "test_var2", "test_type", "test_open_close",
         "test_ncFile_Flags", "test_filter"]
EXAMPLES = ["simple_xy_wr", "sfc_pres_temp_wr", "pres_temp_4D_wr", "simple_xy_rd", "sfc_pres_temp_rd", "pres_temp_4D_rd",
            "simple_xy_wr_formats"]


class Cxx:
    def __init__(self, library, scratch):
        self.library, self.scratch = library, scratch
        self.flags = ["-w", "-O0", "-std=c++11", f"-I{library.source}/cxx4", *library.includes]

    def run(self, command, cwd=None):
        try:
            done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, errors="replace", timeout=SECONDS,
                                  stdin=subprocess.DEVNULL)
            return done.returncode, (done.stdout[-100:] + done.stderr[-200:]).strip().replace("\n", " | ")
        except subprocess.TimeoutExpired:
            return None, f"not finished after {SECONDS} s"

    def make_library(self):
        sources = glob.glob(f"{self.library.source}/cxx4/nc*.cpp")
        compile_one = lambda s: self.run(["g++", "-c", *self.flags, s], self.scratch)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            failed = [why for code, why in pool.map(compile_one, sources) if code != 0]
        if failed:
            raise SystemExit(f"netCDF-C++4 does not compile: {failed[0]}")
        subprocess.run(["ar", "rcs", "libnetcdf_c++4.a", *glob.glob(self.scratch + "/*.o")], cwd=self.scratch, check=True)

    def test(self, folder, name):
        program = f"{self.scratch}/{name}"
        code, why = self.run(["g++", *self.flags, f"{self.library.source}/{folder}/{name}.cpp", "-o", program,
                              f"{self.scratch}/libnetcdf_c++4.a", *self.library.libs])
        if code == 0:
            code, why = self.run([program], self.scratch)
        else:
            why = "not built: " + why
        return f"{folder}/{name}", code == 0, why


def main():
    source, prefix = (os.path.abspath(path) for path in sys.argv[1:3])
    part = sys.argv[3] if len(sys.argv) > 3 else ""
    wanted = [(folder, name) for folder, names in (("cxx4", TESTS), ("examples", EXAMPLES)) for name in names
              if part in f"{folder}/{name}"]
    if not wanted:
        return 0
    with tempfile.TemporaryDirectory(prefix="cellar-netcdf-") as scratch:
        cxx = Cxx(Library(prefix, source), scratch)
        cxx.make_library()
        results = [cxx.test(folder, name) for folder, name in wanted]
    return verdict(results, expectations(HERE + "/expected.txt", "cxx4"), "programs of netCDF-C++4")


sys.exit(main())
