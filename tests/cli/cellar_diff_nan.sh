# SPDX-License-Identifier: BSD-3-Clause
say() { cellar diff "$@"; echo "exit $?"; }
make() { echo "netcdf $1 { dimensions: x = 5 ; variables: float f(x) ; double d(x) ; int64 i(x) ; data: f = $2 ; d = $2 ; i = $3 ; }" | ncgen -4 -o $1.nc; }
make a "NaN, 0, 1, Infinity, 2" "9223372036854775807, 0, 0, 0, 0"
make b "NaN, -0, 1, Infinity, 2" "9223372036854775807, 0, 0, 0, 0"
make c "1, 0, NaN, -Infinity, 2" "-9223372036854775808, 0, 0, 0, 1"
say a.nc b.nc
say --nan=differ a.nc b.nc
say a.nc c.nc
say --abs 1e30 a.nc c.nc
cellar diff --json a.nc c.nc | python3 "$CLI/check_schema.py" "$CLI/../../docs/schema/diff.json"
