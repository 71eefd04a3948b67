# SPDX-License-Identifier: BSD-3-Clause
cellar tune; echo "exit $?"
cellar tune a.nc b.nc; echo "exit $?"
cellar tune nofile.nc; echo "exit $?"
cellar tune --for speed x.nc; echo "exit $?"
cellar tune --lossy no x.nc; echo "exit $?"
cellar tune --sample 0 x.nc; echo "exit $?"
cellar tune --losy 1 x.nc; echo "exit $?"
echo 'netcdf a { dimensions: x = 3 ; variables: int t2m(x) ; }' | ncgen -o a.nc
cellar tune -v t2n a.nc; echo "exit $?"
cellar tune a.nc; echo "exit $?"
