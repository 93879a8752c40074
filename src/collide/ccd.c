/* Conservative continuous collision detection (CCD) of a vertex with a face and of two edges.
 *
 * Li, Kaufman, Jiang 2021, "Codimensional incremental potential contact" (additive CCD); Mirtich
 * 1996, "Impulse-based dynamic simulation of rigid body systems" (conservative advancement).
 *
 * Both queries are the same: the differences "second feature minus first feature" of all pairs of
 * corners span a convex hull (a triangle for a vertex and a face, a parallelogram for two edges),
 * and the features touch when the origin enters it. The corners of the hull have linear
 * trajectories.
 *
 *            q2
 *          /    \
 *        q0 -c-- q1
 *            |
 *            | n
 *            o
 *
 * Time advances in steps. At time t the point c of the hull that is closest to the origin o gives a
 * direction n. The height n.q of a corner is linear in time, so the time at which the first corner
 * reaches the thickness is known. Until then the plane perpendicular to n separates hull and
 * origin, and t advances to that time.
 *
 * Additive CCD advances by distance / (largest speed of a pair). This step is never shorter,
 * because no corner is lower than the distance or descends faster than that speed; and for features
 * that slide along each other, it is the whole remaining interval. For features that rotate close
 * to each other no direction lasts long; every few steps a test of the plane of the four points
 * (which must be coplanar to touch) advances much further.
 *
 * No collision is missed: t advances only by heights and by that plane, each a proof for all times
 * of an interval. The distance code merely proposes n, and any n, however inaccurate, gives a true
 * statement: a hull whose corners are all higher than |n| thickness is further from the origin than
 * the thickness. The proved intervals cover the time from 0 to the result without gaps. Rounding (u
 * = 2^-53, no contraction of operations):
 *
 * 1. A corner is one subtraction of inputs, so each component has a relative error of u, however
 * far from the world origin. With the dot product and the subtraction that follows, a height has an
 *    error below 5.1 u (|nx qx| + |ny qy| + |nz qz|). Heights at both ends of time are lowered by 8
 * u of that sum; the line between them is then nowhere above the true one.
 * 2. The ends of an interval come from two subtractions and a division, with a relative error of
 *    3.01 u. The interval is shortened by 8 u.
 * 3. n is normalised up to 5 u: the thickness is raised by 8 u of itself.
 * 4. Products that underflow lose at most 2^-1075 each; the smallest normal number covers all.
 * 5. The error bound of the plane is given at plane_stays_away.
 *
 * Comparisons are written so that NaN proves nothing, and an unproved state is a contact. */
#include <voile/collide.h>

#include "collide/distance.h"

#include <float.h>

#define ROUNDING (8 * 0x1p-53)

enum {
    MAX_CORNERS = 4,
    PLANE_STEPS = 8, /* steps between two plane tests; most queries need fewer */
};

typedef struct hull {
    int count; /* 3: vertex and face; 4: edges, corner 2 i + j from end i of the first to end j of
                  the second */
    vo_vec3 start[MAX_CORNERS], end[MAX_CORNERS];
} hull;

/* Two directions to try, the better one first, and their distance. */
typedef struct proposal {
    vo_vec3 feature_normal;    /* normal of the closest feature: accurate at tiny distances */
    vo_vec3 closest_direction; /* towards the closest point: accurate for tiny features */
    double distance;
} proposal;

/* Lower bounds of the heights of the corners along a direction. */
typedef struct heights {
    double start[MAX_CORNERS], end[MAX_CORNERS];
} heights;

/* Normalises without underflow; |n| <= 1 + 5 u. */
static vo_vec3 unit(vo_vec3 n) {
    double largest = vo_max(vo_max(fabs(n.x), fabs(n.y)), fabs(n.z));
    return largest > 0 ? v3_normalize(v3_scale(1 / largest, n)) : n;
}

/* Returns n or -n, whichever points along `offset`. */
static vo_vec3 oriented(vo_vec3 n, vo_vec3 offset) {
    return v3_dot(n, offset) < 0 ? v3_negate(n) : n;
}

/* Returns the component of `offset` perpendicular to the edge `e`. */
static vo_vec3 perpendicular(vo_vec3 offset, vo_vec3 e) {
    double e2 = v3_length2(e);
    return e2 > 0 ? v3_add_scaled(offset, -v3_dot(offset, e) / e2, e) : offset;
}

/* Proposes the face normal, the perpendicular of a side, or the direction to a corner. */
static proposal propose_vertex_face(const vo_vec3 q[MAX_CORNERS]) {
    vo_face_point c = vo_distance_vertex_face(v3_zero(), q[0], q[1], q[2]);
    vo_vec3 n = c.offset;
    if (c.weight[0] > 0 && c.weight[1] > 0 && c.weight[2] > 0)
        n = oriented(v3_cross(v3_sub(q[1], q[0]), v3_sub(q[2], q[0])), c.offset);
    else
        for (int i = 0, j = 1; i < 3; i++, j = (j + 1) % 3)
            if (c.weight[i] > 0 && c.weight[j] > 0) n = perpendicular(c.offset, v3_sub(q[j], q[i]));
    return (proposal){unit(n), unit(c.offset), sqrt(c.squared)};
}

