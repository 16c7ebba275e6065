# The Python package in the build tree: build/…/python is what PYTHONPATH needs. pip builds the same target (python/build_backend.py).
if(NOT DEFINED Python_EXECUTABLE AND EXISTS /usr/bin/python3)
  set(Python_EXECUTABLE /usr/bin/python3)  # the one that Debian's NumPy and SciPy belong to
endif()
find_package(Python 3.9 QUIET COMPONENTS Interpreter Development.Module)
set(PYBIND11_FINDPYTHON ON)
if(Python_FOUND)
  find_package(pybind11 2.10 CONFIG QUIET)
endif()
set(python_possible OFF)
if(Python_FOUND AND pybind11_FOUND AND NOT CORNET_COVERAGE)
  set(python_possible ON)
endif()
option(CORNET_PYTHON "Build the Python package (needs pybind11 and the development files of Python)" ${python_possible})
if(NOT CORNET_PYTHON)
  message(STATUS "No Python package: pybind11 (pybind11-dev) or Python's headers (python3-dev) are not there, or this preset leaves it out")
  return()
endif()
if(NOT (Python_FOUND AND pybind11_FOUND))
  message(FATAL_ERROR "CORNET_PYTHON: pybind11 (pybind11-dev) or Python's headers (python3-dev) are not there")
endif()

file(GLOB python_sources CONFIGURE_DEPENDS python/src/*.cc)
pybind11_add_module(cornet_python MODULE NO_EXTRAS ${python_sources})
set(CORNET_PYTHON_PATH ${CMAKE_BINARY_DIR}/python)
set_target_properties(cornet_python PROPERTIES OUTPUT_NAME _core LIBRARY_OUTPUT_DIRECTORY ${CORNET_PYTHON_PATH}/cornet
  CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
target_include_directories(cornet_python PRIVATE ${CMAKE_SOURCE_DIR})
target_precompile_headers(cornet_python PRIVATE <pybind11/pybind11.h> <pybind11/numpy.h> <pybind11/stl.h>)  # most of its compile time
cornet_light(cornet_python)
# The library without the experiments of `cornet reproduce`: pip builds no more than the package uses.
set(python_parts ${CORNET_PARTS})
list(FILTER python_parts EXCLUDE REGEX "cornet_(reproduce|capi)>")
cornet_library(cornet_python_base STATIC ${python_parts})
set_target_properties(cornet_python_base PROPERTIES EXCLUDE_FROM_ALL ON)
target_link_libraries(cornet_python PRIVATE cornet_python_base cornet_flags)
target_link_options(cornet_python PRIVATE -Wl,--exclude-libs,ALL)  # nothing but PyInit is seen from outside

# The files of the package are links, so that an edit counts at once.
file(GLOB python_files CONFIGURE_DEPENDS python/cornet/*.py python/cornet/*.pyi python/cornet/py.typed)
file(MAKE_DIRECTORY ${CORNET_PYTHON_PATH}/cornet)
foreach(file ${python_files})
  get_filename_component(name ${file} NAME)
  file(CREATE_LINK ${file} ${CORNET_PYTHON_PATH}/cornet/${name} SYMBOLIC)
endforeach()
