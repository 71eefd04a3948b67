# SPDX-License-Identifier: BSD-3-Clause
. "$CLI/sample.sh"
sample s 't:_Filter = "shuffle|deflate,level=5|fletcher32" ;'
say() { cellar doctor "$1" >out.txt; echo "exit $?"; sed -n 's/^file *//p' out.txt; }
gzip -kn s.nc; say s.nc.gz
say s.cdl
say nofile.nc
: >empty.nc; say empty.nc
echo '<!DOCTYPE html>' >page.nc; say page.nc
printf 'GRIB1234' >g.nc; say g.nc
head -c 9000 s.nc >short.nc; say short.nc | sed "s,of its [0-9]* bytes,of its N bytes,"
cellar doctor --json page.nc | python3 "$CLI/check_schema.py" "$CLI/../../docs/schema/doctor.json"
cellar doctor a b; cellar doctor --jason
