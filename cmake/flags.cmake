# SPDX-License-Identifier: BSD-3-Clause
# Compiler flags every target of ours shares, as one interface target.
add_library(cel_flags INTERFACE)
target_compile_definitions(cel_flags INTERFACE _GNU_SOURCE H5_USE_110_API)
target_compile_options(cel_flags INTERFACE -Wall -Wextra -Wshadow -Wpointer-arith -Wstrict-prototypes
                       -Wmissing-prototypes -Wno-unused-parameter -fno-math-errno)
# There gcc computes floats as doubles in ISO C, other than the compressors it reads (fpzip) and than every other processor.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^s390" AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
  target_compile_options(cel_flags INTERFACE -fexcess-precision=fast)
endif()
# At -O3 gcc cannot tell that a failed call is not followed by the use of its result.
target_compile_options(cel_flags INTERFACE $<$<AND:$<C_COMPILER_ID:GNU>,$<CONFIG:Release>>:-Wno-maybe-uninitialized>)
if(CELLAR_WERROR)
  target_compile_options(cel_flags INTERFACE -Werror)
endif()
if(CELLAR_SANITIZE)
  # -O1: the tests take half the time of -O0, and the line of a report is still right. Behind the sanitizers'
  # checks gcc sees values and truncations that cannot happen; the plain build keeps those warnings.
  target_compile_options(cel_flags INTERFACE $<$<CONFIG:Debug>:-O1> -fsanitize=${CELLAR_SANITIZE} -fno-omit-frame-pointer
                         "$<$<C_COMPILER_ID:GNU>:-Wno-maybe-uninitialized;-Wno-format-truncation>")
  target_link_options(cel_flags INTERFACE -fsanitize=${CELLAR_SANITIZE})
  if(CELLAR_SANITIZE MATCHES undefined)
    target_compile_options(cel_flags INTERFACE -fno-sanitize-recover=undefined)
  endif()
endif()
# The library as libFuzzer needs it: each edge is counted, and every fault ends the run.
if(CELLAR_FUZZ)
  target_compile_definitions(cel_flags INTERFACE CEL_FUZZ)
  target_compile_options(cel_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
