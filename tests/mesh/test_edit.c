/* Unit tests of each edit: result, transferred data, reasons for rejection. */
#include "edit_check.h"
#include "edit_meshes.h"

#include "mesh/edit/edit.h"
#include "sim/sim.h"

static vo_edit *open_edit(vo_mesh *m, double tolerance) {
    vo_edit_def def = vo_edit_def_default();
    def.outline_tolerance = tolerance;
    vo_edit *e;
    assert_ok(m->ctx, vo_edit_create(m, &def, &e));
    return e;
}

static void close_edit(vo_edit *e) {
    vo_context *ctx = e->ctx;
    vo_mesh *m = e->mesh;
    assert_ok(ctx, check_edit(e));
    vo_edit_destroy(e);
    vo_mesh_destroy(m);
    vo_context_destroy(ctx);
}

/* A flat sheet of 1 m cells in its editor. */
static vo_edit *open_grid(int columns, int rows, double tolerance) {
    vo_context *ctx = test_context(1);
    vo_mesh *m = test_grid(ctx, columns, rows, columns, rows);
    return open_edit(m, tolerance);
}

static vo_edit *open_garment(garment_fn *make, double tolerance) {
    vo_context *ctx = test_context(1);
    int which = 0;
    while (GARMENTS[which] != make) which++;
    return open_edit(garment_build(ctx, which, 1), tolerance);
}

static int edge_between(const vo_edit *e, int a, int b) {
    int edge = vo_edit_find_edge(e, a, b);
    assert_true(edge >= 0);
    return edge;
}

/* Collapses node u onto node v. */
static vo_edit_status collapse(vo_edit *e, int u, int v) {
    int edge = edge_between(e, u, v);
    return vo_edit_collapse(e, edge, e->mesh->edge_node[edge][1] == u);
}

static vo_edit_status flip(vo_edit *e, int a, int b) {
    return vo_edit_flip(e, edge_between(e, a, b));
}

static int count_lines(const vo_edit *e, int kind) {
    int count = 0;
    for (int k = 0; k < e->mesh->edge_count; k++)
        count += vo_edit_has_edge(e, k) && e->edge_feature[k] == kind;
    return count;
}

static int count_verts(const vo_edit *e, int node) {
    int count = 0;
    for (int v = e->node_vert[node]; v >= 0; v = e->vert_next[v]) count++;
    return count;
}

/* ---- split ----------------------------------------------------------------------------------- */

static void split_places_node_on_old_surface(void **state) {
    (void)state;
    vo_edit *e = open_grid(2, 1, 0);
    vo_mesh *m = e->mesh;
    for (int n = 0; n < m->node_count; n++) m->node_x[n] = v3(n * n, 3 - n, 0.5 * n);
    int edge = edge_between(e, 1, 4), first = m->edge_node[edge][0], second = m->edge_node[edge][1];
    vo_edit_pieces p;
    assert_int_equal(vo_edit_split(e, edge, 0.25, &p), VO_EDIT_ALLOWED);
    vo_vec3 x = v3_lerp(m->node_x[first], m->node_x[second], 0.25);
    assert_near(v3_distance(m->node_x[p.node], x), 0, 1e-15);
    assert_int_equal(p.vert[0], p.vert[1]);
    assert_int_equal(m->edge_node[edge][0], first);
    assert_int_equal(m->edge_node[edge][1], p.node);
    assert_int_equal(m->edge_node[p.edge[0]][0], p.node);
    assert_int_equal(m->edge_node[p.edge[0]][1], second);
    assert_true(p.face[0] >= 0 && p.face[1] >= 0 && p.edge[1] >= 0 && p.edge[2] >= 0);
    assert_int_equal(m->face_count, 6);
    close_edit(e);
}

static void split_of_border_adds_one_face(void **state) {
    (void)state;
    vo_edit *e = open_grid(2, 1, 0);
    vo_edit_pieces p;
    int edges = e->mesh->edge_count;
    assert_int_equal(vo_edit_split(e, edge_between(e, 0, 1), 0.5, &p), VO_EDIT_ALLOWED);
    assert_int_equal(p.face[1], -1);
    assert_int_equal(p.edge[2], -1);
    assert_int_equal(p.vert[1], -1);
    assert_int_equal(e->mesh->edge_count, edges + 2);
    assert_int_equal(e->edge_feature[p.edge[0]], VO_FEATURE_BORDER);
    close_edit(e);
}

