/* Edit guard: faces around one edge in all positions, layers at rest, updates of faces, obstacles,
 * invalid coordinates, failing allocations. */
#include "guard_fixture.h"

static void add_cloth_mesh(guard_fixture *w, int nodes, const vo_vec3 *x, int verts,
                           const vo_vec2 *uv, const int *vert_node, int faces,
                           const int (*face)[3]) {
    vo_edit_def def = vo_edit_def_default();
    int i = w->cloth_count;
    assert_ok(w->ctx, vo_mesh_create(w->ctx, nodes, x, verts, uv, vert_node, faces, face,
                                     VO_MESH_FOR_CLOTH, &w->mesh[i]));
    assert_ok(w->ctx, vo_edit_create(w->mesh[i], &def, &w->edit[i]));
    w->cloth_count++;
}

/* ---- around one node ------------------------------------------------------------------------ */

/* A node, a ring around it, a face beyond each side of the ring, and a separate face at some
 * corners of the ring, with random positions.
 *
 *        \ | /  x
 *         \|/ /   \        0 is the centre, 1 to RING the ring, then the outer corners of the
 * faces.
 *     ----0--- p --- q     Faces attached at one corner have separate verts. */
enum { RING = 6, ATTACHED = 3, NODES = 1 + 2 * RING + 2 * ATTACHED, FACES = 2 * RING + ATTACHED };

typedef struct local {
    vo_vec3 x[NODES];
    vo_vec2 uv[NODES + ATTACHED];
    int vert_node[NODES + ATTACHED];
    int face[FACES][3];
} local;

static vo_vec3 random_position(vo_random *r, vo_vec3 around, double size) {
    return v3_add(around, test_random_vec3(r, size));
}

static void make_ring(local *l, vo_random *r, double bend) {
    l->x[0] = random_position(r, v3_zero(), 0.3 * bend);
    for (int i = 0; i < RING; i++) {
        double angle = 2 * VO_PI * i / RING, outer = angle + VO_PI / RING;
        int next = 1 + (i + 1) % RING;
        l->uv[1 + i] = v2(cos(angle), sin(angle));
        l->uv[1 + RING + i] = v2(1.7 * cos(outer), 1.7 * sin(outer));
        l->x[1 + i] = random_position(r, v3(cos(angle), sin(angle), 0), bend);
        l->x[1 + RING + i] =
            random_position(r, v3(1.7 * cos(outer), 1.7 * sin(outer), 0), 2.5 * bend);
        set_face(l->face[i], 0, 1 + i, next);
        set_face(l->face[RING + i], next, 1 + i, 1 + RING + i);
    }
}

/* Creates faces attached at a corner of the ring, the first one at corner 1, onto which the centre
 * is collapsed. */
static void make_attached(local *l, vo_random *r, double bend) {
    for (int i = 0; i < ATTACHED; i++) {
        int at = i == 0 ? 1 : 1 + vo_random_int(r, RING), first = 1 + 2 * RING + 2 * i;
        int vert = NODES + i;
        l->uv[vert] = v2(5, 0);
        l->vert_node[vert] = at;
        l->uv[first] = v2(6, 0);
        l->uv[first + 1] = v2(5, 1);
        vo_vec3 middle = random_position(r, v3_scale(0.6, l->x[at]), 0.5 * bend);
        l->x[first] = random_position(r, middle, 0.4);
        l->x[first + 1] = random_position(r, middle, 0.4);
        set_face(l->face[2 * RING + i], vert, first, first + 1);
    }
}

/* Rounds to multiples of a quarter, which makes many corners coplanar and collinear. */
static void snap(vo_vec3 *x, int count) {
    for (int n = 0; n < count; n++)
        x[n] = v3(round(4 * x[n].x) / 4, round(4 * x[n].y) / 4, round(4 * x[n].z) / 4);
}

