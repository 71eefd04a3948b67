# cel_folder(chain DEPENDS plugin codec base SOURCES a.c b.c [LIBS ext...])
#
# One object library per folder. DEPENDS is the folder's row of the include
# table in ARCHITECTURE.md: a folder sees its own headers and those of the
# folders it names, not theirs in turn, so a wrong include does not compile.
define_property(GLOBAL PROPERTY CEL_FOLDERS BRIEF_DOCS "folders of libcellar" FULL_DOCS "folders of libcellar")
define_property(GLOBAL PROPERTY CEL_LIBS BRIEF_DOCS "external libraries" FULL_DOCS "external libraries")

function(cel_folder name)
  cmake_parse_arguments(F "" "" "DEPENDS;SOURCES;LIBS;DEFINES" ${ARGN})
  add_library(cel_${name} OBJECT ${F_SOURCES})
  target_include_directories(cel_${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include
                             ${PROJECT_BINARY_DIR}/include)
  set_target_properties(cel_${name} PROPERTIES CEL_DIR ${CMAKE_CURRENT_SOURCE_DIR})
  foreach(dep IN LISTS F_DEPENDS)
    if(dep STREQUAL "container")
      target_include_directories(cel_${name} PRIVATE ${PROJECT_SOURCE_DIR}/src/container)
    else()
      target_include_directories(cel_${name} PRIVATE ${PROJECT_SOURCE_DIR}/src/${dep})
    endif()
  endforeach()
  target_link_libraries(cel_${name} PRIVATE cel_flags ${F_LIBS})
  target_compile_definitions(cel_${name} PRIVATE ${F_DEFINES})
  set_property(GLOBAL APPEND PROPERTY CEL_FOLDERS cel_${name})
  set_property(GLOBAL APPEND PROPERTY CEL_LIBS ${F_LIBS})
endfunction()
