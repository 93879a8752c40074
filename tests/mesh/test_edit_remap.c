/* The remap table, compaction, failing allocations, large meshes. */
#include "edit_check.h"
#include "edit_meshes.h"

#include "core/context.h"
#include "core/memory.h"
#include "mesh/edit/edit.h"

#include <stdlib.h>

static vo_edit *open_grid(vo_context *ctx, int columns, int rows) {
    vo_mesh *m;
    vo_edit *e;
    vo_edit_def def = vo_edit_def_default();
    m = test_grid(ctx, columns, rows, columns, rows);
    assert_ok(ctx, vo_edit_create(m, &def, &e));
    return e;
}

static void close_edit(vo_edit *e) {
    vo_mesh *m = e->mesh;
    vo_edit_destroy(e);
    vo_mesh_destroy(m);
}

/* One attempt at a random edit. */
static vo_edit_status edit_at_random(vo_edit *e, vo_random *r) {
    int edge = vo_random_int(r, e->mesh->edge_count), end = vo_random_int(r, 2);
    int what = vo_random_int(r, 3);
    return what == 0   ? vo_edit_split(e, edge, 0.5, NULL)
           : what == 1 ? vo_edit_collapse(e, edge, end)
                       : vo_edit_flip(e, edge);
}

static void finish_without_edits_changes_nothing(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_edit *e = open_grid(ctx, 4, 3);
    uint64_t topology = e->mesh->topology;
    vo_vec3 last = e->mesh->node_x[19];
    assert_ok(ctx, vo_edit_finish(e));
    assert_true(e->mesh->topology == topology);
    assert_memory_equal(&e->mesh->node_x[19], &last, sizeof last);
    for (int n = 0; n < 20; n++)
        assert_int_equal(vo_remap_new_index(&e->remap, VO_REMAP_NODE, n), n);
    vo_edit_flip(e, 0);
    vo_edit_split(e, 0, 0.5, NULL);
    assert_true(e->mesh->topology > topology);
    close_edit(e);
    vo_context_destroy(ctx);
}

/* A node is removed, another reuses its index, splits of splits follow: records distinguish them.
 */
static void records_distinguish_reused_indices(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_edit *e = open_grid(ctx, 4, 4);
    vo_mesh *m = e->mesh;
    vo_edit_pieces p, q;
    int edge = vo_edit_find_edge(e, 12, 13);
    assert_int_equal(vo_edit_collapse(e, edge, m->edge_node[edge][1] == 12), VO_EDIT_ALLOWED);
    edge = vo_edit_find_edge(e, 0, 1);
    assert_int_equal(vo_edit_split(e, edge, 0.5, &p), VO_EDIT_ALLOWED);
    assert_int_equal(p.node, 12);
    edge = vo_edit_find_edge(e, 12, 1);
    assert_int_equal(vo_edit_split(e, edge, 0.5, &q), VO_EDIT_ALLOWED);
    vo_vec3 x = m->node_x[q.node];
    assert_near(x.x, 0.75, 1e-15);
    assert_ok(ctx, vo_edit_finish(e));
    assert_int_equal(vo_remap_new_index(&e->remap, VO_REMAP_NODE, 12), -1);
    assert_true(vo_remap_new_index(&e->remap, VO_REMAP_NODE, 13) >= 0);
    int at = 0;
    while (memcmp(&m->node_x[at], &x, sizeof x) != 0) at++;
    vo_parents parents = {0};
    assert_ok(ctx, vo_remap_parents(&e->remap, VO_REMAP_NODE, at, &parents));
    assert_int_equal(parents.count, 2);
    assert_int_equal(parents.index[0], 0);
    assert_int_equal(parents.index[1], 1);
    assert_near(parents.weight[0], 0.25, 1e-15);
    assert_near(parents.weight[1], 0.75, 1e-15);
    vo_parents_free(ctx, &parents);
    close_edit(e);
    vo_context_destroy(ctx);
}

