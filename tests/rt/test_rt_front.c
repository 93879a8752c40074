/* Mass and momentum while the front moves: any sequence of splits and joins keeps both. */
#include "rt_fixture.h"

#include "rt/hierarchy/mesh_private.h"

static bool is_long(void) { return getenv("VOILE_TEST_LONG") != NULL; }

typedef struct front {
    vo_rt_heap heap;
    vo_rt_asset *asset;
    vo_rt_mesh mesh;
} front;

static void set_up(front *t, rt_pins pins, vo_random *random) {
    vo_allocator allocator = rt_allocator(NULL);
    assert_true(vo_rt_heap_init(&t->heap, &allocator, (size_t)16 << 20));
    t->asset = rt_sheet(1, true, pins, 4);
    assert_true(vo_rt_mesh_init(&t->mesh, t->asset, &t->heap));
    t->mesh.max_level = 4;
    for (int i = 1; i < t->mesh.front.vertex_end; i++)
        for (int k = 0; k < 3; k++)
            (&t->mesh.front.velocity[i].x)[k] = (float)vo_random_real(random, -2, 2);
}

static void tear_down(front *t) {
    vo_rt_mesh_free(&t->mesh, &t->heap);
    vo_rt_heap_free(&t->heap);
    vo_rt_asset_destroy(t->asset);
}

/* Mass, momentum, and the sum of the magnitudes of the momenta. */
typedef struct sums {
    double mass, momentum[3], magnitude;
} sums;

static sums add_up(const vo_rt_front *f) {
    sums s = {0};
    for (int i = 1; i < f->vertex_end; i++) {
        if (!(f->flags[i] & VO_RT_VERTEX_USED)) continue;
        double m = (double)f->mass[i];
        s.mass += m;
        for (int k = 0; k < 3; k++) s.momentum[k] += m * (double)(&f->velocity[i].x)[k];
        s.magnitude += m * (double)f3_length(f4_xyz(f->velocity[i]));
    }
    return s;
}

static void check_sums(const sums *a, const sums *b, double tolerance) {
    assert_near(a->mass, b->mass, 1e-6 * a->mass);
    for (int k = 0; k < 3; k++)
        if (!(fabs(a->momentum[k] - b->momentum[k]) <= tolerance * a->magnitude))
            fail_msg("momentum %d: %.9g and %.9g of %g", k, a->momentum[k], b->momentum[k],
                     a->magnitude);
}

static bool edit(front *t, double chance, vo_random *random) {
    int edge = vo_random_int(random, t->mesh.edge_end);
    if (vo_random_real(random, 0, 1) < chance) {
        if (!vo_rt_mesh_can_split(&t->mesh, edge)) return false;
        assert_true(vo_rt_mesh_reserve_splits(&t->mesh, &t->heap, 1));
        vo_rt_mesh_split(&t->mesh, edge);
        return true;
    }
    if (!vo_rt_mesh_can_join(&t->mesh, edge)) return false;
    vo_rt_mesh_join(&t->mesh, edge);
    return true;
}

/* Other forces than those of the edits act between them: new velocities for some vertices. */
static void kick(front *t, vo_random *random) {
    vo_rt_front *f = &t->mesh.front;
    for (int n = 0; n < 8; n++) {
        int v = 1 + vo_random_int(random, f->vertex_end - 1);
        if (!(f->flags[v] & VO_RT_VERTEX_USED)) continue;
        f->velocity[v].x += (float)vo_random_real(random, -1, 1);
        f->velocity[v].z += (float)vo_random_real(random, -1, 1);
    }
}

static void test_edits_conserve_momentum(void **state) {
    (void)state;
    vo_random random = vo_random_seed(41);
    int edits = (is_long() ? 400000 : 20000) / TEST_SLOWNESS, largest = 0;
    front t;
    set_up(&t, RT_FREE, &random);
    for (int i = 0, attempt = 0; i < edits; attempt++) {
        sums before = add_up(&t.mesh.front);
        double chance = attempt / 3000 % 2 ? 0.25 : 0.75;
        if (!edit(&t, t.mesh.front.triangle_count > 3000 ? 0.1 : chance, &random)) continue;
        sums after = add_up(&t.mesh.front);
        check_sums(&before, &after, 2e-6);
        if (t.mesh.front.triangle_count > largest) largest = t.mesh.front.triangle_count;
        if (i++ % 16 == 0) kick(&t, &random);
    }
    assert_true(largest > 600 / TEST_SLOWNESS);
    tear_down(&t);
}

/* From the base level to the finest one and back: rounding does not accumulate. */
static void test_momentum_returns_to_the_base_level(void **state) {
    (void)state;
    vo_random random = vo_random_seed(42);
    front t;
    set_up(&t, RT_FREE, &random);
    sums before = add_up(&t.mesh.front);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 60000 / TEST_SLOWNESS; i++) edit(&t, 1, &random);
        for (int i = 0; i < 400000 && t.mesh.finest_level > 0; i++) edit(&t, 0, &random);
        sums after = add_up(&t.mesh.front);
        check_sums(&before, &after, 2e-5);
    }
    assert_int_equal(t.mesh.finest_level, 0);
    tear_down(&t);
}

/* Attached vertices move as prescribed: what edits take from the others, they do not receive. */
static void test_attached_vertices_keep_their_velocity(void **state) {
    (void)state;
    vo_random random = vo_random_seed(43);
    front t;
    set_up(&t, RT_PIN_EDGE, &random);
    vo_rt_vec4 expected[RT_GRID];
    for (int i = 0; i < RT_GRID; i++) expected[i] = t.mesh.front.velocity[1 + i * RT_GRID];
    for (int i = 0; i < 20000 / TEST_SLOWNESS; i++) edit(&t, i / 3000 % 2 ? 0.25 : 0.75, &random);
    for (int i = 0; i < RT_GRID; i++)
        assert_memory_equal(&expected[i], &t.mesh.front.velocity[1 + i * RT_GRID], 12);
    tear_down(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_edits_conserve_momentum),
        cmocka_unit_test(test_momentum_returns_to_the_base_level),
        cmocka_unit_test(test_attached_vertices_keep_their_velocity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
