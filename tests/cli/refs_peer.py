#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""refs_peer.py TOOLS: cellar refs beside kerchunk. Ends with 77 where kerchunk is not here.

The tables are the same: keys, offsets, sizes, shapes, types, filters, attributes. zarr-python reads ours, and we read kerchunk's,
with the values of the files themselves. Several files are one dataset."""
import json
import os
import subprocess
import sys
import warnings

try:
    import fsspec  # noqa: F401
    import h5py
    import numcodecs
    import numpy as np
    import xarray as xr
    from kerchunk.hdf import SingleHdf5ToZarr
    from kerchunk.netCDF3 import NetCDF3ToZarr
    import netCDF4
except ImportError as missing:
    print(f'NOT RUN: kerchunk and what it needs are not here ({missing}): pip install kerchunk xarray h5py scipy netCDF4')
    sys.exit(77)
warnings.simplefilter('ignore')
tools = sys.argv[1]
wrong = []


def run(tool, *args):
    done = subprocess.run([os.path.join(tools, tool), *args], capture_output=True, text=True)
    if done.returncode:
        wrong.append(f'{tool} {args}: {done.stdout}{done.stderr}')
    return done.stdout


def make_hdf5(path, start=0, n=6):
    rng = np.random.default_rng(start)
    with netCDF4.Dataset(path, 'w') as f:
        f.title = 'références'
        f.createDimension('time', None)
        f.createDimension('y', 37)
        f.createDimension('x', 50)
        t = f.createVariable('time', 'f8', ('time',), chunksizes=(4,))
        t.units = 'hours since 2000-01-01'
        t[:] = np.arange(start, start + n)
        for name, dtype, filters in (('plain', 'f4', {}), ('packed', 'i2', dict(zlib=True, complevel=4, shuffle=True)),
                                     ('fine', 'f8', dict(compression='zstd', complevel=3, shuffle=False)),
                                     ('big', '>i4', dict(zlib=True, shuffle=False))):
            v = f.createVariable(name, dtype, ('time', 'y', 'x'), chunksizes=(2, 20, 25), fill_value=-7,
                                 endian='big' if dtype[0] == '>' else 'native', **filters)
            v.factors = np.array([1.5, 2.25], 'f4')
            v.count = np.int32(start)
            v[:] = rng.integers(0, 1000, (n, 37, 50))
        f.createVariable('once', 'f4', ('y', 'x'))[:] = np.arange(37 * 50).reshape(37, 50)
        holes = f.createVariable('holes', 'i4', ('y', 'x'), chunksizes=(10, 10), fill_value=-1)
        holes[0, 0] = 5
        g = f.createGroup('g')
        g.note = 'inside'
        g.createVariable('inner', 'u2', ('x',))[:] = np.arange(50)


def make_classic(path, kind):
    with netCDF4.Dataset(path, 'w', format=kind) as f:
        f.createDimension('time', None)
        f.createDimension('x', 11)
        f.createVariable('time', 'i4', ('time',))[:] = np.arange(5)
        f.createVariable('a', 'f4', ('time', 'x'), fill_value=-1)[:] = np.arange(55).reshape(5, 11)
        v = f.createVariable('b', 'f8', ('x',))
        v.long_name = 'text'
        v[:] = np.arange(11) / 7
        f.createVariable('c', 'i2', ('time', 'x'))[:] = np.arange(55).reshape(5, 11)


def filters_of(meta):
    return [numcodecs.get_codec(f).get_config() for f in (meta['filters'] or [])]


def compare(path, ours, theirs):
    missing, extra = theirs.keys() - ours.keys(), ours.keys() - theirs.keys()
    if missing or extra:
        wrong.append(f'{path}: only kerchunk has {sorted(missing)[:5]}, only we have {sorted(extra)[:5]}')
    for key in sorted(ours.keys() & theirs.keys()):
        a, b = ours[key], theirs[key]
        if key.endswith('.zarray'):
            a, b = json.loads(a), json.loads(b)
            if filters_of(a) != filters_of(b):
                wrong.append(f'{path}: {key}: filters {a["filters"]} and {b["filters"]}')
            if a['shape'] == [] or key == 'holes/.zarray':  # kerchunk writes no fill value for chunks that are missing
                a['fill_value'] = b['fill_value']
            a['filters'] = b['filters'] = None
        elif isinstance(b, str) and b.startswith('{'):
            a, b = json.loads(a), json.loads(b)
        if a != b:
            wrong.append(f'{path}: {key}: {a} and {b}')


def values_of(path):
    found = {}
    with netCDF4.Dataset(path) as f:
        f.set_auto_maskandscale(False)
        for group in (f, *f.groups.values()):
            for name, v in group.variables.items():
                found[(group.path.strip('/') + '/' + name).strip('/')] = v[...]
    return found


def read_by_xarray(refs, path):
    """By fsspec and zarr-python: ours must be what kerchunk's own are."""
    wanted = values_of(path)
    for group in (None, 'g') if 'g/inner' in wanted else (None,):
        with xr.open_dataset(refs, engine='kerchunk', group=group, mask_and_scale=False, decode_times=False) as ds:
            for name, v in ds.variables.items():
                if not np.array_equal(v.values, wanted[f'{group}/{name}' if group else name]):
                    wrong.append(f'{refs}: {name}: zarr-python reads other values')


