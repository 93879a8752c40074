#include "view/factor.h"

vo_factor_def vo_factor_def_default(void) {
    return (vo_factor_def){.back_facing = 0.2, .occluded = 0.5, .off_screen = 0.01, .margin = 0.4};
}

vo_view_face vo_view_face_make_spatial(const vo_mesh *mesh, int face) {
    vo_view_face f = {.two_sided = false};
    for (int i = 0; i < 3; i++) f.x[i] = mesh->node_x[vo_mesh_face_node(mesh, face, i)];
    f.normal = v3_normalize(v3_cross(v3_sub(f.x[1], f.x[0]), v3_sub(f.x[2], f.x[0])));
    return f;
}

vo_view_face vo_view_face_make(const vo_mesh *mesh, int face) {
    vo_view_face f = vo_view_face_make_spatial(mesh, face);
    vo_mat2 dm = vo_mesh_face_dm(mesh, face);
    if (m2_det(dm) > 0) f.edges = m2_inverse(dm);
    return f;
}

/* Eq. 3: falls from `inside` to `outside` over the margin; d is the distance from the frustum in m.
 */
static double fall_off(const vo_factor_def *def, double inside, double outside, double d) {
    if (!(d > 0)) return inside;
    if (d >= def->margin) return outside;
    return inside - d / def->margin * (inside - outside); /* eq. 3 */
}

/* Returns the possible approach between the frustum and points within `range` of the camera before
 * the next sample. The relevant part of the frustum is within the margin of the face. */
static double slack_of(const vo_factor_def *def, const vo_frustum_sample *m, double range) {
    return vo_frustum_sample_slack(m, range + m->drift + def->margin);
}

/* Returns true if the camera is in front of the face's plane, or may be, given its drift. */
static bool is_front_facing(const vo_frustum_sample *m, const vo_view_face *face) {
    vo_vec3 to_eye = v3_sub(m->frustum.position, face->x[0]);
    return face->two_sided || v3_dot(face->normal, to_eye) >= -m->drift;
}

/* Returns the factor of a face inside the frustum. Visibility rays are cast for front faces only,
 * so `occluded` applies to fronts; a back-facing face keeps the factor `back_facing`. */
static double inside_factor(const vo_factor_def *def, const vo_frustum_sample *m, bool front,
                            bool occluded) {
    double factor = !front ? def->back_facing : occluded ? def->occluded : 1;
    return vo_min(factor, m->front_factor);
}

vo_face_visibility vo_factor_eval_face(const vo_factor_def *def, const vo_frustum_sample *m,
                                       const vo_view_face *face) {
    vo_face_visibility s = {.front_facing = is_front_facing(m, face)};
    double range2 = 0;
    for (int i = 0; i < 3; i++) {
        s.p[i] = vo_frustum_to_local(&m->frustum, face->x[i]);
        range2 = vo_max(range2, v3_length2(s.p[i]));
    }
    s.range = sqrt(range2);
    double slack = slack_of(def, m, s.range);
    double d =
        vo_max(0, vo_frustum_triangle_distance(&m->frustum, s.p, def->margin + slack) - slack);
    double inside = inside_factor(def, m, s.front_facing, face->occluded);
    s.near_frame = d == 0 || d < def->margin;
    s.factor = fall_off(def, inside, vo_factor_off_screen(def, m), d);
    return s;
}

vo_ball_class vo_factor_classify_ball(const vo_factor_def *def, const vo_frustum_sample *m,
                                      vo_vec3 centre, double radius) {
    vo_vec3 c = vo_frustum_to_local(&m->frustum, centre);
    if (vo_frustum_contains_ball(&m->frustum, c, radius)) return VO_BALL_INSIDE;
    double slack = slack_of(def, m, v3_length(c) + radius);
    double d = v3_distance(c, vo_frustum_closest_point(&m->frustum, c));
    return d - radius - slack >= def->margin ? VO_BALL_OUTSIDE : VO_BALL_STRADDLES;
}
