#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""salvage_damage.py TOOLS DAMAGES TRUNCATIONS: files with one byte changed, or cut short, as `cellar salvage` saves them.

Of HDF5, classic, zip and Zarr: every chunk whose bytes are whole has its values in the output, bit for bit; a chunk that is
damaged and that a checksum covers is in the list of what is lost; a variable with other values is one that the list calls
unprotected. Bytes of metadata that nothing covers (classic headers, Zarr's documents in a directory) may cost more: how often is
printed and bounded. Seeds are fixed."""
import json
import os
import random
import re
import shutil
import subprocess
import sys
import zipfile
from concurrent.futures import ThreadPoolExecutor

import damage_files

tools, damages, cuts = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
SHAPE = {'covered': (64, 64), 'bare': (64, 64), 'flat': (64,)}
CHUNK = {'covered': (16, 16), 'bare': (32, 32), 'flat': (64,)}
wrong = []


def run(tool, *args):
    return subprocess.run([os.path.join(tools, tool), *args], capture_output=True, text=True, errors='replace')


def values_of(path):
    """name -> values as text, row by row."""
    data = run('ncdump', '-p', '9,17', path).stdout.partition('data:')[2]
    return {name: text.split(',') for name, text in
            re.findall(r'(\w+) = ([^;]*) ;', re.sub(r'\s', '', data).replace('=', ' = ').replace(';', ' ;'))}


def chunk_values(values, name, chunk):
    """The values of one chunk of a variable."""
    shape, size = SHAPE[name], CHUNK[name]
    if len(shape) == 1:
        return values[chunk[0] * size[0]:(chunk[0] + 1) * size[0]]
    return [values[x * shape[1] + y] for x in range(chunk[0] * size[0], (chunk[0] + 1) * size[0])
            for y in range(chunk[1] * size[1], (chunk[1] + 1) * size[1])]


def chunks_of(name):
    shape, size = SHAPE[name], CHUNK[name]
    if len(shape) == 1:
        return [(0,)]
    return [(i, k) for i in range(shape[0] // size[0]) for k in range(shape[1] // size[1])]


def is_lost(report, name, chunk):
    """Does the list have all of it?"""
    size = CHUNK[name]
    return any(item['name'] == name and (item['start'] is None or all(
        a <= c * n and (c + 1) * n <= a + b for a, b, c, n in zip(item['start'], item['count'], chunk, size)))
        for item in report['lost'])


def salvage(path, out):
    done = run('cellar', 'salvage', '--json', path, out)
    if done.returncode not in (0, 1, 3):
        return None, {}, f'ended with {done.returncode}: {done.stderr[-1000:]}'
    if done.returncode == 1:
        return {'lost': [], 'unprotected': []}, {}, done.stderr
    values = values_of(out)
    shutil.rmtree(out) if os.path.isdir(out) else os.remove(out)
    return json.loads(done.stdout), values, ''


def check(what, report, values, error, original, whole, metadata):
    """whole(variable, chunk): are its bytes as they were? Gives the chunks that are whole and were not saved: a fault unless
    nothing covers the metadata."""
    if report is None:
        wrong.append(f'{what}: {error}')
        return 0
    missed = 0
    for name in SHAPE:
        for chunk in chunks_of(name):
            want = chunk_values(original[name], name, chunk)
            got = chunk_values(values[name], name, chunk) if len(values.get(name, '')) == len(original[name]) else None
            lost = is_lost(report, name, chunk) or (name not in values and any(x['name'] == '/' for x in report['lost']))
            if got == want or (error and not whole(name, chunk)):  # where nothing could be saved, that is said
                continue
            if whole(name, chunk):
                missed += 1
                if not metadata:
                    wrong.append(f'{what}: {name} {chunk} is whole and was not saved: {error}{json.dumps(report)[:600]}')
            elif name == 'covered' and original is not classic and not lost:
                wrong.append(f'{what}: {name} {chunk} is damaged and not in the list: {json.dumps(report)[:600]}')
            elif not lost and name not in report['unprotected']:
                wrong.append(f'{what}: {name} {chunk} has other values, and neither list has it')
    return missed


def each(jobs, work):
    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(work, jobs))


def overlap(span, where, end):
    return span is not None and span[0] < end and where < span[1]


def check_file(kind, path, original, spans, suffix, metadata_free):
    """spans: (variable, chunk) -> first byte and end. metadata_free(offset): nothing covers this byte of metadata."""
    rng = random.Random(kind)
    data = open(path, 'rb').read()
    jobs = [(i, rng.randrange(len(data)), 1 << rng.randrange(8)) for i in range(damages)]

    def damage(job):
        i, where, bit = job
        name = f'{kind}_{i}{suffix}'
        with open(name, 'wb') as f:
            f.write(data[:where] + bytes([data[where] ^ bit]) + data[where + 1:])
        hit = next((k for k, s in spans.items() if overlap(s, where, where + 1)), None)
        free = hit is None and metadata_free(where)
        missed = check(f'{kind}: byte {where} ^ {bit}', *salvage(name, f'{kind}_{i}_out.nc'), original,
                       lambda n, c: not overlap(spans.get((n, c)), where, where + 1), free)
        os.remove(name)
        return free, missed

    def cut(job):
        i, where = job
        name = f'{kind}_cut_{i}{suffix}'
        with open(name, 'wb') as f:
            f.write(data[:where])
        first = min(a for a, b in spans.values())
        missed = check(f'{kind}: cut at {where}', *salvage(name, f'{kind}_cut_{i}_out.nc'), original,
                       lambda n, c: (n, c) in spans and spans[n, c][1] <= where, where < len(data))
        os.remove(name)
        return where < first, missed

    done = each(jobs, damage)
    uncovered = [m for free, m in done if free]
    print(f'{kind}: {damages} bytes changed, {len(uncovered)} of them in metadata without a checksum: '
          f'{sum(m > 0 for m in uncovered)} cost whole chunks')
    done = each([(i, rng.randrange(len(data))) for i in range(cuts)], cut)
    print(f'{kind}: {cuts} cut short, {sum(m > 0 for _, m in done)} cost chunks whose bytes were left')
    return sum(m > 0 for m in uncovered), sum(m > 0 for _, m in done)


def hdf5_spans():
    spans = {}
    for name in SHAPE:
        doc = json.loads(run('cellar', 'info', '--json', f'--chunks={name}', 'a.nc').stdout)
        for chunk, at, size in zip(chunks_of(name), doc['chunks']['offsets'], doc['chunks']['sizes']):
            spans[name, chunk] = (at, at + size)
    return spans


def classic_spans():
    spans = {}
    for name in SHAPE:
        at = json.loads(run('cellar', 'info', '--json', f'--chunks={name}', 'c.nc').stdout)['chunks']['offsets'][0]
        for chunk in chunks_of(name):
            rows = SHAPE[name][1] if len(SHAPE[name]) == 2 else 1
            first = chunk[0] * CHUNK[name][0] * rows * 4
            spans[name, chunk] = (at + first, at + first + CHUNK[name][0] * rows * 4)
    return spans


def zip_spans():
    spans = {}
    with zipfile.ZipFile('a.zarr.zip') as z:
        for info in z.infolist():
            folder, _, name = info.filename.rpartition('/')
            if folder in SHAPE and name[0].isdigit():
                first = info.header_offset + 30 + len(info.filename.encode())
                spans[folder, tuple(map(int, name.split('.')))] = (first, first + info.compress_size)
    return spans


def check_store(original):
    """One byte of all files of the store, and one file cut short."""
    rng = random.Random('zarr')
    files = sorted(os.path.relpath(os.path.join(folder, name), 'a.zarr')
                   for folder, _, names in os.walk('a.zarr') for name in names)
    sizes = [os.path.getsize(os.path.join('a.zarr', f)) for f in files]

    def one(job):
        i, path, size, cut = job
        store = f's{i}.zarr'
        shutil.copytree('a.zarr', store)
        data = bytearray(open(os.path.join(store, path), 'rb').read())
        where = random.Random(i).randrange(size)
        if cut:
            data = data[:where]
        else:
            data[where] ^= 1 << random.Random(-i - 1).randrange(8)
        open(os.path.join(store, path), 'wb').write(bytes(data))
        folder, _, name = path.rpartition('/')
        hit = (folder, tuple(map(int, name.split('.')))) if name[0].isdigit() else None
        missed = check(f'zarr: byte {where} of {path}{" cut" if cut else ""}', *salvage(store, f's{i}_out.nc'), original,
                       lambda n, c: (n, c) != hit, hit is None)
        shutil.rmtree(store)
        return hit is None, missed, cut

    jobs = [(i, *rng.choices(list(zip(files, sizes)), sizes)[0], i >= damages) for i in range(damages + cuts)]
    done = each([j for j in jobs if j[2]], one)
    print(f'zarr: {damages} bytes changed and {cuts} values cut short, {sum(f for f, _, _ in done)} of them metadata, which has no '
          f'checksum: {sum(m > 0 for _, m, _ in done)} cost whole chunks')
    believed = sum(m > 0 for _, m, cut in done if not cut)
    if believed > 1:  # a length that is another one now, and makes sense
        wrong.append(f'zarr: {believed} changed bytes of metadata cost whole chunks, where 1 did')


damage_files.make(run)
original, classic = values_of('a.nc'), values_of('c.nc')
header = min(a for a, b in classic_spans().values())
check_file('hdf5', 'a.nc', original, hdf5_spans(), '.nc', lambda at: False)
check_file('zip', 'a.zarr.zip', original, zip_spans(), '.zarr.zip', lambda at: False)
check_file('classic', 'c.nc', classic, classic_spans(), '.nc', lambda at: at < header)
check_store(original)
print('\n'.join(wrong[:40]) or 'every whole chunk was saved, every damaged one is in a list')
sys.exit(bool(wrong))
