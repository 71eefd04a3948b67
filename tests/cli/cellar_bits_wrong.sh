# SPDX-License-Identifier: BSD-3-Clause
. "$CLI/sample.sh"
sample s
cellar bits; cellar bits nofile.nc; cellar bits --threshold=none s.nc; cellar bits --confidence=1 s.nc; cellar bits -v tt s.nc
cellar bits -v scalar s.nc; echo "exit $?"
