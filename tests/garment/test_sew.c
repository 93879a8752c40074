/* Tests of sewing: measuring and fitting, garments on bodies, rejected input. */
#include "support.h"

#include "core/file.h"
#include "garment/wear.h"
#include "sew/sew.h"
#include "sim/inspect.h"
#include "sim/sim.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GARMENTS VOILE_SOURCE_DIR "/assets/garments/"

/* Returns the folder of all test files. */
static const char *folder(void) {
    static const char *made;
    if (!made) made = test_folder();
    return made;
}

static bool is_long(void) { return getenv("VOILE_TEST_LONG") != NULL; }

static void write_text(vo_context *ctx, const char *name, const char *text, char path[600]) {
    snprintf(path, 600, "%s/%s", folder(), name);
    assert_ok(ctx, vo_file_write(ctx, path, text, strlen(text)));
}

/* Writes a body file with a closed vertical cylinder that stands on the floor. */
static void write_cylinder(vo_context *ctx, double radius, double height, char path[600]) {
    vo_shape_def def = vo_shape_def_default(VO_SHAPE_CYLINDER);
    vo_mesh *mesh;
    def.radius = radius;
    def.height = height;
    def.edge_length = 0.04;
    assert_ok(ctx, vo_mesh_create_shape(ctx, &def, &mesh));
    for (int n = 0; n < mesh->node_count; n++) mesh->node_x[n].z += 0.5 * height;
    snprintf(path, 600, "%s/cylinder.obj", folder());
    assert_ok(ctx, vo_mesh_save_obj(ctx, mesh, path));
    vo_mesh_destroy(mesh);
}

/* ---- measuring and fitting ------------------------------------------------------------------ */

static vo_wearer make_wearer(vo_context *ctx, double height, double build, double figure) {
    vo_mannequin_def def = vo_mannequin_def_default();
    vo_body_placement_def place = {.placement = xf_identity()};
    vo_body *body;
    vo_wearer wearer;
    def.height = height;
    def.build = build;
    def.figure = figure;
    def.faces = 8000;
    assert_ok(ctx, vo_body_create_mannequin(ctx, &def, &body));
    assert_ok(ctx, vo_body_set_placement(body, &place));
    assert_ok(ctx, vo_wearer_create(ctx, body, &wearer));
    vo_body_destroy(body);
    return wearer;
}

/* The girths of a cylinder are known. */
static void girths_of_a_cylinder_are_its_circumference(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_shape_def def = vo_shape_def_default(VO_SHAPE_CYLINDER);
    vo_mesh *mesh;
    vo_body_sizes sizes;
    def.radius = 0.15;
    def.height = 1.7;
    def.edge_length = 0.01;
    assert_ok(ctx, vo_mesh_create_shape(ctx, &def, &mesh));
    for (int n = 0; n < mesh->node_count; n++) mesh->node_x[n].z += 0.85;
    assert_ok(ctx, vo_body_measure(mesh, 1.4, &sizes));
    assert_near(sizes.height, 1.7, 1e-9);
    for (int i = 0; i < VO_GIRTHS; i++) assert_near(sizes.girth[i], 2 * VO_PI * 0.15, 2e-3);
    assert_int_equal(vo_body_measure(mesh, 0.4, &sizes), VO_BAD_DATA);
    vo_mesh_destroy(mesh);
    vo_context_destroy(ctx);
}

static void girths_follow_height_and_build(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_wearer slim = make_wearer(ctx, 1.75, -1, 0), heavy = make_wearer(ctx, 1.75, 1, 0);
    vo_wearer tall = make_wearer(ctx, 2.1, -1, 0);
    assert_near(slim.sizes.height, 1.75, 0.02);
    for (int i = 0; i < VO_GIRTHS; i++) {
        assert_true(heavy.sizes.girth[i] > 1.1 * slim.sizes.girth[i]);
        assert_near(tall.sizes.girth[i], 1.2 * slim.sizes.girth[i], 0.02);
        assert_near(tall.sizes.level[i], 1.2 * slim.sizes.level[i], 0.03);
    }
    assert_true(slim.sizes.girth[VO_GIRTH_WAIST] < slim.sizes.girth[VO_GIRTH_HIP]);
    assert_true(slim.sizes.crotch < slim.sizes.level[VO_GIRTH_HIP]);
    vo_wearer_free(&slim);
    vo_wearer_free(&heavy);
    vo_wearer_free(&tall);
    vo_context_destroy(ctx);
}

static double seam_length(const vo_pattern *p, const char *name, int side) {
    for (int i = 0; i < p->seam_count; i++)
        if (strcmp(p->seam[i].name, name) == 0) return vo_pattern_side_length(p, &p->seam[i], side);
    fail_msg("no seam %s", name);
    return 0;
}

