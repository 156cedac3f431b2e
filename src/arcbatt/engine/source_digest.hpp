// What tells builds of the engine apart, for results that are kept.
#pragma once

// 64 hexadecimal digits: a digest of all native sources that the extensions were built from.
const char* source_digest();
