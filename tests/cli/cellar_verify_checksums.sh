# SPDX-License-Identifier: BSD-3-Clause
. "$CLI/sample.sh"
sample s 't:_Filter = "shuffle|zstd,level=3" ;'
cellar verify -q --checksums m.txt s.nc; echo "exit $?"
grep -c . m.txt
cellar verify -q --checksums m.txt s.nc; echo "exit $?"
# Other filters, same values; then one value that no checksum covers changes.
nccopy -F '*,none' s.nc x.nc && mv x.nc s.nc
cellar verify -q --checksums m.txt s.nc; echo "exit $?"
at=$(cellar info --json --chunks=count s.nc | python3 -c "import json, sys; print(json.load(sys.stdin)['chunks']['offsets'][0])")
printf '\7' | dd of=s.nc bs=1 seek=$((at + 8)) conv=notrunc 2>dd.txt
cellar verify -q s.nc; echo "exit $?"
cellar verify -q --checksums m.txt s.nc | sed 's/offset [0-9]*/offset N/'; echo "exit ${PIPESTATUS[0]}"
cp s.nc other.nc; cellar verify -q --checksums m.txt other.nc; echo "exit $?"
# XXH64 is the hash whose lower half ends a frame of zstd.
printf 'netcdf b { dimensions: n = 43 ; variables: char c(n) ; data: c = "The quick brown fox jumps over the lazy dog" ; }' | ncgen -o b.nc
cellar verify -q --checksums b.txt b.nc
python3 - <<'PY'
import subprocess
frame = subprocess.run(['zstd', '-q', '--check', '-c'], input=b'The quick brown fox jumps over the lazy dog', capture_output=True).stdout
line = open('b.txt').read().splitlines()[1]
print(line[8:16] == frame[-4:][::-1].hex(), line.split('\t')[1:])
PY
echo nonsense >bad.txt; cellar verify --checksums bad.txt s.nc; echo "exit $?"
