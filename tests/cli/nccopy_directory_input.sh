# SPDX-License-Identifier: BSD-3-Clause
mkdir d; nccopy d o.nc; code=$?; ls -A; exit $code
