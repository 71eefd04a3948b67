# SPDX-License-Identifier: BSD-3-Clause
"""hdf5_journal.py FILE: completes an nc_sync of Cellar's that was cut short, from FILE.cellar-journal (docs/formats/hdf5-journal.md)."""
import os
import struct
import sys

MASK = (1 << 64) - 1


def sum_of(data):
    h = 0x9E3779B97F4A7C15 ^ len(data)
    whole = len(data) // 8 * 8
    for (v,) in struct.iter_unpack("<Q", data[:whole]):
        h = (h ^ v) * 0xFF51AFD7ED558CCD & MASK
        h ^= h >> 32
    h = (h ^ int.from_bytes(data[whole:], "little")) * 0xC4CEB9FE1A85EC53 & MASK
    return h ^ h >> 29


def blocks_of(data, n):
    at = 40
    for _ in range(n):
        place, size = struct.unpack_from("<QQ", data, at)
        at += 16
        yield place, data[at : at + size], data[at + size : at + 2 * size]
        at += 2 * size


def complete(path):
    path = os.path.realpath(path)
    with open(path + ".cellar-journal", "rb") as f:
        data = f.read()
    signature, version, witness, n, length, new_length = struct.unpack_from("<8sIIQQQ", data)
    if signature != b"\x89CJL\r\n\x1a\n" or version != 1 or sum_of(data[:-8]) != int.from_bytes(data[-8:], "little"):
        sys.exit("the journal is not whole: the sync it belongs to had not begun to change the file")
    blocks = list(blocks_of(data, n + witness))
    with open(path, "r+b") as f:
        now = os.fstat(f.fileno()).st_size
        if now < length and now < new_length:
            sys.exit("the file is shorter than the journal says: it is another one")
        for place, old, new in blocks:
            f.seek(place)
            if any(b not in (o, w) for b, o, w in zip(f.read(len(old)), old, new)):
                sys.exit(f"the file was changed since, at byte {place} or behind")
        for place, _, new in blocks:
            f.seek(place)
            f.write(new)
        f.flush()
        if new_length < now:
            f.truncate(new_length)
        os.fsync(f.fileno())
    os.remove(path + ".cellar-journal")


if __name__ == "__main__":
    complete(sys.argv[1])
