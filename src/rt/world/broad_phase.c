/* Broad phase between cloths and bodies: bodies sorted along x.
 *
 * A box overlaps only bodies whose lower bound lies between its own lower bound minus the largest
 * width of a body, and its upper bound. Wide bodies, such as planes, come first in the order and
 * are always tested. The order is unique (ties by index), so it does not depend on the past;
 * insertion sort is linear for the nearly sorted order of the previous step. */
#include "rt/world/world.h"

#include <float.h>

static const float WIDE = 8; /* m */

static float key_of(const vo_rt_world *w, int body) {
    const vo_rt_body_slot *s = vo_rt_body_get_slot(w->body[body]);
    return s->max.x - s->min.x < WIDE ? s->min.x : -FLT_MAX;
}

static bool comes_before(const vo_rt_sorted_body *a, const vo_rt_sorted_body *b) {
    return a->key < b->key || (a->key == b->key && a->body < b->body);
}

/* Bodies that exist, in the previous order and then by index. */
static void list_bodies(vo_rt_world *w) {
    w->sorted_count = 0;
    for (int i = 0; i < w->body_end; i++)
        if (w->body[i]) w->sorted[w->sorted_count++].body = i;
    w->bodies_changed = false;
}

static void sort_bodies(vo_rt_sorted_body *sorted, int count) {
    for (int i = 1; i < count; i++) {
        vo_rt_sorted_body moved = sorted[i];
        int k = i;
        for (; k > 0 && comes_before(&moved, &sorted[k - 1]); k--) sorted[k] = sorted[k - 1];
        sorted[k] = moved;
    }
}

void vo_rt_broad_phase_update(vo_rt_world *w) {
    if (w->bodies_changed) list_bodies(w);
    w->widest_body = 0;
    for (int i = 0; i < w->sorted_count; i++) {
        vo_rt_sorted_body *s = &w->sorted[i];
        s->key = key_of(w, s->body);
        const vo_rt_body_slot *slot = vo_rt_body_get_slot(w->body[s->body]);
        if (s->key > -FLT_MAX) w->widest_body = f_max(w->widest_body, slot->max.x - slot->min.x);
    }
    sort_bodies(w->sorted, w->sorted_count);
    w->wide_count = 0;
    while (w->wide_count < w->sorted_count && w->sorted[w->wide_count].key == -FLT_MAX)
        w->wide_count++;
}

/* First body behind the wide ones whose key is at least `key`. */
static int find_first(const vo_rt_world *w, float key) {
    int low = w->wide_count, high = w->sorted_count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (w->sorted[middle].key < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool overlaps(const vo_rt_body_slot *s, vo_rt_vec3 min, vo_rt_vec3 max) {
    return min.x <= s->max.x && s->min.x <= max.x && min.y <= s->max.y && s->min.y <= max.y &&
           min.z <= s->max.z && s->min.z <= max.z;
}

vo_rt_broad_query vo_rt_broad_phase_begin(const vo_rt_world *w, vo_rt_vec3 min, vo_rt_vec3 max) {
    return (vo_rt_broad_query){w, min, max, 0};
}

int vo_rt_broad_phase_next(vo_rt_broad_query *q) {
    const vo_rt_world *w = q->world;
    for (;;) {
        if (q->at == w->wide_count) {
            int first = find_first(w, q->min.x - w->widest_body);
            if (first > q->at) q->at = first;
        }
        if (q->at >= w->sorted_count || w->sorted[q->at].key > q->max.x) return -1;
        int body = w->sorted[q->at++].body;
        if (w->body[body] && overlaps(vo_rt_body_get_slot(w->body[body]), q->min, q->max))
            return body;
    }
}
