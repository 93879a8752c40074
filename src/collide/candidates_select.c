/* From all features closer than their thickness to those that repel, in an order that depends on
 * the features alone. */
#include "collide/candidates_pair.h"

#include <string.h>

/* Faces in whose direction another, nearer one was found already (closer than 60 degrees) are the
 * same side: its neighbours round the nearest point. */
#define SAME_SIDE 0.5

static bool comes_before(const vo_near_hit *p, const vo_near_hit *q) {
    if (p->near.distance != q->near.distance) return p->near.distance < q->near.distance;
    return p->key.b < q->key.b;
}

static bool edge_before(const vo_near_hit *p, const vo_near_hit *q) { return p->key.b < q->key.b; }

/* Sorts indices; nearly always a few. Shell's method: insertion, over wider gaps first, so that
 * clumps take no time either. */
static void sort_run(int32_t *order, int n, const vo_near_hit *hit,
                     bool before(const vo_near_hit *, const vo_near_hit *)) {
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

/* Indices of the hits of one kind, by their first feature; start[f] is where those of f begin. */
static void bucket(vo_feature_kind kind, int count, const vo_near_hit *hit, int features,
                   int32_t *order, int32_t *start) {
    for (int f = 0; f <= features; f++) start[f] = 0;
    for (int i = 0; i < count; i++)
        if (hit[i].near.pair.kind == kind) start[hit[i].key.a]++;
    int sum = 0;
    for (int f = 0; f <= features; f++) sum = start[f] += sum;
    for (int i = count - 1; i >= 0; i--)
        if (hit[i].near.pair.kind == kind) order[--start[hit[i].key.a]] = i;
}

/* The part that the face of a hit belongs to. */
static int other_part(const vo_surface *s, const vo_near_hit *hit) {
    return s->face_part[hit->key.b];
}

/* Whether one of the hits kept so far stands for this one. */
static bool is_covered(const vo_surface *s, const vo_near_hit *h, const vo_near *kept, int n) {
    for (int i = 0; i < n; i++)
        if (s->node_part[kept[i].pair.node[1]] == other_part(s, h) &&
            v3_dot(kept[i].normal, h->near.normal) > SAME_SIDE)
            return true;
    return false;
}

/* Nearest first; keeps those that no nearer one stands for. */
static int keep_sides(const vo_surface *s, const vo_near_hit *hit, const int32_t *order, int n,
                      vo_near *out) {
    int kept = 0;
    for (int i = 0; i < n; i++)
        if (!is_covered(s, &hit[order[i]], out, kept)) out[kept++] = hit[order[i]].near;
    return kept;
}

int vo_select_near(const vo_surface *s, int count, const vo_near_hit *hit, int32_t *order,
                   int32_t *start, vo_near *out) {
    int n = 0;
    if (count == 0) return 0;
    bucket(VO_NODE_FACE, count, hit, s->node_count, order, start);
    for (int f = 0; f < s->node_count; f++) {
        int faces = start[f + 1] - start[f];
        if (faces == 0) continue;
        sort_run(order + start[f], faces, hit, comes_before);
        n += keep_sides(s, hit, order + start[f], faces, out + n);
    }
    bucket(VO_EDGE_EDGE, count, hit, s->edge_count, order, start);
    for (int e = 0; e < s->edge_count; e++) {
        sort_run(order + start[e], start[e + 1] - start[e], hit, edge_before);
        for (int i = start[e]; i < start[e + 1]; i++) out[n++] = hit[order[i]].near;
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
