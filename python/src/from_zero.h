// pybind11 gives an object whose __init__ never ran (cls.__new__(cls)) raw memory. Classes with this base get zeros instead, in which an
// empty pointer or a false flag tells that nothing is there.
#pragma once

#include <cstddef>
#include <cstring>
#include <new>

namespace cornet::python {

struct FromZero {
  static void* operator new(std::size_t size) { return std::memset(::operator new(size), 0, size); }
  static void* operator new(std::size_t, void* place) { return place; }
  static void operator delete(void* pointer) { ::operator delete(pointer); }
};

}  // namespace cornet::python
