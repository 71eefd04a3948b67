# SPDX-License-Identifier: BSD-3-Clause
python3 - >f.cdl <<'PY'
# A smooth field with noise: 120 x 100 floats; the same rounded to 7 bits; a constant; masked ones; too few; whole numbers.
import math
import struct
state = 12345
def noise():
    global state
    state = (state * 1103515245 + 12345) % 2**31
    return state / 2**31 - 0.5
def rounded(v, keep):
    bits = struct.unpack('I', struct.pack('f', v))[0]
    return struct.unpack('f', struct.pack('I', (bits + (1 << 22 - keep)) >> 23 - keep << 23 - keep))[0]
n, m = 120, 100
field = [280 + 20 * math.sin(i / 17) * math.cos(j / 23) + 0.3 * noise() for i in range(n) for j in range(m)]
def data(values): return ', '.join('NaN' if v != v else f'{v:.9g}' for v in values)
holed = [float('nan') if k % 31 == 3 else v for k, v in enumerate(field)]
print(f'''netcdf f {{ dimensions: y = {n} ; x = {m} ; few = 1001 ;
variables: float field(y, x) ; float rounded(y, x) ; float constant(y, x) ; float holed(y, x) ; float few(few) ; int whole(few) ;
data: field = {data(field)} ; rounded = {data([rounded(v, 7) for v in field])} ; constant = {data([1.5] * n * m)} ;
 holed = {data(holed)} ; few = {data(field[:1001])} ; }}''')
PY
ncgen -4 -o f.nc f.cdl
cellar bits f.nc | sed -E 's/error .*/error E/; s/ +[0-9.]+ bits of info/ B bits of info/'
cellar bits --json f.nc | python3 "$CLI/check_schema.py" "$CLI/../../docs/schema/bits.json"
# The share of ones that chance explains among 1000, at 95 %: 0.5309897516152281.
cellar bits --json --threshold=binomial --confidence=0.95 -v few f.nc | grep '"chance"'
