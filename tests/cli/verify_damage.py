#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""verify_damage.py TOOLS DAMAGES TRUNCATIONS: files with one byte changed, or cut short, as `cellar verify` sees them.

A byte changed inside a chunk that a checksum covers: that chunk, and no other chunk of a covered variable, is named. A byte
changed inside other values: no covered chunk is named. Any other byte, and any cut: an answer, never a crash; a file that is
called whole holds the values it had. Seeds are fixed."""
import json
import os
import random
import shutil
import subprocess
import sys
import zipfile

import damage_files

tools, damages, cuts = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
wrong = []


def nothing(where):
    return None


def run(tool, *args, **more):
    return subprocess.run([os.path.join(tools, tool), *args], capture_output=True, text=True, **more)


def verify(folder):
    done = run('cellar', 'verify', '--json', folder)
    if done.returncode not in (0, 1, 2):
        wrong.append(f'cellar verify {folder} ended with {done.returncode}: {done.stderr[-2000:]}')
        return {}
    return {os.path.basename(f['file']): f for f in json.loads(done.stdout)['files']}


def same_values(path, original):
    dump = [run('ncdump', '-n', 'x', p).stdout for p in (path, original)]
    return dump[0] == dump[1]


def is_named(result, var):
    return {f['chunk'] for f in result['found'] if f['variable'] == var and f['damage']}


def check_bytes(kind, path, covered, bare):
    """covered(offset), bare(offset): the chunk there, or None."""
    rng = random.Random(kind)
    data = open(path, 'rb').read()
    folder, at = f'{kind}_bytes', {}
    os.mkdir(folder)
    for i in range(damages):
        where = rng.randrange(len(data))
        name = f'{i:04}' + path[path.index('.'):]
        at[name] = where
        with open(os.path.join(folder, name), 'wb') as f:
            f.write(data[:where] + bytes([data[where] ^ 1 << rng.randrange(8)]) + data[where + 1:])
    results, hits = verify(folder), 0
    for name, where in at.items():
        result = results.get(name)
        if not result:
            if covered(where) is not None or bare(where) is not None:
                wrong.append(f'{kind} {name}: byte {where} of a chunk, and verify did not look at it')
            continue
        hits += covered(where) is not None
        if covered(where) is not None and is_named(result, 'covered') != {covered(where)}:
            wrong.append(f'{kind} {name}: byte {where} of chunk {covered(where)}: {result["found"]}')
        if bare(where) is not None and is_named(result, 'covered'):
            wrong.append(f'{kind} {name}: byte {where} of a bare chunk: {result["found"]}')
    shutil.rmtree(folder)
    if covered is not nothing and hits < damages // 20:
        wrong.append(f'{kind}: only {hits} of {damages} bytes lay in a covered chunk')
    return hits


def check_cuts(kind, path):
    rng = random.Random(kind + ' cut')
    data = open(path, 'rb').read()
    folder = f'{kind}_cuts'
    os.mkdir(folder)
    for i in range(cuts):
        with open(os.path.join(folder, f'{i:04}' + path[path.index('.'):]), 'wb') as f:
            f.write(data[:rng.randrange(len(data))])
    for name, result in verify(folder).items():
        if result['state'] == 'whole' and not same_values(os.path.join(folder, name), path):
            wrong.append(f'{kind} {name}: cut short, and called whole with other values')
    shutil.rmtree(folder)


def extents(path, var):
    """(first byte, end, chunk) of every chunk of a variable."""
    doc = json.loads(run('cellar', 'info', '--json', f'--chunks={var}', path).stdout)
    v = next(v for v in doc['variables'] if v['name'] == var)
    across = v['shape'][1] // v['chunks'][1]
    return [(at, at + size, f'{i // across},{i % across}')
            for i, (at, size) in enumerate(zip(doc['chunks']['offsets'], doc['chunks']['sizes']))]


def finder(spans):
    return lambda where: next((c for a, b, c in spans if a <= where < b), None)


def check_store(folder_kind):
    """One chunk's file of a store at a time: it is named."""
    rng = random.Random('store')
    os.mkdir('stores')
    at = {}
    names = sorted(n for n in os.listdir('a.zarr/covered') if n[0].isdigit())
    for i in range(max(4, damages // 10)):
        name, copy = rng.choice(names), f'{i:04}.zarr'
        shutil.copytree('a.zarr', os.path.join('stores', copy))
        path = os.path.join('stores', copy, 'covered', name)
        data = bytearray(open(path, 'rb').read())
        if i % 4 == 3:
            data = data[:rng.randrange(len(data))]
        else:
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        open(path, 'wb').write(bytes(data))
        at[copy] = name.replace('.', ',')
    results = verify('stores')
    for copy, chunk in at.items():
        if is_named(results[copy], 'covered') != {chunk}:
            wrong.append(f'{folder_kind} {copy}: chunk {chunk}: {results[copy]["found"]}')
    shutil.rmtree('stores')


def zip_spans(var):
    """Values of the archive are stored as they are: after the local header of each."""
    spans = []
    with zipfile.ZipFile('a.zarr.zip') as z:
        for info in z.infolist():
            folder, _, name = info.filename.rpartition('/')
            if folder == var and name[0].isdigit():
                first = info.header_offset + 30 + len(info.filename.encode())
                spans.append((first, first + info.compress_size, name.replace('.', ',')))
    return spans


damage_files.make(run)
seen = check_bytes('hdf5', 'a.nc', finder(extents('a.nc', 'covered')), finder(extents('a.nc', 'bare')))
seen += check_bytes('zip', 'a.zarr.zip', finder(zip_spans('covered')), finder(zip_spans('bare')))
seen += check_bytes('classic', 'c.nc', nothing, nothing)
check_store('zarr')
for kind, path in ('hdf5', 'a.nc'), ('zip', 'a.zarr.zip'), ('classic', 'c.nc'):
    check_cuts(kind, path)
print('\n'.join(wrong) or f'each of {seen} damaged chunks was named')
sys.exit(bool(wrong))
