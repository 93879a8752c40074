/* Surfaces of revolution: rings of points around the z axis, joined by triangles. */
#include "core/memory.h"
#include "mesh/primitives.h"

enum { MIN_RING_POINTS = 6 };

/* A ring; its points begin at `first`. A ring of one point is on the axis. */
typedef struct ring {
    double r, z;
    int count, first;
    bool staggered; /* rotated by half a step */
} ring;

typedef struct rings {
    int count, capacity;
    int points; /* total number of points */
    ring *ring;
} rings;

/* Number of points on a ring of radius r. */
static int count_ring_points(double r, double edge) {
    if (r == 0) return 1;
    return vo_max_int(MIN_RING_POINTS, (int)lround(2 * VO_PI * r / edge));
}

static vo_result add_ring(vo_context *ctx, rings *list, double r, double z, double edge) {
    if (!vo_reserve(ctx, &list->ring, &list->capacity, list->count + 1))
        return vo_fail_memory(ctx, "a shape");
    int points = count_ring_points(r, edge);
    list->ring[list->count] = (ring){r, z, points, list->points, list->count % 2 == 1};
    list->count++;
    list->points += points;
    return VO_OK;
}

/* Adds the rings of the line from a to b, without b. */
static vo_result add_line(vo_context *ctx, rings *list, vo_vec2 a, vo_vec2 b, double edge) {
    double length = v2_length(v2_sub(b, a)), row = edge * sqrt(0.75); /* height of a triangle */
    int steps = vo_max_int(1, (int)lround(length / row));
    for (int i = 0; i < steps; i++) {
        vo_vec2 p = v2_add(a, v2_scale((double)i / steps, v2_sub(b, a)));
        VO_TRY(add_ring(ctx, list, p.x, p.y, edge));
    }
    return VO_OK;
}

static double angle_of(const ring *k, int i) {
    return 2 * VO_PI * (i + (k->staggered ? 0.5 : 0)) / k->count;
}

static void place_points(const rings *list, vo_surface_parts *s) {
    for (int k = 0; k < list->count; k++) {
        const ring *at = &list->ring[k];
        for (int i = 0; i < at->count; i++) {
            double a = angle_of(at, i);
            s->node_x[s->node_count++] = v3(at->r * cos(a), at->r * sin(a), at->z);
        }
    }
}

static int point_of(const ring *k, int i) { return k->first + i % k->count; }

/* Joins two rings by triangles: of the two candidates, the point with the smaller angle is next, so
 * each point is joined to the nearest ones. */
static void join_rings(const ring *a, const ring *b, vo_surface_parts *s) {
    int steps_a = a->count > 1 ? a->count : 0, steps_b = b->count > 1 ? b->count : 0;
    for (int i = 0, j = 0; i < steps_a || j < steps_b;) {
        double middle_a = angle_of(a, i) + angle_of(a, i + 1);
        double middle_b = angle_of(b, j) + angle_of(b, j + 1);
        bool along_a = j == steps_b || (i < steps_a && middle_a <= middle_b);
        if (along_a)
            vo_surface_parts_add_face(s, point_of(a, i), point_of(a, i + 1), point_of(b, j));
        else
            vo_surface_parts_add_face(s, point_of(b, j + 1), point_of(b, j), point_of(a, i));
        along_a ? i++ : j++;
    }
}

/* Joins consecutive rings. A ring of n points has n triangles on each side. */
static vo_result join_all(const rings *list, bool loop, vo_surface_parts *s) {
    VO_TRY(vo_surface_parts_reserve(s, list->points, 2 * list->points));
    place_points(list, s);
    for (int k = 0; k + 1 < list->count; k++) join_rings(&list->ring[k], &list->ring[k + 1], s);
    if (loop) join_rings(&list->ring[list->count - 1], &list->ring[0], s);
    return VO_OK;
}

static vo_result add_profile(vo_context *ctx, const vo_profile *p, double edge, rings *list) {
    for (int i = 0; i + 1 < p->count; i++)
        VO_TRY(add_line(ctx, list, p->point[i], p->point[i + 1], edge));
    vo_vec2 last = p->point[p->count - 1];
    if (p->loop) return add_line(ctx, list, last, p->point[0], edge);
    return add_ring(ctx, list, last.x, last.y, edge);
}

vo_result vo_revolve(const vo_profile *profile, double edge, vo_surface_parts *out) {
    rings list = {0};
    vo_result result = add_profile(out->ctx, profile, edge, &list);
    if (result == VO_OK) result = join_all(&list, profile->loop, out);
    vo_free_array(out->ctx, list.ring, list.capacity);
    return result;
}

static vo_result add_circle(vo_context *ctx, double radius, double tube, double edge, rings *list) {
    int count = count_ring_points(tube, edge * sqrt(0.75));
    for (int i = 0; i < count; i++) {
        double a = 2 * VO_PI * i / count;
        VO_TRY(add_ring(ctx, list, radius + tube * cos(a), tube * sin(a), edge));
    }
    return VO_OK;
}

vo_result vo_revolve_torus(double radius, double tube, double edge, vo_surface_parts *out) {
    rings list = {0};
    vo_result result = add_circle(out->ctx, radius, tube, edge, &list);
    if (result == VO_OK) result = join_all(&list, true, out);
    vo_free_array(out->ctx, list.ring, list.capacity);
    return result;
}
