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
static int pair_capacity(int faces) { return 5 * faces + 2048; }

static void list_arrays(vo_rt_self_set *s, int members, int vertices, int faces, int base_faces,
                        array out[VO_RT_SELF_ARRAYS]) {
#define ARRAY(member, count) \
    { (void **)&s->member, count, sizeof *s->member }
    int boxes = faces > base_faces ? faces : base_faces;
    array list[VO_RT_SELF_ARRAYS] = {ARRAY(member, members),
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
                                     ARRAY(box, 2 * faces),
                                     ARRAY(face_normal, faces),
                                     ARRAY(base_box, 2 * base_faces),
                                     ARRAY(base_active, base_faces),
                                     ARRAY(hash.bucket, table_size(boxes) + 1),
                                     ARRAY(hash.entry, vo_rt_self_hash_entries(boxes)),
                                     ARRAY(hash.bounds, 6 * vo_rt_self_hash_entries(boxes)),
                                     ARRAY(pair, pair_capacity(faces)),
                                     ARRAY(hit, faces / 4 + 256)};
#undef ARRAY
    for (int i = 0; i < VO_RT_SELF_ARRAYS; i++) out[i] = list[i];
}

enum { BUCKET_ARRAY = 18, ENTRY_ARRAY = 19, BOUNDS_ARRAY = 20, PAIR_ARRAY = 21, HIT_ARRAY = 22 };

bool vo_rt_self_reserve(vo_rt_self_set *set, vo_rt_heap *heap, int members, int vertices, int faces,
                        int base_faces) {
    array list[VO_RT_SELF_ARRAYS];
    list_arrays(set, members, vertices, faces, base_faces, list);
    for (int i = 0; i < VO_RT_SELF_ARRAYS; i++)
        if (!vo_rt_heap_reserve(heap, list[i].data, &set->capacity[i], list[i].need, list[i].size))
            return false;
    set->hash.table_capacity = set->capacity[BUCKET_ARRAY] - 1;
    int fit = set->capacity[BOUNDS_ARRAY] / 6;
    set->hash.entry_capacity = set->capacity[ENTRY_ARRAY] < fit ? set->capacity[ENTRY_ARRAY] : fit;
    set->pair_capacity = set->capacity[PAIR_ARRAY];
    set->hit_capacity = set->capacity[HIT_ARRAY];
    return true;
}

void vo_rt_self_free(vo_rt_self_set *set, vo_rt_heap *heap) {
    array list[VO_RT_SELF_ARRAYS];
    list_arrays(set, 0, 0, 0, 0, list);
    for (int i = 0; i < VO_RT_SELF_ARRAYS; i++)
        vo_rt_heap_release(heap, *list[i].data, set->capacity[i], list[i].size);
    *set = (vo_rt_self_set){0};
}
