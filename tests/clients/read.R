# SPDX-License-Identifier: BSD-3-Clause
# read.R FILE: what ncdf4 sees in it.
library(ncdf4)
n <- nc_open(commandArgs(TRUE)[1])
for (name in names(n$var)) {
  v <- ncvar_get(n, name)
  cat(name, dim(v), format(mean(v, na.rm = TRUE), digits = 12), sum(is.na(v)), "\n")
  for (a in names(ncatt_get(n, name))) cat("  ", a, format(ncatt_get(n, name, a)$value), "\n")
}
cat(ncvar_get(n, "ta", start = c(2, 3, 4), count = c(5, 2, 1)), "\n")
nc_close(n)
