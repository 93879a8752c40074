/* Contacts of a clump, thinned out to the nearest of each node. */
#include "support.h"

#include "collide/thin.h"
#include "core/memory.h"
#include "core/random.h"

enum { NODES = 40, PAIRS = 6000 };

/* Pairs of random nodes, of which the last ten are an obstacle's, at few distances. */
static void make_pairs(vo_near *near) {
    vo_random r = vo_random_seed(9);
    for (int i = 0; i < PAIRS; i++) {
        near[i] = (vo_near){.distance = 1e-4 * vo_random_int(&r, 50)};
        for (int k = 0; k < 4; k++) near[i].pair.node[k] = vo_random_int(&r, NODES);
    }
}

static bool is_nearer(const vo_near *near, int a, int b) {
    return near[a].distance != near[b].distance ? near[a].distance < near[b].distance : a < b;
}

/* How many of the pairs that stay and are nearer have the node. */
static int nearer_ones(const vo_near *near, const unsigned char *keep, int pair, int node) {
    int count = 0;
    for (int i = 0; i < PAIRS; i++)
        for (int k = 0; k < 4; k++)
            count += keep[i] && is_nearer(near, i, pair) && near[i].pair.node[k] == node;
    return count;
}

static void the_nearest_of_each_node_stay(void **state) {
    (void)state;
    static vo_near near[PAIRS];
    vo_context *ctx = test_context(1);
    vo_surface s = {.node_count = NODES, .cloth_node_count = NODES - 10};
    vo_thin thin = {0};
    int kept = 0;
    make_pairs(near);
    assert_true(vo_thin_needed(&s, PAIRS));
    assert_false(vo_thin_needed(&s, VO_THIN_CONTACTS * s.cloth_node_count));
    for (int round = 0; round < 2; round++)
        assert_ok(ctx, vo_thin_choose(ctx, &s, PAIRS, near, &thin));
    for (int i = 0; i < PAIRS; i++) {
        bool room = false;
        for (int k = 0; k < 4; k++) {
            int node = near[i].pair.node[k];
            room |= node < s.cloth_node_count &&
                    nearer_ones(near, thin.keep, i, node) < VO_THIN_CONTACTS;
        }
        assert_int_equal(thin.keep[i], room);
        kept += thin.keep[i];
    }
    assert_true(kept > 0 && kept <= VO_THIN_CONTACTS * s.cloth_node_count);
    vo_thin_free(ctx, &thin);
    vo_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_nearest_of_each_node_stay)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
