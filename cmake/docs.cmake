# The documentation site: `cmake --build BUILD --target docs` writes BUILD/docs/html, or says which packages are missing (tools/site.py).
# A sanitized Python package cannot be imported without preloading the sanitizer: such a build leaves the Python reference out.
if(CORNET_PYTHON AND NOT CORNET_SANITIZE)
  set(docs_python ${CORNET_PYTHON_PATH})
endif()
add_custom_target(docs COMMAND /usr/bin/python3 ${CMAKE_SOURCE_DIR}/tools/site.py ${CMAKE_BINARY_DIR}/docs ${docs_python}
  COMMENT "Building the documentation site" USES_TERMINAL VERBATIM)
if(docs_python)
  add_dependencies(docs cornet_python)
endif()
