# SPDX-License-Identifier: BSD-3-Clause
# Each _Quantize attribute quantizes, and ncdump shows it.
for a in BitGroomNumberOfSignificantDigits GranularBitRoundNumberOfSignificantDigits BitRoundNumberOfSignificantBits; do
    printf 'netcdf x { dimensions: n = 4 ; variables: float v(n) ; v:_Quantize%s = 3 ; data: v = 3.1415927, 2.7182818, 1.4142135, 100.12345 ; }\n' $a >x.cdl
    ncgen -4 -o x.nc x.cdl && ncdump -s x.nc | grep 'Quantize\|v ='
done
