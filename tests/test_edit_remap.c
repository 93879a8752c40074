/* What becomes of everything: the remap table, compaction, memory that runs out, large meshes. */
#include "edit_meshes.h"

#include "core/context.h"
#include "core/memory.h"
#include "mesh/edit.h"

#include <stdlib.h>

static vo_edit *open_grid(vo_context *ctx, int columns, int rows) {
    vo_mesh *m;
    vo_edit *e;
    vo_edit_def def = vo_edit_def_default();
    assert_ok(ctx, vo_mesh_create_grid(ctx, columns, rows, columns, rows, &m));
    assert_ok(ctx, vo_edit_create(m, &def, &e));
    return e;
}

static void close_edit(vo_edit *e) {
    vo_mesh *m = e->mesh;
    vo_edit_destroy(e);
    vo_mesh_destroy(m);
}

/* One attempt at a random edit. */
static vo_edit_why edit_at_random(vo_edit *e, vo_random *r) {
    int edge = vo_random_int(r, e->mesh->edge_count), end = vo_random_int(r, 2);
    int what = vo_random_int(r, 3);
    return what == 0   ? vo_edit_split(e, edge, 0.5, NULL)
           : what == 1 ? vo_edit_collapse(e, edge, end)
                       : vo_edit_flip(e, edge);
}

static void nothing_happens_without_edits(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_edit *e = open_grid(ctx, 4, 3);
    uint64_t topology = e->mesh->topology;
    vo_vec3 last = e->mesh->node_x[19];
    assert_ok(ctx, vo_edit_finish(e));
    assert_true(e->mesh->topology == topology);
    assert_memory_equal(&e->mesh->node_x[19], &last, sizeof last);
    for (int n = 0; n < 20; n++) {
        assert_int_equal(vo_remap_place(&e->remap, VO_REMAP_NODE, n), n);
        assert_int_equal(vo_remap_heir(&e->remap, VO_REMAP_NODE, n), n);
    }
    vo_edit_flip(e, 0);
    vo_edit_split(e, 0, 0.5, NULL);
    assert_true(e->mesh->topology > topology);
    close_edit(e);
    vo_context_destroy(ctx);
}

