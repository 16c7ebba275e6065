# What ends in the program stands here with its licence: `cornet --version --verbose` prints it (src/cli/version.cc).
#
#   cornet_dependency(NAME VERSION LICENCE PART)   licence: SPDX expression; part: how it gets into the program
#   cornet_macro(OUT FILE NAME)                    the value of a macro of a header, without quotes
function(cornet_dependency name version licence part)
  if(NOT version MATCHES "^[0-9]")
    message(FATAL_ERROR "The version of ${name} is not known: '${version}'")
  endif()
  set_property(GLOBAL APPEND_STRING PROPERTY CORNET_DEPENDENCIES "{\"${name}\", \"${version}\", \"${licence}\", \"${part}\"},\n")
endfunction()
function(cornet_macro out file name)
  file(STRINGS ${file} line REGEX "#[ \t]*define[ \t]+${name}[ \t]" LIMIT_COUNT 1)
  string(REGEX REPLACE ".*${name}[ \t]+\"?([^ \t\"]*).*" "\\1" value "${line}")
  set(${out} ${value} PARENT_SCOPE)
endfunction()

find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(fmt REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(HDF5 REQUIRED COMPONENTS C)
cornet_dependency(Eigen "${Eigen3_VERSION}" MPL-2.0 "compiled in")
cornet_dependency(fmt "${fmt_VERSION}" MIT "compiled in")
cornet_dependency(nlohmann_json "${nlohmann_json_VERSION}" MIT "compiled in")
cornet_dependency(HDF5 "${HDF5_VERSION}" HDF5 "shared library")
# A few files of Eigen are under the LGPL: with this, including one of them is an error.
target_compile_definitions(Eigen3::Eigen INTERFACE EIGEN_MPL2_ONLY)

add_library(cornet_hdf5 INTERFACE)
target_include_directories(cornet_hdf5 SYSTEM INTERFACE ${HDF5_INCLUDE_DIRS})
target_link_libraries(cornet_hdf5 INTERFACE ${HDF5_LIBRARIES})

# Nested dissection; Debian's package has no CMake file.
find_path(METIS_INCLUDE_DIR metis.h REQUIRED)
find_library(METIS_LIBRARY metis REQUIRED)
add_library(cornet_metis INTERFACE)
target_include_directories(cornet_metis SYSTEM INTERFACE ${METIS_INCLUDE_DIR})
target_link_libraries(cornet_metis INTERFACE ${METIS_LIBRARY})
cornet_macro(metis_major ${METIS_INCLUDE_DIR}/metis.h METIS_VER_MAJOR)
cornet_macro(metis_minor ${METIS_INCLUDE_DIR}/metis.h METIS_VER_MINOR)
cornet_macro(metis_patch ${METIS_INCLUDE_DIR}/metis.h METIS_VER_SUBMINOR)
# Two files of the GKlib inside it come from the GNU C library.
cornet_dependency(METIS "${metis_major}.${metis_minor}.${metis_patch}" "Apache-2.0 AND LGPL-2.1-or-later" "shared library")

# CLI11 is a header; Debian's package has no CMake file.
find_path(CLI11_INCLUDE_DIR CLI/CLI.hpp REQUIRED)
if(EXISTS ${CLI11_INCLUDE_DIR}/CLI/Version.hpp)
  cornet_macro(cli11_version ${CLI11_INCLUDE_DIR}/CLI/Version.hpp CLI11_VERSION)
else()
  cornet_macro(cli11_version ${CLI11_INCLUDE_DIR}/CLI/CLI.hpp CLI11_VERSION)
endif()
cornet_dependency(CLI11 "${cli11_version}" BSD-3-Clause "compiled in")

# three.js, for the page of `cornet view`.
find_file(THREE_JS three.min.js PATHS /usr/share/javascript/three REQUIRED)
file(READ ${THREE_JS} three_text)
string(REGEX MATCH "REVISION *= *[\"']([0-9]+)" three_text "${three_text}")
cornet_dependency(three.js "${CMAKE_MATCH_1}" MIT "in its pages")
unset(three_text)

# Bullet in double precision, collision only; Debian's CMake file knows the single-precision libraries.
find_path(BULLET_INCLUDE_DIR btBulletCollisionCommon.h PATH_SUFFIXES bullet REQUIRED)
find_library(BULLET_COLLISION_LIBRARY BulletCollision-float64 REQUIRED)
find_library(BULLET_MATH_LIBRARY LinearMath-float64 REQUIRED)
add_library(cornet_bullet INTERFACE)
target_include_directories(cornet_bullet SYSTEM INTERFACE ${BULLET_INCLUDE_DIR})
target_compile_definitions(cornet_bullet INTERFACE BT_USE_DOUBLE_PRECISION)
target_link_libraries(cornet_bullet INTERFACE ${BULLET_COLLISION_LIBRARY} ${BULLET_MATH_LIBRARY})
cornet_macro(bullet_version ${BULLET_INCLUDE_DIR}/LinearMath/btScalar.h BT_BULLET_VERSION)  # 324 for 3.24
string(REGEX REPLACE "^(.+)(..)$" "\\1.\\2" bullet_version "${bullet_version}")
cornet_dependency(Bullet "${bullet_version}" Zlib "shared library")

get_property(dependencies GLOBAL PROPERTY CORNET_DEPENDENCIES)
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/cli/dependencies.inc CONTENT "${dependencies}" @ONLY)
