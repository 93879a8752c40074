/* Stanford PLY with colours, for inspection in MeshLab, Blender and most viewers.
 *
 * Some viewers display vertex colours, others face colours, so both are written. The format is
 * binary_little_endian 1.0, with positions as doubles. */
#ifndef VO_CODEC_PLY_H
#define VO_CODEC_PLY_H

#include "core/context.h"

typedef struct vo_colour {
    uint8_t red, green, blue;
} vo_colour;

typedef struct vo_ply {
    const char *comment; /* comment line of the header; NULL: none */
    int vertex_count;
    const vo_vec3 *x;               /* [vertex_count] m */
    const vo_colour *vertex_colour; /* [vertex_count] */
    int face_count;
    const int (*face)[3];         /* [face_count] vertices */
    const vo_colour *face_colour; /* [face_count] */
} vo_ply;

/* Writes the file atomically. */
vo_result vo_ply_save(vo_context *ctx, const vo_ply *ply, const char *path);

#endif
