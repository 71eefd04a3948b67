#!/usr/bin/env python3
"""bits_peer.py TOOLS: cellar bits beside xbitinfo's Python form. Ends with 77 where xbitinfo is not here.

Information of every bit and keepbits are the same, along each dimension of five fields. A field that was packed is recognised, and
keeps as many bits as before it was."""
import json
import os
import subprocess
import sys
import warnings

warnings.simplefilter('ignore')
try:
    import numpy as np
    import xarray as xr
    import xbitinfo as xb
except ImportError as missing:
    print(f'NOT RUN: xbitinfo is not here ({missing}): pip install xbitinfo==0.0.7 netCDF4')
    sys.exit(77)
tools, wrong = sys.argv[1], []
rng = np.random.default_rng(1)
shape = 6, 60, 80


def smooth(noise):
    t, y, x = np.linspace(0, 1, 6), np.linspace(0, 4, 60), np.linspace(0, 6, 80)
    return 280 + 20 * np.sin(x) * np.cos(y)[:, None] + 5 * t[:, None, None] + noise * rng.standard_normal(shape)


def bits(path):
    done = subprocess.run([os.path.join(tools, 'cellar'), 'bits', '--json', path], capture_output=True, text=True, check=True)
    return {v['name']: v for v in json.loads(done.stdout)['variables']}


fields = {'fine': smooth(0.01).astype('f4'), 'coarse': smooth(1).astype('f4'), 'double': smooth(0.1),
          'walk': np.cumsum(rng.standard_normal(shape), axis=2).astype('f4'), 'steep': np.exp(smooth(0.3) / 20).astype('f4')}
ds = xr.Dataset({name: (('t', 'y', 'x'), v) for name, v in fields.items()})
ds.to_netcdf('five.nc')
ours = bits('five.nc')
for dim in 't', 'y', 'x':
    info = xb.get_bitinformation(ds, dim=dim, implementation='python')
    keep = xb.get_keepbits(info, [0.99, 0.999])
    for name in fields:
        here = next(d for d in ours[name]['dimensions'] if d['name'] == dim)
        theirs = [int(k) for k in keep[name].values.ravel()]
        far = np.abs(np.array(here['information']) - np.nan_to_num(info[name].values)).max()
        if here['keepbits'][:2] != [max(k, 0) for k in theirs] or far > 1e-8:
            wrong.append(f'{name} along {dim}: keep {here["keepbits"]} and {theirs}, information up to {far} apart')

original = smooth(0.3)
packed = np.round(original / 0.01).astype('i4').astype('f4') * np.float32(0.01)
xr.Dataset({'original': (('t', 'y', 'x'), original.astype('f4')), 'packed': (('t', 'y', 'x'), packed)}).to_netcdf('packed.nc')
both = bits('packed.nc')
if both['original']['lattice'] or abs(both['packed']['lattice'] - 0.01) > 1e-5:
    wrong.append(f'lattices {both["original"]["lattice"]} and {both["packed"]["lattice"]}, not 0 and 0.01')
a, b = (both[name]['levels'][0]['keepbits'] for name in ('original', 'packed'))
if abs(a - b) > 1:
    wrong.append(f'packed: keep {b}, and {a} before it was packed')
print('\n'.join(wrong) or 'information and keepbits are those of xbitinfo')
sys.exit(bool(wrong))
