# What `cmake --install` puts where. Three components, which become three Debian packages (cmake/package.cmake): program, library,
# development.
include(CMakePackageConfigHelpers)

# fmt and Eigen are headers and end inside the libraries. HDF5, METIS and Bullet are libraries: the static cornet hands them on to whoever
# links with it. The installed package finds them again on its own machine (cornetConfig.cmake) instead of recording the paths of this one.
set(handed_on "")
foreach(name hdf5 metis bullet)
  list(APPEND handed_on $<BUILD_INTERFACE:$<LINK_ONLY:cornet_${name}>> $<INSTALL_INTERFACE:$<LINK_ONLY:cornet::${name}>>)
endforeach()
set_target_properties(cornet PROPERTIES INTERFACE_LINK_LIBRARIES "${handed_on}" EXPORT_NAME static)
set_target_properties(cornet_shared PROPERTIES INTERFACE_LINK_LIBRARIES "" EXPORT_NAME cornet)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/cornet)
install(TARGETS cornet_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
install(TARGETS cornet_shared EXPORT cornetTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT development)
install(TARGETS cornet EXPORT cornetStaticTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
install(DIRECTORY include/cornet DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
install(FILES LICENSE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
install(DIRECTORY examples/cpp examples/c examples/fortran DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples COMPONENT development)
install(EXPORT cornetTargets NAMESPACE cornet:: DESTINATION ${package_dir} COMPONENT development)
install(EXPORT cornetStaticTargets NAMESPACE cornet:: DESTINATION ${package_dir} COMPONENT development)
configure_package_config_file(cmake/cornetConfig.cmake.in ${CMAKE_BINARY_DIR}/cornetConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/cornetConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/cornetConfig.cmake ${CMAKE_BINARY_DIR}/cornetConfigVersion.cmake DESTINATION ${package_dir}
  COMPONENT development)

# pkg-config: found relative to the file itself, so that the tree may be moved. The private libraries are for `pkg-config --static`.
file(RELATIVE_PATH CORNET_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" CORNET_PC_PREFIX ${CORNET_PC_PREFIX})
set(CORNET_PC_PRIVATE "")
foreach(file ${HDF5_LIBRARIES} ${METIS_LIBRARY} ${BULLET_COLLISION_LIBRARY} ${BULLET_MATH_LIBRARY})
  if(IS_ABSOLUTE ${file})
    cmake_path(GET file PARENT_PATH folder)
    cmake_path(GET file STEM LAST_ONLY name)
    string(REGEX REPLACE "^lib" "-l" name ${name})
    if(NOT folder IN_LIST CMAKE_CXX_IMPLICIT_LINK_DIRECTORIES)
      list(APPEND CORNET_PC_PRIVATE -L${folder})
    endif()
  else()
    string(REGEX REPLACE "^(-l)?" "-l" name ${file})
  endif()
  list(APPEND CORNET_PC_PRIVATE ${name})
endforeach()
list(REMOVE_DUPLICATES CORNET_PC_PRIVATE)
list(JOIN CORNET_PC_PRIVATE " " CORNET_PC_PRIVATE)
configure_file(cmake/cornet.pc.in ${CMAKE_BINARY_DIR}/cornet.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/cornet.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
