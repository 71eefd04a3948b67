# SPDX-License-Identifier: BSD-3-Clause
. "$CLI/sample.sh"
sample s
ncdump -j -s s.nc >s.json
/usr/bin/python3 - <<'P'
import json
d = json.load(open("s.json"))
print(d["format"], list(d["dimensions"]), list(d["variables"]), list(d["groups"]))
print(d["variables"]["t"]["dimensions"], d["variables"]["t"]["attributes"]["_FillValue"], d["variables"]["t"]["storage"]["chunks"])
print(d["variables"]["time"]["data"], d["variables"]["scalar"]["data"], d["variables"]["station"]["data"])
print(d["groups"]["g"]["variables"]["c"]["data"], len(d["variables"]["t"]["data"]), len(d["variables"]["t"]["data"][0][0]))
P
