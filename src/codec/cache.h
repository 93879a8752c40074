/* Cache of results that take long and depend on their input alone: one file per result, named by
 * its kind and the hash of the input, in the cache folder of the context (voile/base.h). */
#ifndef VO_CODEC_CACHE_H
#define VO_CODEC_CACHE_H

#include "core/file.h"

/* Reads a result, the first *size bytes of `file`, which the caller frees. False if there is none,
 * or its file is damaged or that of another kind or key. `kind` is a word of up to 15 letters, such
 * as "garment". */
bool vo_cache_read(vo_context *ctx, const char *kind, uint64_t key, vo_bytes *file, size_t *size);

/* Keeps a result. Failures are logged as warnings and do not change the error message. */
void vo_cache_write(vo_context *ctx, const char *kind, uint64_t key, const void *data, size_t size);

#endif
