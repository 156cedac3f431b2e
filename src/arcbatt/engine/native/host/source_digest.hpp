// Identifies a build of the engine, so that cached results of other builds are not used.
#pragma once

// 64 hexadecimal digits: a digest of all native sources that the extensions were built from.
const char* source_digest();
