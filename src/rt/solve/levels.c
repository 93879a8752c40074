/* Lists of split edges for the coarse-to-fine projection of stretch. */
#include "rt/solve/levels.h"

#include "rt/base/heap.h"
#include "rt/solve/kernels.h"

#include <string.h>

enum { OPEN_GROUPS = 32 };

/* Groups that suffice for `edges` split edges. An edge that shares its ends with fewer than 32
 * others finds an open group, and at most the open groups of each level remain incomplete. */
static int group_limit(const vo_rt_mesh *mesh, int edges) {
    int limit = edges / VO_RT_LANES + OPEN_GROUPS * (VO_RT_MAX_LEVEL + 1);
    bool is_bounded = 2 * (mesh->max_degree - 1) < OPEN_GROUPS;
    return is_bounded && limit < edges ? limit : edges;
}

bool vo_rt_levels_reserve(vo_rt_levels *levels, vo_rt_heap *heap, const vo_rt_mesh *mesh) {
    const vo_rt_front *front = &mesh->front;
    int refined = front->vertex_capacity - mesh->asset->vertex_count;
    int need = group_limit(mesh, refined > 0 ? refined : 0), old = levels->open_capacity;
    if (!vo_rt_heap_reserve(heap, (void **)&levels->group, &levels->capacity, need,
                            sizeof *levels->group) ||
        !vo_rt_heap_reserve(heap, (void **)&levels->shift, &levels->shift_capacity,
                            front->vertex_capacity, sizeof *levels->shift) ||
        !vo_rt_heap_reserve(heap, (void **)&levels->open, &levels->open_capacity,
                            front->vertex_capacity, sizeof *levels->open))
        return false;
    for (int i = old; i < levels->open_capacity; i++) levels->open[i] = 0;
    return true;
}

void vo_rt_levels_free(vo_rt_levels *levels, vo_rt_heap *heap) {
    vo_rt_heap_release(heap, levels->group, levels->capacity, sizeof *levels->group);
    vo_rt_heap_release(heap, levels->shift, levels->shift_capacity, sizeof *levels->shift);
    vo_rt_heap_release(heap, levels->open, levels->open_capacity, sizeof *levels->open);
    *levels = (vo_rt_levels){0};
}

/* Groups of the level in progress that have free lanes: bit k of vo_rt_levels.open refers to
 * group[k]. */
typedef struct open_groups {
    int group[OPEN_GROUPS], size[OPEN_GROUPS];
    int count; /* places in use */
    int end;   /* groups of all levels */
} open_groups;

static void clear_open(vo_rt_levels *levels, int group, uint32_t bits) {
    const vo_rt_split_group *g = &levels->group[group];
    for (int k = 0; k < VO_RT_LANES; k++) {
        levels->open[g->a[k]] &= ~bits;
        levels->open[g->b[k]] &= ~bits;
    }
}

/* The place of an open group without the ends of an edge. */
static int find_open(vo_rt_levels *levels, open_groups *o, const int32_t vertex[2]) {
    uint32_t used = levels->open[vertex[0]] | levels->open[vertex[1]];
    int place = used == UINT32_MAX ? OPEN_GROUPS - 1 : __builtin_ctz(~used);
    bool is_open = place < o->count;
    if (is_open && used != UINT32_MAX && o->size[place] < VO_RT_LANES) return place;
    if (is_open) clear_open(levels, o->group[place], 1u << place);
    if (!is_open) o->count++;
    o->size[place] = 0;
    o->group[place] = o->end++;
    levels->group[o->group[place]] = (vo_rt_split_group){0};
    return place;
}

static void add_edge(vo_rt_levels *levels, open_groups *o, const vo_rt_edge *e) {
    int place = find_open(levels, o, e->vertex), lane = o->size[place]++;
    vo_rt_split_group *g = &levels->group[o->group[place]];
    g->middle[lane] = e->middle;
    g->a[lane] = e->vertex[0];
    g->b[lane] = e->vertex[1];
    g->rest[lane] = e->rest;
    levels->open[e->vertex[0]] |= 1u << place;
    levels->open[e->vertex[1]] |= 1u << place;
}

