# cornet_light(TARGET): compiled with -O1, for code in which no time is spent: it builds in two thirds of the time.
function(cornet_light target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()

# cornet_headers(TARGET GROUP HEADER...): the first target of a group compiles these headers once, the others use that. Targets of a group have the
# same compile options. ccache then shares nothing between build folders: who works with several says -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON.
function(cornet_headers target group)
  get_property(owner GLOBAL PROPERTY CORNET_HEADERS_${group})
  if(owner)
    target_precompile_headers(${target} REUSE_FROM ${owner})
  else()
    target_precompile_headers(${target} PRIVATE ${ARGN})
    set_property(GLOBAL PROPERTY CORNET_HEADERS_${group} ${target})
  endif()
endfunction()

# cornet_part(NAME [LIGHT]): every src/NAME/*.cc as the object library cornet_NAME.
set(CORNET_PARTS "")
function(cornet_part name)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${name}/*.cc)
  if(NOT sources)
    return()
  endif()
  add_library(cornet_${name} OBJECT ${sources})
  target_include_directories(cornet_${name} PUBLIC ${CMAKE_SOURCE_DIR}/include ${CMAKE_SOURCE_DIR}/src)
  target_compile_definitions(cornet_${name} PRIVATE CORNET_VERSION="${PROJECT_VERSION}")
  target_link_libraries(cornet_${name} PRIVATE Eigen3::Eigen fmt::fmt-header-only cornet_flags)
  set(group parts)
  if(ARGN STREQUAL LIGHT)
    set(group light_parts)
    cornet_light(cornet_${name})
  endif()
  cornet_headers(cornet_${name} ${group} <Eigen/Dense> <Eigen/SparseCore> <fmt/format.h> <algorithm> <cmath> <functional> <map> <memory> <string>
    <variant> <vector>)
  set(CORNET_PARTS ${CORNET_PARTS} $<BUILD_INTERFACE:cornet_${name}> PARENT_SCOPE)
endfunction()