/* Proposes the common perpendicular, the perpendicular of one edge, or the direction between two
 * ends. */
static proposal propose_edge_edge(const vo_vec3 q[MAX_CORNERS]) {
    vo_vec3 a = v3_sub(q[0], q[2]), b = v3_sub(q[1], q[0]), n;
    vo_edge_pair c = vo_distance_edge_edge(v3_zero(), a, q[0], q[1]);
    bool inside_a = c.s > 0 && c.s<1, inside_b = c.t> 0 && c.t < 1;
    if (inside_a && inside_b)
        n = oriented(v3_cross(a, b), c.offset);
    else
        n = inside_a   ? perpendicular(c.offset, a)
            : inside_b ? perpendicular(c.offset, b)
                       : c.offset;
    return (proposal){unit(n), unit(c.offset), sqrt(c.squared)};
}

/* Proposes directions at time t. */
static proposal propose(const hull *h, double t) {
    vo_vec3 q[MAX_CORNERS];
    for (int k = 0; k < h->count; k++) q[k] = v3_lerp(h->start[k], h->end[k], t);
    return h->count == 3 ? propose_vertex_face(q) : propose_edge_edge(q);
}

/* Returns n.q, rounded down. */
static double height(vo_vec3 n, vo_vec3 q) {
    double x = n.x * q.x, y = n.y * q.y, z = n.z * q.z;
    return x + y + z - (ROUNDING * (fabs(x) + fabs(y) + fabs(z)) + DBL_MIN);
}

/* Computes the heights at times 0 and 1. */
static heights measure(const hull *h, vo_vec3 n) {
    heights out;
    for (int k = 0; k < h->count; k++) {
        out.start[k] = height(n, h->start[k]);
        out.end[k] = height(n, h->end[k]);
    }
    return out;
}

/* Returns the time until which all corners stay above `low` without interruption from `t` on; `t`
 * itself if that is not proved; above 1 if they stay above for ever. */
static double clear_until(const heights *h, int count, double low, double t) {
    double from = 0, to = 2;
    for (int k = 0; k < count; k++) {
        double start = h->start[k], end = h->end[k];
        if (!(start > low || end > low)) return t;
        if (!(end > low)) to = vo_min(to, (start - low) / (start - end) * (1 - ROUNDING));
        if (!(start > low)) from = vo_max(from, (low - start) / (end - start) * (1 + ROUNDING));
    }
    return from <= t && to > t ? to : t;
}

/* Returns the time until which one direction separates the features from `t` on. */
static double try_direction(const hull *h, vo_vec3 n, double thickness, double t) {
    heights measured = measure(h, n);
    return clear_until(&measured, h->count, thickness * (1 + ROUNDING), t);
}

/* Advances time by one step; returns `t` itself if no direction separates the features. Along an
 * axis, heights are rounded by one subtraction only, so features next to an axis-aligned wall or
 * floor may come arbitrarily close. */
static double advance(const hull *h, const proposal *p, double thickness, double t) {
    vo_vec3 directions[] = {p->feature_normal, p->closest_direction, v3(1, 0, 0), v3(-1, 0, 0),
                            v3(0, 1, 0),       v3(0, -1, 0),         v3(0, 0, 1), v3(0, 0, -1)};
    double next = t;
    for (size_t i = 0; i < sizeof directions / sizeof directions[0] && !(next > t); i++)
        next = try_direction(h, directions[i], thickness, t);
    return next;
}

/* Returns the 1-norm. */
static double norm1(vo_vec3 a) { return fabs(a.x) + fabs(a.y) + fabs(a.z); }

/* Computes the Bernstein coefficients, between the times of q0 and q1, of the volume spanned by a
 * corner and two sides of the hull, a cubic polynomial of time. They bound it from both sides. */
static void volume_coefficients(const vo_vec3 q0[3], const vo_vec3 q1[3], double b[4]) {
    vo_vec3 u0 = v3_sub(q0[1], q0[0]), v0 = v3_sub(q0[2], q0[0]), r0 = q0[0];
    vo_vec3 u1 = v3_sub(q1[1], q1[0]), v1 = v3_sub(q1[2], q1[0]), r1 = q1[0];
    b[0] = v3_triple(r0, u0, v0);
    b[1] = (v3_triple(r1, u0, v0) + v3_triple(r0, u1, v0) + v3_triple(r0, u0, v1)) / 3;
    b[2] = (v3_triple(r0, u1, v1) + v3_triple(r1, u0, v1) + v3_triple(r1, u1, v0)) / 3;
    b[3] = v3_triple(r1, u1, v1);
}

/* Returns true if the origin stays further than `thickness` from the plane of the hull between two
 * times.
 *
 * The distance from the plane is volume / |u x v|, with sides u and v of length at most 2 m, where
 * m is the 1-norm of the largest corner. Corners at either time have an error of 5 u m, sides 12 u
 * m, so the determinants have an error below 68 u m^3; with their own rounding and that of the
 * mean, 112. */
