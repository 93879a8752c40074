/* PC2 point caches: the positions of a mesh's vertices at equal steps of time.
 *
 *     0   "POINTCACHE2\0"  version i32 (1)  points i32  start f32  rate f32  samples i32
 *     32  samples x points x 3 f32
 *
 * Little-endian. `start` is the frame of the first sample and `rate` the frames from one sample to
 * the next, as exporters write them. */
#ifndef VO_CODEC_PC2_H
#define VO_CODEC_PC2_H

#include "core/file.h"

typedef struct vo_pc2 {
    vo_bytes bytes;
    int point_count, sample_count; /* at least 1 each */
    double start;                  /* frames */
    double rate;                   /* frames a sample, positive */
} vo_pc2;

/* Reads and checks a file: head, size, and that every number is finite. Errors name file, byte and
 * what to do. */
vo_result vo_pc2_load(vo_context *ctx, const char *path, vo_pc2 *out);
/* The same from memory, which it takes over in any case. */
vo_result vo_pc2_parse(vo_context *ctx, const char *name, vo_bytes bytes, vo_pc2 *out);
void vo_pc2_free(vo_context *ctx, vo_pc2 *pc2); /* a cleared one is allowed */

vo_vec3 vo_pc2_point(const vo_pc2 *pc2, int sample, int point);

/* Writes samples[sample_count][point_count]. */
vo_result vo_pc2_save(vo_context *ctx, const char *path, int point_count, int sample_count,
                      double start, double rate, const vo_vec3 *samples);

#endif
