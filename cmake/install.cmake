include(CMakePackageConfigHelpers)

# fmt and Eigen are headers and end inside the library. HDF5 is a library: a static cornet hands it on to whoever links with it. The
# installed package finds HDF5 again on its own machine (cornetConfig.cmake) instead of recording the paths of this one.
set(CORNET_STATIC OFF)
get_target_property(type cornet TYPE)
if(type STREQUAL "STATIC_LIBRARY")
  set(CORNET_STATIC ON)
  set_target_properties(cornet PROPERTIES INTERFACE_LINK_LIBRARIES
    "$<BUILD_INTERFACE:$<LINK_ONLY:cornet_hdf5>>;$<INSTALL_INTERFACE:$<LINK_ONLY:cornet::hdf5>>")
else()
  set_target_properties(cornet_cli PROPERTIES INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
endif()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/cornet)
install(TARGETS cornet EXPORT cornetTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS cornet_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY include/cornet DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES LICENSE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(EXPORT cornetTargets NAMESPACE cornet:: DESTINATION ${package_dir})
configure_package_config_file(cmake/cornetConfig.cmake.in ${CMAKE_BINARY_DIR}/cornetConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/cornetConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/cornetConfig.cmake ${CMAKE_BINARY_DIR}/cornetConfigVersion.cmake DESTINATION ${package_dir})
