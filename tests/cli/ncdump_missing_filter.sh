# SPDX-License-Identifier: BSD-3-Clause
# The header of a file whose filter nobody has; reading the data says which it is.
/usr/bin/python3 - <<'P'
import h5py, numpy
f = h5py.File("x.nc", "w", libver=("earliest", "v108"))
p = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
p.set_chunk((4,))
p.set_filter(33333, h5py.h5z.FLAG_OPTIONAL, (1, 2))
p.set_deflate(3)
d = h5py.h5d.create(f.id, b"v", h5py.h5t.NATIVE_INT32, h5py.h5s.create_simple((8,)), dcpl=p)
d.write_direct_chunk((0,), b"garbage", 0)
P
ncdump -hs x.nc | grep 'v:_Filter\|v:_ChunkSizes'
ncdump x.nc >out.txt 2>err; code=$?; grep -c 'v cannot be read: filter 33333' out.txt; tail -1 out.txt; sed 's,found in .*; install,found in DIR; install,' err; exit $code
