#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Links to other files: ncdump shows the same where libhdf5 cannot be loaded as where libhdf5 reads the file, or opens the
other ones; untrusted, each is a sentence.

usage: check_h5_links.py NCDUMP DIRECTORY SONAME"""
import os
import re
import subprocess
import sys

import h5py
import numpy as np

import check_h5_files


def fill(f, start):
    "Datasets of each layout, a committed type, scales, attributes and groups."
    f["plain"] = np.arange(start, start + 6, dtype=">i4").reshape(2, 3)
    f["plain"].attrs["units"] = "m"
    f.create_dataset("chunks", data=np.arange(start, start + 60, dtype="f8").reshape(6, 10), chunks=(4, 4), compression="gzip")
    f["texts"] = np.array(["a%d" % start, "b"], dtype=h5py.string_dtype())
    f["pair"] = np.dtype([("x", "i4"), ("y", "f4")])
    f.create_dataset("of_pair", data=np.array([(1, 2.5), (start, 4)], dtype=f["pair"].dtype), dtype=f["pair"])
    f["chunks"].attrs.create("of", np.array((start, 1), dtype=f["pair"].dtype), dtype=f["pair"])
    f["below/deeper/x"] = np.arange(start, start + 3, dtype="i2")
    f["below"].attrs["about"] = "group"
    f["time"] = np.arange(6, dtype="i4")
    f["time"].make_scale("time")
    f["chunks"].dims[0].attach_scale(f["time"])
    layout = h5py.VirtualLayout((2, 6), "i4")
    layout[1] = h5py.VirtualSource(".", "time", (6,))
    f.create_virtual_dataset("virtual", layout, fillvalue=-1)
    f["soft"] = h5py.SoftLink("/below/deeper/x")


def make(directory):
    "What leads where: main -> one -> two, one -> one, and to what is not there."
    os.makedirs(os.path.join(directory, "sub"), exist_ok=True)
    names = ["main.h5", "one.h5", "two.h5", os.path.join("sub", "three.h5")]
    for i, name in enumerate(names):
        with h5py.File(os.path.join(directory, name), "w", libver=["earliest", "latest"][i % 2], track_order=True) as f:
            if i:
                fill(f, 100 * i)
    with h5py.File(os.path.join(directory, "one.h5"), "a") as f:
        f["next"] = h5py.ExternalLink("two.h5", "/plain")
        f["self"] = h5py.ExternalLink("one.h5", "/below")
        f["below/beside"] = h5py.ExternalLink("two.h5", "/below")
    with h5py.File(os.path.join(directory, "main.h5"), "a") as f:
        f["own"] = np.arange(3)
        for name in ("plain", "chunks", "texts", "of_pair", "time", "virtual", "soft", "next", "self", "nothing"):
            f["to_" + name] = h5py.ExternalLink("one.h5", "/" + name)
        f["all"] = h5py.ExternalLink("two.h5", "/")
        f["through"] = h5py.SoftLink("/all/below/deeper/x")
        f["sub"] = h5py.ExternalLink("sub/three.h5", "below/deeper/x")
        f["no_file"] = h5py.ExternalLink("none.h5", "/x")
        many = f.create_group("many", track_order=True)
        for i in range(20):
            many["l%d" % i] = h5py.ExternalLink("two.h5", "/texts")
    return os.path.join(directory, "main.h5")


def make_circle(directory):
    "Links that only lead to one another, which libhdf5 1.10 does not survive, and one that leads back."
    for name, other in (("left.h5", "right.h5"), ("right.h5", "left.h5")):
        with h5py.File(os.path.join(directory, name), "w") as f:
            f["own"] = np.arange(3)
            f["circle"] = h5py.ExternalLink(other, "/circle")
            f["away"] = h5py.ExternalLink(other, "/home")
            f["home"] = h5py.ExternalLink(other, "/own")
    return os.path.join(directory, "left.h5")


def dump(ncdump, path, *options, **env):
    run = subprocess.run([ncdump, *options, path], capture_output=True, text=True, env=dict(os.environ, **env))
    return re.sub("(leads nowhere).*", r"\1", run.stdout + run.stderr)


def main():
    ncdump, directory, soname = sys.argv[1:]
    path = make(directory)
    alone = dump(ncdump, path, **check_h5_files.without(os.path.join(directory, "without"), soname))
    peers = {"all of it": dump(ncdump, path, HDF5_USE_FILE_LOCKING="FALSE"),
             "the other files": dump(ncdump, path, HDF5_EXT_PREFIX=directory)}
    for what, text in peers.items():
        lines = [(a, b) for a, b in zip(alone.splitlines(), text.splitlines()) if a != b]
        if alone != text:
            sys.exit("libhdf5 reads %s otherwise:\n%s\n%s\n%s" % (what, lines[:6], alone, text))
    if alone.count("cannot be read: it is a link that leads nowhere") != 2 or "to_next = 200, 201" not in alone.replace("\n  ", " "):
        sys.exit("links are not followed:\n" + alone)
    text = dump(ncdump, path, "--untrusted")
    if text.count("files that are not trusted are read without it") != 34 or "own = 0, 1, 2" not in text:
        sys.exit("untrusted, links are followed, or more is lost:\n" + text)
    text = dump(ncdump, make_circle(directory))
    if "circle cannot be read: it is a link that leads nowhere" not in text or "away = 0, 1, 2" not in text:
        sys.exit("a circle of links:\n" + text)


main()
