# Tests that need more than the library: a peer that may be absent, or files beside the sources.
find_path(FCLIB_INCLUDE_DIR fclib.h)
find_library(FCLIB_LIBRARY fclib)
if(FCLIB_INCLUDE_DIR AND FCLIB_LIBRARY)
  target_include_directories(regression_fclib_interop SYSTEM PRIVATE ${FCLIB_INCLUDE_DIR})
  target_compile_definitions(regression_fclib_interop PRIVATE CORNET_HAVE_FCLIB)
  target_link_libraries(regression_fclib_interop PRIVATE ${FCLIB_LIBRARY})
endif()

foreach(target unit_io_siconos unit_io_siconos_errors)
  target_compile_definitions(${target} PRIVATE CORNET_SUPPORT="${CMAKE_CURRENT_SOURCE_DIR}/support")
endforeach()

# The fuzz targets without libFuzzer, over their seeds and findings; the library has the solvers that tests/fuzz/registry.cc stands in for.
file(GLOB fuzz_targets CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/*.cc)
list(FILTER fuzz_targets EXCLUDE REGEX "/(libfuzzer|mutate_in_place|registry)\\.cc$")
target_sources(unit_fuzz_corpus PRIVATE ${fuzz_targets})
target_link_libraries(unit_fuzz_corpus PRIVATE cornet_bullet)
target_compile_definitions(unit_fuzz_corpus PRIVATE CORNET_FUZZ_FILES="${CMAKE_CURRENT_SOURCE_DIR}/fuzz")

# Random problems through every solver; long runs by hand (docs/reliability.md).
add_executable(numeric_fuzz numeric/numeric_fuzz.cc)
target_include_directories(numeric_fuzz PRIVATE ${CMAKE_SOURCE_DIR}/src ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(numeric_fuzz PRIVATE cornet Eigen3::Eigen cornet_flags)
target_compile_definitions(property_numeric_fuzz PRIVATE CORNET_NUMERIC_REGRESSIONS="${CMAKE_CURRENT_SOURCE_DIR}/numeric/regressions")

# Compiled by the fuzz preset and by install.install; here never: for the compile commands of tools/lint.sh.
add_library(compiled_elsewhere OBJECT EXCLUDE_FROM_ALL fuzz/libfuzzer.cc install/consumer/main.cc)
target_include_directories(compiled_elsewhere PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(compiled_elsewhere PRIVATE cornet)
target_compile_definitions(compiled_elsewhere PRIVATE CORNET_FUZZ_TARGET=run_fclib)
