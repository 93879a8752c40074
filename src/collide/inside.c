#include "collide/inside.h"

#include "collide/distance.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "math/predicates.h"

enum { POINTS_PER_CHUNK = 256 };

/* ---- ray ------------------------------------------------------------------------------------ */

/* Projects along x. */
static vo_vec2 along_x(vo_vec3 p) { return v2(p.y, p.z); }

static int sign_of(double x) { return (x > 0) - (x < 0); }

/* Returns the orientation of a, b, p with p moved by (e, e^2): if it is 0, the cross product of b -
 * a with the move decides, (b - a).x e^2 - (b - a).y e. It is 0 only if a and b are equal. */
static int perturbed_orientation(vo_vec2 a, vo_vec2 b, vo_vec2 p) {
    int orientation = vo_orient2d(a, b, p);
    if (orientation != 0) return orientation;
    if (a.y != b.y) return a.y > b.y ? 1 : -1;
    return sign_of(b.x - a.x);
}

/* Returns the contribution of a face to the winding number about p: 0 unless the ray intersects it.
 * If its three orientations are equal, they are the sign of the x component of its normal; the
 * point is in front of the face (at smaller x) if it is on the other side of its plane. */
static int face_winding(vo_vec3 a, vo_vec3 b, vo_vec3 c, vo_vec3 p) {
    vo_vec2 u = along_x(a), v = along_x(b), w = along_x(c), q = along_x(p);
    int orientation = perturbed_orientation(u, v, q);
    if (orientation == 0 || perturbed_orientation(v, w, q) != orientation ||
        perturbed_orientation(w, u, q) != orientation)
        return 0;
    return vo_orient3d(a, b, c, p) == -orientation ? orientation : 0;
}

static bool is_valid_position(vo_vec3 p) {
    return fabs(p.x) <= VO_EXACT_MAX && fabs(p.y) <= VO_EXACT_MAX && fabs(p.z) <= VO_EXACT_MAX;
}

int vo_winding_number(const vo_closed_surface *surface, vo_vec3 point) {
    int winding = 0;
    vo_vec3 p = vo_exact_point(point);
    for (int f = 0; f < surface->face_count; f++) {
        const int *n = surface->face[f];
        winding += face_winding(surface->x[n[0]], surface->x[n[1]], surface->x[n[2]], p);
    }
    return winding;
}

vo_solid_side vo_closed_surface_solid_side(const vo_closed_surface *s) {
    double volume6 = 0;
    vo_vec3 origin = s->face_count ? s->x[s->face[0][0]] : v3_zero();
    for (int f = 0; f < s->face_count; f++) {
        const int *n = s->face[f];
        volume6 += v3_tetrahedron6(origin, s->x[n[0]], s->x[n[1]], s->x[n[2]]);
    }
    return volume6 < 0 ? VO_SOLID_AROUND : VO_SOLID_BEHIND;
}

/* ---- grid search ---------------------------------------------------------------------------- */

typedef struct ray {
    const vo_closed_surface *surface;
    vo_vec3 origin;
    int winding;
} ray;

static bool add_face(void *arg, int face) {
    ray *r = arg;
    const int *n = r->surface->face[face];
    const vo_vec3 *x = r->surface->x;
    r->winding += face_winding(x[n[0]], x[n[1]], x[n[2]], r->origin);
    return true;
}

/* Projects a box along x: faces become flat boxes, and a ray becomes a point among them. */
static vo_box flatten(vo_vec3 min, vo_vec3 max) {
    return (vo_box){v3(0, min.y, min.z), v3(0, max.y, max.z)};
}

static bool is_inside(const vo_inside *inside, const vo_closed_surface *surface, vo_vec3 point) {
    ray r = {surface, vo_exact_point(point), 0};
    vo_box at = flatten(r.origin, r.origin);
    vo_grid_find(&inside->grid, &at, VO_GRID_MIN_CLASS, 0, add_face, &r);
    return vo_solid_contains(surface->solid, r.winding);
}

static vo_box face_box(const vo_closed_surface *s, int f) {
    const int *n = s->face[f];
    return box_triangle(s->x[n[0]], s->x[n[1]], s->x[n[2]]);
}

/* ---- depth ---------------------------------------------------------------------------------- */

static double outside_of(double x, double min, double max) {
    return vo_max(0, vo_max(min - x, x - max));
}

/* Returns the squared distance of a point from a box. */
static double box_distance2(vo_vec3 p, vo_box b) {
    return v3_length2(v3(outside_of(p.x, b.min.x, b.max.x), outside_of(p.y, b.min.y, b.max.y),
                         outside_of(p.z, b.min.z, b.max.z)));
}