/* Creates the mesh. With the ring alone (`bare`), new faces can only intersect each other. */
static guard_fixture make_local(vo_random *r, double bend, bool bare, bool snapped) {
    guard_fixture w = {.ctx = test_context(1)};
    local l = {.uv = {{0, 0}}};
    for (int n = 0; n < NODES; n++) l.vert_node[n] = n;
    make_ring(&l, r, bend);
    make_attached(&l, r, bend);
    if (snapped) snap(l.x, NODES);
    add_cloth_mesh(&w, NODES, l.x, NODES + ATTACHED, l.uv, l.vert_node, bare ? RING : FACES,
                   (const int(*)[3])l.face);
    return w;
}

/* Compares the guard with the reference for one edit; counts the results. */
static void compare(guard_fixture *w, edit_request e, int count[2][VERDICTS]) {
    if (!edit_is_possible(w, e)) return;
    bool allowed = guard_allows(w, e);
    verdict v = judge_edit(w, e, 100);
    if (allowed && v != FINE)
        fail_msg("%s is allowed, verdict %d", e.kind == FLIP ? "flip" : "collapse", v);
    count[allowed][v]++;
}

/* Compares all edits of the edges of the centre. */
static void compare_all(guard_fixture *w, int count[2][VERDICTS]) {
    const vo_mesh *m = w->mesh[0];
    fixture_begin(w, 0);
    for (int edge = 0; edge < m->edge_count; edge++)
        for (int end = 0; end < 2; end++)
            if (m->edge_node[edge][end] == 0) {
                compare(w, (edit_request){COLLAPSE, 0, edge, end}, count);
                compare(w, (edit_request){FLIP, 0, edge, 0}, count);
            }
}

/* Random states without intersections. */
static void edits_around_shared_corners_match_reference(void **state) {
    (void)state;
    vo_random r = vo_random_seed(3);
    int count[2][VERDICTS] = {{0}}, states = 0;
    for (int i = 0; i < 16000; i++) {
        guard_fixture w = make_local(&r, 0.1 + 0.12 * (i % 8), i % 5 == 0, i % 3 == 0);
        if (count_intersections(&w) == 0) {
            states++;
            compare_all(&w, count);
        }
        fixture_free(&w);
    }
    printf("%d states: may %d; no: passes %d, intersects %d, fine %d\n", states, count[1][FINE],
           count[0][PASSES], count[0][INTERSECTS], count[0][FINE]);
    assert_true(states > 500 && count[1][FINE] > 2000);
    assert_true(count[0][PASSES] > 200 && count[0][INTERSECTS] > 200);
    assert_true(50 * count[0][FINE] <
                count[1][FINE]); /* too thin for the samples of the reference */
}

/* ---- small obstacles ------------------------------------------------------------------------ */

/* A tent: two faces that rise to the edge a-b; flipped, they lie on the ground. */
static guard_fixture make_tent(void) {
    guard_fixture w = {.ctx = test_context(1)};
    const vo_vec3 x[4] = {{-1, 0, 1}, {1, 0, 1}, {0, 1, 0}, {0, -1, 0}};
    const vo_vec2 uv[4] = {{-1, 0}, {1, 0}, {0, 1}, {0, -1}};
    const int vert_node[4] = {0, 1, 2, 3}, face[2][3] = {{0, 1, 2}, {1, 0, 3}};
    add_cloth_mesh(&w, 4, x, 4, uv, vert_node, 2, face);
    return w;
}

static int tent_edge(const guard_fixture *w) { return vo_edit_find_edge(w->edit[0], 0, 1); }

/* Adds an obstacle of one small face. */
static void add_small_face(guard_fixture *w, vo_vec3 at, double size) {
    const vo_vec3 x[3] = {at, v3_add(at, v3(size, 0, 0)), v3_add(at, v3(0, size, 0))};
    const int face[1][3] = {{0, 1, 2}};
    assert_ok(w->ctx, vo_mesh_create(w->ctx, 3, x, 3, NULL, NULL, 1, face, VO_MESH_FOR_OBSTACLE,
                                     &w->obstacle[w->obstacle_count++]));
}

/* Returns the depth of a point in the swept tetrahedron: the smallest of its four barycentric
 * weights. */
