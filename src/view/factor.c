#include "view/factor.h"

vo_factor_def vo_factor_def_default(void) {
    return (vo_factor_def){.back = 0.2, .hidden = 0.5, .out = 0.01, .margin = 0.4};
}

vo_view_face vo_view_face_place(const vo_mesh *mesh, int face) {
    vo_view_face f = {.two_sided = false};
    for (int i = 0; i < 3; i++) f.x[i] = mesh->node_x[vo_mesh_face_node(mesh, face, i)];
    f.normal = v3_normalize(v3_cross(v3_sub(f.x[1], f.x[0]), v3_sub(f.x[2], f.x[0])));
    return f;
}

vo_view_face vo_view_face_make(const vo_mesh *mesh, int face) {
    vo_view_face f = vo_view_face_place(mesh, face);
    vo_mat2 dm = vo_mesh_face_dm(mesh, face);
    if (m2_det(dm) > 0) f.edges = m2_inverse(dm);
    return f;
}

double vo_factor_fall(const vo_factor_def *def, double shown, double out, double d) {
    if (!(d > 0)) return shown;
    if (d >= def->margin) return out;
    return shown - d / def->margin * (shown - out); /* eq. 3 */
}

/* Distance that what is within `range` of the eye may gain on the frame before the next moment.
 * What of the frustum matters is within the margin of the face, and no further from the eye than
 * that. */
static double slack_of(const vo_factor_def *def, const vo_moment *m, double range) {
    return vo_moment_slack(m, range + m->drift + def->margin);
}

/* The front is seen from any place before the plane of the face; the eye may be off by its drift.
 */
static bool shows_front(const vo_moment *m, const vo_view_face *face) {
    vo_vec3 to_eye = v3_sub(m->frustum.eye, face->x[0]);
    return face->two_sided || v3_dot(face->normal, to_eye) >= -m->drift;
}

/* What a face counts in frame. Lines of sight go to fronts alone, so only a front is hidden: a back
 * that is in the picture counts as a back, whatever covers the front at another moment. */
static double shown_of(const vo_factor_def *def, const vo_moment *m, bool front, bool hidden) {
    double most = !front ? def->back : hidden ? def->hidden : 1;
    return vo_min(most, m->front);
}

vo_sight vo_factor_look(const vo_factor_def *def, const vo_moment *m, const vo_view_face *face) {
    vo_sight s = {.front = shows_front(m, face)};
    double range2 = 0;
    for (int i = 0; i < 3; i++) {
        s.p[i] = vo_frustum_local(&m->frustum, face->x[i]);
        range2 = vo_max(range2, v3_length2(s.p[i]));
    }
    s.range = sqrt(range2);
    double slack = slack_of(def, m, s.range);
    double d = vo_max(0, vo_frustum_distance(&m->frustum, s.p, def->margin + slack) - slack);
    double shown = shown_of(def, m, s.front, face->hidden);
    s.near = d == 0 || d < def->margin;
    s.factor = vo_factor_fall(def, shown, vo_factor_out(def, m), d);
    return s;
}

vo_ball_place vo_factor_place(const vo_factor_def *def, const vo_moment *m, vo_vec3 centre,
                              double radius) {
    vo_vec3 c = vo_frustum_local(&m->frustum, centre);
    if (vo_frustum_holds_ball(&m->frustum, c, radius)) return VO_BALL_IN_FRAME;
    double slack = slack_of(def, m, v3_length(c) + radius);
    double d = v3_distance(c, vo_frustum_nearest(&m->frustum, c));
    return d - radius - slack >= def->margin ? VO_BALL_OUT : VO_BALL_ACROSS;
}
