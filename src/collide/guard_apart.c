#include "collide/guard_apart.h"

/* Plain arithmetic, each result taken only where it is larger than its possible error. */

#define PLANE_ERROR                                                               \
    1e-14 /* of a determinant, per cube of the reach (Shewchuk 1997, section 4.3) \
           */

void vo_guard_face_look(const vo_sweep *s, vo_guard_face *f) {
    f->box = box_triangle(f->x[0], f->x[1], f->x[2]);
    vo_vec3 low = v3_min(f->box.min, s->box.min), high = v3_max(f->box.max, s->box.max);
    f->reach = vo_max(high.x - low.x, vo_max(high.y - low.y, high.z - low.z));
    for (int k = 0; k < 3; k++) f->flat[k] = vo_sweep_drop(s, f->x[k]);
}

/* The error of a height is a few roundings of its terms. */
bool vo_guard_is_above(const vo_sweep *s, const vo_guard_face *f) {
    double low = INFINITY, high = -INFINITY, size = 0;
    for (int k = 0; k < 3; k++) {
        vo_vec3 d = v3_sub(f->x[k], s->x[0]);
        double height = v3_dot(s->normal, d);
        low = vo_min(low, height);
        high = vo_max(high, height);
        size = vo_max(size, fabs(d.x) + fabs(d.y) + fabs(d.z));
    }
    double margin = f->margin + 1e-14 * (size + s->span) + VO_SWEEP_TINY;
    return low > s->high + margin || high < s->low - margin;
}

/* Is the face beyond a line that bounds the sweep or a tetrahedron? */
static inline bool is_beyond(const vo_sweep *s, const vo_sweep_line *line, const vo_guard_face *f) {
    double least = f->margin * line->length + VO_SWEEP_ERROR * s->span * f->reach + VO_SWEEP_TINY;
    for (int k = 0; k < 3; k++) {
        if (f->corner[k] >= 0 && (f->corner[k] == line->end[0] || f->corner[k] == line->end[1]))
            continue;
        double turn = line->along.x * (f->flat[k].y - line->from.y) -
                      line->along.y * (f->flat[k].x - line->from.x);
        if (!(turn > least)) return false;
    }
    return true;
}

/* A bound on the error of a product of three differences, see math/predicates.c. */
static double determinant_error(const vo_guard_face *f) {
    return PLANE_ERROR * f->reach * f->reach * f->reach + VO_SWEEP_TINY;
}

/* The plane of a face. */
typedef struct plane {
    vo_vec3 point, normal; /* not unit */
    double least;          /* what certainly lies further than the margin has more times normal */
} plane;

static plane plane_of(const vo_guard_face *f) {
    plane p = {f->x[0], v3_cross(v3_sub(f->x[1], f->x[0]), v3_sub(f->x[2], f->x[0])), 0};
    p.least = determinant_error(f);
    if (f->margin > 0) p.least += f->margin * v3_length(p.normal);
    return p;
}

/* On which side of a plane a point lies, further than the margin; 0 if that is not certain. */
static inline int side_of(const plane *p, vo_vec3 x) {
    double height = v3_dot(p->normal, v3_sub(x, p->point));
    return height > p->least ? 1 : height < -p->least ? -1 : 0;
}

/* Is the whole sweep on one side of the face's plane? */
static bool is_below(const vo_sweep *s, const vo_guard_face *f) {
    plane p = plane_of(f);
    int side = side_of(&p, s->x[0]);
    for (int i = 1; i < s->corner_count && side; i++)
        if (side_of(&p, s->x[i]) != side) side = 0;
    return side != 0;
}

bool vo_guard_is_apart(const vo_sweep *s, const vo_guard_face *f) {
    for (int i = 0; i < s->line_count; i++)
        if (is_beyond(s, &s->line[i], f)) return true;
    return !f->shares && is_below(s, f);
}

static bool has_corner(const vo_guard_face *f, int corner) {
    return f->corner[0] == corner || f->corner[1] == corner || f->corner[2] == corner;
}

/* Is the tetrahedron on one side of the face's plane? */
static bool is_beside(const vo_sweep *s, const vo_sweep_tet *t, const vo_guard_face *f) {
    plane p = plane_of(f);
    int side = 0;
    for (int i = 0; i < 4; i++) {
        if (has_corner(f, t->corner[i])) continue;
        int here = side_of(&p, s->x[t->corner[i]]);
        if (here == 0 || here == -side) return false;
        side = here;
    }
    return side != 0;
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

/* Is all of the face above or below the tetrahedron, seen along its new face? */
static bool is_above_tet(const vo_sweep *s, const vo_sweep_tet *t, const vo_guard_face *f) {
    vo_triangle w = vo_sweep_triangle(s, t->wall[0].corner);
    vo_vec3 n = v3_cross(v3_sub(w.corner[1], w.corner[0]), v3_sub(w.corner[2], w.corner[0]));
    double low = INFINITY, high = -INFINITY, tet_low = 0, tet_high = 0;
    for (int k = 0; k < 3; k++) {
        double height = v3_dot(n, v3_sub(f->x[k], w.corner[0]));
        low = vo_min(low, height);
        high = vo_max(high, height);
    }
    for (int k = 0; k < 4; k++) {
        double height = v3_dot(n, v3_sub(s->x[t->corner[k]], w.corner[0]));
        tet_low = vo_min(tet_low, height);
        tet_high = vo_max(tet_high, height);
    }
    double least = f->margin * v3_length(n) + 2 * determinant_error(f);
    return low > tet_high + least || high < tet_low - least;
}

bool vo_guard_is_apart_tet(const vo_sweep *s, vo_sweep_tet *t, const vo_guard_face *f) {
    if (!box_overlaps(box_grow(t->box, f->margin), f->box)) return true;
    if (t->line_count < 0) vo_sweep_find_lines(s, t);
    for (int i = 0; i < t->line_count; i++)
        if (is_beyond(s, &t->line[i], f)) return true;
    return is_beyond_sides(s, t, f) || is_beside(s, t, f) || (!f->shares && is_above_tet(s, t, f));
}
