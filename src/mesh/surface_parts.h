/* Surfaces under construction: the output of shapes, isosurfaces and surfaces of revolution. */
#ifndef VO_MESH_SURFACE_PARTS_H
#define VO_MESH_SURFACE_PARTS_H

#include "core/context.h"
#include "math/vec.h"

/* A growing surface: world positions and triangles of nodes only. */
typedef struct vo_surface_parts {
    vo_context *ctx;
    int node_count, node_capacity;
    vo_vec3 *node_x;
    int face_count, face_capacity;
    int (*face)[3];
} vo_surface_parts;

/* Reserves capacity for these totals; new elements are zero and the counts do not change. */
vo_result vo_surface_parts_reserve(vo_surface_parts *s, int nodes, int faces);
void vo_surface_parts_free(vo_surface_parts *s);
void vo_surface_parts_add_face(vo_surface_parts *s, int a, int b, int c);

#endif
