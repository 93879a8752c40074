/* Cloth that intersects: detection, and motion that shortens the intersection contour.
 *
 * Volino and Magnenat-Thalmann 2006, "Resolving Surface Collisions through Intersection Contour
 * Minimization". Edge e, with direction E, pierces a face with normal N at a point that moves by
 * D - (N.D)/(N.E) E if the edge moves by D. On each face beside the edge, the contour leaves this
 * point in the direction R, so its length changes by -D . (R - (E.R)/(E.N) N); the edge moves along
 * the sum of these vectors, and the pierced face in the opposite direction. Where the contour
 * divides a cloth, the smaller part returns to the larger one instead (parts.c), since the length
 * of a straight contour does not change. Two cloths that the contour does not divide move to their
 * sides of each other. Between cloths of different layers, the edge of the outer one moves to the
 * outside of the inner one, and cloth moves to the outside of bodies.
 *
 * The motion out of other cloth does not become velocity, and is limited in speed however many
 * intersections a vertex has, so that cloth that intersects on arrival does not explode. */
#include "rt/self/self_private.h"

/* Speed at which intersecting features are moved, m/s. */
static const float SPEED = 0.6f;

/* Largest multiple of it for a vertex with several intersections. */
static const float MAX_SUM = 4;

/* Slope of an edge towards a face below which rounding decides whether they intersect. */
static const float LEAST_SLOPE = 1e-4f;

typedef struct piercing {
    float t, u, v; /* along the edge; barycentric coordinates of the second and third corner */
} piercing;

/* Intersection of the segment from p to q with a triangle. */
static bool pierce(vo_rt_vec3 p, vo_rt_vec3 q, const vo_rt_vec3 x[3], piercing *out) {
    vo_rt_vec3 d = f3_sub(q, p), e1 = f3_sub(x[1], x[0]), e2 = f3_sub(x[2], x[0]);
    vo_rt_vec3 h = f3_cross(d, e2);
    float det = f3_dot(e1, h);
    float size = f3_length(d) * f3_length(e1) * f3_length(e2);
    if (!(fabsf(det) > LEAST_SLOPE * size)) return false;
    vo_rt_vec3 s = f3_sub(p, x[0]), c = f3_cross(s, e1);
    float u = f3_dot(s, h) / det, v = f3_dot(d, c) / det, t = f3_dot(e2, c) / det;
    *out = (piercing){t, u, v};
    return u >= 0 && v >= 0 && u + v <= 1 && t >= 0 && t <= 1;
}

vo_rt_vec3 vo_rt_self_normal(const vo_rt_self_set *set, const int32_t v[3]) {
    vo_rt_vec3 a = f4_xyz(set->x[v[0]]);
    return f3_normalize(f3_cross(f3_sub(f4_xyz(set->x[v[1]]), a), f3_sub(f4_xyz(set->x[v[2]]), a)));
}

static bool contains(const int32_t v[3], int vertex) {
    return v[0] == vertex || v[1] == vertex || v[2] == vertex;
}

/* Adds the contribution of one face beside the edge. */
static vo_rt_vec3 add_side(const vo_rt_self_set *set, const vo_rt_self_hit *h, const int32_t *side,
                           vo_rt_vec3 edge, vo_rt_vec3 n, vo_rt_vec3 sum) {
    int opposite = side[0];
    for (int k = 0; k < 3; k++)
        if (side[k] != h->edge[0] && side[k] != h->edge[1]) opposite = side[k];
    vo_rt_vec3 r = f3_normalize(f3_cross(n, vo_rt_self_normal(set, side)));
    vo_rt_vec3 inside = f3_sub(f4_xyz(set->x[opposite]), f4_xyz(set->x[h->edge[0]]));
    /* R points into the face: away from the edge on the side of the opposite vertex. */
    inside = f3_add_scaled(inside, -f3_dot(inside, edge), edge);
    if (f3_dot(r, inside) < 0) r = f3_scale(-1, r);
    float en = f3_dot(edge, n);
    if (fabsf(en) < 0.05f) en = en < 0 ? -0.05f : 0.05f;
    return f3_add(sum, f3_add_scaled(r, -f3_dot(edge, r) / en, n));
}

