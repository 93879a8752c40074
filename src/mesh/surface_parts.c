#include "mesh/surface_parts.h"

#include "core/memory.h"

#include <string.h>

vo_result vo_surface_parts_reserve(vo_surface_parts *s, int nodes, int faces) {
    if (!vo_reserve(s->ctx, &s->node_x, &s->node_capacity, nodes) ||
        !vo_reserve(s->ctx, &s->face, &s->face_capacity, faces))
        return vo_fail_memory(s->ctx, "a shape");
    return VO_OK;
}

void vo_surface_parts_free(vo_surface_parts *s) {
    vo_free_array(s->ctx, s->node_x, s->node_capacity);
    vo_free_array(s->ctx, s->face, s->face_capacity);
    *s = (vo_surface_parts){.ctx = s->ctx};
}

void vo_surface_parts_add_face(vo_surface_parts *s, int a, int b, int c) {
    int face[3] = {a, b, c};
    memcpy(s->face[s->face_count++], face, sizeof face);
}
