# SPDX-License-Identifier: BSD-3-Clause
. "$CLI/sample.sh"
sample s 't:_Filter = "shuffle|deflate,level=5|fletcher32" ;'
unset ${!CELLAR_@}
cellar doctor >out.txt; echo "exit $?"
grep -c ' works' out.txt | sed 's/^[2-9][0-9]$/most filters work/'
grep -E ' fails' out.txt
CELLAR_STRICT=1 cellar doctor s.nc | grep -E '^(environment|file)'
cellar doctor --json s.nc >j.json; python3 "$CLI/check_schema.py" "$CLI/../../docs/schema/doctor.json" j.json
# Every variable that the library looks at is told of.
for name in $(grep -oE '\b(CELLAR|HDF5|NETCDF)_[A-Z_]+|NCLOGGING' "$CLI/../../src/base/env.h" | grep -v _ENV_H | sort -u); do
    grep -q "\"$name\"" j.json || echo "$name is not told of"
done
