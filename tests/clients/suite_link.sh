#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# suite_link.sh CACHE NETCDF: programs in C and Fortran, built by hand, by pkg-config and by CMake: against NETCDF, and against
# a prefix of its own where Cellar is installed by `./configure --as-netcdf`. Each writes a file and is on Cellar.
set -eu
cache=$1 netcdf=$2
here=$(cd "$(dirname "$0")" && pwd)
work=$cache/link
rm -rf "$work"; mkdir -p "$work"; cd "$work"
cat >prog.c <<'C'
#include <netcdf.h>
#include <stdio.h>
int main(void)
{
    int nc, dim, var, value[3] = {1, 2, 3};
    if (nc_create("c.nc", NC_NETCDF4 | NC_CLOBBER, &nc) || nc_def_dim(nc, "x", 3, &dim) || nc_def_var(nc, "v", NC_INT, 1, &dim, &var) ||
        nc_def_var_deflate(nc, var, 1, 1, 1) || nc_put_var_int(nc, var, value) || nc_close(nc))
        return 1;
    return printf("%s\n", nc_inq_libvers()) < 0;
}
C
cat >prog.f90 <<'F'
program prog
  use netcdf
  implicit none
  integer :: nc, dim, var
  call check(nf90_create("f.nc", NF90_NETCDF4, nc))
  call check(nf90_def_dim(nc, "x", 3, dim))
  call check(nf90_def_var(nc, "v", NF90_INT, [dim], var, deflate_level=1))
  call check(nf90_put_var(nc, var, [1, 2, 3]))
  call check(nf90_close(nc))
  print *, trim(nf90_inq_libvers())
contains
  subroutine check(rc)
    integer, intent(in) :: rc
    if (rc /= NF90_NOERR) stop 1
  end subroutine
end program
F
cat >CMakeLists.txt <<'M'
cmake_minimum_required(VERSION 3.18)
project(prog C)
find_package(netCDF REQUIRED)
add_executable(by_cmake prog.c)
target_link_libraries(by_cmake netCDF::netcdf)
M
fortran=$cache/build-fortran/fortran

on_cellar() # PROGRAM FILE [VARIABLE=VALUE]
{
    rm -f "$2"
    env ${3+"$3"} "./$1" | grep -q Cellar || { echo "link: $1 is not on Cellar"; exit 1; }
    /usr/bin/ncdump "$2" | grep -q 'v = 1, 2, 3' || { echo "link: $1 wrote something else"; exit 1; }
}

build() # ROOT: all programs against the netCDF there
{
    # shellcheck disable=SC2046
    cc prog.c $("$1/bin/nc-config" --cflags --libs) -o by_hand
    # shellcheck disable=SC2046
    cc prog.c $(PKG_CONFIG_PATH=$1/lib/pkgconfig pkg-config --cflags --libs netcdf) -Wl,-rpath,"$1/lib" -o by_pkg_config
    # shellcheck disable=SC2046
    cc prog.c $("$1/bin/nc-config" --cflags) "$1/lib/libnetcdf.a" $("$1/bin/nc-config" --libs --static) -o static
    rm -rf cmake && cmake -S . -B cmake -DCMAKE_PREFIX_PATH="$1" >/dev/null && cmake --build cmake >/dev/null && cp cmake/by_cmake .
    for program in by_hand by_pkg_config static by_cmake; do on_cellar $program c.nc; done
    if [ -f "$fortran/netcdf.mod" ]; then
        # shellcheck disable=SC2046
        gfortran prog.f90 -I"$fortran" -L"$fortran/.libs" -lnetcdff -Wl,-rpath,"$fortran/.libs" $("$1/bin/nc-config" --libs) -o in_fortran
        on_cellar in_fortran f.nc LD_LIBRARY_PATH="$1/lib"
    else
        echo "NOT RUN: a Fortran program: netCDF-Fortran was not built (the suite fortran)"
    fi
}
build "$netcdf"
BUILD=$work/build "$here/../../configure" --prefix="$work/prefix" --as-netcdf >configure.log 2>&1 || { tail -5 configure.log; exit 1; }
cmake --build build -j "$(nproc)" >build.log 2>&1 || { tail -5 build.log; exit 1; }
cmake --install build >/dev/null
rm -rf build
for file in include/netcdf.h lib/libnetcdf.so lib/libnetcdf.so.19 bin/nc-config bin/ncdump; do
    [ -e "prefix/$file" ] || { echo "link: --as-netcdf installs no $file"; exit 1; }
done
build "$work/prefix"
echo "programs in C and Fortran, by hand, pkg-config and CMake: all on Cellar, also where it is the prefix's netCDF"
