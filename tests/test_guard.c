/* The guard in small: faces around one edge in every position to it, layers at rest, edits told and
 * not, obstacles, odd numbers, failing allocations. */
#include "guard_world.h"

static void add_mesh_of(world *w, int nodes, const vo_vec3 *x, int verts, const vo_vec2 *uv,
                        const int *vert_node, int faces, const int (*face)[3]) {
    vo_edit_def def = vo_edit_def_default();
    int i = w->cloth_count;
    assert_ok(w->ctx, vo_mesh_create(w->ctx, nodes, x, verts, uv, vert_node, faces, face,
                                     VO_MESH_FOR_CLOTH, &w->mesh[i]));
    assert_ok(w->ctx, vo_edit_create(w->mesh[i], &def, &w->edit[i]));
    w->cloth_count++;
}

/* ---- around one node ------------------------------------------------------------------------ */

/* A node, a ring around it, a face beyond each side of the ring, and a face of its own at some
 * corners of the ring, all bent at random.
 *
 *        \ | /  x
 *         \|/ /   \        0 the middle, 1 to RING the ring, then the faces' outer corners. Faces
 *     ----0--- p --- q     that hang at one corner have verts of their own. */
enum { RING = 6, HANGING = 3, NODES = 1 + 2 * RING + 2 * HANGING, FACES = 2 * RING + HANGING };

typedef struct local {
    vo_vec3 x[NODES];
    vo_vec2 uv[NODES + HANGING];
    int vert_node[NODES + HANGING];
    int face[FACES][3];
} local;

static vo_vec3 random_place(vo_random *r, vo_vec3 around, double size) {
    return v3_add(around, v3(vo_random_real(r, -size, size), vo_random_real(r, -size, size),
                             vo_random_real(r, -size, size)));
}

static void make_ring(local *l, vo_random *r, double bend) {
    l->x[0] = random_place(r, v3_zero(), 0.3 * bend);
    for (int i = 0; i < RING; i++) {
        double angle = 2 * VO_PI * i / RING, outer = angle + VO_PI / RING;
        int next = 1 + (i + 1) % RING;
        l->uv[1 + i] = v2(cos(angle), sin(angle));
        l->uv[1 + RING + i] = v2(1.7 * cos(outer), 1.7 * sin(outer));
        l->x[1 + i] = random_place(r, v3(cos(angle), sin(angle), 0), bend);
        l->x[1 + RING + i] = random_place(r, v3(1.7 * cos(outer), 1.7 * sin(outer), 0), 2.5 * bend);
        put(l->face[i], 0, 1 + i, next);
        put(l->face[RING + i], next, 1 + i, 1 + RING + i);
    }
}

/* Faces that hang at a corner of the ring or, so that it is the one collapsed onto, at corner 1. */
static void make_hanging(local *l, vo_random *r, double bend) {
    for (int i = 0; i < HANGING; i++) {
        int at = i == 0 ? 1 : 1 + vo_random_int(r, RING), first = 1 + 2 * RING + 2 * i;
        int vert = NODES + i;
        l->uv[vert] = v2(5, 0);
        l->vert_node[vert] = at;
        l->uv[first] = v2(6, 0);
        l->uv[first + 1] = v2(5, 1);
        vo_vec3 middle = random_place(r, v3_scale(0.6, l->x[at]), 0.5 * bend);
        l->x[first] = random_place(r, middle, 0.4);
        l->x[first + 1] = random_place(r, middle, 0.4);
        put(l->face[2 * RING + i], vert, first, first + 1);
    }
}

/* To multiples of a quarter, so that much lies in common planes and on common lines. */
static void snap(vo_vec3 *x, int count) {
    for (int n = 0; n < count; n++)
        x[n] = v3(round(4 * x[n].x) / 4, round(4 * x[n].y) / 4, round(4 * x[n].z) / 4);
}

