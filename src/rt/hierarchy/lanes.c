/* Groups of 8 springs or bending elements that share no vertex.
 *
 * An element is inserted into the first of a few groups with a free lane, from a rotating cursor,
 * that has none of its vertices; otherwise a group is appended. The cursor distributes neighbouring
 * elements, which exclude each other, over different groups. Rejected: colours of the mesh, which a
 * split changes in a neighbourhood of unknown size. */
#include "rt/hierarchy/mesh_private.h"

#include <string.h>

enum {
    PROBES = 12,         /* groups that an insertion tests */
    COMPACT_PROBES = 64, /* likewise, for elements that move to free lanes */
    FULL = 0xff
};

/* View of the spring or the bend groups: each group starts with `width` arrays of 8 slots. */
typedef struct group_set {
    char *groups;
    size_t stride;
    int width;
    int *group_count, *count;
    int capacity;
    const vo_rt_mesh *mesh;
    /* Groups that suffice for a number of elements. Capacities depend on the past, this does not:
     * a restored mesh must choose the same groups. */
    int (*group_limit)(const vo_rt_mesh *mesh, int count);
    vo_rt_lanes *lanes;
} group_set;

static group_set springs_of(vo_rt_mesh *mesh) {
    vo_rt_front *f = &mesh->front;
    return (group_set){(char *)f->springs, sizeof *f->springs,       2,    &f->spring_group_count,
                       &f->spring_count,   f->spring_group_capacity, mesh, vo_rt_mesh_spring_groups,
                       &mesh->spring_lanes};
}

static group_set bends_of(vo_rt_mesh *mesh) {
    vo_rt_front *f = &mesh->front;
    return (group_set){(char *)f->bends, sizeof *f->bends,       4,    &f->bend_group_count,
                       &f->bend_count,   f->bend_group_capacity, mesh, vo_rt_mesh_bend_groups,
                       &mesh->bend_lanes};
}

/* The slots of all lanes: [width][8]. Both kinds of group are structs that start with them. */
static int32_t *slots_of(const group_set *set, int group) {
    return (int32_t *)(void *)(set->groups + (size_t)group * set->stride);
}

typedef int32_t lane4 __attribute__((vector_size(16)));
typedef int64_t half2 __attribute__((vector_size(16)));

/* True if the group contains one of the vertices. */
static bool conflicts(const int32_t *slots, int width, const int32_t *vertex) {
    lane4 found = {0};
    for (int j = 0; j < width * VO_RT_LANES; j += 4) {
        lane4 s;
        memcpy(&s, slots + j, sizeof s);
        for (int k = 0; k < width; k++) found |= s == vertex[k];
    }
    half2 any = (half2)found;
    return (any[0] | any[1]) != 0;
}

/* A group below `end` with a free lane and none of the vertices; -1 if there is none among the
 * first `probes` groups with a free lane. */
static int find_group(group_set *set, int end, const int32_t *vertex, int probes) {
    const uint8_t *used = set->lanes->used;
    int group = set->lanes->cursor;
    for (int step = 0; step < end && probes > 0; step++, group++) {
        if (group >= end) group = 0;
        if (used[group] == FULL) continue;
        if (!conflicts(slots_of(set, group), set->width, vertex)) {
            set->lanes->cursor = group + 1;
            return group;
        }
        probes--;
    }
    set->lanes->cursor = group;
    return -1;
}

static int append_group(group_set *set) {
    int group = (*set->group_count)++;
    memset(set->groups + (size_t)group * set->stride, 0, set->stride);
    memset(set->lanes->edge + (size_t)group * VO_RT_LANES, 0xff, VO_RT_LANES * sizeof(int32_t));
    set->lanes->used[group] = 0;
    return group;
}

/* Takes a lane of a group for an edge; returns group * 8 + lane. */
static int take_lane(group_set *set, int group, int edge, const int32_t *vertex) {
    int lane = __builtin_ctz(~(unsigned)set->lanes->used[group]);
    int32_t *slots = slots_of(set, group);
    for (int k = 0; k < set->width; k++) slots[k * VO_RT_LANES + lane] = vertex[k];
    set->lanes->used[group] |= (uint8_t)(1u << lane);
    set->lanes->edge[group * VO_RT_LANES + lane] = edge;
    return group * VO_RT_LANES + lane;
}

