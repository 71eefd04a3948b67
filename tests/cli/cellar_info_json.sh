# SPDX-License-Identifier: BSD-3-Clause
. "$CLI/sample.sh"
sample s 't:_Filter = "shuffle|deflate,level=5|fletcher32" ;'
nccopy -F none s.nc s.zarr
echo 'netcdf c { dimensions: x = 2 ; variables: int count(x) ; data: count = 1, 2 ; }' | ncgen -o c.nc
schema=$CLI/../../docs/schema/info.json
for f in s.nc s.zarr c.nc; do
    cellar info --json --layout --chunks=count $f >$f.json && python3 "$CLI/check_schema.py" "$schema" $f.json
done
python3 - <<'PY'
import json
v = {v['name']: v for v in json.load(open('s.nc.json'))['variables']}
print(v['t']['filters'], v['t']['checksum'], v['t']['fill_value'], v['t']['chunks'], v['t']['chunks_written'])
print(v['/g/c']['bytes'], v['/g/c']['stored'], v['scalar']['shape'], v['scalar']['storage'])
PY
