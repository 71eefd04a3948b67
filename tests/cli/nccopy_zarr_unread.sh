# SPDX-License-Identifier: BSD-3-Clause
# The report's sizes come from the store itself: no chunk that a copy wrote is opened to be read.
. "$CLI/sample.sh"
sample s 't:_DeflateLevel = 5 ; t:_Shuffle = "true" ;'
opened() { # chunks opened by a command; O_PATH opens a name only, to ask for its size
    ASAN_OPTIONS=detect_leaks=0 strace -f -o trace -e trace=openat,openat2 "$@" >printed || cat printed
    grep -E '"t/(c/)?[0-9./]+"|"station/(c/)?[0-9]+"' trace | grep -vc O_PATH
}
for mode in zarr,v3 nczarr; do
    url="file://$PWD/out.zarr#mode=$mode"
    echo "$mode: $(opened nccopy s.nc "$url" --report=text) chunks opened by the copy, $(opened ncdump "$url") by a reader"
    nccopy s.nc "$url" --report=json | grep -c '"stored"'
done