/* Along the sum of both sides, without the smallest ones: the contour continues straight. */
static vo_rt_vec3 shorten_contour(const vo_rt_self_set *set, const vo_rt_self_hit *h) {
    vo_rt_vec3 n = vo_rt_self_normal(set, h->face), sum = f3(0, 0, 0);
    vo_rt_vec3 edge = f3_normalize(f3_sub(f4_xyz(set->x[h->edge[1]]), f4_xyz(set->x[h->edge[0]])));
    for (int i = set->star_begin[h->edge[0]]; i < set->star_begin[h->edge[0] + 1]; i++) {
        const int32_t *side = set->face[set->star_face[i]].vertex;
        if (contains(side, h->edge[1])) sum = add_side(set, h, side, edge, n, sum);
    }
    return f3_scale(1 / f_max(f3_length(sum), 1), sum);
}

/* Two cloths without order: that with the higher index moves to the side of the other one, seen
 * along the normals of the latter, on which its centre is. */
static vo_rt_vec3 separate_cloths(const vo_rt_self_set *set, const vo_rt_self_hit *h) {
    int edge = h->member[0], face = h->member[1];
    vo_rt_vec3 n = vo_rt_self_normal(set, h->face);
    vo_rt_vec3 own = vo_rt_self_normal(set, set->face[h->own].vertex);
    vo_rt_vec3 way = f3_sub(set->member[edge].center, set->member[face].center);
    bool is_along = f3_dot(edge > face ? n : own, way) > 0;
    if (edge < face && f3_dot(n, own) < 0) is_along = !is_along;
    return is_along ? n : f3_scale(-1, n);
}

static vo_rt_vec3 find_direction(const vo_rt_self_set *set, const vo_rt_self_hit *h) {
    vo_rt_vec3 n = vo_rt_self_normal(set, h->face), d;
    if (vo_rt_self_is_obstacle(set, h->member[1])) return n;
    if (vo_rt_self_is_obstacle(set, h->member[0]))
        return f3_scale(-1, vo_rt_self_normal(set, set->face[h->own].vertex));
    int layers = set->member[h->member[0]].layer - set->member[h->member[1]].layer;
    if (layers != 0) return layers > 0 ? n : f3_scale(-1, n);
    if (vo_rt_self_direct_part(set, h, &d)) return d;
    return h->member[0] == h->member[1] ? shorten_contour(set, h) : separate_cloths(set, h);
}

void vo_rt_self_direct_hits(vo_rt_self_set *set) {
    vo_rt_self_find_parts(set);
    for (int i = 0; i < set->hit_count; i++)
        set->hit[i].direction = find_direction(set, &set->hit[i]);
}

static void add_hit(vo_rt_self_set *set, const vo_rt_self_hit *hit) {
    bool is_body =
        vo_rt_self_is_obstacle(set, hit->member[0]) || vo_rt_self_is_obstacle(set, hit->member[1]);
    uint8_t flag = is_body ? VO_RT_SELF_PRESSED : VO_RT_SELF_TANGLED;
    for (int k = 0; k < 2; k++) set->flags[hit->edge[k]] |= flag;
    for (int k = 0; k < 3; k++) set->flags[hit->face[k]] |= flag;
    if (set->hit_count == set->hit_capacity) return;
    set->hit[set->hit_count++] = *hit;
}

void vo_rt_self_intersect(vo_rt_self_set *set, int a, int b) {
    const vo_rt_self_face *fa = &set->face[a], *fb = &set->face[b];
    vo_rt_vec3 x[3];
    for (int k = 0; k < 3; k++) x[k] = f4_xyz(set->x[fb->vertex[k]]);
    for (int k = 0; k < 3; k++) {
        int p = fa->vertex[(k + 1) % 3], q = fa->vertex[(k + 2) % 3];
        piercing at;
        if (!(fa->owned >> (3 + k) & 1) || contains(fb->vertex, p) || contains(fb->vertex, q))
            continue;
        if (!pierce(f4_xyz(set->x[p]), f4_xyz(set->x[q]), x, &at)) continue;
        vo_rt_self_hit hit = {.edge = {p, q},
                              .face = {fb->vertex[0], fb->vertex[1], fb->vertex[2]},
                              .own = a,
                              .member = {fa->member, fb->member},
                              .weight = {1 - at.t, at.t, 1 - at.u - at.v, at.u, at.v}};
        add_hit(set, &hit);
    }
}

static bool has_body(const vo_rt_self_set *set, const vo_rt_self_hit *hit) {
    return vo_rt_self_is_obstacle(set, hit->member[0]) ||
           vo_rt_self_is_obstacle(set, hit->member[1]);
}

/* Calls fn for the vertices of an intersection of cloth with cloth: sign 1 for those of the edge,
 * -1 for the face. */
