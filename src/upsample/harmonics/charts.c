#include "upsample/harmonics/charts.h"

#include "core/memory.h"

#include <string.h>

/* Vertices of the node of a corner are a list through `next`, which ends with -1. */
typedef struct splitter {
    vo_upsample_charts *charts;
    int *next;     /* [3 triangle_count + node_count] */
    bool *is_used; /* [node_count] */
} splitter;

static bool is_same_point(vo_rt_vec2 a, vo_rt_vec2 b) { return a.x == b.x && a.y == b.y; }

/* Vertex of a corner: an existing one with these coordinates, or a new one. */
static int find_vertex(splitter *s, int node, vo_rt_vec2 coordinate) {
    vo_upsample_charts *c = s->charts;
    if (!s->is_used[node]) {
        s->is_used[node] = true;
        c->coordinate[node] = coordinate;
        return node;
    }
    int at = node;
    while (!is_same_point(c->coordinate[at], coordinate)) {
        if (s->next[at] < 0) {
            int added = c->vertex_count++;
            c->node[added] = node;
            c->coordinate[added] = coordinate;
            s->next[at] = added;
        }
        at = s->next[at];
    }
    return at;
}

static void split(splitter *s, const vo_upsample_mesh *mesh) {
    vo_upsample_charts *c = s->charts;
    for (int i = 0; i < mesh->vertex_count; i++) c->node[i] = i;
    for (int i = 0; i < c->capacity; i++) s->next[i] = -1;
    c->vertex_count = mesh->vertex_count;
    for (int k = 0; k < 3 * mesh->triangle_count; k++)
        c->triangle[k] = find_vertex(s, mesh->triangle[k], mesh->coordinate[k]);
    c->is_single = c->vertex_count == mesh->vertex_count;
}

vo_result vo_upsample_charts_create(vo_context *ctx, const vo_upsample_mesh *mesh,
                                    vo_upsample_charts *out) {
    int nodes = mesh->vertex_count, corners = 3 * mesh->triangle_count, capacity = nodes + corners;
    *out = (vo_upsample_charts){
        .ctx = ctx, .capacity = capacity, .triangle_count = mesh->triangle_count};
    splitter s = {.charts = out, .next = vo_new_array(ctx, int, capacity)};
    s.is_used = vo_alloc_zero(ctx, (size_t)nodes * sizeof *s.is_used);
    out->node = vo_new_array(ctx, int, capacity);
    out->coordinate = vo_alloc_zero(ctx, (size_t)capacity * sizeof *out->coordinate);
    out->triangle = vo_new_array(ctx, int32_t, corners);
    bool ok = s.next && s.is_used && out->node && out->coordinate && (out->triangle || !corners);
    if (ok) split(&s, mesh);
    vo_free_array(ctx, s.next, capacity);
    vo_free_array(ctx, s.is_used, nodes);
    if (ok) return VO_OK;
    vo_upsample_charts_free(out);
    return vo_fail_memory(ctx, "material coordinates");
}

void vo_upsample_charts_free(vo_upsample_charts *c) {
    if (!c->ctx) return;
    vo_free_array(c->ctx, c->node, c->capacity);
    vo_free_array(c->ctx, c->coordinate, c->capacity);
    vo_free_array(c->ctx, c->triangle, 3 * c->triangle_count);
    *c = (vo_upsample_charts){0};
}

/* ---- meshes --------------------------------------------------------------------------------- */

typedef struct mesh_arrays {
    vo_vec3 *x;
    vo_vec2 *u;
    int (*face)[3];
} mesh_arrays;

static bool fill_arrays(const vo_upsample_charts *c, const vo_upsample_mesh *mesh,
                        mesh_arrays *out) {
    out->x = vo_new_array(c->ctx, vo_vec3, mesh->vertex_count);
    out->u = vo_new_array(c->ctx, vo_vec2, c->vertex_count);
    out->face = vo_alloc(c->ctx, (size_t)c->triangle_count * sizeof *out->face);
    if (!out->x || !out->u || !out->face) return false;
    for (int i = 0; i < mesh->vertex_count; i++) {
        vo_rt_vec3 x = mesh->position[i];
        out->x[i] = (vo_vec3){(double)x.x, (double)x.y, (double)x.z};
    }
    for (int i = 0; i < c->vertex_count; i++)
        out->u[i] = (vo_vec2){(double)c->coordinate[i].x, (double)c->coordinate[i].y};
    for (int k = 0; k < 3 * c->triangle_count; k++) out->face[k / 3][k % 3] = c->triangle[k];
    return true;
}

vo_result vo_upsample_charts_create_mesh(const vo_upsample_charts *c, const vo_upsample_mesh *mesh,
                                         vo_mesh **out) {
    mesh_arrays a;
    *out = NULL;
    vo_result result =
        fill_arrays(c, mesh, &a)
            ? vo_mesh_create(c->ctx, mesh->vertex_count, a.x, c->vertex_count, a.u, c->node,
                             c->triangle_count, (const int(*)[3])a.face, VO_MESH_FOR_CLOTH, out)
            : vo_fail_memory(c->ctx, "a mesh");
    vo_free_array(c->ctx, a.x, mesh->vertex_count);
    vo_free_array(c->ctx, a.u, c->vertex_count);
    vo_free_array(c->ctx, a.face, c->triangle_count);
    return result;
}