static void pattern_for_the_same_body_is_unchanged(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_pattern *was, *is;
    assert_ok(ctx, vo_pattern_load(ctx, GARMENTS "jacket.json", &was));
    assert_ok(ctx, vo_pattern_load(ctx, GARMENTS "jacket.json", &is));
    assert_ok(ctx, vo_pattern_fit(is, &was->body));
    for (int i = 0; i < is->panel_count; i++) {
        assert_near(vo_pattern_panel_area(&is->panel[i]), vo_pattern_panel_area(&was->panel[i]),
                    1e-7);
        assert_near(is->panel[i].place.height, was->panel[i].place.height, 1e-9);
    }
    vo_pattern_destroy(was);
    vo_pattern_destroy(is);
    vo_context_destroy(ctx);
}

/* Bodies that differ by scale only have patterns that differ by scale only. */
static void fitting_scales_with_the_body(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    const double s = 1.25;
    static const char *const names[] = {"dress", "tshirt", "trousers", "skirt-wide", "cape"};
    for (int k = 0; k < 5; k++) {
        char path[300];
        vo_pattern *was, *is;
        snprintf(path, sizeof path, GARMENTS "%s.json", names[k]);
        assert_ok(ctx, vo_pattern_load(ctx, path, &was));
        assert_ok(ctx, vo_pattern_load(ctx, path, &is));
        vo_body_sizes body = was->body;
        double *value = (double *)&body;
        for (size_t i = 0; i < sizeof body / sizeof *value; i++) value[i] *= s;
        assert_ok(ctx, vo_pattern_fit(is, &body));
        for (int i = 0; i < is->panel_count; i++)
            assert_near(vo_pattern_panel_area(&is->panel[i]) / (s * s),
                        vo_pattern_panel_area(&was->panel[i]), 2e-4);
        vo_pattern_destroy(was);
        vo_pattern_destroy(is);
    }
    vo_context_destroy(ctx);
}

static void waists_and_sleeves_follow_the_body(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_pattern *p;
    assert_ok(ctx, vo_pattern_load(ctx, GARMENTS "skirt-wide.json", &p));
    vo_body_sizes wide = p->body;
    double was = seam_length(p, "waist", 1), side = seam_length(p, "left side", 0);
    wide.girth[VO_GIRTH_WAIST] *= 1.3;
    assert_ok(ctx, vo_pattern_fit(p, &wide));
    assert_near(seam_length(p, "waist", 1), 1.3 * was, 0.01);
    assert_near(seam_length(p, "left side", 0), side, 1e-6);
    vo_pattern_destroy(p);

    assert_ok(ctx, vo_pattern_load(ctx, GARMENTS "tshirt.json", &p));
    wide = p->body;
    double ratio = seam_length(p, "front armhole", 0) / seam_length(p, "front armhole", 1);
    for (int i = 0; i < VO_GIRTHS; i++) wide.girth[i] *= 1.25;
    assert_ok(ctx, vo_pattern_fit(p, &wide));
    assert_near(seam_length(p, "front armhole", 0) / seam_length(p, "front armhole", 1), ratio,
                0.02);
    assert_ok(ctx, vo_pattern_check(p));
    vo_pattern_destroy(p);
    vo_context_destroy(ctx);
}

/* Returns the length of an edge of the cape's panel. */
static double cape_edge(const vo_pattern *p, const char *name) {
    for (int e = 0; e < p->panel[0].edge_count; e++)
        if (strcmp(p->panel[0].edge[e].name, name) == 0) return p->panel[0].edge[e].length;
    fail_msg("no edge %s", name);
    return 0;
}

static void capes_follow_the_neck(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_pattern *p;
    assert_ok(ctx, vo_pattern_load(ctx, GARMENTS "cape.json", &p));
    double neck = cape_edge(p, "neck"), front = cape_edge(p, "front_left");
    vo_body_sizes thick = p->body;
    thick.neck *= 1.4;
    assert_ok(ctx, vo_pattern_fit(p, &thick));
    assert_near(cape_edge(p, "neck"), 1.4 * neck, 1e-3);
    assert_near(cape_edge(p, "front_left"), front, 1e-6);
    vo_body_sizes unknown = thick;
    unknown.neck = 0;
    assert_ok(ctx, vo_pattern_fit(p, &unknown));
    assert_near(cape_edge(p, "neck"), 1.4 * neck, 1e-3);
    vo_pattern_destroy(p);
    vo_wearer wearer = make_wearer(ctx, 1.72, 0, 0), heavy = make_wearer(ctx, 1.72, 1, 0);
    assert_near(wearer.sizes.neck, 0.387, 0.02);
    assert_true(heavy.sizes.neck > 1.05 * wearer.sizes.neck);
    vo_wearer_free(&wearer);
    vo_wearer_free(&heavy);
    vo_context_destroy(ctx);
}

static void elastic_edges_are_shorter_at_rest(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_pattern *p;
    vo_garment *was, *is;
    vo_panel_mesh_def def = vo_panel_mesh_def_default();
    assert_ok(ctx, vo_pattern_load(ctx, GARMENTS "skirt-wide.json", &p));
    assert_ok(ctx, vo_garment_create(p, &def, &was));
    assert_ok(ctx, vo_garment_create(p, &def, &is));
    vo_garment_apply_elastic(is, p);
    int band = vo_pattern_find_panel(p, "band");
    for (int f = 0; f < is->mesh->face_count; f++) {
        bool on_band = is->mesh->vert_patch[is->mesh->face_vert[f][0]] == band;
        double area = vo_mesh_face_area(was->mesh, f);
        assert_near(vo_mesh_face_area(is->mesh, f), (on_band ? 0.95 : 1) * area, 1e-12);
    }
    vo_garment_destroy(was);
    vo_garment_destroy(is);
    vo_pattern_destroy(p);
    vo_context_destroy(ctx);
}

