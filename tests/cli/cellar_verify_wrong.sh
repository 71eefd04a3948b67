# SPDX-License-Identifier: BSD-3-Clause
cellar verify; echo "exit $?"
cellar verify nofile.nc; echo "exit $?"
echo text >x.txt; cellar verify x.txt; echo "exit $?"
mkdir empty; cellar verify empty; echo "exit $?"
. "$CLI/sample.sh"; sample s; cellar verify -q s.nc empty; echo "exit $?"
cellar verify --thread=1 x; echo "exit $?"
cellar verify --threads=0 x; echo "exit $?"
