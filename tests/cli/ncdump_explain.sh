# SPDX-License-Identifier: BSD-3-Clause
. "$CLI/sample.sh"
sample s 't:_Filter = "shuffle|zstd,level=3" ;'
ncdump -h --explain s.nc | grep t:_Filter | sed 's/[0-9]* bytes stored of 1024, ratio [0-9.]*/N bytes stored of 1024, ratio R/'
