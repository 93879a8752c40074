/* Scenes that nobody should make, but everybody does: each ends in clean frames, or with a sentence
 * that says what is wrong and where; soon, and with memory that follows from the faces. Small here;
 * of some thousand faces with VOILE_TEST_LONG. */
#include "support.h"

#include "core/random.h"
#include "math/vec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What became of a scene. */
typedef struct outcome {
    vo_result created;
    char error[1024];
    char warnings[65536];
    int told;    /* warnings that say where */
    int unclean; /* frames */
    int frames;
    vo_stats last;
} outcome;

static bool is_long(void) { return getenv("VOILE_TEST_LONG") != NULL && TEST_SLOWNESS == 1; }

/* Cells along a side. */
static int cells(void) { return is_long() ? 45 : 16; }

/* ---- meshes --------------------------------------------------------------------------------- */

typedef vo_vec3 shape_fn(double u, double v, vo_random *r);

static vo_vec3 flat(double u, double v, vo_random *r) {
    (void)r;
    return v3(u, v, 0);
}
static vo_vec3 upright(double u, double v, vo_random *r) {
    (void)r;
    return v3(0.5, v, u - 0.5);
}
static vo_vec3 hills(double u, double v, vo_random *r) {
    (void)r;
    return v3(u, v, 0.05 * sin(20 * u + 1) * cos(17 * v));
}
static vo_vec3 dales(double u, double v, vo_random *r) {
    (void)r;
    return v3(u, v, 0.05 * cos(23 * u) * sin(19 * v + 2));
}
static vo_vec3 folded(double u, double v, vo_random *r) {
    (void)r;
    return v3(fabs(u - 0.5), v, 0);
}
static vo_vec3 line(double u, double v, vo_random *r) {
    (void)r;
    (void)v;
    return v3(u, 0, 0);
}
static vo_vec3 point(double u, double v, vo_random *r) {
    (void)u;
    (void)v;
    (void)r;
    return v3(0.25, 0.5, 0.75);
}
static vo_vec3 in_box(vo_random *r, double size) {
    double x = vo_random_real(r, 0, size), y = vo_random_real(r, 0, size);
    return v3(x, y, vo_random_real(r, 0, size));
}
static vo_vec3 ball_of_1mm(double u, double v, vo_random *r) {
    (void)u;
    (void)v;
    return in_box(r, 1e-3);
}
static vo_vec3 ball_of_10cm(double u, double v, vo_random *r) {
    (void)u;
    (void)v;
    return in_box(r, 0.1);
}
/* Every seventh column of nodes lies on the one before. */
static vo_vec3 doubled(double u, double v, vo_random *r) {
    (void)r;
    double cell = floor(7 * u + 0.5);
    return v3(fabs(7 * u - cell) < 1e-9 && u > 0 ? u - 1e-3 : u, v, 0);
}
/* Faces without area. */
static vo_vec3 creased(double u, double v, vo_random *r) {
    (void)r;
    return v3(floor(8 * u) / 8, v, 0);
}

static void write_sheet(const char *folder, const char *name, int n, shape_fn *shape) {
    char path[1024];
    vo_random r = vo_random_seed(3);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    for (int i = 0; i < (n + 1) * (n + 1); i++) {
        vo_vec3 x = shape((double)(i % (n + 1)) / n, (double)(i / (n + 1)) / n, &r);
        fprintf(f, "v %.17g %.17g %.17g\n", x.x, x.y, x.z);
    }
    for (int i = 0; i < (n + 1) * (n + 1); i++)
        fprintf(f, "vt %.9g %.9g\n", (double)(i % (n + 1)) / n, (double)(i / (n + 1)) / n);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            int a = j * (n + 1) + i + 1, b = a + 1, c = a + n + 1, d = c + 1;
            int e = (i + j) % 2 ? d : c, g = (i + j) % 2 ? a : b;
            fprintf(f, "f %d/%d %d/%d %d/%d\nf %d/%d %d/%d %d/%d\n", a, a, b, b, e, e, g, g, d, d,
                    c, c);
        }
    assert_int_equal(fclose(f), 0);
}

