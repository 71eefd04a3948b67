# SPDX-License-Identifier: BSD-3-Clause
"""`import cellar.netcdf4` before `import netCDF4` puts netCDF4-python on Cellar.

The wheel of netCDF4 brings a libnetcdf whose name has a hash in it. A library of that name which is loaded already is
the one its module gets: here one of netCDF's functions that jump to Cellar's. Its own libhdf5, and h5py's, are left alone.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import struct
import sys
import tempfile
from pathlib import Path

PLACEHOLDER = b"libnetcdf-of-cellar-this-name-is-replaced-by-the-one-that-is-wanted.so"


def _module() -> Path:
    spec = importlib.util.find_spec("netCDF4")
    if spec is None or spec.origin is None:
        raise ImportError("cellar.netcdf4: netCDF4 is not installed")
    found = sorted(Path(spec.origin).parent.glob("_netCDF4*.so"))
    if not found:
        raise ImportError(f"cellar.netcdf4: {Path(spec.origin).parent} has no module _netCDF4")
    return found[0]


def _needed(elf: bytes) -> list[str]:
    """The libraries that a shared object was linked with (DT_NEEDED), by its segments; 64 bits, as this process."""
    order = "<" if elf[5] == 1 else ">"
    (table,) = struct.unpack_from(order + "Q", elf, 32)
    size, count = struct.unpack_from(order + "HH", elf, 54)
    loads, dynamic = [], (0, 0)
    for i in range(count):
        kind, _, offset, address, _, length = struct.unpack_from(order + "IIQQQQ", elf, table + i * size)
        if kind == 1:  # PT_LOAD
            loads.append((address, offset, length))
        elif kind == 2:  # PT_DYNAMIC
            dynamic = (offset, length)
    entries = [struct.unpack_from(order + "qQ", elf, at) for at in range(dynamic[0], sum(dynamic), 16)]
    strings = next(value for tag, value in entries if tag == 5)  # DT_STRTAB, an address
    base = next(offset + strings - address for address, offset, length in loads if address <= strings < address + length)
    starts = [base + value for tag, value in entries if tag == 1]  # DT_NEEDED
    return [elf[start : elf.index(0, start)].decode() for start in starts]


def _wanted(module: Path) -> bytes:
    """The name of libnetcdf that the module was linked with."""
    names = [name for name in _needed(module.read_bytes()) if name.startswith("libnetcdf")]
    if len(names) != 1:
        raise ImportError(f"cellar.netcdf4: {module} is linked with {len(names)} libraries libnetcdf; one was expected")
    return names[0].encode()


def _load() -> ctypes.CDLL:
    if "netCDF4" in sys.modules:
        raise ImportError("cellar.netcdf4: netCDF4 is imported already; import cellar.netcdf4 before it")
    from . import _native  # noqa: F401 (the library that the jumps lead to is loaded first)

    jumps = Path(__file__).with_name("netcdf_jumps.so")
    if not jumps.exists():
        raise ImportError("cellar.netcdf4: there are no jumps for this processor")
    name = _wanted(_module())
    if len(name) > len(PLACEHOLDER):
        raise ImportError(f"cellar.netcdf4: the name {name.decode()} is too long")
    text = jumps.read_bytes().replace(PLACEHOLDER, name.ljust(len(PLACEHOLDER), b"\0"))
    with tempfile.TemporaryDirectory(prefix="cellar-") as folder:
        path = os.path.join(folder, name.decode())
        Path(path).write_bytes(text)
        return ctypes.CDLL(path, mode=os.RTLD_NOW | os.RTLD_LOCAL)


library = _load()
