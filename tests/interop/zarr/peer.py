# SPDX-License-Identifier: BSD-3-Clause
"""What the Zarr interop scripts share: calling zarr_peer, comparing, counting."""
import os, shutil, subprocess, sys, tempfile
import numpy as np

tool = sys.argv[1]
work = tempfile.mkdtemp(prefix="cellar-zarr-")
passed, failures = 0, []

NC = {"i1": "byte", "u1": "ubyte", "i2": "short", "u2": "ushort", "i4": "int", "u4": "uint", "i8": "int64",
      "u8": "uint64", "f4": "float", "f8": "double"}


def run(*args):
    r = subprocess.run([tool, *args], capture_output=True, text=True)
    if r.returncode:
        raise AssertionError(r.stderr.strip() or f"exit code {r.returncode}")
    return r.stdout


def get(url, var):
    """(type name, values) as our library reads them."""
    out = os.path.join(work, "out.bin")
    head = run("get", url, var, out).split()
    shape = tuple(map(int, head[1:]))
    if head[0] == "string":
        with open(out, encoding="utf-8") as f:
            return head[0], np.array(f.read().split("\n")[:-1], dtype=object).reshape(shape)
    codes = {v: k for k, v in NC.items()}
    dtype = codes.get(head[0], "V" if head[0] != "char" else "S1")
    if dtype == "V":
        return head[0], open(out, "rb").read()
    return head[0], np.fromfile(out, dtype=dtype).reshape(shape)


def put(url, var, values, chunks=(), chain="", nctype=None):
    name = os.path.join(work, "in.bin")
    if nctype == "string":
        with open(name, "w", encoding="utf-8") as f:
            f.write("".join(s + "\n" for s in values.ravel()))
    else:
        np.ascontiguousarray(values).tofile(name)
    text = lambda t: ",".join(map(str, t))
    run("put", url, var, nctype or NC[values.dtype.str[1:]], text(values.shape), text(chunks), chain, name)


def same(a, b):
    a, b = np.asarray(a), np.asarray(b)
    if a.dtype.kind in "fc" and b.dtype.kind in "fc":
        return a.shape == b.shape and np.array_equal(a, b, equal_nan=True)
    return a.shape == b.shape and np.array_equal(a, b)


def case(name, act):
    global passed
    try:
        act()
        passed += 1
    except Exception as e:
        failures.append(name)
        print(f"FAILED {name}: {type(e).__name__}: {e}")


def fresh(name):
    path = os.path.join(work, name)
    shutil.rmtree(path, ignore_errors=True)
    if os.path.isfile(path):
        os.remove(path)
    return path


def finish():
    shutil.rmtree(work, ignore_errors=True)
    print(f"{passed} passed, {len(failures)} failed")
    sys.exit(1 if failures else 0)


def sample(dtype, shape):
    n = int(np.prod(shape)) if shape else 1
    if np.dtype(dtype).kind == "f":
        values = np.sin(np.arange(n) * 0.1) * 1000
    elif np.dtype(dtype).kind == "b":
        values = np.arange(n) % 3 == 0
    else:
        values = np.arange(n) * 7 % 120
    return values.astype(dtype).reshape(shape)
