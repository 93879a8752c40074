/* Cooking of patterns: number of faces, seams, mass, skin, and equal bytes for any number of
 * threads. */
#include "support.h"

#include "cook/cook.h"
#include "garment/wear.h"
#include "rt/asset/asset.h"
#include "sew/sew.h"

#include <stdio.h>
#include <stdlib.h>

#define GARMENTS VOILE_SOURCE_DIR "/assets/garments/"

static vo_cook_def pattern_def(const char *pattern) {
    vo_cook_def def = vo_cook_def_default();
    def.input = pattern;
    def.sew.edge_length = 0.045;
    def.sew.mannequin.faces = 6000;
    return def;
}

/* Number of boundary loops: components of the boundary edges joined at their vertices. */
static int count_boundaries(const vo_rt_asset *asset) {
    int *root = malloc((size_t)asset->vertex_count * sizeof *root), loops = 0;
    assert_non_null(root);
    for (int v = 0; v < asset->vertex_count; v++) root[v] = -1;
    for (int e = 0; e < asset->edge_count; e++) {
        int end[2];
        if (asset->edge[e].triangle[1] >= 0) continue;
        for (int i = 0; i < 2; i++) {
            int v = asset->edge[e].vertex[i];
            if (root[v] < 0) root[v] = v, loops++;
            while (root[v] != v) v = root[v];
            end[i] = v;
        }
        if (end[0] != end[1]) root[end[0]] = end[1], loops--;
    }
    free(root);
    return loops;
}

/* Area of the panels, graded to the mannequin. */
static double pattern_area(vo_context *ctx, const vo_sew_def *sew, const char *pattern) {
    vo_sew_def def = *sew;
    vo_body *body;
    vo_wearer wearer;
    vo_fitted_pattern cut;
    vo_fitted_pattern_def how = {sew->edge_length, 0, sew->fit};
    double area = 0;
    def.pattern = pattern;
    assert_ok(ctx, vo_sew_create_body(ctx, &def, &body));
    assert_ok(ctx, vo_sew_create_wearer(ctx, &def, body, &wearer));
    assert_ok(ctx, vo_fitted_pattern_create(ctx, pattern, &wearer, &how, &cut));
    for (int i = 0; i < cut.pattern->panel_count; i++)
        area += vo_pattern_panel_area(&cut.pattern->panel[i]);
    vo_fitted_pattern_free(&cut);
    vo_wearer_free(&wearer);
    vo_body_destroy(body);
    return area;
}

/* The sleeve that extends furthest to the left follows the left arm. */
static void check_sleeve(const vo_rt_asset *asset, const vo_cook_report *report) {
    int leftmost = 0;
    for (int v = 1; v < asset->vertex_count; v++)
        if (asset->position[v].x > asset->position[leftmost].x) leftmost = v;
    const char *name = report->bone_names[asset->skin_bone[4 * leftmost]];
    assert_string_equal(name, "left upper arm");
}

static void tshirt_is_cooked_alike_by_any_threads(void **state) {
    (void)state;
    vo_cook_def def = pattern_def(GARMENTS "tshirt.json");
    vo_rt_asset *asset[2];
    vo_cook_report report[2];
    vo_context *ctx[2];
    size_t bytes[2];
    const void *data[2];
    for (int i = 0; i < 2; i++) {
        ctx[i] = test_context(i + 1);
        assert_ok(ctx[i], vo_cook(ctx[i], &def, &asset[i], &report[i]));
        data[i] = vo_rt_asset_get_data(asset[i], &bytes[i]);
    }
    assert_int_equal(bytes[0], bytes[1]);
    assert_memory_equal(data[0], data[1], bytes[0]);
    vo_rt_asset_info info = vo_rt_asset_get_info(asset[0]);
    assert_true(info.triangle_count >= 0.85 * 316 && info.triangle_count <= 1.15 * 316);
    /* Closed seams: one sheet with holes for neck, hem and arms. */
    assert_int_equal(info.vertex_count - info.edge_count + info.triangle_count, 2 - 4);
    assert_int_equal(count_boundaries(asset[0]), 4);
    assert_true(info.seam_edge_count > 20);
    assert_true(info.is_seamed);
    double area = pattern_area(ctx[0], &def.sew, def.input);
    assert_near(info.mass, area * (double)report[0].fabric.density, 0.01 * (double)info.mass);
    assert_int_equal(info.bone_count, 21);
    check_sleeve(asset[0], &report[0]);
    assert_true(report[0].sew.seams > 0 && report[0].input_faces > info.triangle_count);
    for (int i = 0; i < 2; i++) {
        vo_rt_asset_destroy(asset[i]);
        vo_cook_report_free(ctx[i], &report[i]);
        vo_context_destroy(ctx[i]);
    }
}

