# SPDX-License-Identifier: BSD-3-Clause
echo 'netcdf x { dimensions: n = 2 ; }' | ncgen && ls