/* With the ring alone, new faces can meet each other only. */
static world make_local(vo_random *r, double bend, bool bare, bool snapped) {
    world w = {.ctx = test_context(1)};
    local l = {.uv = {{0, 0}}};
    for (int n = 0; n < NODES; n++) l.vert_node[n] = n;
    make_ring(&l, r, bend);
    make_hanging(&l, r, bend);
    if (snapped) snap(l.x, NODES);
    add_mesh_of(&w, NODES, l.x, NODES + HANGING, l.uv, l.vert_node, bare ? RING : FACES,
                (const int(*)[3])l.face);
    return w;
}

/* Asks about one edit and compares; counts the answers. */
static void compare(world *w, edit_wish e, int count[2][VERDICTS]) {
    if (!wish_can(w, e)) return;
    bool may = guard_may(w, e);
    verdict v = world_judge(w, e, 100);
    if (may && v != FINE)
        fail_msg("%s is allowed, verdict %d", e.kind == FLIP ? "flip" : "collapse", v);
    count[may][v]++;
}

/* All edits of the middle node's edges. */
static void compare_all(world *w, int count[2][VERDICTS]) {
    const vo_mesh *m = w->mesh[0];
    world_begin(w, 0);
    for (int edge = 0; edge < m->edge_count; edge++)
        for (int end = 0; end < 2; end++)
            if (m->edge_node[edge][end] == 0) {
                compare(w, (edit_wish){COLLAPSE, 0, edge, end}, count);
                compare(w, (edit_wish){FLIP, 0, edge, 0}, count);
            }
}

/* Random states, those without intersections. */
static void faces_that_share_corners_are_told_apart(void **state) {
    (void)state;
    vo_random r = vo_random_seed(3);
    int count[2][VERDICTS] = {{0}}, states = 0;
    for (int i = 0; i < 16000; i++) {
        world w = make_local(&r, 0.1 + 0.12 * (i % 8), i % 5 == 0, i % 3 == 0);
        if (world_crossings(&w) == 0) {
            states++;
            compare_all(&w, count);
        }
        world_free(&w);
    }
    printf("%d states: may %d; no: passes %d, intersects %d, fine %d\n", states, count[1][FINE],
           count[0][PASSES], count[0][INTERSECTS], count[0][FINE]);
    assert_true(states > 500 && count[1][FINE] > 2000);
    assert_true(count[0][PASSES] > 200 && count[0][INTERSECTS] > 200);
    assert_true(50 * count[0][FINE] < count[1][FINE]); /* too thin for the judge's steps */
}

/* ---- a small thing in the way --------------------------------------------------------------- */

/* A tent: a hinge whose faces rise to the edge a-b; flipped, they lie on the ground. */
static world make_tent(void) {
    world w = {.ctx = test_context(1)};
    const vo_vec3 x[4] = {{-1, 0, 1}, {1, 0, 1}, {0, 1, 0}, {0, -1, 0}};
    const vo_vec2 uv[4] = {{-1, 0}, {1, 0}, {0, 1}, {0, -1}};
    const int vert_node[4] = {0, 1, 2, 3}, face[2][3] = {{0, 1, 2}, {1, 0, 3}};
    add_mesh_of(&w, 4, x, 4, uv, vert_node, 2, face);
    return w;
}

static int tent_edge(const world *w) { return vo_edit_find_edge(w->edit[0], 0, 1); }

/* Adds an obstacle of one small face. */
static void add_crumb(world *w, vo_vec3 at, double size) {
    const vo_vec3 x[3] = {at, v3_add(at, v3(size, 0, 0)), v3_add(at, v3(0, size, 0))};
    const int face[1][3] = {{0, 1, 2}};
    assert_ok(w->ctx, vo_mesh_create(w->ctx, 3, x, 3, NULL, NULL, 1, face, VO_MESH_FOR_OBSTACLE,
                                     &w->obstacle[w->obstacle_count++]));
}