/* One node, two verts, each in the middle of its own side. */
static void split_of_seam_splits_both_sides(void **state) {
    (void)state;
    vo_edit *e = open_garment(make_tube, 0);
    vo_mesh *m = e->mesh;
    int seam = 0, side[2][2], nodes = m->node_count;
    while (e->edge_feature[seam] != (VO_FEATURE_SEAM | VO_FEATURE_MATERIAL)) seam++;
    for (int s = 0; s < 2; s++) vo_mesh_edge_verts(m, seam, s, side[s]);
    vo_edit_pieces p;
    assert_int_equal(vo_edit_split(e, seam, 0.25, &p), VO_EDIT_ALLOWED);
    assert_int_equal(m->node_count, nodes + 1);
    assert_int_not_equal(p.vert[0], p.vert[1]);
    assert_int_equal(count_verts(e, p.node), 2);
    for (int s = 0; s < 2; s++) {
        vo_vec2 a = m->vert_u[side[s][0]], b = m->vert_u[side[s][1]], u = m->vert_u[p.vert[s]];
        assert_near(u.x, 0.75 * a.x + 0.25 * b.x, 1e-15);
        assert_near(u.y, 0.75 * a.y + 0.25 * b.y, 1e-15);
    }
    assert_int_equal(e->edge_feature[p.edge[0]], e->edge_feature[seam]);
    assert_int_equal(e->edge_feature[p.edge[1]] | e->edge_feature[p.edge[2]], 0);
    close_edit(e);
}

/* At the tip of a cone both sides share a vert; the new node still has two. */
static void split_of_seam_at_its_end_adds_two_verts(void **state) {
    (void)state;
    vo_edit *e = open_garment(make_cone, 0);
    int seam = -1;
    for (int h = e->node_halfedge[0]; h >= 0; h = e->edge_next[h >> 1][h & 1])
        if (e->edge_feature[h >> 1]) seam = h >> 1;
    vo_edit_pieces p;
    assert_int_equal(count_verts(e, 0), 1);
    assert_int_equal(vo_edit_split(e, seam, 0.5, &p), VO_EDIT_ALLOWED);
    assert_int_equal(count_verts(e, p.node), 2);
    assert_int_equal(collapse(e, 0, p.node), VO_EDIT_JUNCTION); /* the seam ends at the tip */
    assert_int_equal(collapse(e, p.node, 0), VO_EDIT_ALLOWED);  /* collapsing onto it is valid */
    assert_int_equal(count_verts(e, 0), 1);
    close_edit(e);
}

static void split_keeps_labels_and_rest_angles(void **state) {
    (void)state;
    vo_edit *e = open_garment(make_creased, 0);
    vo_mesh *m = e->mesh;
    int crease = edge_between(e, 28, 29), plain = edge_between(e, 35, 36);
    vo_edit_pieces p;
    assert_int_equal(vo_edit_split(e, crease, 0.5, &p), VO_EDIT_ALLOWED);
    assert_int_equal(m->edge_label[crease], 3);
    assert_int_equal(m->edge_label[p.edge[0]], 3);
    assert_int_equal(m->edge_label[p.edge[1]] | m->edge_label[p.edge[2]], 0);
    assert_near(m->edge_rest_angle[p.edge[0]], 0.1, 0);
    assert_true(m->edge_rest_angle[p.edge[1]] == 0 && m->edge_rest_angle[p.edge[2]] == 0);
    assert_int_equal(m->node_label[p.node] | m->vert_label[p.vert[0]], 0);
    assert_int_equal(vo_edit_split(e, plain, 0.5, &p), VO_EDIT_ALLOWED);
    assert_near(m->edge_rest_angle[p.edge[0]], 0.05, 0);
    close_edit(e);
}