static double depth_in_tent(vo_vec3 p) {
    const vo_vec3 t[4] = {{-1, 0, 1}, {1, 0, 1}, {0, 1, 0}, {0, -1, 0}};
    double min_weight = INFINITY,
           volume = v3_dot(v3_cross(v3_sub(t[1], t[0]), v3_sub(t[2], t[0])), v3_sub(t[3], t[0]));
    for (int i = 0; i < 4; i++) {
        vo_vec3 q[4] = {t[0], t[1], t[2], t[3]};
        q[i] = p;
        double part_volume =
            v3_dot(v3_cross(v3_sub(q[1], q[0]), v3_sub(q[2], q[0])), v3_sub(q[3], q[0]));
        min_weight = vo_min(min_weight, part_volume / volume);
    }
    return min_weight;
}

static void flip_over_small_face_is_rejected(void **state) {
    (void)state;
    vo_random r = vo_random_seed(9);
    int inside = 0, outside = 0;
    for (int i = 0; i < 2000; i++) {
        guard_fixture w = make_tent();
        vo_vec3 p = random_position(&r, v3(0, 0, 0.5), 0.6);
        double depth = depth_in_tent(p);
        add_small_face(&w, p, 1e-6);
        fixture_begin(&w, 0);
        if (depth > 1e-5) {
            assert_false(vo_guard_can_flip(w.guard, 0, tent_edge(&w)));
            inside++;
        } else if (depth < -1e-5) {
            assert_true(vo_guard_can_flip(w.guard, 0, tent_edge(&w)));
            outside++;
        }
        fixture_free(&w);
    }
    assert_true(inside > 200 && outside > 500);
}

/* The new face on the ground comes close to the small face below it. */
static void flip_below_clearance_is_rejected(void **state) {
    (void)state;
    for (int i = 1; i < 40; i++) {
        double below = 0.005 * i + 0.001;
        guard_fixture w = make_tent();
        add_small_face(&w, v3(0, 0, -below), 1e-3);
        fixture_begin(&w, 0.1);
        assert_true(vo_guard_can_flip(w.guard, 0, tent_edge(&w)) == (below > 0.1));
        fixture_free(&w);
    }
}

/* ---- layers at rest ------------------------------------------------------------------------- */

/* Flat layers closer than the clearance: all edits within their planes are allowed. */
static void edits_of_layers_at_rest_are_allowed(void **state) {
    (void)state;
    guard_fixture w = {.ctx = test_context(1)};
    for (int i = 0; i < 3; i++)
        fixture_add_sheet(&w, 1, 8, place_waves, (double[]){1e-4 * i, 0, 1});
    fixture_begin(&w, 1e-3);
    for (int i = 0; i < w.cloth_count; i++)
        for (int edge = 0; edge < w.mesh[i]->edge_count; edge++)
            for (edit_kind kind = COLLAPSE; kind <= FLIP; kind++) {
                edit_request e = {kind, i, edge, edge & 1};
                if (edit_is_possible(&w, e)) assert_true(guard_allows(&w, e));
            }
    fixture_free(&w);
}

/* Two wavy layers in contact: collapses that flatten crests of the lower one are allowed, those in
 * its valleys come closer. */
static void only_closer_edits_are_rejected_at_rest(void **state) {
    (void)state;
    guard_fixture w = {.ctx = test_context(1)};
    int allowed = 0, rejected = 0;
    fixture_add_sheet(&w, 1, 16, place_waves, (double[]){0, 0.01, 1});
    fixture_add_sheet(&w, 1, 16, place_waves, (double[]){0.002, 0.01, 1});
    fixture_begin(&w, 0.004);
    for (int edge = 0; edge < w.mesh[0]->edge_count; edge++) {
        edit_request e = {COLLAPSE, 0, edge, edge & 1};
        if (!edit_is_possible(&w, e)) continue;
        bool result = guard_allows(&w, e);
        verdict v = judge_edit(&w, e, 10);
        assert_int_equal(result, v == FINE);
        *(result ? &allowed : &rejected) += 1;
    }
    assert_true(allowed > 20 && rejected > 20);
    fixture_free(&w);
}

/* ---- updates -------------------------------------------------------------------------------- */