/* How deep in the tent's tetrahedron a point is: the least of its four weights. */
static double depth_in_tent(vo_vec3 p) {
    const vo_vec3 t[4] = {{-1, 0, 1}, {1, 0, 1}, {0, 1, 0}, {0, -1, 0}};
    double least = INFINITY,
           all = v3_dot(v3_cross(v3_sub(t[1], t[0]), v3_sub(t[2], t[0])), v3_sub(t[3], t[0]));
    for (int i = 0; i < 4; i++) {
        vo_vec3 q[4] = {t[0], t[1], t[2], t[3]};
        q[i] = p;
        double part = v3_dot(v3_cross(v3_sub(q[1], q[0]), v3_sub(q[2], q[0])), v3_sub(q[3], q[0]));
        least = vo_min(least, part / all);
    }
    return least;
}

static void what_lies_between_is_never_jumped_over(void **state) {
    (void)state;
    vo_random r = vo_random_seed(9);
    int inside = 0, outside = 0;
    for (int i = 0; i < 2000; i++) {
        world w = make_tent();
        vo_vec3 p = random_place(&r, v3(0, 0, 0.5), 0.6);
        double depth = depth_in_tent(p);
        add_crumb(&w, p, 1e-6);
        world_begin(&w, 0);
        if (depth > 1e-5) {
            assert_false(vo_guard_may_flip(w.guard, 0, tent_edge(&w)));
            inside++;
        } else if (depth < -1e-5) {
            assert_true(vo_guard_may_flip(w.guard, 0, tent_edge(&w)));
            outside++;
        }
        world_free(&w);
    }
    assert_true(inside > 200 && outside > 500);
}

/* The face that comes close is a-b-c's successor, on the ground under the crumb. */
static void the_clearance_is_kept(void **state) {
    (void)state;
    for (int i = 1; i < 40; i++) {
        double below = 0.005 * i + 0.001;
        world w = make_tent();
        add_crumb(&w, v3(0, 0, -below), 1e-3);
        world_begin(&w, 0.1);
        assert_true(vo_guard_may_flip(w.guard, 0, tent_edge(&w)) == (below > 0.1));
        world_free(&w);
    }
}

/* ---- at rest -------------------------------------------------------------------------------- */

/* Layers closer than the clearance, flat, with edits in their planes: all may be done. */
static void layers_at_rest_can_be_edited(void **state) {
    (void)state;
    world w = {.ctx = test_context(1)};
    for (int i = 0; i < 3; i++) world_add_sheet(&w, 1, 8, place_waves, (double[]){1e-4 * i, 0, 1});
    world_begin(&w, 1e-3);
    for (int i = 0; i < w.cloth_count; i++)
        for (int edge = 0; edge < w.mesh[i]->edge_count; edge++)
            for (edit_kind kind = COLLAPSE; kind <= FLIP; kind++) {
                edit_wish e = {kind, i, edge, edge & 1};
                if (wish_can(&w, e)) assert_true(guard_may(&w, e));
            }
    world_free(&w);
}

/* Two waves, one on the other: collapses of the lower that flatten its tops move away, those of its
 * valleys come closer. */
static void only_coming_closer_is_refused_at_rest(void **state) {
    (void)state;
    world w = {.ctx = test_context(1)};
    int may = 0, no = 0;
    world_add_sheet(&w, 1, 16, place_waves, (double[]){0, 0.01, 1});
    world_add_sheet(&w, 1, 16, place_waves, (double[]){0.002, 0.01, 1});
    world_begin(&w, 0.004);
    for (int edge = 0; edge < w.mesh[0]->edge_count; edge++) {
        edit_wish e = {COLLAPSE, 0, edge, edge & 1};
        if (!wish_can(&w, e)) continue;
        bool answer = guard_may(&w, e);
        verdict v = world_judge(&w, e, 10);
        assert_int_equal(answer, v == FINE);
        *(answer ? &may : &no) += 1;
    }
    assert_true(may > 20 && no > 20);
    world_free(&w);
}

