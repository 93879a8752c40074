/* Corrects the checksums of a mutated frame file, so that it reaches the checks behind them. */
#ifndef VOILE_FUZZ_VOF_CHECKSUM_H
#define VOILE_FUZZ_VOF_CHECKSUM_H

#include "codec/hash.h"
#include "codec/vof_private.h"

#include <string.h>

/* Sets the size and the checksums of header and file. */
static inline void fix_checksums(uint8_t *data, size_t size) {
    uint32_t sections;
    uint64_t length = size, hash;
    if (size < VOF_HEAD + 2 * VOF_HASH) return;
    memcpy(&sections, data + 12, 4);
    memcpy(data + 32, &length, 8);
    size_t table = VOF_HEAD + (size_t)sections * VOF_ENTRY;
    if (table + 2 * VOF_HASH > size) return;
    hash = vo_hash(data, table);
    memcpy(data + table, &hash, 8);
    hash = vo_hash(data, size - VOF_HASH);
    memcpy(data + size - VOF_HASH, &hash, 8);
}

#endif
