/* Makes neighbouring normals consistent; see smooth.h. */
#include "mesh/smooth_normal.h"

/* Two unit vectors perpendicular to a unit vector (Duff et al., JCGT 6(1), 2017). */
static void find_axes(vo_vec3 n, vo_vec3 axis[2]) {
    double sign = copysign(1, n.z), a = -1 / (sign + n.z), b = n.x * n.y * a;
    axis[0] = v3(1 + sign * n.x * n.x * a, sign * b, -sign * n.x);
    axis[1] = v3(b, sign + n.y * n.y * a, -n.y);
}

static void init_tilts(vo_normals *x) {
    for (int i = 0; i < x->smooth->sector_count; i++) {
        x->tilt[i] = (vo_tilt){0};
        find_axes(x->smooth->normal[i], x->tilt[i].axis);
    }
}

/* Adds the condition (N + tilt + N_other) . d = 0. Its weight decreases with the bend of the edge
 * and is zero at a fold, which would otherwise spread to the flat cloth beside it. */
static void add_condition(vo_normals *x, int sector, int other, vo_vec3 d) {
    vo_tilt *t = &x->tilt[sector];
    double here = v3_dot(x->smooth->normal[sector], d), there = v3_dot(x->smooth->normal[other], d);
    double weight = 1 - vo_min(1, 2 * vo_max(here * here, there * there));
    vo_vec2 p = v2_scale(weight, v2(v3_dot(t->axis[0], d), v3_dot(t->axis[1], d)));
    t->a.xx += p.x * p.x, t->a.xy += p.x * p.y, t->a.yy += p.y * p.y;
    t->b = v2_add(t->b, v2_scale(-weight * (here + there), p));
    t->limits += x->limit[other];
    t->count++;
}

/* The sectors at the ends of an edge in one of its faces; returns the edge's direction. */
static vo_vec3 side_sectors(const vo_normals *x, int edge, int side, int sector[2]) {
    const vo_mesh *m = x->smooth->mesh;
    int face = m->edge_face[edge][side];
    for (int end = 0; end < 2; end++)
        sector[end] = x->smooth->sector[face][vo_smooth_corner(m, edge, side, end)];
    const int *node = m->edge_node[edge];
    return v3_normalize(v3_sub(m->node_x[node[1]], m->node_x[node[0]]));
}

/* Adds the conditions of one side of an edge: to both sectors, or (not `all`) from closed sectors
 * to open ones. */
static void add_side_conditions(vo_normals *x, int edge, int side, bool all) {
    int sector[2];
    vo_vec3 d = side_sectors(x, edge, side, sector);
    for (int end = 0; end < 2; end++) {
        int here = sector[end], there = sector[1 - end];
        bool wanted = x->state[here] != VO_SECTOR_KNOWN && x->state[there] == VO_SECTOR_KNOWN;
        if (all || wanted) add_condition(x, here, there, d);
    }
}

/* Adds the conditions of all edges. A crease has different sectors on its second side. */
static void add_conditions(vo_normals *x, bool all) {
    const vo_mesh *m = x->smooth->mesh;
    init_tilts(x);
    for (int e = 0; e < m->edge_count; e++) {
        add_side_conditions(x, e, 0, all);
        if (m->edge_face[e][1] >= 0 && vo_smooth_is_crease(m, e)) add_side_conditions(x, e, 1, all);
    }
}

/* The smallest tilt that minimises the residual. */
static vo_vec2 solve_tilt(const vo_tilt *t) {
    double little = 1e-6 * (t->a.xx + t->a.yy);
    double xx = t->a.xx + little, yy = t->a.yy + little, det = xx * yy - t->a.xy * t->a.xy;
    if (!(det > 0)) return v2(0, 0);
    return v2((yy * t->b.x - t->a.xy * t->b.y) / det, (xx * t->b.y - t->a.xy * t->b.x) / det);
}

/* Applies a fraction of the tilt, within the limit. */
static void tilt_normal(vo_normals *x, int sector, double fraction) {
    const vo_tilt *t = &x->tilt[sector];
    vo_vec2 p = v2_scale(fraction, solve_tilt(t));
    vo_vec3 n = x->smooth->normal[sector], base = x->base[sector];
    n = v3_normalize(v3_add_scaled(v3_add_scaled(n, p.x, t->axis[0]), p.y, t->axis[1]));
    double apart = v3_distance(n, base), limit = x->limit[sector];
    if (apart > limit) n = v3_normalize(v3_lerp(base, n, limit / apart));
    x->smooth->normal[sector] = n;
}

/* Extrapolates from closed sectors to open neighbours, whose limits become similar. */
static void extrapolate(vo_normals *x) {
    add_conditions(x, false);
    for (int i = 0; i < x->smooth->sector_count; i++) {
        const vo_tilt *t = &x->tilt[i];
        if (t->count == 0) continue;
        x->limit[i] = vo_max(x->limit[i], 1.5 * t->limits / t->count);
        tilt_normal(x, i, 1);
        x->state[i] = VO_SECTOR_KNOWN;
    }
}

/* Jacobi sweep with a relaxation factor of one half. */
static void relax_normals(vo_normals *x) {
    add_conditions(x, true);
    for (int i = 0; i < x->smooth->sector_count; i++) tilt_normal(x, i, 0.5);
}

void vo_normals_improve(vo_normals *x) {
    enum { EXTRAPOLATIONS = 2, SWEEPS = 6 }; /* corners have neighbours on the border only */
    for (int i = 0; i < EXTRAPOLATIONS; i++) extrapolate(x);
    for (int i = 0; i < SWEEPS; i++) relax_normals(x);
}
