# SPDX-License-Identifier: BSD-3-Clause
# What `make install` puts where: headers under include/cellar, the library, and
# three ways to find them: pkg-config, a CMake package, and cellar-config. An installation
# may be moved: tools, flags and plugins are found relative to where they lie.
include(CMakePackageConfigHelpers)

set(CELLAR_PLUGIN_DIR "" CACHE PATH "where filter plugins are installed and looked for (default: LIBDIR/cellar/plugins)")
if(NETCDF_WITH_PLUGIN_DIR AND NOT CELLAR_PLUGIN_DIR)
  set(CELLAR_PLUGIN_DIR ${NETCDF_WITH_PLUGIN_DIR})
endif()
# Where they go is relative to the prefix unless a folder was named, so that an
# installation to another prefix stays within it.
if(CELLAR_PLUGIN_DIR)
  set(CELLAR_PLUGIN_FULL_DIR ${CELLAR_PLUGIN_DIR})
  set(CELLAR_PLUGIN_DESTINATION ${CELLAR_PLUGIN_DIR})
else()
  set(CELLAR_PLUGIN_FULL_DIR ${CMAKE_INSTALL_FULL_LIBDIR}/cellar/plugins)
  set(CELLAR_PLUGIN_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cellar/plugins)
endif()

# Beside the library when both go below the prefix: so it finds them after a move. A static library
# lies in programs that may be anywhere, and goes by the full name.
set(CELLAR_PLUGIN_BESIDE "")
if(CELLAR_SHARED AND NOT CELLAR_PLUGIN_DIR)
  set(CELLAR_PLUGIN_BESIDE cellar/plugins)
endif()

# The way from one installed folder to another, by way of the prefix; a full name stays one.
function(cel_way_between out from to)
  if(IS_ABSOLUTE "${from}" OR IS_ABSOLUTE "${to}")
    get_filename_component(way "${to}" ABSOLUTE BASE_DIR "${CMAKE_INSTALL_PREFIX}")
  else()
    file(RELATIVE_PATH way "/prefix/${from}" "/prefix/${to}")
    string(REGEX REPLACE "/$" "" way "${way}")
  endif()
  set(${out} "${way}" PARENT_SCOPE)
endfunction()

# A program that finds the shared library from where it lies. Below a system prefix the loader
# finds it anyway, and distributions want no run path; which prefix it is, only the installation knows.
function(cel_install_program name)
  if(CELLAR_SHARED)
    cel_way_between(way "${CMAKE_INSTALL_BINDIR}" "${CMAKE_INSTALL_LIBDIR}")
    if(NOT IS_ABSOLUTE "${way}")
      set(way "$<IF:$<PLATFORM_ID:Darwin>,@loader_path,$ORIGIN>/${way}")
    endif()
    set_target_properties(${name} PROPERTIES INSTALL_RPATH "${way}")
  endif()
  install(TARGETS ${name} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(CODE "set(CEL_PROGRAM $<TARGET_FILE_NAME:${name}>)")
  install(SCRIPT ${PROJECT_BINARY_DIR}/installed-program.cmake)
endfunction()

# The files behind the external libraries, for those who link a static libcellar and have
# none of our targets.
function(cel_library_files out)
  set(files)
  foreach(lib IN LISTS ARGN)
    if(lib MATCHES "^dep::(.*)")
      list(APPEND files ${DEP_${CMAKE_MATCH_1}_LIBRARY})
    else()
      list(APPEND files ${lib})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES files)
  set(${out} ${files} PARENT_SCOPE)
endfunction()

# Where external libraries lie that the loader does not find by itself.
function(cel_private_folders out)
  set(folders)
  cel_library_files(files ${ARGN})
  foreach(file IN LISTS files)
    get_filename_component(folder "${file}" DIRECTORY)
    if(IS_ABSOLUTE "${file}" AND NOT folder MATCHES "^(/usr(/local)?)?/lib")
      list(APPEND folders "${folder}")
    endif()
  endforeach()
  list(REMOVE_DUPLICATES folders)
  set(${out} "${folders}" PARENT_SCOPE)
endfunction()

function(cel_install_library)
  set(CEL_MORE_LIBS "")
  if(NOT CELLAR_SHARED)
    get_property(libs GLOBAL PROPERTY CEL_LIBS)
    cel_library_files(files ${libs})
    string(REPLACE ";" " " CEL_MORE_LIBS " ${files} -lpthread -lm ${CMAKE_DL_LIBS}")
    string(REGEX REPLACE " ([^/ -][^ ]*)" " -l\\1" CEL_MORE_LIBS "${CEL_MORE_LIBS}") # dl
  endif()
  install(TARGETS cellar EXPORT cellar-targets
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
          RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  set(package ${CMAKE_INSTALL_LIBDIR}/cmake/cellar)
  install(EXPORT cellar-targets NAMESPACE cellar:: DESTINATION ${package})
  configure_package_config_file(cmake/cellar-config.cmake.in ${PROJECT_BINARY_DIR}/cellar-config.cmake
                                INSTALL_DESTINATION ${package} PATH_VARS CELLAR_PLUGIN_DESTINATION)
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/cellar-config-version.cmake COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/cellar-config.cmake ${PROJECT_BINARY_DIR}/cellar-config-version.cmake
          DESTINATION ${package})
  cel_way_between(CEL_PC_PREFIX "${CMAKE_INSTALL_LIBDIR}/pkgconfig" "")
  cel_way_between(CEL_BIN_PREFIX "${CMAKE_INSTALL_BINDIR}" "")
  configure_file(cmake/installed.cmake.in ${PROJECT_BINARY_DIR}/installed.cmake @ONLY)
  configure_file(cmake/installed-program.cmake.in ${PROJECT_BINARY_DIR}/installed-program.cmake @ONLY)
  install(SCRIPT ${PROJECT_BINARY_DIR}/installed.cmake)
  install(FILES LICENSE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
endfunction()
