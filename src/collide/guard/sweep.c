#include "collide/guard/sweep.h"

#include "collide/intersections.h"
#include "math/predicates.h"
#include "mesh/edit/edit_local.h"

#include <string.h>

_Static_assert((int)VO_SWEEP_FACES > (int)VO_STAR_MAX &&
                   (int)VO_SWEEP_CORNERS > (int)VO_STAR_MAX + 2,
               "a star that can be collapsed fits");

/* ---- construction --------------------------------------------------------------------------- */

static void set_corners(int to[3], int a, int b, int c) {
    to[0] = a;
    to[1] = b;
    to[2] = c;
}

/* Returns the corner of a node; adds it if there is none. */
static int corner_of(vo_sweep *s, int node) {
    for (int i = 0; i < s->corner_count; i++)
        if (s->node[i] == node) return i;
    s->node[s->corner_count] = node;
    s->node_bits |= (uint64_t)1 << (node & 63);
    return s->corner_count++;
}

static void add_wall(vo_sweep_tet *t, int a, int b, int c, bool is_new) {
    vo_sweep_wall *w = &t->wall[t->wall_count++];
    set_corners(w->corner, a, b, c);
    w->is_new = is_new;
}

/* Adds a face of the mesh after the edit as a side of a tetrahedron. */
static void add_new(vo_sweep *s, vo_sweep_tet *t, int a, int b, int c) {
    set_corners(s->new_face[s->new_count++], a, b, c);
    add_wall(t, a, b, c, true);
}

static vo_sweep_tet *add_tet(vo_sweep *s, int a, int b, int c, int d) {
    vo_sweep_tet *t = &s->tet[s->tet_count++];
    t->corner[0] = a;
    t->corner[1] = b;
    t->corner[2] = c;
    t->corner[3] = d;
    t->wall_count = 0;
    t->line_count = -1;
    return t;
}

static void reset_sweep(vo_sweep *s, int core) {
    s->corner_count = s->old_count = s->new_count = s->tet_count = s->line_count = 0;
    s->node_bits = 0;
    s->core_count = core;
}

/* ---- projection ----------------------------------------------------------------------------- */

/* Copies the positions of all corners; returns false if one is not finite. */
static bool copy_positions(const vo_mesh *m, vo_sweep *s) {
    s->box = box_empty();
    for (int i = 0; i < s->corner_count; i++) {
        vo_vec3 x = m->node_x[s->node[i]];
        if (!vo_position_is_valid(x)) return false;
        s->x[i] = vo_exact_point(x);
        s->box = box_add(s->box, s->x[i]);
    }
    vo_vec3 d = v3_sub(s->box.max, s->box.min);
    s->span = vo_max(d.x, vo_max(d.y, d.z));
    return true;
}

/* Chooses the projection in which the area of the old faces is largest. */
static void choose_projection(vo_sweep *s) {
    vo_vec3 n = v3_zero();
    for (int i = 0; i < s->old_count; i++) {
        vo_triangle t = vo_sweep_triangle(s, s->old_face[i]);
        n = v3_add(n, v3_cross(v3_sub(t.corner[1], t.corner[0]), v3_sub(t.corner[2], t.corner[0])));
    }
    double a = fabs(n.x), b = fabs(n.y), c = fabs(n.z);
    s->axis = c >= a && c >= b ? 2 : b >= a ? 1 : 0;
    s->mirror = (s->axis == 2 ? n.z : s->axis == 1 ? n.y : n.x) < 0;
    s->normal = v3_normalize(n);
    if (!v3_is_finite(s->normal)) s->normal = v3_zero();
}

/* Projects the corners and computes their extent along the normal. */
static void project_corners(vo_sweep *s) {
    s->min_height = s->max_height = 0;
    for (int i = 0; i < s->corner_count; i++) {
        double height = v3_dot(s->normal, v3_sub(s->x[i], s->x[0]));
        s->min_height = vo_min(s->min_height, height);
        s->max_height = vo_max(s->max_height, height);
        s->projected[i] = vo_sweep_project(s, s->x[i]);
    }
}

