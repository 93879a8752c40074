/* Saves and restores a mesh: a header of counts and the arrays that are not derived from others.
 * A snapshot is valid for the same asset, library version and byte order. */
#include "rt/hierarchy/check.h"

/* Scalars of a mesh: type, member. */
#define SCALARS(X)                   \
    X(int, front.vertex_end)         \
    X(int, front.vertex_count)       \
    X(int, edge_end)                 \
    X(int, edge_free)                \
    X(int, single_free)              \
    X(int, pair_free_count)          \
    X(int, single_free_count)        \
    X(int, triangle_end)             \
    X(int, triangle_free)            \
    X(int, triangle_free_count)      \
    X(int, vertex_free)              \
    X(int, finest_level)             \
    X(int, max_level)                \
    X(int, join_wait)                \
    X(uint32_t, random)              \
    X(float, density)                \
    X(int, front.triangle_count)     \
    X(int, front.spring_group_count) \
    X(int, front.spring_count)       \
    X(int, front.bend_group_count)   \
    X(int, front.bend_count)         \
    X(int, spring_lanes.cursor)      \
    X(int, bend_lanes.cursor)        \
    X(vo_rt_tie_rule, tie_rule)      \
    X(uint64_t, front.topology)

/* Copies scalars between a mesh and bytes in order; returns the bytes. */
static size_t write_scalars(const vo_rt_mesh *mesh, uint8_t *data) {
    size_t at = 0;
#define WRITE(type, member)                                          \
    if (data) memcpy(data + at, &mesh->member, sizeof mesh->member); \
    at += sizeof mesh->member;
    SCALARS(WRITE)
#undef WRITE
    if (data) memcpy(data + at, mesh->split_count, sizeof mesh->split_count);
    return at + sizeof mesh->split_count;
}

static size_t read_scalars(vo_rt_mesh *mesh, const uint8_t *data) {
    size_t at = 0;
#define READ(type, member)                                 \
    memcpy(&mesh->member, data + at, sizeof mesh->member); \
    at += sizeof mesh->member;
    SCALARS(READ)
#undef READ
    memcpy(mesh->split_count, data + at, sizeof mesh->split_count);
    return at + sizeof mesh->split_count;
}

/* Bytes of array i with the counts of a mesh; 0 if it is not saved. */
static uint64_t array_bytes(const vo_rt_mesh *mesh, int i) {
    vo_rt_mesh_counts count = vo_rt_mesh_count(mesh);
    vo_rt_array array = vo_rt_mesh_array(mesh, i);
    return array.is_saved ? (uint64_t)count.of[array.kind] * array.size : 0;
}

size_t vo_rt_mesh_save(const vo_rt_mesh *mesh, void *data) {
    uint8_t *bytes = data;
    size_t at = write_scalars(mesh, bytes);
    for (int i = 0; i < VO_RT_MESH_ARRAYS; i++) {
        size_t n = (size_t)array_bytes(mesh, i);
        if (bytes && n > 0) memcpy(bytes + at, vo_rt_mesh_array(mesh, i).data, n);
        at += n;
    }
    return at;
}

static bool are_scalars_valid(const vo_rt_mesh *mesh) {
    vo_rt_mesh_counts count = vo_rt_mesh_count(mesh);
    for (int k = 0; k < VO_RT_ARRAY_KINDS; k++)
        if (count.of[k] < 0 || count.of[k] > INT32_MAX / 16) return false;
    return mesh->max_level >= 0 && mesh->max_level <= mesh->asset->max_level &&
           (unsigned)mesh->tie_rule <= VO_RT_TIE_CURVATURE && mesh->density >= 1e-12f &&
           mesh->density <= 1e12f && mesh->spring_lanes.cursor >= 0 &&
           mesh->spring_lanes.cursor <= mesh->front.spring_group_count &&
           mesh->bend_lanes.cursor >= 0 && mesh->bend_lanes.cursor <= mesh->front.bend_group_count;
}

