/* How far an edit moves the surface. Before and after, the surface is linear in material space on
 * each face; the distance between both is convex where neither bends, so it is largest at a corner
 * of the two triangulations laid over each other: at the node that goes, or where an old edge
 * crosses a new one. */
#include "remesh/remesh_local.h"

static vo_vec3 at_vert(const vo_mesh *m, int vert) { return m->node_x[m->vert_node[vert]]; }

/* Distance in the world where the material segments a-b and c-d cross inside; 0 if they do not. */
static double gap_at_crossing(const vo_mesh *m, int a, int b, int c, int d) {
    vo_vec2 ua = m->vert_u[a], uc = m->vert_u[c];
    vo_vec2 ab = v2_sub(m->vert_u[b], ua), cd = v2_sub(m->vert_u[d], uc), ac = v2_sub(uc, ua);
    double area = v2_cross(ab, cd);
    if (area == 0) return 0;
    double s = v2_cross(ac, cd) / area, t = v2_cross(ac, ab) / area;
    if (!(s > 0 && s < 1 && t > 0 && t < 1)) return 0;
    return v3_distance(v3_lerp(at_vert(m, a), at_vert(m, b), s),
                       v3_lerp(at_vert(m, c), at_vert(m, d), t));
}

double vo_pop_of_flip(const vo_mesh *m, const int v[4]) {
    return gap_at_crossing(m, v[0], v[1], v[2], v[3]);
}

/* Shares of the corners at u, none negative: outside, those of a point of the border. Returns how
 * far inside u is. */
static double shares(const vo_vec2 corner[3], vo_vec2 u, double share[3]) {
    double least = INFINITY, sum = 0;
    for (int i = 0; i < 3; i++) {
        share[i] = vo_cross_of(u, corner[vo_after(i)], corner[vo_before(i)]);
        sum += share[i];
    }
    for (int i = 0; i < 3; i++) least = vo_min(least, share[i] / sum);
    sum = 0;
    for (int i = 0; i < 3; i++) sum += share[i] = vo_max(share[i], 0);
    for (int i = 0; i < 3; i++) share[i] /= sum;
    return least;
}

/* How far the node that goes is from its place on the new surface. */
static double gap_at_node(const vo_mesh *m, const vo_pop_fan *fan) {
    double inside = -INFINITY, gap = 0;
    for (int f = 0; f < fan->face_count; f++) {
        int vert[3] = {fan->to, fan->face[f][0], fan->face[f][1]};
        vo_vec2 corner[3];
        double share[3];
        for (int i = 0; i < 3; i++) corner[i] = m->vert_u[vert[i]];
        double here = shares(corner, m->vert_u[fan->from], share);
        if (!(here > inside)) continue;
        inside = here;
        vo_vec3 x = v3_zero();
        for (int i = 0; i < 3; i++) x = v3_add_scaled(x, share[i], at_vert(m, vert[i]));
        gap = v3_distance(x, at_vert(m, fan->from));
    }
    return gap;
}

double vo_pop_of_collapse(const vo_mesh *m, const vo_pop_fan *fan) {
    double gap = gap_at_node(m, fan);
    for (int i = 0; i < fan->spoke_count; i++)
        for (int j = 0; j < fan->spoke_count; j++)
            if (fan->spoke[i] != fan->spoke[j])
                gap = vo_max(gap,
                             gap_at_crossing(m, fan->from, fan->spoke[i], fan->to, fan->spoke[j]));
    return gap;
}