static void split_rejects_degenerate_faces(void **state) {
    (void)state;
    vo_edit *e = open_grid(1, 1, 0);
    assert_int_equal(vo_edit_split(e, 0, 0, NULL), VO_EDIT_DEGENERATE);
    assert_int_equal(vo_edit_split(e, 0, 1, NULL), VO_EDIT_DEGENERATE);
    assert_int_equal(vo_edit_split(e, 0, NAN, NULL), VO_EDIT_DEGENERATE);
    assert_int_equal(vo_edit_split(e, 0, 1e-12, NULL), VO_EDIT_DEGENERATE);
    assert_int_equal(vo_edit_split(e, -1, 0.5, NULL), VO_EDIT_MISSING);
    assert_int_equal(vo_edit_split(e, e->mesh->edge_count, 0.5, NULL), VO_EDIT_MISSING);
    /* Repeated halving of an edge ends with a rejection, not with a degenerate face. */
    vo_edit_status status;
    int splits = 0;
    while ((status = vo_edit_split(e, 0, 0.5, NULL)) == VO_EDIT_ALLOWED)
        assert_true(++splits < 100);
    assert_int_equal(status, VO_EDIT_DEGENERATE);
    assert_true(splits > 20);
    close_edit(e);
}

/* ---- flip ------------------------------------------------------------------------------------ */

static void flip_twice_restores_the_mesh(void **state) {
    (void)state;
    vo_edit *e = open_grid(1, 1, 0);
    assert_int_equal(flip(e, 0, 3), VO_EDIT_ALLOWED);
    assert_int_equal(vo_edit_find_edge(e, 0, 3), -1);
    assert_ok(e->ctx, check_edit(e));
    assert_int_equal(flip(e, 1, 2), VO_EDIT_ALLOWED);
    assert_true(vo_edit_find_edge(e, 0, 3) >= 0);
    assert_int_equal(flip(e, 0, 1), VO_EDIT_ON_FEATURE);
    close_edit(e);
}

static void flip_rejects_feature_edges(void **state) {
    (void)state;
    vo_edit *e = open_garment(make_creased, 0);
    for (int k = 0; k < e->mesh->edge_count; k++)
        if (e->edge_feature[k]) assert_int_equal(vo_edit_flip(e, k), VO_EDIT_ON_FEATURE);
    assert_true(count_lines(e, VO_FEATURE_CREASE) > 0 && count_lines(e, VO_FEATURE_MATERIAL) > 0);
    close_edit(e);
    e = open_garment(make_pillow, 0);
    assert_int_equal(count_lines(e, VO_FEATURE_SEAM), 16);
    for (int k = 0; k < e->mesh->edge_count; k++)
        if (e->edge_feature[k]) assert_int_equal(vo_edit_flip(e, k), VO_EDIT_ON_FEATURE);
    close_edit(e);
}

static void flip_rejects_concave_quadrilateral(void **state) {
    (void)state;
    vo_edit *e = open_grid(1, 1, 0);
    e->mesh->vert_u[3] = v2(0.4, 0.4); /* now the diagonal from 0 ends before the edge 1-2 */
    assert_int_equal(flip(e, 0, 3), VO_EDIT_DEGENERATE);
    close_edit(e);
}

/* The rest angles of a gently curved sheet equal its dihedral angles before and after any flips. */
static void flip_preserves_curved_rest_shape(void **state) {
    (void)state;
    const double height = 1e-7;
    vo_edit *e = open_grid(5, 5, 0);
    vo_mesh *m = e->mesh;
    vo_random r = vo_random_seed(3);
    for (int n = 0; n < m->node_count; n++) {
        vo_vec3 *x = &m->node_x[n];
        vo_vec2 *u = &m->vert_u[e->node_vert[n]];
        *u = v2(x->x + vo_random_real(&r, -0.2, 0.2), x->y + vo_random_real(&r, -0.2, 0.2));
        *x = v3(u->x, u->y, height * vo_random_real(&r, -1, 1));
    }
    for (int k = 0; k < m->edge_count; k++) m->edge_rest_angle[k] = vo_mesh_bend_angle(m, k);
    int flips = 0;
    for (int i = 0; i < 400; i++)
        flips += vo_edit_flip(e, vo_random_int(&r, m->edge_count)) == VO_EDIT_ALLOWED;
    assert_true(flips > 100);
    double most = 0;
    for (int k = 0; k < m->edge_count; k++) {
        most = vo_max(most, fabs(m->edge_rest_angle[k]));
        assert_near(vo_mesh_bend_angle(m, k), 0, 1e-11);
    }
    assert_true(most > height);
    close_edit(e);
}