/* A node goes, another takes its index, splits of splits follow: records keep them apart. */
static void reused_indices_are_told_apart(void **state) {
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
    assert_int_equal(vo_remap_place(&e->remap, VO_REMAP_NODE, 12), -1);
    assert_int_equal(vo_remap_heir(&e->remap, VO_REMAP_NODE, 12),
                     vo_remap_place(&e->remap, VO_REMAP_NODE, 13));
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

/* Halves share the history of their edge; an edge across a former face has none. */
static void edges_know_where_they_come_from(void **state) {
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
    assert_int_equal(vo_remap_heir(&e->remap, VO_REMAP_EDGE, turned), -1);
    assert_true(vo_remap_place(&e->remap, VO_REMAP_EDGE, edge) >= 0);
    vo_parents_free(ctx, &parents);
    close_edit(e);
    vo_context_destroy(ctx);
}

/* What is spread over faces stays as much: splits and flips move it by area. */
static void face_data_keeps_its_sum(void **state) {
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
    assert_ok(ctx, vo_remap_carry(&e->remap, VO_REMAP_FACE, 1, value, now));
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

/* Mean distance of the ends of edges in the numbering of nodes. */
static double spread_of(const vo_mesh *m) {
    double sum = 0;
    for (int k = 0; k < m->edge_count; k++) sum += abs(m->edge_node[k][1] - m->edge_node[k][0]);
    return sum / m->edge_count;
}

static void neighbours_are_side_by_side(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_edit *e = open_grid(ctx, 10, 10);
    vo_random r = vo_random_seed(8);
    for (int i = 0; i < 20000; i++)
        vo_edit_split(e, vo_random_int(&r, e->mesh->edge_count), 0.5, NULL);
    double before = spread_of(e->mesh);
    assert_ok(ctx, vo_edit_finish(e));
    assert_ok(ctx, vo_edit_check(e));
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

static void same_edits_same_bits(void **state) {
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
            /* A new editor with the same flags and drift goes on as the old one would have. */
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
        int edges = e->mesh->edge_count - e->hole_count[VO_REMAP_EDGE];
        vo_edit_why why = edit_at_random(e, &r);
        if (why != VO_EDIT_NO_MEMORY) continue;
        assert_int_equal(e->mesh->edge_count - e->hole_count[VO_REMAP_EDGE], edges);
        assert_ok(e->ctx, vo_edit_check(e));
        return VO_NO_MEMORY;
    }
    return VO_OK;
}

/* Without memory nothing has changed, and it works once there is some. */
static vo_result finish(vo_edit *e) {
    uint64_t topology = e->mesh->topology;
    vo_result result = vo_edit_finish(e);
    if (result == VO_OK) return VO_OK;
    assert_true(e->mesh->topology == topology && e->edits > 0);
    assert_ok(e->ctx, vo_edit_check(e));
    assert_ok(e->ctx, vo_edit_finish(e));
    return result;
}

/* Two arrays of numbers that tell where they were; without memory they are as before. */
static vo_result carry_a_table(const vo_edit *e) {
    const vo_lineage *nodes = &e->remap.of[VO_REMAP_NODE], *faces = &e->remap.of[VO_REMAP_FACE];
    double *of_node = vo_new_array(e->ctx, double, 2 * nodes->old_count);
    double *of_face = vo_new_array(e->ctx, double, faces->old_count);
    vo_carried table[] = {{VO_REMAP_NODE, 2, &of_node}, {VO_REMAP_FACE, 1, &of_face}};
    vo_result result = of_node && of_face ? VO_OK : VO_NO_MEMORY;
    for (int i = 0; of_node && i < 2 * nodes->old_count; i++) of_node[i] = 3;
    for (int i = 0; of_face && i < faces->old_count; i++) of_face[i] = 4;
    if (result == VO_OK) result = vo_remap_carry_all(&e->remap, table, 2);
    bool carried = result == VO_OK;
    int rows[2] = {carried ? nodes->count : nodes->old_count,
                   carried ? faces->count : faces->old_count};
    for (int i = 0; of_node && i < 2 * rows[0]; i++) assert_near(of_node[i], 3, 1e-13);
    for (int i = 0; of_face && i < rows[1]; i++) assert_near(of_face[i], 4, 1e-13);
    vo_free_array(e->ctx, of_node, 2 * rows[0]);
    vo_free_array(e->ctx, of_face, rows[1]);
    return result;
}

static vo_result ask(const vo_edit *e) {
    vo_parents parents = {0};
    vo_result result = VO_OK;
    for (int n = 0; n < e->mesh->node_count && result == VO_OK; n++)
        result = vo_remap_parents(&e->remap, VO_REMAP_NODE, n, &parents);
    vo_parents_free(e->ctx, &parents);
    if (result != VO_OK) return result;
    return carry_a_table(e);
}

static vo_result use_everything(vo_edit *e) {
    VO_TRY(refine(e));
    VO_TRY(vo_edit_reserve(e, 500));
    VO_TRY(finish(e));
    VO_TRY(ask(e));
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

static void memory_may_run_out_anywhere(void **state) {
    (void)state;
    test_every_allocation(edit_with_little_memory, NULL);
}

static void reserved_splits_ask_for_no_memory(void **state) {
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

/* Costs of an edit do not depend on the size of the mesh; half a million on 20,000 faces. */
static void large_meshes_take_many_edits(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_edit *e = open_grid(ctx, 100, 100);
    vo_random r = vo_random_seed(10);
    double start = test_seconds();
    int done = 0;
    for (int i = 0; i < 600000; i++) {
        done += edit_at_random(e, &r) == VO_EDIT_ALLOWED;
        if (i % 100000 != 99999) continue;
        assert_ok(ctx, vo_edit_check(e));
        assert_near(area_of(e), 1e4, 1e-8);
        assert_ok(ctx, vo_edit_finish(e));
        assert_ok(ctx, vo_edit_check(e));
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
        cmocka_unit_test(nothing_happens_without_edits),
        cmocka_unit_test(reused_indices_are_told_apart),
        cmocka_unit_test(edges_know_where_they_come_from),
        cmocka_unit_test(face_data_keeps_its_sum),
        cmocka_unit_test(neighbours_are_side_by_side),
        cmocka_unit_test(same_edits_same_bits),
        cmocka_unit_test(memory_may_run_out_anywhere),
        cmocka_unit_test(reserved_splits_ask_for_no_memory),
        cmocka_unit_test(large_meshes_take_many_edits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
