# SPDX-License-Identifier: BSD-3-Clause
# cel_folder(codec SUBFOLDERS deflate nd DEPENDS convert base SOURCES a.c deflate/b.c [LIBS ext...])
#
# One object library per folder. DEPENDS is the folder's row of the include
# table in ARCHITECTURE.md: a folder sees its own headers and those of the
# folders it names, not theirs in turn, so a wrong include does not compile. A subfolder
# is named by its path: DEPENDS codec gives src/codec, DEPENDS codec/kernel its kernels.
define_property(GLOBAL PROPERTY CEL_FOLDERS BRIEF_DOCS "folders of libcellar" FULL_DOCS "folders of libcellar")
define_property(GLOBAL PROPERTY CEL_SUBFOLDERS BRIEF_DOCS "their subfolders" FULL_DOCS "their subfolders")
define_property(GLOBAL PROPERTY CEL_LIBS BRIEF_DOCS "external libraries" FULL_DOCS "external libraries")

function(cel_folder name)
  cmake_parse_arguments(F "" "" "SUBFOLDERS;DEPENDS;SOURCES;LIBS;DEFINES" ${ARGN})
  add_library(cel_${name} OBJECT ${F_SOURCES})
  target_include_directories(cel_${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include
                             ${PROJECT_BINARY_DIR}/include)
  set_target_properties(cel_${name} PROPERTIES CEL_DIR ${CMAKE_CURRENT_SOURCE_DIR})
  foreach(sub IN LISTS F_SUBFOLDERS)
    target_include_directories(cel_${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/${sub})
    set_property(GLOBAL APPEND PROPERTY CEL_SUBFOLDERS ${CMAKE_CURRENT_SOURCE_DIR}/${sub})
  endforeach()
  foreach(dep IN LISTS F_DEPENDS)
    target_include_directories(cel_${name} PRIVATE ${PROJECT_SOURCE_DIR}/src/${dep})
  endforeach()
  target_link_libraries(cel_${name} PRIVATE cel_flags ${F_LIBS})
  target_compile_definitions(cel_${name} PRIVATE ${F_DEFINES})
  set_property(GLOBAL APPEND PROPERTY CEL_FOLDERS cel_${name})
  set_property(GLOBAL APPEND PROPERTY CEL_LIBS ${F_LIBS})
endfunction()