/* ---- collapse -------------------------------------------------------------------------------- */

static void collapse_of_interior_node_removes_two_faces(void **state) {
    (void)state;
    vo_edit *e = open_grid(4, 4, 0);
    vo_mesh *m = e->mesh;
    vo_vec3 x = m->node_x[13];
    assert_int_equal(collapse(e, 12, 13), VO_EDIT_ALLOWED);
    assert_false(vo_edit_has_node(e, 12));
    assert_int_equal(e->free_slot_count[VO_REMAP_FACE], 2);
    assert_int_equal(e->free_slot_count[VO_REMAP_EDGE], 3);
    assert_int_equal(e->free_slot_count[VO_REMAP_VERT], 1);
    assert_memory_equal(&m->node_x[13], &x, sizeof x);
    assert_int_equal(vo_edit_find_edge(e, 13, 7) >= 0, 1);
    close_edit(e);
}

static void collapse_of_straight_border_is_allowed(void **state) {
    (void)state;
    vo_edit *e = open_grid(4, 4, 0);
    assert_int_equal(collapse(e, 0, 1), VO_EDIT_PRESERVED); /* a corner */
    assert_int_equal(collapse(e, 2, 7), VO_EDIT_ACROSS);
    assert_int_equal(collapse(e, 2, 1), VO_EDIT_ALLOWED);
    assert_int_equal(collapse(e, 3, 1), VO_EDIT_ALLOWED);
    assert_int_equal(collapse(e, 1, 4), VO_EDIT_ALLOWED);
    assert_int_equal(e->edge_feature[edge_between(e, 0, 4)], VO_FEATURE_BORDER);
    assert_true(e->edge_drift[edge_between(e, 0, 4)] == 0);
    close_edit(e);
}

/* A quarter of a circle: only the tolerance limits the collapses, also in small steps. */
static void collapse_of_curved_border_stays_within_tolerance(void **state) {
    (void)state;
    enum { N = 64 };
    vo_context *ctx = test_context(1);
    garment g = {.ctx = ctx};
    int centre = garment_vert(&g, v2(0, 0), v3(0, 0, 0)), rim[N + 1], inner[N + 1];
    for (int i = 0; i <= N; i++) {
        double a = VO_PI / 2 * i / N;
        rim[i] = garment_vert(&g, v2(cos(a), sin(a)), v3(cos(a), sin(a), 0));
        inner[i] = garment_vert(&g, v2(cos(a) / 2, sin(a) / 2), v3(cos(a) / 2, sin(a) / 2, 0));
    }
    for (int i = 0; i < N; i++) {
        garment_face(&g, centre, inner[i], inner[i + 1], 0);
        garment_face(&g, inner[i], rim[i], rim[i + 1], 0);
        garment_face(&g, inner[i], rim[i + 1], inner[i + 1], 0);
    }
    vo_mesh *m;
    assert_ok(ctx, vo_mesh_build_validated(ctx, "disk", &g.data, VO_MESH_FOR_CLOTH, &m));
    vo_mesh_data_free(ctx, &g.data);
    vo_edit *e = open_edit(m, 0.01);
    vo_random r = vo_random_seed(5);
    int collapsed = 0;
    for (int i = 0; i < 20000; i++) {
        int edge = vo_random_int(&r, m->edge_count);
        if (!vo_edit_has_edge(e, edge) || !e->edge_feature[edge]) continue;
        collapsed += vo_edit_collapse(e, edge, vo_random_int(&r, 2)) == VO_EDIT_ALLOWED;
    }
    /* A chord of angle a is 1 - cos(a / 2) below the circle: 0.01 at 0.28 rad, 1/5.5 of it all. */
    int left = 0;
    for (int k = 0; k < m->edge_count; k++) {
        int v[2];
        if (!vo_edit_has_edge(e, k) || !e->edge_feature[k]) continue;
        vo_mesh_edge_verts(m, k, 0, v);
        vo_vec2 middle = v2_scale(0.5, v2_add(m->vert_u[v[0]], m->vert_u[v[1]]));
        bool round = v2_length(m->vert_u[v[0]]) > 0.9 && v2_length(m->vert_u[v[1]]) > 0.9;
        if (round) assert_true(v2_length(middle) >= 1 - 0.01);
        left += round;
    }
    assert_in_range(left, 6, 20);
    assert_true(collapsed > 40);
    close_edit(e);
}