/* ---- tube around a post ---------------------------------------------------------------------- */

#define PINNED ", \"labels\": [{\"edges\": [\"front.top\", \"back.top\"], \"pinned\": true}]"

/* Two panels of width w (cm) and 40 cm height; narrow ones start closer to the axis. */
static void write_tube(vo_context *ctx, double w, const char *extra, char path[600]) {
    char text[2000];
    double radius = vo_clamp(w / 2.2, 13, 18);
    const char *panel =
        "\"%s\": {\"outline\": [[%g, 0], {\"to\": [%g, 0], \"name\": \"hem\"}, {\"to\": [%g, 40], "
        "\"name\": \"left\"}, {\"to\": [%g, 40], \"name\": \"top\"}, {\"to\": [%g, 0], \"name\": "
        "\"right\"}], \"place\": {\"around\": \"trunk\", \"radius\": %g, \"angle\": %d, "
        "\"height\": 60}}%s";
    int n = snprintf(text, sizeof text, "{\"units\": \"cm\", \"panels\": {");
    n += snprintf(text + n, sizeof text - (size_t)n, panel, "front", -w / 2, w / 2, w / 2, -w / 2,
                  -w / 2, radius, 0, ", ");
    n += snprintf(text + n, sizeof text - (size_t)n, panel, "back", -w / 2, w / 2, w / 2, -w / 2,
                  -w / 2, radius, 180, "}, ");
    snprintf(text + n, sizeof text - (size_t)n,
             "\"seams\": [{\"name\": \"one\", \"a\": \"front.left\", \"b\": \"back.right\"}, "
             "{\"name\": \"two\", \"a\": \"back.left\", \"b\": \"front.right\"}]%s}",
             extra);
    write_text(ctx, "tube.json", text, path);
}

typedef struct tube {
    char pattern[600], body[600], fabric[600];
    vo_sew_def def;
} tube;

static void make_tube(vo_context *ctx, double width, const char *extra, tube *t) {
    write_tube(ctx, width, extra, t->pattern);
    write_cylinder(ctx, 0.12, 1.7, t->body);
    t->def = vo_sew_def_default();
    t->def.pattern = t->pattern;
    t->def.body = t->body;
    t->def.fabric = VOILE_SOURCE_DIR "/assets/fabrics/cotton-poplin.json";
    t->def.edge_length = 0.06;
}

/* Asserts that neither the garment alone nor the garment and its body intersect. */
static void check_clean(vo_context *ctx, const vo_mesh *garment, const vo_mesh *body) {
    vo_inspector inspector = {.ctx = ctx};
    vo_inspection found;
    vo_inspect_mesh g = vo_inspect_mesh_of(garment), b = vo_inspect_mesh_of(body);
    vo_inspector_begin(&inspector);
    assert_ok(ctx, vo_inspector_add(&inspector, &g, false, 0, VO_INSPECT_OPEN));
    assert_ok(ctx, vo_inspector_add(&inspector, &b, true, 0, VO_INSPECT_ENCLOSED));
    assert_ok(ctx, vo_inspector_inspect(&inspector, &found));
    assert_int_equal(vo_inspection_intersections(&found), 0);
    assert_int_equal(found.inside_nodes, 0);
    vo_inspector_free(&inspector);
}

/* Returns the number of boundary loops. */
static int count_openings(const vo_mesh *m) {
    return 2 - (m->node_count - m->edge_count + m->face_count);
}

static void tube_is_sewn_around_a_post(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    tube t;
    vo_mesh *garment, *body;
    vo_sew_report report;
    make_tube(ctx, 40, PINNED, &t);
    assert_ok(ctx, vo_sew(ctx, &t.def, &garment, &body, &report));
    check_clean(ctx, garment, body);
    assert_int_equal(count_openings(garment), 2);
    assert_int_equal(report.seams, 2);
    assert_true(report.gap > 0 && report.gap <= 0.004);
    assert_true(report.max_strain < 0.1);
    assert_true(report.speed <= 0.02);
    for (int n = 0; n < garment->node_count; n++) {
        vo_vec3 x = garment->node_x[n];
        assert_true(hypot(x.x, x.y) > 0.12 - 1e-3 && hypot(x.x, x.y) < 0.3);
    }
    double max = 0, min = 0;
    vo_mesh_strain(garment, &max, &min);
    assert_near(max, report.max_strain, 1e-12);
    vo_mesh_destroy(garment);
    vo_mesh_destroy(body);
    vo_context_destroy(ctx);
}

