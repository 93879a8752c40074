/* Contacts of a clump, thinned out to the nearest of each node. */
#include "support.h"

#include "collide/thin.h"
#include "core/memory.h"
#include "core/random.h"
#include "sim/sim.h"

#include <stdio.h>

enum { CLOTH = 30, NODES = 40, PAIRS = 6000 };

/* Pairs of random nodes, at few distances; every so many an obstacle's face. */
static void make_pairs(vo_near *near, int every, int nodes) {
    vo_random r = vo_random_seed(9);
    for (int i = 0; i < PAIRS; i++) {
        bool obstacle = i % every == 0;
        near[i] = (vo_near){.distance = 1e-4 * vo_random_int(&r, 50)};
        for (int k = 0; k < 4; k++)
            near[i].pair.node[k] = obstacle && k > 0 ? CLOTH + vo_random_int(&r, nodes - CLOTH)
                                                     : vo_random_int(&r, CLOTH);
    }
}

static bool is_with_obstacle(const vo_near *near, int i) { return near[i].pair.node[3] >= CLOTH; }

static bool is_nearer(const vo_near *near, int a, int b) {
    return near[a].distance != near[b].distance ? near[a].distance < near[b].distance : a < b;
}

/* How many of the pairs of its kind that stay and are nearer have the node. */
static int nearer_ones(const vo_near *near, const unsigned char *keep, int pair, int node) {
    int count = 0;
    for (int i = 0; i < PAIRS; i++)
        for (int k = 0; k < 4; k++)
            count += keep[i] && is_with_obstacle(near, i) == is_with_obstacle(near, pair) &&
                     is_nearer(near, i, pair) && near[i].pair.node[k] == node;
    return count;
}

static bool has_room(const vo_near *near, const unsigned char *keep, int pair) {
    bool room = false;
    for (int k = 0; k < 4; k++)
        room |= nearer_ones(near, keep, pair, near[pair].pair.node[k]) < VO_THIN_CONTACTS;
    return room;
}

static void the_nearest_of_each_node_stay(void **state) {
    (void)state;
    static vo_near near[PAIRS];
    vo_context *ctx = test_context(1);
    vo_surface s = {.node_count = NODES, .cloth_node_count = CLOTH};
    vo_thin thin = {0};
    int kept = 0;
    make_pairs(near, 3, NODES);
    assert_ok(ctx, vo_thin_choose(ctx, &s, VO_THIN_CONTACTS * CLOTH, near, &thin));
    assert_false(thin.crowded);
    for (int round = 0; round < 2; round++)
        assert_ok(ctx, vo_thin_choose(ctx, &s, PAIRS, near, &thin));
    assert_true(thin.crowded);
    for (int i = 0; i < PAIRS; i++) {
        assert_int_equal(thin.keep[i], has_room(near, thin.keep, i));
        kept += thin.keep[i];
    }
    assert_true(kept > 0 && kept <= VO_THIN_CONTACTS * (CLOTH + NODES));
    vo_thin_free(ctx, &thin);
    vo_context_destroy(ctx);
}

/* Many pairs with an obstacle that has as many nodes are no clump; those of cloth with cloth are,
 * and are thinned by themselves. */
static void pairs_with_a_fine_obstacle_stay(void **state) {
    (void)state;
    static vo_near near[PAIRS];
    vo_context *ctx = test_context(1);
    vo_surface s = {.node_count = CLOTH + PAIRS, .cloth_node_count = CLOTH};
    vo_thin thin = {0};
    int dropped = 0;
    make_pairs(near, 1, s.node_count);
    assert_ok(ctx, vo_thin_choose(ctx, &s, PAIRS, near, &thin));
    assert_false(thin.crowded);
    make_pairs(near, 2, s.node_count);
    assert_ok(ctx, vo_thin_choose(ctx, &s, PAIRS, near, &thin));
    assert_true(thin.crowded);
    for (int i = 0; i < PAIRS; i++) {
        if (is_with_obstacle(near, i)) assert_true(thin.keep[i]);
        dropped += !thin.keep[i];
    }
    assert_true(dropped >= PAIRS / 2 - VO_THIN_CONTACTS * CLOTH);
    vo_thin_free(ctx, &thin);
    vo_context_destroy(ctx);
}

/* ---- in a step ------------------------------------------------------------------------------ */

/* A sheet of nine nodes just above a plate of thousands. */
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

static void a_coarse_cloth_on_a_fine_body_is_no_clump(void **state) {
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
        const vo_near *near;
        int count;
        assert_ok(ctx, vo_sim_step(sim));
        assert_ok(ctx, vo_sim_contact_find(sim, sim->dt));
        assert_false(sim->contact.crowded);
        assert_ok(ctx, vo_candidates_near(sim->contact.candidates, &count, &near));
        assert_true(count > 5 * VO_THIN_CONTACTS * sim->contact.surface.cloth_node_count);
        assert_int_equal(sim->constraints.contact_count, count);
    }
    assert_int_equal(sim->stats.held_steps, 0);
    vo_sim_destroy(sim);
    vo_scene_destroy(scene);
    vo_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_nearest_of_each_node_stay),
        cmocka_unit_test(pairs_with_a_fine_obstacle_stay),
        cmocka_unit_test(a_coarse_cloth_on_a_fine_body_is_no_clump),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