static void collapse_of_seam_moves_both_sides(void **state) {
    (void)state;
    vo_edit *e = open_garment(make_tube, 0);
    vo_mesh *m = e->mesh;
    int kind = VO_FEATURE_SEAM | VO_FEATURE_MATERIAL, seams = count_lines(e, kind);
    assert_int_equal(seams, 8);
    int verts = m->vert_count - e->free_slot_count[VO_REMAP_VERT], done = 0;
    for (int k = 0; k < m->edge_count; k++)
        for (int end = 0; end < 2; end++)
            if (vo_edit_has_edge(e, k) && e->edge_feature[k] == kind)
                done += vo_edit_collapse(e, k, end) == VO_EDIT_ALLOWED;
    assert_true(done >= 4);
    assert_int_equal(count_lines(e, kind), seams - done);
    assert_int_equal(m->vert_count - e->free_slot_count[VO_REMAP_VERT], verts - 2 * done);
    close_edit(e);
}

/* Three verts at the middle node: two seams end in a third. */
static void collapse_rejects_junctions(void **state) {
    (void)state;
    vo_edit *e = open_garment(make_junction, 1);
    int node = 0;
    while (count_verts(e, node) != 3) node++;
    for (int h = e->node_halfedge[node]; h >= 0; h = e->edge_next[h >> 1][h & 1])
        assert_int_equal(vo_edit_can_collapse(e, h >> 1, h & 1), VO_EDIT_JUNCTION);
    close_edit(e);
}

static void collapse_of_crease_follows_it(void **state) {
    (void)state;
    vo_edit *e = open_garment(make_creased, 0);
    vo_mesh *m = e->mesh;
    assert_int_equal(collapse(e, 30, 23), VO_EDIT_ACROSS);
    assert_int_equal(collapse(e, 31, 30), VO_EDIT_JUNCTION);  /* the other crease begins here */
    assert_int_equal(collapse(e, 10, 11), VO_EDIT_JUNCTION);  /* a crease ends here */
    assert_int_equal(collapse(e, 24, 17), VO_EDIT_PRESERVED); /* labelled node */
    assert_int_equal(collapse(e, 9, 8), VO_EDIT_PRESERVED);   /* labelled vert */
    assert_int_equal(collapse(e, 30, 29), VO_EDIT_ALLOWED);
    int edge = edge_between(e, 29, 31);
    assert_int_equal(m->edge_label[edge], 3);
    assert_near(m->edge_rest_angle[edge], 0.1, 1e-15);
    close_edit(e);
}

static void collapse_rejects_preserved_nodes(void **state) {
    (void)state;
    vo_edit *e = open_grid(4, 4, 0);
    e->node_flags[12] |= VO_NODE_PRESERVED;
    assert_int_equal(collapse(e, 12, 13), VO_EDIT_PRESERVED);
    assert_int_equal(collapse(e, 13, 12), VO_EDIT_ALLOWED);
    close_edit(e);
}

/* A node where two fans of faces touch is preserved. */
static void collapse_rejects_nodes_of_two_fans(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_vec3 x[5] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {-1, 0, 0}, {-1, -1, 0}};
    int face[2][3] = {{0, 1, 2}, {0, 3, 4}};
    vo_mesh *m;
    assert_ok(ctx, vo_mesh_create(ctx, 5, x, 0, NULL, NULL, 2, (const int(*)[3])face,
                                  VO_MESH_FOR_CLOTH, &m));
    vo_edit *e = open_edit(m, 10);
    assert_int_equal(collapse(e, 0, 1), VO_EDIT_PRESERVED);
    assert_int_equal(vo_edit_split(e, edge_between(e, 0, 1), 0.5, NULL), VO_EDIT_ALLOWED);
    close_edit(e);
}