/* The group of a hint, if it has room for the element; otherwise -1. */
static int hinted_group(const group_set *set, int hint, const int32_t *vertex) {
    int group = hint <= -2 ? -2 - hint : -1;
    if (group < 0 || group >= *set->group_count || set->lanes->used[group] == FULL) return -1;
    return conflicts(slots_of(set, group), set->width, vertex) ? -1 : group;
}

/* Inserts an element, if possible into the group of the hint (-2 - group). Returns -1 if no
 * group has a lane for it, which the reserved capacity excludes. */
static int insert(group_set *set, int edge, const int32_t *vertex, int hint) {
    int count = *set->group_count, free_lanes = count * VO_RT_LANES - *set->count;
    int group = hinted_group(set, hint, vertex);
    if (group < 0 && free_lanes * 4 > count) group = find_group(set, count, vertex, PROBES);
    int limit = set->group_limit(set->mesh, *set->count + 1);
    if (group < 0 && count < limit && count < set->capacity) group = append_group(set);
    if (group < 0) group = find_group(set, count, vertex, count);
    if (group < 0 && count < set->capacity) group = append_group(set);
    if (group < 0) return -1;
    (*set->count)++;
    return take_lane(set, group, edge, vertex);
}

static void free_lane(group_set *set, int index) {
    int group = index / VO_RT_LANES, lane = index % VO_RT_LANES;
    int32_t *slots = slots_of(set, group);
    for (int k = 0; k < set->width; k++) slots[k * VO_RT_LANES + lane] = 0;
    set->lanes->used[group] &= (uint8_t) ~(1u << lane);
    set->lanes->edge[index] = -1;
}

static void remove_element(group_set *set, int index) {
    free_lane(set, index);
    (*set->count)--;
}

static void write_spring(vo_rt_mesh *mesh, int edge) {
    const vo_rt_edge *e = &mesh->edge[edge];
    vo_rt_spring_group *g = &mesh->front.springs[e->spring / VO_RT_LANES];
    g->rest[e->spring % VO_RT_LANES] = e->rest;
    g->width[e->spring % VO_RT_LANES] = vo_rt_mesh_spring_width(mesh, e);
}

static void write_bend(vo_rt_mesh *mesh, int edge) {
    const vo_rt_edge *e = &mesh->edge[edge];
    vo_rt_bend_group *g = &mesh->front.bends[e->bend / VO_RT_LANES];
    g->rest[e->bend % VO_RT_LANES] = e->rest_angle;
    g->stiffness[e->bend % VO_RT_LANES] = vo_rt_mesh_bend_stiffness(mesh, e);
}

void vo_rt_mesh_insert_spring(vo_rt_mesh *mesh, int edge) {
    vo_rt_edge *e = &mesh->edge[edge];
    group_set set = springs_of(mesh);
    if (e->spring < 0) e->spring = insert(&set, edge, e->vertex, e->spring);
    if (e->spring >= 0) write_spring(mesh, edge);
}

void vo_rt_mesh_remove_spring(vo_rt_mesh *mesh, int edge) {
    vo_rt_edge *e = &mesh->edge[edge];
    if (e->spring < 0) return;
    mesh->front.springs[e->spring / VO_RT_LANES].rest[e->spring % VO_RT_LANES] = 0;
    mesh->front.springs[e->spring / VO_RT_LANES].width[e->spring % VO_RT_LANES] = 0;
    group_set set = springs_of(mesh);
    remove_element(&set, e->spring);
    e->spring = -1;
}

void vo_rt_mesh_insert_bend(vo_rt_mesh *mesh, int edge, const int32_t opposite[2]) {
    vo_rt_edge *e = &mesh->edge[edge];
    int32_t vertex[4] = {e->vertex[0], e->vertex[1], opposite[0], opposite[1]};
    group_set set = bends_of(mesh);
    if (e->bend < 0) e->bend = insert(&set, edge, vertex, e->bend);
    if (e->bend >= 0) write_bend(mesh, edge);
}

