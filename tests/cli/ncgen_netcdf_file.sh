# SPDX-License-Identifier: BSD-3-Clause
. "$CLI/sample.sh"; sample in
ncgen -o out.nc in.nc
