#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Random virtual datasets of h5py: our API gives the values h5py reads, whole and in parts, where libhdf5 cannot be loaded.

usage: check_h5_virtual.py H5_VALUES DIRECTORY SONAME NUMBER SEED"""
import os
import random
import subprocess
import sys

import h5py
import numpy as np

import check_h5_files

UNLIMITED = h5py.h5s.UNLIMITED
NUMBERS = ["i1", "u1", "i2", ">u2", "i4", ">i4", "u4", "i8", "u8", "f4", "f8", ">f8"]


class Axis:
    "Blocks along one dimension: where they begin, and how many elements they have."

    def __init__(self, rng, length, n=None):
        self.n = n or rng.randint(1, length)
        self.block = rng.choice([b for b in range(1, self.n + 1) if self.n % b == 0])
        self.count = self.n // self.block
        room = length - self.n
        gap = rng.randint(0, room // (self.count - 1)) if self.count > 1 else 0
        self.stride = self.block + gap
        self.start = rng.randint(0, room - gap * (self.count - 1))


def select(space, axes):
    space.select_hyperslab(tuple(a.start for a in axes), tuple(a.count for a in axes), tuple(a.stride for a in axes),
                           tuple(a.block for a in axes))
    return space


def take(taken, axes):
    "Mark the elements; false: some were taken already, and what libhdf5 gives then depends on the rest."
    at = np.ix_(*[[a.start + i // a.block * a.stride + i % a.block for i in range(a.n)] for a in axes])
    free = not taken[at].any()
    taken[at] = True
    return free


def lengths(rng, rank):
    return tuple(rng.randint(2, 9) for _ in range(rank))


class Maker:
    def __init__(self, rng, folder, libver):
        self.rng, self.folder, self.libver, self.counts = rng, folder, libver, {}
        self.file = h5py.File(os.path.join(folder, "main.h5"), "w", libver=libver, track_order=True)
        self.sources = 0

    def note(self, what):
        self.counts[what] = self.counts.get(what, 0) + 1

    def source(self, shape, dtype, where, maxshape=None, name=None, values=None):
        "A dataset with values of its own; its name."
        rng = self.rng
        name = name or "s%d" % self.sources
        self.sources += 1
        options = {}
        if maxshape or rng.random() < 0.5:
            options = {"chunks": tuple(rng.randint(1, n) if n else 2 for n in shape), "maxshape": maxshape}
            if rng.random() < 0.5:
                options.update(compression="gzip", shuffle=True)
        if values is None:
            values = np.arange(int(np.prod(shape))).reshape(shape) + 100 * self.sources
        if dtype == "text":
            values, dtype = np.array(["t%d" % v for v in values.ravel()], object).reshape(shape), h5py.string_dtype()
        if where == ".":
            self.file.create_dataset(name, data=values, dtype=dtype, **options)
        else:
            with h5py.File(os.path.join(self.folder, where), "a", libver=self.libver) as f:
                f.create_dataset(name, data=values, dtype=dtype, **options)
        return name

    def where(self):
        return self.rng.choice([".", "other%d.h5" % self.rng.randint(0, 2)])

    def begin(self, dtype):
        self.dtype = dtype
        self.dcpl = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        if dtype != "text" and self.rng.random() < 0.7:
            self.dcpl.set_fill_value(np.array(self.rng.randint(1, 99), dtype))

    def end(self, name, shape, maxshape=None):
        dtype = h5py.string_dtype() if self.dtype == "text" else np.dtype(self.dtype)
        space = h5py.h5s.create_simple(shape, maxshape or shape)
        h5py.h5d.create(self.file.id, name.encode(), h5py.h5t.py_create(dtype, logical=True), space, self.dcpl)

    def other_order(self):
        if self.dtype == "text" or self.rng.random() < 0.8:
            return self.dtype
        self.note("another byte order")
        return np.dtype(self.dtype).newbyteorder()

    def map(self, shape, axes, source_shape, source_axes, missing=False):
        "One mapping; source_axes None: all of the source."
        where = self.where()
        name = "none" if missing else self.source(source_shape, self.other_order(), where)
        from_space = h5py.h5s.create_simple(source_shape)
        if source_axes:
            select(from_space, source_axes)
        self.dcpl.set_virtual(select(h5py.h5s.create_simple(shape), axes), where.encode(), name.encode(), from_space)
        self.note("this file" if where == "." else "another file")

    # --- one kind of virtual dataset each

    def fixed(self, name):
        rng, rank = self.rng, self.rng.randint(1, 3)
        shape = lengths(rng, rank)
        self.begin(rng.choice(["i4", "f8", "u2", "i1", "text"]))
        taken = np.zeros(shape, bool)
        for _ in range(rng.randint(1, 6)):
            axes = [Axis(rng, n) for n in shape]
            if not take(taken, axes):
                continue
            source_shape = tuple(a.n + rng.randint(0, 4) for a in axes)
            if rng.random() < 0.4:
                self.note("all of a source")
                self.map(shape, axes, tuple(a.n for a in axes), None)
            else:
                self.map(shape, axes, source_shape, [Axis(rng, n, a.n) for n, a in zip(source_shape, axes)], rng.random() < 0.1)
        self.end(name, shape)

    def fewer_dims(self, name):
        "The source lacks a dimension of length 1, or has one more."
        rng, shape = self.rng, lengths(self.rng, 2)
        self.begin("i4")
        for row in range(shape[0]):
            axes = [Axis(rng, shape[0], 1), Axis(rng, shape[1])]
            axes[0].start = row
            source_shape = (axes[1].n,) if rng.random() < 0.5 else (1, axes[1].n, 1)
            self.map(shape, axes, source_shape, None)
        self.end(name, shape)

    def reshaped(self, name):
        rng, shape = self.rng, lengths(self.rng, 2)
        self.begin("i4")
        axes = [Axis(rng, n) for n in shape]
        self.map(shape, axes, (axes[0].n * axes[1].n,), None)
        self.end(name, shape)

    def some_elements(self, shape, n):
        "So many elements, in blocks that overlap no other and lie in no regular order."
        rng, taken, space = self.rng, np.zeros(shape, bool), h5py.h5s.create_simple(shape)
        space.select_none()
        while n:
            at = [rng.randrange(m) for m in shape]
            size = [rng.randint(1, min(3, m - a)) for m, a in zip(shape, at)]
            part = tuple(slice(a, a + k) for a, k in zip(at, size))
            if taken[part].any() or int(np.prod(size)) > n:
                continue
            taken[part] = True
            n -= int(np.prod(size))
            space.select_hyperslab(tuple(at), (1,) * len(shape), None, tuple(size), op=h5py.h5s.SELECT_OR)
        return space

    def irregular(self, name):
        rng, shape = self.rng, lengths(self.rng, self.rng.randint(1, 3))
        self.begin(rng.choice(["i4", "f8", "text"]))
        n = rng.randint(1, max(1, int(np.prod(shape)) // 2))
        side = rng.choice(["to", "from", "both", "both"])
        n = shape[-1] if side == "from" else n
        source_shape = shape if rng.random() < 0.5 else (2 * n + 1,)
        to, where = h5py.h5s.create_simple(shape), self.where()
        if side == "from":
            select(to, [Axis(rng, m, 1) for m in shape[:-1]] + [Axis(rng, n, n)])
        else:
            to = self.some_elements(shape, n)
        rows = h5py.h5s.create_simple((n,)) if side == "to" else self.some_elements(source_shape, n)
        source = self.source((n,) if side == "to" else source_shape, self.dtype, where)
        self.dcpl.set_virtual(to, where.encode(), source.encode(), rows)
        self.note("blocks in no order: " + side)
        self.end(name, shape)

    def other_number(self, name):
        rng, n = self.rng, self.rng.randint(1, 9)
        self.begin(rng.choice([t for t in NUMBERS if not t.startswith(">")]))
        for i in range(n):
            dtype, where = np.dtype(rng.choice(NUMBERS)), self.where()
            values = np.array([rng.choice([0, 0.75, -1.5, 127.5, 300, -129, 70000, -3e9, 5e9, 1e19, -1e19, 1e300])
                               for _ in range(3)])
            if dtype.kind != "f" and not dtype.isnative:  # libhdf5 wraps some that do not fit, and clamps others
                values = np.array([rng.randint(0, 100) for _ in range(3)])
            elif dtype.kind != "f":
                values = np.array([rng.choice([np.iinfo(dtype).min, np.iinfo(dtype).max, 1, 100]) for _ in range(3)], dtype)
            with np.errstate(over="ignore"):
                values = values.astype(dtype)
            source = self.source((3,), dtype, where, values=values)
            to = h5py.h5s.create_simple((n, 3))
            to.select_hyperslab((i, 0), (1, 3))
            self.dcpl.set_virtual(to, where.encode(), source.encode(), h5py.h5s.create_simple((3,)))
            self.note("another number" if dtype != np.dtype(self.dtype) else "the same number")
        self.end(name, (n, 3))

    def endless(self, name):
        "Blocks of each source in turn, as long as the sources are today."
        rng, n, width = self.rng, self.rng.randint(1, 3), self.rng.randint(1, 5)
        self.begin("i4")
        block = rng.randint(1, 3)
        for i in range(n):
            where, rows = self.where(), rng.randint(0, 7)
            source = self.source((rows, width), "i4", where, (None, width)) if rng.random() < 0.85 else "none"
            to = h5py.h5s.create_simple((n * block, width), (UNLIMITED, width))
            to.select_hyperslab((i * block, 0), (UNLIMITED, 1), (n * block, 1), (block, width))
            rows = h5py.h5s.create_simple((1, width), (UNLIMITED, width))
            gap = rng.randint(0, 1)
            rows.select_hyperslab((rng.randint(0, 1), 0), (UNLIMITED, 1), (block + gap, 1), (block, width))
            self.dcpl.set_virtual(to, where.encode(), source.encode(), rows)
        self.end(name, (n * block, width), (UNLIMITED, width))

    def endless_block(self, name):
        "One block without an end behind a fixed part."
        rng, width = self.rng, self.rng.randint(1, 4)
        self.begin("f8")
        head = [Axis(rng, 3, 3), Axis(rng, width, width)]
        self.map((3, width), head, (3, width), None)
        where = self.where()
        source = self.source((rng.randint(0, 5), width), "f8", where, (None, width))
        to = h5py.h5s.create_simple((4, width), (UNLIMITED, width))
        to.select_hyperslab((3, 0), (1, 1), None, (UNLIMITED, width))
        rows = h5py.h5s.create_simple((1, width), (UNLIMITED, width))
        rows.select_hyperslab((0, 0), (1, 1), None, (UNLIMITED, width))
        self.dcpl.set_virtual(to, where.encode(), source.encode(), rows)
        self.end(name, (4, width), (UNLIMITED, width))

    def numbered(self, name):
        "A source for each block, by number."
        rng, width, block = self.rng, self.rng.randint(1, 4), self.rng.randint(1, 3)
        self.begin("i4")
        by_file = rng.random() < 0.5
        file, dataset = ("%s%%b.h5" % name, "x%%y") if by_file else (".", "%s_%%b" % name)
        for i in range(rng.randint(0, 4)):
            self.source((block, width), "i4", "%s%d.h5" % (name, i) if by_file else ".", None,
                        "x%y" if by_file else "%s_%d" % (name, i))
        to = h5py.h5s.create_simple((block, width), (UNLIMITED, width))
        to.select_hyperslab((rng.randint(0, 2), 0), (UNLIMITED, 1), (block + rng.randint(0, 2), 1), (block, width))
        self.dcpl.set_virtual(to, file.encode(), dataset.encode(), h5py.h5s.create_simple((block, width)))
        self.end(name, (block, width), (UNLIMITED, width))

    def nested(self, name):
        "Made of a virtual dataset."
        self.fixed(name + "_inner")
        inner = self.file[name + "_inner"]
        self.begin("text" if h5py.check_string_dtype(inner.dtype) else inner.dtype.str)
        self.dcpl.set_virtual(h5py.h5s.create_simple(inner.shape), b".", (name + "_inner").encode(),
                              h5py.h5s.create_simple(inner.shape))
        self.end(name, inner.shape)

    def unmapped(self, name):
        self.begin("i4")
        self.dcpl.set_layout(h5py.h5d.VIRTUAL)
        self.end(name, (3, 2))


KINDS = ["fixed", "fixed", "fixed", "fewer_dims", "reshaped", "irregular", "other_number", "endless", "endless_block", "numbered",
         "nested", "unmapped"]


def drop_unreadable(path, maker):
    "libhdf5 1.10 cannot read all that it writes: some blocks without an end of which sources have parts."
    with h5py.File(path, "a") as f:
        for name in [n for n, d in f.items() if d.is_virtual]:
            try:
                f[name][()]
            except OSError:
                del f[name]
                maker.note("not read by libhdf5")


def regions(rng, dataset):
    "Some parts of a dataset: lines for h5_values, and the values."
    shape = dataset.shape
    for _ in range(4 if dataset.size else 0):
        start = [rng.randrange(n) for n in shape]
        stride = [rng.randint(1, 3) for _ in shape]
        count = [rng.randint(1, (n - s + t - 1) // t) for n, s, t in zip(shape, start, stride)]
        part = dataset[()][tuple(slice(s, s + (c - 1) * t + 1, t) for s, c, t in zip(start, count, stride))]
        numbers = " ".join("%d %d %d" % v for v in zip(start, count, stride))
        words = [w for v in np.ravel(part) for w in check_h5_files.words(dataset.dtype, v)]
        yield ("%s %d %s" % (dataset.name[1:], len(shape), numbers), " ".join([dataset.name[1:]] + words))


def check_parts(program, rng, path, env):
    with h5py.File(path, "r") as f:
        wanted = [r for d in f.values() if d.is_virtual for r in regions(rng, d)]
    run = subprocess.run([program, path, "regions"], capture_output=True, text=True, env=env,
                         input="\n".join(line for line, _ in wanted))
    got = run.stdout.splitlines()
    if run.returncode or got != [text for _, text in wanted]:
        print(path, run.stderr)
        for (line, text), ours in zip(wanted, got):
            if text != ours:
                print("  %s\n  ours:  %s\n  h5py:  %s" % (line, ours, text))
        return False
    return True


def add_hostile(f):
    "Blocks in no order of a source that has no dimensions; and of one whose selection is all of it, more than there are blocks for."
    for name, shape, size in (("blocks_of_one", (), 8), ("blocks_of_all", (3 << 20,), 3 << 20)):
        f.create_dataset(name + "_source", shape, "i1")
        to, dcpl = h5py.h5s.create_simple((size + 9,)), h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        to.select_hyperslab((0,), (1,), None, (5,))
        to.select_hyperslab((7,), (1,), None, (1,), op=h5py.h5s.SELECT_OR)
        to.select_hyperslab((9,), (1,), None, (size - 6,), op=h5py.h5s.SELECT_OR)
        dcpl.set_virtual(to, b".", (name + "_source").encode(), h5py.h5s.create_simple((size,)))
        dcpl.set_fill_value(np.array(-1, "i1"))
        h5py.h5d.create(f.id, name.encode(), h5py.h5t.NATIVE_INT8, h5py.h5s.create_simple((size + 9,)), dcpl)


def check_spread(program, directory):
    "Each part is virtual, and has 12 parts that are: 12^7 of them are not looked for."
    path, levels, width = os.path.join(directory, "spread.h5"), 7, 12
    with h5py.File(os.path.join(directory, "levels.h5"), "w", libver="latest") as f:
        f.create_dataset("last", (2,), "i4", maxshape=(None,), chunks=(2,))
    sources = ["last"]
    for level in range(levels):
        top = level == levels - 1
        names = ["v"] if top else ["l%d_%d" % (level, i) for i in range(width)]
        with h5py.File(path if top else os.path.join(directory, "levels.h5"), "w" if top else "a", libver="latest") as f:
            for name in names:
                dcpl = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
                for source in sources:
                    endless = h5py.h5s.create_simple((2,), (UNLIMITED,))
                    endless.select_hyperslab((0,), (1,), None, (UNLIMITED,))
                    dcpl.set_virtual(endless, b"levels.h5" if top else b".", source.encode(), endless)
                h5py.h5d.create(f.id, name.encode(), h5py.h5t.NATIVE_INT32, h5py.h5s.create_simple((2,), (UNLIMITED,)), dcpl)
        sources = names
    run = subprocess.run([program, path, "regions"], input="v 1 0 1 1", capture_output=True, text=True)
    if run.returncode != 1:
        sys.exit("parts without number: %d %s %s" % (run.returncode, run.stdout, run.stderr))


def check_odd(program, directory):
    "What is read in untrusted mode, too: blocks in no order, a source of another number type. What is an error: too few elements, circles."
    path = os.path.join(directory, "odd.h5")
    with h5py.File(path, "w", libver=("v110", "v110")) as f:
        f["x"] = np.arange(10, dtype="i4")
        f["short"] = np.arange(4, dtype="i4")
        layouts = {name: h5py.VirtualLayout((10,), "f8" if name == "double" else "i4")
                   for name in ("blocks", "double", "too_short", "circle")}
        layouts["blocks"][[0, 1, 4]] = h5py.VirtualSource(".", "x", (10,))[[1, 2, 7]]
        layouts["double"][:] = h5py.VirtualSource(".", "x", (10,))
        layouts["too_short"][:6] = h5py.VirtualSource(".", "short", (8,))[1:7]
        layouts["circle"][:] = h5py.VirtualSource(".", "circle", (10,))
        for name, layout in layouts.items():
            f.create_virtual_dataset(name, layout, fillvalue=-1)
        add_hostile(f)

    def read(name, **env):
        run = subprocess.run([program, path, "regions"], input="%s 1 0 10 1" % name, capture_output=True, text=True,
                             env=dict(os.environ, **env))
        return run.stdout if run.returncode == 0 else "failed" if run.returncode == 1 else "crashed"

    wanted = {"blocks": "blocks 1 2 -1 -1 7 -1 -1 -1 -1 -1\n", "double": "double 0 1 2 3 4 5 6 7 8 9\n",
              "too_short": "failed", "circle": "failed", "blocks_of_one": "failed",
              "blocks_of_all": "blocks_of_all 0 0 0 0 0 -1 -1 0 -1 0\n"}
    for name, text in wanted.items():
        if read(name) != text or read(name, CELLAR_UNTRUSTED="1") != text:
            sys.exit("%s: %s, untrusted: %s" % (name, read(name), read(name, CELLAR_UNTRUSTED="1")))
    if read("x", CELLAR_UNTRUSTED="1") != "x 0 1 2 3 4 5 6 7 8 9\n":
        sys.exit("x is lost beside virtual datasets")
    check_spread(program, directory)


def main():
    program, directory, soname, number, seed = sys.argv[1:]
    rng, counts, good = random.Random(int(seed)), {}, True
    env = check_h5_files.without(os.path.join(directory, "without"), soname)
    newest = [("v112", "v112"), ("v200", "v200")] if h5py.version.hdf5_version_tuple >= (2, 0, 0) else []
    for i in range(int(number)):
        folder = os.path.join(directory, "%03d" % i)
        os.makedirs(folder, exist_ok=True)
        for old in os.listdir(folder):
            os.unlink(os.path.join(folder, old))
        libver = rng.choice(["earliest", ("v110", "v110"), "latest"] + newest)
        maker = Maker(rng, folder, libver)
        for j in range(4):
            kind = KINDS[(4 * i + j) % len(KINDS)]
            getattr(maker, kind)("v%d" % j)
            maker.note(kind)
        maker.note("libver %s" % (libver if isinstance(libver, str) else libver[0]))
        maker.file.close()
        path = os.path.join(folder, "main.h5")
        drop_unreadable(path, maker)
        good = check_h5_files.check(program, path, env) and check_parts(program, rng, path, env) and good
        for what, n in maker.counts.items():
            counts[what] = counts.get(what, 0) + n
    check_odd(program, directory)
    print("\n".join("%4d  %s" % (n, what) for what, n in sorted(counts.items())))
    if not good or min(counts.get(k, 0) for k in KINDS) < 1:
        sys.exit("virtual datasets are not as h5py reads them")


if __name__ == "__main__":
    main()