static uint64_t hash_positions(const vo_mesh *m) {
    uint64_t h = 1469598103934665603u;
    const unsigned char *p = (const unsigned char *)m->node_x;
    for (size_t i = 0; i < (size_t)m->node_count * sizeof *m->node_x; i++)
        h = (h ^ p[i]) * 1099511628211u;
    return h;
}

static void garment_is_independent_of_threads(void **state) {
    (void)state;
    uint64_t hash[2];
    for (int i = 0; i < 2; i++) {
        vo_context *ctx = test_context(1 + 2 * i);
        tube t;
        vo_mesh *garment;
        make_tube(ctx, 40, PINNED, &t);
        assert_ok(ctx, vo_sew(ctx, &t.def, &garment, NULL, NULL));
        hash[i] = hash_positions(garment);
        vo_mesh_destroy(garment);
        vo_context_destroy(ctx);
    }
    assert_true(hash[0] == hash[1]);
}

static bool stop_at_ten(void *user, const vo_sew_progress *p) {
    int *calls = user;
    assert_true(p->done >= 0 && p->done <= 1);
    return ++*calls < 10;
}

/* ---- cache ---------------------------------------------------------------------------------- */

static void count_warnings(void *user, vo_log_level level, const char *text) {
    (void)text;
    *(int *)user += level == VO_LOG_WARNING;
}

/* Sews a tube of the given width and fabric, with the cache in a folder. */
static uint64_t sew_cached(const char *cache, double width, const char *fabric, int *warnings,
                           vo_sew_report *report) {
    vo_context_def def = vo_context_def_default();
    vo_context *ctx;
    tube t;
    vo_mesh *garment;
    def.threads = 1;
    def.cache_folder = cache;
    def.no_cache = !cache;
    def.log = count_warnings;
    def.log_user = warnings;
    *warnings = 0;
    assert_int_equal(vo_context_create(&def, &ctx), VO_OK);
    make_tube(ctx, width, PINNED, &t);
    snprintf(t.fabric, sizeof t.fabric, VOILE_SOURCE_DIR "/assets/fabrics/%s.json", fabric);
    t.def.fabric = t.fabric;
    assert_ok(ctx, vo_sew(ctx, &t.def, &garment, NULL, report));
    uint64_t hash = hash_positions(garment);
    for (int n = 0; n < garment->node_count; n++) assert_true(v3_length(garment->node_v[n]) == 0);
    assert_int_equal(count_openings(garment), 2);
    vo_mesh_destroy(garment);
    vo_context_destroy(ctx);
    return hash;
}

enum { WIDTH = 34 }; /* cm; the tube is stretched by more than 10 % */

static void garments_are_read_from_the_cache(void **state) {
    (void)state;
    const char *cache = test_folder();
    int warnings[2];
    vo_sew_report fresh, stored;
    uint64_t reference = sew_cached(NULL, WIDTH, "cotton-poplin", &warnings[0], &fresh);
    assert_false(fresh.was_stored);
    assert_true(sew_cached(cache, WIDTH, "cotton-poplin", &warnings[1], &stored) == reference);
    assert_false(stored.was_stored);
    assert_true(sew_cached(cache, WIDTH, "cotton-poplin", &warnings[1], &stored) == reference);
    assert_true(stored.was_stored);
    assert_int_equal(warnings[0], 1); /* it is tight */
    assert_int_equal(warnings[1], 1);
    assert_true(stored.gap == fresh.gap && stored.max_strain == fresh.max_strain &&
                stored.speed == fresh.speed && stored.steps == fresh.steps &&
                stored.nodes == fresh.nodes && stored.faces == fresh.faces &&
                stored.seams == fresh.seams && stored.stitches == fresh.stitches);
    sew_cached(cache, WIDTH + 0.1, "cotton-poplin", &warnings[1], &stored);
    assert_false(stored.was_stored); /* another pattern */
    sew_cached(cache, WIDTH, "denim", &warnings[1], &stored);
    assert_false(stored.was_stored); /* another fabric */
}

static void sewing_can_be_cancelled(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    tube t;
    vo_mesh *garment;
    int calls = 0;
    make_tube(ctx, 40, "", &t);
    t.def.progress = stop_at_ten;
    t.def.user = &calls;
    assert_int_equal(vo_sew(ctx, &t.def, &garment, NULL, NULL), VO_CANCELLED);
    assert_int_equal(calls, 10);
    assert_null(garment);
    vo_context_destroy(ctx);
}

static void expect_failure(vo_context *ctx, const vo_sew_def *def, const char *message) {
    vo_mesh *garment;
    assert_int_equal(vo_sew(ctx, def, &garment, NULL, NULL), VO_BAD_DATA);
    assert_null(garment);
    const char *actual = vo_context_message(ctx);
    if (!strstr(actual, message) || !strstr(actual, "tube.json: "))
        fail_msg("\"%s\" is not in \"%s\"", message, actual);
}

/* 56 to 60 cm of cloth fit a post of 75 cm only under strain. */
static void tight_garment_is_reported(void **state) {
    (void)state;
    for (int width = 28; width <= 30; width++) {
        vo_context *ctx = test_context(1);
        tube t;
        make_tube(ctx, width, "", &t);
        expect_failure(ctx, &t.def, "too tight: its seams close, but panel ");
        assert_message_contains(ctx, "add the sizes of the body"); /* the tube states none */
        vo_context_destroy(ctx);
    }
}

