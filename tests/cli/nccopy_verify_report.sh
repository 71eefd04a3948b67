# SPDX-License-Identifier: BSD-3-Clause
. "$CLI/sample.sh"
sample s 't:_DeflateLevel = 5 ;'
nccopy --verify --report json -F "t,zstd" s.nc o.nc >r.json
/usr/bin/python3 -c 'import json; r = json.load(open("r.json")); print(r["verified"], [(v["name"], v["filters"], v["how"], v["bytes"]) for v in r["variables"]])'
nccopy --dry-run -F "t,zstd" --report json s.nc no.nc >r.json && ls
/usr/bin/python3 -c 'import json; r = json.load(open("r.json")); print(r["estimated"], [v["how"] for v in r["variables"]], 0 < r["variables"][0]["stored"] < 1024)'
nccopy --report text s.nc o.nc | awk 'NR > 1 { print $1, $2, $NF }'
