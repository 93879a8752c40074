/* Conservative continuous collision of a vertex with a face and of two edges.
 *
 * Li, Kaufman, Jiang 2021, "Codimensional incremental potential contact" (additive CCD);
 * Mirtich 1996, "Impulse-based dynamic simulation of rigid body systems" (conservative
 * advancement).
 *
 * Both queries are one: the differences "second part less first part" of all pairs of corners span
 * a convex hull (a triangle for a vertex and a face, a parallelogram for two edges), and the parts
 * touch when the origin enters it. Corners of the hull move evenly along straight lines.
 *
 *            q2
 *          /    \
 *        q0 -c-- q1
 *            |
 *            | n
 *            o
 *
 * Time advances in steps. At time t the point c of the hull that is closest to the origin o gives a
 * direction n. Over time the height n.q of a corner is linear, so the moment at which the first
 * corner comes down to the thickness is known. Until then the plane across n keeps hull and origin
 * apart, and t may move on to that moment.
 *
 * Additive CCD moves on by distance / (largest speed of a pair). This step is never shorter, as no
 * corner is lower than the distance or comes down faster than that speed; and where parts slide
 * along each other, it is the whole rest of the interval instead of a crawl. Where they turn close
 * to each other, no direction lasts; every few steps one look at the plane of the four points
 * (they must lie in one to touch) goes much further.
 *
 * Why nothing is missed: t moves on only by heights and by that plane, each a proof for all moments
 * of an interval. The distance code merely proposes n, and any n, however wrong, gives a true
 * statement: a hull whose corners are all higher than |n| thickness at a moment is further from the
 * origin than the thickness at that moment. Intervals so proved follow each other without a hole
 * from 0 to the time given. Rounding (u = 2^-53, no step is contracted):
 *
 * 1. A corner is one subtraction of input numbers, so each component has a relative error of u,
 *    however far from the origin of the world it all happens. With the dot product and the
 *    subtraction that follows, a height has an error below 5.1 u (|nx qx| + |ny qy| + |nz qz|).
 *    Heights at both ends of time are lowered by 8 u of that sum; the line between them is then
 *    nowhere above the true one.
 * 2. The ends of an interval come from two subtractions and a division, so they are off by 3.01 u
 *    relatively. The interval is made smaller by 8 u.
 * 3. n is normalised up to 5 u: the thickness is raised by 8 u of itself.
 * 4. Products that underflow lose at most 2^-1075 each; the smallest normal number covers all.
 * 5. The plane's own bound stands at plane_stays_away.
 *
 * Comparisons are written so that NaN proves nothing, and what is not proved counts as contact. */
#include <voile/collide.h>

#include "collide/distance.h"

#include <float.h>

#define ROUNDING (8 * 0x1p-53)

enum {
    MAX_CORNERS = 4,
    PLANE_STEPS = 8, /* from one look at the plane to the next; most queries need fewer */
};

typedef struct hull {
    int count; /* 3: vertex and face; 4: edges, corner 2 i + j from end i of the first to end j */
    vo_vec3 start[MAX_CORNERS], end[MAX_CORNERS];
} hull;

/* Two directions to try, the better one first, and the distance they come from. */
typedef struct proposal {
    vo_vec3 sharp; /* across the closest feature: stays good when the distance is nearly nothing */
    vo_vec3 plain; /* to the closest point: stays good when the feature has hardly any size */
    double distance;
} proposal;

/* What the corners' heights along a direction are at least, whatever was rounded. */
typedef struct heights {
    double start[MAX_CORNERS], end[MAX_CORNERS];
} heights;

/* Length 1, also where squares would vanish; |n| <= 1 + 5 u. */
static vo_vec3 unit(vo_vec3 n) {
    double largest = vo_max(vo_max(fabs(n.x), fabs(n.y)), fabs(n.z));
    return largest > 0 ? v3_normalize(v3_scale(1 / largest, n)) : n;
}

/* `n` or its opposite, whichever goes with `offset`. */
static vo_vec3 along(vo_vec3 n, vo_vec3 offset) { return v3_dot(n, offset) < 0 ? v3_negate(n) : n; }

/* What is left of `offset` across the edge `e`. */
static vo_vec3 across(vo_vec3 offset, vo_vec3 e) {
    double e2 = v3_length2(e);
    return e2 > 0 ? v3_add_scaled(offset, -v3_dot(offset, e) / e2, e) : offset;
}

