#include "collide/guard_apart.h"

/* Plain arithmetic, each result taken only where it is larger than its possible error. */

#define PLANE_ERROR                                                               \
    1e-14 /* of a determinant, per cube of the reach (Shewchuk 1997, section 4.3) \
           */

void vo_guard_face_look(const vo_sweep *s, vo_guard_face *f) {
    f->box = box_triangle(f->x[0], f->x[1], f->x[2]);
    vo_box all = box_join(f->box, s->box);
    vo_vec3 d = v3_sub(all.max, all.min);
    f->reach = vo_max(d.x, vo_max(d.y, d.z));
    f->shared = (f->corner[0] >= 0) + (f->corner[1] >= 0) + (f->corner[2] >= 0);
    for (int k = 0; k < 3; k++) f->flat[k] = vo_sweep_drop(s, f->x[k]);
    f->normal = v3_cross(v3_sub(f->x[1], f->x[0]), v3_sub(f->x[2], f->x[0]));
    f->size = v3_length(f->normal);
    f->plane_error = PLANE_ERROR * f->reach * f->reach * f->reach + VO_SWEEP_TINY;
}

/* Is all of the face above or below the sweep? */
static bool is_above(const vo_sweep *s, const vo_guard_face *f) {
    double low = INFINITY, high = -INFINITY;
    for (int k = 0; k < 3; k++) {
        double height = v3_dot(s->normal, v3_sub(f->x[k], s->x[0]));
        low = vo_min(low, height);
        high = vo_max(high, height);
    }
    double margin = f->margin + 1e-14 * f->reach + VO_SWEEP_TINY;
    return low > s->high + margin || high < s->low - margin;
}

/* On which side of the face's plane a corner of the sweep lies, further than the margin; 0 if that
 * is not certain. */
static int side_of(const vo_sweep *s, const vo_guard_face *f, int corner) {
    double height = v3_dot(f->normal, v3_sub(s->x[corner], f->x[0]));
    double least = f->margin * f->size + f->plane_error;
    return height > least ? 1 : height < -least ? -1 : 0;
}

bool vo_guard_is_apart(const vo_sweep *s, const vo_guard_face *f) {
    if (f->shared) return false;
    if (!box_overlaps(box_grow(s->box, f->margin), f->box) || is_above(s, f)) return true;
    int side = side_of(s, f, 0);
    for (int i = 1; i < s->corner_count && side; i++)
        if (side_of(s, f, i) != side) return false;
    return side != 0;
}

static bool has_corner(const vo_guard_face *f, int corner) {
    return f->corner[0] == corner || f->corner[1] == corner || f->corner[2] == corner;
}

/* Is the tetrahedron on one side of the face's plane? */
static bool is_beside(const vo_sweep *s, const vo_sweep_tet *t, const vo_guard_face *f) {
    int side = 0;
    for (int i = 0; i < 4; i++) {
        if (has_corner(f, t->corner[i])) continue;
        int here = side_of(s, f, t->corner[i]);
        if (here == 0 || here == -side) return false;
        side = here;
    }
    return side != 0;
}

/* Is the face beyond a line that bounds the tetrahedron? */
static bool is_beyond(const vo_sweep *s, const vo_sweep_line *line, const vo_guard_face *f) {
    double least = f->margin * line->length + VO_SWEEP_ERROR * s->span * f->reach + VO_SWEEP_TINY;
    for (int k = 0; k < 3; k++) {
        if (f->corner[k] == line->end[0] || f->corner[k] == line->end[1]) continue;
        double turn = line->along.x * (f->flat[k].y - line->from.y) -
                      line->along.y * (f->flat[k].x - line->from.x);
        if (!(turn > least)) return false;
    }
    return true;
}

/* Is the tetrahedron beyond the side of the face that starts at corner i? The face turns left if
 * `sign` is 1. */
static bool is_beyond_side(const vo_sweep *s, const vo_sweep_tet *t, const vo_guard_face *f, int i,
                           double sign, double error) {
    int j = i == 2 ? 0 : i + 1;
    vo_vec2 along = v2_sub(f->flat[j], f->flat[i]);
    double least = f->margin > 0 ? f->margin * v2_length(along) + error : error;
    for (int k = 0; k < 4; k++) {
        int corner = t->corner[k];
        if (f->corner[i] == corner || f->corner[j] == corner) continue;
        double turn = v2_cross(along, v2_sub(s->flat[corner], f->flat[i]));
        if (!(-sign * turn > least)) return false;
    }
    return true;
}

static bool is_beyond_sides(const vo_sweep *s, const vo_sweep_tet *t, const vo_guard_face *f) {
    double error = VO_SWEEP_ERROR * f->reach * f->reach + VO_SWEEP_TINY;
    double turn = vo_sweep_turn(f->flat[0], f->flat[1], f->flat[2]);
    if (fabs(turn) <= error) return false;
    double sign = turn > 0 ? 1 : -1;
    for (int i = 0; i < 3; i++)
        if (is_beyond_side(s, t, f, i, sign, error)) return true;
    return false;
}

bool vo_guard_is_apart_tet(const vo_sweep *s, const vo_sweep_tet *t, const vo_guard_face *f) {
    if (!box_overlaps(box_grow(t->box, f->margin), f->box)) return true;
    for (int i = 0; i < t->line_count; i++)
        if (is_beyond(s, &t->line[i], f)) return true;
    return is_beyond_sides(s, t, f) || is_beside(s, t, f);
}
