/* Chromatic decomposition: constraints 1 and 2 on random valid fronts, and validity of fronts. */
#include "rt_asset_cases.h"

#include "rt/hierarchy/mesh_private.h"

static test_memory memory;

static bool is_long(void) { return getenv("VOILE_TEST_LONG") != NULL; }

/* --- Base meshes ------------------------------------------------------------------------------ */

/* A disc of `n` triangles around a vertex. */
static rt_test_mesh *create_disc(int n) {
    rt_test_mesh *mesh = calloc(1, sizeof *mesh);
    assert_non_null(mesh);
    rt_test_bind(mesh);
    mesh->def.coordinates = NULL;
    mesh->def.vertex_count = n + 1;
    mesh->def.triangle_count = n;
    for (int i = 0; i < n; i++) {
        float angle = 6.2831853f * (float)i / (float)n;
        mesh->positions[i + 1] = f3(cosf(angle), sinf(angle), 0);
        mesh->triangles[3 * i + 1] = i + 1;
        mesh->triangles[3 * i + 2] = (i + 1) % n + 1;
    }
    return mesh;
}

/* A band of `n` cells that is closed to a ring. */
static rt_test_mesh *create_ring(int n) {
    rt_test_mesh *mesh = rt_test_sheet(n, 1);
    mesh->def.coordinates = NULL;
    for (int i = 0; i <= n; i++)
        for (int k = 0; k < 2; k++) {
            float angle = 6.2831853f * (float)i / (float)n;
            mesh->positions[i + k * (n + 1)] = f3(cosf(angle), sinf(angle), (float)k);
        }
    for (int i = 0; i < 3 * mesh->def.triangle_count; i++) {
        int v = mesh->triangles[i], row = v / (n + 1), column = v % (n + 1) % n;
        mesh->triangles[i] = row * n + column;
    }
    for (int i = 0; i < n; i++) mesh->positions[n + i] = mesh->positions[n + 1 + i];
    mesh->def.vertex_count = 2 * n;
    return mesh;
}

enum { MESHES = 8 };
static rt_test_mesh *create_mesh(int kind) {
    switch (kind) {
    case 0:
        return rt_test_sheet(1, 1);
    case 1:
        return rt_test_sheet(3, 3);
    case 2:
        return rt_test_octahedron();
    case 3:
        return create_disc(3);
    case 4:
        return create_disc(5);
    case 5:
        return create_disc(9);
    case 6:
        return create_ring(4);
    default:
        return create_ring(7);
    }
}

static vo_rt_asset *create_asset(int kind, int max_level) {
    rt_test_mesh *mesh = create_mesh(kind);
    mesh->def.max_level = max_level;
    vo_rt_asset *asset = rt_test_create(&memory, &mesh->def);
    free(mesh);
    return asset;
}

/* --- Fronts ------------------------------------------------------------------------------------
 */

typedef struct front_case {
    vo_rt_asset *asset;
    vo_rt_mesh mesh;
    vo_rt_heap heap;
} front_case;

static front_case create_front(int kind, int max_level) {
    front_case c = {.asset = create_asset(kind, max_level)};
    vo_allocator allocator = rt_test_allocator(&memory);
    assert_true(vo_rt_heap_init(&c.heap, &allocator, 8 << 20));
    assert_true(vo_rt_mesh_init(&c.mesh, c.asset, &c.heap));
    return c;
}

static void free_front(front_case *c) {
    vo_rt_mesh_free(&c->mesh, &c->heap);
    vo_rt_heap_free(&c->heap);
    vo_rt_asset_destroy(c->asset);
}

static bool edit_randomly(front_case *c, double split_chance, vo_random *random) {
    int edge = vo_random_int(random, c->mesh.edge_end);
    bool splits = vo_random_real(random, 0, 1) < split_chance;
    if (splits && vo_rt_mesh_can_split(&c->mesh, edge) &&
        vo_rt_mesh_reserve_splits(&c->mesh, &c->heap, 1)) {
        vo_rt_mesh_split(&c->mesh, edge);
        return true;
    }
    if (!splits && vo_rt_mesh_can_join(&c->mesh, edge)) {
        vo_rt_mesh_join(&c->mesh, edge);
        return true;
    }
    return false;
}

static void check_front(const vo_rt_mesh *mesh) {
    int32_t conflict[3];
    if (vo_rt_mesh_check_colours(mesh, conflict)) return;
    const vo_rt_triangle *a = &mesh->triangle[conflict[0]], *b = &mesh->triangle[conflict[1]];
    fail_msg("leaves %d (level %d) and %d (level %d) have the colour %d; neighbour %d (level %d)",
             conflict[0], a->level, conflict[1], b->level, vo_rt_mesh_colour(mesh, conflict[0]),
             conflict[2], mesh->triangle[conflict[2]].level);
}

/* Levels at each vertex, from the leaf lists alone. */
static void check_levels(const vo_rt_mesh *mesh) {
    uint8_t low[4096], high[4096];
    const vo_rt_front *f = &mesh->front;
    assert_true(f->vertex_end <= 4096);
    memset(low, 255, sizeof low);
    memset(high, 0, sizeof high);
    for (int i = 0; i < f->triangle_count; i++)
        for (int k = 0; k < 3; k++) {
            int v = f->triangles[i].vertex[k];
            uint8_t level = mesh->triangle[f->triangle_source[i]].level;
            if (level < low[v]) low[v] = level;
            if (level > high[v]) high[v] = level;
        }
    for (int v = 1; v < f->vertex_end; v++) assert_true(low[v] == 255 || high[v] <= low[v] + 1);
}

