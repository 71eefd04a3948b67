# SPDX-License-Identifier: BSD-3-Clause
# Tools write their output where nobody can have planted anything, widen no permission, and keep the
# link through which the output was named.
set -eu
PATH="$CEL_TEST_TOOLS:$PATH"
work=$(mktemp -d "${TMPDIR:-/tmp}/cellar-test-XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work"
umask 022
fail() { echo "$1"; exit 1; }
echo 'netcdf s { dimensions: x = 3 ; variables: int v(x) ; data: v = 1, 2, 3 ; }' >s.cdl
ncgen -4 -o s.nc s.cdl
echo precious >precious

# The name that earlier versions took is known to whoever knows the process.
sh -c 'ln -s precious .o.nc.cellar-$$.nc; exec nccopy s.nc o.nc'
sh -c 'ln -s precious .o.nc.cellar-$$.nc; exec ncgen -4 -o o.nc s.cdl'
[ "$(cat precious)" = precious ] || fail "a planted link was followed"

for mode in 600 640 400; do
    chmod $mode o.nc
    nccopy s.nc o.nc
    [ "$(stat -c %a o.nc)" = $mode ] || fail "nccopy made $mode $(stat -c %a o.nc)"
    ncgen -4 -o o.nc s.cdl
    [ "$(stat -c %a o.nc)" = $mode ] || fail "ncgen made $mode $(stat -c %a o.nc)"
done
nccopy s.nc o.zarr
chmod 700 o.zarr
nccopy s.nc o.zarr
[ "$(stat -c %a o.zarr)" = 700 ] || fail "nccopy made a folder of 700 $(stat -c %a o.zarr)"

mkdir elsewhere
nccopy s.nc elsewhere/real.nc
ln -s elsewhere/real.nc link.nc
echo 'netcdf s { dimensions: x = 4 ; }' >t.cdl
ncgen -4 -o link.nc t.cdl
[ -L link.nc ] || fail "the link was replaced"
ncdump -h elsewhere/real.nc | grep -q 'x = 4' || fail "what the link leads to is as it was"
ln -s nowhere dangling.nc
! nccopy s.nc dangling.nc 2>err || fail "a link to nothing was written"
grep -q 'leads nowhere' err || fail "$(cat err)"
[ -z "$(ls -A . elsewhere | grep 'cellar-n')" ] || fail "left: $(ls -A . elsewhere)"
