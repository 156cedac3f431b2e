// The digest of the native sources, which CMake computes.
#include "source_digest.hpp"

const char* source_digest() { return ARCBATT_SOURCE_DIGEST; }