/* In a tube of three columns, nodes on opposite sides are already neighbours. */
static void collapse_keeps_narrow_tubes_open(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    garment g = {.ctx = ctx};
    garment_sheet(&g, 3, 3, v2(0, 0), v2(3, 3), NO_HOLE, 0, place_tube, (double[]){0, 2 * VO_PI});
    vo_mesh *m;
    assert_ok(ctx, vo_mesh_build_validated(ctx, "tube", &g.data, VO_MESH_FOR_CLOTH, &m));
    vo_mesh_data_free(ctx, &g.data);
    vo_edit *e = open_edit(m, 0);
    int joined = 0;
    for (int round = 0; round < 3; round++)
        for (int k = 0; k < m->edge_count; k++)
            for (int end = 0; end < 2; end++)
                joined += vo_edit_collapse(e, k, end) == VO_EDIT_JOINED;
    assert_true(joined > 0);
    int border = 0;
    for (int k = 0; k < m->edge_count; k++)
        border += vo_edit_has_edge(e, k) && m->edge_face[k][1] < 0;
    assert_int_equal(border, 6); /* both ends are still open triangles */
    close_edit(e);
}

/* A triangle sewn to another with a node inside; without the node both would have the same nodes.
 */
static void collapse_rejects_last_node_of_a_bag(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    garment g = {.ctx = ctx};
    vo_vec3 x[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.3, 0.3, 0.5}};
    int front[4], back[3];
    for (int i = 0; i < 4; i++) front[i] = garment_vert(&g, v2(x[i].x, x[i].y), x[i]);
    for (int i = 0; i < 3; i++) back[i] = garment_vert(&g, v2(3 - x[i].x, x[i].y), x[i]);
    for (int i = 0; i < 3; i++) garment_face(&g, front[i], front[(i + 1) % 3], front[3], 0);
    garment_face(&g, back[0], back[2], back[1], 0);
    vo_mesh *m;
    assert_ok(ctx, vo_mesh_build_validated(ctx, "bag", &g.data, VO_MESH_FOR_CLOTH, &m));
    vo_mesh_data_free(ctx, &g.data);
    vo_edit *e = open_edit(m, 0);
    for (int i = 0; i < 3; i++) assert_int_equal(collapse(e, 3, i), VO_EDIT_JOINED);
    close_edit(e);
}

static void collapse_rejects_too_many_faces(void **state) {
    (void)state;
    enum { N = 100 };
    vo_context *ctx = test_context(1);
    garment g = {.ctx = ctx};
    int centre = garment_vert(&g, v2(0, 0), v3(0, 0, 0)), rim[N];
    for (int i = 0; i < N; i++) {
        double a = 2 * VO_PI * i / N;
        rim[i] = garment_vert(&g, v2(cos(a), sin(a)), v3(cos(a), sin(a), 0));
    }
    for (int i = 0; i < N; i++) garment_face(&g, centre, rim[i], rim[(i + 1) % N], 0);
    vo_mesh *m;
    assert_ok(ctx, vo_mesh_build_validated(ctx, "wheel", &g.data, VO_MESH_FOR_CLOTH, &m));
    vo_mesh_data_free(ctx, &g.data);
    vo_edit *e = open_edit(m, 0);
    assert_int_equal(collapse(e, 0, 1), VO_EDIT_LARGE);
    close_edit(e);
}

/* ---- motion ---------------------------------------------------------------------------------- */

static vo_vec3 spin_at(vo_vec2 u) { return v3(3 - 2 * u.y, 2 * u.x, 1 + u.x); }

/* Sum of mass x velocity. */
static vo_vec3 momentum_of(const vo_edit *e) {
    vo_vec3 sum = v3_zero();
    for (int n = 0; n < e->mesh->node_count; n++)
        if (vo_edit_has_node(e, n)) sum = v3_add_scaled(sum, e->node_mass[n], e->mesh->node_v[n]);
    return sum;
}

static void edits_preserve_uniform_velocity(void **state) {
    (void)state;
    vo_edit *e = open_grid(6, 6, 0);
    vo_mesh *m = e->mesh;
    vo_random r = vo_random_seed(11);
    for (int n = 0; n < m->node_count; n++) m->node_v[n] = v3(3, -1, 2);
    for (int i = 0; i < 3000; i++) {
        int edge = vo_random_int(&r, m->edge_count);
        if (i % 3 == 0) vo_edit_split(e, edge, 0.5, NULL);
        if (i % 3 == 1) vo_edit_collapse(e, edge, i & 1);
        if (i % 3 == 2) vo_edit_flip(e, edge);
    }
    for (int n = 0; n < m->node_count; n++)
        if (vo_edit_has_node(e, n)) assert_near(v3_distance(m->node_v[n], v3(3, -1, 2)), 0, 1e-11);
    close_edit(e);
}

