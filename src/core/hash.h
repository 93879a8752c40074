/* Fingerprints of bytes: XXH3 with 64 bits. Only hash.c knows the library it comes from. */
#ifndef VO_CORE_HASH_H
#define VO_CORE_HASH_H

#include <stddef.h>
#include <stdint.h>

uint64_t vo_hash(const void *data, size_t size);

/* The fingerprint of what `before` stands for followed by these bytes. */
uint64_t vo_hash_more(uint64_t before, const void *data, size_t size);

#endif
