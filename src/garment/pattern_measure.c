/* Body measurements: girths of hip, waist, bust and neck, as with a tape. */
#include "core/memory.h"
#include "garment/pattern.h"

#include <stdlib.h>

static double lerp(double a, double b, double t) { return a + t * (b - a); }

/* Range of heights of each girth relative to the body height, and the distance from the middle that
 * is included: arms are further out. */
static const double LOW[VO_GIRTHS] = {0.46, 0.57, 0.68}, HIGH[VO_GIRTHS] = {0.54, 0.67, 0.725};
static const double REACH = 0.125;
enum { TRIES = 16 };

static int compare(const void *a, const void *b) {
    const vo_vec2 *p = a, *q = b;
    if (p->x != q->x) return p->x < q->x ? -1 : 1;
    return (p->y > q->y) - (p->y < q->y);
}

/* Appends a point to the convex hull and removes points that are no longer on it. */
static int extend_hull(vo_vec2 *hull, int count, int keep, vo_vec2 p) {
    while (count >= keep &&
           v2_cross(v2_sub(hull[count - 1], hull[count - 2]), v2_sub(p, hull[count - 2])) <= 0)
        count--;
    hull[count++] = p;
    return count;
}

/* Returns the perimeter of the convex hull of sorted points; `hull` has room for twice as many. */
static double hull_perimeter(int count, vo_vec2 *point, vo_vec2 *hull) {
    if (count < 3) return 0;
    qsort(point, (size_t)count, sizeof *point, compare);
    int n = 0;
    for (int i = 0; i < count; i++) n = extend_hull(hull, n, 2, point[i]);
    int upper = n + 1;
    for (int i = count - 2; i >= 0; i--) n = extend_hull(hull, n, upper, point[i]);
    double length = 0;
    for (int i = 0; i + 1 < n; i++) length += v2_length(v2_sub(hull[i + 1], hull[i]));
    return length;
}

/* Intersects edges with a horizontal plane, near the middle. */
static int collect_section(const vo_mesh *body, double z, double middle, double max_distance,
                           vo_vec2 *out) {
    int count = 0;
    for (int e = 0; e < body->edge_count; e++) {
        vo_vec3 a = body->node_x[body->edge_node[e][0]], b = body->node_x[body->edge_node[e][1]];
        if ((a.z < z) == (b.z < z)) continue;
        vo_vec3 x = v3_lerp(a, b, (z - a.z) / (b.z - a.z));
        if (fabs(x.x - middle) <= max_distance) out[count++] = v2(x.x, x.y);
    }
    return count;
}

/* Returns the height of the lowest point in the middle above the knees, m. */
static double find_crotch(const vo_mesh *body, double middle, double height) {
    double lowest = height;
    for (int e = 0; e < body->edge_count; e++) {
        vo_vec3 a = body->node_x[body->edge_node[e][0]], b = body->node_x[body->edge_node[e][1]];
        if ((a.x < middle) == (b.x < middle)) continue;
        double z = v3_lerp(a, b, (middle - a.x) / (b.x - a.x)).z;
        if (z > 0.3 * height) lowest = vo_min(lowest, z);
    }
    return lowest;
}

/* Measures a girth: the minimum over the heights for the waist, the maximum for the others. */
static void measure_girth(const vo_mesh *body, int which, double middle, vo_vec2 *memory,
                          vo_body_sizes *out) {
    vo_vec2 *hull = memory + body->edge_count;
    for (int i = 0; i <= TRIES; i++) {
        double z = lerp(LOW[which], HIGH[which], (double)i / TRIES) * out->height;
        int count = collect_section(body, z, middle, REACH * out->height, memory);
        double girth = hull_perimeter(count, memory, hull);
        bool better =
            which == VO_GIRTH_WAIST ? girth < out->girth[which] : girth > out->girth[which];
        if (i > 0 && !better) continue;
        out->girth[which] = girth;
        out->level[which] = z;
    }
}

vo_result vo_body_measure(const vo_mesh *body, double shoulder, vo_body_sizes *out) {
    vo_context *ctx = body->ctx;
    double low = INFINITY, left = -INFINITY, right = INFINITY;
    *out = (vo_body_sizes){.shoulder = shoulder};
    for (int n = 0; n < body->node_count; n++) {
        low = vo_min(low, body->node_x[n].z);
        out->height = vo_max(out->height, body->node_x[n].z);
        left = vo_max(left, body->node_x[n].x);
        right = vo_min(right, body->node_x[n].x);
    }
    int room = 3 * body->edge_count;
    vo_vec2 *memory = vo_new_array(ctx, vo_vec2, room);
    if (!memory) return vo_fail_memory(ctx, "measuring a body");
    double middle = 0.5 * (left + right);
    out->crotch = find_crotch(body, middle, out->height);
    for (int i = 0; i < VO_GIRTHS; i++) measure_girth(body, i, middle, memory, out);
    vo_free_array(ctx, memory, room);
    for (int i = 0; i < VO_GIRTHS; i++)
        if (!(out->girth[i] > 0.1 * out->height && out->girth[i] < 2 * out->height))
            return vo_fail(
                ctx, VO_BAD_DATA,
                "the body is not like that of a person: at %.2f m of %.2f m it is %.2f m "
                "around",
                out->level[i], out->height, out->girth[i]);
    if (!(out->crotch < out->level[VO_GIRTH_HIP])) out->crotch = 0.9 * out->level[VO_GIRTH_HIP];
    if (!(fabs(low) < 0.1 * out->height && shoulder > out->level[VO_GIRTH_BUST] &&
          shoulder < out->height))
        return vo_fail(ctx, VO_BAD_DATA,
                       "the body does not stand on its floor, or its shoulders are at no height "
                       "where people have them (%.2f m of %.2f m)",
                       shoulder, out->height);
    return VO_OK;
}

/* Measures the minimum girth above the base of the neck within a tenth of the height: below the
 * chin or, above armour and collars, around the head. */
vo_result vo_body_measure_neck(const vo_mesh *body, vo_vec3 base, vo_body_sizes *sizes) {
    vo_context *ctx = body->ctx;
    int room = 3 * body->edge_count;
    vo_vec2 *memory = vo_new_array(ctx, vo_vec2, room);
    if (!memory) return vo_fail_memory(ctx, "measuring a body");
    sizes->neck = 0;
    for (int i = 0; i <= TRIES; i++) {
        double z = base.z + 0.1 * sizes->height * i / TRIES;
        int count = collect_section(body, z, base.x, REACH * sizes->height, memory);
        double girth = hull_perimeter(count, memory, memory + body->edge_count);
        if (girth > 0.1 * sizes->height && !(sizes->neck > 0 && girth >= sizes->neck))
            sizes->neck = girth;
    }
    vo_free_array(ctx, memory, room);
    return VO_OK;
}
