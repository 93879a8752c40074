/* Contact culling in dense regions: the nearest contacts of each node are kept. */
#include "support.h"

#include "collide/contact_cull.h"
#include "core/memory.h"
#include "core/random.h"
#include "sim/sim.h"

#include <stdio.h>

enum { CLOTH = 30, NODES = 40, PAIRS = 6000 };

/* Creates pairs of random nodes with few distinct distances; every `every`-th one with an obstacle
 * face. */
static void make_pairs(vo_proximity *proximity, int every, int nodes) {
    vo_random r = vo_random_seed(9);
    for (int i = 0; i < PAIRS; i++) {
        bool obstacle = i % every == 0;
        proximity[i] = (vo_proximity){.distance = 1e-4 * vo_random_int(&r, 50)};
        for (int k = 0; k < 4; k++)
            proximity[i].pair.node[k] = obstacle && k > 0 ? CLOTH + vo_random_int(&r, nodes - CLOTH)
                                                          : vo_random_int(&r, CLOTH);
    }
}

static bool is_with_obstacle(const vo_proximity *proximity, int i) {
    return proximity[i].pair.node[3] >= CLOTH;
}

static bool is_nearer(const vo_proximity *proximity, int a, int b) {
    return proximity[a].distance != proximity[b].distance
               ? proximity[a].distance < proximity[b].distance
               : a < b;
}

/* Counts the kept, nearer pairs of the same class that contain the node. */
static int count_nearer(const vo_proximity *proximity, const unsigned char *keep, int pair,
                        int node) {
    int count = 0;
    for (int i = 0; i < PAIRS; i++)
        for (int k = 0; k < 4; k++)
            count += keep[i] &&
                     is_with_obstacle(proximity, i) == is_with_obstacle(proximity, pair) &&
                     is_nearer(proximity, i, pair) && proximity[i].pair.node[k] == node;
    return count;
}

static bool is_within_limit(const vo_proximity *proximity, const unsigned char *keep, int pair) {
    bool within_limit = false;
    for (int k = 0; k < 4; k++)
        within_limit |= count_nearer(proximity, keep, pair, proximity[pair].pair.node[k]) <
                        VO_MAX_NODE_CONTACTS;
    return within_limit;
}

static void nearest_contacts_of_each_node_are_kept(void **state) {
    (void)state;
    static vo_proximity proximity[PAIRS];
    vo_context *ctx = test_context(1);
    vo_surface s = {.node_count = NODES, .cloth_node_count = CLOTH};
    vo_contact_cull cull = {0};
    int kept = 0;
    make_pairs(proximity, 3, NODES);
    assert_ok(ctx, vo_contact_cull_select(ctx, &s, VO_MAX_NODE_CONTACTS * CLOTH, proximity, &cull));
    assert_false(cull.over_budget);
    for (int round = 0; round < 2; round++)
        assert_ok(ctx, vo_contact_cull_select(ctx, &s, PAIRS, proximity, &cull));
    assert_true(cull.over_budget);
    for (int i = 0; i < PAIRS; i++) {
        assert_int_equal(cull.keep[i], is_within_limit(proximity, cull.keep, i));
        kept += cull.keep[i];
    }
    assert_true(kept > 0 && kept <= VO_MAX_NODE_CONTACTS * (CLOTH + NODES));
    vo_contact_cull_free(ctx, &cull);
    vo_context_destroy(ctx);
}

/* Many pairs with an obstacle of as many nodes are not a dense region; those of cloth with cloth
 * are, and are culled separately. */
static void contacts_with_fine_obstacle_are_kept(void **state) {
    (void)state;
    static vo_proximity proximity[PAIRS];
    vo_context *ctx = test_context(1);
    vo_surface s = {.node_count = CLOTH + PAIRS, .cloth_node_count = CLOTH};
    vo_contact_cull cull = {0};
    int dropped = 0;
    make_pairs(proximity, 1, s.node_count);
    assert_ok(ctx, vo_contact_cull_select(ctx, &s, PAIRS, proximity, &cull));
    assert_false(cull.over_budget);
    make_pairs(proximity, 2, s.node_count);
    assert_ok(ctx, vo_contact_cull_select(ctx, &s, PAIRS, proximity, &cull));
    assert_true(cull.over_budget);
    for (int i = 0; i < PAIRS; i++) {
        if (is_with_obstacle(proximity, i)) assert_true(cull.keep[i]);
        dropped += !cull.keep[i];
    }
    assert_true(dropped >= PAIRS / 2 - VO_MAX_NODE_CONTACTS * CLOTH);
    vo_contact_cull_free(ctx, &cull);
    vo_context_destroy(ctx);
}

/* ---- in a step ------------------------------------------------------------------------------ */

/* Writes a scene with a sheet of nine nodes just above a plate of thousands. */
static void write_plate(const char *path) {
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f, "{\"fps\": 25, \"frame_steps\": 4, \"end_frame\": 1, \"gravity\": [0, 0, -9.81],\n"
               "\"magic\": {\"repulsion_thickness\": 4e-3},\n"
               "\"cloths\": [{\"grid\": {\"width\": 0.3, \"height\": 0.3, \"columns\": 2, "
               "\"rows\": 2}, \"transform\": {\"translate\": [-0.15, -0.15, 0.013]}, "
               "\"materials\": [{\"thickness\": 3e-4, \"density\": 500, \"elastic_modulus\": 1e5, "
               "\"poisson_ratio\": 0.3}]}],\n"
               "\"obstacles\": [{\"shape\": {\"type\": \"box\", \"size\": [0.4, 0.4, 0.02], "
               "\"edge_length\": 0.01}}]}\n");
    assert_int_equal(fclose(f), 0);
}

static void coarse_cloth_on_fine_body_is_not_dense(void **state) {
    (void)state;
    char path[1024];
    vo_context *ctx = test_context(1);
    vo_scene *scene;
    vo_sim *sim;
    snprintf(path, sizeof path, "%s/scene.json", test_folder());
    write_plate(path);
    assert_ok(ctx, vo_scene_load(ctx, path, 0, NULL, &scene));
    assert_ok(ctx, vo_sim_create(ctx, scene, &sim));
    for (int i = 0; i < 4; i++) {
        const vo_proximity *proximity;
        int count;
        assert_ok(ctx, vo_sim_step(sim));
        assert_ok(ctx, vo_sim_contact_find(sim, sim->dt));
        assert_false(sim->contact.over_budget);
        assert_ok(ctx, vo_candidates_find_proximities(sim->contact.candidates, &count, &proximity));
        assert_true(count > 5 * VO_MAX_NODE_CONTACTS * sim->contact.surface.cloth_node_count);
        assert_int_equal(sim->constraints.contact_count, count);
    }
    assert_int_equal(sim->stats.frozen_substeps, 0);
    vo_sim_destroy(sim);
    vo_scene_destroy(scene);
    vo_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nearest_contacts_of_each_node_are_kept),
        cmocka_unit_test(contacts_with_fine_obstacle_are_kept),
        cmocka_unit_test(coarse_cloth_on_fine_body_is_not_dense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