static void removed_faces_are_ignored(void **state) {
    (void)state;
    guard_fixture w = make_tent();
    fixture_add_sheet(&w, 1, 1, place_patch, (double[]){0, 0, 0.5, 0.1});
    fixture_begin(&w, 0);
    int edge = tent_edge(&w);
    assert_false(vo_guard_can_flip(w.guard, 0, edge));
    vo_guard_remove_face(w.guard, 1, 0);
    assert_false(vo_guard_can_flip(w.guard, 0, edge));
    vo_guard_remove_face(w.guard, 1, 1);
    vo_guard_remove_face(w.guard, 1, 1);
    assert_true(vo_guard_can_flip(w.guard, 0, edge));
    assert_ok(w.ctx, vo_guard_update_face(w.guard, 1, 0));
    assert_false(vo_guard_can_flip(w.guard, 0, edge));
    fixture_begin(&w, 0);
    assert_false(vo_guard_can_flip(w.guard, 0, edge));
    w.cloth_count = 1;
    fixture_begin(&w, 0);
    assert_true(vo_guard_can_flip(w.guard, 0, edge));
    w.cloth_count = 2;
    fixture_free(&w);
}

static void impossible_edits_are_rejected(void **state) {
    (void)state;
    guard_fixture w = make_tent();
    assert_ok(w.ctx, vo_guard_create(w.ctx, &w.guard));
    assert_false(vo_guard_can_flip(w.guard, 0, 0)); /* before the first begin */
    fixture_begin(&w, 0);
    assert_false(vo_guard_can_flip(w.guard, 0, -1));
    assert_false(vo_guard_can_flip(w.guard, 0, w.mesh[0]->edge_count));
    assert_false(vo_guard_can_collapse(w.guard, 0, -1, 0));
    assert_false(vo_guard_can_flip(w.guard, 0, vo_edit_find_edge(w.edit[0], 0, 2)));
    vo_guard_destroy(NULL);
    fixture_free(&w);
}

/* Nodes that are not finite: no edit next to them; their faces prevent nothing. */
static void invalid_coordinates_are_handled(void **state) {
    (void)state;
    static const double invalid[] = {NAN, INFINITY, -INFINITY, 1e300, 1e31};
    for (int i = 0; i < 5; i++) {
        guard_fixture w = make_tent();
        add_small_face(&w, v3(0, 0, 0.5), 0.1);
        w.obstacle[0]->node_x[1].x = invalid[i];
        fixture_begin(&w, 0.01);
        assert_true(vo_guard_can_flip(w.guard, 0, tent_edge(&w)));
        w.mesh[0]->node_x[2].y = invalid[i];
        fixture_begin(&w, 0.01);
        assert_false(vo_guard_can_flip(w.guard, 0, tent_edge(&w)));
        fixture_free(&w);
    }
}

/* A tent of any size, with a small face above it and then inside it. */
static void any_scale_is_supported(void **state) {
    (void)state;
    static const double scale[] = {1e-30, 1e-12, 1e6, 1e29};
    for (int i = 0; i < 4; i++) {
        guard_fixture w = make_tent();
        add_small_face(&w, v3(0, 0, 1.5), 0.1);
        for (int n = 0; n < 4; n++) w.mesh[0]->node_x[n] = v3_scale(scale[i], w.mesh[0]->node_x[n]);
        for (int n = 0; n < 3; n++)
            w.obstacle[0]->node_x[n] = v3_scale(scale[i], w.obstacle[0]->node_x[n]);
        fixture_begin(&w, 0.01 * scale[i]);
        assert_true(vo_guard_can_flip(w.guard, 0, tent_edge(&w)));
        for (int n = 0; n < 3; n++) w.obstacle[0]->node_x[n].z -= scale[i];
        fixture_begin(&w, 0.01 * scale[i]);
        assert_false(vo_guard_can_flip(w.guard, 0, tent_edge(&w)));
        fixture_free(&w);
    }
}

static void absent_obstacle_is_ignored(void **state) {
    (void)state;
    guard_fixture w = make_tent();
    add_small_face(&w, v3(0, 0, 0.5), 0.1);
    const vo_mesh *none = NULL;
    assert_ok(w.ctx, vo_guard_create(w.ctx, &w.guard));
    assert_ok(w.ctx, vo_guard_begin(w.guard, 1, (const vo_edit *const *)w.edit, 1, &none, 0.001));
    assert_true(vo_guard_can_flip(w.guard, 0, tent_edge(&w)));
    assert_ok(w.ctx, vo_guard_begin(w.guard, 0, NULL, 0, NULL, 0));
    fixture_begin(&w, 0.001);
    assert_false(vo_guard_can_flip(w.guard, 0, tent_edge(&w)));
    fixture_free(&w);
}

