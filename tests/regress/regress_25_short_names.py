# SPDX-License-Identifier: BSD-3-Clause
"""Classic files whose names were shortened in place have zeros behind them; they and other headers that netCDF-C takes are
read as it reads them, and go on being good files when they are changed."""
import ctypes, os, shutil, struct, subprocess, sys, tempfile

TOOLS = os.environ["CEL_TEST_TOOLS"]
scratch = tempfile.mkdtemp(prefix="regress_25.")
failures = 0


def complain(text):
    global failures
    failures += 1
    print("FAILED:", text)


def name(raw, pad, count):
    return struct.pack(">" + count, len(raw)) + raw + (pad * 3)[:-len(raw) % 4]


def make(path, dim=b"x", var=b"v", att=b"a", pad=b"\0", empty=b"\0\0\0\0", vsize=12, kind=1):
    n, offset = ("q" if kind == 5 else "i"), ("i" if kind == 1 else "q")

    def build(begin):
        out = b"CDF" + bytes([kind]) + struct.pack(">" + n, 0)
        out += struct.pack(">i" + n, 10, 1) + name(dim, pad, n) + struct.pack(">" + n, 3)
        out += empty + struct.pack(">" + n, 0)
        out += struct.pack(">i" + n, 11, 1) + name(var, pad, n) + struct.pack(">" + n + n, 1, 0)
        out += struct.pack(">i" + n, 12, 1) + name(att, pad, n) + struct.pack(">i" + n, 2, 1) + b"K" + pad * 3
        return out + struct.pack(">i" + n + offset, 4, vsize, begin)
    header = build(len(build(0)))
    with open(path, "wb") as f:
        f.write(header + struct.pack(">iii", 1, 2, 3))


def dump(path):
    return subprocess.run([os.path.join(TOOLS, "ncdump"), "-n", "f", path], capture_output=True, text=True)


def expected(dim, var, att):
    return ("netcdf f {\ndimensions:\n\t%s = 3 ;\nvariables:\n\tint %s(%s) ;\n\t\t%s:%s = \"K\" ;\ndata:\n\n %s = 1, 2, 3 ;\n}\n"
            % (dim, var, dim, var, att, var))


def check(what, path, dim="x", var="v", att="a"):
    got = dump(path)
    if got.returncode != 0 or got.stdout != expected(dim, var, att):
        complain("%s: %s%s" % (what, got.stdout, got.stderr))


for kind in (1, 2, 5):
    path = os.path.join(scratch, "kind%d.nc" % kind)
    make(path, dim=b"lon" + b"\0" * 6, var=b"t" + b"\0" * 10, att=b"units" + b"\0" * 4, kind=kind)
    check("names with zeros behind them, kind %d" % kind, path, "lon", "t", "units")
    copy = os.path.join(scratch, "copy.nc")
    subprocess.run([os.path.join(TOOLS, "nccopy"), path, copy])
    check("a copy, kind %d" % kind, copy, "lon", "t", "units")
    make(path, pad=b"Z", kind=kind)
    check("padding that is not zero, kind %d" % kind, path)
    make(path, empty=struct.pack(">i", 10), kind=kind)
    check("an empty list with another list's mark, kind %d" % kind, path)
    make(path, vsize=999, kind=kind)
    check("a wrong size, kind %d" % kind, path)
    for what in ("dim", "var", "att"):
        make(path, kind=kind, **{what: b""})
        if dump(path).returncode != 0:
            complain("an empty name, kind %d: %s" % (kind, dump(path).stderr))


def shorten_with_netcdf_c(path):
    """What netCDF-C itself leaves: the names are renamed in data mode."""
    nc = ctypes.CDLL("libnetcdf.so.19")
    ids = [ctypes.c_int() for _ in range(3)]
    file, dim, var = (ctypes.byref(i) for i in ids)
    nc.nc_create(path.encode(), 0, file)
    nc.nc_def_dim(ids[0], b"longitude", ctypes.c_size_t(3), dim)
    nc.nc_def_var(ids[0], b"temperature", 4, 1, dim, var)
    nc.nc_put_att_text(ids[0], ids[2], b"unitsofit", ctypes.c_size_t(1), b"K")
    nc.nc_enddef(ids[0])
    nc.nc_put_var_int(ids[0], ids[2], (ctypes.c_int * 3)(1, 2, 3))
    nc.nc_rename_dim(ids[0], ids[1], b"lon")
    nc.nc_rename_var(ids[0], ids[2], b"t")
    nc.nc_rename_att(ids[0], ids[2], b"unitsofit", b"units")
    return nc.nc_close(ids[0])


try:
    path = os.path.join(scratch, "theirs.nc")
    if shorten_with_netcdf_c(path) != 0:
        complain("netCDF-C could not write the file")
    check("renamed by netCDF-C", path, "lon", "t", "units")
except OSError:
    print("NOT RUN: libnetcdf.so.19 is not installed; files made by hand were checked")
shutil.rmtree(scratch)
print("%d failures" % failures)
sys.exit(failures != 0)
