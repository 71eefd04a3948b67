# SPDX-License-Identifier: BSD-3-Clause
# Which methods nc_def_var_compress() has: -DCOMPRESSION=zip,bzip2 or, without it,
# all whose libraries are found. A method that is not wanted is not built.
set(COMPRESSION "" CACHE STRING "methods of nc_def_var_compress, e.g. zip,bzip2 (default: all that are found)")
set(CEL_METHODS zip szip bzip2 fpzip zfp)
set(CEL_METHOD_zip deflate) # the library behind a method, where it has another name

string(REPLACE "," ";" CEL_WANTED "${COMPRESSION}")
foreach(method IN LISTS CEL_WANTED)
  if(NOT method IN_LIST CEL_METHODS)
    message(FATAL_ERROR "COMPRESSION: ${method} is no compression method; there are zip, szip, bzip2, fpzip and zfp")
  endif()
endforeach()

# deflate stays: files of others need it, and so does the zip store.
set(CEL_UNWANTED)
if(CEL_WANTED)
  set(CEL_UNWANTED szip bzip2 fpzip zfp)
  list(REMOVE_ITEM CEL_UNWANTED ${CEL_WANTED})
endif()

# After the libraries were looked for: the list the library knows.
function(cel_settle_compression)
  set(found)
  foreach(method IN LISTS CEL_METHODS)
    set(library ${method})
    if(CEL_METHOD_${method})
      set(library ${CEL_METHOD_${method}})
    endif()
    if(TARGET dep::${library} AND (NOT CEL_WANTED OR method IN_LIST CEL_WANTED))
      list(APPEND found ${method})
    elseif(method IN_LIST CEL_WANTED)
      message(FATAL_ERROR "COMPRESSION: the library for ${method} was not found; install it or leave ${method} out")
    endif()
  endforeach()
  string(REPLACE ";" "," found "${found}")
  set(CEL_COMPRESSION ${found} PARENT_SCOPE)
  message(STATUS "compression methods: ${found}")
endfunction()
