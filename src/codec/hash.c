#include "codec/hash.h"

#include <xxhash.h>

uint64_t vo_hash(const void *data, size_t size) { return XXH3_64bits(data, size); }

uint64_t vo_hash_more(uint64_t seed, const void *data, size_t size) {
    return XXH3_64bits_withSeed(data, size, seed);
}
