# SPDX-License-Identifier: BSD-3-Clause
"""Which structures of the format a file has, read from its bytes: structures(path) gives a set of names.

libhdf5 says only where the object headers are; their messages, the superblock, heaps and trees are looked at here, by the HDF5
File Format Specification, so that a count of structures is one of the bytes in the file and not of what was asked of a library."""
import h5py

SIGNATURES = {"SNOD": "symbol node", "TREE": "B-tree 1", "HEAP": "local heap", "GCOL": "global heap", "OCHK": "continuation 2",
              "FHDB": "direct block", "FHIB": "indirect block", "BTHD": "B-tree 2", "BTLF": "B-tree 2 leaf",
              "BTIN": "B-tree 2 inner node", "SMTB": "table of shared messages", "SMLI": "list of shared messages",
              "FADB": "data block of a fixed array", "EAIB": "index block of an extensible array",
              "EADB": "data block of an extensible array", "EASB": "super block of an extensible array"}
CLASSES = ["integer", "float", "time", "string", "bitfield", "opaque", "compound", "reference", "enum", "vlen", "array", "complex"]
LAYOUTS = ["compact", "contiguous", "chunked", "virtual"]
INDICES = [None, "single chunk", "implicit", "fixed array", "extensible array", "chunks in a B-tree 2"]
LINKS = {0: "hard link", 1: "soft link message", 64: "external link"}
PLAIN = {0x04: "old fill value", 0x07: "external files", 0x0A: "group information", 0x0D: "comment", 0x0E: "old modification time",
         0x0F: "message: shared messages", 0x11: "symbol table", 0x12: "modification time", 0x13: "message: B-tree k",
         0x14: "message: driver", 0x16: "reference count", 0x17: "message: file space", 0x18: "message: cache image"}
VERSIONED = {0x05: "fill value", 0x0B: "filters", 0x0C: "attribute"}


class File:
    def __init__(self, path):
        with open(path, "rb") as f:
            self.data = f.read()
        self.base = self.data.index(b"\x89HDF\r\n\x1a\n")
        self.version = self.data[self.base + 8]
        at = self.base + (13 if self.version < 2 else 9)
        self.offset_size, self.length_size = self.data[at], self.data[at + 1]
        self.lay_image()

    def lay_image(self):
        "What a metadata cache image has of the file counts instead of what stands there."
        at = self.data.find(b"MDCI")
        if at < 0:
            return
        data, o, n = bytearray(self.data), self.offset_size, self.length_size
        entries, at = self.number(at + 6 + n, 4), at + 10 + n
        for _ in range(entries):
            parents, addr, size = self.number(at + 8, 2), self.number(at + 14, o), self.number(at + 14 + o, n)
            at += 14 + o + n + parents * o
            data[self.base + addr:self.base + addr + size] = data[at:at + size]
            at += size
        self.data = bytes(data)

    def number(self, at, size):
        return int.from_bytes(self.data[at:at + size], "little")

    def is_somewhere(self, at):
        return self.number(at, self.offset_size) != (1 << 8 * self.offset_size) - 1

    # --- messages of an object header: (type, flags, offset, length)

    def blocks(self, at):
        "Where messages begin and end, and how they are told; continuations are added as they are found."
        if self.data[at:at + 4] != b"OHDR":
            return [(at + 16, at + 16 + self.number(at + 8, 4))], 1, 0
        flags = self.data[at + 5]
        first = at + 6 + (16 if flags & 32 else 0) + (4 if flags & 16 else 0)
        width = 1 << (flags & 3)
        return [(first + width, first + width + self.number(first, width))], 2, 2 if flags & 4 else 0

    def messages(self, addr):
        blocks, version, order = self.blocks(self.base + addr)
        head = 8 if version == 1 else 4 + order
        for at, end in blocks:
            while at + head <= end:
                kind, size = self.number(at, 3 - version), self.number(at + 3 - version, 2)
                flags = self.data[at + (4 if version == 1 else 3)]
                body = at + head
                if kind == 0x10:
                    yield version, kind, flags, body, size
                    begin = self.base + self.number(body, self.offset_size)
                    length = self.number(body + self.offset_size, self.length_size)
                    blocks.append((begin, begin + length) if version == 1 else (begin + 4, begin + length - 4))
                elif kind:
                    yield version, kind, flags, body, size
                at = body + size


