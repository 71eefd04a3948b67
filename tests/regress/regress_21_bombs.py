# SPDX-License-Identifier: BSD-3-Clause
"""Files that are small and unpack to much: the library takes little memory, says which limit was met and what lifts it, and reads
them once it is lifted."""
import json, os, shutil, struct, subprocess, sys, tempfile, zipfile, zlib

try:
    import h5py
except ImportError:
    h5py = None
    print("NOT RUN: strings of HDF5, h5py is not there")

TOOLS = os.environ["CEL_TEST_TOOLS"]
WALK = os.path.join(os.environ["CEL_TEST_BUILD"], "tests", "regress", "walk_all")
MOST = 300 << 20  # bytes of memory; each of these files took far more, or unpacks to more
SANITIZED = bool(os.environ.get("CEL_TEST_SANITIZE"))  # then memory says nothing
scratch = tempfile.mkdtemp(prefix="regress_21_", dir=os.environ.get("TMPDIR") or os.environ["CEL_TEST_BUILD"])
failures = 0
GROUP = json.dumps({"zarr_format": 2})


def complain(text):
    global failures
    failures += 1
    print("FAILED:", text)


def archive(name, documents):
    path = os.path.join(scratch, name + ".zip")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as f:
        for key, document in documents.items():
            f.writestr(key, document)
    return path


def array(**changes):
    return json.dumps({"zarr_format": 2, "shape": [4], "chunks": [4], "dtype": "|O", "compressor": {"id": "zlib", "level": 9},
                       "fill_value": None, "filters": [{"id": "vlen-utf8"}], "order": "C", **changes})


def run(command, **environment):
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", env={**os.environ, **environment})
    return done, done.stdout + done.stderr


def memory(path, **environment):
    """The most that opening it takes; what it takes at a limit comes with it."""
    done, text = run([WALK, path], **environment)
    if done.returncode != 0:
        complain("%s: %s" % (path, text))
        return 0
    return int(done.stdout)


def check_metadata(label, text):
    path = archive(label, {".zgroup": GROUP, ".zattrs": text})
    if not SANITIZED and memory(path) > MOST:
        complain("%s: %d MB for %d bytes" % (label, memory(path) >> 20, os.path.getsize(path)))
    done, said = run([TOOLS + "/ncdump", "-h", path])
    if done.returncode != 0 or ":attributes cannot be read: " not in said or "CELLAR_MAX_DECODED" not in said:
        complain("%s: exit %d: %s" % (label, done.returncode, said[-500:]))


def check_lifted():
    text = '{"a":"' + "x" * (8 << 20) + '"}'
    path = archive("lifted", {".zgroup": GROUP, ".zattrs": text})
    done, said = run([TOOLS + "/ncdump", "-h", path], CELLAR_MAX_DECODED="16M")
    if done.returncode != 0 or "cannot be read" in said or len(done.stdout) < 8 << 20:
        complain("lifted: exit %d: %s" % (done.returncode, said[-500:]))


def check_chunk(label, chunk, **changes):
    path = archive(label, {".zgroup": GROUP, "v/.zarray": array(**changes), "v/0": chunk})
    done, said = run(["/bin/sh", "-c", "ulimit -v %d; exec \"$@\"" % ((MOST >> 10) + (1 << 20)) if not SANITIZED else 'exec "$@"',
                      "sh", TOOLS + "/ncdump", path], CELLAR_NUM_THREADS="1")
    if done.returncode != 1 or "v" not in done.stderr or "memory" in done.stderr:
        complain("%s: exit %d: %s" % (label, done.returncode, said[-500:]))
    return said


def check_long_strings():
    """A few bytes of HDF5 that claim strings of 2 GiB each."""
    path = os.path.join(scratch, "strings.h5")
    with h5py.File(path, "w") as f:
        f.create_dataset("v", (3,), dtype=h5py.string_dtype(length=2**31 - 1))
    done, said = run([TOOLS + "/ncdump", path])
    if done.returncode != 1 or "v" not in done.stderr or "CELLAR_MAX_DECODED" not in done.stderr:
        complain("long strings: exit %d: %s" % (done.returncode, said[-500:]))


