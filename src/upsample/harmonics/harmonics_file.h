/* Harmonics in the cache (codec/cache.h), with their arrays in the byte order of the machine. */
#ifndef VO_UPSAMPLE_HARMONICS_HARMONICS_FILE_H
#define VO_UPSAMPLE_HARMONICS_HARMONICS_FILE_H

#include "upsample/harmonics/harmonics.h"

/* Allocates harmonics without values. */
vo_result vo_harmonics_allocate(vo_context *ctx, int vertices, int count, vo_harmonics **out);

/* Copies the first modes of `from`, which has at least as many. */
void vo_harmonics_copy_modes(const vo_harmonics *from, vo_harmonics *to);

/* Reads the values of allocated harmonics by their key; false if they are not in the cache. */
bool vo_harmonics_read(vo_harmonics *harmonics);

/* Keeps the values in the cache. */
void vo_harmonics_write(const vo_harmonics *harmonics);

#endif
