# SPDX-License-Identifier: BSD-3-Clause
. "$CLI/sample.sh"
sample s
nccopy -F "tme,zstd" s.nc o.nc; code=$?; ls -A; exit $code