/* Pinned labels are attached; elastic edges keep their shortened rest length. */
static void skirt_is_attached_at_its_waistband(void **state) {
    (void)state;
    vo_context *ctx = test_context(2);
    vo_cook_def def = pattern_def(GARMENTS "skirt-pencil.json");
    vo_cook_report report;
    vo_rt_asset *asset;
    def.face_count = 200;
    def.max_level = 1;
    assert_ok(ctx, vo_cook(ctx, &def, &asset, &report));
    vo_rt_asset_info info = vo_rt_asset_get_info(asset);
    assert_true(info.triangle_count >= 170 && info.triangle_count <= 230);
    assert_true(info.attached_count >= 6);
    assert_true(info.tether_count > 0);
    assert_int_equal(count_boundaries(asset), 2);
    for (int v = 0; v < asset->vertex_count; v++) /* the waistband is the upper end */
        if (asset->maps[v].attachment == 1) assert_true(asset->position[v].z > 0.8f);
    vo_rt_asset_destroy(asset);
    vo_cook_report_free(ctx, &report);
    vo_context_destroy(ctx);
}

/* Unknown labels fail before the pattern is sewn. */
static void unknown_labels_are_listed(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    const char *label = "belt";
    vo_cook_def def = pattern_def(GARMENTS "cape.json");
    vo_rt_asset *asset;
    def.sew.no_body = true;
    def.attachment_count = 1;
    def.attachments = &label;
    assert_int_equal(vo_cook(ctx, &def, &asset, NULL), VO_BAD_DATA);
    assert_message_contains(ctx, "no node has the label \"belt\"; its labels are neck");
    def.attachment_count = 0;
    def.links = "links.txt";
    assert_int_equal(vo_cook(ctx, &def, &asset, NULL), VO_BAD_ARGUMENT);
    assert_message_contains(ctx, "links is set, but");
    def = pattern_def("absent.json");
    assert_int_equal(vo_cook(ctx, &def, &asset, NULL), VO_IO_FAILED);
    vo_context_destroy(ctx);
}

static void garmentcode_shirt_is_cooked(void **state) {
    (void)state;
    if (!test_data()) {
        print_message("VOILE_DATA is absent: the GarmentCode shirt is not cooked\n");
        skip();
    }
    vo_context *ctx = test_context(2);
    char pattern[600], body[600];
    vo_rt_asset *asset;
    vo_cook_report report;
    snprintf(pattern, sizeof pattern, "%s/garments/shirt_mean_specification.json", test_data());
    snprintf(body, sizeof body, "%s/garments/mean_all.obj", test_data());
    vo_cook_def def = pattern_def(pattern);
    def.sew.body = body;
    def.sew.body_up = VO_UP_Y;
    def.sew.edge_length = 0.04;
    def.sew.fabric = VOILE_SOURCE_DIR "/assets/fabrics/cotton-poplin.json";
    def.max_level = 2;
    assert_ok(ctx, vo_cook(ctx, &def, &asset, &report));
    vo_rt_asset_info info = vo_rt_asset_get_info(asset);
    assert_true(info.triangle_count >= 0.85 * 316 && info.triangle_count <= 1.15 * 316);
    assert_int_equal(info.bone_count, 0); /* a body without bones */
    assert_true(info.seam_edge_count > 20);
    assert_near(info.mass, report.area * (double)report.fabric.density, 0.01 * (double)info.mass);
    vo_rt_asset_destroy(asset);
    vo_cook_report_free(ctx, &report);
    vo_context_destroy(ctx);
}

int main(void) {
    setenv("VOILE_ASSETS", VOILE_SOURCE_DIR "/assets", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unknown_labels_are_listed),
        cmocka_unit_test(tshirt_is_cooked_alike_by_any_threads),
        cmocka_unit_test(skirt_is_attached_at_its_waistband),
        cmocka_unit_test(garmentcode_shirt_is_cooked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
