# Floats and doubles are compared several at a time unless a difference may be tolerated: both ways find the same.
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
for name, d, c in ('a', a, calm), ('b', b, calm2):
    f = [as_float(v) for v in d]
    with open(name + '.cdl', 'w') as out:
        out.write(f'netcdf x {{ dimensions: n = {len(d)} ; variables: double d(n) ; float f(n) ; double c(n) ; float cf(n) ; data: '
                  f'd = {", ".join(d)} ; f = {", ".join(f)} ; c = {", ".join(c)} ; cf = {", ".join(c)} ; }}')
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
