// The numbers and declarations of the primitives; table.inc and codes.inc are generated from the registry.
#pragma once
#include "domains.hpp"

namespace arc {

enum Primitive : u16 {
#define ARC_PRIMITIVE(name, arity, peeks, d0, d1, d2, d3, name_hash) P_##name,
#include "table.inc"
#undef ARC_PRIMITIVE
  N_PRIMITIVES
};

struct PrimitiveInfo {
  u8 arity;
  u8 peeks;  // bit k: argument k is not read in full
  Domain domains[MAX_ARITY];
};

// The declaration of a primitive that is known at compile time.
template <u32 P>
struct Declared;
#define ARC_PRIMITIVE(name, arity, peeks, d0, d1, d2, d3, name_hash)        \
  template <>                                                               \
  struct Declared<P_##name> {                                               \
    static constexpr PrimitiveInfo info = {arity, peeks, {d0, d1, d2, d3}}; \
  };
#include "table.inc"
#undef ARC_PRIMITIVE

// The codes that argument K of a primitive may be, if its signature states a range.
template <u32 P, u32 K>
struct Codes {
  static constexpr bool stated = false;
};
#define ARC_CODE_RANGE(name, argument, first_code, last_code)  \
  template <>                                                  \
  struct Codes<P_##name, argument> {                           \
    static constexpr bool stated = true;                       \
    static constexpr i64 first = first_code, last = last_code; \
  };
#include "codes.inc"
#undef ARC_CODE_RANGE

// Returns whether arguments that fit their domains are within their ranges of codes.
template <u32 P, u32 K = 0>
ARC_FN bool codes_fit(const Value* args) {
  if constexpr (K == MAX_ARITY) {
    return true;
  } else {
    typedef Codes<P, K> codes;
    if constexpr (codes::stated) {
      if (args[K].number < codes::first || args[K].number > codes::last) return false;
    }
    return codes_fit<P, K + 1>(args);
  }
}

// Estimates the elements that a call goes through, given the elements of its arguments: on a GPU, calls with too many
// are left to a kernel for large values. Primitives whose results may be larger than their arguments have their own
// estimate, beside their function.
template <u32 P>
struct Effort {
  ARC_FN static u64 of(const Value*, u64 n_elements) { return n_elements; }
};
#define ARC_EFFORT(name, estimate)                                                                        \
  template <>                                                                                             \
  struct Effort<P_##name> {                                                                               \
    ARC_FN static u64 of(const Value* args, [[maybe_unused]] u64 n_elements) { return (u64)(estimate); } \
  };

ARC_TABLE(PrimitiveInfo, PRIMITIVE_INFOS) = {
#define ARC_PRIMITIVE(name, arity, peeks, d0, d1, d2, d3, name_hash) {arity, peeks, {d0, d1, d2, d3}},
#include "table.inc"
#undef ARC_PRIMITIVE
};
ARC_TABLE(u64, PRIMITIVE_HASHES) = {
#define ARC_PRIMITIVE(name, arity, peeks, d0, d1, d2, d3, name_hash) name_hash,
#include "table.inc"
#undef ARC_PRIMITIVE
};

ARC_FN const PrimitiveInfo& info_of(u32 primitive) { return PRIMITIVE_INFOS[primitive]; }
ARC_FN u64 hash_name(u32 primitive) { return PRIMITIVE_HASHES[primitive]; }

#if !defined(__CUDACC__)
struct Lane;
// Primitives that are compiled for the CPU only: each file of native/learners fills in its own.
typedef Value (*HostPrimitive)(Lane& lane, const Value* args);
inline HostPrimitive HOST_PRIMITIVES[N_PRIMITIVES] = {};
#endif

}  // namespace arc