/* Both parts of an edge have its record; an edge across a former face has none. */
static void edge_parts_keep_the_record(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_edit *e = open_grid(ctx, 2, 2);
    vo_edit_pieces p;
    vo_parents parents = {0};
    int edges = e->mesh->edge_count, edge = vo_edit_find_edge(e, 4, 1), turned = -1;
    assert_int_equal(vo_edit_split(e, edge, 0.5, &p), VO_EDIT_ALLOWED);
    assert_ok(ctx, vo_remap_parents(&e->remap, VO_REMAP_EDGE, p.edge[0], &parents));
    assert_true(parents.count == 1 && parents.index[0] == edge);
    assert_ok(ctx, vo_remap_parents(&e->remap, VO_REMAP_EDGE, p.edge[1], &parents));
    assert_int_equal(parents.count, 0);
    while (vo_edit_flip(e, ++turned) != VO_EDIT_ALLOWED) {}
    assert_true(turned < edges);
    assert_ok(ctx, vo_edit_finish(e));
    assert_int_equal(vo_remap_new_index(&e->remap, VO_REMAP_EDGE, turned), -1);
    assert_true(vo_remap_new_index(&e->remap, VO_REMAP_EDGE, edge) >= 0);
    vo_parents_free(ctx, &parents);
    close_edit(e);
    vo_context_destroy(ctx);
}

/* Area integrals of face data are preserved: splits and flips distribute it by area. */
static void transfer_preserves_face_integrals(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_edit *e = open_grid(ctx, 5, 5);
    vo_mesh *m = e->mesh;
    vo_random r = vo_random_seed(4);
    int old = m->face_count;
    double *value = test_malloc((size_t)old * sizeof *value), before = 0, after = 0;
    for (int f = 0; f < old; f++) {
        m->face_damage[f] = value[f] = vo_random_real(&r, 0, 1);
        before += value[f] * vo_mesh_face_area(m, f);
    }
    for (int i = 0; i < 500; i++) {
        int edge = vo_random_int(&r, m->edge_count);
        if (i % 4)
            vo_edit_flip(e, edge);
        else
            vo_edit_split(e, edge, 0.4, NULL);
    }
    assert_ok(ctx, vo_edit_finish(e));
    double *now = test_malloc((size_t)m->face_count * sizeof *now);
    assert_ok(ctx, vo_remap_transfer(&e->remap, VO_REMAP_FACE, 1, value, now));
    for (int f = 0; f < m->face_count; f++) {
        assert_near(now[f], m->face_damage[f], 1e-13);
        after += now[f] * vo_mesh_face_area(m, f);
    }
    assert_near(after, before, 1e-11);
    test_free(value);
    test_free(now);
    close_edit(e);
    vo_context_destroy(ctx);
}

/* ---- compaction ------------------------------------------------------------------------------ */

/* Mean difference of the node indices at the ends of edges. */
static double spread_of(const vo_mesh *m) {
    double sum = 0;
    for (int k = 0; k < m->edge_count; k++) sum += abs(m->edge_node[k][1] - m->edge_node[k][0]);
    return sum / m->edge_count;
}

static void compaction_improves_locality(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_edit *e = open_grid(ctx, 10, 10);
    vo_random r = vo_random_seed(8);
    for (int i = 0; i < 20000; i++)
        vo_edit_split(e, vo_random_int(&r, e->mesh->edge_count), 0.5, NULL);
    double before = spread_of(e->mesh);
    assert_ok(ctx, vo_edit_finish(e));
    assert_ok(ctx, check_edit(e));
    double after = spread_of(e->mesh);
    assert_true(before > 4000);
    assert_true(after < 4 * sqrt(e->mesh->node_count));
    for (int f = 1; f < e->mesh->face_count; f++) {
        int low[2] = {INT32_MAX, INT32_MAX};
        for (int k = 0; k < 6; k++)
            low[k / 3] = vo_min_int(low[k / 3], vo_mesh_face_node(e->mesh, f - 1 + k / 3, k % 3));
        assert_true(low[0] <= low[1]);
    }
    close_edit(e);
    vo_context_destroy(ctx);
}

