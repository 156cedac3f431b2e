// The primitives' numbers and what is declared of them; table.inc is made from the registry.
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

// What is declared of a primitive that is known when compiling.
template <u32 P>
struct Declared;
#define ARC_PRIMITIVE(name, arity, peeks, d0, d1, d2, d3, name_hash)        \
  template <>                                                               \
  struct Declared<P_##name> {                                               \
    static constexpr PrimitiveInfo info = {arity, peeks, {d0, d1, d2, d3}}; \
  };
#include "table.inc"
#undef ARC_PRIMITIVE

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

}  // namespace arc
