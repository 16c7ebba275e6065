find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(fmt REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(HDF5 REQUIRED COMPONENTS C)

add_library(cornet_hdf5 INTERFACE)
target_include_directories(cornet_hdf5 SYSTEM INTERFACE ${HDF5_INCLUDE_DIRS})
target_link_libraries(cornet_hdf5 INTERFACE ${HDF5_LIBRARIES})

# Nested dissection (Apache-2.0); Debian's package has no CMake file.
find_path(METIS_INCLUDE_DIR metis.h REQUIRED)
find_library(METIS_LIBRARY metis REQUIRED)
add_library(cornet_metis INTERFACE)
target_include_directories(cornet_metis SYSTEM INTERFACE ${METIS_INCLUDE_DIR})
target_link_libraries(cornet_metis INTERFACE ${METIS_LIBRARY})

# CLI11 is a header; Debian's package has no CMake file.
find_path(CLI11_INCLUDE_DIR CLI/CLI.hpp REQUIRED)

# three.js (MIT), for the page of `cornet view`.
find_file(THREE_JS three.min.js PATHS /usr/share/javascript/three REQUIRED)

# Bullet in double precision, collision only; Debian's CMake file knows the single-precision libraries.
find_path(BULLET_INCLUDE_DIR btBulletCollisionCommon.h PATH_SUFFIXES bullet REQUIRED)
find_library(BULLET_COLLISION_LIBRARY BulletCollision-float64 REQUIRED)
find_library(BULLET_MATH_LIBRARY LinearMath-float64 REQUIRED)
add_library(cornet_bullet INTERFACE)
target_include_directories(cornet_bullet SYSTEM INTERFACE ${BULLET_INCLUDE_DIR})
target_compile_definitions(cornet_bullet INTERFACE BT_USE_DOUBLE_PRECISION)
target_link_libraries(cornet_bullet INTERFACE ${BULLET_COLLISION_LIBRARY} ${BULLET_MATH_LIBRARY})
