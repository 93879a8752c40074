/* Distances between a level of a hierarchy and the input mesh. */
#include "collide/nearest.h"
#include "cook/levels.h"
#include "core/memory.h"

#include <math.h>

/* --- Mesh of a level -------------------------------------------------------------------------- */

typedef struct level_arrays {
    vo_mesh_data data;
    vo_arena arena;
} level_arrays;

static bool allocate(level_arrays *a, int faces, int segments) {
    vo_mesh_data *d = &a->data;
    d->node_count = d->vert_count = faces * (segments + 1) * (segments + 2) / 2;
    d->face_count = faces * segments * segments;
    d->node_x = vo_arena_array(&a->arena, vo_vec3, d->node_count);
    d->vert_u = vo_arena_array(&a->arena, vo_vec2, d->vert_count);
    d->vert_node = vo_arena_array(&a->arena, int, d->vert_count);
    d->face_vert = vo_arena_alloc(&a->arena, (size_t)d->face_count * sizeof *d->face_vert);
    return d->node_x && d->vert_u && d->vert_node && d->face_vert;
}

static void set_face(int face[3], int a, int b, int c) {
    face[0] = a;
    face[1] = b;
    face[2] = c;
}

/* Points and triangles of one base face, `step` lattice points apart. */
static void fill_face(level_arrays *a, const vo_cook_levels *levels, int face, int segments) {
    vo_mesh_data *d = &a->data;
    int n = 1 << levels->max_level, step = n / segments;
    int points = (segments + 1) * (segments + 2) / 2, first = face * points;
    int(*out)[3] = d->face_vert + (size_t)face * (size_t)(segments * segments);
    for (int j = 0; j <= segments; j++)
        for (int i = 0; i + j <= segments; i++) {
            int from = face * vo_cook_lattice_count(levels->max_level) +
                       vo_cook_lattice_index(n, i * step, j * step);
            int to = first + vo_cook_lattice_index(segments, i, j);
            vo_rt_vec3 x = levels->positions[from];
            vo_rt_vec2 u = levels->coordinates[from];
            d->node_x[to] = v3((double)x.x, (double)x.y, (double)x.z);
            d->vert_u[to] = v2((double)u.x, (double)u.y);
            d->vert_node[to] = to;
            if (i + j == segments) continue;
            int b = to + 1, c = first + vo_cook_lattice_index(segments, i, j + 1);
            set_face(*out++, to, b, c);
            if (i + j + 1 < segments) set_face(*out++, b, c + 1, c);
        }
}

vo_result vo_cook_level_mesh(vo_context *ctx, const vo_cook_levels *levels, int level,
                             vo_mesh **out) {
    level_arrays a = {.data = {0}};
    int faces = levels->base->face_count, segments = 1 << level;
    vo_arena_init(&a.arena, ctx);
    vo_result result;
    if (allocate(&a, faces, segments)) {
        for (int f = 0; f < faces; f++) fill_face(&a, levels, f, segments);
        result = vo_mesh_build(ctx, &a.data, out);
    } else {
        result = vo_fail_memory(ctx, "a level");
    }
    vo_arena_free(&a.arena);
    return result;
}

/* --- Distances -------------------------------------------------------------------------------- */

/* Nodes with faces, midpoints of edges and centres of faces. */
static int sample_points(const vo_mesh *m, bool *is_used, vo_vec3 *out) {
    int count = 0;
    for (int n = 0; n < m->node_count; n++) is_used[n] = false;
    for (int i = 0; i < 3 * m->face_count; i++) is_used[vo_mesh_face_node(m, i / 3, i % 3)] = true;
    for (int n = 0; n < m->node_count; n++)
        if (is_used[n]) out[count++] = m->node_x[n];
    for (int e = 0; e < m->edge_count; e++)
        out[count++] = v3_lerp(m->node_x[m->edge_node[e][0]], m->node_x[m->edge_node[e][1]], 0.5);
    for (int f = 0; f < m->face_count; f++) {
        vo_vec3 sum = v3_zero();
        for (int k = 0; k < 3; k++) sum = v3_add(sum, m->node_x[vo_mesh_face_node(m, f, k)]);
        out[count++] = v3_scale(1.0 / 3, sum);
    }
    return count;
}

typedef struct error_sum {
    double max, squares;
    long count;
} error_sum;

/* Adds the distances of the points of `from` from the faces of `to`. */
static vo_result add_distances(vo_context *ctx, const vo_mesh *from, const vo_mesh *to,
                               error_sum *sum) {
    vo_nearest nearest;
    vo_arena arena;
    vo_arena_init(&arena, ctx);
    size_t total = (size_t)from->node_count + (size_t)from->edge_count + (size_t)from->face_count;
    vo_vec3 *x = vo_arena_array(&arena, vo_vec3, total),
            *y = vo_arena_array(&arena, vo_vec3, total);
    bool *is_used = vo_arena_array(&arena, bool, from->node_count);
    vo_result result = x && y && is_used ? vo_nearest_create(ctx, 1, &to, &nearest)
                                         : vo_fail_memory(ctx, "an error");
    if (result == VO_OK) {
        int count = sample_points(from, is_used, x);
        vo_nearest_set_pose(&nearest, 0, xf_identity());
        vo_nearest_find(&nearest, count, x, INFINITY, y);
        for (int i = 0; i < count; i++) {
            double distance = v3_distance(x[i], y[i]);
            sum->max = vo_max(sum->max, distance);
            sum->squares += distance * distance;
        }
        sum->count += count;
        vo_nearest_free(&nearest);
    }
    vo_arena_free(&arena);
    return result;
}

vo_result vo_cook_measure_level(vo_context *ctx, const vo_mesh *mesh, const vo_cook_levels *levels,
                                int level, vo_cook_error *out) {
    error_sum sum = {0};
    vo_mesh *other;
    VO_TRY(vo_cook_level_mesh(ctx, levels, level, &other));
    vo_result result = add_distances(ctx, mesh, other, &sum);
    if (result == VO_OK) result = add_distances(ctx, other, mesh, &sum);
    vo_mesh_destroy(other);
    if (sum.count > 0) *out = (vo_cook_error){sum.max, sqrt(sum.squares / (double)sum.count)};
    return result;
}