/* ---- scenes --------------------------------------------------------------------------------- */

/* Cloths of the meshes a.obj, b.obj, ...: as many of each as named; and what else there is. */
static const char *write_scene(const char *folder, int count, const char *const *mesh,
                               const char *rest) {
    static char path[1024];
    snprintf(path, sizeof path, "%s/scene.json", folder);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f, "{\"fps\": 25, \"frame_steps\": 4, \"end_frame\": 3, \"gravity\": [0, 0, -9.81],\n"
               "\"magic\": {\"repulsion_thickness\": 2e-3}, \"cloths\": [");
    for (int i = 0; i < count; i++)
        fprintf(f,
                "%s{\"mesh\": \"%s\", \"materials\": [{\"thickness\": 3e-4, \"density\": 500,\n"
                "\"elastic_modulus\": 1e6, \"poisson_ratio\": 0.3}]}",
                i ? "," : "", mesh[i]);
    fprintf(f, "]%s%s}\n", *rest ? ", " : "", rest);
    assert_int_equal(fclose(f), 0);
    return path;
}

static void keep_warning(void *user, vo_log_level level, const char *text) {
    outcome *o = user;
    if (level != VO_LOG_WARNING) return;
    size_t at = strlen(o->warnings);
    snprintf(o->warnings + at, sizeof o->warnings - at, "%s\n", text);
    bool located = strstr(text, ") m") != NULL;
    o->told += located;
}

static void run_frames(vo_context *ctx, vo_sim *sim, int frames, outcome *o) {
    for (int f = 0; f <= frames; f++) {
        vo_inspection seen;
        if (f > 0) assert_ok(ctx, vo_sim_step_frame(sim));
        assert_ok(ctx, vo_sim_inspect(sim, &seen));
        o->unclean += vo_inspection_intersections(&seen) > 0 || seen.inside_nodes > 0;
        o->frames++;
    }
    o->last = vo_sim_get_stats(sim);
}

/* Runs a scene for some frames. */
static outcome *run(const char *path, int frames) {
    static outcome o;
    vo_context_def def = vo_context_def_default();
    vo_context *ctx;
    vo_scene *scene;
    vo_sim *sim = NULL;
    double start = test_seconds();
    o = (outcome){0};
    def.threads = 2;
    def.log = keep_warning;
    def.log_user = &o;
    assert_int_equal(vo_context_create(&def, &ctx), VO_OK);
    assert_ok(ctx, vo_scene_load(ctx, path, 0, NULL, &scene));
    o.created = vo_sim_create(ctx, scene, &sim);
    snprintf(o.error, sizeof o.error, "%s", o.created == VO_OK ? "" : vo_context_message(ctx));
    if (o.created == VO_OK) run_frames(ctx, sim, frames, &o);
    vo_sim_destroy(sim);
    vo_scene_destroy(scene);
    vo_context_destroy(ctx);
    double seconds = test_seconds() - start;
    if (seconds > (is_long() ? 120.0 : 60.0) * TEST_SLOWNESS)
        fail_msg("%s: %.0f seconds", path, seconds);
    return &o;
}

static outcome *run_cloths(int count, const char *const *mesh, const char *rest, int frames) {
    const char *folder = test_folder();
    static const struct {
        const char *name;
        shape_fn *shape;
    } shapes[] = {{"flat.obj", flat},       {"upright.obj", upright}, {"hills.obj", hills},
                  {"dales.obj", dales},     {"folded.obj", folded},   {"line.obj", line},
                  {"point.obj", point},     {"1mm.obj", ball_of_1mm}, {"10cm.obj", ball_of_10cm},
                  {"doubled.obj", doubled}, {"creased.obj", creased}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int k = 0; k < count; k++)
            if (strcmp(mesh[k], shapes[i].name) == 0) {
                write_sheet(folder, mesh[k], count > 8 ? 8 : cells(), shapes[i].shape);
                break;
            }
    return run(write_scene(folder, count, mesh, rest), frames);
}

