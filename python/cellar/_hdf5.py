# SPDX-License-Identifier: BSD-3-Clause
"""Cellar's filters for h5py."""

from __future__ import annotations

import os

PLUGINS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "plugins")


def register_hdf5_plugins() -> str:
    """Let h5py (its own libhdf5) find Cellar's filters, behind those of the paths it has; gives their folder.

    Call it before a file with such a filter is read. Programs other than Python: HDF5_PLUGIN_PATH is this folder.
    """
    import h5py

    folder = os.fsencode(PLUGINS)
    known = [h5py.h5pl.get(i) for i in range(h5py.h5pl.size())]
    if folder not in known:
        h5py.h5pl.append(folder)
    return PLUGINS
