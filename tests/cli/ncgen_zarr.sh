# SPDX-License-Identifier: BSD-3-Clause
. "$CLI/sample.sh"
sample s 't:_Filter = "shuffle|zstd,level=3" ;'
for mode in nczarr zarr; do
    ncgen -o "file://$PWD/s.$mode#mode=$mode" s.cdl && ls -A && ncdump -v time,station "file://$PWD/s.$mode#mode=$mode" | sed -n '/^data/,/^group/p'
done
