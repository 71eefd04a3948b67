# SPDX-License-Identifier: BSD-3-Clause
"""What both runners (programs.py, scripts.py) need to build netCDF-C's tests against a library: the flags of an installed
prefix, stand-ins for netCDF-C's private headers, and the filter plugins its tests load."""
import glob
import os
import re
import shutil
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))

# name of the plugin, its sources in plugins/, definitions
PLUGINS = [
    ("h5noop", ["H5Znoop.c", "H5Zutil.c"], []),
    ("h5noop1", ["H5Znoop.c", "H5Zutil.c"], ["-DNOOP_INSTANCE=1"]),
    ("h5misc", ["H5Zmisc.c", "H5Zutil.c"], []),
    ("h5unknown", ["H5Zunknown.c"], []),
    ("zmisc", ["NCZmisc.c"], []),
]


def output(command, **env):
    return subprocess.run(command, env=dict(os.environ, **env), capture_output=True, text=True).stdout.split()


class Library:
    """The library under test, as pkg-config describes it, and netCDF-C's source tree."""

    def __init__(self, prefix, source):
        self.prefix, self.source = prefix, source
        path = ":".join(glob.glob(prefix + "/lib*/pkgconfig") + glob.glob(prefix + "/lib/*/pkgconfig"))
        self.includes = output(["pkg-config", "--cflags", "cellar"], PKG_CONFIG_PATH=path)
        self.libs = output(["pkg-config", "--libs", "cellar"], PKG_CONFIG_PATH=path)
        if not self.includes:
            raise SystemExit(f"no cellar.pc under {prefix}")
        self.folders = [flag[2:] for flag in self.libs if flag.startswith("-L")]
        hdf5 = output(["pkg-config", "--cflags", "--libs", "hdf5"])
        self.includes += [flag for flag in hdf5 if flag.startswith("-I")]
        self.libs += ["-Wl,-rpath," + folder for folder in self.folders]
        self.libs += [flag for flag in hdf5 if not flag.startswith("-I")] + ["-lhdf5_hl", "-lhdf5", "-lm"]
        self.shim = None

    def compile(self, sources, out, *more, libs=()):
        """Link a program; what the compiler said, empty when all went well. netCDF-C's own headers come last."""
        command = ["cc", "-w", "-O0", *sources, "-o", out, f"-I{self.shim}", *more, *self.includes,
                   "-idirafter", f"{self.source}/include", *libs, *self.libs]
        done = subprocess.run(command, capture_output=True, text=True)
        return (done.stderr or "the compiler failed") if done.returncode else ""

    def make_shim(self, folder):
        """Private headers the tests include: ours, and netCDF-C's that are only macros for tests."""
        shutil.copytree(HERE + "/shim", folder)
        for header in ("nc_test4/err_macros.h", "include/err_macros.h", "nc_test/nc_tests.h", "include/nc_tests.h",
                       "plugins/h5misc.h", "plugins/h5noop.h", "nc_test4/test_utils.h"):
            if os.path.exists(f"{self.source}/{header}"):
                shutil.copy(f"{self.source}/{header}", folder)
        with open(folder + "/longlong.h", "w") as f:
            f.write("typedef long long longlong;\ntypedef unsigned long long ulonglong;\n")
        self.shim = folder

    def make_plugins(self, folder):
        os.makedirs(folder, exist_ok=True)
        for name, files, defines in PLUGINS:
            sources = [f"{self.source}/plugins/{f}" for f in files if os.path.exists(f"{self.source}/plugins/{f}")]
            why = self.compile(sources, f"{folder}/lib__nc{name}.so", "-shared", "-fPIC", *defines,
                               f"-I{self.source}/plugins")
            if why:
                print(f"NOT BUILT: plugin {name}: {first_line(why)}")


def first_line(text):
    missing = re.findall(r"undefined reference to `(\w+)'|implicit declaration of function .(\w+)", text)
    return " ".join(sorted({a or b for a, b in missing})[:6]) or (text.strip().split("\n") or [""])[0]


def expectations(path, kind):
    """{test: reason} of those that are known to end otherwise than netCDF-C's authors want."""
    found = {}
    with open(path) as f:
        for line in f:
            part = line.rstrip("\n").split("\t")
            if len(part) == 3 and part[0] == kind:
                found[part[1]] = part[2]
    return found


def verdict(results, expected, what):
    """Print a line a folder and the sum. Fails when a test fails that is not expected to, or passes that is."""
    folders = {}
    for name, passed, _ in results:
        count = folders.setdefault(name.rsplit("/", 1)[0], [0, 0])
        count[0] += passed
        count[1] += 1
    wrong = 0
    for name, passed, why in results:
        if passed and name in expected:
            print(f"{name} passes now: strike its row ({expected[name]})")
        elif not passed and name in expected:
            print(f"{name}: known: {expected[name]}")
            continue
        elif passed:
            continue
        else:
            print(f"{name} FAILED: {why}")
        wrong += 1
    for folder, (passed, total) in sorted(folders.items()):
        print(f"{folder}: {passed} of {total}")
    print(f"{sum(passed for _, passed, _ in results)} of {len(results)} {what} pass, {wrong} not as expected")
    return 1 if wrong or not results else 0
