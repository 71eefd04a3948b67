# SPDX-License-Identifier: BSD-3-Clause
"""Messages that no library writes any more, made of those that h5py wrote in the oldest version of the format, which has no
checksums: make_older(path, r) changes some of each kind where the message has room for the older form.

  layout 3 to 1 or 2   version(1) rank(1) class(1) 0(5) address(8) lengths(4 each); chunks: and the size of an element
  fill value 2 to 1    the same bytes, where there is a value
  fill value           taken away where the old one (type 4) says the same"""
import struct

import h5py

from structures import File

LAYOUT, OLD_FILL, FILL = 0x08, 0x04, 0x05


def older_layout(f, at, size, shape, itemsize, version):
    "The message, or None: it has no room, or there is no older form."
    kind = f.data[at + 1]
    if kind == 1 and f.data[at] == 3:
        address, lengths, rank = f.data[at + 2:at + 10], shape, len(shape)
    elif kind == 2 and f.data[at] == 3:
        rank = f.data[at + 2]
        address, lengths = f.data[at + 3:at + 11], struct.unpack_from("<%dI" % rank, f.data, at + 11)
    else:
        return None
    made = bytes([version, rank, kind, 0, 0, 0, 0, 0]) + address + struct.pack("<%dI" % len(lengths), *lengths)
    return made.ljust(size, b"\0") if 0 < rank and len(made) <= size else None


def datasets(path):
    found = {}

    def visit(name, d):
        if isinstance(d, h5py.Dataset) and d.shape and d.external is None:
            found[h5py.h5o.get_info(d.id).addr] = (d.shape, d.id.get_type().get_size())

    with h5py.File(path, "r") as file:
        file.visititems(visit)
    return found


def age(f, data, addr, shape, itemsize, r):
    messages = [m for m in f.messages(addr) if not m[2] & 2]
    kinds = [m[1] for m in messages]
    for _, kind, _, at, size in messages:
        if kind == LAYOUT and r.random() < 0.5:
            made = older_layout(f, at, size, shape, itemsize, r.choice([1, 2]))
            data[at:at + size] = made or data[at:at + size]
        elif kind == FILL and data[at] == 2 and data[at + 3] and r.random() < 0.6:
            if OLD_FILL in kinds and r.random() < 0.5:
                data[at - 8:at - 6] = b"\0\0"
            else:
                data[at] = 1


def make_older(path, r):
    f = File(path)
    if f.version > 1 or (f.offset_size, f.length_size) != (8, 8):
        return
    data = bytearray(f.data)
    for addr, (shape, itemsize) in sorted(datasets(path).items()):
        if f.data[f.base + addr] == 1:
            age(f, data, addr, shape, itemsize, r)
    with open(path, "wb") as out:
        out.write(data)