/* Memory does not grow after the first frame of a size. */
static void later_frames_do_not_allocate(void **state) {
    (void)state;
    test_memory memory = {.fail_at = -1};
    guard_fixture w = {.ctx = test_context_with(1, &memory)};
    fixture_add_sheet(&w, 1, 12, place_waves, (double[]){0, 0.1, 2});
    fixture_begin(&w, 0.001);
    long calls = memory.calls;
    for (int i = 0; i < 3; i++) {
        fixture_begin(&w, 0.001);
        for (int edge = 0; edge < w.mesh[0]->edge_count; edge++)
            vo_guard_can_collapse(w.guard, 0, edge, 0);
    }
    assert_int_equal(memory.calls, calls);
    fixture_free(&w);
}

/* ---- failing allocations -------------------------------------------------------------------- */

static vo_result split_all(vo_context *ctx, vo_edit *e, vo_guard *g) {
    (void)ctx;
    guard_fixture w = {.ctx = ctx, .cloth_count = 1, .mesh = {e->mesh}, .edit = {e}, .guard = g};
    vo_result result = VO_OK;
    for (int i = 0; i < 60 && result == VO_OK; i++) {
        edit_request split = {SPLIT, 0, i, 0};
        result = apply_split(&w, split);
    }
    bool allowed = vo_guard_can_flip(g, 0, 8);
    if (result == VO_OK)
        assert_true(allowed == (vo_edit_can_flip(e, 8) == VO_EDIT_ALLOWED) || !allowed);
    return result;
}

static vo_result with_editor(vo_context *ctx, vo_edit *e, const vo_mesh *obstacle) {
    vo_guard *g = NULL;
    const vo_edit *cloth = e;
    vo_result result = vo_guard_create(ctx, &g);
    if (result == VO_OK) result = vo_guard_begin(g, 1, &cloth, 1, &obstacle, 1e-3);
    if (g && result != VO_OK) assert_false(vo_guard_can_flip(g, 0, 8));
    if (result == VO_OK) result = split_all(ctx, e, g);
    if (result == VO_OK) result = vo_guard_begin(g, 1, &cloth, 1, &obstacle, 1e-3);
    vo_guard_destroy(g);
    return result;
}

static vo_result use_guard(vo_context *ctx, void *arg) {
    (void)arg;
    vo_mesh *m = NULL, *obstacle = NULL;
    vo_edit *e = NULL;
    vo_result result = vo_mesh_create_grid(ctx, 1, 1, 4, 4, &m);
    if (result == VO_OK) result = vo_mesh_create_grid(ctx, 1, 1, 3, 3, &obstacle);
    vo_edit_def def = vo_edit_def_default();
    if (result == VO_OK) result = vo_edit_create(m, &def, &e);
    if (result == VO_OK) result = with_editor(ctx, e, obstacle);
    vo_edit_destroy(e);
    vo_mesh_destroy(obstacle);
    vo_mesh_destroy(m);
    return result;
}

static void failed_allocations_are_reported(void **state) {
    (void)state;
    test_every_allocation(use_guard, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edits_around_shared_corners_match_reference),
        cmocka_unit_test(flip_over_small_face_is_rejected),
        cmocka_unit_test(flip_below_clearance_is_rejected),
        cmocka_unit_test(edits_of_layers_at_rest_are_allowed),
        cmocka_unit_test(only_closer_edits_are_rejected_at_rest),
        cmocka_unit_test(removed_faces_are_ignored),
        cmocka_unit_test(impossible_edits_are_rejected),
        cmocka_unit_test(invalid_coordinates_are_handled),
        cmocka_unit_test(any_scale_is_supported),
        cmocka_unit_test(absent_obstacle_is_ignored),
        cmocka_unit_test(later_frames_do_not_allocate),
        cmocka_unit_test(failed_allocations_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