static outcome *run_cloth(const char *mesh, const char *rest, int frames) {
    return run_cloths(1, &mesh, rest, frames);
}

/* Runs, and every frame is clean. */
static void expect_clean(const outcome *o) {
    if (o->created != VO_OK) fail_msg("%s", o->error);
    if (o->unclean > 0)
        fail_msg("%d of %d frames are not clean:\n%s", o->unclean, o->frames, o->warnings);
}

/* Runs clean; or runs, and says where it is not; or is refused with a place. */
static void expect_clean_or_told(const outcome *o) {
    if (o->created == VO_OK) {
        if (o->unclean > 0 && o->told == 0) fail_msg("nothing was told:\n%s", o->warnings);
        return;
    }
    assert_int_equal(o->created, VO_BAD_DATA);
    assert_non_null(strstr(o->error, ") m"));
}

/* ---- the cases ------------------------------------------------------------------------------ */

static void two_cloths_through_each_other(void **state) {
    (void)state;
    expect_clean(run_cloths(2, (const char *[]){"flat.obj", "upright.obj"}, "", 3));
    expect_clean(run_cloths(2, (const char *[]){"hills.obj", "dales.obj"}, "", 3));
}

static void a_sheet_inside_an_obstacle(void **state) {
    (void)state;
    const char *big = "\"obstacles\": [{\"shape\": {\"type\": \"sphere\", \"radius\": 1.5, "
                      "\"edge_length\": 0.2}, \"transform\": {\"translate\": [0.5, 0.5, 0]}}]";
    const outcome *o = run_cloth("flat.obj", big, 2);
    expect_clean_or_told(o);
    assert_non_null(strstr(o->warnings, "lies inside obstacle 0"));
    const char *small = "\"obstacles\": [{\"shape\": {\"type\": \"sphere\", \"radius\": 0.3, "
                        "\"edge_length\": 0.08}, \"transform\": {\"translate\": [0.5, 0.5, 0]}}]";
    expect_clean(run_cloth("flat.obj", small, 3));
}

static void faces_without_area(void **state) {
    (void)state;
    expect_clean(run_cloth("doubled.obj", "", 3));
    expect_clean_or_told(run_cloth("creased.obj", "", 3));
    expect_clean_or_told(run_cloth("line.obj", "", 3));
}

static void coincident_layers(void **state) {
    (void)state;
    const char *mesh[60];
    for (int i = 0; i < 60; i++) mesh[i] = "flat.obj";
    expect_clean(run_cloths(2, mesh, "", 3));
    expect_clean(run_cloths(8, mesh, "", 2));
    expect_clean(run_cloth("folded.obj", "", 3));
    expect_clean_or_told(run_cloths(is_long() ? 60 : 20, mesh, "", 1));
}

/* It is there in one substep, 2 m below, with the cloth between. */
static void an_obstacle_that_jumps(void **state) {
    (void)state;
    const outcome *o = run_cloth(
        "flat.obj",
        "\"obstacles\": [{\"shape\": {\"type\": \"sphere\", \"radius\": 0.3, \"edge_length\": 0.1},"
        " \"transform\": {\"translate\": [0.5, 0.5, 2]}, \"motion\": 0}], \"motions\": [["
        "{\"time\": 0.05}, {\"time\": 0.0501, \"transform\": {\"translate\": [0, 0, -2]}}]]",
        4);
    expect_clean(o);
}

/* To and fro, each within a substep. */
static void an_obstacle_that_jumps_to_and_fro(void **state) {
    (void)state;
    const outcome *o = run_cloth(
        "flat.obj",
        "\"obstacles\": [{\"shape\": {\"type\": \"sphere\", \"radius\": 0.3, \"edge_length\": 0.1},"
        " \"transform\": {\"translate\": [0.5, 0.5, 2]}, \"motion\": 0}], \"motions\": [["
        "{\"time\": 0.05}, {\"time\": 0.0501, \"transform\": {\"translate\": [0, 0, -2]}}, "
        "{\"time\": 0.09}, {\"time\": 0.0901, \"transform\": {\"translate\": [0, 0, -4]}}]]",
        4);
    expect_clean(o);
}

