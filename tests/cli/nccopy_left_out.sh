# SPDX-License-Identifier: BSD-3-Clause
# What a Zarr store cannot keep is named and left out; --strict fails. -c // asks for no chunks, as -c / does.
cat >x.cdl <<'C'
netcdf x { types: compound c { int a ; float b ; } ; ubyte enum e { no = 0, yes = 1 } ; opaque(2) o ;
dimensions: n = 2 ; variables: c v(n) ; e k(n) ; o p ; int plain(n) ; c plain:att = {1, 2} ; e plain:flag = yes ; plain:_ChunkSizes = 1 ;
data: v = {1, 2}, {3, 4} ; k = yes, no ; plain = 5, 6 ; }
C
ncgen -4 -o x.nc x.cdl
nccopy x.nc out.zarr; echo "exit $?"; ncdump -n x "file://$PWD/out.zarr#mode=nczarr"
nccopy --strict x.nc no.zarr 2>&1 | sed "s,$PWD,HERE,"; ls
nccopy -c // x.nc flat.nc && ncdump -hs flat.nc | grep Storage
