/* 64-bit XXH3 hashes: checksums of frame files and vo_sim_hash. Both are compared across runs, so
 * the algorithm is fixed. Only hash.c includes the xxHash library. */
#ifndef VO_CODEC_HASH_H
#define VO_CODEC_HASH_H

#include <stddef.h>
#include <stdint.h>

uint64_t vo_hash(const void *data, size_t size);

/* Extends a hash: hashes the bytes with `seed`, the hash of the data before them. */
uint64_t vo_hash_more(uint64_t seed, const void *data, size_t size);

#endif
