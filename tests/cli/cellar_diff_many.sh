# SPDX-License-Identifier: BSD-3-Clause
# Numbers are compared many at a time, unless single differences are shown or some of a block are tolerated and some not: both ways
# find the same.
python3 - <<'PY'
import random
import struct
rng = random.Random(5)
special = ['NaN', 'Infinity', '-Infinity', '-0', '0', '1e-310', '-1e-310', '1', '-1', '1e300']


def value(i):
    if i % 97 == 0:
        return rng.choice(special)
    return repr(rng.uniform(-1, 1) * 10 ** rng.randrange(-6, 6))


def near(v, i):
    if i % 5 == 0:
        return v
    return rng.choice(special) if i % 101 == 0 else repr(float(v) * (1 + rng.uniform(-1e-4, 1e-4)))


def as_float(v):
    x = float(v)
    return repr(struct.unpack('f', struct.pack('f', x))[0]) if abs(x) < 1e38 else v if abs(x) == float('inf') else 'NaN'


a = [value(i) for i in range(40003)]
b = [near(v, i) for i, v in enumerate(a)]
calm = [repr(rng.uniform(1, 2)) for i in range(40003)]
calm2 = [repr(float(v) + 1e-7 * (i % 3)) for i, v in enumerate(calm)]
whole = {'byte': (-128, 127), 'ubyte': (0, 255), 'short': (-32768, 32767), 'ushort': (0, 65535), 'int': (-2**31, 2**31 - 1),
         'uint': (0, 2**32 - 1), 'int64': (-2**63 + 1, 2**63 - 1), 'uint64': (0, 2**64 - 1)}


def write(out, kind, low, high, seed):
    start, change = random.Random(kind), random.Random(seed)
    values = [start.choice([low, high, start.randrange(low, high + 1), start.randrange(low, high + 1)]) for i in range(5000)]
    near = [min(max(v + change.randrange(-2, 3), low), high) for v in values]
    out.write(f'v_{kind} = {", ".join(map(str, near))} ; ')


for name, d, c in ('a', a, calm), ('b', b, calm2):
    f = [as_float(v) for v in d]
    with open(name + '.cdl', 'w') as out:
        out.write(f'netcdf x {{ dimensions: n = {len(d)} ; m = 5000 ; variables: double d(n) ; float f(n) ; double c(n) ; float cf(n) ; '
                  f'{" ".join(f"{k} v_{k}(m) ;" for k in whole)} data: d = {", ".join(d)} ; f = {", ".join(f)} ; c = {", ".join(c)} ; cf = {", ".join(c)} ; ')
        for kind, (low, high) in whole.items():
            write(out, kind, low, high, name)
        out.write('}')
PY
ncgen -4 -o a.nc a.cdl; ncgen -4 -o b.nc b.cdl
for first in 0 7; do
    cellar diff --json --first $first a.nc b.nc >many.json; cellar diff --json --first $first --abs 0 a.nc b.nc >one.json
    python3 - <<'PY'
import json
for x, y in zip(*(json.load(open(f))['variables'] for f in ('many.json', 'one.json'))):
    same = all(x[k] == y[k] or k == 'rms' and (x[k] is None and y[k] is None or abs(x[k] - y[k]) <= 1e-12 * y[k]) for k in y)
    print(x['name'], x['values'], 'the same' if same and x['unequal'] else (x, y))
PY
done
# Where NaN differs from itself numbers are looked at one by one; these variables have none.
for within in "--abs 1" "--abs 3" "--rel 1e-7" "--rel 1e-8" "--ulps 1" "--ulps 5" "--rel 1e-3 --abs 2"; do
    cellar diff --json -v c,cf,v_byte,v_ubyte,v_short,v_ushort,v_int,v_uint,v_int64,v_uint64 $within a.nc b.nc >many.json
    cellar diff --json -v c,cf,v_byte,v_ubyte,v_short,v_ushort,v_int,v_uint,v_int64,v_uint64 $within --nan differ a.nc b.nc >one.json
    python3 - "$within" <<'PY'
import json
import sys
many, one = (json.load(open(f))['variables'] for f in ('many.json', 'one.json'))
for x in many + one:
    x['rms'] = x['rms'] and float(f'{x["rms"]:.12g}')
print(sys.argv[1], *(x['differing'] for x in many), 'the same' if many == one else (many, one))
PY
done
