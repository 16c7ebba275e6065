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

# What is shipped is hardened (docs/reliability.md has the price, tests/install/hardening_test.sh looks at the files): guarded stacks, checked
# calls of the C library, return addresses and jumps that are checked by the processor, read-only tables of the linker, no executable stack.
option(CORNET_HARDEN "Harden the program and the libraries; sanitizers and coverage go without" ON)
include(CheckPIESupported)
check_pie_supported(LANGUAGES C CXX)
if(CORNET_HARDEN AND NOT CORNET_SANITIZE AND NOT CORNET_COVERAGE AND NOT CORNET_FUZZ)
  add_compile_options(-fstack-protector-strong -fstack-clash-protection)
  # Needs optimisation. Undefined first: some compilers come with a level of their own, and defining it twice is a warning.
  add_compile_options($<$<CONFIG:Release,RelWithDebInfo,MinSizeRel>:-U_FORTIFY_SOURCE> $<$<CONFIG:Release,RelWithDebInfo,MinSizeRel>:-D_FORTIFY_SOURCE=2>)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|i[3-6]86)$")
    add_compile_options(-fcf-protection)
  endif()
  add_link_options(LINKER:-z,relro LINKER:-z,now LINKER:-z,noexecstack)
endif()

if(CORNET_SANITIZE)
  add_compile_definitions(_GLIBCXX_ASSERTIONS)
  add_compile_options(-fsanitize=${CORNET_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${CORNET_SANITIZE})
endif()
if(CORNET_COVERAGE)
  add_compile_options(--coverage -fprofile-update=atomic)
  add_link_options(--coverage)
endif()
