# SPDX-License-Identifier: BSD-3-Clause
. "$CLI/sample.sh"
cat >a.cdl <<END
netcdf a { dimensions: x = 4 ; y = 14 ;
variables: int a(x, y) ; a:_ChunkSizes = 2, 7 ; a:_Filter = "shuffle|zstd,level=1" ; a:units = "m" ; int x(x) ;
  :title = "top" ;
data: a = $(seq -s, 56) ; x = 1, 2, 3, 4 ;
group: g { variables: int b(x) ; :k = "in" ; data: b = 5, 6, 7, 8 ; } }
END
ncgen -4 -o a.nc a.cdl
for words in zarr zarr,consolidated zarr,v3 zarr,v3,consolidated nczarr nczarr,v3; do
    nccopy a.nc "file://$words#mode=$words"
done
values() { ncdump -v $1 $2 2>err.txt | tr -d '\n ' | grep -o "[:;]$1=[^;]*;" | sed 's/.*=/=/'; } # VARIABLE FILE
try() { # STORE DOCUMENT COMMAND...: the document as the command writes it
    rm -rf s o.nc; cp -r $1 s; document=$2; shift 2
    "$@" s/$document >x && mv x s/$document; find s -type f -exec md5sum {} + | sort >before.txt
    cellar salvage s o.nc; echo "exit $?"
    find s -type f -exec md5sum {} + | sort | cmp - before.txt
    for name in a x b; do [ "$(values $name a.nc)" = "$(values $name o.nc)" ] && echo -n "$name "; done; echo "as before"
}
echo "--- a copy in consolidated metadata"
try zarr,consolidated a/.zarray head -c 40
try zarr,consolidated a/.zattrs head -c 10
try zarr,v3,consolidated a/zarr.json head -c 40
echo "--- one reading: space, a codec, the name of a member, a key"
try zarr a/.zarray sed 's/{"id"/#"id"/; s/^{/k/'
try zarr a/.zarray sed 's/shuffle/shufble/'
try zarr a/.zarray sed 's/compressor/cgmpressor/'
try zarr,v3 a/zarr.json sed 's/zstd/zstt/'
echo "--- more than one: C and F"
try zarr a/.zarray sed 's/"C"/"G"/'
echo "--- 14 and 1: keys are beyond the other one"
try zarr a/.zarray sed '5s/4/$/'
echo "--- what a document cut short said is not known"
try zarr a/.zarray head -c 40
echo "--- groups"
for document in zarr/.zgroup zarr/g/.zgroup zarr,v3/zarr.json zarr,v3/g/zarr.json; do
    echo "$document"; try ${document%%/*} ${document#*/} head -c 9
done
try zarr,v3 zarr.json sed 's/"group"/"groep"/'
echo "--- NCZarr: dimensions of the root group"
try nczarr .zattrs head -c 9
try nczarr,v3 zarr.json head -c 9
