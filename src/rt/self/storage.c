/* Memory of a set. */
#include "rt/self/self_private.h"

/* An array of the set: its pointer, the number of elements, their size. */
typedef struct array {
    void **data;
    int need;
    size_t size;
} array;

static int table_size(int boxes) {
    int size = 64;
    while (size < 2 * boxes) size *= 2;
    return size;
}

/* Pairs per face that are stored: folded cloth has two to four, a stack of layers up to ten. */
static int pair_capacity(int faces) { return 12 * faces + 2048; }

static int cluster_count(int faces) {
    return (faces + VO_RT_SELF_CLUSTER - 1) / VO_RT_SELF_CLUSTER;
}

enum { LANE_ARRAYS = 24 }; /* bounds, start and end */
enum { LANE_INDICES = 8 }; /* vertices, colours and fans */

/* Elements of each array of the lanes: the faces and those that are read behind them. */
static int lane_stride(int faces) { return (faces + 15) / 8 * 8; }

/* Faces of cloths, up to a whole cluster, and those of obstacles. */
static int total_faces(const vo_rt_self_size *n) {
    return cluster_count(n->faces) * VO_RT_SELF_CLUSTER + n->obstacle_faces;
}

static void list_arrays(vo_rt_self_set *s, const vo_rt_self_size *n, array out[VO_RT_SELF_ARRAYS]) {
#define ARRAY(member, count) \
    { (void **)&s->member, count, sizeof *s->member }
    int faces = total_faces(n), clusters = cluster_count(faces);
    int vertices = n->vertices + n->obstacle_vertices;
    array list[VO_RT_SELF_ARRAYS] = {
        ARRAY(pair, pair_capacity(n->faces)),
        ARRAY(hit, n->faces / 4 + 256),
        ARRAY(hash.bucket, table_size(clusters) + 1),
        ARRAY(hash.entry, vo_rt_self_hash_entries(clusters)),
        ARRAY(lane_bounds, LANE_ARRAYS * lane_stride(faces)),
        ARRAY(lane_vertices, LANE_INDICES * lane_stride(faces)),
        ARRAY(member, n->members),
        ARRAY(obstacle, n->obstacles),
        ARRAY(x, vertices),
        ARRAY(drift, vertices),
        ARRAY(move, vertices),
        ARRAY(low, vertices),
        ARRAY(high, vertices),
        ARRAY(radius, vertices),
        ARRAY(bound, vertices),
        ARRAY(near, vertices),
        ARRAY(flags, vertices),
        ARRAY(pass, vertices),
        ARRAY(sum, n->vertices),
        ARRAY(target, n->vertices),
        ARRAY(support, n->vertices),
        ARRAY(part, n->vertices),
        ARRAY(part_mass, n->vertices),
        ARRAY(first_hit, n->vertices),
        ARRAY(star, n->vertices),
        ARRAY(star_begin, n->vertices + 2),
        ARRAY(star_face, 3 * n->faces),
        ARRAY(face, faces),
        ARRAY(path, n->faces),
        ARRAY(face_cell, n->faces),
        ARRAY(cell, n->cells),
        ARRAY(fan, n->fans),
        ARRAY(fan_begin, n->fans + 2),
        ARRAY(fan_cell, 3 * n->cells),
        ARRAY(side_vertex, 3 * (n->faces + n->cells)),
        ARRAY(face_box, 2 * faces),
        ARRAY(cluster_box, 2 * clusters),
    };
#undef ARRAY
    for (int i = 0; i < VO_RT_SELF_ARRAYS; i++) out[i] = list[i];
}

enum { PAIR_ARRAY, HIT_ARRAY, BUCKET_ARRAY, ENTRY_ARRAY, BOUNDS_ARRAY, VERTICES_ARRAY };

bool vo_rt_self_reserve(vo_rt_self_set *set, vo_rt_heap *heap, const vo_rt_self_size *size) {
    array list[VO_RT_SELF_ARRAYS];
    int stride = lane_stride(total_faces(size));
    list_arrays(set, size, list);
    for (int i = 0; i < VO_RT_SELF_ARRAYS; i++)
        if (!vo_rt_heap_reserve(heap, list[i].data, &set->capacity[i], list[i].need, list[i].size))
            return false;
    /* Limits depend on the size only, not on the history of the memory. */
    set->pair_capacity = list[PAIR_ARRAY].need;
    set->hit_capacity = list[HIT_ARRAY].need;
    set->hash.table_capacity = list[BUCKET_ARRAY].need - 1;
    set->hash.entry_capacity = list[ENTRY_ARRAY].need;
    if (set->lane_stride != stride) vo_rt_self_invalidate(set);
    set->lane_stride = stride;
    for (int k = 0; k < 6; k++) set->lanes.bound[k] = set->lane_bounds + k * stride;
    for (int k = 0; k < 9; k++) set->lanes.start[k] = set->lane_bounds + (6 + k) * stride;
    for (int k = 0; k < 9; k++) set->lanes.end[k] = set->lane_bounds + (15 + k) * stride;
    for (int k = 0; k < 3; k++) set->lanes.vertex[k] = set->lane_vertices + k * stride;
    for (int k = 0; k < 2; k++) set->lanes.colour[k] = set->lane_vertices + (3 + k) * stride;
    for (int k = 0; k < 3; k++) set->lanes.fan[k] = set->lane_vertices + (5 + k) * stride;
    return true;
}

void vo_rt_self_free(vo_rt_self_set *set, vo_rt_heap *heap) {
    array list[VO_RT_SELF_ARRAYS];
    list_arrays(set, &(vo_rt_self_size){0}, list);
    for (int i = 0; i < VO_RT_SELF_ARRAYS; i++)
        vo_rt_heap_release(heap, *list[i].data, set->capacity[i], list[i].size);
    *set = (vo_rt_self_set){0};
}
