# SPDX-License-Identifier: BSD-3-Clause
echo 'netcdf x { }' | ncgen -l java
