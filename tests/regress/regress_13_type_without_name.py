# SPDX-License-Identifier: BSD-3-Clause
"""Types that no group lists when a file is opened: a committed type whose link is gone, used by a variable, an
attribute or another type, and a nameless part of a committed type. Each is listed before anyone asks for it."""
import os
import subprocess
import sys
import tempfile

import h5py
import numpy as np

NCDUMP = os.path.join(os.environ["CEL_TEST_TOOLS"], "ncdump")
COLOUR = h5py.enum_dtype({"red": 1, "blue": 2}, "u1")
PAIR = np.dtype([("i", "<i4"), ("colour", COLOUR)])


def commit_and_unlink(f, dtype):
    f["gone"] = dtype
    t = f["gone"]
    del f["gone"]
    return t


def variable(f):
    t = commit_and_unlink(f, PAIR)
    f.create_group("g").create_dataset("v", (2,), dtype=t)


def attribute(f):
    t = commit_and_unlink(f, PAIR)
    f.create_dataset("v", (2,), "i4").attrs.create("a", np.zeros(2, PAIR), dtype=t)


def attributes_of_two_types(f):
    for name, dtype in (("a", PAIR), ("b", COLOUR)):
        f.attrs.create(name, np.zeros(2, dtype), dtype=commit_and_unlink(f, dtype))


def many_attributes(f):
    t = commit_and_unlink(f, PAIR)
    v = f.create_dataset("v", (2,), "i4", track_order=True)
    for i in range(20):
        v.attrs.create(f"a{i}", np.zeros(2, PAIR), dtype=t)


def part_of_a_named_type(f):
    f["pair"] = PAIR


def variable_of_a_named_type(f):
    f["pair"] = PAIR
    f.create_dataset("v", (2,), dtype=f["pair"])


def dump(path):
    run = subprocess.run([NCDUMP, path], capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f"ncdump ended with {run.returncode}: {run.stderr}")
    return run.stdout


def main():
    cases = (variable, attribute, attributes_of_two_types, many_attributes, part_of_a_named_type, variable_of_a_named_type)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "f.h5")
        for libver in ("earliest", "latest"):
            for case in cases:
                with h5py.File(path, "w", libver=libver) as f:
                    case(f)
                text = dump(path)
                for words in ("ubyte enum ", "red = 1", "compound "):
                    if words not in text:
                        sys.exit(f"{case.__name__}, {libver}: no '{words}' in\n{text}")
                print(case.__name__, libver, "ok")


main()
