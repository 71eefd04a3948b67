# SPDX-License-Identifier: BSD-3-Clause
# The file most cases work on; source it: sample NAME [chain attributes of t].
sample() {
    cat >"$1.cdl" <<CDL
netcdf $1 {
dimensions:
	time = UNLIMITED ; lat = 8 ; lon = 16 ; n = 2 ;
variables:
	float t(time, lat, lon) ;
		t:units = "K" ; t:_FillValue = -999.f ; t:_ChunkSizes = 1, 4, 8 ; ${2:-}
	double time(time) ;
		time:units = "hours since 2000-01-01" ;
	int count(lat, lon) ;
	int scalar ;
	string station(n) ;
data:
	t = $(for i in $(seq 256); do printf '%s%d.%d' "${sep:-}" $((i % 40)) $((i % 8)); sep=', '; done) ;
	time = 0, 6 ;
	count = $(for i in $(seq 128); do printf '%s%d' "${sep2:-}" $((i / 9)); sep2=', '; done) ;
	scalar = 7 ; station = "De Bilt", "Cabauw" ;

group: g {
  variables:
	short c(lat) ;
  data:
	c = 1, 2, 3, 4, 5, 6, 7, 8 ;
}
}
CDL
    ncgen -4 -o "$1.nc" "$1.cdl"
}

# How a variable is stored: its special attributes, without storage and byte order.
chain() { ncdump -hs "$1" | sed -n "s/^[[:space:]]*$2:\(_Shuffle\|_DeflateLevel\|_Fletcher32\|_Filter\|_Quantize[A-Za-z]*\) = /\1 /p"; }
same_data() { ncdump -n x "$1" | grep -v "string station:_FillValue" >a.txt; ncdump -n x "$2" | grep -v "string station:_FillValue" >b.txt; cmp a.txt b.txt && echo "same data"; }
