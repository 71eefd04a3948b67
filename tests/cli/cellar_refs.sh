# SPDX-License-Identifier: BSD-3-Clause
. "$CLI/sample.sh"
sample s 't:_Filter = "shuffle|deflate,level=5|fletcher32" ;'
cellar refs -o s.json s.nc; echo "exit $?"
python3 "$CLI/check_schema.py" "$CLI/../../docs/schema/refs.json" s.json
cellar diff s.nc file://s.json#mode=zarr; echo "exit $?"
cellar diff s.nc s.json; echo "exit $?"
cellar verify -q s.json; echo "exit $?"
# As they are given, seen from the folder of the document; all by reference.
mkdir sub && cp s.nc sub && (cd sub && cellar refs --as-given --inline=0 -o r.json s.nc && grep -c '"s.nc"' r.json)
cellar diff s.nc sub/r.json; echo "exit $?"
# Records of classic files, one after the other.
for i in 1 2 3; do
    echo "netcdf c { dimensions: t = UNLIMITED ; x = 3 ; variables: short a(t, x) ; double t(t) ; int once(x) ; data: a = $i, 2, 3, 4, 5, 6 ; t = $i.25, $i.5 ; once = 7, 8, 9 ; }" | ncgen -o c$i.nc
done
cellar refs -o c.json c1.nc c2.nc c3.nc && ncdump c.json | sed -n '/^data/,$p'
# Templates, whole files and JSON in place of text.
printf '\001\002\003\004' >four.bin
cat >t.json <<'J'
{"version": 1, "templates": {"f": "four"}, "refs": {".zgroup": {"zarr_format": 2},
 "v/.zarray": {"shape": [8], "chunks": [4], "dtype": "|i1", "fill_value": 0, "order": "C", "filters": null, "compressor": null, "zarr_format": 2},
 "v/.zattrs": "{\"_ARRAY_DIMENSIONS\": [\"n\"]}", "v/0": ["{{f}}.bin"], "v/1": "base64:BQYHCA=="}}
J
ncdump -v v t.json | grep 'v ='
ncdump --untrusted -v v t.json 2>&1 | grep -E 'ncdump:|v ='
