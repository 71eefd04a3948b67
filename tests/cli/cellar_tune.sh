# SPDX-License-Identifier: BSD-3-Clause
. "$CLI/sample.sh"
# A ramp: differences to the neighbours are all the same.
python3 - <<'PY'
import random
rng = random.Random(3)
values = ', '.join(str((x * 3 + y * 5) % 30000 / 4) for y in range(256) for x in range(256))
noisy = ', '.join(f'{x * 3 + y * 5 + rng.gauss(0, 1):.7f}' for y in range(256) for x in range(256))
with open('a.cdl', 'w') as f:
    f.write(f'netcdf a {{ dimensions: y = 256 ; x = 256 ; variables: float ramp(y, x) ; ramp:_ChunkSizes = 64, 64 ; '
            f'ramp:_Filter = "shuffle|lz4|fletcher32" ; float noisy(y, x) ; float small(x) ; char c(y, x) ; '
            f'data: ramp = {values} ; noisy = {noisy} ; }}')
PY
ncgen -4 -o a.nc a.cdl
cellar tune --for archive --json a.nc >t.json; python3 "$CLI/check_schema.py" "$CLI/../../docs/schema/tune.json" <t.json
python3 - <<'PY'
import json
doc = json.load(open('t.json'))
for v in doc['variables']:
    size = {c['filters']: c['stored'] for c in v['chains']}
    print(v['name'], v['box'], v['boxes'], v['sampled'] <= 0.05 * v['bytes'] or v['boxes'] == 1, v['now'])
    print('the smallest' if size[v['chosen']] == min(size.values()) else size, v['chosen'].endswith('fletcher32'),
          'ndlorenzo' in v['chosen'], len(size) > 20, any(c['front'] for c in v['chains']))
PY
for goal in read write balanced archive; do cellar tune --for $goal -o $goal.nc a.nc >text; cellar diff a.nc $goal.nc && echo "$goal: the same values"; done
sed -n 1,2p text; grep -c '^  \*' text; tail -1 text | cut -d, -f1
cellar tune --for archive --lossy 0.3 -v noisy -o lossy.nc a.nc | grep '^  \*' | grep -o '(largest error'
cellar diff --abs 0.3 -v noisy a.nc lossy.nc && echo "within the bound"
cellar tune --bits --for archive -v noisy -o bits.nc a.nc | tail -1 | grep -o 'quantize.*'; chain bits.nc noisy | tail -1
cellar tune -v small a.nc
cellar tune --for archive archive.nc | tail -1