static vo_sweep_line line_through(const vo_sweep *s, int from, int to) {
    vo_vec2 along = v2_sub(s->projected[to], s->projected[from]);
    return (vo_sweep_line){s->projected[from], along, {from, to}, v2_length(along)};
}

/* Adds the line through two corners of a tetrahedron if the two others lie on one side of it. */
static void try_line(const vo_sweep *s, vo_sweep_tet *t, int i, int j, int k, int l) {
    const vo_vec2 *f = s->projected;
    double error = VO_SWEEP_ERROR * s->span * s->span + VO_SWEEP_TINY;
    double first = vo_sweep_orient2d(f[i], f[j], f[k]),
           second = vo_sweep_orient2d(f[i], f[j], f[l]);
    bool right = first < -error && second<-error, left = first> error && second > error;
    if ((right || left) && t->line_count < 4)
        t->line[t->line_count++] = right ? line_through(s, i, j) : line_through(s, j, i);
}

void vo_sweep_find_lines(const vo_sweep *s, vo_sweep_tet *t) {
    const int *c = t->corner;
    static const int pair[6][4] = {{2, 3, 0, 1}, {1, 3, 0, 2}, {1, 2, 0, 3},
                                   {0, 3, 1, 2}, {0, 2, 1, 3}, {0, 1, 2, 3}};
    t->line_count = 0;
    for (int i = 0; i < 6; i++)
        try_line(s, t, c[pair[i][0]], c[pair[i][1]], c[pair[i][2]], c[pair[i][3]]);
}

/* Adds a boundary side if all other corners lie to the left of it. */
static void try_boundary_side(vo_sweep *s, int p, int q) {
    double error = VO_SWEEP_ERROR * s->span * s->span + VO_SWEEP_TINY;
    for (int i = 0; i < s->corner_count; i++)
        if (i != p && i != q &&
            !(vo_sweep_orient2d(s->projected[p], s->projected[q], s->projected[i]) > error))
            return;
    s->line[s->line_count++] = line_through(s, q, p);
}

/* The boundary consists of the sides of the old faces opposite the core. */
static void find_boundary_lines(vo_sweep *s) {
    for (int i = 0; i < s->old_count; i++) {
        const int *f = s->old_face[i];
        try_boundary_side(s, f[1], f[2]);
        if (s->core_count == 2) try_boundary_side(s, f[2], f[0]);
    }
}

static void find_box(const vo_sweep *s, vo_sweep_tet *t) {
    t->box = box_triangle(s->x[t->corner[0]], s->x[t->corner[1]], s->x[t->corner[2]]);
    t->box = box_add(t->box, s->x[t->corner[3]]);
}

static bool complete_sweep(const vo_mesh *m, vo_sweep *s) {
    if (!copy_positions(m, s)) return false;
    choose_projection(s);
    project_corners(s);
    find_boundary_lines(s);
    for (int i = 0; i < s->tet_count; i++) find_box(s, &s->tet[i]);
    return true;
}

/* ---- flip and collapse ---------------------------------------------------------------------- */

bool vo_sweep_flip(const vo_edit *e, int edge, vo_sweep *s) {
    const vo_mesh *m = e->mesh;
    reset_sweep(s, 2);
    if (!vo_edit_has_edge(e, edge) || m->edge_face[edge][1] < 0) return false;
    int a = corner_of(s, m->edge_node[edge][0]), b = corner_of(s, m->edge_node[edge][1]);
    int c = corner_of(s, m->vert_node[vo_mesh_edge_opposite(m, edge, 0)]);
    int d = corner_of(s, m->vert_node[vo_mesh_edge_opposite(m, edge, 1)]);
    if (s->corner_count != 4) return false;
    set_corners(s->old_face[s->old_count++], a, b, c);
    set_corners(s->old_face[s->old_count++], b, a, d);
    vo_sweep_tet *t = add_tet(s, a, b, c, d);
    add_new(s, t, a, d, c);
    add_new(s, t, b, c, d);
    return complete_sweep(m, s);
}

