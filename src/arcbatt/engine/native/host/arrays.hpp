// NumPy arrays as arguments of bound functions.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <stdexcept>
#include <vector>

#include "arcbatt/platform.hpp"

namespace arc {

namespace nb = nanobind;

template <class T>
using Array = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Table = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using OutArray = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using OutTable = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// An argument that is taken as it is: results written to a converted copy would be lost.
inline auto array(const char* name) { return nb::arg(name).noconvert(); }

template <class A>
void check_size(const A& array, size_t n) {
  if (array.size() != n) throw std::invalid_argument("an array of the wrong size");
}

template <class T>
std::vector<T> to_vector(const Array<T>& array) {
  return std::vector<T>(array.data(), array.data() + array.size());
}

}  // namespace arc