/* 100 cm of cloth fit the post loosely and slide down. */
static void loose_garment_is_reported(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    tube t;
    make_tube(ctx, 50, "", &t);
    expect_failure(ctx, &t.def, "it is not held by the body");
    vo_context_destroy(ctx);
}

/* A vo_log_fn: keeps the last warning. */
static void keep_warning(void *user, vo_log_level level, const char *text) {
    if (level == VO_LOG_WARNING) snprintf(user, 600, "%s", text);
}

/* Copies the pattern of the cape, placed `height` cm above the neck. */
static void write_cape(vo_context *ctx, double height, char path[600]) {
    static const char key[] = "\"height\": 6.7";
    char text[6000];
    vo_bytes cape;
    assert_ok(ctx, vo_file_read(ctx, VOILE_SOURCE_DIR "/assets/garments/cape.json", &cape));
    const char *at = strstr((const char *)cape.data, key);
    assert_non_null(at);
    snprintf(text, sizeof text, "%.*s\"height\": %g%s", (int)(at - (const char *)cape.data),
             (const char *)cape.data, height, at + strlen(key));
    vo_bytes_free(ctx, &cape);
    write_text(ctx, "cape.json", text, path);
}

/* Sews a cape that is placed `height` cm above the neck of the mannequin; copies the warning. */
static void sew_cape(double height, char warning[600]) {
    vo_context *ctx;
    vo_context_def options = vo_context_def_default();
    char path[600];
    vo_mesh *garment;
    options.log = keep_warning;
    options.log_user = warning;
    warning[0] = 0;
    assert_int_equal(vo_context_create(&options, &ctx), VO_OK);
    write_cape(ctx, height, path);
    vo_sew_def def = vo_sew_def_default();
    def.pattern = path;
    def.fabric = VOILE_SOURCE_DIR "/assets/fabrics/velvet.json";
    def.edge_length = 0.06;
    assert_ok(ctx, vo_sew(ctx, &def, &garment, NULL, NULL));
    vo_mesh_destroy(garment);
    vo_context_destroy(ctx);
}

/* A cape that is placed half a metre above the neck ends on the head or the shoulders. */
static void garment_away_from_its_place_is_reported(void **state) {
    (void)state;
    char warning[600];
    sew_cape(6.7, warning);
    assert_string_equal(warning, "");
    sew_cape(60, warning);
    assert_non_null(strstr(warning, "cape.json: its label neck ended 0."));
    assert_non_null(strstr(warning, "m below its place on the mannequin, at ("));
}

/* Two panels on opposite sides of a wall. */
static void open_seam_is_reported(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    tube t;
    vo_mesh *wall;
    vo_shape_def def = vo_shape_def_default(VO_SHAPE_BOX);
    def.size = v3(3, 0.3, 2.5);
    def.edge_length = 0.3;
    make_tube(ctx, 40, "", &t);
    assert_ok(ctx, vo_mesh_create_shape(ctx, &def, &wall));
    for (int n = 0; n < wall->node_count; n++) wall->node_x[n].z += 1.25;
    assert_ok(ctx, vo_mesh_save_obj(ctx, wall, t.body));
    vo_mesh_destroy(wall);
    expect_failure(ctx, &t.def, "seam \"");
    assert_non_null(strstr(vo_context_message(ctx), "does not close: near ("));
    assert_message_contains(ctx, "They are 40.0 and 40.0 cm long");
    vo_context_destroy(ctx);
}

static void invalid_arguments_are_rejected(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_mesh *garment;
    vo_sew_def def = vo_sew_def_default();
    assert_int_equal(vo_sew(ctx, &def, &garment, NULL, NULL), VO_BAD_ARGUMENT);
    def.pattern = GARMENTS "dress.json";
    def.thickness = 0;
    assert_int_equal(vo_sew(ctx, &def, &garment, NULL, NULL), VO_BAD_ARGUMENT);
    def = vo_sew_def_default();
    def.pattern = GARMENTS "dress.json";
    def.edge_length = NAN;
    assert_int_equal(vo_sew(ctx, &def, &garment, NULL, NULL), VO_BAD_ARGUMENT);
    def.edge_length = 0.05;
    def.fabric = "moonlight";
    assert_int_equal(vo_sew(ctx, &def, &garment, NULL, NULL), VO_BAD_DATA);
    assert_message_contains(ctx, "there is no fabric \"moonlight\"");
    def.pattern = "/nowhere.json";
    assert_int_equal(vo_sew(ctx, &def, &garment, NULL, NULL), VO_IO_FAILED);
    vo_context_destroy(ctx);
}