/* Adds a face of u, whose corner k is u. */
static void add_star_face(const vo_mesh *m, int face, int k, vo_sweep *s) {
    const int *vert = m->face_vert[face];
    int p = corner_of(s, m->vert_node[vert[vo_next_corner(k)]]);
    int q = corner_of(s, m->vert_node[vert[vo_prev_corner(k)]]);
    set_corners(s->old_face[s->old_count++], 0, p, q);
}

/* Returns true for a neighbour of u opposite the edge, whose face with u and v is an old one. */
static bool is_apex(const vo_sweep *s, int corner) {
    for (int i = 0; i < s->old_count; i++) {
        const int *f = s->old_face[i];
        if ((f[1] == 1 && f[2] == corner) || (f[2] == 1 && f[1] == corner)) return true;
    }
    return false;
}

/* Adds the remaining faces, with v in place of u. */
static void add_star_tets(vo_sweep *s) {
    for (int i = 0; i < s->old_count; i++) {
        int p = s->old_face[i][1], q = s->old_face[i][2];
        if (p == 1 || q == 1) continue;
        vo_sweep_tet *t = add_tet(s, 0, 1, p, q);
        add_new(s, t, 1, p, q);
        if (!is_apex(s, p)) add_wall(t, 0, 1, p, false);
        if (!is_apex(s, q)) add_wall(t, 0, 1, q, false);
    }
}

bool vo_sweep_collapse(const vo_edit *e, int edge, int end, vo_sweep *s) {
    const vo_mesh *m = e->mesh;
    reset_sweep(s, 1);
    if (!vo_edit_has_edge(e, edge)) return false;
    corner_of(s, m->edge_node[edge][end]);
    corner_of(s, m->edge_node[edge][1 - end]);
    int count = 0;
    for (int h = e->node_halfedge[s->node[0]]; h >= 0; h = vo_halfedge_next(e, h)) {
        if (count++ == VO_STAR_MAX) return false;
        int face = vo_halfedge_face(m, h);
        if (face >= 0) add_star_face(m, face, vo_side_of(m, face, h >> 1), s);
    }
    add_star_tets(s);
    return complete_sweep(m, s);
}

/* ---- intersections of the new faces --------------------------------------------------------- */

/* Moves shared corners to the front of both faces; returns their number. */
static int sort_shared(int a[3], int b[3]) {
    int shared = 0;
    for (int i = 0; i < 3; i++)
        for (int j = shared; j < 3; j++)
            if (a[i] == b[j]) {
                int corner = a[i];
                a[i] = a[shared];
                b[j] = b[shared];
                a[shared] = b[shared] = corner;
                shared++;
                break;
            }
    return shared;
}

/* Returns true if a side of a certainly separates the two faces in the projection. */
static bool has_separating_side(const vo_sweep *s, const int a[3], const int b[3]) {
    double error = VO_SWEEP_ERROR * s->span * s->span + VO_SWEEP_TINY;
    if (vo_sweep_orient2d(s->projected[a[0]], s->projected[a[1]], s->projected[a[2]]) <= error)
        return false;
    for (int i = 0; i < 3; i++) {
        int p = a[i], q = a[vo_next_corner(i)], k = 0;
        while (k < 3 &&
               (b[k] == p || b[k] == q ||
                vo_sweep_orient2d(s->projected[p], s->projected[q], s->projected[b[k]]) < -error))
            k++;
        if (k == 3) return true;
    }
    return false;
}

static bool faces_intersect(const vo_sweep *s, const int a[3], const int b[3]) {
    int p[3], q[3];
    if (has_separating_side(s, a, b) || has_separating_side(s, b, a)) return false;
    memcpy(p, a, sizeof p);
    memcpy(q, b, sizeof q);
    int shared = sort_shared(p, q);
    vo_triangle s0 = vo_sweep_triangle(s, p), s1 = vo_sweep_triangle(s, q);
    return vo_triangles_intersect(&s0, &s1, shared);
}

bool vo_sweep_folds(const vo_sweep *s) {
    for (int i = 0; i < s->new_count; i++)
        for (int j = i + 1; j < s->new_count; j++)
            if (faces_intersect(s, s->new_face[i], s->new_face[j])) return true;
    return false;
}