static void list_level(vo_rt_levels *levels, const vo_rt_mesh *mesh, open_groups *o, int level) {
    const vo_rt_front *front = &mesh->front;
    o->count = 0;
    for (int i = 1; i < front->vertex_end; i++)
        if (front->level[i] == level + 1 && mesh->vertex_edge[i] >= 0 && o->end < levels->capacity)
            add_edge(levels, o, &mesh->edge[mesh->vertex_edge[i]]);
    for (int k = 0; k < o->count; k++) clear_open(levels, o->group[k], UINT32_MAX);
}

static void list_edges(vo_rt_levels *levels, const vo_rt_mesh *mesh) {
    open_groups o = {.end = 0};
    for (int level = 0; level <= VO_RT_MAX_LEVEL; level++) {
        levels->begin[level] = o.end;
        if (mesh->split_count[level] > 0) list_level(levels, mesh, &o, level);
    }
    levels->begin[VO_RT_MAX_LEVEL + 1] = o.end;
}

/* A strip of length l and curvature 8 s / l^2, where s is the height of its midpoint, has the energy
 * 1/2 k s^2, k = 64 B w / l^3. The strips of a regular mesh of area A, whose directions differ, must
 * be w = 0.77 l wide for the energy 1/2 B A curvature^2 of a bent plate: their area w l is 3.56
 * times that of the midpoint at the next level. */
static const float STRIP_STIFFNESS = 64 * 3.56f;

/* Masses of the next level, and the stiffness. */
static void set_bending(const vo_rt_levels *levels, const vo_rt_mesh *mesh, vo_rt_split_group *g) {
    for (int k = 0; k < VO_RT_LANES; k++) {
        if (g->middle[k] == 0) continue;
        float mass = levels->shift[g->middle[k]].w, rest2 = f_max(g->rest[k] * g->rest[k], 1e-8f);
        float area = mass / f_max(mesh->density, 1e-6f);
        g->bend_wm[k] = 1 / f_max(mass, 1e-12f);
        g->bend_wa[k] = 1 / f_max(levels->shift[g->a[k]].w, 1e-12f);
        g->bend_wb[k] = 1 / f_max(levels->shift[g->b[k]].w, 1e-12f);
        g->bend[k] = STRIP_STIFFNESS * mesh->stiffness[g->middle[k]] * area / (rest2 * rest2);
    }
}

/* Adds half of the mass of the midpoints to that of the ends. */
static void restrict_group(vo_rt_levels *levels, const vo_rt_split_group *g) {
    for (int k = 0; k < VO_RT_LANES; k++) {
        if (g->middle[k] == 0) continue;
        float half = 0.5f * levels->shift[g->middle[k]].w;
        levels->shift[g->a[k]].w += half;
        levels->shift[g->b[k]].w += half;
    }
}

static void invert_masses(vo_rt_levels *levels, vo_rt_split_group *g) {
    for (int k = 0; k < VO_RT_LANES; k++) {
        g->wa[k] = 1 / f_max(levels->shift[g->a[k]].w, 1e-12f);
        g->wb[k] = 1 / f_max(levels->shift[g->b[k]].w, 1e-12f);
    }
}

/* Masses of the vertices of each level, from the finest to level 0; shift.w is scratch. */
static void restrict_masses(vo_rt_levels *levels, const vo_rt_mesh *mesh) {
    const vo_rt_front *front = &mesh->front;
    for (int i = 0; i < front->vertex_end; i++) levels->shift[i].w = front->mass[i];
    for (int level = VO_RT_MAX_LEVEL; level >= 0; level--) {
        int begin = levels->begin[level], end = levels->begin[level + 1];
        for (int i = begin; i < end; i++) set_bending(levels, mesh, &levels->group[i]);
        for (int i = begin; i < end; i++) restrict_group(levels, &levels->group[i]);
        for (int i = begin; i < end; i++) invert_masses(levels, &levels->group[i]);
    }
}

void vo_rt_levels_update(vo_rt_levels *levels, const vo_rt_mesh *mesh) {
    list_edges(levels, mesh);
    restrict_masses(levels, mesh);
}

void vo_rt_levels_project(vo_rt_levels *levels, vo_rt_front *front, bool use_avx2) {
    if (vo_rt_levels_count(levels) == 0) return;
    vo_rt_solve_select_kernels(use_avx2)->project_levels(levels, front);
}
