/* Finer levels of an asset: material coordinates and rest lengths of split edges. */
#include "rt_asset_cases.h"

#include "rt/hierarchy/mesh_private.h"

enum { HEAP_BYTES = 8 << 20 };

static test_memory memory;

/* The map of rt_test_add_fine. */
static vo_rt_vec2 coordinate_at(vo_rt_vec4 p) {
    return f2(p.x + 0.002f * sinf(31.415927f * p.x), p.y + 0.002f * sinf(31.415927f * p.y));
}

static void check_edge(const vo_rt_mesh *mesh, const vo_rt_edge *e) {
    const vo_rt_vec2 *control = e->coordinate[e->control];
    assert_true(e->rest == f2_length(f2_sub(control[1], control[0])));
    for (int side = 0; side < 2; side++)
        for (int end = 0; end < 2 && e->face[side] >= 0; end++) {
            vo_rt_vec2 expected = coordinate_at(mesh->front.position[e->vertex[end]]);
            assert_near(e->coordinate[side][end].x, expected.x, 1e-6);
            assert_near(e->coordinate[side][end].y, expected.y, 1e-6);
        }
}

static void check_mesh(const vo_rt_mesh *mesh) {
    const char *problem = vo_rt_mesh_validate(mesh);
    if (problem) fail_msg("%s", problem);
    for (int i = 0; i < mesh->edge_end; i++)
        if (mesh->edge[i].flags & VO_RT_EDGE_USED) check_edge(mesh, &mesh->edge[i]);
}

static void edit(vo_rt_mesh *mesh, vo_rt_heap *heap, vo_random *random) {
    int edge = vo_random_int(random, mesh->edge_end);
    if (vo_random_int(random, 3) > 0) {
        if (vo_rt_mesh_can_split(mesh, edge) && vo_rt_mesh_reserve_splits(mesh, heap, 1))
            vo_rt_mesh_split(mesh, edge);
    } else if (vo_rt_mesh_can_join(mesh, edge)) {
        vo_rt_mesh_join(mesh, edge);
    }
}

/* Every vertex of any front has the coordinates of its point, on both sides of its edges; the mesh
 * can be saved and restored. */
static void split_edges_use_the_finer_levels(void **state) {
    (void)state;
    vo_random random = vo_random_seed(5);
    vo_allocator allocator = rt_test_allocator(&memory);
    rt_test_mesh *def = rt_test_sheet(3, 3);
    def->def.max_level = 4;
    rt_test_add_fine(def);
    vo_rt_asset *asset = rt_test_create(&memory, &def->def);
    vo_rt_mesh mesh;
    vo_rt_heap heap;
    assert_true(vo_rt_heap_init(&heap, &allocator, HEAP_BYTES));
    assert_true(vo_rt_mesh_init(&mesh, asset, &heap));
    for (int i = 0; i < 4000; i++) {
        edit(&mesh, &heap, &random);
        if (i % 100 == 0) check_mesh(&mesh);
    }
    assert_int_equal(mesh.finest_level, 4);
    size_t bytes = vo_rt_mesh_save(&mesh, NULL);
    void *data = malloc(bytes);
    vo_rt_mesh_save(&mesh, data);
    vo_rt_mesh_reset(&mesh);
    check_mesh(&mesh);
    assert_true(vo_rt_mesh_restore(&mesh, &heap, data, bytes));
    check_mesh(&mesh);
    free(data);
    vo_rt_mesh_free(&mesh, &heap);
    vo_rt_heap_free(&heap);
    vo_rt_asset_destroy(asset);
    free(def);
}

/* A mirrored triangle is mirrored back together with its finer levels. */
static void mirrored_pieces_are_mirrored_back(void **state) {
    (void)state;
    rt_test_mesh *def = rt_test_sheet(2, 1);
    rt_test_add_fine(def);
    vo_rt_asset *plain = rt_test_create(&memory, &def->def);
    for (int i = 0; i < 3 * def->def.triangle_count; i++) def->coordinates[i].x *= -1;
    for (int i = 0; i < RT_TEST_FINE; i++) def->fine_coordinates[i].x *= -1;
    vo_rt_asset *mirrored = rt_test_create(&memory, &def->def);
    int count = plain->triangle_count * vo_rt_fine_points(plain->max_level);
    for (int i = 0; i < count; i++) {
        assert_true(plain->fine[i].coordinate.x == mirrored->fine[i].coordinate.x);
        assert_true(plain->fine[i].coordinate.y == mirrored->fine[i].coordinate.y);
    }
    vo_rt_asset_destroy(plain);
    vo_rt_asset_destroy(mirrored);
    free(def);
}

int main(void) {
    memory = (test_memory){.fail_at = -1};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(split_edges_use_the_finer_levels),
        cmocka_unit_test(mirrored_pieces_are_mirrored_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
