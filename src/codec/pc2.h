/* PC2 point caches: vertex positions of a mesh at a constant sampling rate.
 *
 *     0   "POINTCACHE2\0"  version i32 (1)  points i32  start f32  rate f32  samples i32
 *     32  samples x points x 3 f32
 *
 * Little-endian. `start` is the frame of the first sample and `rate` the number of frames between
 * samples. */
#ifndef VO_CODEC_PC2_H
#define VO_CODEC_PC2_H

#include "core/file.h"

typedef struct vo_pc2 {
    vo_bytes bytes;
    int point_count, sample_count; /* at least 1 each */
    double start;                  /* frames */
    double rate;                   /* frames per sample, positive */
} vo_pc2;

/* Reads a file and validates header, size, and that all numbers are finite. Messages name file,
 * byte and remedy. */
vo_result vo_pc2_load(vo_context *ctx, const char *path, vo_pc2 *out);
/* Parses bytes, whose ownership it takes, also on failure. */
vo_result vo_pc2_parse(vo_context *ctx, const char *name, vo_bytes bytes, vo_pc2 *out);
void vo_pc2_free(vo_context *ctx, vo_pc2 *pc2); /* a zeroed cache is allowed */

vo_vec3 vo_pc2_point(const vo_pc2 *pc2, int sample, int point);

#endif
