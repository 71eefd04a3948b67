# SPDX-License-Identifier: BSD-3-Clause
# Codecs that make bytes of strings and lists: made from CDL, shown, made again from what is shown, copied, and set by -F.
cat > o.cdl <<'CDL'
netcdf o {
types:
  int(*) ragged ;
dimensions:
  n = 3 ;
variables:
  string text(n) ;
    text:_Codecs = "[{\"id\": \"json2\"}, {\"id\": \"zlib\", \"level\": 1}]" ;
  string colour(n) ;
    colour:_Codecs = "[{\"id\": \"categorize\", \"labels\": [\"red\", \"grün\"]}]" ;
  string line(n) ;
    line:_Codecs = "{\"id\": \"vlen-utf8\"}" ;
  ragged list(n) ;
data:
 text = "a", "", "b \"c\"" ;
 colour = "red", "grün", "red" ;
 line = "one", "two", "three" ;
 list = {1, 2}, {}, {3} ;
}
CDL
show() { ncdump -s "$1" | grep -v '_ChunkSizes\|_Storage\|_NCProperties\|_Format\|_Endianness\|^netcdf'; }
ncgen -o "file://$PWD/o.zarr#mode=nczarr" o.cdl && show o.zarr | tee shown
ncdump -s o.zarr > again.cdl && ncgen -o "file://$PWD/again.zarr#mode=nczarr" again.cdl && show again.zarr | diff shown - && echo the same again
nccopy o.zarr "file://$PWD/copy.zarr#mode=nczarr" && show copy.zarr | diff shown - && echo the same copied
nccopy o.zarr o.nc && nccopy -F 'text,[{"id": "vlen-utf8"}]' o.nc "file://$PWD/back.zarr#mode=zarr" && show back.zarr | grep 'Codecs\|text ='
nccopy -F 'text,[{"id": "json2"}]' o.nc no.nc 2>&1
nccopy o.zarr "file://$PWD/no.zarr#mode=zarr,v3" 2>&1 | sed "s|$PWD|HERE|"
