#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""netCDF-C's own shell test scripts, unchanged, with the tools of an installed prefix.

usage: scripts.py SOURCE PREFIX AUX [PART]   SOURCE: netCDF-C's source tree; AUX: its library, built from there, or -;
only scripts with PART in their names, if given.
A build tree as automake would leave it is made in a scratch folder: the scripts' folders, test_common.sh and
findplugin.sh with their @...@ filled in, links to the tools, the test plugins, and the helper programs, compiled against
the library under test. Helpers that look into netCDF-C's insides (zmapio, ut_map, ...) are the tests' own instruments,
not what is tested: they are linked to the library in AUX. TOOLS=FOLDER runs other tools than the prefix's, so that one
can see which scripts netCDF-C's own pass here. KEEP=FOLDER keeps the tree, with a log of each script in logs/."""
import glob
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile

from build import HERE, Library, expectations, output, verdict

SECONDS = 900  # a hang
FOLDERS = ["ncdump", "nc_test4", "nczarr_test", "nc_test", "examples/C"]
# Parts of other scripts; servers in the cloud; hours or gigabytes; what netCDF-C's Makefile.am leaves out itself.
SKIP = set("""test_nczarr.sh clear_cache.sh make_test_file.sh run_external.sh test_byterange.sh run_cygutf8.sh
tst_ncgen_shared.sh tst_ncgen4_cycle.sh tst_ncgen4_diff.sh test_ncdump.sh tst_filterinstall.sh tst_unknown.sh
run_unknown.sh run_ut_chunk.sh run_it_chunks1.sh run_perf_chunks1.sh run_cachetest.sh run_chunkcases.sh
run_diskless2.sh run_put_vars_two_unlim_dim.sh run_filterinstall.sh tst_iter.sh findplugin.sh""".split())
# Scripts and programs of nczarr_test that its Makefile.am makes from others.
MADE_SCRIPTS = {"run_specific_filters.sh": "nc_test4/tst_specific_filters.sh",
                "run_filter_vlen.sh": "nc_test4/tst_filter_vlen.sh", "run_mud.sh": "ncdump/tst_mud.sh",
                "run_nccopy5.sh": "ncdump/tst_nccopy5.sh", "run_filter_misc.sh": "nc_test4/tst_filter_misc.sh"}
MADE_PROGRAMS = {"test_quantize.c": "nc_test4/tst_quantize.c", "test_filter_vlen.c": "nc_test4/tst_filter_vlen.c",
                 "test_unlim_vars.c": "nc_test4/tst_unlim_vars.c", "test_endians.c": "nc_test4/tst_h5_endians.c",
                 "test_put_vars_two_unlim_dim.c": "nc_test4/tst_put_vars_two_unlim_dim.c",
                 "test_chunking.c": "ncdump/tst_chunking.c"}
FIRST = ["tst_output.sh", "run_tests.sh", "run_ncgen_tests.sh", "tst_ncgen4.sh", "tst_netcdf4.sh", "tst_netcdf4_4.sh"]
LAST = ["tst_nccopy3.sh", "tst_nccopy4.sh", "tst_nccopy5.sh"]  # read what the others leave
SETTINGS = dict(HAS_HDF5="yes", HAS_PARALLEL="no", DO_FILTER_TESTS="yes", HAS_NCZARR="yes", HAS_NCZARR_ZIP="no",
                USEPLUGINS="yes", NETCDF_ENABLE_S3_TESTING="no", HAS_S3="no", HAS_BYTERANGE="no", DO_LARGE_TESTS="no",
                TESTUID="1")
# Filters the library has itself: the scripts only look whether a file of this name is there.
BUILT_IN = ["bzip2", "deflate", "zstd", "blosc", "shuffle", "fletcher32", "szip"]


def read(path):
    with open(path, errors="replace") as f:
        return f.read()


def write(path, text, mode=0o644):
    with open(path, "w") as f:
        f.write(text)
    os.chmod(path, mode)


