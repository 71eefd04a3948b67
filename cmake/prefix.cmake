# SPDX-License-Identifier: BSD-3-Clause
# Included while installing. Sets CEL_PRIVATE unless the prefix is one where the loader looks by itself.
if(CMAKE_INSTALL_PREFIX MATCHES "^(/usr(/local)?)?/?$")
  set(CEL_PRIVATE FALSE)
else()
  set(CEL_PRIVATE TRUE)
endif()

# The full name of a folder that may be given relative to the prefix.
macro(cel_full out dir)
  get_filename_component(${out} "${dir}" ABSOLUTE BASE_DIR "${CMAKE_INSTALL_PREFIX}")
endmacro()
