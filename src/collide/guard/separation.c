#include "collide/guard/separation.h"

/* Floating-point tests; a result is used only if it exceeds its error bound. */

#define PLANE_ERROR 1e-14 /* of a determinant, per extent^3 (Shewchuk 1997, section 4.3) */

void vo_guard_face_query(const vo_sweep *s, vo_guard_face *f) {
    f->box = box_triangle(f->x[0], f->x[1], f->x[2]);
    vo_vec3 low = v3_min(f->box.min, s->box.min), high = v3_max(f->box.max, s->box.max);
    f->extent = vo_max(high.x - low.x, vo_max(high.y - low.y, high.z - low.z));
    for (int k = 0; k < 3; k++) f->projected[k] = vo_sweep_project(s, f->x[k]);
}

/* The error of a height is a few roundings of its terms. */
bool vo_guard_is_above(const vo_sweep *s, const vo_guard_face *f) {
    double min_height = INFINITY, max_height = -INFINITY, size = 0;
    for (int k = 0; k < 3; k++) {
        vo_vec3 d = v3_sub(f->x[k], s->x[0]);
        double height = v3_dot(s->normal, d);
        min_height = vo_min(min_height, height);
        max_height = vo_max(max_height, height);
        size = vo_max(size, fabs(d.x) + fabs(d.y) + fabs(d.z));
    }
    double margin = f->margin + 1e-14 * (size + s->span) + VO_SWEEP_TINY;
    return min_height > s->max_height + margin || max_height < s->min_height - margin;
}

/* Returns true if the face is beyond a bounding line of the sweep or of a tetrahedron. */
static inline bool is_beyond(const vo_sweep *s, const vo_sweep_line *line, const vo_guard_face *f) {
    double threshold =
        f->margin * line->length + VO_SWEEP_ERROR * s->span * f->extent + VO_SWEEP_TINY;
    for (int k = 0; k < 3; k++) {
        if (f->corner[k] >= 0 && (f->corner[k] == line->end[0] || f->corner[k] == line->end[1]))
            continue;
        double area = line->along.x * (f->projected[k].y - line->from.y) -
                      line->along.y * (f->projected[k].x - line->from.x);
        if (!(area > threshold)) return false;
    }
    return true;
}

/* Returns an error bound for a product of three differences, see math/predicates.c. */
static double determinant_error(const vo_guard_face *f) {
    return PLANE_ERROR * f->extent * f->extent * f->extent + VO_SWEEP_TINY;
}

/* Plane of a face. */
typedef struct plane {
    vo_vec3 point, normal; /* not normalised */
    double threshold;      /* heights times |normal| above this are certainly beyond the margin */
} plane;

static plane plane_of(const vo_guard_face *f) {
    plane p = {f->x[0], v3_cross(v3_sub(f->x[1], f->x[0]), v3_sub(f->x[2], f->x[0])), 0};
    p.threshold = determinant_error(f);
    if (f->margin > 0) p.threshold += f->margin * v3_length(p.normal);
    return p;
}

/* Returns the side of the plane on which a point lies beyond the margin; 0 if that is not
 * certain. */
static inline int side_of(const plane *p, vo_vec3 x) {
    double height = v3_dot(p->normal, v3_sub(x, p->point));
    return height > p->threshold ? 1 : height < -p->threshold ? -1 : 0;
}

/* Returns true if the whole sweep is on one side of the face plane. */
static bool sweep_is_on_one_side(const vo_sweep *s, const vo_guard_face *f) {
    plane p = plane_of(f);
    int side = side_of(&p, s->x[0]);
    for (int i = 1; i < s->corner_count && side; i++)
        if (side_of(&p, s->x[i]) != side) side = 0;
    return side != 0;
}

bool vo_guard_is_separated(const vo_sweep *s, const vo_guard_face *f) {
    for (int i = 0; i < s->line_count; i++)
        if (is_beyond(s, &s->line[i], f)) return true;
    return !f->shares && sweep_is_on_one_side(s, f);
}

static bool has_corner(const vo_guard_face *f, int corner) {
    return f->corner[0] == corner || f->corner[1] == corner || f->corner[2] == corner;
}

/* Returns true if the tetrahedron is on one side of the face plane. */
static bool tet_is_on_one_side(const vo_sweep *s, const vo_sweep_tet *t, const vo_guard_face *f) {
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

/* Returns true if the tetrahedron is beyond the side of the face that starts at corner i. `sign` is
 * 1 for a counter-clockwise face. */
static bool is_beyond_side(const vo_sweep *s, const vo_sweep_tet *t, const vo_guard_face *f, int i,
                           double sign, double error) {
    int j = i == 2 ? 0 : i + 1;
    vo_vec2 along = v2_sub(f->projected[j], f->projected[i]);
    double threshold = f->margin > 0 ? f->margin * v2_length(along) + error : error;
    for (int k = 0; k < 4; k++) {
        int corner = t->corner[k];
        if (f->corner[i] == corner || f->corner[j] == corner) continue;
        double area = v2_cross(along, v2_sub(s->projected[corner], f->projected[i]));
        if (!(-sign * area > threshold)) return false;
    }
    return true;
}

static bool is_beyond_sides(const vo_sweep *s, const vo_sweep_tet *t, const vo_guard_face *f) {
    double error = VO_SWEEP_ERROR * f->extent * f->extent + VO_SWEEP_TINY;
    double area = vo_sweep_orient2d(f->projected[0], f->projected[1], f->projected[2]);
    if (fabs(area) <= error) return false;
    double sign = area > 0 ? 1 : -1;
    for (int i = 0; i < 3; i++)
        if (is_beyond_side(s, t, f, i, sign, error)) return true;
    return false;
}

/* Returns true if the face is entirely above or below the tetrahedron along the normal of its new
 * face. */
static bool is_above_tet(const vo_sweep *s, const vo_sweep_tet *t, const vo_guard_face *f) {
    vo_triangle w = vo_sweep_triangle(s, t->wall[0].corner);
    vo_vec3 n = v3_cross(v3_sub(w.corner[1], w.corner[0]), v3_sub(w.corner[2], w.corner[0]));
    double min_height = INFINITY, max_height = -INFINITY, tet_low = 0, tet_high = 0;
    for (int k = 0; k < 3; k++) {
        double height = v3_dot(n, v3_sub(f->x[k], w.corner[0]));
        min_height = vo_min(min_height, height);
        max_height = vo_max(max_height, height);
    }
    for (int k = 0; k < 4; k++) {
        double height = v3_dot(n, v3_sub(s->x[t->corner[k]], w.corner[0]));
        tet_low = vo_min(tet_low, height);
        tet_high = vo_max(tet_high, height);
    }
    double threshold = f->margin * v3_length(n) + 2 * determinant_error(f);
    return min_height > tet_high + threshold || max_height < tet_low - threshold;
}

bool vo_guard_is_separated_tet(const vo_sweep *s, vo_sweep_tet *t, const vo_guard_face *f) {
    if (!box_overlaps(box_grow(t->box, f->margin), f->box)) return true;
    if (t->line_count < 0) vo_sweep_find_lines(s, t);
    for (int i = 0; i < t->line_count; i++)
        if (is_beyond(s, &t->line[i], f)) return true;
    return is_beyond_sides(s, t, f) || tet_is_on_one_side(s, t, f) ||
           (!f->shares && is_above_tet(s, t, f));
}
