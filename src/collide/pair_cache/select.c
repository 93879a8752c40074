/* Selection of the proximities to return from all pairs closer than their thickness, in an order
 * that depends on the features alone. */
#include "collide/pair_cache/pair.h"

#include <string.h>

/* Cosine of 60 degrees: faces in nearly the same direction from a node belong to one side, as
 * neighbours of the nearest face. */
#define SAME_SIDE 0.5

static bool is_nearer(const vo_proximity_hit *p, const vo_proximity_hit *q) {
    if (p->proximity.distance != q->proximity.distance)
        return p->proximity.distance < q->proximity.distance;
    return p->key.b < q->key.b;
}

static bool edge_before(const vo_proximity_hit *p, const vo_proximity_hit *q) {
    return p->key.b < q->key.b;
}

/* Shell sort of indices. Counts are nearly always small; the gaps bound the time in dense
 * regions. */
static void sort_hits(int32_t *order, int n, const vo_proximity_hit *hit,
                      bool before(const vo_proximity_hit *, const vo_proximity_hit *)) {
    int gap = 1;
    while (gap < n / 9) gap = 3 * gap + 1;
    for (; gap > 0; gap /= 3)
        for (int i = gap; i < n; i++) {
            int32_t item = order[i];
            int j = i;
            for (; j >= gap && before(&hit[item], &hit[order[j - gap]]); j -= gap)
                order[j] = order[j - gap];
            order[j] = item;
        }
}

/* Buckets the indices of the hits of one kind by their first feature; those of f begin at
 * start[f]. */
static void bucket(vo_feature_kind kind, int count, const vo_proximity_hit *hit, int features,
                   int32_t *order, int32_t *start) {
    for (int f = 0; f <= features; f++) start[f] = 0;
    for (int i = 0; i < count; i++)
        if (hit[i].proximity.pair.kind == kind) start[hit[i].key.a]++;
    int sum = 0;
    for (int f = 0; f <= features; f++) sum = start[f] += sum;
    for (int i = count - 1; i >= 0; i--)
        if (hit[i].proximity.pair.kind == kind) order[--start[hit[i].key.a]] = i;
}

/* Returns the part of the face of a hit. */
static int other_part(const vo_surface *s, const vo_proximity_hit *hit) {
    return s->face_part[hit->key.b];
}

/* Returns true if a nearer hit that is kept lies on the same side. */
static bool is_same_side(const vo_surface *s, const vo_proximity_hit *h, const vo_proximity *kept,
                         int n) {
    for (int i = 0; i < n; i++)
        if (s->node_part[kept[i].pair.node[1]] == other_part(s, h) &&
            v3_dot(kept[i].normal, h->proximity.normal) > SAME_SIDE)
            return true;
    return false;
}

/* Keeps the nearest hit of each side; `order` is sorted by distance. */
static int select_sides(const vo_surface *s, const vo_proximity_hit *hit, const int32_t *order,
                        int n, vo_proximity *out) {
    int kept = 0;
    for (int i = 0; i < n; i++)
        if (!is_same_side(s, &hit[order[i]], out, kept)) out[kept++] = hit[order[i]].proximity;
    return kept;
}

int vo_select_proximities(const vo_surface *s, int count, const vo_proximity_hit *hit,
                          int32_t *order, int32_t *start, vo_proximity *out) {
    int n = 0;
    if (count == 0) return 0;
    bucket(VO_NODE_FACE, count, hit, s->node_count, order, start);
    for (int f = 0; f < s->node_count; f++) {
        int faces = start[f + 1] - start[f];
        if (faces == 0) continue;
        sort_hits(order + start[f], faces, hit, is_nearer);
        n += select_sides(s, hit, order + start[f], faces, out + n);
    }
    bucket(VO_EDGE_EDGE, count, hit, s->edge_count, order, start);
    for (int e = 0; e < s->edge_count; e++) {
        sort_hits(order + start[e], start[e + 1] - start[e], hit, edge_before);
        for (int i = start[e]; i < start[e + 1]; i++) out[n++] = hit[order[i]].proximity;
    }
    return n;
}

static bool key_before(vo_feature_key p, vo_feature_key q) {
    return p.a != q.a ? p.a < q.a : p.b < q.b;
}

/* Merges from[begin, middle) and from[middle, end). */
static void merge_keys(const vo_feature_key *from, int begin, int middle, int end,
                       vo_feature_key *to) {
    int i = begin, j = middle;
    for (int k = begin; k < end; k++)
        to[k] = i < middle && (j >= end || !key_before(from[j], from[i])) ? from[i++] : from[j++];
}

void vo_sort_keys(int count, vo_feature_key *key, vo_feature_key *spare) {
    vo_feature_key *from = key, *to = spare;
    for (int width = 1; width < count; width *= 2) {
        for (int i = 0; i < count; i += 2 * width)
            merge_keys(from, i, vo_min_int(i + width, count), vo_min_int(i + 2 * width, count), to);
        vo_feature_key *swap = from;
        from = to;
        to = swap;
    }
    if (from != key) memcpy(key, from, (size_t)count * sizeof *key);
}