/* Two flat sheets side by side in the world. */
static void merging_joins_coincident_nodes(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    char flat[600], world[600], other[600];
    vo_mesh *m;
    const char *faces = "f 1 2 3\nf 1 3 4\nf 5 6 7\nf 5 7 8\n";
    char text[600];
    snprintf(text, sizeof text,
             "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 3 0 0\nv 4 0 0\nv 4 1 0\nv 3 1 0\n%s", faces);
    write_text(ctx, "flat.obj", text, flat);
    snprintf(text, sizeof text,
             "v 0 0 5\nv 1 0 5\nv 1 1 5\nv 0 1 5\nv 1 0 5.0004\nv 1 0 4\nv 1 1 4\nv 1 1 5.0004\n%s",
             faces);
    write_text(ctx, "world.obj", text, world);
    write_text(ctx, "other.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 3\n", other);
    assert_ok(ctx, vo_sew_merge(ctx, flat, world, 1e-3, &m));
    assert_int_equal(m->node_count, 6);
    assert_int_equal(m->vert_count, 8);
    assert_near(m->node_x[1].z, 5.0002, 1e-9);
    assert_near(vo_mesh_face_area(m, 0), 0.5, 1e-12);
    vo_mesh_destroy(m);
    assert_ok(ctx, vo_sew_merge(ctx, flat, world, 1e-4, &m));
    assert_int_equal(m->node_count, 8);
    vo_mesh_destroy(m);
    assert_int_equal(vo_sew_merge(ctx, flat, other, 1e-3, &m), VO_BAD_DATA);
    assert_int_equal(vo_sew_merge(ctx, flat, world, -1, &m), VO_BAD_ARGUMENT);
    vo_context_destroy(ctx);
}

/* Two steps run all code that allocates, except for the merged garment. */
static bool stop_at_two(void *user, const vo_sew_progress *p) {
    (void)user;
    return p->step < 2;
}

static vo_result sew_two_steps(vo_context *ctx, void *arg) {
    const tube *t = arg;
    vo_mesh *garment;
    vo_result result = vo_sew(ctx, &t->def, &garment, NULL, NULL);
    return result == VO_CANCELLED ? VO_OK : result;
}

static void allocation_failure_is_reported(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    tube t;
    make_tube(ctx, 40, "", &t);
    vo_context_destroy(ctx);
    t.def.edge_length = 0.2;
    t.def.progress = stop_at_two;
    test_every_allocation_forgiving(sew_two_steps, &t);
}

/* ---- garments ------------------------------------------------------------------------------- */

/* A garment and the body that it is fitted to. */
typedef struct fitting {
    const char *garment;
    int openings; /* boundary loops with all seams closed */
    double height, build, figure, edge;
} fitting;

/* Returns true if no two boundary nodes coincide, as they would along an open seam. */
static bool borders_are_separate(const vo_mesh *m) {
    for (int e = 0; e < m->edge_count; e++)
        for (int k = 0; k < e && m->edge_face[e][1] < 0; k++) {
            int a = m->edge_node[e][0], b = m->edge_node[k][0];
            if (m->edge_face[k][1] < 0 && a != b && v3_distance(m->node_x[a], m->node_x[b]) < 1e-6)
                return false;
        }
    return true;
}

/* Sews the garment; prints the defect and returns false unless it is clean, closed and not
 * tight. */
static bool fits(vo_context *ctx, const fitting *f) {
    char path[300], wrong[700] = "";
    vo_mesh *garment = NULL, *body = NULL;
    vo_sew_report report = {0};
    vo_sew_def def = vo_sew_def_default();
    snprintf(path, sizeof path, GARMENTS "%s.json", f->garment);
    def.pattern = path;
    def.mannequin.height = f->height;
    def.mannequin.build = f->build;
    def.mannequin.figure = f->figure;
    def.mannequin.faces = 8000;
    def.edge_length = f->edge;
    if (vo_sew(ctx, &def, &garment, &body, &report) != VO_OK) {
        snprintf(wrong, sizeof wrong, "%s", vo_context_message(ctx));
    } else {
        check_clean(ctx, garment, body);
        if (!(report.max_strain < 0.1))
            snprintf(wrong, sizeof wrong, "strain %g", report.max_strain);
        if (count_openings(garment) != f->openings || !borders_are_separate(garment))
            snprintf(wrong, sizeof wrong, "%d openings", count_openings(garment));
        if (!(report.gap <= 0.004)) snprintf(wrong, sizeof wrong, "joined over %g m", report.gap);
    }
    if (wrong[0])
        print_error("%s, height %g, build %g: %s\n", f->garment, f->height, f->build, wrong);
    vo_mesh_destroy(garment);
    vo_mesh_destroy(body);
    return !wrong[0];
}

static void two_garments_fit_a_mannequin(void **state) {
    (void)state;
    vo_context *ctx = test_context(2);
    assert_true(fits(ctx, &(fitting){"skirt-pencil", 2, 1.75, 0, 1, 0.05}));
    assert_true(fits(ctx, &(fitting){"tshirt", 4, 1.6, -1, 0, 0.05}));
    vo_context_destroy(ctx);
}

