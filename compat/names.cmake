# SPDX-License-Identifier: BSD-3-Clause
# The public names: netCDF's own (nc_open), and the symbol that Cellar's libraries have for each (cel_nc_open).
# Sets `names` and `symbols`, two lists of one order.
function(cel_netcdf_names names symbols header)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${header})
  file(STRINGS ${header} lines REGEX "^#define nc")
  set(own ${lines})
  list(TRANSFORM own REPLACE "#define ([A-Za-z0-9_]+) .*" "\\1")
  set(ours ${lines})
  list(TRANSFORM ours REPLACE "#define [A-Za-z0-9_]+ ([A-Za-z0-9_]+).*" "\\1")
  set(${names} ${own} PARENT_SCOPE)
  set(${symbols} ${ours} PARENT_SCOPE)
endfunction()
