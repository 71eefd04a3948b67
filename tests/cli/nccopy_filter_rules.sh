# SPDX-License-Identifier: BSD-3-Clause
# A name beats *; * passes scalars and strings over and the report says so; -d is for what no -F names.
. "$CLI/sample.sh"
sample s
nccopy -F "*,zstd,level=3" -F "t,shuffle|deflate,level=9" --report json s.nc o.nc | grep -o '"name": "[^"]*", "filters": "[^"]*"\|"note": "[^"]*"'
chain o.nc t; chain o.nc count
nccopy -d 4 -s -F "t,zstd" s.nc o.nc; chain o.nc t; chain o.nc count
nccopy -d 4 o.nc p.nc && chain p.nc count
nccopy -d 0 o.nc p.nc && chain p.nc count; chain p.nc t
same_data s.nc p.nc
