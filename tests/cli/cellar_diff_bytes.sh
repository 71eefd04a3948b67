# SPDX-License-Identifier: BSD-3-Clause
# Chunks that are the same bytes are not decoded; damage in one file is trouble, not a difference.
. "$CLI/sample.sh"
sample a 't:_Filter = "shuffle|deflate,level=5|fletcher32" ;'
cp a.nc b.nc
same() { cellar diff --json a.nc b.nc | python3 -c "import json, sys; print([v['same_bytes'] for v in json.load(sys.stdin)['variables'] if v['name'] in ('t', 'count')])"; }
same
at=$(cellar info --json --chunks=t a.nc | python3 -c "import json, sys; print(json.load(sys.stdin)['chunks']['offsets'][3])")
printf '\377' | dd of=b.nc bs=1 seek=$((at + 20)) conv=notrunc 2>dd.txt
cellar diff -v t a.nc b.nc; echo "exit $?"
nccopy -F 't,shuffle|deflate,level=1' a.nc b.nc; same
