#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Untrusted mode: what ncdump shows of the sample files is what it shows otherwise, or one sentence; libhdf5 is never loaded.

usage: check_h5_untrusted.py NCDUMP DIRECTORY"""
import os
import subprocess
import sys

import h5py
import numpy as np

import make_h5_files

SENTENCE = "files that are not trusted are read without it"


def dump(ncdump, path, *options):
    "Output, messages and libraries loaded."
    env = dict(os.environ, LD_DEBUG="files", LD_DEBUG_OUTPUT=os.path.join(os.path.dirname(path), "ld"))
    run = subprocess.Popen([ncdump] + list(options) + [path], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    out, messages = run.communicate()
    log = "%s.%d" % (env["LD_DEBUG_OUTPUT"], run.pid)
    with open(log) as f:
        loaded = "libhdf5" in f.read()
    os.unlink(log)
    return run.returncode, out, messages, loaded


def make_outside(directory):
    "A file that needs others."
    other, path = os.path.join(directory, "other.h5"), os.path.join(directory, "outside.h5")
    with h5py.File(other, "w", libver="latest") as f:
        f["x"] = np.arange(4)
    with h5py.File(path, "w", libver="latest") as f:
        f["own"] = np.arange(3)
        layout = h5py.VirtualLayout(shape=(4,), dtype="i8")
        layout[:] = h5py.VirtualSource("other.h5", "x", shape=(4,))
        f.create_virtual_dataset("virtual", layout)
    return path


def check_external(ncdump, directory):
    "Values in raw files of the same folder, one shorter than it should be, are read by ourselves; nothing leads there when untrusted."
    path = os.path.join(directory, "external.h5")
    np.arange(10, dtype=">i4").tofile(os.path.join(directory, "first.raw"))
    np.arange(10, 14, dtype=">i4").tofile(os.path.join(directory, "second.raw"))
    with h5py.File(path, "w", track_order=True) as f:
        f.create_dataset("own", data=np.arange(3))
        parts = [("first.raw", 8, 32), ("second.raw", 0, h5py.h5f.UNLIMITED)]
        f.create_dataset("raw", (14,), dtype=">i4", external=parts)
    wanted = "raw = 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 0, 0 ;"
    code, out, messages, loaded = dump(ncdump, path)
    if loaded or code or wanted not in out:
        raise SystemExit("%s: libhdf5 loaded: %s\n%s%s" % (path, loaded, out, messages))
    code, out, messages, loaded = dump(ncdump, path, "--untrusted")
    if loaded or "are read without them" not in messages + out or "own = 0, 1, 2" not in out:
        raise SystemExit("%s: libhdf5 loaded: %s\n%s%s" % (path, loaded, out, messages))


def check_long_header(ncdump, directory):
    "Headers of the oldest kind to which attributes were added one by one: a block of 1 MB, and 200 blocks."
    path = os.path.join(directory, "long_header.h5")
    with h5py.File(path, "w", libver="earliest") as f:
        for i in range(300):
            f.attrs["long%d" % i] = np.arange(400) + i
        for i in range(200):
            for name in ("g", "h"):  # the other one stands behind the block, which then cannot grow
                f.require_group(name).attrs["%s%d" % (name, i)] = i
    code, out, messages, loaded = dump(ncdump, path, "--untrusted", "-h")
    if loaded or code or not all(text in out for text in (":long0 = ", ":long299 = ", ":g0 = ", ":g199 = ", ":h199 = ")):
        raise SystemExit("%s: libhdf5 loaded: %s\n%s%s" % (path, loaded, out[-500:], messages))


def main():
    ncdump, directory = sys.argv[1:]
    os.makedirs(directory, exist_ok=True)
    check_external(ncdump, directory)
    check_long_header(ncdump, directory)
    same = refused = 0
    for path in list(make_h5_files.make_all(directory)) + [make_outside(directory)]:
        code, out, messages, loaded = dump(ncdump, path, "--untrusted")
        if loaded:
            raise SystemExit("%s: libhdf5 was loaded" % path)
        if (code, out) == dump(ncdump, path)[:2] and SENTENCE not in messages:
            same += 1
        elif SENTENCE in messages + out:
            refused += 1
        else:
            raise SystemExit("%s: %s" % (path, messages))
        if "outside" in path and (SENTENCE not in messages + out or "own = 0, 1, 2" not in out):
            raise SystemExit("%s: %s%s" % (path, out, messages))
    print("%d files as always, %d with something refused" % (same, refused))
    if same < 6:
        raise SystemExit("too few are read")


if __name__ == "__main__":
    main()