static void equal_edits_give_equal_bits(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_mesh *copy[2];
    for (int run = 0; run < 2; run++) {
        vo_mesh *m = garment_build(ctx, 5, 3);
        vo_edit_def def = vo_edit_def_default();
        vo_edit *e;
        assert_ok(ctx, vo_edit_create(m, &def, &e));
        vo_random r = vo_random_seed(1);
        for (int i = 0; i < 3000; i++) {
            edit_at_random(e, &r);
            if (i % 500 != 499) continue;
            assert_ok(ctx, vo_edit_finish(e));
            assert_ok(ctx, vo_edit_begin(e));
            if (i != 1499 || run == 0) continue;
            /* A new editor with the same flags and drift continues as the old one would. */
            vo_edit *next;
            assert_ok(ctx, vo_edit_create(m, &def, &next));
            memcpy(next->node_flags, e->node_flags, (size_t)m->node_count);
            memcpy(next->edge_drift, e->edge_drift, (size_t)m->edge_count * sizeof(double));
            vo_edit_destroy(e);
            e = next;
        }
        assert_ok(ctx, vo_mesh_copy(ctx, m, &copy[run]));
        close_edit(e);
    }
    const vo_mesh *a = copy[0], *b = copy[1];
    assert_int_equal(a->node_count, b->node_count);
    assert_int_equal(a->face_count, b->face_count);
    assert_memory_equal(a->node_x, b->node_x, (size_t)a->node_count * sizeof *a->node_x);
    assert_memory_equal(a->node_v, b->node_v, (size_t)a->node_count * sizeof *a->node_v);
    assert_memory_equal(a->vert_u, b->vert_u, (size_t)a->vert_count * sizeof *a->vert_u);
    assert_memory_equal(a->face_vert, b->face_vert, (size_t)a->face_count * sizeof *a->face_vert);
    assert_memory_equal(a->edge_node, b->edge_node, (size_t)a->edge_count * sizeof *a->edge_node);
    for (int run = 0; run < 2; run++) vo_mesh_destroy(copy[run]);
    vo_context_destroy(ctx);
}

/* ---- memory ---------------------------------------------------------------------------------- */

static vo_result refine(vo_edit *e) {
    vo_random r = vo_random_seed(6);
    for (int i = 0; i < 400; i++) {
        int edges = e->mesh->edge_count - e->free_slot_count[VO_REMAP_EDGE];
        vo_edit_status why = edit_at_random(e, &r);
        if (why != VO_EDIT_NO_MEMORY) continue;
        assert_int_equal(e->mesh->edge_count - e->free_slot_count[VO_REMAP_EDGE], edges);
        assert_ok(e->ctx, check_edit(e));
        return VO_NO_MEMORY;
    }
    return VO_OK;
}

/* A failed finish changes nothing and succeeds when repeated with memory. */
static vo_result finish(vo_edit *e) {
    uint64_t topology = e->mesh->topology;
    vo_result result = vo_edit_finish(e);
    if (result == VO_OK) return VO_OK;
    assert_true(e->mesh->topology == topology && e->edits > 0);
    assert_ok(e->ctx, check_edit(e));
    assert_ok(e->ctx, vo_edit_finish(e));
    return result;
}

/* Transfers a constant column of nodes. */
static vo_result transfer_column(const vo_edit *e) {
    const vo_lineage *nodes = &e->remap.of[VO_REMAP_NODE];
    double *old = vo_new_array(e->ctx, double, 2 * nodes->old_count);
    double *now = vo_new_array(e->ctx, double, 2 * nodes->count);
    vo_result result = old && now ? VO_OK : VO_NO_MEMORY;
    for (int i = 0; old && i < 2 * nodes->old_count; i++) old[i] = 3;
    if (result == VO_OK) result = vo_remap_transfer(&e->remap, VO_REMAP_NODE, 2, old, now);
    for (int i = 0; result == VO_OK && i < 2 * nodes->count; i++) assert_near(now[i], 3, 1e-13);
    vo_free_array(e->ctx, old, 2 * nodes->old_count);
    vo_free_array(e->ctx, now, 2 * nodes->count);
    return result;
}

static vo_result query_remap(const vo_edit *e) {
    vo_parents parents = {0};
    vo_result result = VO_OK;
    for (int n = 0; n < e->mesh->node_count && result == VO_OK; n++)
        result = vo_remap_parents(&e->remap, VO_REMAP_NODE, n, &parents);
    vo_parents_free(e->ctx, &parents);
    if (result != VO_OK) return result;
    return transfer_column(e);
}

static vo_result use_everything(vo_edit *e) {
    VO_TRY(refine(e));
    VO_TRY(vo_edit_reserve(e, 500));
    VO_TRY(finish(e));
    VO_TRY(query_remap(e));
    return vo_edit_begin(e);
}

static vo_result edit_with_little_memory(vo_context *ctx, void *arg) {
    (void)arg;
    vo_mesh *m;
    vo_edit *e;
    double density[] = {0.5, 1};
    vo_edit_def def = {.density = density, .density_count = 2, .node_width = 3, .vert_width = 2};
    VO_TRY(vo_mesh_create_grid(ctx, 1, 1, 4, 4, &m));
    vo_result result = vo_edit_create(m, &def, &e);
    if (result == VO_OK) result = use_everything(e);
    vo_edit_destroy(e);
    vo_mesh_destroy(m);
    return result;
}

