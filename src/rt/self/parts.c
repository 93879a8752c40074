/* Parts of cloth between intersection contours.
 *
 * Baraff, Witkin and Kass 2003, "Untangling Cloth": a contour divides a cloth into regions, the
 * smaller of which is on the wrong side. Vertices are united along the edges that are not pierced.
 * Where the ends of a pierced edge are in different parts, the smaller one returns through the
 * face to the larger one. Prescribed vertices make a part large: it cannot return.
 *
 * An intersection may be missed by rounding where edges of both cloths cross. So vertices at the
 * contour first join those farther away; then the rest join each other, but parts that reach away
 * from the contour do not unite along it. */
#include "rt/self/self_private.h"

/* Mass of a prescribed vertex, kg. */
static const float PRESCRIBED_MASS = 1000;

static void list_hits(vo_rt_self_set *set) {
    for (int v = 0; v < set->cloth_vertex_count; v++) set->first_hit[v] = -1;
    for (int i = 0; i < set->hit_count; i++) {
        vo_rt_self_hit *h = &set->hit[i];
        if (vo_rt_self_is_obstacle(set, h->member[0])) continue;
        int32_t *first = &set->first_hit[h->edge[h->edge[1] < h->edge[0]]];
        h->next = *first;
        *first = i;
    }
}

/* True if both ends of an edge are on the same side of the surfaces that it pierces. */
static bool connects(const vo_rt_self_set *set, int a, int b) {
    int low = a < b ? a : b, high = a < b ? b : a;
    bool is_same = true;
    for (int i = set->first_hit[low]; i >= 0; i = set->hit[i].next) {
        const vo_rt_self_hit *h = &set->hit[i];
        bool is_cloth = !vo_rt_self_is_obstacle(set, h->member[1]);
        if (is_cloth && (h->edge[0] == high || h->edge[1] == high)) is_same = !is_same;
    }
    return is_same;
}

static int32_t find_root(int32_t *part, int32_t v) {
    while (part[v] != v) v = part[v] = part[part[v]];
    return v;
}

/* The smallest index is the root; part_mass of the root is 1 if the part has a vertex away from the
 * contours. */
static void unite(vo_rt_self_set *set, int32_t a, int32_t b) {
    int low = a < b ? a : b, high = a < b ? b : a;
    set->part[high] = low;
    set->part_mass[low] = f_max(set->part_mass[a], set->part_mass[b]);
}

static bool is_tangled(const vo_rt_self_set *set, int v) {
    return (set->flags[v] & VO_RT_SELF_TANGLED) != 0;
}

/* Unites the ends of an edge. First only if one of them is away from the contours; then only if one
 * part is not. */
static void unite_ends(vo_rt_self_set *set, int a, int b, bool is_first) {
    int root_a = find_root(set->part, a), root_b = find_root(set->part, b);
    bool is_far = set->part_mass[root_a] > 0 && set->part_mass[root_b] > 0;
    if (root_a == root_b || (is_first ? is_tangled(set, a) && is_tangled(set, b) : is_far)) return;
    if (connects(set, a, b)) unite(set, root_a, root_b);
}

static void unite_edges(vo_rt_self_set *set, bool is_first) {
    for (int i = 0; i < set->cloth_face_count; i++) {
        const int32_t *v = set->face[i].vertex;
        for (int k = 0; k < 3; k++) unite_ends(set, v[k], v[k == 2 ? 0 : k + 1], is_first);
    }
}

static void weigh_parts(vo_rt_self_set *set) {
    for (int v = 0; v < set->cloth_vertex_count; v++) {
        set->part[v] = find_root(set->part, v);
        set->part_mass[v] = 0;
    }
    for (int k = 0; k < set->member_count; k++) {
        const vo_rt_self_member *m = &set->member[k];
        for (int i = 1; i < m->mesh->front.vertex_end; i++) {
            int v = m->first + i;
            float mass = set->x[v].w > 0 ? m->mesh->front.mass[i] : PRESCRIBED_MASS;
            if (m->mesh->front.flags[i] & VO_RT_VERTEX_USED) set->part_mass[set->part[v]] += mass;
        }
    }
}

static void find_centers(vo_rt_self_set *set) {
    for (int k = 0; k < set->member_count; k++) {
        vo_rt_self_member *m = &set->member[k];
        vo_rt_vec3 sum = f3(0, 0, 0);
        float count = 0;
        for (int i = 1; i < m->mesh->front.vertex_end; i++) {
            if (!(m->mesh->front.flags[i] & VO_RT_VERTEX_USED)) continue;
            sum = f3_add(sum, f4_xyz(set->x[m->first + i]));
            count++;
        }
        m->center = f3_scale(1 / f_max(count, 1), sum);
    }
}

void vo_rt_self_find_parts(vo_rt_self_set *set) {
    find_centers(set);
    list_hits(set);
    for (int v = 0; v < set->cloth_vertex_count; v++) {
        set->part[v] = v;
        set->part_mass[v] = is_tangled(set, v) ? 0 : 1;
    }
    unite_edges(set, true);
    unite_edges(set, false);
    weigh_parts(set);
}

/* The vertices of a feature in its smallest and in its largest part. */
typedef struct division {
    int small, large;
    float mass; /* kg, of the smallest part */
} division;

static division divide(const vo_rt_self_set *set, const int32_t *v, int count) {
    division d = {v[0], v[0], set->part_mass[set->part[v[0]]]};
    float large = d.mass;
    for (int k = 1; k < count; k++) {
        float mass = set->part_mass[set->part[v[k]]];
        if (mass < d.mass) d.small = v[k], d.mass = mass;
        if (mass > large) d.large = v[k], large = mass;
    }
    if (set->part[d.small] == set->part[d.large]) d.mass = INFINITY;
    return d;
}

bool vo_rt_self_direct_part(const vo_rt_self_set *set, const vo_rt_self_hit *hit, vo_rt_vec3 *out) {
    division edge = divide(set, hit->edge, 2), face = divide(set, hit->face, 3);
    bool is_edge = edge.mass <= face.mass;
    const division *d = is_edge ? &edge : &face;
    if (!(d->mass < INFINITY)) return false;
    vo_rt_vec3 way = f3_sub(f4_xyz(set->x[d->large]), f4_xyz(set->x[d->small]));
    vo_rt_vec3 n = vo_rt_self_normal(set, is_edge ? hit->face : set->face[hit->own].vertex);
    bool is_along = f3_dot(n, way) > 0;
    *out = f3_scale(is_along == is_edge ? 1 : -1, n);
    return true;
}