/* ---- what it is told ------------------------------------------------------------------------ */

static void faces_that_are_gone_are_forgotten(void **state) {
    (void)state;
    world w = make_tent();
    world_add_sheet(&w, 1, 1, place_patch, (double[]){0, 0, 0.5, 0.1});
    world_begin(&w, 0);
    int edge = tent_edge(&w);
    assert_false(vo_guard_may_flip(w.guard, 0, edge));
    vo_guard_removed(w.guard, 1, 0);
    assert_false(vo_guard_may_flip(w.guard, 0, edge));
    vo_guard_removed(w.guard, 1, 1);
    vo_guard_removed(w.guard, 1, 1);
    assert_true(vo_guard_may_flip(w.guard, 0, edge));
    assert_ok(w.ctx, vo_guard_changed(w.guard, 1, 0));
    assert_false(vo_guard_may_flip(w.guard, 0, edge));
    world_begin(&w, 0);
    assert_false(vo_guard_may_flip(w.guard, 0, edge));
    w.cloth_count = 1;
    world_begin(&w, 0);
    assert_true(vo_guard_may_flip(w.guard, 0, edge));
    w.cloth_count = 2;
    world_free(&w);
}

static void what_cannot_be_edited_may_not(void **state) {
    (void)state;
    world w = make_tent();
    assert_ok(w.ctx, vo_guard_create(w.ctx, &w.guard));
    assert_false(vo_guard_may_flip(w.guard, 0, 0)); /* before the first begin */
    world_begin(&w, 0);
    assert_false(vo_guard_may_flip(w.guard, 0, -1));
    assert_false(vo_guard_may_flip(w.guard, 0, w.mesh[0]->edge_count));
    assert_false(vo_guard_may_collapse(w.guard, 0, -1, 0));
    assert_false(vo_guard_may_flip(w.guard, 0, vo_edit_find_edge(w.edit[0], 0, 2)));
    vo_guard_destroy(NULL);
    world_free(&w);
}

/* Nodes that are nowhere: no edit next to them; faces with them stop nobody. */
static void odd_numbers_do_no_harm(void **state) {
    (void)state;
    static const double odd[] = {NAN, INFINITY, -INFINITY, 1e300, 1e31};
    for (int i = 0; i < 5; i++) {
        world w = make_tent();
        add_crumb(&w, v3(0, 0, 0.5), 0.1);
        w.obstacle[0]->node_x[1].x = odd[i];
        world_begin(&w, 0.01);
        assert_true(vo_guard_may_flip(w.guard, 0, tent_edge(&w)));
        w.mesh[0]->node_x[2].y = odd[i];
        world_begin(&w, 0.01);
        assert_false(vo_guard_may_flip(w.guard, 0, tent_edge(&w)));
        world_free(&w);
    }
}

/* A tent of any size, with a crumb above it and then in it. */
static void any_scale_will_do(void **state) {
    (void)state;
    static const double scale[] = {1e-30, 1e-12, 1e6, 1e29};
    for (int i = 0; i < 4; i++) {
        world w = make_tent();
        add_crumb(&w, v3(0, 0, 1.5), 0.1);
        for (int n = 0; n < 4; n++) w.mesh[0]->node_x[n] = v3_scale(scale[i], w.mesh[0]->node_x[n]);
        for (int n = 0; n < 3; n++)
            w.obstacle[0]->node_x[n] = v3_scale(scale[i], w.obstacle[0]->node_x[n]);
        world_begin(&w, 0.01 * scale[i]);
        assert_true(vo_guard_may_flip(w.guard, 0, tent_edge(&w)));
        for (int n = 0; n < 3; n++) w.obstacle[0]->node_x[n].z -= scale[i];
        world_begin(&w, 0.01 * scale[i]);
        assert_false(vo_guard_may_flip(w.guard, 0, tent_edge(&w)));
        world_free(&w);
    }
}