static void failed_allocations_are_reported(void **state) {
    (void)state;
    test_every_allocation(edit_with_little_memory, NULL);
}

/* Every edit and the compaction change the version; moved nodes and empty sessions do not. */
static void topology_version_changes_with_every_edit(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_edit *e = open_grid(ctx, 4, 4);
    vo_mesh *copy;
    uint64_t first = vo_mesh_get_view(e->mesh).topology;
    assert_ok(ctx, vo_mesh_copy(ctx, e->mesh, &copy));
    assert_true(vo_mesh_get_view(copy).topology == first);
    e->mesh->node_x[0].z = 1;
    assert_ok(ctx, vo_edit_begin(e));
    assert_ok(ctx, vo_edit_finish(e));
    assert_true(vo_mesh_get_view(e->mesh).topology == first);
    uint64_t last = first;
    for (int edge = 0; edge < 20; edge++) {
        bool edited = vo_edit_split(e, edge, 0.5, NULL) == VO_EDIT_ALLOWED;
        assert_true((vo_mesh_get_view(e->mesh).topology != last) == edited);
        last = vo_mesh_get_view(e->mesh).topology;
        edited = vo_edit_flip(e, edge) == VO_EDIT_ALLOWED;
        assert_true((vo_mesh_get_view(e->mesh).topology != last) == edited);
        last = vo_mesh_get_view(e->mesh).topology;
    }
    assert_ok(ctx, vo_edit_finish(e));
    assert_true(vo_mesh_get_view(e->mesh).topology != last);
    vo_mesh *other = test_grid(ctx, 1, 1, 4, 4);
    assert_true(vo_mesh_get_view(other).topology != first);
    vo_mesh_destroy(other);
    vo_mesh_destroy(copy);
    close_edit(e);
    vo_context_destroy(ctx);
}

static void reserved_splits_do_not_allocate(void **state) {
    (void)state;
    test_memory memory = {.fail_at = -1};
    vo_context *ctx = test_context_with(1, &memory);
    vo_edit *e = open_grid(ctx, 8, 8);
    vo_random r = vo_random_seed(9);
    assert_ok(ctx, vo_edit_reserve(e, 1000));
    long calls = memory.calls;
    for (int i = 0; i < 1000; i++)
        vo_edit_split(e, vo_random_int(&r, e->mesh->edge_count), 0.5, NULL);
    assert_true(e->edits > 900);
    assert_int_equal(memory.calls, calls);
    close_edit(e);
    vo_context_destroy(ctx);
}

/* ---- large meshes ---------------------------------------------------------------------------- */

static double area_of(const vo_edit *e) {
    double area = 0;
    for (int f = 0; f < e->mesh->face_count; f++)
        if (vo_edit_has_face(e, f)) area += vo_mesh_face_area(e->mesh, f);
    return area;
}

/* The cost of an edit does not depend on the size of the mesh; half a million on 20,000 faces. */
static void large_mesh_takes_many_edits(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_edit *e = open_grid(ctx, 100, 100);
    vo_random r = vo_random_seed(10);
    double start = test_seconds();
    int done = 0;
    for (int i = 0; i < 600000; i++) {
        done += edit_at_random(e, &r) == VO_EDIT_ALLOWED;
        if (i % 100000 != 99999) continue;
        assert_ok(ctx, check_edit(e));
        assert_near(area_of(e), 1e4, 1e-8);
        assert_ok(ctx, vo_edit_finish(e));
        assert_ok(ctx, check_edit(e));
        assert_near(area_of(e), 1e4, 1e-8);
        assert_ok(ctx, vo_edit_begin(e));
    }
    assert_true(done > 200000);
    assert_true(test_seconds() - start < 20 * TEST_SLOWNESS);
    close_edit(e);
    vo_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finish_without_edits_changes_nothing),
        cmocka_unit_test(records_distinguish_reused_indices),
        cmocka_unit_test(edge_parts_keep_the_record),
        cmocka_unit_test(transfer_preserves_face_integrals),
        cmocka_unit_test(compaction_improves_locality),
        cmocka_unit_test(equal_edits_give_equal_bits),
        cmocka_unit_test(failed_allocations_are_reported),
        cmocka_unit_test(topology_version_changes_with_every_edit),
        cmocka_unit_test(reserved_splits_do_not_allocate),
        cmocka_unit_test(large_mesh_takes_many_edits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
