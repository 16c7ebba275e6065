// What the shared library shows. Everything is compiled with hidden visibility; a name of the public headers is marked with CORNET_API, and
// tests/install/abi.txt lists what that comes to.
#pragma once

#if defined(__GNUC__)
#define CORNET_API __attribute__((visibility("default")))
#else
#define CORNET_API
#endif
