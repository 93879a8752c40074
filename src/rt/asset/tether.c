/* Geodesic tethers: distances from attached vertices along the rest surface.
 *
 * Fast marching on triangles (Kimmel and Sethian 1998) with several labels per vertex. A label is
 * an anchor and its distance. Labels become final in ascending order, as in Dijkstra's algorithm;
 * a final label updates the neighbours along edges, and across each triangle two of whose corners
 * have it: the triangle is unfolded around a virtual source at the two known distances.
 *
 * Attached vertices that are adjacent form an island. A vertex keeps the labels of up to two
 * anchors per island, so that neighbours mostly share the anchors that the unfolding needs. The
 * nearest anchors of the VO_RT_MAX_TETHERS nearest islands become tethers. */
#include "rt/asset/asset_private.h"

#include <float.h>

enum { ANCHORS_PER_ISLAND = 2, LABELS = VO_RT_MAX_TETHERS * ANCHORS_PER_ISLAND };

typedef struct label {
    float distance;
    int32_t anchor; /* -1: unused */
    int32_t island;
    int32_t heap_index; /* -1: final or unused */
} label;

typedef struct march {
    const vo_rt_cook *cook;
    label *label;  /* [LABELS vertex_count] */
    int32_t *heap; /* [LABELS vertex_count] indices of labels, a binary heap by distance */
    int heap_count;
    int32_t *island;     /* [vertex_count] of attached vertices: its smallest vertex; -1 */
    int32_t *fan_offset; /* [vertex_count + 1] triangles of each vertex (CSR) */
    int32_t *fan;        /* [3 triangle_count] */
    float *length;       /* [edge_count] m, rest length of the control side */
} march;

/* --- Heap ----------------------------------------------------------------------------------- */

/* Ties are broken by index, so that the order is unique. */
static bool is_less(const march *m, int32_t a, int32_t b) {
    float x = m->label[a].distance, y = m->label[b].distance;
    return x < y || (x == y && a < b);
}

static void place(march *m, int index, int32_t item) {
    m->heap[index] = item;
    m->label[item].heap_index = index;
}

static void sift_up(march *m, int index, int32_t item) {
    while (index > 0 && is_less(m, item, m->heap[(index - 1) / 2])) {
        place(m, index, m->heap[(index - 1) / 2]);
        index = (index - 1) / 2;
    }
    place(m, index, item);
}

static void sift_down(march *m, int index, int32_t item) {
    for (;;) {
        int child = 2 * index + 1;
        if (child >= m->heap_count) break;
        if (child + 1 < m->heap_count && is_less(m, m->heap[child + 1], m->heap[child])) child++;
        if (!is_less(m, m->heap[child], item)) break;
        place(m, index, m->heap[child]);
        index = child;
    }
    place(m, index, item);
}

static int32_t pop(march *m) {
    int32_t top = m->heap[0], last = m->heap[--m->heap_count];
    if (m->heap_count > 0) sift_down(m, 0, last);
    m->label[top].heap_index = -1;
    return top;
}

/* --- Labels --------------------------------------------------------------------------------- */

static label *find_label(const march *m, int vertex, int32_t anchor) {
    label *list = m->label + LABELS * vertex;
    for (int i = 0; i < LABELS; i++)
        if (list[i].anchor == anchor) return &list[i];
    return NULL;
}

static bool is_final(const label *l) { return l->anchor >= 0 && l->heap_index < 0; }

/* Label to overwrite with a new anchor: an unused one, or the farthest of the island if that has
 * all its anchors, or the farthest of other islands; NULL if that is nearer or final. */
static label *find_slot(const march *m, int vertex, int32_t island, float distance) {
    label *list = m->label + LABELS * vertex, *unused = NULL, *same = NULL, *other = NULL;
    int same_count = 0;
    for (int i = 0; i < LABELS; i++) {
        label *l = &list[i];
        if (l->anchor < 0) {
            if (!unused) unused = l;
        } else if (l->island == island) {
            same_count++;
            if (!same || l->distance > same->distance) same = l;
        } else if (!other || l->distance > other->distance) {
            other = l;
        }
    }
    label *slot = same_count >= ANCHORS_PER_ISLAND ? same : unused ? unused : other;
    if (!slot || (slot->anchor >= 0 && (is_final(slot) || slot->distance <= distance))) return NULL;
    return slot;
}

