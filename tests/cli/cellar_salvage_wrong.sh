# SPDX-License-Identifier: BSD-3-Clause
cellar salvage; echo "exit $?"
cellar salvage one.nc; echo "exit $?"
cellar salvage nofile.nc out.nc; echo "exit $?"
echo text >x.txt; cellar salvage x.txt out.nc; echo "exit $?"
cellar salvage x.txt x.txt; echo "exit $?"
cellar salvage --jsn x out.nc; echo "exit $?"
cellar salvage x.txt nofolder/out.nc; echo "exit $?"
: >empty.nc; cellar salvage empty.nc out.nc; echo "exit $?"
ls
