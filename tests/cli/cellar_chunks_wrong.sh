# SPDX-License-Identifier: BSD-3-Clause
. "$CLI/sample.sh"
sample s
cellar chunks; cellar chunks nofile.nc; cellar chunks --for=maps s.nc; cellar chunks --for="a 1, b 0" s.nc; cellar chunks --size=1 s.nc
cellar chunks --for="a 1, b 2" s.nc; echo "exit $?"