/* Records that an anchor is at most `distance` away from a vertex. */
static void update(march *m, int vertex, int32_t anchor, int32_t island, float distance) {
    if (m->island[vertex] == island && vertex != anchor) return; /* tethers end at the island */
    label *l = find_label(m, vertex, anchor);
    if (l) {
        if (is_final(l) || l->distance <= distance) return;
    } else {
        l = find_slot(m, vertex, island, distance);
        if (!l) return;
    }
    int index = l->anchor < 0 ? m->heap_count++ : l->heap_index;
    *l = (label){distance, anchor, island, index};
    sift_up(m, index, (int32_t)(l - m->label));
}

/* --- Marching ------------------------------------------------------------------------------- */

static float edge_length(const march *m, int triangle, int corner) {
    return m->length[m->cook->triangle[triangle].edge[corner]];
}

/* Distance of corner C of a triangle from a source at the distances da and db from A and B, which
 * lies beyond AB in the unfolded plane; FLT_MAX if the path does not cross AB.
 * a = |BC|, b = |CA|, c = |AB|. */
static float unfold(float a, float b, float c, float da, float db) {
    /* A at the origin, B at (c, 0), C above, the source below the axis. */
    float cx = (b * b - a * a + c * c) / (2 * c), cy2 = b * b - cx * cx;
    float sx = (da * da - db * db + c * c) / (2 * c), sy2 = da * da - sx * sx;
    if (!(cy2 > 0) || !(sy2 >= 0)) return FLT_MAX;
    float cy = sqrtf(cy2), sy = sqrtf(sy2);
    float crossing = (sx * cy + cx * sy) / (cy + sy);
    if (!(crossing >= 0 && crossing <= c)) return FLT_MAX;
    return sqrtf((cx - sx) * (cx - sx) + (cy + sy) * (cy + sy));
}

/* Spreads the final label of `corner` to another corner of the triangle, directly and across the
 * triangle from the third corner. */
static void spread_to(march *m, int t, int corner, int target, const label *source) {
    int third = 3 - corner - target;
    const int32_t *v = m->cook->triangle[t].vertex;
    float direct = source->distance + edge_length(m, t, third);
    const label *known = find_label(m, v[third], source->anchor);
    if (known && is_final(known)) {
        float across = unfold(edge_length(m, t, corner), edge_length(m, t, third),
                              edge_length(m, t, target), source->distance, known->distance);
        direct = f_min(direct, f_max(across, f_max(source->distance, known->distance)));
    }
    update(m, v[target], source->anchor, source->island, direct);
}

static void spread(march *m, int32_t item) {
    label source = m->label[item];
    int vertex = item / LABELS;
    for (int i = m->fan_offset[vertex]; i < m->fan_offset[vertex + 1]; i++) {
        int t = m->fan[i];
        const int32_t *v = m->cook->triangle[t].vertex;
        int corner = v[0] == vertex ? 0 : v[1] == vertex ? 1 : 2;
        spread_to(m, t, corner, (corner + 1) % 3, &source);
        spread_to(m, t, corner, (corner + 2) % 3, &source);
    }
}

/* --- Preparation ---------------------------------------------------------------------------- */

static bool is_attached(const vo_rt_cook *cook, int vertex) {
    return cook->maps[vertex].attachment >= 1;
}

/* Root of a vertex in the forest of islands, with path halving. */
static int32_t find_island(int32_t *island, int32_t v) {
    while (island[v] != v) v = island[v] = island[island[v]];
    return v;
}

