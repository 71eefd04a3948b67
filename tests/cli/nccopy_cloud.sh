# SPDX-License-Identifier: BSD-3-Clause
# All metadata is one piece in front of all data, chunk indexes and lists of dimensions included, and nothing is lost.
{ echo 'netcdf t { dimensions: y = 40; x = 50; t = UNLIMITED; variables:'
  for i in $(seq 30); do echo "int v$i(y, x); v$i:_ChunkSizes = 10, 50; v$i:units = \"K\"; v$i:long_name = \"number $i\";"; done
  echo 'short r(t); string s; double c(y, x); c:_Storage = "contiguous"; :title = "front"; data:'
  for i in $(seq 30); do echo "v$i = $(seq -s, 2000);"; done
  echo "c = $(seq -s, 2000); r = 1, 2, 3; s = \"text\"; }"; } > t.cdl
ncgen -4 -o t.nc t.cdl
nccopy --cloud --verify t.nc cloud.nc && ncdump -s t.nc > a && ncdump -s -n t cloud.nc > b && cmp a b && echo same
pieces() { cellar info --layout $1 | awk '/metadata, or/ { n++; behind += data } / pieces?$/ { data = 1 } END { print n + 0, "pieces of metadata,", behind + 0, "behind data" }'; }
echo "as it comes: $(pieces t.nc)"
echo "with --cloud: $(pieces cloud.nc)"
ncgen -6 -o c.nc <<'C'
netcdf c { dimensions: x = 3; variables: int v(x); data: v = 1, 2, 3; }
C
nccopy --cloud c.nc c4.nc && ncdump -k c4.nc
nccopy --cloud -k classic t.nc no.nc
echo $?
nccopy --cloud t.nc 'file://no.zarr#mode=zarr'
echo $?
ls