def layout(f, at):
    version = f.data[at]
    kind = LAYOUTS[f.data[at + (2 if version < 3 else 1)]]
    yield "layout %d %s" % (version, kind)
    if version > 3 and kind == "chunked":
        flags, rank, width = f.data[at + 2:at + 5]
        yield INDICES[f.data[at + 5 + rank * width]]
        if flags & 1:
            yield "raw edges"


def datatype(f, at):
    kind, version = f.data[at] & 15, f.data[at] >> 4
    yield "type " + CLASSES[kind]
    yield "datatype version %d" % version
    if kind == 7:
        yield "reference of kind %d" % (f.data[at + 1] & 15)


def dense(f, at, what, width):
    yield what + " information"
    if f.is_somewhere(at + 2 + (width if f.data[at + 1] & 1 else 0)):
        yield "dense " + what + "s"


def message(f, version, kind, flags, at):
    if kind == 0x10:
        yield "continuation %d" % version
    elif flags & 2:
        yield "committed type" if f.data[at] < 3 or f.data[at + 1] == 2 else "shared message"
    elif kind == 0x01:
        yield "dataspace %d" % f.data[at]
        if f.data[at] == 2:
            yield ["scalar", "simple", "null space"][f.data[at + 3]]
    elif kind == 0x02:
        yield from dense(f, at, "link", 8)
    elif kind == 0x15:
        yield from dense(f, at, "attribute", 2)
    elif kind == 0x03:
        yield from datatype(f, at)
    elif kind == 0x06:
        yield LINKS[f.data[at + 2] if f.data[at + 1] & 8 else 0]
    elif kind == 0x08:
        yield from layout(f, at)
    elif kind in VERSIONED:
        yield "%s %d" % (VERSIONED[kind], f.data[at])
    else:
        yield PLAIN.get(kind, "message 0x%02x" % kind)


def heaps(f):
    "What fractal heaps say of themselves."
    at, o, n = f.data.find(b"FRHP"), f.offset_size, f.length_size
    while at >= 0:
        yield "fractal heap"
        if f.number(at + 7, 2):
            yield "filtered heap"
        counts = at + 14 + 2 * o + 6 * n
        if f.number(counts + n, n):
            yield "huge objects"
        if f.number(counts + 3 * n, n):
            yield "tiny objects"
        at = f.data.find(b"FRHP", at + 4)


def superblock(f):
    yield "superblock %d" % f.version
    if f.base:
        yield "user block"
    if (f.offset_size, f.length_size) != (8, 8):
        yield "addresses of %d and lengths of %d" % (f.offset_size, f.length_size)


def headers(f, path):
    "The addresses of all object headers."
    if f.version > 1 and f.is_somewhere(f.base + 12 + f.offset_size):
        yield f.number(f.base + 12 + f.offset_size, f.offset_size)
    with h5py.File(path, "r") as file:
        found = {h5py.h5o.get_info(file.id).addr}
        h5py.h5o.visit(file.id, lambda name, info: found.add(info.addr), info=True)
    yield from found


def structures(path):
    f = File(path)
    found = set(superblock(f)) | set(heaps(f)) | {what for s, what in SIGNATURES.items() if s.encode() in f.data}
    for addr in headers(f, path):
        found.add("object header %d" % (2 if f.data[f.base + addr:f.base + addr + 4] == b"OHDR" else 1))
        for version, kind, flags, at, _ in f.messages(addr):
            found.update(message(f, version, kind, flags, at))
    return found - {None}
