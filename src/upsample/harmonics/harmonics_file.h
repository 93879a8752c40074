/* Stored harmonics (harmonics.h). A file is a header, the arrays in the byte order of the machine,
 * and is rejected unless its checksum, sizes and key are those expected. */
#ifndef VO_UPSAMPLE_HARMONICS_HARMONICS_FILE_H
#define VO_UPSAMPLE_HARMONICS_HARMONICS_FILE_H

#include "upsample/harmonics/harmonics.h"

/* Allocates harmonics without values. */
vo_result vo_harmonics_allocate(vo_context *ctx, int vertices, int count, vo_harmonics **out);

/* Copies the first modes of `from`, which has at least as many. */
void vo_harmonics_copy_modes(const vo_harmonics *from, vo_harmonics *to);

/* Reads stored harmonics; *out stays NULL if there are none or the file is damaged. */
void vo_harmonics_load(vo_context *ctx, const char *folder, uint64_t key, int vertices, int count,
                       vo_harmonics **out);

/* Stores harmonics; a failure is logged. */
void vo_harmonics_save(const vo_harmonics *harmonics, const char *folder);

#endif
