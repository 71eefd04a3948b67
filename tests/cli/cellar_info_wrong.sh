# SPDX-License-Identifier: BSD-3-Clause
. "$CLI/sample.sh"
sample s
cellar info; cellar info a b; cellar info nofile.nc; cellar info --chunks=cuont s.nc; cellar info --jsn s.nc; cellar info --chunks
echo text >x.txt; cellar info x.txt
