/* Cache of results that take long and depend on their input alone: one file per result, named by
 * its kind and the hash of the input, in the cache folder of the context (voile/base.h). */
#ifndef VO_CODEC_CACHE_H
#define VO_CODEC_CACHE_H

#include "core/file.h"

/* Reads a result, the first *size bytes of `file`, which the caller frees. False if there is none,
 * or its file is damaged or that of another kind or key. `kind` is a word of up to 15 letters, such
 * as "garment". */
bool vo_cache_read(vo_context *ctx, const char *kind, uint64_t key, vo_bytes *file, size_t *size);

/* Keeps a result. Failures are logged as warnings and do not change the error message. A result of
 * more than a quarter of VO_CACHE_LIMIT is not kept. */
void vo_cache_write(vo_context *ctx, const char *kind, uint64_t key, const void *data, size_t size);

/* Removes the files that were not used for longest until all results together have at most `limit`
 * bytes; vo_cache_write does so with VO_CACHE_LIMIT. */
void vo_cache_trim(vo_context *ctx, size_t limit);
#define VO_CACHE_LIMIT ((size_t)2 << 30)

#endif
