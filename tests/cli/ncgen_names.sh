# SPDX-License-Identifier: BSD-3-Clause
# A file is named after the CDL file. Types of the kind that is asked for are no names, unless a backslash says so;
# ncdump says so, and writes a blank before the colon of what would begin a section.
mkdir in; echo 'netcdf other { variables: int v ; }' >in/file1.cdl
ncgen -b in/file1.cdl; ncgen -4 in/file1.cdl; ncgen -n in/file1.cdl; ncgen -b <in/file1.cdl; ncgen -b -N third in/file1.cdl; ls
echo 'netcdf k { dimensions: string = 2 ; variables: int string(string) ; int data ; data :a = 1 ; int64 uint64 ; }' >k.cdl
ncgen -3 -o k3.nc <<<"netcdf k { dimensions: string = 2 ; variables: int string(string) ; }" && ncdump k3.nc | grep string
ncgen -4 -o k4.nc k.cdl; echo "exit $?"
ncgen -o k4.nc k.cdl && ncdump -h k4.nc && ncdump k4.nc | ncgen -4 -o again.nc && ncdump -h -n k4 again.nc | cmp - <(ncdump -h k4.nc)
