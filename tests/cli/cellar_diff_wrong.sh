# SPDX-License-Identifier: BSD-3-Clause
. "$CLI/sample.sh"
sample s
cellar diff s.nc; cellar diff s.nc nofile.nc; echo "exit $?"
cellar diff --abs=-1 s.nc s.nc; cellar diff --rel=x s.nc s.nc; cellar diff --nan=maybe s.nc s.nc; cellar diff -v cuont s.nc s.nc
cellar diff --ab 1 s.nc s.nc
