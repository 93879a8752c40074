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

/* Pairs per face that are stored: folded cloth has two to four. */
static int pair_capacity(int faces) { return 8 * faces + 2048; }

/* Elements of each array of the lanes: the faces and those that are read behind them. */
static int lane_stride(int faces) { return (faces + 15) / 8 * 8; }

static int cluster_count(int faces) {
    return (faces + VO_RT_SELF_CLUSTER - 1) / VO_RT_SELF_CLUSTER;
}

static void list_arrays(vo_rt_self_set *s, int members, int vertices, int faces,
                        array out[VO_RT_SELF_ARRAYS]) {
#define ARRAY(member, count) \
    { (void **)&s->member, count, sizeof *s->member }
    int clusters = cluster_count(faces);
    array list[VO_RT_SELF_ARRAYS] = {
        ARRAY(pair, pair_capacity(faces)),
        ARRAY(hit, faces / 4 + 256),
        ARRAY(hash.bucket, table_size(clusters) + 1),
        ARRAY(hash.entry, vo_rt_self_hash_entries(clusters)),
        ARRAY(lane_bounds, 6 * lane_stride(faces)),
        ARRAY(lane_vertices, 3 * lane_stride(faces)),
        ARRAY(member, members),
        ARRAY(x, vertices),
        ARRAY(drift, vertices),
        ARRAY(wanted, vertices),
        ARRAY(low, vertices),
        ARRAY(high, vertices),
        ARRAY(radius, vertices),
        ARRAY(bound, vertices),
        ARRAY(near, vertices),
        ARRAY(star, vertices),
        ARRAY(flags, vertices),
        ARRAY(star_begin, vertices + 2),
        ARRAY(star_face, 3 * faces),
        ARRAY(face, faces),
        ARRAY(face_normal, faces),
        ARRAY(face_box, 2 * faces),
        ARRAY(cluster_box, 2 * clusters),
    };
#undef ARRAY
    for (int i = 0; i < VO_RT_SELF_ARRAYS; i++) out[i] = list[i];
}

enum { PAIR_ARRAY, HIT_ARRAY, BUCKET_ARRAY, ENTRY_ARRAY, BOUNDS_ARRAY, VERTICES_ARRAY };

bool vo_rt_self_reserve(vo_rt_self_set *set, vo_rt_heap *heap, int members, int vertices,
                        int faces) {
    array list[VO_RT_SELF_ARRAYS];
    list_arrays(set, members, vertices, faces, list);
    for (int i = 0; i < VO_RT_SELF_ARRAYS; i++)
        if (!vo_rt_heap_reserve(heap, list[i].data, &set->capacity[i], list[i].need, list[i].size))
            return false;
    set->pair_capacity = set->capacity[PAIR_ARRAY];
    set->hit_capacity = set->capacity[HIT_ARRAY];
    set->hash.table_capacity = set->capacity[BUCKET_ARRAY] - 1;
    set->hash.entry_capacity = set->capacity[ENTRY_ARRAY];
    if (set->lane_stride != lane_stride(faces)) vo_rt_self_invalidate(set);
    set->lane_stride = lane_stride(faces);
    for (int k = 0; k < 6; k++) set->lanes.bound[k] = set->lane_bounds + k * set->lane_stride;
    for (int k = 0; k < 3; k++) set->lanes.vertex[k] = set->lane_vertices + k * set->lane_stride;
    return true;
}

void vo_rt_self_free(vo_rt_self_set *set, vo_rt_heap *heap) {
    array list[VO_RT_SELF_ARRAYS];
    list_arrays(set, 0, 0, 0, list);
    for (int i = 0; i < VO_RT_SELF_ARRAYS; i++)
        vo_rt_heap_release(heap, *list[i].data, set->capacity[i], list[i].size);
    *set = (vo_rt_self_set){0};
}
