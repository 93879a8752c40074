/* Coarse-to-fine projection of stretch. */
#include "rt/solve/levels.h"

#include "math/simd_float.h"

#include "rt/base/heap.h"

#include <string.h>

bool vo_rt_levels_reserve(vo_rt_levels *levels, vo_rt_heap *heap, const vo_rt_front *front) {
    return vo_rt_heap_reserve(heap, (void **)&levels->edge, &levels->capacity,
                              front->vertex_capacity, sizeof *levels->edge) &&
           vo_rt_heap_reserve(heap, (void **)&levels->shift, &levels->shift_capacity,
                              front->vertex_capacity, sizeof *levels->shift);
}

void vo_rt_levels_free(vo_rt_levels *levels, vo_rt_heap *heap) {
    vo_rt_heap_release(heap, levels->edge, levels->capacity, sizeof *levels->edge);
    vo_rt_heap_release(heap, levels->shift, levels->shift_capacity, sizeof *levels->shift);
    *levels = (vo_rt_levels){0};
}

static bool is_split(const vo_rt_edge *e) { return (e->flags & VO_RT_EDGE_USED) && e->child >= 0; }

/* Sets begin[level] from the numbers of split edges per level. */
static void count_edges(vo_rt_levels *levels, const vo_rt_mesh *mesh) {
    levels->begin[0] = 0;
    for (int level = 0; level <= VO_RT_MAX_LEVEL; level++)
        levels->begin[level + 1] = levels->begin[level] + mesh->split_count[level];
}

static void list_edges(vo_rt_levels *levels, const vo_rt_mesh *mesh) {
    int next[VO_RT_MAX_LEVEL + 2];
    memcpy(next, levels->begin, sizeof next);
    for (int i = 0; i < mesh->edge_end; i++) {
        const vo_rt_edge *e = &mesh->edge[i];
        if (!is_split(e)) continue;
        levels->edge[next[e->level]++] = (vo_rt_split_edge){
            .middle = e->middle, .a = e->vertex[0], .b = e->vertex[1], .rest = e->rest};
    }
}

/* Masses of the vertices of each level, from the finest to level 0; shift.w is scratch. */
static void restrict_masses(vo_rt_levels *levels, const vo_rt_front *front) {
    for (int i = 0; i < front->vertex_end; i++) levels->shift[i].w = front->mass[i];
    for (int level = VO_RT_MAX_LEVEL; level >= 0; level--) {
        int begin = levels->begin[level], end = levels->begin[level + 1];
        for (int i = begin; i < end; i++) {
            const vo_rt_split_edge *e = &levels->edge[i];
            float half = 0.5f * levels->shift[e->middle].w;
            levels->shift[e->a].w += half;
            levels->shift[e->b].w += half;
        }
        for (int i = begin; i < end; i++) {
            vo_rt_split_edge *e = &levels->edge[i];
            e->wa = 1 / f_max(levels->shift[e->a].w, 1e-12f);
            e->wb = 1 / f_max(levels->shift[e->b].w, 1e-12f);
        }
    }
}

void vo_rt_levels_update(vo_rt_levels *levels, const vo_rt_mesh *mesh) {
    count_edges(levels, mesh);
    list_edges(levels, mesh);
    restrict_masses(levels, &mesh->front);
}

/* Vectors of four, whose last element stays: positions keep their inverse mass. */
static const vo_f4 XYZ = {1, 1, 1, 0};

static void move_vertex(vo_rt_levels *levels, vo_rt_front *front, int i, vo_f4 d) {
    f4_store(&front->position[i], f4_load(&front->position[i]) + d);
    f4_store(&levels->shift[i], f4_load(&levels->shift[i]) + d);
}

static void project_edge(vo_rt_levels *levels, vo_rt_front *front, const vo_rt_split_edge *e) {
    vo_f4 a = f4_load(&front->position[e->a]), b = f4_load(&front->position[e->b]);
    vo_f4 d = (b - a) * XYZ, square = d * d;
    float length2 = square[0] + square[1] + square[2];
    float wa = a[3] > 0 ? e->wa : 0, wb = b[3] > 0 ? e->wb : 0;
    if (!(length2 > e->rest * e->rest) || !(wa + wb > 0)) return;
    float length = sqrtf(length2), s = (length - e->rest) / (length * (wa + wb));
    move_vertex(levels, front, e->a, s * wa * d);
    move_vertex(levels, front, e->b, -(s * wb) * d);
}

/* The midpoint moves by the mean displacement of the ends. */
static void move_middle(vo_rt_levels *levels, vo_rt_front *front, const vo_rt_split_edge *e) {
    vo_f4 x = f4_load(&front->position[e->middle]);
    vo_f4 mean = 0.5f * (f4_load(&levels->shift[e->a]) + f4_load(&levels->shift[e->b]));
    if (!(x[3] > 0)) mean = 0 * XYZ;
    f4_store(&levels->shift[e->middle], mean);
    f4_store(&front->position[e->middle], x + mean);
}

void vo_rt_levels_project(vo_rt_levels *levels, vo_rt_front *front) {
    memset(levels->shift, 0, (size_t)front->vertex_end * sizeof *levels->shift);
    for (int level = 0; level <= VO_RT_MAX_LEVEL; level++) {
        int begin = levels->begin[level], end = levels->begin[level + 1];
        for (int i = begin; i < end; i++) project_edge(levels, front, &levels->edge[i]);
        for (int i = begin; i < end; i++) move_middle(levels, front, &levels->edge[i]);
    }
}
