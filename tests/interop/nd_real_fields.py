# SPDX-License-Identifier: BSD-3-Clause
"""nccopy -F "*,ndlorenzo|shuffle|zstd,level=3" on real fields of Debian's data packages: smaller than
shuffle|zstd,level=3, values identical, and read by h5py through our plugins.
nd_real_fields.py NCCOPY PLUGINS FOLDER"""
import glob, os, subprocess, sys

NCCOPY, PLUGINS, FOLDER = sys.argv[1:4]
os.environ["HDF5_PLUGIN_PATH"] = PLUGINS
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../bench"))
import h5py, netCDF4, numpy as np
from run_bench import fetch_packages

FIELDS = [("etopo5.cdf", "ROSE"), ("rectilinear_grid_3D.nc", "t")]


def copy(chain, source, out):
    subprocess.run([NCCOPY, "-F", f"*,{chain}", source, out], check=True)
    return os.path.getsize(out)


def main():
    data = fetch_packages(FOLDER)
    for file, var in FIELDS:
        found = glob.glob(f"{data}/usr/share/**/{file}", recursive=True)
        if not found:
            print(f"NOT RUN: {file} could not be fetched (packages ferret-datasets, libncarg-data)")
            sys.exit(77)
        plain = copy("shuffle|zstd,level=3", found[0], f"{FOLDER}/plain.nc")
        lorenzo = copy("ndlorenzo|shuffle|zstd,level=3", found[0], f"{FOLDER}/lorenzo.nc")
        with netCDF4.Dataset(found[0]) as source, h5py.File(f"{FOLDER}/lorenzo.nc") as stored:
            source.set_auto_maskandscale(False)
            for name in source.variables:
                was = source[name][:]
                assert was.astype(was.dtype.newbyteorder("=")).tobytes() == np.asarray(stored[name][()], was.dtype.newbyteorder("=")).tobytes(), name
        print(f"{file}: shuffle|zstd {plain} bytes, ndlorenzo|shuffle|zstd {lorenzo} bytes")
        assert lorenzo < plain, "ndlorenzo made it larger"
        assert var in netCDF4.Dataset(found[0]).variables


main()