void vo_rt_mesh_remove_bend(vo_rt_mesh *mesh, int edge) {
    vo_rt_edge *e = &mesh->edge[edge];
    if (e->bend < 0) return;
    mesh->front.bends[e->bend / VO_RT_LANES].rest[e->bend % VO_RT_LANES] = 0;
    mesh->front.bends[e->bend / VO_RT_LANES].stiffness[e->bend % VO_RT_LANES] = 0;
    group_set set = bends_of(mesh);
    remove_element(&set, e->bend);
    e->bend = -1;
}

static void drop_empty_groups(group_set *set) {
    while (*set->group_count > 0 && set->lanes->used[*set->group_count - 1] == 0)
        (*set->group_count)--;
    if (set->lanes->cursor > *set->group_count) set->lanes->cursor = 0;
}

/* Moves the element of a lane to a group below `end`; returns the new lane or -1. */
static int move_lane(group_set *set, int index, int end) {
    int32_t vertex[4], edge = set->lanes->edge[index];
    const int32_t *slots = slots_of(set, index / VO_RT_LANES);
    for (int k = 0; k < set->width; k++) vertex[k] = slots[k * VO_RT_LANES + index % VO_RT_LANES];
    int group = find_group(set, end, vertex, COMPACT_PROBES);
    if (group < 0) return -1;
    free_lane(set, index);
    return take_lane(set, group, edge, vertex);
}

/* Empties the last group; false if one of its elements fits nowhere else. */
static bool empty_last_group(vo_rt_mesh *mesh, group_set *set) {
    int last = *set->group_count - 1;
    for (int lane = 0; lane < VO_RT_LANES; lane++) {
        int index = last * VO_RT_LANES + lane, edge = set->lanes->edge[index];
        if (edge < 0) continue;
        int target = move_lane(set, index, last);
        if (target < 0) return false;
        if (set->width == 2) {
            mesh->edge[edge].spring = target;
            write_spring(mesh, edge);
        } else {
            mesh->edge[edge].bend = target;
            write_bend(mesh, edge);
        }
    }
    return true;
}

static void compact(vo_rt_mesh *mesh, group_set *set) {
    drop_empty_groups(set);
    while (*set->group_count * VO_RT_LANES - *set->count > *set->count / 8 + 2 * VO_RT_LANES) {
        if (!empty_last_group(mesh, set)) return;
        drop_empty_groups(set);
    }
}

void vo_rt_mesh_compact_lanes(vo_rt_mesh *mesh) {
    group_set springs = springs_of(mesh), bends = bends_of(mesh);
    compact(mesh, &springs);
    compact(mesh, &bends);
}

static void clear_groups(group_set *set) {
    memset(set->groups, 0, (size_t)*set->group_count * set->stride);
    memset(set->lanes->used, 0, (size_t)*set->group_count);
}

/* Writes the vertices of an edge's element to the lane that refers to it. */
static void fill_lane(group_set *set, int index, const int32_t *vertex) {
    int32_t *slots = slots_of(set, index / VO_RT_LANES);
    for (int k = 0; k < set->width; k++) slots[k * VO_RT_LANES + index % VO_RT_LANES] = vertex[k];
    set->lanes->used[index / VO_RT_LANES] |= (uint8_t)(1u << index % VO_RT_LANES);
}

void vo_rt_mesh_rebuild_lanes(vo_rt_mesh *mesh) {
    group_set springs = springs_of(mesh), bends = bends_of(mesh);
    if (springs.groups) clear_groups(&springs);
    if (bends.groups) clear_groups(&bends);
    for (int i = 0; i < mesh->edge_end; i++) {
        const vo_rt_edge *e = &mesh->edge[i];
        int32_t vertex[4] = {e->vertex[0], e->vertex[1], 0, 0};
        if (!(e->flags & VO_RT_EDGE_USED) || e->child >= 0) continue;
        fill_lane(&springs, e->spring, vertex);
        write_spring(mesh, i);
        if (e->bend < 0) continue;
        vo_rt_mesh_bend_vertices(mesh, i, vertex + 2);
        fill_lane(&bends, e->bend, vertex);
        write_bend(mesh, i);
    }
}