/* The face's normal, across one of its sides, or towards one of its corners. */
static proposal propose_vertex_face(const vo_vec3 q[MAX_CORNERS]) {
    vo_face_point c = vo_distance_vertex_face(v3_zero(), q[0], q[1], q[2]);
    vo_vec3 n = c.offset;
    if (c.weight[0] > 0 && c.weight[1] > 0 && c.weight[2] > 0)
        n = along(v3_cross(v3_sub(q[1], q[0]), v3_sub(q[2], q[0])), c.offset);
    else
        for (int i = 0, j = 1; i < 3; i++, j = (j + 1) % 3)
            if (c.weight[i] > 0 && c.weight[j] > 0) n = across(c.offset, v3_sub(q[j], q[i]));
    return (proposal){unit(n), unit(c.offset), sqrt(c.squared)};
}

/* Across both edges, across one of them, or from end to end. */
static proposal propose_edge_edge(const vo_vec3 q[MAX_CORNERS]) {
    vo_vec3 a = v3_sub(q[0], q[2]), b = v3_sub(q[1], q[0]), n;
    vo_edge_pair c = vo_distance_edge_edge(v3_zero(), a, q[0], q[1]);
    bool inside_a = c.s > 0 && c.s<1, inside_b = c.t> 0 && c.t < 1;
    if (inside_a && inside_b)
        n = along(v3_cross(a, b), c.offset);
    else
        n = inside_a ? across(c.offset, a) : inside_b ? across(c.offset, b) : c.offset;
    return (proposal){unit(n), unit(c.offset), sqrt(c.squared)};
}

/* Directions for the time t. */
static proposal propose(const hull *h, double t) {
    vo_vec3 q[MAX_CORNERS];
    for (int k = 0; k < h->count; k++) q[k] = v3_lerp(h->start[k], h->end[k], t);
    return h->count == 3 ? propose_vertex_face(q) : propose_edge_edge(q);
}

/* n.q, lowered by what may have been rounded. */
static double height(vo_vec3 n, vo_vec3 q) {
    double x = n.x * q.x, y = n.y * q.y, z = n.z * q.z;
    return x + y + z - (ROUNDING * (fabs(x) + fabs(y) + fabs(z)) + DBL_MIN);
}

/* Heights at both ends of time. */
static heights measure(const hull *h, vo_vec3 n) {
    heights out;
    for (int k = 0; k < h->count; k++) {
        out.start[k] = height(n, h->start[k]);
        out.end[k] = height(n, h->end[k]);
    }
    return out;
}

/* The last moment until which all corners stay above `low` without a break from `t` on; `t` itself
 * if that is not proved. Above 1 where there is no end. */
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

/* How far one direction keeps the parts apart from `t` on. */
static double try_direction(const hull *h, vo_vec3 n, double thickness, double t) {
    heights measured = measure(h, n);
    return clear_until(&measured, h->count, thickness * (1 + ROUNDING), t);
}

/* One step of time: `t` itself if no direction keeps the parts apart. Along an axis heights have no
 * rounding but that of one subtraction, so that parts beside a wall or a floor that is parallel to
 * an axis come as close as they like. */
static double step_on(const hull *h, const proposal *p, double thickness, double t) {
    vo_vec3 directions[] = {p->sharp,    p->plain,     v3(1, 0, 0), v3(-1, 0, 0),
                            v3(0, 1, 0), v3(0, -1, 0), v3(0, 0, 1), v3(0, 0, -1)};
    double next = t;
    for (size_t i = 0; i < sizeof directions / sizeof directions[0] && !(next > t); i++)
        next = try_direction(h, directions[i], thickness, t);
    return next;
}

/* |x| + |y| + |z| */
static double size_of(vo_vec3 a) { return fabs(a.x) + fabs(a.y) + fabs(a.z); }

static double determinant(vo_vec3 a, vo_vec3 b, vo_vec3 c) { return v3_dot(a, v3_cross(b, c)); }

/* The volume that a corner and two sides of the hull span, over time: a cubic polynomial. Its four
 * Bernstein coefficients between the times of q0 and q1 bound it from both sides. */