def check_shared_object(name, dtype, value):
    """Many elements that lead to one object in the heap of the file."""
    path, count = os.path.join(scratch, name + ".h5"), 20000
    with h5py.File(path, "w") as f:
        f.create_dataset("v", (count,), dtype=dtype)[0] = value
        at, n = f["v"].id.get_offset(), f["v"].id.get_storage_size() // count
    with open(path, "r+b") as f:
        f.seek(at)
        first = f.read(n)
        f.write(first * (count - 1))
    done, said = run([TOOLS + "/ncdump", path])
    if done.returncode != 1 or "v" not in done.stderr or "CELLAR_MAX_DECODED" not in done.stderr:
        complain("%s: exit %d: %s" % (name, done.returncode, said[-500:]))


def check_scattered():
    """Values that lie in more heaps than are kept, each of 1 MB, which lie over one another: each would be read for each value."""
    path, count, size, heaps = os.path.join(scratch, "scattered.h5"), 20000, 1 << 20, 16
    with h5py.File(path, "w") as f:
        f.create_dataset("v", (count,), dtype=h5py.string_dtype())[0] = "x"
        f.create_dataset("heaps", data=bytearray(heaps * 64 + size), dtype="u1")
        v, at = f["v"].id.get_offset(), f["heaps"].id.get_offset()
    with open(path, "r+b") as f:
        for i in range(heaps):
            f.seek(at + 64 * i)
            f.write(b"GCOL\1\0\0\0" + struct.pack("<QHHIQ", size, 1, 1, 0, 8) + b"a" * 8)
        f.seek(v)
        f.write(b"".join(struct.pack("<IQI", 1, at + 64 * (i % heaps), 1) for i in range(count)))
    done, said = run([TOOLS + "/ncdump", path])
    if done.returncode != 1 or "v" not in done.stderr or "CELLAR_MAX_DECODED" not in done.stderr:
        complain("scattered: exit %d: %s" % (done.returncode, said[-500:]))


def check_shared_attributes():
    """The same of attributes: they are kept, and counted all together."""
    path, long, short = os.path.join(scratch, "attributes.h5"), 400000, 77
    with h5py.File(path, "w") as f:
        f.attrs["long"] = "x" * long
        for i in range(40):
            f.attrs["a%d" % i] = ["y" * short] * 10
    content = open(path, "rb").read()

    def references(length):
        head, at = struct.pack("<I", length), content.find(struct.pack("<I", length))
        while at >= 0:
            if 0 < struct.unpack_from("<Q", content, at + 4)[0] < len(content):
                yield at
            at = content.find(head, at + 1)

    to = content[(at := next(references(long))):at + 16]
    for at in list(references(short)):
        content = content[:at] + to + content[at + 16:]
    open(path, "wb").write(content)
    said = run(["/bin/sh", "-c", '"$0" -h "$1" | cut -c1-300', TOOLS + "/ncdump", path])[1]
    if "a0 = " not in said or "a39 cannot be read: " not in said or "CELLAR_MAX_DECODED" not in said:
        complain("attributes: " + said[-1000:])


check_metadata("text", '{"a":"' + "x" * (64 << 20) + '"}')
check_metadata("numbers", '{"a":[' + "1," * (16 << 20) + "1]}")
check_metadata("objects", '{"a":[' + "{}," * (8 << 20) + "1]}")
check_lifted()
zeros = zlib.compress(bytes(1 << 30), 9)
said = check_chunk("zeros", zeros)
if "CELLAR_MAX_DECODED" not in said:
    complain("zeros: " + said[-500:])
check_chunk("count", zlib.compress(struct.pack("<I", 4000000000)))
check_chunk("length", zlib.compress(struct.pack("<II", 4, 4000000000)))
check_chunk("promise", zlib.compress(struct.pack("<I", 1 << 30)), shape=[1 << 30], chunks=[1 << 30])
if h5py:
    check_long_strings()
    check_shared_object("texts", h5py.string_dtype(), "x" * 20000)
    check_scattered()
    check_shared_attributes()
    check_shared_object("lists", h5py.vlen_dtype("i1"), [1] * 20000)
shutil.rmtree(scratch)
print("%d failures" % failures)
sys.exit(failures != 0)