typedef void hit_fn(vo_rt_self_set *set, const vo_rt_self_hit *hit, int member, int vertex,
                    float weight, float length);

static void for_hits(vo_rt_self_set *set, hit_fn *fn, float length) {
    for (int i = 0; i < set->hit_count; i++) {
        const vo_rt_self_hit *hit = &set->hit[i];
        if (has_body(set, hit)) continue;
        for (int k = 0; k < 5; k++) {
            int v = k < 2 ? hit->edge[k] : hit->face[k - 2];
            if (set->x[v].w > 0) fn(set, hit, hit->member[k >= 2], v, k < 2 ? 1 : -1, length);
        }
    }
}

static void clear_sum(vo_rt_self_set *set, const vo_rt_self_hit *hit, int member, int vertex,
                      float weight, float length) {
    (void)hit, (void)member, (void)weight, (void)length;
    set->sum[vertex] = f4_make(f3(0, 0, 0), 0);
}

static void add_direction(vo_rt_self_set *set, const vo_rt_self_hit *hit, int member, int vertex,
                          float weight, float length) {
    vo_rt_vec3 sum = f3_add_scaled(f4_xyz(set->sum[vertex]), weight, hit->direction);
    (void)member, (void)length;
    set->sum[vertex] = f4_make(sum, 0);
}

/* The start of the substep moves too, so that the motion does not become velocity. */
static void move_vertex(vo_rt_self_set *set, const vo_rt_self_hit *hit, int member, int vertex,
                        float weight, float length) {
    vo_rt_vec3 sum = f4_xyz(set->sum[vertex]);
    float size = f3_length(sum);
    const vo_rt_self_member *m = &set->member[member];
    int slot = vertex - m->first;
    (void)hit, (void)weight;
    set->sum[vertex] = f4_make(f3(0, 0, 0), 0);
    if (!(size > 0) || !m->moves) return;
    vo_rt_vec3 d = f3_scale(length / f_max(size / MAX_SUM, 1), sum);
    vo_rt_vec4 *x = &m->mesh->front.position[slot], *start = &m->mesh->front.velocity[slot];
    *x = f4_make(f3_add(f4_xyz(*x), d), x->w);
    *start = f4_make(f3_add(f4_xyz(*start), d), start->w);
}

/* --- Bodies ----------------------------------------------------------------------------------- */

/* Cloth that a body has pierced moves with it, and out of it: at least at SPEED in the direction of
 * the intersection, relative to the body. */
static void leave_body(vo_rt_self_set *set, const vo_rt_self_hit *hit, float least, float part) {
    bool is_edge = vo_rt_self_is_obstacle(set, hit->member[1]); /* of cloth */
    const vo_rt_self_member *m = &set->member[hit->member[is_edge ? 0 : 1]];
    vo_rt_vec3 out = f3_scale(is_edge ? 1 : -1, hit->direction);
    vo_rt_front *f = &m->mesh->front;
    float way = 0; /* of the cloth relative to the body in the substep */
    for (int k = 0; k < 5 && m->moves; k++) {
        int v = k < 2 ? hit->edge[k] : hit->face[k - 2], slot = v - m->first;
        vo_rt_vec3 d = f3_scale(-part, f3_add(set->shift, f4_xyz(set->drift[v])));
        if ((k < 2) == is_edge) d = f3_sub(f4_xyz(f->position[slot]), f4_xyz(f->velocity[slot]));
        way += hit->weight[k] * f3_dot(out, d);
    }
    for (int k = is_edge ? 0 : 2; k < (is_edge ? 2 : 5) && m->moves && way < least; k++) {
        int v = k < 2 ? hit->edge[k] : hit->face[k - 2];
        vo_rt_vec4 *x = &f->position[v - m->first];
        if (set->x[v].w > 0) *x = f4_make(f3_add_scaled(f4_xyz(*x), least - way, out), x->w);
    }
}

static void leave_bodies(vo_rt_self_set *set, float least, float part) {
    for (int i = 0; i < set->hit_count; i++)
        if (has_body(set, &set->hit[i])) leave_body(set, &set->hit[i], least, part);
}

void vo_rt_self_untangle(vo_rt_self_set *set, float h, float s0, float s1) {
    leave_bodies(set, SPEED * h, s1 - s0);
    for_hits(set, clear_sum, 0);
    for_hits(set, add_direction, 0);
    for_hits(set, move_vertex, 0.5f * SPEED * h);
}
