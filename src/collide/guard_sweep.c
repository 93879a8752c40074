#include "collide/guard_sweep.h"

#include "collide/crossings.h"
#include "math/predicates.h"
#include "mesh/edit_local.h"

#include <string.h>

_Static_assert((int)VO_SWEEP_FACES > (int)VO_STAR_MAX &&
                   (int)VO_SWEEP_CORNERS > (int)VO_STAR_MAX + 2,
               "a star that can be collapsed fits");

/* ---- collecting ----------------------------------------------------------------------------- */

static void set(int to[3], int a, int b, int c) {
    to[0] = a;
    to[1] = b;
    to[2] = c;
}

/* The corner that a node is, made if there is none. */
static int corner_of(vo_sweep *s, int node) {
    for (int i = 0; i < s->corner_count; i++)
        if (s->node[i] == node) return i;
    s->node[s->corner_count] = node;
    s->node_bits |= (uint64_t)1 << (node & 63);
    return s->corner_count++;
}

static void add_wall(vo_sweep_tet *t, int a, int b, int c, bool is_new) {
    vo_sweep_wall *w = &t->wall[t->wall_count++];
    set(w->corner, a, b, c);
    w->is_new = is_new;
}

/* A face that the mesh has after the edit, as a side of a tetrahedron. */
static void add_new(vo_sweep *s, vo_sweep_tet *t, int a, int b, int c) {
    set(s->new_face[s->new_count++], a, b, c);
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

static void start(vo_sweep *s, int core) {
    s->corner_count = s->old_count = s->new_count = s->tet_count = s->line_count = 0;
    s->node_bits = 0;
    s->core = core;
}

/* ---- looking at it -------------------------------------------------------------------------- */

/* Copies the places of all corners; false if one is nowhere. */
static bool take_places(const vo_mesh *m, vo_sweep *s) {
    s->box = box_empty();
    for (int i = 0; i < s->corner_count; i++) {
        vo_vec3 x = m->node_x[s->node[i]];
        if (!vo_crossings_is_place(x)) return false;
        s->x[i] = vo_exact_point(x);
        s->box = box_add(s->box, s->x[i]);
    }
    vo_vec3 d = v3_sub(s->box.max, s->box.min);
    s->span = vo_max(d.x, vo_max(d.y, d.z));
    return true;
}

/* The direction in which the old faces are seen best. */
static void take_view(vo_sweep *s) {
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

/* Corners as seen, and how far they reach along the normal. */
static void flatten(vo_sweep *s) {
    s->low = s->high = 0;
    for (int i = 0; i < s->corner_count; i++) {
        double height = v3_dot(s->normal, v3_sub(s->x[i], s->x[0]));
        s->low = vo_min(s->low, height);
        s->high = vo_max(s->high, height);
        s->flat[i] = vo_sweep_drop(s, s->x[i]);
    }
}

static vo_sweep_line line_through(const vo_sweep *s, int from, int to) {
    vo_vec2 along = v2_sub(s->flat[to], s->flat[from]);
    return (vo_sweep_line){s->flat[from], along, {from, to}, v2_length(along)};
}

/* Adds the line through two corners of a tetrahedron if the two others lie on one side of it. */
static void try_line(const vo_sweep *s, vo_sweep_tet *t, int i, int j, int k, int l) {
    const vo_vec2 *f = s->flat;
    double error = VO_SWEEP_ERROR * s->span * s->span + VO_SWEEP_TINY;
    double first = vo_sweep_turn(f[i], f[j], f[k]), second = vo_sweep_turn(f[i], f[j], f[l]);
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

/* Adds a side of the rim if all other corners lie to the left of it. */
static void try_rim(vo_sweep *s, int p, int q) {
    double error = VO_SWEEP_ERROR * s->span * s->span + VO_SWEEP_TINY;
    for (int i = 0; i < s->corner_count; i++)
        if (i != p && i != q && !(vo_sweep_turn(s->flat[p], s->flat[q], s->flat[i]) > error))
            return;
    s->line[s->line_count++] = line_through(s, q, p);
}

/* The rim is what the old faces have around their core. */
static void find_rim(vo_sweep *s) {
    for (int i = 0; i < s->old_count; i++) {
        const int *f = s->old_face[i];
        try_rim(s, f[1], f[2]);
        if (s->core == 2) try_rim(s, f[2], f[0]);
    }
}

static void find_box(const vo_sweep *s, vo_sweep_tet *t) {
    t->box = box_triangle(s->x[t->corner[0]], s->x[t->corner[1]], s->x[t->corner[2]]);
    t->box = box_add(t->box, s->x[t->corner[3]]);
}

static bool look(const vo_mesh *m, vo_sweep *s) {
    if (!take_places(m, s)) return false;
    take_view(s);
    flatten(s);
    find_rim(s);
    for (int i = 0; i < s->tet_count; i++) find_box(s, &s->tet[i]);
    return true;
}

/* ---- the two edits -------------------------------------------------------------------------- */

bool vo_sweep_flip(const vo_edit *e, int edge, vo_sweep *s) {
    const vo_mesh *m = e->mesh;
    start(s, 2);
    if (!vo_edit_has_edge(e, edge) || m->edge_face[edge][1] < 0) return false;
    int a = corner_of(s, m->edge_node[edge][0]), b = corner_of(s, m->edge_node[edge][1]);
    int c = corner_of(s, m->vert_node[vo_mesh_edge_opposite(m, edge, 0)]);
    int d = corner_of(s, m->vert_node[vo_mesh_edge_opposite(m, edge, 1)]);
    if (s->corner_count != 4) return false;
    set(s->old_face[s->old_count++], a, b, c);
    set(s->old_face[s->old_count++], b, a, d);
    vo_sweep_tet *t = add_tet(s, a, b, c, d);
    add_new(s, t, a, d, c);
    add_new(s, t, b, c, d);
    return look(m, s);
}

/* Adds a face of u, whose corner k is u. */
static void add_star_face(const vo_mesh *m, int face, int k, vo_sweep *s) {
    const int *vert = m->face_vert[face];
    int p = corner_of(s, m->vert_node[vert[vo_after(k)]]);
    int q = corner_of(s, m->vert_node[vert[vo_before(k)]]);
    set(s->old_face[s->old_count++], 0, p, q);
}

/* A neighbour of u that is opposite the edge, so that its face with u and v is an old one. */
static bool is_apex(const vo_sweep *s, int corner) {
    for (int i = 0; i < s->old_count; i++) {
        const int *f = s->old_face[i];
        if ((f[1] == 1 && f[2] == corner) || (f[2] == 1 && f[1] == corner)) return true;
    }
    return false;
}

/* The faces that stay, with v in place of u. */
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
    start(s, 1);
    if (!vo_edit_has_edge(e, edge)) return false;
    corner_of(s, m->edge_node[edge][end]);
    corner_of(s, m->edge_node[edge][1 - end]);
    int count = 0;
    for (int h = e->node_half[s->node[0]]; h >= 0; h = vo_half_next(e, h)) {
        if (count++ == VO_STAR_MAX) return false;
        int face = vo_half_face(m, h);
        if (face >= 0) add_star_face(m, face, vo_side_of(m, face, h >> 1), s);
    }
    add_star_tets(s);
    return look(m, s);
}

/* ---- the new faces among themselves --------------------------------------------------------- */

/* Moves the corners that both have to the front of both; returns their number. */
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

/* Is one of the sides of a, as seen, a line between the two, for certain? */
static bool is_across(const vo_sweep *s, const int a[3], const int b[3]) {
    double error = VO_SWEEP_ERROR * s->span * s->span + VO_SWEEP_TINY;
    if (vo_sweep_turn(s->flat[a[0]], s->flat[a[1]], s->flat[a[2]]) <= error) return false;
    for (int i = 0; i < 3; i++) {
        int p = a[i], q = a[vo_after(i)], k = 0;
        while (k < 3 && (b[k] == p || b[k] == q ||
                         vo_sweep_turn(s->flat[p], s->flat[q], s->flat[b[k]]) < -error))
            k++;
        if (k == 3) return true;
    }
    return false;
}

static bool faces_meet(const vo_sweep *s, const int a[3], const int b[3]) {
    int p[3], q[3];
    if (is_across(s, a, b) || is_across(s, b, a)) return false;
    memcpy(p, a, sizeof p);
    memcpy(q, b, sizeof q);
    int shared = sort_shared(p, q);
    vo_triangle s0 = vo_sweep_triangle(s, p), s1 = vo_sweep_triangle(s, q);
    return vo_triangles_intersect(&s0, &s1, shared);
}

bool vo_sweep_folds(const vo_sweep *s) {
    for (int i = 0; i < s->new_count; i++)
        for (int j = i + 1; j < s->new_count; j++)
            if (faces_meet(s, s->new_face[i], s->new_face[j])) return true;
    return false;
}