/* Returns the squared distance to the surface, or any value up to `enough` once it is known to be
 * at most that. Starts at the face *near, which receives the nearest face: points are in mesh
 * order, so for most points the previous face suffices. */
static double depth2(const vo_closed_surface *s, const vo_box *box, vo_vec3 p, double enough,
                     int *nearest) {
    double best = INFINITY;
    int first = *nearest;
    for (int i = 0; i < s->face_count && best > enough; i++) {
        int f = first + i < s->face_count ? first + i : first + i - s->face_count;
        if (box_distance2(p, box[f]) >= best) continue;
        const int *n = s->face[f];
        double d = vo_distance_vertex_face(p, s->x[n[0]], s->x[n[1]], s->x[n[2]]).squared;
        if (d < best) best = d, *nearest = f;
    }
    return best;
}

/* ---- all points ----------------------------------------------------------------------------- */

typedef struct task {
    vo_inside *inside;
    const vo_closed_surface *surface;
    const vo_vec3 *point;
    uint8_t *is_inside;
    vo_box bounds;
} task;

/* Returns true if p is in the solid; outside the bounds the winding number is 0. */
static bool is_in_solid(const task *t, vo_vec3 p) {
    if (!box_overlaps((vo_box){p, p}, t->bounds)) return t->surface->solid == VO_SOLID_AROUND;
    return is_inside(t->inside, t->surface, p);
}

static void test_points(void *arg, int begin, int end, int chunk) {
    const task *t = arg;
    vo_deepest deepest = {-1, 0};
    double max_depth2 = -1;
    int nearest = 0;
    for (int i = begin; i < end; i++) {
        vo_vec3 p = t->point[i];
        if (!is_valid_position(p) || !is_in_solid(t, p)) continue;
        t->is_inside[i] = 1;
        double squared = depth2(t->surface, t->inside->box, p, max_depth2, &nearest);
        if (squared <= max_depth2) continue;
        max_depth2 = squared;
        deepest = (vo_deepest){i, sqrt(squared)};
    }
    t->inside->chunk[chunk] = deepest;
}

static vo_box bounds_of(const vo_closed_surface *s) {
    vo_box all = box_empty();
    for (int f = 0; f < s->face_count; f++) all = box_join(all, face_box(s, f));
    return all;
}

static bool any_within(int count, const vo_vec3 *point, vo_box bounds) {
    for (int i = 0; i < count; i++)
        if (box_overlaps((vo_box){point[i], point[i]}, bounds)) return true;
    return false;
}

static vo_result build_grid(vo_context *ctx, vo_inside *inside, const vo_closed_surface *s) {
    if (!vo_reserve(ctx, &inside->box, &inside->box_capacity, s->face_count) ||
        !vo_reserve(ctx, &inside->flat_box, &inside->flat_capacity, s->face_count))
        return vo_fail_memory(ctx, "the faces of an obstacle");
    for (int f = 0; f < s->face_count; f++) {
        inside->box[f] = face_box(s, f);
        inside->flat_box[f] = flatten(inside->box[f].min, inside->box[f].max);
    }
    return vo_grid_build(ctx, &inside->grid, inside->flat_box, s->face_count);
}

vo_result vo_inside_find(vo_context *ctx, vo_inside *inside, const vo_closed_surface *surface,
                         int point_count, const vo_vec3 *point, uint8_t *is_inside,
                         vo_deepest *deepest) {
    task t = {.inside = inside, .surface = surface, .point = point};
    t.is_inside = is_inside;
    t.bounds = bounds_of(surface);
    int chunks = vo_chunk_count(point_count, POINTS_PER_CHUNK);
    *deepest = (vo_deepest){-1, 0};
    if (surface->solid != VO_SOLID_AROUND && !any_within(point_count, point, t.bounds))
        return VO_OK;
    if (!vo_reserve(ctx, &inside->chunk, &inside->chunk_capacity, chunks))
        return vo_fail_memory(ctx, "points inside obstacles");
    VO_TRY(build_grid(ctx, inside, surface));
    vo_parallel_for(ctx, point_count, POINTS_PER_CHUNK, test_points, &t);
    for (int i = 0; i < chunks; i++)
        if (inside->chunk[i].point >= 0 &&
            (deepest->point < 0 || inside->chunk[i].depth > deepest->depth))
            *deepest = inside->chunk[i];
    return VO_OK;
}

void vo_inside_free(vo_context *ctx, vo_inside *inside) {
    vo_free_array(ctx, inside->box, inside->box_capacity);
    vo_free_array(ctx, inside->flat_box, inside->flat_capacity);
    vo_free_array(ctx, inside->chunk, inside->chunk_capacity);
    vo_grid_free(ctx, &inside->grid);
    *inside = (vo_inside){0};
}
