/* The scene tshirt, with a coarser body and coarser sewing: the garment is cooked to about 316 base
 * triangles, worn, refined, and no node is inside the body in any frame. */
#include "support.h"

#include <stdio.h>

static void tshirt_is_worn(void **state) {
    (void)state;
    static const char *const overrides[] = {"characters[0].body.faces=6000",
                                            "garments[0].edge_length=0.05", "preroll=0.2"};
    vo_context *ctx = test_context(2);
    vo_run_def def = vo_run_def_default();
    char folder[600];
    snprintf(folder, sizeof folder, "%s/run", test_folder());
    def.folder = folder;
    def.last_frame = 5;
    def.override_count = 3;
    def.overrides = overrides;
    assert_ok(ctx, vo_run_simulate(ctx, VOILE_SOURCE_DIR "/assets/scenes/tshirt.json", &def));
    vo_run_info info;
    assert_ok(ctx, vo_run_get_info(ctx, folder, &info));
    assert_int_equal(info.frames, 6);
    assert_true(info.faces.max > 600);
    vo_run_info_free(ctx, &info);
    vo_run_reader *reader;
    assert_ok(ctx, vo_run_reader_open(ctx, folder, &reader));
    for (int frame = 0; frame <= 5; frame++) {
        const vo_stats *stats = vo_run_reader_find_stats(reader, frame);
        assert_non_null(stats);
        assert_int_equal(stats->inside_nodes, 0);
        assert_ok(ctx, vo_run_reader_read_frame(reader, frame));
        vo_mesh_view mesh = vo_run_reader_get_cloth(reader, 0);
        double low = 1e9, high = -1e9;
        for (int n = 0; n < mesh.node_count; n++) {
            low = mesh.node_x[n].z < low ? mesh.node_x[n].z : low;
            high = mesh.node_x[n].z > high ? mesh.node_x[n].z : high;
        }
        assert_true(low > 0.6 && low < 1);      /* hem */
        assert_true(high > 1.35 && high < 1.6); /* collar: it has not slipped off */
    }
    vo_run_reader_close(reader);
    vo_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(tshirt_is_worn)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