static void volume_coefficients(const vo_vec3 q0[3], const vo_vec3 q1[3], double b[4]) {
    vo_vec3 u0 = v3_sub(q0[1], q0[0]), v0 = v3_sub(q0[2], q0[0]), r0 = q0[0];
    vo_vec3 u1 = v3_sub(q1[1], q1[0]), v1 = v3_sub(q1[2], q1[0]), r1 = q1[0];
    b[0] = determinant(r0, u0, v0);
    b[1] = (determinant(r1, u0, v0) + determinant(r0, u1, v0) + determinant(r0, u0, v1)) / 3;
    b[2] = (determinant(r0, u1, v1) + determinant(r1, u0, v1) + determinant(r1, u1, v0)) / 3;
    b[3] = determinant(r1, u1, v1);
}

/* Whether the origin stays further than `thickness` from the hull's plane between two times.
 *
 * The distance from the plane is volume / |u x v|, with sides u and v that are nowhere longer than
 * 2 m, m being the size of the largest corner. Corners at either time have an error of 5 u m, sides
 * 12 u m, so the determinants have one below 68 u m^3; with their own rounding and that of the
 * mean, 112.
 */
static bool plane_stays_away(const hull *h, double thickness, double from, double to) {
    vo_vec3 q0[3], q1[3];
    double m = 0, b[4];
    for (int k = 0; k < 3; k++) {
        q0[k] = v3_lerp(h->start[k], h->end[k], from);
        q1[k] = v3_lerp(h->start[k], h->end[k], to);
        m = vo_max(m, vo_max(size_of(h->start[k]), size_of(h->end[k])));
    }
    volume_coefficients(q0, q1, b);
    double enough = 4 * m * m * (thickness * (1 + ROUNDING) + 256 * 0x1p-53 * m) + DBL_MIN;
    bool above = b[0] > enough && b[1] > enough && b[2] > enough && b[3] > enough;
    bool below = b[0] < -enough && b[1] < -enough && b[2] < -enough && b[3] < -enough;
    return above || below;
}

/* A step by the plane, for a hull that turns: directions would have to turn with it, and each lasts
 * only as long as the gap is to the far corners' motion. Tries the whole rest of time, then a part
 * of it, and so on down to the length of the step by direction; returns where that one ends if
 * nothing longer is proved. */
static double step_by_plane(const hull *h, double thickness, double t, double next) {
    for (double span = 1 - t; t + span > next; span /= 8)
        if (plane_stays_away(h, thickness, t, t + span)) return t + span;
    return next;
}

/* Steps until the end of time, or until no step is left. */
static bool find_contact(const hull *h, const vo_ccd_def *def, double thickness, double *time) {
    double t = 0, keep = 0;
    for (int step = 0; step < def->max_steps; step++) {
        proposal p = propose(h, t);
        double gap = p.distance - thickness;
        if (step == 0)
            keep = def->approach * vo_max(gap, 0);
        else if (gap <= 2 * keep)
            break;
        double next = step_on(h, &p, thickness + keep, t);
        if (step % PLANE_STEPS == PLANE_STEPS - 1 && next > t)
            next = step_by_plane(h, thickness + keep, t, next);
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

/* Sum of all components' sizes; not finite if one of them is not. */
static double hull_size(const hull *h) {
    double sum = 0;
    for (int k = 0; k < h->count; k++) {
        vo_vec3 a = h->start[k], b = h->end[k];
        sum += fabs(a.x) + fabs(a.y) + fabs(a.z) + fabs(b.x) + fabs(b.y) + fabs(b.z);
    }
    return sum;
}

/* A power of two that brings the hull near 1 where the distances' fourth powers would leave the
 * range of double. Scaling by it is exact but for underflow, which the thresholds cover. */
static double hull_scale(double size) {
    if (size > 0x1p-200 && size < 0x1p200) return 1;
    return ldexp(1, vo_min_int(-ilogb(size), 1000));
}

/* Makes all corners larger or smaller. */
static void scale_hull(hull *h, double scale) {
    for (int k = 0; k < h->count; k++) {
        h->start[k] = v3_scale(scale, h->start[k]);
        h->end[k] = v3_scale(scale, h->end[k]);
    }
}

/* Both queries, from the differences on. */
static bool query(const vo_ccd_def *def, hull *h, double *time) {
    vo_ccd_def standard = vo_ccd_def_default();
    double ignored, size = hull_size(h);
    if (!def) def = &standard;
    if (!time) time = &ignored;
    *time = 0;
    bool valid = def->thickness >= 0 && def->approach >= 0 && def->approach <= 0.5;
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