static void find_islands(march *m) {
    const vo_rt_cook *cook = m->cook;
    for (int v = 0; v < cook->def->vertex_count; v++) m->island[v] = is_attached(cook, v) ? v : -1;
    for (int e = 0; e < cook->edge_count; e++) {
        const int32_t *v = cook->edge[e].vertex;
        if (m->island[v[0]] < 0 || m->island[v[1]] < 0) continue;
        int32_t a = find_island(m->island, v[0]), b = find_island(m->island, v[1]);
        m->island[a > b ? a : b] = a < b ? a : b;
    }
    for (int v = 0; v < cook->def->vertex_count; v++)
        if (m->island[v] >= 0) m->island[v] = find_island(m->island, v);
}

static void measure_edges(march *m) {
    for (int e = 0; e < m->cook->edge_count; e++) {
        const vo_rt_base_edge *edge = &m->cook->edge[e];
        m->length[e] = f2_length(
            f2_sub(edge->coordinate[edge->control][1], edge->coordinate[edge->control][0]));
    }
}

static bool prepare(march *m, vo_rt_cook *cook) {
    int vertex_count = cook->def->vertex_count;
    vo_rt_scratch *scratch = &cook->scratch;
    *m = (march){
        .cook = cook,
        .label = vo_rt_scratch_array(scratch, label, LABELS * vertex_count),
        .heap = vo_rt_scratch_array(scratch, int32_t, LABELS * vertex_count),
        .island = vo_rt_scratch_array(scratch, int32_t, vertex_count),
        .fan_offset = vo_rt_scratch_array(scratch, int32_t, vertex_count + 1),
        .fan = vo_rt_scratch_array(scratch, int32_t, 3 * cook->def->triangle_count),
        .length = vo_rt_scratch_array(scratch, float, cook->edge_count),
    };
    if (scratch->failed) return false;
    for (int i = 0; i < LABELS * vertex_count; i++) m->label[i] = (label){0, -1, -1, -1};
    find_islands(m);
    vo_rt_build_fans(cook->def->triangles, cook->def->triangle_count, vertex_count, m->fan_offset,
                     m->fan);
    measure_edges(m);
    return true;
}

/* --- Result --------------------------------------------------------------------------------- */

/* The nearest anchor of each island becomes a tether; nearer islands come first. */
static void add_tethers(vo_rt_cook *cook, const march *m, int vertex) {
    const label *list = m->label + LABELS * vertex;
    vo_rt_tether *first = cook->tether + cook->tether_count;
    int count = 0;
    for (int i = 0; i < LABELS; i++) {
        bool is_nearest = list[i].anchor >= 0;
        for (int k = 0; k < LABELS && is_nearest; k++)
            is_nearest = k == i || list[k].anchor < 0 || list[k].island != list[i].island ||
                         list[i].distance < list[k].distance ||
                         (list[i].distance == list[k].distance && i < k);
        if (!is_nearest) continue;
        vo_rt_tether tether = {vertex, list[i].anchor, list[i].distance * cook->def->tether_scale};
        int at = count++;
        for (; at > 0 && first[at - 1].length > tether.length; at--) first[at] = first[at - 1];
        first[at] = tether;
    }
    cook->tether_count += count < VO_RT_MAX_TETHERS ? count : VO_RT_MAX_TETHERS;
}

vo_result vo_rt_cook_tethers(vo_rt_cook *cook, vo_rt_message *message) {
    const vo_rt_asset_def *def = cook->def;
    cook->tether = vo_rt_scratch_array(&cook->scratch, vo_rt_tether,
                                       VO_RT_MAX_TETHERS * def->vertex_count + LABELS);
    march m;
    if (!cook->tether || !prepare(&m, cook))
        return vo_rt_fail(message, VO_NO_MEMORY, "no memory for tethers");
    for (int v = 0; v < def->vertex_count; v++)
        if (is_attached(cook, v)) update(&m, v, v, m.island[v], 0);
    while (m.heap_count > 0) spread(&m, pop(&m));
    for (int v = 0; v < def->vertex_count; v++)
        if (!is_attached(cook, v)) add_tethers(cook, &m, v);
    return VO_OK;
}
