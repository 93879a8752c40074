/* Adversarial scenes, as users produce them: each ends with frames free of intersections, or with a
 * message that names the problem and its position; within a time limit, and with memory
 * proportional to the faces. Small by default; thousands of faces with VOILE_TEST_LONG. */
#include "support.h"

#include "math/vec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Outcome of a scene. */
typedef struct outcome {
    vo_result created;
    char error[1024];
    char warnings[65536];
    int located_warnings; /* warnings with a position */
    int bad_frames;       /* frames with intersections */
    int frames;
    vo_stats last;
} outcome;

static bool is_long(void) { return getenv("VOILE_TEST_LONG") != NULL && TEST_SLOWNESS == 1; }

/* Returns the number of cells along a side. */
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
static vo_vec3 valleys(double u, double v, vo_random *r) {
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
/* Returns a random point of the cube [0, size)^3. */
static vo_vec3 random_in_box(vo_random *r, double size) {
    return v3_add(v3(size / 2, size / 2, size / 2), test_random_vec3(r, size / 2));
}
static vo_vec3 ball_of_1mm(double u, double v, vo_random *r) {
    (void)u;
    (void)v;
    return random_in_box(r, 1e-3);
}
static vo_vec3 ball_of_10cm(double u, double v, vo_random *r) {
    (void)u;
    (void)v;
    return random_in_box(r, 0.1);
}
/* Every seventh column of nodes nearly coincides with the previous one. */
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

/* Writes a scene with `count` cloths of the given meshes and further keys `rest`; returns its
 * path. */
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

static void record_warning(void *user, vo_log_level level, const char *text) {
    outcome *o = user;
    if (level != VO_LOG_WARNING) return;
    size_t at = strlen(o->warnings);
    snprintf(o->warnings + at, sizeof o->warnings - at, "%s\n", text);
    bool located = strstr(text, ") m") != NULL;
    o->located_warnings += located;
}

static void run_frames(vo_context *ctx, vo_sim *sim, int frames, outcome *o) {
    for (int f = 0; f <= frames; f++) {
        vo_inspection inspection;
        if (f > 0) assert_ok(ctx, vo_sim_step_frame(sim));
        assert_ok(ctx, vo_sim_inspect(sim, &inspection));
        o->bad_frames +=
            vo_inspection_intersections(&inspection) > 0 || inspection.inside_nodes > 0;
        o->frames++;
    }
    o->last = vo_sim_get_stats(sim);
}

/* Simulates a scene for some frames, within the time limit. */
static outcome *simulate_scene(const char *path, int frames) {
    static outcome o;
    vo_context_def def = vo_context_def_default();
    vo_context *ctx;
    vo_scene *scene;
    vo_sim *sim = NULL;
    double start = test_seconds();
    o = (outcome){0};
    def.threads = 2;
    def.log = record_warning;
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

static outcome *simulate_cloths(int count, const char *const *mesh, const char *rest, int frames) {
    const char *folder = test_folder();
    static const struct {
        const char *name;
        shape_fn *shape;
    } shapes[] = {{"flat.obj", flat},       {"upright.obj", upright}, {"hills.obj", hills},
                  {"valleys.obj", valleys}, {"folded.obj", folded},   {"line.obj", line},
                  {"point.obj", point},     {"1mm.obj", ball_of_1mm}, {"10cm.obj", ball_of_10cm},
                  {"doubled.obj", doubled}, {"creased.obj", creased}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int k = 0; k < count; k++)
            if (strcmp(mesh[k], shapes[i].name) == 0) {
                write_sheet(folder, mesh[k], count > 8 ? 8 : cells(), shapes[i].shape);
                break;
            }
    return simulate_scene(write_scene(folder, count, mesh, rest), frames);
}

static outcome *simulate_cloth(const char *mesh, const char *rest, int frames) {
    return simulate_cloths(1, &mesh, rest, frames);
}

/* Asserts that the scene runs and every frame is free of intersections. */
static void expect_clean(const outcome *o) {
    if (o->created != VO_OK) fail_msg("%s", o->error);
    if (o->bad_frames > 0)
        fail_msg("%d of %d frames are not clean:\n%s", o->bad_frames, o->frames, o->warnings);
}

/* Asserts that the scene runs without intersections, runs with warnings that locate them, or is
 * rejected with a position. */
static void expect_clean_or_reported(const outcome *o) {
    if (o->created == VO_OK) {
        if (o->bad_frames > 0 && o->located_warnings == 0)
            fail_msg("no warning has a position:\n%s", o->warnings);
        return;
    }
    assert_int_equal(o->created, VO_BAD_DATA);
    assert_non_null(strstr(o->error, ") m"));
}

/* ---- the cases ------------------------------------------------------------------------------ */

static void crossing_cloths_are_untangled(void **state) {
    (void)state;
    expect_clean(simulate_cloths(2, (const char *[]){"flat.obj", "upright.obj"}, "", 3));
    expect_clean(simulate_cloths(2, (const char *[]){"hills.obj", "valleys.obj"}, "", 3));
}

static void sheet_inside_obstacle_is_reported(void **state) {
    (void)state;
    const char *big = "\"obstacles\": [{\"shape\": {\"type\": \"sphere\", \"radius\": 1.5, "
                      "\"edge_length\": 0.2}, \"transform\": {\"translate\": [0.5, 0.5, 0]}}]";
    const outcome *o = simulate_cloth("flat.obj", big, 2);
    expect_clean_or_reported(o);
    assert_non_null(strstr(o->warnings, "lies inside obstacle 0"));
    const char *small = "\"obstacles\": [{\"shape\": {\"type\": \"sphere\", \"radius\": 0.3, "
                        "\"edge_length\": 0.08}, \"transform\": {\"translate\": [0.5, 0.5, 0]}}]";
    expect_clean(simulate_cloth("flat.obj", small, 3));
}

static void degenerate_faces_stay_clean_or_are_reported(void **state) {
    (void)state;
    expect_clean(simulate_cloth("doubled.obj", "", 3));
    expect_clean_or_reported(simulate_cloth("creased.obj", "", 3));
    expect_clean_or_reported(simulate_cloth("line.obj", "", 3));
}

static void coincident_layers_are_separated(void **state) {
    (void)state;
    const char *mesh[60];
    for (int i = 0; i < 60; i++) mesh[i] = "flat.obj";
    expect_clean(simulate_cloths(2, mesh, "", 3));
    expect_clean(simulate_cloths(8, mesh, "", 2));
    expect_clean(simulate_cloth("folded.obj", "", 3));
    expect_clean_or_reported(simulate_cloths(is_long() ? 60 : 20, mesh, "", 1));
}

/* The sphere moves 2 m down within one substep, with the cloth in between. */
static void teleporting_obstacle_stays_clean(void **state) {
    (void)state;
    const outcome *o = simulate_cloth(
        "flat.obj",
        "\"obstacles\": [{\"shape\": {\"type\": \"sphere\", \"radius\": 0.3, \"edge_length\": 0.1},"
        " \"transform\": {\"translate\": [0.5, 0.5, 2]}, \"motion\": 0}], \"motions\": [["
        "{\"time\": 0.05}, {\"time\": 0.0501, \"transform\": {\"translate\": [0, 0, -2]}}]]",
        4);
    expect_clean(o);
}

/* Two such moves, each within one substep. */
static void obstacle_teleporting_twice_stays_clean(void **state) {
    (void)state;
    const outcome *o = simulate_cloth(
        "flat.obj",
        "\"obstacles\": [{\"shape\": {\"type\": \"sphere\", \"radius\": 0.3, \"edge_length\": 0.1},"
        " \"transform\": {\"translate\": [0.5, 0.5, 2]}, \"motion\": 0}], \"motions\": [["
        "{\"time\": 0.05}, {\"time\": 0.0501, \"transform\": {\"translate\": [0, 0, -2]}}, "
        "{\"time\": 0.09}, {\"time\": 0.0901, \"transform\": {\"translate\": [0, 0, -4]}}]]",
        4);
    expect_clean(o);
}

static void collapsed_cloth_is_clean_or_reported(void **state) {
    (void)state;
    expect_clean_or_reported(simulate_cloth("10cm.obj", "", 1));
    expect_clean_or_reported(simulate_cloth("1mm.obj", "", 1));
    expect_clean_or_reported(simulate_cloth("point.obj", "", 1));
}

/* Too many faces to start: rejected at once, with the position. */
static void many_faces_at_one_point_are_rejected(void **state) {
    (void)state;
    const char *folder = test_folder(), *mesh = "1mm.obj";
    write_sheet(folder, mesh, 100, ball_of_1mm);
    const outcome *o = simulate_scene(write_scene(folder, 1, &mesh, ""), 1);
    assert_int_equal(o->created, VO_BAD_DATA);
    assert_non_null(strstr(o->error, "cloth 0"));
    assert_non_null(strstr(o->error, "20000 faces lie within"));
    assert_non_null(strstr(o->error, "of (0.00"));
}

/* Simulates a disk of n faces around one node, with its rim on a circle or anywhere within a
 * millimetre. */
static const outcome *simulate_fan(int n, bool collapsed) {
    char path[1024];
    const char *folder = test_folder(), *mesh = "fan.obj";
    vo_random r = vo_random_seed(5);
    snprintf(path, sizeof path, "%s/%s", folder, mesh);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f, "v 0 0 0\nvt 0 0\n");
    for (int i = 0; i < n; i++) {
        double a = 2 * VO_PI * i / n;
        vo_vec3 x = collapsed ? random_in_box(&r, 1e-3) : v3(cos(a), sin(a), 0);
        fprintf(f, "v %.17g %.17g %.17g\nvt %.17g %.17g\n", x.x, x.y, x.z, cos(a), sin(a));
    }
    for (int i = 0; i < n; i++) {
        int a = i + 2, b = (i + 1) % n + 2;
        fprintf(f, "f 1/1 %d/%d %d/%d\n", a, a, b, b);
    }
    assert_int_equal(fclose(f), 0);
    return simulate_scene(write_scene(folder, 1, &mesh, ""), 1);
}

/* The boxes of all its faces overlap, but it is not a dense region; the collapsed one is
 * rejected. */
static void fan_of_many_faces_is_not_dense(void **state) {
    (void)state;
    expect_clean(simulate_fan(1600, false));
    const outcome *o = simulate_fan(1600, true);
    assert_int_equal(o->created, VO_BAD_DATA);
    assert_non_null(strstr(o->error, "intersect: too many to separate"));
    o = simulate_fan(8000, false);
    assert_int_equal(o->created, VO_BAD_DATA);
    assert_non_null(strstr(
        o->error,
        "8000 meet at one node: too many to separate; reduce the number of faces at the node"));
}

/* A smaller one, without untangling: it runs, and warnings locate the frozen nodes. */
static void dense_region_without_untangling_runs(void **state) {
    (void)state;
    const char *folder = test_folder(), *mesh = "1mm.obj";
    write_sheet(folder, mesh, is_long() ? 45 : 12, ball_of_1mm);
    const outcome *o =
        simulate_scene(write_scene(folder, 1, &mesh, "\"disable\": [\"separation\"]"), 1);
    assert_int_equal(o->created, VO_OK);
    assert_int_equal(o->frames, 2);
    if (is_long()) assert_true(o->located_warnings > 0);
    assert_true(o->last.contacts <= 16 * o->last.nodes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crossing_cloths_are_untangled),
        cmocka_unit_test(sheet_inside_obstacle_is_reported),
        cmocka_unit_test(degenerate_faces_stay_clean_or_are_reported),
        cmocka_unit_test(coincident_layers_are_separated),
        cmocka_unit_test(teleporting_obstacle_stays_clean),
        cmocka_unit_test(obstacle_teleporting_twice_stays_clean),
        cmocka_unit_test(collapsed_cloth_is_clean_or_reported),
        cmocka_unit_test(many_faces_at_one_point_are_rejected),
        cmocka_unit_test(fan_of_many_faces_is_not_dense),
        cmocka_unit_test(dense_region_without_untangling_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
