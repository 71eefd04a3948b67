#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""stored_chunks.py TOOLS: files of up to 2^40 chunks of which few are written, of each kind of index and store: every tool that goes
through chunks ends, and names those that are there and no others. A chunk index whose nodes lead to one another, too."""
import json
import os
import struct
import subprocess
import sys
import zipfile

import h5py

tools = sys.argv[1]
TIME = 60  # seconds; each takes a fraction of one
wrong = []


def run(*line):
    try:
        return subprocess.run([os.path.join(tools, line[0]), *line[1:]], capture_output=True, text=True, timeout=TIME)
    except subprocess.TimeoutExpired:
        wrong.append(f'{" ".join(line)} does not end')
        return subprocess.CompletedProcess(line, -1, '', '')


def expect(what, seen, known):
    if seen != known:
        wrong.append(f'{what}: {seen} instead of {known}')


# --- files: name, shape, chunk, the chunks that are written ---------------------------------------------

N = 1 << 40
FLAT = [(0,), (12345678901,), (N - 1,)]
SQUARE = [(0, 5), (77, 1), (99999, (1 << 20) - 1)]


def make_hdf5(name, shape, most, chunk, latest, written, deflate=False):
    with h5py.File(name, 'w', libver='latest' if latest else 'earliest') as f:
        dcpl = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        dcpl.set_chunk(chunk)
        if deflate:
            dcpl.set_deflate(1)
        space = h5py.h5s.create_simple(shape, tuple(h5py.h5s.UNLIMITED if n is None else n for n in most))
        v = h5py.Dataset(h5py.h5d.create(f.id, b'v', h5py.h5t.NATIVE_INT32, space, dcpl))
        for index in written:
            v[tuple(slice(i * c, (i + 1) * c) for i, c in zip(index, chunk))] = 1
    return name, shape, chunk, written


def array_document(version, shape, chunk, separator, shard=None):
    if version == 2:
        return {'zarr_format': 2, 'shape': shape, 'chunks': chunk, 'dtype': '<i4', 'compressor': None, 'filters': None,
                'fill_value': 0, 'order': 'C', 'dimension_separator': separator}
    codecs = [{'name': 'bytes', 'configuration': {'endian': 'little'}}]
    if shard:
        codecs = [{'name': 'sharding_indexed', 'configuration': {'chunk_shape': chunk, 'codecs': codecs,
                                                                'index_codecs': codecs, 'index_location': 'end'}}]
    return {'zarr_format': 3, 'node_type': 'array', 'shape': shape, 'data_type': 'int32', 'fill_value': 0,
            'chunk_grid': {'name': 'regular', 'configuration': {'chunk_shape': shard or chunk}},
            'chunk_key_encoding': {'name': 'default', 'configuration': {'separator': separator}},
            'codecs': codecs, 'attributes': {}}


def values_of(version, separator, chunk, written, shard):
    """The keys of chunks or shards below the array, and their bytes."""
    one = struct.pack('<i', 1)
    for d in chunk:
        one *= d
    if not shard:
        head = 'c' + separator if version == 3 else ''
        return {head + separator.join(map(str, index)): one for index in written}
    per = [s // c for s, c in zip(shard, chunk)]
    shards = {}
    for index in written:
        shards.setdefault(tuple(i // p for i, p in zip(index, per)), []).append(tuple(i % p for i, p in zip(index, per)))
    values = {}
    for number, inside in shards.items():
        slots = [(2**64 - 1, 2**64 - 1)] * (per[0] * per[1])
        for at, (i, j) in enumerate(inside):
            slots[i * per[1] + j] = (at * len(one), len(one))
        values['c' + separator + separator.join(map(str, number))] = one * len(inside) + b''.join(
            struct.pack('<QQ', *s) for s in slots)
    return values


def make_zarr(name, version, shape, chunk, separator, written, shard=None):
    root = {'zarr_format': 3, 'node_type': 'group', 'attributes': {}} if version == 3 else {'zarr_format': 2}
    document = json.dumps(array_document(version, shape, chunk, separator, shard)).encode()
    members = {'zarr.json' if version == 3 else '.zgroup': json.dumps(root).encode(),
               'v/zarr.json' if version == 3 else 'v/.zarray': document}
    members |= {'v/' + k: v for k, v in values_of(version, separator, chunk, written, shard).items()}
    if name.endswith('.zip'):
        with zipfile.ZipFile(name, 'w') as z:
            for key, value in members.items():
                z.writestr(key, value)
    else:
        for key, value in members.items():
            path = os.path.join(name, key)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            open(path, 'wb').write(value)
    return name, shape, chunk, written


SIDE = 1 << 20
files = [
    make_hdf5('btree1.h5', (N,), (N,), (1,), False, FLAT),
    make_hdf5('btree1_deflate.h5', (4 * N,), (None,), (4,), False, FLAT, True),
    make_hdf5('btree1_square.h5', (SIDE, SIDE), (SIDE, None), (1, 1), False, SQUARE),
    make_hdf5('btree2.h5', (SIDE, SIDE), (None, None), (1, 1), True, SQUARE),
    make_hdf5('fixed.h5', (1 << 22,), (1 << 22,), (1,), True, [(0,), (70000,), ((1 << 22) - 1,)]),
    make_hdf5('extensible.h5', (1 << 31,), (None,), (1,), True, [(0,), (1 << 30,), ((1 << 31) - 1,)]),
    make_hdf5('extensible_first.h5', (1 << 21, 1 << 10), (None, 1 << 10), (1, 1), True,
              [(0, 5), (7, 1), (2000000, 1000)], True),
    make_hdf5('extensible_last.h5', (1 << 10, 1 << 21), (1 << 10, None), (1, 1), True, [(0, 5), (77, 1), (1023, 1000)]),
    make_hdf5('single.h5', (4,), (4,), (4,), True, [(0,)]),
    make_zarr('dots.zarr', 2, (SIDE, SIDE), (1, 1), '.', SQUARE),
    make_zarr('folders.zarr', 2, (SIDE, SIDE), (1, 1), '/', SQUARE),
    make_zarr('three.zarr', 3, (SIDE, SIDE), (1, 1), '/', SQUARE),
    make_zarr('three_dots.zarr', 3, (2 * N,), (2,), '.', FLAT),
    make_zarr('shards.zarr', 3, (SIDE, SIDE), (1, 1), '/', [(0, 5), (1, 9), (3, 1), (99999, SIDE - 1)], (4, 8)),
    make_zarr('archive.zip', 3, (SIDE, SIDE), (1, 1), '/', SQUARE),
    make_zarr('shards.zip', 3, (SIDE, SIDE), (1, 1), '/', [(0, 5), (1, 9), (3, 1), (99999, SIDE - 1)], (4, 8)),
]


# --- every tool ------------------------------------------------------------------------------------------

def grid_of(shape, chunk):
    return [-(-s // c) for s, c in zip(shape, chunk)]


def numbers_of(shape, chunk, written):
    numbers = []
    for index in written:
        number = 0
        for i, n in zip(index, grid_of(shape, chunk)):
            number = number * n + i
        numbers.append(number)
    return sorted(numbers)


def chunks_of(path):
    done = run('cellar', 'info', '--json', '--chunks=v', path)
    return json.loads(done.stdout)['chunks'] if done.returncode == 0 else {}


def check_copies(path, total, known):
    """A copy has the same chunks, and the last one too, where that says how long it is. Of version 3 of Zarr the fill value is
    that of the array, and not of the copy: what was never written is named, and a copy of all values would have no end."""
    other_fill = not path.endswith('.h5') and path not in ('dots.zarr', 'folders.zarr')
    lines = [['cellar', 'salvage'], ['nccopy'], ['nccopy', '-d1']]
    for line in lines[:1] if other_fill else lines:
        expect(f'{line} {path}', run(*line, path, 'out.nc').returncode, 3 if other_fill else 0)
        if os.path.exists('out.nc'):
            seen = chunks_of('out.nc')
            expect(f'chunks after {line} {path}', set(seen.get('numbers', [])) - {total - 1}, set(known) - {total - 1})
            expect(f'all chunks after {line} {path}', seen.get('total'), total)
            os.remove('out.nc')


def check(path, shape, chunk, written):
    total, known = 1, numbers_of(shape, chunk, written)
    for n in grid_of(shape, chunk):
        total *= n
    for line in ('cellar info --layout', 'cellar info --chunks=v', 'cellar doctor', 'ncdump -hs', 'cellar chunks',
                 'cellar verify --checksums=sums'):
        expect(f'{line} {path}', run(*line.split(), path).returncode, 0)
    expect(f'sums of {path}', sum('\t' in s or ' ' in s for s in open('sums') if 'v' in s) > 0, True)
    expect(f'cellar verify --checksums=sums {path}', run('cellar', 'verify', '--checksums=sums', path).returncode, 0)
    os.remove('sums')
    seen = chunks_of(path)
    expect(f'chunks of {path}', seen.get('numbers'), known)
    expect(f'missing chunks of {path}', (seen.get('total'), seen.get('missing')), (total, total - len(known)))
    found = json.loads(run('cellar', 'verify', '--json', path).stdout or '{"files": [{}]}')['files'][0]
    expect(f'cellar verify {path}', (found.get('chunks'), found.get('missing')), (len(known), total - len(known)))
    check_copies(path, total, known)
    if path.endswith('.h5'):
        done = run('cellar', 'refs', path)
        refs = json.loads(done.stdout)['refs'] if done.returncode == 0 else {}
        expect(f'cellar refs {path}', {k for k in refs if k.startswith('v/') and not k.startswith('v/.')},
               {'v/' + '.'.join(map(str, i)) for i in written})
    expect(f'cellar diff {path}', run('cellar', 'diff', path, path).returncode, 0)


for f in files:
    check(*f)


# --- differences ------------------------------------------------------------------------------------------

def change(path, at, value):
    with h5py.File(path, 'r+') as f:
        f['v'][at] = value


def check_diff(a, b, code, *known):
    """known: values that differ, the first of them, the largest difference."""
    done = run('cellar', 'diff', '--json', '--no-attributes', a, b)
    expect(f'cellar diff {a} {b}', done.returncode, code)
    v = (json.loads(done.stdout or '{}').get('variables') or [{}])[0]
    if known:
        expect(f'values of cellar diff {a} {b}', v.get('values'), SIDE * SIDE)
        expect(f'cellar diff {a} {b}', (v.get('differing'), v.get('first', [{}])[0].get('index'), v.get('max_abs')), known)


make_hdf5('more.h5', (SIDE, SIDE), (SIDE, None), (1, 1), False, SQUARE + [(78, 4)])
make_hdf5('other.h5', (SIDE, SIDE), (None, None), (1, 1), True, SQUARE)
change('other.h5', (77, 1), 5)
make_hdf5('longer.h5', (SIDE, SIDE), (None, None), (1, 2), True, [(0, 2)])
make_zarr('filled.zarr', 2, (SIDE, SIDE), (1, 1), '.', SQUARE)
document = json.load(open('filled.zarr/v/.zarray'))
json.dump(document | {'fill_value': 3}, open('filled.zarr/v/.zarray', 'w'))
check_diff('btree1_square.h5', 'btree2.h5', 0)
check_diff('btree1_square.h5', 'more.h5', 1, 1, [78, 4], 1)
check_diff('more.h5', 'btree2.h5', 1, 1, [78, 4], 1)
check_diff('btree2.h5', 'other.h5', 1, 1, [77, 1], 4)
check_diff('dots.zarr', 'filled.zarr', 1, SIDE * SIDE - len(SQUARE), [0, 0], 3)
make_hdf5('odd.h5', (SIDE, SIDE), (None, None), (3, 2), True, [])  # chunks of other lengths
for at in SQUARE:
    change('odd.h5', at, 1)
make_hdf5('primes.h5', (SIDE, SIDE), (None, None), (8191, 509), True, SQUARE[:1])
make_hdf5('prime.h5', (SIDE, SIDE), (None, None), (1, 521), True, SQUARE[:1])
check_diff('btree2.h5', 'odd.h5', 0)
check_diff('odd.h5', 'more.h5', 1, 1, [78, 4], 1)
check_diff('longer.h5', 'odd.h5', 1, 3, [0, 4], 1)
check_diff('primes.h5', 'prime.h5', 2)  # boxes of whole chunks of both are too large


# --- nodes that lead to one another ------------------------------------------------------------------------

def hostile_node(level, child, keys):
    node = b'TREE' + bytes([1, level]) + struct.pack('<HQQ', len(keys) - 1, 2**64 - 1, 2**64 - 1)
    for i, key in enumerate(keys):
        node += struct.pack('<IIQQ', 4, 0, key, 0)
        if i + 1 < len(keys):
            node += struct.pack('<Q', child)
    return node.ljust(24 + 64 * 32 + 24, b'\0')


def make_hostile(name, keys_of_level):
    """16 levels of nodes, each with 64 children that are all the same node."""
    make_hdf5(name, (N,), (N,), (1,), False, FLAT)
    data = bytearray(open(name, 'rb').read())
    data += bytes(-len(data) % 8)
    child = 64  # a chunk of 4 bytes somewhere in the file
    for level in range(15):
        node = hostile_node(level, child, keys_of_level(level))
        child = len(data)
        data += node
    root = data.index(b'TREE\x01')
    data[root:root + 2096] = hostile_node(15, child, keys_of_level(15))
    open(name, 'wb').write(data)


make_hostile('circles.h5', lambda level: [i << 34 for i in range(65)])
make_hostile('nested.h5', lambda level: [(i << 2 * level) + level for i in range(65)])
make_hostile('outside.h5', lambda level: [(i << 30) + (level << 20) for i in range(65)] if level else range(65))
for name in ('circles.h5', 'nested.h5', 'outside.h5'):
    for line in ('cellar info', 'cellar verify', 'ncdump -hs', 'cellar refs'):
        done = run(*line.split(), name)
        expect(f'{line} {name}', done.returncode in (-1, 0, 1, 2), True)

print('\n'.join(wrong) or f'{len(files)} files')
sys.exit(bool(wrong))