static void collapsed_cloth(void **state) {
    (void)state;
    expect_clean_or_told(run_cloth("10cm.obj", "", 1));
    expect_clean_or_told(run_cloth("1mm.obj", "", 1));
    expect_clean_or_told(run_cloth("point.obj", "", 1));
}

/* Too many faces to begin with: refused at once, with the place. */
static void tens_of_thousands_of_faces_at_one_point(void **state) {
    (void)state;
    const char *folder = test_folder(), *mesh = "1mm.obj";
    write_sheet(folder, mesh, 100, ball_of_1mm);
    const outcome *o = run(write_scene(folder, 1, &mesh, ""), 1);
    assert_int_equal(o->created, VO_BAD_DATA);
    assert_non_null(strstr(o->error, "cloth 0"));
    assert_non_null(strstr(o->error, "20000 faces lie within"));
    assert_non_null(strstr(o->error, "of (0.00"));
}

/* A disk of n faces around one node; its rim as it should be, or anywhere within a millimetre. */
static const outcome *run_fan(int n, bool collapsed) {
    char path[1024];
    const char *folder = test_folder(), *mesh = "fan.obj";
    vo_random r = vo_random_seed(5);
    snprintf(path, sizeof path, "%s/%s", folder, mesh);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f, "v 0 0 0\nvt 0 0\n");
    for (int i = 0; i < n; i++) {
        double a = 2 * VO_PI * i / n;
        vo_vec3 x = collapsed ? in_box(&r, 1e-3) : v3(cos(a), sin(a), 0);
        fprintf(f, "v %.17g %.17g %.17g\nvt %.17g %.17g\n", x.x, x.y, x.z, cos(a), sin(a));
    }
    for (int i = 0; i < n; i++) {
        int a = i + 2, b = (i + 1) % n + 2;
        fprintf(f, "f 1/1 %d/%d %d/%d\n", a, a, b, b);
    }
    assert_int_equal(fclose(f), 0);
    return run(write_scene(folder, 1, &mesh, ""), 1);
}

/* The boxes of all its faces overlap, but it is no clump; collapsed, it is as ever. */
static void a_fan_of_many_faces_is_no_clump(void **state) {
    (void)state;
    expect_clean(run_fan(1600, false));
    const outcome *o = run_fan(1600, true);
    assert_int_equal(o->created, VO_BAD_DATA);
    assert_non_null(strstr(o->error, "pass through each other"));
    o = run_fan(8000, false);
    assert_int_equal(o->created, VO_BAD_DATA);
    assert_non_null(
        strstr(o->error, "8000 meet at one node: too many to be told apart; let fewer meet"));
}

/* A smaller one without untangling: it runs all the same, and what is held is named. */
static void a_clump_that_runs_all_the_same(void **state) {
    (void)state;
    const char *folder = test_folder(), *mesh = "1mm.obj";
    write_sheet(folder, mesh, is_long() ? 45 : 12, ball_of_1mm);
    const outcome *o = run(write_scene(folder, 1, &mesh, "\"disable\": [\"separation\"]"), 1);
    assert_int_equal(o->created, VO_OK);
    assert_int_equal(o->frames, 2);
    if (is_long()) assert_true(o->told > 0);
    assert_true(o->last.contacts <= 16 * o->last.nodes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_cloths_through_each_other),
        cmocka_unit_test(a_sheet_inside_an_obstacle),
        cmocka_unit_test(faces_without_area),
        cmocka_unit_test(coincident_layers),
        cmocka_unit_test(an_obstacle_that_jumps),
        cmocka_unit_test(an_obstacle_that_jumps_to_and_fro),
        cmocka_unit_test(collapsed_cloth),
        cmocka_unit_test(tens_of_thousands_of_faces_at_one_point),
        cmocka_unit_test(a_fan_of_many_faces_is_no_clump),
        cmocka_unit_test(a_clump_that_runs_all_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
