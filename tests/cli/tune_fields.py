#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""tune_fields.py TOOLS BENCH DATA: what `cellar tune` chooses from 5 % of eight fields of the benchmarks, held against all chains on
all values: at most 5 % more bytes than the smallest. Ends with 77 where the fields are not to be had."""
import json
import os
import subprocess
import sys

try:
    import netCDF4
    import numpy
except ImportError as missing:
    print(f'NOT RUN: {missing}: the fields of the benchmarks need numpy and netCDF4')
    sys.exit(77)
tools, bench, data = sys.argv[1:4]
sys.path.insert(0, bench)
import fields as F  # noqa: E402

STEPS = 12  # of the made fields, which have 48
KIND = {'float': 'f4', 'short': 'i2', 'double': 'f8'}
wrong = []


def write(field):
    values = numpy.fromfile(field.raw, KIND[field.ctype]).reshape(field.shape)
    if field.kind == 'synthetic':
        values = values[:STEPS]
    path = field.name.replace(' ', '_') + '.nc'
    with netCDF4.Dataset(path, 'w') as d:
        for name, n in zip('tyx', values.shape):
            d.createDimension(name, n)
        d.createVariable('v', KIND[field.ctype], ('t', 'y', 'x'), chunksizes=field.chunks)[:] = values
    os.remove(field.raw)
    return path


def tune(path, percent):
    done = subprocess.run([os.path.join(tools, 'cellar'), 'tune', '--json', '--for=archive', f'--sample={percent}', path],
                          capture_output=True, text=True, check=True)
    return json.loads(done.stdout)['variables'][0]


made = F.real_fields(F.fetch_packages(data), '.') + F.synthetic_fields('.', ['float32', 'int16', 'float64'])
if len(made) < 8:
    print(f'NOT RUN: only {len(made)} of eight fields are to be had')
    sys.exit(77)
for field in made:
    path = write(field)
    some, all_ = tune(path, 5), tune(path, 100)
    stored = {c['filters']: c['stored'] for c in all_['chains']}
    best = min(stored, key=stored.get)
    seconds = [sum(c['write_seconds'] + c['read_seconds'] for c in v['chains']) for v in (some, all_)]
    share = some['sampled'] / some['bytes']
    line = (f'{field.name}: {some["chosen"]} {stored[some["chosen"]]}, best {best} {stored[best]}: '
            f'{100 * (stored[some["chosen"]] / stored[best] - 1):.2f} % more; {100 * share:.1f} % of the values, '
            f'{100 * seconds[0] / seconds[1]:.1f} % of the time')
    print(line)
    if stored[some['chosen']] > 1.05 * stored[best] or share > 0.05:
        wrong.append(line)
    os.remove(path)
print('\n'.join(['WRONG:'] + wrong) if wrong else 'each choice is within 5 % of the best')
sys.exit(bool(wrong))
