# SPDX-License-Identifier: BSD-3-Clause
# Ids, names, keys, lists and repeated attributes.
gen() { printf 'netcdf x { dimensions: n = 100 ; variables: int v(n) ; %s }\n' "$1" >x.cdl; ncgen -4 -o x.nc x.cdl && ncdump -hsF x.nc | sed -n 's/.*v:_Filter = //p'; }
gen 'v:_Filter = "2|1,9" ;'
gen 'v:_Filter = "shuffle|zstd,level=3" ;'
gen 'v:_Filter = "2" ; v:_Filter = "307,9" ;'
gen 'v:_Filter = "zstd" ;'
gen 'v:_Codecs = "[{\"id\":\"shuffle\",\"elementsize\":4},{\"id\":\"zlib\",\"level\":5}]" ;'
gen 'v:_Filter = "shuffle|deflate,level=5" ; v:_Codecs = "[{\"id\":\"shuffle\",\"elementsize\":4},{\"id\":\"zlib\",\"level\":5}]" ;'
gen 'v:_Shuffle = "true" ; v:_DeflateLevel = 4 ; v:_Filter = "307,9" ;'
