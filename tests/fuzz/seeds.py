#!/usr/bin/python3
"""Seeds others make, and those of seeds.c as inputs: seeds.py FOLDER

h5/: small files of netCDF-C and h5py, besides those of seeds_h5.c; zarr/, zip/: the stores in
stores/, as keys and values (fuzz_zarr.c) and as archives; text/, cdl/: what the tests have.
"""
import glob
import os
import sys
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
LARGEST = 12000  # bytes of a seed: small inputs are tried more often


def save(folder, name, data):
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name), "wb") as f:
        f.write(data)


def load(path):
    with open(path, "rb") as f:
        return f.read()


def make_hdf5(folder):
    sys.path.insert(0, HERE)
    import seeds_netcdf
    os.makedirs(folder, exist_ok=True)
    seeds_netcdf.make_all(folder)
    for path in glob.glob(folder + "/*"):
        if os.path.getsize(path) > LARGEST:
            os.remove(path)


def store_values(top):
    for folder, _, names in sorted(os.walk(top)):
        for name in sorted(names):
            path = os.path.join(folder, name)
            yield os.path.relpath(path, top), load(path)


def pack_store(top, name, folder):
    values = list(store_values(top))
    save(folder + "/zarr", name, b"".join(b"\xffK" + k.encode() + b"\xffV" + v for k, v in values))
    os.makedirs(folder + "/zip", exist_ok=True)
    for how, ending in ((zipfile.ZIP_STORED, ""), (zipfile.ZIP_DEFLATED, "-deflated")):
        with zipfile.ZipFile(folder + "/zip/" + name + ending, "w", how) as z:
            for k, v in values:
                z.writestr(zipfile.ZipInfo(k), v, how)


def make_texts(folder):
    with open(HERE + "/seeds_text.txt") as f:
        for i, line in enumerate(f):
            save(folder + "/text", "text%d" % i, line.rstrip("\n").encode())
    for path in glob.glob(HERE + "/../**/*.cdl", recursive=True):
        if os.path.getsize(path) < 3000:
            save(folder + "/cdl", os.path.basename(path), load(path))


if __name__ == "__main__":
    make_hdf5(sys.argv[1] + "/h5")
    for top in sorted(glob.glob(sys.argv[1] + "/stores/*")):
        pack_store(top, os.path.basename(top), sys.argv[1])
    make_texts(sys.argv[1])
