/* Arrays of the mesh in the heap of the world. */
#include "rt/hierarchy/mesh_private.h"

#include <string.h>

typedef struct array_info {
    size_t offset, size;
    vo_rt_array_kind kind;
    bool is_saved;
} array_info;

#define INFO(name, member, kind, saved) \
    {offsetof(vo_rt_mesh, member), sizeof *((vo_rt_mesh *)0)->member, VO_RT_##kind, saved},
#define LANE_INFO(name, member, kind, saved)                                                      \
    {offsetof(vo_rt_mesh, member), VO_RT_LANES * sizeof *((vo_rt_mesh *)0)->member, VO_RT_##kind, \
     saved},
static const array_info infos[] = {VO_RT_ARRAYS(INFO) VO_RT_LANE_ARRAYS(LANE_INFO)};

/* Pointers to different types are read and written as bytes. */
static void *get(const vo_rt_mesh *mesh, int i) {
    void *data;
    memcpy(&data, (const char *)mesh + infos[i].offset, sizeof data);
    return data;
}

static void set(vo_rt_mesh *mesh, int i, void *data) {
    memcpy((char *)mesh + infos[i].offset, &data, sizeof data);
}

vo_rt_array vo_rt_mesh_array(const vo_rt_mesh *mesh, int index) {
    return (vo_rt_array){get(mesh, index), infos[index].size, infos[index].kind,
                         infos[index].is_saved};
}

/* Smallest capacity of the arrays of each kind. */
static void update_capacities(vo_rt_mesh *mesh) {
    int *capacity[] = {&mesh->front.vertex_capacity,       &mesh->edge_capacity,
                       &mesh->triangle_capacity,           &mesh->front.triangle_capacity,
                       &mesh->front.spring_group_capacity, &mesh->front.bend_group_capacity};
    for (int k = 0; k < VO_RT_ARRAY_KINDS; k++) *capacity[k] = INT32_MAX;
    for (int i = 0; i < VO_RT_MESH_ARRAYS; i++) {
        int *c = capacity[infos[i].kind];
        if (mesh->capacity[i] < *c) *c = mesh->capacity[i];
    }
}

static bool grow_array(vo_rt_mesh *mesh, vo_rt_heap *heap, int i, int need) {
    void *data = get(mesh, i);
    bool ok = vo_rt_heap_reserve(heap, &data, &mesh->capacity[i], need, infos[i].size);
    set(mesh, i, data);
    return ok;
}

bool vo_rt_mesh_grow(vo_rt_mesh *mesh, vo_rt_heap *heap, const vo_rt_mesh_counts *need) {
    bool ok = true;
    for (int i = 0; i < VO_RT_MESH_ARRAYS && ok; i++) {
        /* The list of dirty edges has room for one entry more, written without a test. */
        int count = need->of[infos[i].kind] + (i == VO_RT_ARRAY_DIRTY);
        if (mesh->capacity[i] < count) ok = grow_array(mesh, heap, i, count);
    }
    update_capacities(mesh);
    return ok;
}

vo_rt_mesh_counts vo_rt_mesh_count(const vo_rt_mesh *mesh) {
    return (vo_rt_mesh_counts){{mesh->front.vertex_end, mesh->edge_end, mesh->triangle_end,
                                mesh->front.triangle_count, mesh->front.spring_group_count,
                                mesh->front.bend_group_count}};
}

/* A leaf edge with 8 lanes per group conflicts with the groups of the elements at its vertices. A
 * base vertex has at most 2 max_degree leaf edges (a part of each base edge and one median per
 * triangle), another vertex at most 12 (2 halves, 4 interior edges, 6 medians). If there are more
 * groups than full and conflicting ones, some group has a lane for the element. */
int vo_rt_mesh_spring_groups(const vo_rt_mesh *mesh, int springs) {
    int degree = mesh->max_degree < 6 ? 12 : 2 * mesh->max_degree;
    int groups = springs / VO_RT_LANES + 2 * degree + 1;
    return groups < springs ? groups : springs;
}

/* A vertex is in the bending elements of its edges and of the edges opposite it. */
int vo_rt_mesh_bend_groups(const vo_rt_mesh *mesh, int bends) {
    int degree = mesh->max_degree < 6 ? 24 : 4 * mesh->max_degree;
    int groups = bends / VO_RT_LANES + 4 * degree + 1;
    return groups < bends ? groups : bends;
}

/* Needs of the worst case: each split adds a vertex and two child edges, and on both sides an
 * interior edge, up to two triangles, one leaf triangle and two leaf edges. */
bool vo_rt_mesh_reserve_splits(vo_rt_mesh *mesh, vo_rt_heap *heap, int count) {
    if (count <= 0) return true;
    if (count > INT32_MAX / 64) return false;
    const vo_rt_front *front = &mesh->front;
    int singles = 2 * count - mesh->single_free_count;
    int pairs = count + (singles > 0 ? (singles + 1) / 2 : 0) - mesh->pair_free_count;
    int triangles = 4 * count - mesh->triangle_free_count;
    int vertices = front->vertex_count + 1 + count;
    vo_rt_mesh_counts need = {{vertices > front->vertex_end ? vertices : front->vertex_end,
                               mesh->edge_end + (pairs > 0 ? 2 * pairs : 0),
                               mesh->triangle_end + (triangles > 0 ? triangles : 0),
                               front->triangle_count + 2 * count,
                               vo_rt_mesh_spring_groups(mesh, front->spring_count + 3 * count),
                               vo_rt_mesh_bend_groups(mesh, front->bend_count + 3 * count)}};
    return vo_rt_mesh_grow(mesh, heap, &need);
}

void vo_rt_mesh_reserve(vo_rt_mesh *mesh, vo_rt_heap *heap, vo_rt_edits *edits) {
    int count = edits->split_count;
    while (count > 0 && !vo_rt_mesh_reserve_splits(mesh, heap, count)) count -= 1 + count / 8;
    if (count < 0) count = 0;
    edits->rejected += edits->split_count - count;
    edits->split_count = count;
}

size_t vo_rt_mesh_bytes(const vo_rt_mesh *mesh) {
    size_t bytes = 0;
    for (int i = 0; i < VO_RT_MESH_ARRAYS; i++) bytes += (size_t)mesh->capacity[i] * infos[i].size;
    return bytes;
}

void vo_rt_mesh_free(vo_rt_mesh *mesh, vo_rt_heap *heap) {
    for (int i = 0; i < VO_RT_MESH_ARRAYS; i++)
        vo_rt_heap_release(heap, get(mesh, i), mesh->capacity[i], infos[i].size);
    *mesh = (vo_rt_mesh){0};
}

/* Moves an array to a smaller block; keeps it where it is if the heap has none. */
static void shrink(vo_rt_mesh *mesh, vo_rt_heap *heap, int i, int count) {
    void *small = NULL, *data = get(mesh, i);
    int capacity = 0;
    if (!vo_rt_heap_reserve(heap, &small, &capacity, count, infos[i].size)) return;
    memcpy(small, data, (size_t)count * infos[i].size);
    vo_rt_heap_release(heap, data, mesh->capacity[i], infos[i].size);
    set(mesh, i, small);
    mesh->capacity[i] = capacity;
}

void vo_rt_mesh_trim(vo_rt_mesh *mesh, vo_rt_heap *heap) {
    if (mesh->finest_level > 0) return;
    vo_rt_mesh_counts count = vo_rt_mesh_count(mesh);
    for (int i = 0; i < VO_RT_MESH_ARRAYS; i++) {
        int used = count.of[infos[i].kind] + (i == VO_RT_ARRAY_DIRTY);
        if (mesh->capacity[i] / 2 > used) shrink(mesh, heap, i, used);
    }
    update_capacities(mesh);
}