static bool share_vertex(const vo_rt_front *f, int a, int b) {
    for (int i = 0; i < 9; i++)
        if (f->triangles[a].vertex[i / 3] == f->triangles[b].vertex[i % 3]) return true;
    return false;
}

/* Both constraints by comparing all pairs of leaves. */
static bool is_colouring_valid(const vo_rt_mesh *mesh) {
    const vo_rt_front *f = &mesh->front;
    for (int a = 0; a < f->triangle_count; a++)
        for (int b = 0; b < a; b++) {
            if (vo_rt_mesh_colour(mesh, f->triangle_source[a]) !=
                vo_rt_mesh_colour(mesh, f->triangle_source[b]))
                continue;
            for (int c = 0; c < f->triangle_count; c++)
                if (share_vertex(f, a, c) && share_vertex(f, b, c)) return false;
        }
    return true;
}

/* --- Tests -------------------------------------------------------------------------------------
 */

static void run_fronts(int kind, int max_level, int fronts, vo_random *random) {
    front_case c = create_front(kind, max_level);
    int finest = 0;
    for (int i = 0, attempts = 0; i < fronts && attempts < 100 * fronts; attempts++) {
        double chance = attempts / 700 % 3 == 2 ? 0.3 : 0.75;
        if (c.mesh.front.triangle_count > 400) chance = 0.2;
        if (!edit_randomly(&c, chance, random)) continue;
        i++;
        check_front(&c.mesh);
        if (i % 16 == 0) check_levels(&c.mesh);
        if (c.mesh.finest_level > finest) finest = c.mesh.finest_level;
    }
    assert_true(fronts < 1000 || finest >= 3 || finest == max_level);
    assert_null(vo_rt_mesh_validate(&c.mesh));
    free_front(&c);
}

/* Each edit gives another front; with VOILE_TEST_LONG there are two million. */
static void constraints_hold_on_random_fronts(void **state) {
    (void)state;
    vo_random random = vo_random_seed(31);
    int fronts = (is_long() ? 2000000 : 48000) / TEST_SLOWNESS;
    for (int kind = 0; kind < MESHES; kind++)
        for (int level = 2; level <= 5; level++)
            run_fronts(kind, level, fronts / (4 * MESHES), &random);
}

/* Colours that are derived, not stored: the base mesh of the rule is that of the previous level. */
static void derived_colours_satisfy_the_constraints(void **state) {
    (void)state;
    vo_random random = vo_random_seed(32);
    front_case c = create_front(1, 4);
    c.asset->coloured_levels = 1;
    int sets = vo_rt_asset_colour_sets(c.asset);
    for (int i = 0; i < 20000 / TEST_SLOWNESS; i++) {
        if (!edit_randomly(&c, c.mesh.front.triangle_count > 400 ? 0.2 : 0.75, &random)) continue;
        check_front(&c.mesh);
        int leaf =
            c.mesh.front.triangle_source[vo_random_int(&random, c.mesh.front.triangle_count)];
        assert_in_range(vo_rt_mesh_colour(&c.mesh, leaf), 0, sets - 1);
    }
    assert_true(TEST_SLOWNESS > 1 || c.mesh.finest_level == 4); /* fewer edits on slow machines */
    free_front(&c);
}

/* The check agrees with a comparison of all pairs, for valid and for damaged colours. */
static void check_agrees_with_all_pairs(void **state) {
    (void)state;
    vo_random random = vo_random_seed(33);
    int valid = 0, invalid = 0, runs = 200 / TEST_SLOWNESS;
    for (int run = 0; run < (runs > 6 ? runs : 6); run++) {
        front_case c = create_front(run % MESHES, 3);
        uint16_t *colour =
            (uint16_t *)c.asset->native + (c.asset->colour - (const uint16_t *)c.asset->native);
        for (int i = 0; i < 200; i++) edit_randomly(&c, 0.7, &random);
        for (int i = 12 * (run % 3); i > 0; i--)
            colour[vo_random_int(&random, c.asset->colour_count)] =
                (uint16_t)vo_random_int(&random, 12);
        int32_t conflict[3];
        bool is_valid = is_colouring_valid(&c.mesh);
        assert_int_equal(vo_rt_mesh_check_colours(&c.mesh, conflict), is_valid);
        *(is_valid ? &valid : &invalid) += 1;
        free_front(&c);
    }
    assert_true(valid > 0 && invalid > 0);
}

/* Numbers of colours: the clique of a regular mesh is the lower bound of a fine level. */
static void few_colours_are_used(void **state) {
    (void)state;
    for (int kind = 0; kind < MESHES; kind++) {
        vo_rt_asset *asset = create_asset(kind, 5);
        print_message("mesh %d: %d triangles, palettes %d + %d\n", kind, asset->triangle_count,
                      asset->palette[0], asset->palette[1]);
        assert_int_equal(asset->coloured_levels, 5);
        assert_in_range(asset->palette[0], 18, 40);
        assert_in_range(asset->palette[1], 18, 40);
        assert_int_equal(vo_rt_asset_colour_sets(asset),
                         3 * (asset->palette[0] + asset->palette[1]));
        vo_rt_asset_destroy(asset);
    }
}

int main(void) {
    memory = (test_memory){.fail_at = -1};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constraints_hold_on_random_fronts),
        cmocka_unit_test(derived_colours_satisfy_the_constraints),
        cmocka_unit_test(check_agrees_with_all_pairs),
        cmocka_unit_test(few_colours_are_used),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
