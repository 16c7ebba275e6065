# Warnings are errors for our code; dependencies are SYSTEM includes and exempt.
add_library(cornet_flags INTERFACE)
target_compile_options(cornet_flags INTERFACE -Wall -Wextra -Wpedantic -Werror -Wshadow -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor
                                              -Wold-style-cast -Woverloaded-virtual)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 reports these inside inlined library code at -O3, where no line of ours is at fault.
  target_compile_options(cornet_flags INTERFACE -Wno-maybe-uninitialized -Wno-array-bounds -Wno-stringop-overflow -Wno-restrict)
endif()
# The same operations in the same order everywhere: results are bit-identical between builds of one machine type.
target_compile_options(cornet_flags INTERFACE -ffp-contract=off)
set(CMAKE_CXX_FLAGS_RELEASE "-O3 -DNDEBUG")

if(CORNET_SANITIZE)
  add_compile_options(-fsanitize=${CORNET_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${CORNET_SANITIZE})
endif()
if(CORNET_COVERAGE)
  add_compile_options(--coverage -fprofile-update=atomic)
  add_link_options(--coverage)
endif()
