# SPDX-License-Identifier: BSD-3-Clause
"""Run in a clean environment: the package with numpy alone, in every format, by its own libraries alone."""

import importlib.util
import re
import tempfile
from pathlib import Path

import numpy as np

import cellar

# What Python and numpy bring themselves, and what every Linux has.
SYSTEM = r"(ld-linux.*|lib(c|m|dl|rt|pthread|util|resolv|gcc_s|stdc\+\+|z|expat|ffi|bz2|lzma|crypto|ssl|uuid|nss.*)[-.].*)"

for name in ("xarray", "zarr", "dask", "h5py"):
    assert importlib.util.find_spec(name) is None, f"{name} is here: the environment is not clean"
values = np.arange(6000, dtype="f4").reshape(60, 100)
with tempfile.TemporaryDirectory() as folder:
    for format in ("netcdf4", "classic", "zarr2", "zarr3"):
        path = Path(folder) / format
        with cellar.open(path, "w", format=format) as ds:
            ds.create_dimension("y", 60)
            ds.create_dimension("x", 100)
            chains = {"classic": [None]}.get(format, ["zstd", "shuffle|deflate,level=1", "blosc", "lz4", "zfp", "bzip2"])
            for i, chain in enumerate(chains):
                ds.create_variable(f"v{i}", "f4", ("y", "x"), chain=chain)[:] = values
            if format == "netcdf4":
                pair = ds.create_compound("pair", [("a", "i4"), ("b", "f8")])
                ds.create_variable("p", pair, ("x",))[3] = (1, 2.5)
        with cellar.open(path) as ds:
            for v in ds.variables.values():
                assert v.name == "p" or (v[:] == values).all(), v
maps = {line.split()[-1] for line in Path("/proc/self/maps").read_text().splitlines() if ".so" in line}
package = str(Path(cellar.__file__).parent.parent)
foreign = [m for m in maps if m.startswith(("/usr/lib", "/lib")) and not re.fullmatch(SYSTEM, Path(m).name)]
foreign = [m for m in foreign if "/python3" not in m]
assert not foreign, f"the wheel uses libraries of the system: {foreign}"
assert any("libhdf5" in m and m.startswith(package) for m in maps), "its own libhdf5 was not loaded"
print(f"cellar {cellar.__version__}: the wheel works with numpy alone")
