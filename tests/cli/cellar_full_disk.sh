# SPDX-License-Identifier: BSD-3-Clause
# Where the disk is full (here: no file may be longer than a block) the reason is told, the old output stays, and nothing else is left.
. "$CLI/sample.sh"
sample s
for i in $(seq 40); do cp s.nc f$i.nc; done
mkdir out; for f in refs.json sums.txt page.html t.nc saved.nc; do echo old >out/$f; done
short() { (trap '' XFSZ; ulimit -f 1; "$@") 2>&1 | sed 's/offset [0-9]*/offset N/'; echo "exit ${PIPESTATUS[0]}"; }
short cellar refs -o out/refs.json --concat time f*.nc
rm out/sums.txt; short cellar verify -q --checksums out/sums.txt f*.nc
short cellar info --html out/page.html s.nc
short cellar salvage s.nc out/saved.nc
short cellar tune -q -o out/t.nc s.nc
ls -A out; cat out/*
# Killed in the midst: the next run removes what was left.
(cellar refs -o out/refs.json --concat time f*.nc & pid=$!; kill -9 $pid; wait $pid) 2>/dev/null
cellar refs -q -o out/refs.json s.nc; ls -A out; grep -c '"version"' out/refs.json