/* Finds the arrays in a snapshot; false if its size does not match the counts. */
static bool find_arrays(const vo_rt_mesh *mesh, const uint8_t *data, size_t at, size_t bytes,
                        const uint8_t *array[]) {
    for (int i = 0; i < VO_RT_MESH_ARRAYS; i++) {
        uint64_t n = array_bytes(mesh, i);
        if (n > bytes - at) return false;
        array[i] = data + at;
        at += (size_t)n;
    }
    return at == bytes;
}

static bool is_valid(const vo_rt_mesh *next, const vo_rt_mesh *mesh, const uint8_t *array[]) {
    vo_rt_mesh_image image = {.mesh = next,
                              .edge = array[VO_RT_ARRAY_EDGE],
                              .triangle = array[VO_RT_ARRAY_TRIANGLE],
                              .vertex_flags = array[VO_RT_ARRAY_FLAGS],
                              .vertex_level = array[VO_RT_ARRAY_LEVEL],
                              .vertex_edge = array[VO_RT_ARRAY_VERTEX_EDGE],
                              .stiffness = array[VO_RT_ARRAY_STIFFNESS],
                              .triangle_source = array[VO_RT_ARRAY_TRIANGLE_SOURCE],
                              .spring_edge = array[VO_RT_ARRAY_SPRING_LANES_EDGE],
                              .bend_edge = array[VO_RT_ARRAY_BEND_LANES_EDGE],
                              .base_triangle = mesh->triangle};
    return !vo_rt_check_tree(&image) && !vo_rt_check_lists(&image);
}

/* Capacity for the counts, with the groups that the next edits may need. */
static bool reserve(vo_rt_mesh *mesh, vo_rt_heap *heap, const vo_rt_mesh *next) {
    vo_rt_mesh_counts need = vo_rt_mesh_count(next);
    int springs = vo_rt_mesh_spring_groups(next, next->front.spring_count);
    int bends = vo_rt_mesh_bend_groups(next, next->front.bend_count);
    if (need.of[VO_RT_SPRING_GROUPS] < springs) need.of[VO_RT_SPRING_GROUPS] = springs;
    if (need.of[VO_RT_BEND_GROUPS] < bends) need.of[VO_RT_BEND_GROUPS] = bends;
    return vo_rt_mesh_grow(mesh, heap, &need);
}

static void rebuild_leaves(vo_rt_mesh *mesh) {
    for (int i = 0; i < mesh->front.triangle_count; i++)
        vo_rt_write_leaf(mesh, mesh->front.triangle_source[i]);
}

/* Masses follow from the leaves; inverse masses are part of the saved positions. */
static void restore_masses(vo_rt_mesh *mesh, const uint8_t *positions) {
    vo_rt_mesh_sum_masses(mesh);
    memcpy(mesh->front.position, positions,
           (size_t)mesh->front.vertex_end * sizeof *mesh->front.position);
}

bool vo_rt_mesh_restore(vo_rt_mesh *mesh, vo_rt_heap *heap, const void *data, size_t bytes) {
    const uint8_t *array[VO_RT_MESH_ARRAYS];
    vo_rt_mesh next = *mesh;
    if (bytes < write_scalars(mesh, NULL)) return false;
    size_t at = read_scalars(&next, data);
    if (!are_scalars_valid(&next) || !find_arrays(&next, data, at, bytes, array)) return false;
    if (!is_valid(&next, mesh, array) || !reserve(mesh, heap, &next)) return false;
    for (int i = 0; i < VO_RT_MESH_ARRAYS; i++) {
        size_t n = (size_t)array_bytes(&next, i);
        if (n > 0) memcpy(vo_rt_mesh_array(mesh, i).data, array[i], n);
    }
    read_scalars(mesh, data);
    rebuild_leaves(mesh);
    vo_rt_mesh_rebuild_lanes(mesh);
    restore_masses(mesh, array[VO_RT_ARRAY_POSITION]);
    return true;
}