static bool plane_stays_away(const hull *h, double thickness, double from, double to) {
    vo_vec3 q0[3], q1[3];
    double m = 0, b[4];
    for (int k = 0; k < 3; k++) {
        q0[k] = v3_lerp(h->start[k], h->end[k], from);
        q1[k] = v3_lerp(h->start[k], h->end[k], to);
        m = vo_max(m, vo_max(norm1(h->start[k]), norm1(h->end[k])));
    }
    volume_coefficients(q0, q1, b);
    double limit = 4 * m * m * (thickness * (1 + ROUNDING) + 256 * 0x1p-53 * m) + DBL_MIN;
    bool above = b[0] > limit && b[1] > limit && b[2] > limit && b[3] > limit;
    bool below = b[0] < -limit && b[1] < -limit && b[2] < -limit && b[3] < -limit;
    return above || below;
}

/* Advances time by the plane test, for rotating features: directions would have to rotate with
 * them, and each lasts only as long as the gap relative to the motion of the far corners. Tries the
 * whole remaining time, then an eighth of it, and so on; returns `next`, the result of the
 * direction test, if nothing longer is proved. */
static double step_by_plane(const hull *h, double thickness, double t, double next) {
    for (double span = 1 - t; t + span > next; span /= 8)
        if (plane_stays_away(h, thickness, t, t + span)) return t + span;
    return next;
}

/* Advances until time 1, or until no step is proved. Returns true for a contact. */
static bool find_contact(const hull *h, const vo_ccd_def *def, double thickness, double *time) {
    double t = 0, min_gap = 0;
    for (int step = 0; step < def->max_steps; step++) {
        proposal p = propose(h, t);
        double gap = p.distance - thickness;
        if (step == 0)
            min_gap = def->min_gap_ratio * vo_max(gap, 0);
        else if (gap <= 2 * min_gap)
            break;
        double next = advance(h, &p, thickness + min_gap, t);
        if (step % PLANE_STEPS == PLANE_STEPS - 1 && next > t)
            next = step_by_plane(h, thickness + min_gap, t, next);
        if (!(next > t)) break;
        if (next >= 1) {
            *time = 1;
            return false;
        }
        t = next;
    }
    *time = t;
    return true;
}

/* Returns the sum of the absolute values of all components; not finite if one of them is not. */
static double hull_size(const hull *h) {
    double sum = 0;
    for (int k = 0; k < h->count; k++) {
        vo_vec3 a = h->start[k], b = h->end[k];
        sum += fabs(a.x) + fabs(a.y) + fabs(a.z) + fabs(b.x) + fabs(b.y) + fabs(b.z);
    }
    return sum;
}

/* Returns a power of two that scales the hull to about 1 if fourth powers of distances would
 * overflow or underflow. The scaling is exact except for underflow, which the thresholds cover. */
static double hull_scale(double size) {
    if (size > 0x1p-200 && size < 0x1p200) return 1;
    return ldexp(1, vo_min_int(-ilogb(size), 1000));
}

/* Scales all corners. */
static void scale_hull(hull *h, double scale) {
    for (int k = 0; k < h->count; k++) {
        h->start[k] = v3_scale(scale, h->start[k]);
        h->end[k] = v3_scale(scale, h->end[k]);
    }
}

/* Common part of both queries, after the differences. */
static bool query(const vo_ccd_def *def, hull *h, double *time) {
    vo_ccd_def standard = vo_ccd_def_default();
    double ignored, size = hull_size(h);
    if (!def) def = &standard;
    if (!time) time = &ignored;
    *time = 0;
    bool valid = def->thickness >= 0 && def->min_gap_ratio >= 0 && def->min_gap_ratio <= 0.5;
    if (!valid || !(size > 0 && size < INFINITY)) return true;
    double scale = hull_scale(size);
    if (scale != 1) scale_hull(h, scale);
    return find_contact(h, def, scale * def->thickness, time);
}

vo_ccd_def vo_ccd_def_default(void) { return (vo_ccd_def){0, 0, 1024}; }

bool vo_ccd_vertex_face(const vo_ccd_def *def, const vo_vec3 start[4], const vo_vec3 end[4],
                        double *time) {
    hull h = {.count = 3};
    for (int k = 0; k < 3; k++) {
        h.start[k] = v3_sub(start[1 + k], start[0]);
        h.end[k] = v3_sub(end[1 + k], end[0]);
    }
    return query(def, &h, time);
}

bool vo_ccd_edge_edge(const vo_ccd_def *def, const vo_vec3 start[4], const vo_vec3 end[4],
                      double *time) {
    hull h = {.count = 4};
    for (int k = 0; k < 4; k++) {
        h.start[k] = v3_sub(start[2 + k % 2], start[k / 2]);
        h.end[k] = v3_sub(end[2 + k % 2], end[k / 2]);
    }
    return query(def, &h, time);
}