def check(path, translate):
    path = os.path.abspath(path)
    theirs = translate(path)
    ours = json.loads(run('cellar', 'refs', '--inline=0', path))['refs']
    compare(path, ours, theirs)
    run('cellar', 'refs', '-o', path + '.ours.json', path)
    read_by_xarray(path + '.ours.json', path)
    with open(path + '.theirs.json', 'w') as f:
        json.dump({'version': 1, 'refs': translate(path, 500)}, f)
    for side in 'ours', 'theirs':
        run('cellar', 'diff', '--no-attributes', path, f'file://{path}.{side}.json#mode=zarr')


make_hdf5('h.nc')
check('h.nc', lambda p, n=0: SingleHdf5ToZarr(p, inline_threshold=n).translate()['refs'])
for kind in 'NETCDF3_CLASSIC', 'NETCDF3_64BIT_OFFSET':
    make_classic(f'{kind}.nc', kind)
    check(f'{kind}.nc', lambda p, n=0: NetCDF3ToZarr(p, inline_threshold=n).translate()['refs'])

# Chunks that are missing, and no fill value: zeros.
with h5py.File('bare.h5', 'w') as f:
    f.create_dataset('bare', (6,), 'i4', chunks=(2,))[0] = 5
run('cellar', 'refs', '-o', 'bare.json', 'bare.h5')
run('cellar', 'diff', '--no-attributes', 'bare.h5', f'file://{os.path.abspath("bare.json")}#mode=zarr')

# Three files as one; the last one is shorter. Chunks of time do not fit: its values are in the document.
for i in range(3):
    make_hdf5(f'part{i}.nc', 6 * i, 5 if i == 2 else 6)
run('cellar', 'refs', '--concat=time', '-o', 'all.json', *(f'part{i}.nc' for i in range(3)))
parts = [values_of(f'part{i}.nc') for i in range(3)]
with xr.open_dataset('all.json', engine='kerchunk', mask_and_scale=False, decode_times=False) as ds:
    for name in 'time', 'plain', 'packed', 'fine', 'big':
        if not np.array_equal(ds[name].values, np.concatenate([p[name] for p in parts])):
            wrong.append(f'all.json: {name}: not the values of the three files')
    if not np.array_equal(ds['once'].values, parts[0]['once']):
        wrong.append('all.json: once: not that of the first file')
with open('all.cdl', 'w') as f:
    f.write(run('ncdump', '-v', 'time', 'file://all.json#mode=zarr'))
if 'time = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16' not in open('all.cdl').read().replace('\n', ''):
    wrong.append('all.json: time: ncdump shows other values')
print('\n'.join(wrong) or 'the references are kerchunk\'s, and each reads the other\'s')
sys.exit(bool(wrong))
