# SPDX-License-Identifier: BSD-3-Clause
# Tagged constants at the edge of their type, negative numbers for unsigned types, "1" for true, "" for a NUL fill value.
cat >x.cdl <<'C'
netcdf x { dimensions: d = 3 ; variables: byte b(d) ; short s(d) ; int i(d) ; int64 l(d) ; ushort us(d) ; uint64 ul(d) ; char c(d) ;
 c:_FillValue = "" ; i:_Shuffle = "1" ; i:_DeflateLevel = 1 ;
data: b = -127B, 127b, 255b ; s = 32767S, 0xabcdS, 65535s ; i = -2147483646L, 2147483647l, 4294967295l ;
 l = -5LL, 0xabcdabcdabcdabcdL, 18446744073709551615LL ; us = -2000s, 65535, 1US ; ul = -200000000000L, 5, 18446744073709551615ULL ; }
C
ncgen -4 -o x.nc x.cdl && ncdump x.nc | sed -n '/^data/,$p'; ncdump -hs x.nc | grep '_Shuffle\|_FillValue'
# What does not fit is still an error.
echo 'netcdf y { variables: short s ; data: s = 70000 ; }' | ncgen -o y.nc
