# SPDX-License-Identifier: BSD-3-Clause
. "$CLI/sample.sh"
sample s
nccopy -F "t,zstdd" s.nc o.nc; code=$?; ls -A; exit $code