static void every_garment_fits_three_builds_and_heights(void **state) {
    (void)state;
    static const fitting all[] = {
        {"dress", 4, .figure = 1},      {"tshirt", 4},       {"trousers", 3}, {"jacket", 3},
        {"skirt-wide", 2, .figure = 1}, {"skirt-pencil", 2}, {"cape", 2},     {"scarf", 2},
    };
    static const double heights[] = {1.75, 1.55, 1.95};
    if (!is_long()) skip();
    vo_context *ctx = test_context(2);
    int wrong = 0;
    for (int k = 0; k < 8; k++)
        for (int i = 0; i < 9; i++) {
            fitting f = all[k];
            f.height = heights[i / 3];
            f.build = i % 3 - 1;
            f.edge = 0.03;
            wrong += !fits(ctx, &f);
        }
    assert_int_equal(wrong, 0);
    vo_context_destroy(ctx);
}

static void garmentcode_shirt_fits_its_body(void **state) {
    (void)state;
    if (!is_long() || !test_data()) skip();
    vo_context *ctx = test_context(2);
    char pattern[600], file[600];
    vo_mesh *garment, *body;
    vo_sew_report report;
    vo_sew_def def = vo_sew_def_default();
    snprintf(pattern, sizeof pattern, "%s/garments/shirt_mean_specification.json", test_data());
    snprintf(file, sizeof file, "%s/garments/mean_all.obj", test_data());
    def.pattern = pattern;
    def.body = file;
    def.body_up = VO_UP_Y;
    def.fabric = VOILE_SOURCE_DIR "/assets/fabrics/cotton-poplin.json";
    assert_ok(ctx, vo_sew(ctx, &def, &garment, &body, &report));
    check_clean(ctx, garment, body);
    assert_true(report.max_strain < 0.1);
    vo_mesh_destroy(garment);
    vo_mesh_destroy(body);
    vo_context_destroy(ctx);
}

/* ---- scenes --------------------------------------------------------------------------------- */

/* Two mannequins in tubes of cloth that are pinned to them. */
static void write_scene(vo_context *ctx, const char *tail, char path[600]) {
    char pattern[600], text[2000];
    write_tube(ctx, 70, PINNED, pattern);
    snprintf(text, sizeof text,
             "{\"frame_time\": 0.04, \"frame_steps\": 4, \"end_frame\": 1, \"preroll\": 0.04, "
             "\"gravity\": [0, 0, -9.81], \"magic\": {\"repulsion_thickness\": 0.003, "
             "\"collision_stiffness\": 1e7}, \"characters\": [{\"body\": {\"faces\": 6000}}, "
             "{\"body\": {\"faces\": 6000}, \"transform\": {\"translate\": [3, 1, 0], \"rotate\": "
             "[90, 0, 0, 1]}}], \"garments\": [%s]}",
             tail);
    write_text(ctx, "scene.json", text, path);
}

#define TUBE_OF(who)                                                                             \
    "{\"pattern\": \"tube.json\", \"edge_length\": 0.08, \"character\": " who                    \
    ", \"materials\": [{\"data\": \"" VOILE_SOURCE_DIR "/assets/fabrics/cotton-poplin.json\"}]," \
    " \"remeshing\": {\"size\": [0.05, 0.1]}}"

static void equal_garments_are_sewn_once_and_transformed(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    char path[600];
    vo_scene *scene;
    vo_sim *sim;
    write_scene(ctx, TUBE_OF("0") ", " TUBE_OF("1"), path);
    assert_ok(ctx, vo_scene_load(ctx, path, 0, NULL, &scene));
    assert_int_equal(scene->cloth_count, 2);
    assert_int_equal(scene->handle_count, 2);
    assert_ok(ctx, vo_sim_create(ctx, scene, &sim));
    const vo_mesh *a = sim->cloth[0].mesh, *b = sim->cloth[1].mesh;
    vo_inspection found;
    assert_ok(ctx, vo_sim_inspect(sim, &found));
    assert_true(vo_inspection_is_clean(&found));
    assert_int_equal(a->node_count, b->node_count);
    vo_transform place = vo_body_placement(scene->obstacle[1].body);
    for (int n = 0; n < a->node_count; n++)
        assert_near(v3_distance(xf_point(place, a->node_x[n]), b->node_x[n]), 0, 1e-6);
    assert_ok(ctx, vo_sim_step_frame(sim));
    vo_sim_destroy(sim);
    vo_scene_destroy(scene);
    vo_context_destroy(ctx);
}

typedef struct progress_record {
    int calls, stop_at; /* garment at whose first call the callback cancels; -1: never */
    double done;
    bool seen[2][2]; /* garment, phase */
} progress_record;

static bool record_progress(void *user, const vo_sew_progress *p) {
    progress_record *l = user;
    l->calls++;
    assert_int_equal(p->garments, 2);
    assert_in_range(p->garment, 0, 1);
    assert_true(p->done >= l->done && p->done <= 1);
    assert_non_null(strstr(p->pattern, "tube.json"));
    l->done = p->done;
    l->seen[p->garment][p->phase] = true;
    return p->garment != l->stop_at;
}