static void obstacles_may_be_absent(void **state) {
    (void)state;
    world w = make_tent();
    add_crumb(&w, v3(0, 0, 0.5), 0.1);
    const vo_mesh *none = NULL;
    assert_ok(w.ctx, vo_guard_create(w.ctx, &w.guard));
    assert_ok(w.ctx, vo_guard_begin(w.guard, 1, (const vo_edit *const *)w.edit, 1, &none, 0.001));
    assert_true(vo_guard_may_flip(w.guard, 0, tent_edge(&w)));
    assert_ok(w.ctx, vo_guard_begin(w.guard, 0, NULL, 0, NULL, 0));
    world_begin(&w, 0.001);
    assert_false(vo_guard_may_flip(w.guard, 0, tent_edge(&w)));
    world_free(&w);
}

/* Memory grows to what the largest frame needs, and no further. */
static void later_frames_ask_for_no_memory(void **state) {
    (void)state;
    test_memory memory = {.fail_at = -1};
    world w = {.ctx = test_context_with(1, &memory)};
    world_add_sheet(&w, 1, 12, place_waves, (double[]){0, 0.1, 2});
    world_begin(&w, 0.001);
    long calls = memory.calls;
    for (int i = 0; i < 3; i++) {
        world_begin(&w, 0.001);
        for (int edge = 0; edge < w.mesh[0]->edge_count; edge++)
            vo_guard_may_collapse(w.guard, 0, edge, 0);
    }
    assert_int_equal(memory.calls, calls);
    world_free(&w);
}

/* ---- failing allocations -------------------------------------------------------------------- */

static vo_result split_all(vo_context *ctx, vo_edit *e, vo_guard *g) {
    (void)ctx;
    world w = {.ctx = ctx, .cloth_count = 1, .mesh = {e->mesh}, .edit = {e}, .guard = g};
    vo_result result = VO_OK;
    for (int i = 0; i < 60 && result == VO_OK; i++) {
        edit_wish split = {SPLIT, 0, i, 0};
        result = tell_split(&w, split);
    }
    bool may = vo_guard_may_flip(g, 0, 8);
    if (result == VO_OK) assert_true(may == (vo_edit_can_flip(e, 8) == VO_EDIT_ALLOWED) || !may);
    return result;
}

static vo_result with_editor(vo_context *ctx, vo_edit *e, const vo_mesh *obstacle) {
    vo_guard *g = NULL;
    const vo_edit *cloth = e;
    vo_result result = vo_guard_create(ctx, &g);
    if (result == VO_OK) result = vo_guard_begin(g, 1, &cloth, 1, &obstacle, 1e-3);
    if (g && result != VO_OK) assert_false(vo_guard_may_flip(g, 0, 8));
    if (result == VO_OK) result = split_all(ctx, e, g);
    if (result == VO_OK) result = vo_guard_begin(g, 1, &cloth, 1, &obstacle, 1e-3);
    vo_guard_destroy(g);
    return result;
}

static vo_result guard_a_while(vo_context *ctx, void *arg) {
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

static void every_allocation_may_fail(void **state) {
    (void)state;
    test_every_allocation(guard_a_while, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faces_that_share_corners_are_told_apart),
        cmocka_unit_test(what_lies_between_is_never_jumped_over),
        cmocka_unit_test(the_clearance_is_kept),
        cmocka_unit_test(layers_at_rest_can_be_edited),
        cmocka_unit_test(only_coming_closer_is_refused_at_rest),
        cmocka_unit_test(faces_that_are_gone_are_forgotten),
        cmocka_unit_test(what_cannot_be_edited_may_not),
        cmocka_unit_test(odd_numbers_do_no_harm),
        cmocka_unit_test(any_scale_will_do),
        cmocka_unit_test(obstacles_may_be_absent),
        cmocka_unit_test(later_frames_ask_for_no_memory),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