class Tree:
    """The build tree the scripts run in."""

    def __init__(self, library, aux, top):
        self.library, self.aux, self.top = library, aux, top
        self.tools = os.environ.get("TOOLS") or library.prefix + "/bin"
        os.makedirs(top + "/logs")
        for folder in FOLDERS + ["ncgen", "ncgen3", "plugins"]:
            shutil.copytree(f"{library.source}/{folder}", f"{top}/{folder}", symlinks=True)
        library.make_shim(top + "/shim")
        self.make_sources()
        library.make_plugins(top + "/plugins/.libs")
        for name in BUILT_IN:
            library.compile(["-x", "c", "/dev/null"], f"{top}/plugins/.libs/lib__nch5{name}.so", "-shared", "-fPIC")
        self.fill_templates()
        self.link_tools()

    def make_sources(self):
        for name, origin in MADE_PROGRAMS.items():
            write(f"{self.top}/nczarr_test/{name}", "#define TESTNCZARR\n" + read(f"{self.library.source}/{origin}"))
        for name, origin in MADE_SCRIPTS.items():
            text = read(f"{self.library.source}/{origin}").replace("\r", "")
            write(f"{self.top}/nczarr_test/{name}", "#!/bin/bash\nTESTNCZARR=1\n" + text)

    def fill_templates(self):
        values = dict(SETTINGS, abs_top_srcdir=self.top, abs_top_builddir=self.top)
        targets = {"test_common.in": ["test_common.sh"], "plugins/findplugin.in": [f + "/findplugin.sh" for f in FOLDERS]}
        for template, names in targets.items():
            text = re.sub(r"@(\w+)@", lambda m: values.get(m.group(1), ""), read(f"{self.library.source}/{template}"))
            for name in names:
                write(f"{self.top}/{name}", text)
        write(self.top + "/config.h", read(self.library.shim + "/config.h") + "#define ENABLE_CDF5 1\n")
        write(self.top + "/libnetcdf.settings", "NCZarr Support: yes\nHDF5 Support: yes\n")

    def link_tools(self):
        """In both folders, since some scripts look for a tool in the other's."""
        for folder in ("ncdump", "ncgen"):
            for tool in ("ncdump", "nccopy", "ncgen"):
                os.symlink(os.path.realpath(f"{self.tools}/{tool}"), f"{self.top}/{folder}/{tool}")
        ncgen3 = shutil.which("ncgen3")
        if ncgen3:
            os.symlink(ncgen3, self.top + "/ncgen3/ncgen3")
        write(self.top + "/ncdump/ncpathcvt", "#!/bin/sh\nfor path; do :; done; echo \"$path\"\n", 0o755)

    def scripts(self, part):
        def order(test):
            folder, name = test.rsplit("/", 1)
            late = LAST.index(name) + 1 if name in LAST else 0
            return FOLDERS.index(folder), FIRST.index(name) if name in FIRST else 50 + late, name

        found = [os.path.relpath(s, self.top) for f in FOLDERS for s in glob.glob(f"{self.top}/{f}/*.sh")]
        return sorted((s for s in found if os.path.basename(s) not in SKIP and part in s), key=order)

    def compile_helpers(self, folders):
        """The programs that scripts call, by the words that stand in them."""
        text = "".join(read(f) for f in glob.glob(self.top + "/*/*.sh") + glob.glob(self.top + "/*/C/*.sh"))
        named = set(re.findall(r"[/ ](\w[\w-]*)", text)) | {"ref_ctest", "ref_ctest64", "tst_open_cdf5", "ncfilteravail"}
        missing, inside = [], []
        for folder in sorted(folders | {"ncdump"}):
            for file in sorted(glob.glob(f"{self.top}/{folder}/*.c")):
                name = os.path.basename(file)[:-2]
                if name in named - {"ncdump", "nccopy", "ncgen"} and re.search(r"\bmain\s*\(", read(file)):
                    if self.compile_helper(folder, name):
                        continue
                    (inside if self.compile_inside(folder, name) else missing).append(f"{folder}/{name}")
        if inside:
            print("helpers that need netCDF-C's insides, linked to its own library:", *inside)
        if missing:
            print("helpers that need netCDF-C's insides, not built:", *missing)

    def compile_helper(self, folder, name):
        source, here = self.library.source, f"{self.top}/{folder}"
        files = [f"{here}/{name}.c"]
        if '"test_utils.h"' in read(files[0]) and os.path.exists(here + "/test_utils.c"):
            files.append(here + "/test_utils.c")
        if name == "nc_test":
            files += [f"{here}/{x}.c" for x in ("error", "test_get", "test_put", "test_read", "test_write", "util")]
        more = ["-DHAVE_CONFIG_H", f"-I{here}", f"-I{self.top}/plugins"]
        lists = ["-idirafter", f"{source}/libnczarr", f"{source}/libdispatch/nclist.c", f"{source}/libdispatch/ncbytes.c"]
        return not self.library.compile(files, f"{here}/{name}", *more) or \
            not self.library.compile(files, f"{here}/{name}", *more, *lists)

    def compile_inside(self, folder, name):
        """With netCDF-C's private headers and its own library."""
        if not self.aux:
            return False
        source, here = self.library.source, f"{self.top}/{folder}"
        more = ["ut_util", "ut_test"] if name.startswith("ut_") else ["nc4printer"] if name == "nc4print" else []
        if '"test_utils.h"' in read(f"{here}/{name}.c"):
            more.append("test_utils")
        folders = [self.aux, self.aux + "/include", *(f"{source}/{x}" for x in ("include", "libnczarr", "libdispatch", "libhdf5")),
                   here, f"{self.top}/plugins"]
        hdf5 = output(["pkg-config", "--cflags", "--libs", "hdf5"])
        command = ["cc", "-w", "-O0", "-DHAVE_CONFIG_H", *(f"{here}/{x}.c" for x in [name, *more]), "-o", f"{here}/{name}",
                   *("-I" + x for x in folders), f"-L{self.aux}", f"-Wl,-rpath,{self.aux}", "-lnetcdf", *hdf5, "-lm"]
        return subprocess.run(command, capture_output=True).returncode == 0

    def run(self, command, folder, log):
        env = {k: v for k, v in os.environ.items() if k not in ("HDF5_PLUGIN_PATH", "srcdir")}
        env.update(HOME=self.top, LC_ALL="C.UTF-8", srcdir=f"{self.top}/{folder}",
                   LD_LIBRARY_PATH=":".join(self.library.folders))
        with open(log, "w") as out:
            process = subprocess.Popen(command, cwd=f"{self.top}/{folder}", env=env, stdout=out, stderr=out,
                                       stdin=subprocess.DEVNULL, start_new_session=True)
            try:
                return process.wait(SECONDS)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                return None

    def run_script(self, test):
        folder, name = test.rsplit("/", 1)
        log = f"{self.top}/logs/{test.replace('/', '__')}.log"
        code = self.run(["bash", f"{self.top}/{test}"], folder, log)
        why = f"not finished after {SECONDS} s" if code is None else " | ".join(read(log).strip().split("\n")[-3:])[-300:]
        return test, code, why


def main():
    source, prefix, aux = sys.argv[1:4]
    part = sys.argv[4] if len(sys.argv) > 4 else ""
    top = os.environ.get("KEEP") or tempfile.mkdtemp(prefix="cellar-netcdf-")
    shutil.rmtree(top, ignore_errors=True)
    tree = Tree(Library(prefix, source), "" if aux == "-" else os.path.abspath(aux), top)
    scripts = tree.scripts(part)
    tree.compile_helpers({os.path.dirname(s) for s in scripts})
    for name in ("ref_ctest", "ref_ctest64"):  # make files that scripts compare
        if os.path.exists(f"{top}/ncdump/{name}"):
            tree.run([f"{top}/ncdump/{name}"], "ncdump", f"{top}/logs/{name}.log")
    results = []
    for script in scripts:
        test, code, why = tree.run_script(script)
        if code == 77:
            print(f"{test}: skipped by itself: {why}")
        else:
            results.append((test, code == 0, why))
    if not os.environ.get("KEEP"):
        shutil.rmtree(top, ignore_errors=True)
    return verdict(results, expectations(HERE + "/expected.txt", "script"), "scripts")


sys.exit(main())
