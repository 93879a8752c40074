/* Characters and patterns of other programs: garments are placed correctly and stay free of
 * intersections. The files are not part of Voile; without them the tests are skipped.
 * VOILE_TEST_LONG runs 25 frames of each. */
#include "support.h"

#include "core/file.h"
#include "sim/inspect.h"
#include "sim/sim.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ASSETS VOILE_SOURCE_DIR "/assets/"

/* A body with a garment; external files are in the data folder. */
typedef struct dressed_body {
    const char *body, *motion; /* as in the scene; %s is the data folder */
    const char *pattern;       /* %s is the data folder */
    double low, high;   /* expected height of the uppermost boundary, relative to the body height */
    bool in_short_test; /* tested without VOILE_TEST_LONG, too */
} dressed_body;

static const dressed_body all[] = {
    {"\"%s/characters/CesiumMan.glb\", \"self_gap\": 0.02", "{}", ASSETS "garments/cape.json", 0.72,
     0.8, true},
    {"\"%s/characters/CesiumMan.glb\"", "{}", ASSETS "garments/skirt-wide.json", 0.5, 0.66, false},
    {"\"%s/characters/Soldier.glb\"", "{\"clip\": \"Run\"}", ASSETS "garments/cape.json", 0.82,
     0.94, false},
    {"\"%s/characters/Soldier.glb\"", "{\"clip\": \"Run\"}", ASSETS "garments/skirt-wide.json",
     0.56, 0.7, false},
    {"{\"figure\": 1, \"faces\": 12000}", "\"%s/characters/pirouette.bvh\"",
     ASSETS "garments/dress.json", 0.78, 0.87, false},
    {"{\"file\": \"%s/garments/mean_all.obj\", \"up_axis\": \"y\"}", "null",
     "%s/garments/shirt_mean_specification.json", 0.78, 0.88, false},
};
enum { WEARINGS = sizeof all / sizeof *all };

static bool is_long(void) { return getenv("VOILE_TEST_LONG") != NULL; }

/* Replaces %s by the data folder. */
static void insert_folder(const char *text, char *out, size_t size) {
    const char *mark = strstr(text, "%s");
    if (mark)
        snprintf(out, size, "%.*s%s%s", (int)(mark - text), text, test_data(), mark + 2);
    else
        snprintf(out, size, "%s", text);
}

static void write_scene(vo_context *ctx, const dressed_body *w, char path[700]) {
    char body[900], motion[900], pattern[900], text[6000];
    insert_folder(w->body, body, sizeof body);
    insert_folder(w->motion, motion, sizeof motion);
    insert_folder(w->pattern, pattern, sizeof pattern);
    bool still = strcmp(w->motion, "null") == 0;
    snprintf(text, sizeof text,
             "{\"fps\": 25, \"frame_steps\": 8, \"end_frame\": 25, \"gravity\": [0, 0, -9.81], "
             "\"magic\": {\"repulsion_thickness\": 3e-3, \"collision_stiffness\": 1e7}, "
             "\"characters\": [{\"body\": %s%s%s}], \"garments\": [{\"pattern\": \"%s\", "
             "\"edge_length\": %g, \"materials\": [{\"data\": \"" ASSETS
             "fabrics/cotton-poplin.json\"}], \"remeshing\": {\"refine_angle\": 0.4, \"size\": "
             "[0.02, 0.15]}}]}",
             body, still ? "" : ", \"motion\": ", still ? "" : motion, pattern,
             is_long() ? 0.03 : 0.06);
    snprintf(path, 700, "%s/scene.json", test_folder());
    assert_ok(ctx, vo_file_write(ctx, path, text, strlen(text)));
}

/* Mean height of the uppermost boundary: its nodes within 6 cm of the highest one. */
static double boundary_height(const vo_mesh *m) {
    double top = -INFINITY, sum = 0;
    int count = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int e = 0; e < m->edge_count; e++) {
            double z = m->node_x[m->edge_node[e][0]].z;
            if (m->edge_face[e][1] >= 0) continue;
            if (pass == 0) top = vo_max(top, z);
            if (pass == 1 && z > top - 0.06) sum += z, count++;
        }
    return sum / count;
}

static double body_height(const vo_mesh *m) {
    double low = INFINITY, high = -INFINITY;
    for (int n = 0; n < m->node_count; n++) {
        low = vo_min(low, m->node_x[n].z);
        high = vo_max(high, m->node_x[n].z);
    }
    return high - low;
}

static void check_frame(const vo_sim *sim, const dressed_body *w, int frame) {
    vo_stats stats = vo_sim_get_stats(sim);
    if (stats.intersections || stats.inside_nodes)
        fail_msg("%s on %s, frame %d: %d intersections, %d nodes inside", w->pattern, w->body,
                 frame, stats.intersections, stats.inside_nodes);
}

static void wear(const dressed_body *w) {
    vo_context *ctx = test_context(2);
    char path[700];
    vo_scene *scene;
    vo_sim *sim;
    write_scene(ctx, w, path);
    assert_ok(ctx, vo_scene_load(ctx, path, 0, NULL, &scene));
    assert_ok(ctx, vo_sim_create(ctx, scene, &sim));
    double height = body_height(vo_body_rest_mesh(vo_scene_character_body(scene, 0)));
    double rim = boundary_height(sim->cloth[0].mesh) / height;
    if (!(rim > w->low && rim < w->high))
        fail_msg("%s on %s begins at %g of the height", w->pattern, w->body, rim);
    for (int f = 0; is_long() && vo_sim_frame(sim) < 25; f++) {
        assert_ok(ctx, vo_sim_step_frame(sim));
        check_frame(sim, w, vo_sim_frame(sim));
    }
    vo_sim_destroy(sim);
    vo_scene_destroy(scene);
    vo_context_destroy(ctx);
}

static void garments_lie_where_they_belong(void **state) {
    (void)state;
    if (!test_data()) {
        print_message("characters of others are not there; set VOILE_DATA to their folder\n");
        skip();
    }
    for (int i = 0; i < WEARINGS; i++)
        if (is_long() || all[i].in_short_test) wear(&all[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(garments_lie_where_they_belong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