/* The second tube differs, otherwise its sewing would be skipped. */
static void sewing_of_scenes_reports_progress_and_can_be_cancelled(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    char path[600];
    vo_scene *scene;
    vo_sim *sim;
    const char *overrides[] = {"garments[1].edge_length=0.09"};
    write_scene(ctx, TUBE_OF("0") ", " TUBE_OF("1"), path);
    assert_ok(ctx, vo_scene_load(ctx, path, 1, overrides, &scene));
    progress_record l = {.stop_at = -1};
    assert_ok(ctx, vo_sim_create_with_progress(ctx, scene, record_progress, &l, &sim));
    for (int i = 0; i < 4; i++) assert_true(l.seen[i / 2][i % 2]);
    vo_sim_destroy(sim);
    progress_record cancelled = {.stop_at = 1};
    assert_int_equal(vo_sim_create_with_progress(ctx, scene, record_progress, &cancelled, &sim),
                     VO_CANCELLED);
    assert_null(sim);
    assert_true(cancelled.calls < l.calls);
    vo_scene_destroy(scene);
    vo_context_destroy(ctx);
}

/* A soft rim stays in place on a body that does not move. */
static void pinned_rims_follow_the_body(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    char path[600];
    vo_scene *scene;
    vo_sim *sim;
    write_scene(ctx, TUBE_OF("1"), path);
    assert_ok(ctx, vo_scene_load(ctx, path, 0, NULL, &scene));
    assert_int_equal(scene->handle[0].obstacle, 1);
    assert_ok(ctx, vo_sim_create(ctx, scene, &sim));
    int node = scene->handle[0].nodes[0];
    vo_vec3 before = sim->cloth[0].mesh->node_x[vo_sim_find_node(&sim->cloth[0], node)];
    const vo_mesh *body = sim->obstacle[1].mesh;
    vo_vec3 binding = vo_mesh_bind_point(body, before);
    assert_near(v3_distance(vo_mesh_eval_binding(body, body->node_x, binding), before), 0, 1e-9);
    for (int i = 0; i < 2; i++) assert_ok(ctx, vo_sim_step_frame(sim));
    int now = vo_sim_find_node(&sim->cloth[0], node);
    assert_true(now >= 0);
    assert_near(v3_distance(sim->cloth[0].mesh->node_x[now], before), 0, 0.01);
    vo_sim_destroy(sim);
    vo_scene_destroy(scene);
    vo_context_destroy(ctx);
}

static void expect_load_error(vo_context *ctx, const char *garments, const char *message) {
    char path[600];
    vo_scene *scene;
    write_scene(ctx, garments, path);
    assert_int_equal(vo_scene_load(ctx, path, 0, NULL, &scene), VO_BAD_DATA);
    if (!strstr(vo_context_message(ctx), message))
        fail_msg("\"%s\" is not in \"%s\"", message, vo_context_message(ctx));
}

static void invalid_garments_are_reported(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    expect_load_error(ctx, "", "cloths: is missing");
    expect_load_error(ctx, "{}", "garments[0].pattern: is missing");
    expect_load_error(ctx, "{\"pattern\": \"tube.json\", \"mesh\": \"a.obj\"}",
                      "garments[0].pattern: pattern and mesh exclude each other");
    expect_load_error(ctx, "{\"pattern\": \"gone.json\"}", "garments[0].pattern: there is no file");
    expect_load_error(ctx, TUBE_OF("2"), "garments[0].character: there is no character 2");
    expect_load_error(ctx, "{\"pattern\": \"tube.json\"}", "there is no fabric \"cotton-poplin\"");
    expect_load_error(ctx, "{\"mesh\": \"tube.json\"}", "garments[0].materials: is missing");
    vo_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(girths_of_a_cylinder_are_its_circumference),
        cmocka_unit_test(girths_follow_height_and_build),
        cmocka_unit_test(pattern_for_the_same_body_is_unchanged),
        cmocka_unit_test(fitting_scales_with_the_body),
        cmocka_unit_test(waists_and_sleeves_follow_the_body),
        cmocka_unit_test(capes_follow_the_neck),
        cmocka_unit_test(elastic_edges_are_shorter_at_rest),
        cmocka_unit_test(tube_is_sewn_around_a_post),
        cmocka_unit_test(garment_is_independent_of_threads),
        cmocka_unit_test(garments_are_read_from_the_cache),
        cmocka_unit_test(sewing_can_be_cancelled),
        cmocka_unit_test(tight_garment_is_reported),
        cmocka_unit_test(loose_garment_is_reported),
        cmocka_unit_test(garment_away_from_its_place_is_reported),
        cmocka_unit_test(open_seam_is_reported),
        cmocka_unit_test(invalid_arguments_are_rejected),
        cmocka_unit_test(merging_joins_coincident_nodes),
        cmocka_unit_test(allocation_failure_is_reported),
        cmocka_unit_test(two_garments_fit_a_mannequin),
        cmocka_unit_test(every_garment_fits_three_builds_and_heights),
        cmocka_unit_test(garmentcode_shirt_fits_its_body),
        cmocka_unit_test(equal_garments_are_sewn_once_and_transformed),
        cmocka_unit_test(sewing_of_scenes_reports_progress_and_can_be_cancelled),
        cmocka_unit_test(pinned_rims_follow_the_body),
        cmocka_unit_test(invalid_garments_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
