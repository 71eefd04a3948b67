#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""bits_peer.py TOOLS BENCH DATA: cellar bits beside xbitinfo's Python form. Ends with 77 where xbitinfo or a real field is not here.

Information of every bit and keepbits are the same, along each dimension of five made fields and of the five real ones of the
benchmarks, unless the lattice or the rounding that misleads xbitinfo is named. A field that was packed is recognised, and keeps as
many bits as before it was."""
import json
import os
import subprocess
import sys
import warnings

warnings.simplefilter('ignore')
os.environ['TQDM_DISABLE'] = '1'
try:
    import numpy as np
    import xarray as xr
    import xbitinfo as xb
except ImportError as missing:
    print(f'NOT RUN: xbitinfo is not here ({missing}): scripts/bits-peers.sh .venv-bits')
    sys.exit(77)
tools, bench, data = sys.argv[1:4]
sys.path.insert(0, bench)
import fields as F  # noqa: E402

STEPS = 4  # of a real field, which xbitinfo needs seconds for
wrong = []
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


def compare(fields, path):
    """Each field along each dimension: how many keep the same bits, and in how many we name a trap and keep others."""
    ds = xr.Dataset({name: (tuple(f'{d}_{name}' for d in 'tyx'), v) for name, v in fields.items()})
    ds.to_netcdf(path)
    ours = bits(path)
    same = named = 0
    for name, values in fields.items():
        for here in ours[name]['dimensions']:
            info = xb.get_bitinformation(ds[[name]], dim=here['name'], implementation='python')
            theirs = [max(int(k), 0) for k in xb.get_keepbits(info, [0.99, 0.999])[name].values.ravel()]
            far = np.abs(np.array(here['information']) - np.nan_to_num(info[name].values)).max()
            if far > 1e-8:
                wrong.append(f'{name} along {here["name"]}: information up to {far} apart')
            if here['keepbits'][:2] == theirs:
                same += 1
                continue
            trap = ours[name]['lattice'] or ours[name]['trailing_zeros']
            named += bool(trap)
            line = f'{name} along {here["name"]}: keep {here["keepbits"][:2]}, xbitinfo {theirs}; {ours[name]["note"] or "no trap named"}'
            print(line)
            if not trap:
                wrong.append(line)
    return same, named


def largest_box(good):
    """The largest rectangle of good ones, as slices of both axes: by rows, the height of good ones above each."""
    best, height = (0, None), np.zeros(good.shape[1], int)
    for y, row in enumerate(good):
        height = np.where(row, height + 1, 0)
        for h in np.unique(height[height > 0]):
            edges = np.flatnonzero(np.diff(np.concatenate([[0], height >= h, [0]])))
            first, last = max(zip(edges[::2], edges[1::2]), key=lambda e: e[1] - e[0])
            best = max(best, (h * (last - first), (slice(y + 1 - h, y + 1), slice(first, last))), key=lambda b: b[0])
    return best[1]


def whole_part(values):
    """The largest part of some steps without missing values, which xbitinfo takes for data."""
    values = values[:STEPS, :512, :1024]
    y, x = largest_box((np.abs(values) < 1e9).all(0))
    return np.ascontiguousarray(values[:, y, x])


made = compare(fields, 'five.nc')
real = F.real_fields(F.fetch_packages(data), '.')
if len(real) < 5:
    print(f'NOT RUN: only {len(real)} of the five real fields are to be had; the made fields are compared')
parts = {f.name.replace(' ', '_'): whole_part(np.fromfile(f.raw, 'f4').reshape(f.shape)) for f in real}
found = compare(parts, 'real.nc')

original = smooth(0.3)
packed = np.round(original / 0.01).astype('i4').astype('f4') * np.float32(0.01)
xr.Dataset({'original': (('t', 'y', 'x'), original.astype('f4')), 'packed': (('t', 'y', 'x'), packed)}).to_netcdf('packed.nc')
both = bits('packed.nc')
if both['original']['lattice'] or abs(both['packed']['lattice'] - 0.01) > 1e-5:
    wrong.append(f'lattices {both["original"]["lattice"]} and {both["packed"]["lattice"]}, not 0 and 0.01')
a, b = (both[name]['levels'][0]['keepbits'] for name in ('original', 'packed'))
if abs(a - b) > 1:
    wrong.append(f'packed: keep {b}, and {a} before it was packed')
print('\n'.join(['WRONG:'] + wrong) if wrong else
      f'information and keepbits are those of xbitinfo along {made[0]} dimensions of {len(fields)} made fields and {found[0]} of '
      f'{len(parts)} real ones; along {found[1]} more what misleads xbitinfo is named')
sys.exit(1 if wrong else 77 if len(real) < 5 else 0)
