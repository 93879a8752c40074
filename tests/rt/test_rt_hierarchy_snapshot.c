/* Snapshots of adaptive meshes: bit-identical continuation, and rejection of damaged data
 * (rt/hierarchy/mesh.h). */
#include "rt_hierarchy_assets.h"

static void edit(vo_rt_mesh *mesh, vo_rt_heap *heap, int count, vo_random *random) {
    for (int i = 0; i < count; i++) {
        int edge = vo_random_int(random, mesh->edge_end);
        if (vo_random_int(random, 3) > 0) {
            if (vo_rt_mesh_can_split(mesh, edge) && vo_rt_mesh_reserve_splits(mesh, heap, 1))
                vo_rt_mesh_split(mesh, edge);
        } else if (vo_rt_mesh_can_join(mesh, edge)) {
            vo_rt_mesh_join(mesh, edge);
        }
    }
}

typedef struct snapshot {
    uint8_t *data;
    size_t bytes;
} snapshot;

static snapshot save(const vo_rt_mesh *mesh) {
    snapshot s = {NULL, vo_rt_mesh_save(mesh, NULL)};
    s.data = test_array(s.bytes, 1);
    assert_int_equal(vo_rt_mesh_save(mesh, s.data), s.bytes);
    return s;
}

static void assert_same(snapshot a, snapshot b) {
    assert_int_equal(a.bytes, b.bytes);
    assert_memory_equal(a.data, b.data, a.bytes);
}

static void start(test_mesh *m, vo_random *random) {
    test_mesh_init(m, test_asset_sheet(4, 4, 0.2f, 0.2f, true, 4, random), 8 << 20);
    test_random_velocities(&m->mesh, random);
    edit(&m->mesh, &m->heap, 1500, random);
}

/* A mesh that was restored continues like the one that was saved: equal snapshots and leaf lists.
 */
static void test_continues_identically(void **state) {
    (void)state;
    vo_random random = vo_random_seed(1);
    test_mesh m;
    start(&m, &random);
    snapshot saved = save(&m.mesh);
    vo_random first = vo_random_seed(2), second = first, other = vo_random_seed(3);
    edit(&m.mesh, &m.heap, 1000, &first);
    snapshot expected = save(&m.mesh);
    edit(&m.mesh, &m.heap, 3000, &other);
    assert_true(vo_rt_mesh_restore(&m.mesh, &m.heap, saved.data, saved.bytes));
    test_mesh_check(&m.mesh);
    snapshot again = save(&m.mesh);
    assert_same(saved, again);
    edit(&m.mesh, &m.heap, 1000, &second);
    test_mesh_check(&m.mesh);
    snapshot result = save(&m.mesh);
    assert_same(expected, result);

    /* Into a new mesh at the base level, from data of any alignment. */
    vo_rt_mesh fresh;
    uint8_t *unaligned = test_array(saved.bytes + 1, 1);
    memcpy(unaligned + 1, saved.data, saved.bytes);
    assert_true(vo_rt_mesh_init(&fresh, &m.asset.asset, &m.heap));
    assert_true(vo_rt_mesh_restore(&fresh, &m.heap, unaligned + 1, saved.bytes));
    second = vo_random_seed(2);
    edit(&fresh, &m.heap, 1000, &second);
    snapshot moved = save(&fresh);
    assert_same(expected, moved);
    assert_int_equal(fresh.front.spring_group_count, m.mesh.front.spring_group_count);
    assert_memory_equal(fresh.front.springs, m.mesh.front.springs,
                        (size_t)fresh.front.spring_group_count * sizeof *fresh.front.springs);
    assert_memory_equal(fresh.front.bends, m.mesh.front.bends,
                        (size_t)fresh.front.bend_group_count * sizeof *fresh.front.bends);
    assert_memory_equal(fresh.front.triangles, m.mesh.front.triangles,
                        (size_t)fresh.front.triangle_count * sizeof *fresh.front.triangles);
    assert_memory_equal(fresh.front.mass, m.mesh.front.mass,
                        (size_t)fresh.front.vertex_end * sizeof *fresh.front.mass);
    vo_rt_mesh_free(&fresh, &m.heap);
    free(unaligned);
    free(saved.data);
    free(expected.data);
    free(again.data);
    free(result.data);
    free(moved.data);
    test_mesh_free(&m);
}

/* Truncated, extended and mutated snapshots are rejected, or give a valid mesh; a rejected one
 * leaves the mesh as it was. */
