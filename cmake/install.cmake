# What `make install` puts where: headers under include/cellar, the library, and
# three ways to find them: pkg-config, a CMake package, and cellar-config.
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

# The files behind the external libraries, for those who link a static libcellar and have
# none of our targets.
function(cel_library_files out)
  set(files)
  foreach(lib IN LISTS ARGN)
    if(lib MATCHES "^dep::(.*)")
      list(APPEND files ${DEP_${CMAKE_MATCH_1}_LIBRARY})
    elseif(lib STREQUAL "PkgConfig::HDF5")
      list(APPEND files ${HDF5_LINK_LIBRARIES})
    else()
      list(APPEND files ${lib})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES files)
  set(${out} ${files} PARENT_SCOPE)
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
                                INSTALL_DESTINATION ${package})
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/cellar-config-version.cmake COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/cellar-config.cmake ${PROJECT_BINARY_DIR}/cellar-config-version.cmake
          DESTINATION ${package})
  configure_file(cmake/cellar.pc.in ${PROJECT_BINARY_DIR}/cellar.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/cellar.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
  configure_file(cmake/cellar-config.in ${PROJECT_BINARY_DIR}/cellar-config @ONLY)
  install(PROGRAMS ${PROJECT_BINARY_DIR}/cellar-config DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(FILES LICENSE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
endfunction()
