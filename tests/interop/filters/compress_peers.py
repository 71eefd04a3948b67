#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""compress_peers.py PROGRAM FILE OUR_PLUGINS: what nc_def_var_compress wrote, read by h5py with our
plugins, and its zfp variables by h5dump with Debian's H5Z-ZFP."""
import os
import subprocess
import sys

DEBIAN = "/usr/lib/x86_64-linux-gnu/hdf5/serial/plugins"
program, path, plugins = sys.argv[1:4]
os.environ["HDF5_PLUGIN_PATH"] = plugins
try:
    import h5py
    import numpy as np
except ImportError:
    sys.exit(77)

subprocess.run([program, path], check=True)


def expected(dataset, masked):
    i = np.arange(dataset.size)
    v = 280 + (i % 41) / 8 + (i // 41 % 512) / 64
    if masked:
        v[5] = np.nan
        v[i % 7 == 0] = np.float32(9.9692099683868690e36)
    return v.astype(dataset.dtype).reshape(dataset.shape)


def check(name, got, want, who):
    method = name.split("_")[0]
    bound = {"zfpaccuracy": 0.01, "zfprate": 1.0}.get(method, 0.0)
    if method == "zfprate" and "masked" in name:  # beside a fill value a rate keeps nothing
        return
    same = (got == want) | (np.isnan(got) & np.isnan(want))
    with np.errstate(invalid="ignore"):
        ok = same | (np.abs(got.astype("f8") - want.astype("f8")) <= bound)
    if not ok.all():
        sys.exit(f"{who}: {name}: {np.count_nonzero(~ok)} values are wrong, e.g. {got[~ok][0]} for {want[~ok][0]}")


names = []
with h5py.File(path) as f:
    for name, d in f.items():
        if "_" not in name:
            continue
        check(name, d[...], expected(d, "masked" in name), "h5py")
        names.append((name, d.shape, d.dtype, expected(d, "masked" in name)))
assert len(names) == 4 * 2 * 2 * 7, len(names)

if not os.path.exists(DEBIAN + "/libh5zzfp.so"):
    print("H5Z-ZFP is not there")
    sys.exit(0)
read = 0
for name, shape, dtype, want in names:
    if not name.startswith("zfp"):
        continue
    run = subprocess.run(["h5dump", "-d", "/" + name, "-b", "LE", "-o", path + ".bin", path], capture_output=True, text=True,
                         env=dict(os.environ, HDF5_PLUGIN_PATH=DEBIAN))
    if run.returncode or "error" in run.stderr:
        sys.exit(f"h5dump: {name}: {run.stderr}")
    check(name, np.fromfile(path + ".bin", dtype).reshape(shape), want, "h5dump with H5Z-ZFP")
    read += 1
print(f"{len(names)} variables by h5py, {read} by h5dump")