static void test_damaged_data(void **state) {
    (void)state;
    vo_random random = vo_random_seed(4);
    test_mesh m;
    start(&m, &random);
    snapshot saved = save(&m.mesh);
    edit(&m.mesh, &m.heap, 500, &random);
    snapshot current = save(&m.mesh);
    for (size_t bytes = 0; bytes < saved.bytes; bytes += 1 + bytes / 7)
        assert_false(vo_rt_mesh_restore(&m.mesh, &m.heap, saved.data, bytes));
    assert_false(vo_rt_mesh_restore(&m.mesh, &m.heap, saved.data, saved.bytes + 1));

    const int32_t values[] = {0, 1, -1, -2, 7, 255, 65536, INT32_MAX, INT32_MIN};
    int accepted = 0, rejected = 0, runs = 6000 / TEST_SLOWNESS;
    uint8_t *damaged = test_array(saved.bytes, 1);
    for (int run = 0; run < runs; run++) {
        memcpy(damaged, saved.data, saved.bytes);
        for (int k = vo_random_int(&random, 3); k >= 0; k--) {
            /* Half of the changes are in the header. */
            size_t range = vo_random_int(&random, 2) ? 128 : saved.bytes - 4;
            size_t at = (size_t)vo_random_int(&random, (int)range) & ~(size_t)3;
            int32_t value = values[vo_random_int(&random, 9)];
            if (vo_random_int(&random, 2)) value = vo_random_int(&random, 3000);
            memcpy(damaged + at, &value, sizeof value);
        }
        if (!vo_rt_mesh_restore(&m.mesh, &m.heap, damaged, saved.bytes)) {
            rejected++;
            if (run % 16 == 0) {
                snapshot after = save(&m.mesh);
                assert_same(current, after);
                free(after.data);
            }
            continue;
        }
        accepted++;
        edit(&m.mesh, &m.heap, 50, &random);
        const char *problem = vo_rt_mesh_validate(&m.mesh);
        /* Flags and inverse masses of vertices are state that a caller may change. */
        if (problem && !strstr(problem, "attached")) fail_msg("%s", problem);
        assert_true(vo_rt_mesh_restore(&m.mesh, &m.heap, current.data, current.bytes));
    }
    assert_true(rejected > runs / 4 && accepted > runs / 100);
    free(damaged);
    free(saved.data);
    free(current.data);
    test_mesh_free(&m);
}

/* Every index of tree and lists is covered by a check: replacing it by another valid-looking one
 * is rejected. */
static void test_every_index_is_checked(void **state) {
    (void)state;
    vo_random random = vo_random_seed(5);
    test_mesh m;
    start(&m, &random);
    int edge = -1, triangle = -1;
    for (int i = 0; i < m.mesh.edge_end; i++)
        if (m.mesh.edge[i].level == 1 && m.mesh.edge[i].child >= 0) edge = i;
    for (int i = 0; i < m.mesh.triangle_end; i++)
        if (m.mesh.triangle[i].is_used && m.mesh.triangle[i].configuration == VO_RT_ALL_SPLIT)
            triangle = i;
    assert_true(edge >= 0 && triangle >= 0);
    vo_rt_edge *e = &m.mesh.edge[edge];
    vo_rt_triangle *t = &m.mesh.triangle[triangle];
    vo_rt_triangle *leaf = &m.mesh.triangle[m.mesh.front.triangle_source[5]];
    int32_t *index[] = {&e->vertex[0],
                        &e->vertex[1],
                        &e->face[0],
                        &e->parent,
                        &e->child,
                        &e->middle,
                        &t->vertex[1],
                        &t->edge[2],
                        &t->child[0],
                        &t->child[3],
                        &t->interior[1],
                        &t->leaf,
                        &leaf->leaf,
                        &leaf->parent,
                        &m.mesh.front.triangle_source[3],
                        &m.mesh.vertex_edge[m.mesh.front.vertex_end - 1],
                        &m.mesh.spring_lanes.edge[4],
                        &m.mesh.bend_lanes.edge[4],
                        &m.mesh.edge_end,
                        &m.mesh.front.triangle_count,
                        &m.mesh.front.vertex_count,
                        &m.mesh.front.spring_count,
                        &m.mesh.finest_level};
    for (size_t i = 0; i < sizeof index / sizeof *index; i++) {
        int32_t old = *index[i];
        const int32_t wrong[] = {old + 1, old - 1, old + 2, -1, 3};
        for (int k = 0; k < 5; k++) {
            if (wrong[k] == old) continue;
            *index[i] = wrong[k];
            if (!vo_rt_mesh_validate(&m.mesh)) fail_msg("index %d: %d passes", (int)i, k);
            *index[i] = old;
        }
    }
    test_mesh_check(&m.mesh);
    test_mesh_free(&m);
}

static void test_exhausted_heap(void **state) {
    (void)state;
    vo_random random = vo_random_seed(6);
    test_mesh m;
    start(&m, &random);
    snapshot saved = save(&m.mesh);
    vo_allocator allocator = {NULL, test_heap_allocate, test_heap_release};
    for (size_t bytes = 64 << 10; bytes < (size_t)1 << 20; bytes += 32 << 10) {
        vo_rt_heap heap;
        vo_rt_mesh mesh;
        assert_true(vo_rt_heap_init(&heap, &allocator, bytes));
        if (vo_rt_mesh_init(&mesh, &m.asset.asset, &heap)) {
            snapshot before = save(&mesh);
            if (!vo_rt_mesh_restore(&mesh, &heap, saved.data, saved.bytes)) {
                snapshot after = save(&mesh);
                assert_same(before, after);
                free(after.data);
            }
            test_mesh_check(&mesh);
            free(before.data);
            vo_rt_mesh_free(&mesh, &heap);
        }
        vo_rt_heap_free(&heap);
    }
    free(saved.data);
    test_mesh_free(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_continues_identically),
        cmocka_unit_test(test_damaged_data),
        cmocka_unit_test(test_every_index_is_checked),
        cmocka_unit_test(test_exhausted_heap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