/* Velocities linear in material space need no momentum correction. Splits, and flips of squares
 * with this motion, which has the same energy on either diagonal, leave velocities unchanged. */
static void edits_preserve_linear_velocity(void **state) {
    (void)state;
    vo_edit *e = open_grid(6, 6, 0);
    vo_mesh *m = e->mesh;
    vo_random r = vo_random_seed(12);
    for (int n = 0; n < m->node_count; n++) m->node_v[n] = spin_at(m->vert_u[e->node_vert[n]]);
    for (int k = 0; k < m->edge_count; k++) {
        vo_vec2 along = v2_sub(m->vert_u[m->edge_node[k][1]], m->vert_u[m->edge_node[k][0]]);
        if (along.x * along.y != 0 && vo_random_int(&r, 2))
            assert_int_equal(vo_edit_flip(e, k), VO_EDIT_ALLOWED);
    }
    for (int k = 0; k < 100; k++) vo_edit_split(e, vo_random_int(&r, m->edge_count), 0.3, NULL);
    for (int n = 0; n < m->node_count; n++)
        assert_near(v3_distance(m->node_v[n], spin_at(m->vert_u[e->node_vert[n]])), 0, 1e-12);
    close_edit(e);
}

static void edits_preserve_prescribed_velocity(void **state) {
    (void)state;
    vo_edit *e = open_grid(4, 4, 0);
    vo_mesh *m = e->mesh;
    vo_random r = vo_random_seed(2);
    for (int n = 0; n < m->node_count; n++)
        m->node_v[n] = v3(vo_random_real(&r, -1, 1), vo_random_real(&r, -1, 1), 0);
    e->node_flags[6] |= VO_NODE_PRESCRIBED;
    vo_vec3 held = m->node_v[6], free = m->node_v[12];
    vo_vec3 before = momentum_of(e);
    assert_int_equal(flip(e, 6, 12), VO_EDIT_ALLOWED);
    assert_memory_equal(&m->node_v[6], &held, sizeof held);
    assert_true(v3_distance(m->node_v[12], free) > 1e-6);
    assert_near(v3_distance(before, momentum_of(e)), 0, 1e-13);
    close_edit(e);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(split_places_node_on_old_surface),
        cmocka_unit_test(split_of_border_adds_one_face),
        cmocka_unit_test(split_of_seam_splits_both_sides),
        cmocka_unit_test(split_of_seam_at_its_end_adds_two_verts),
        cmocka_unit_test(split_keeps_labels_and_rest_angles),
        cmocka_unit_test(split_rejects_degenerate_faces),
        cmocka_unit_test(flip_twice_restores_the_mesh),
        cmocka_unit_test(flip_rejects_feature_edges),
        cmocka_unit_test(flip_rejects_concave_quadrilateral),
        cmocka_unit_test(flip_preserves_curved_rest_shape),
        cmocka_unit_test(collapse_of_interior_node_removes_two_faces),
        cmocka_unit_test(collapse_of_straight_border_is_allowed),
        cmocka_unit_test(collapse_of_curved_border_stays_within_tolerance),
        cmocka_unit_test(collapse_of_seam_moves_both_sides),
        cmocka_unit_test(collapse_rejects_junctions),
        cmocka_unit_test(collapse_of_crease_follows_it),
        cmocka_unit_test(collapse_rejects_preserved_nodes),
        cmocka_unit_test(collapse_rejects_nodes_of_two_fans),
        cmocka_unit_test(collapse_keeps_narrow_tubes_open),
        cmocka_unit_test(collapse_rejects_last_node_of_a_bag),
        cmocka_unit_test(collapse_rejects_too_many_faces),
        cmocka_unit_test(edits_preserve_uniform_velocity),
        cmocka_unit_test(edits_preserve_linear_velocity),
        cmocka_unit_test(edits_preserve_prescribed_velocity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
