/* Crowds: copies of characters and garments in the resolved scene. */
#include "support.h"

#include "core/context.h"
#include "scene/scene.h"
#include "scene_files.h"

#include <math.h>

#define SKIRT VOILE_SOURCE_DIR "/assets/garments/skirt-wide.json"

/* The body is a single triangle. */
static const char body[] = "v 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 2 3\n";
#define HEAD                                                                                    \
    "{\"fps\": 25, \"end_frame\": 1, \"preroll\": 0, \"cloths\": [{\"mesh\": \"sheet.obj\", "   \
    "\"materials\": [{\"data\": \"cloth.json\"}]}], \"characters\": [{\"body\": \"body.obj\", " \
    "\"transform\": {\"translate\": [1, 0, 0]}}, {\"body\": \"body.obj\"}], \"garments\": [{"   \
    "\"mesh\": \"sheet.obj\", \"character\": 1, \"materials\": [{\"data\": \"cloth.json\"}]}], "

static vo_scene *load(scene_files *files, const char *crowd) {
    char text[2000];
    snprintf(text, sizeof text, HEAD "\"crowd\": %s}", crowd);
    return scene_files_expect(files, text, NULL);
}

static void open_files(scene_files *files) {
    scene_files_open(files);
    scene_files_write(files, "body.obj", body);
}

/* Position of node 0 of the body of a character. */
static vo_vec3 place_of(const vo_scene *scene, int character) {
    return scene->obstacle[scene->character[character].obstacle].mesh->node_x[0];
}

static void assert_place(const vo_scene *scene, int character, double x, double y) {
    vo_vec3 p = place_of(scene, character);
    assert_near(p.x, x, 1e-12);
    assert_near(p.y, y, 1e-12);
}

static void grid_is_centred_at_origin(void **state) {
    (void)state;
    scene_files files;
    open_files(&files);
    vo_scene *scene = load(&files, "{\"rows\": 2, \"columns\": 3, \"spacing\": [4, 10]}");
    assert_int_equal(scene->character_count, 12);
    assert_int_equal(scene->cloth_count, 1 + 6);
    for (int k = 0; k < 6; k++) {
        double x = 4.0 * (k % 3 - 1), y = 10 * (k / 3 - 0.5);
        assert_place(scene, 2 * k, x + 1, y);
        assert_place(scene, 2 * k + 1, x, y);
        const vo_vec3 *worn = scene->cloth[1 + k].mesh->node_x,
                      *first = scene->cloth[1].mesh->node_x;
        assert_near(worn->x - first->x, x + 4, 1e-12);
        assert_near(worn->y - first->y, y + 5, 1e-12);
    }
    vo_scene_destroy(scene);
    scene_files_close(&files);
}

static void placements_rotate_and_scale_copies(void **state) {
    (void)state;
    scene_files files;
    open_files(&files);
    vo_scene *scene = load(&files, "{\"places\": [{}, {\"transform\": {\"translate\": [5, 6, 0], "
                                   "\"scale\": 2, \"rotate\": [90, 0, 0, 1]}}]}");
    assert_int_equal(scene->character_count, 4);
    assert_place(scene, 0, 1, 0);
    assert_place(scene, 2, 5, 8); /* (1, 0) turned a quarter and doubled */
    assert_place(scene, 3, 5, 6);
    vo_scene_destroy(scene);
    scene_files_close(&files);
}

static void random_variation_follows_seed(void **state) {
    (void)state;
    scene_files files;
    open_files(&files);
    const char *text[3] = {"{\"columns\": 4, \"turn\": 30}", "{\"columns\": 4, \"turn\": 30}",
                           "{\"columns\": 4, \"turn\": 30, \"seed\": 2}"};
    vo_vec3 tip[3][4];
    for (int i = 0; i < 3; i++) {
        vo_scene *scene = load(&files, text[i]);
        for (int k = 0; k < 4; k++) {
            const vo_mesh *mesh = scene->obstacle[scene->character[2 * k + 1].obstacle].mesh;
            tip[i][k] = v3_sub(mesh->node_x[1], mesh->node_x[0]);
            double turn = atan2(tip[i][k].y, tip[i][k].x) * (180 / VO_PI);
            assert_true(fabs(turn) <= 30 && fabs(turn) > 1e-6);
        }
        vo_scene_destroy(scene);
    }
    for (int k = 0; k < 4; k++) {
        assert_true(v3_equal(tip[0][k], tip[1][k]));
        assert_false(v3_equal(tip[0][k], tip[2][k]));
    }
    scene_files_close(&files);
}

/* The resolved scene lists every copy by name and loads as the same scene. */
static void resolved_scene_lists_all_copies(void **state) {
    (void)state;
    scene_files files;
    open_files(&files);
    vo_scene *scene = load(&files, "{\"columns\": 2}");
    vo_json_cursor root = vo_json_root(&scene->resolved);
    assert_false(vo_json_is_present(vo_json_get(&root, "crowd")));
    assert_int_equal(vo_json_length(vo_json_get(&root, "characters")), 4);
    assert_int_equal(vo_json_length(vo_json_get(&root, "garments")), 2);
    vo_scene_destroy(scene);
    scene_files_close(&files);
}

/* Copies share one fitted pattern independent of their rotation, so it is sewn once. */
static void equal_bodies_share_fitted_pattern(void **state) {
    (void)state;
    scene_files files;
    open_files(&files);
    vo_scene *scene = scene_files_expect(
        &files,
        "{\"fps\": 25, \"end_frame\": 1, \"characters\": [{\"body\": {\"faces\": 6000}}, "
        "{\"body\": {\"faces\": 6000, \"height\": 1.6}}], \"garments\": [{\"pattern\": \"" SKIRT
        "\", \"edge_length\": 0.1}, {\"pattern\": \"" SKIRT
        "\", \"edge_length\": 0.1, \"character\": 1}], \"crowd\": {\"columns\": 3, \"turn\": 90}}",
        NULL);
    assert_int_equal(scene->cloth_count, 6);
    for (int c = 0; c < 6; c++) {
        const vo_scene_garment *garment = scene->cloth[c].garment;
        assert_int_equal(garment->character, c);
        assert_int_equal(garment->like, c % 2);
        assert_ptr_equal(garment->cut.garment, scene->cloth[c % 2].garment->cut.garment);
    }
    assert_ptr_not_equal(scene->cloth[0].garment->cut.garment,
                         scene->cloth[1].garment->cut.garment);
    vo_scene_destroy(scene);
    scene_files_close(&files);
}

/* Two mannequins of 12,000 faces, 8 and 400 m in front of the camera; the optional second shot
 * shows the second one from a short distance. */
static vo_scene *load_two(scene_files *files, const char *detail, const char *second_shot) {
    char text[2000];
    snprintf(text, sizeof text,
             "{\"fps\": 25, \"end_frame\": 50, \"cloths\": [{\"mesh\": \"sheet.obj\", "
             "\"materials\": [{\"data\": \"cloth.json\"}]}], \"characters\": [{\"body\": "
             "{\"faces\": 12000}}], \"crowd\": {%s\"places\": [{}, {\"transform\": "
             "{\"translate\": [0, 392, 0]}}]}, \"camera\": {\"fov_y\": 40, \"resolution\": "
             "[1280, 720], \"keys\": [{\"time\": 0, \"position\": [0, -8, 1], \"target\": "
             "[0, 0, 1]}%s]}}",
             detail, second_shot);
    return scene_files_expect(files, text, NULL);
}

static int faces_of(const vo_scene *scene, int character) {
    return scene->obstacle[scene->character[character].obstacle].mesh->face_count;
}

/* The level of detail follows the smallest distance in all shots and is part of the resolved scene.
 */
static void distant_bodies_are_coarser(void **state) {
    (void)state;
    scene_files files;
    open_files(&files);
    vo_scene *scene = load_two(&files, "", "");
    assert_int_equal(faces_of(scene, 0), faces_of(scene, 1));
    vo_scene_destroy(scene);
    scene = load_two(&files, "\"detail\": 2, ", "");
    assert_near(faces_of(scene, 0), 12000, 720);
    assert_near(faces_of(scene, 1), 1500, 150); /* lower bound of the face count */
    vo_json_cursor root = vo_json_root(&scene->resolved), all = vo_json_get(&root, "characters");
    vo_json_cursor far = vo_json_item(&all, 1), body_of = vo_json_get(&far, "body");
    double faces = 0;
    assert_ok(files.ctx, vo_json_read_real(vo_json_get(&body_of, "faces"), &faces));
    assert_near(faces, 1500, 0);
    vo_scene_destroy(scene);
    scene = load_two(&files, "\"detail\": 2, ",
                     ", {\"time\": 1, \"cut\": true, \"position\": [0, 384, 1], \"target\": "
                     "[0, 392, 1]}");
    assert_int_equal(faces_of(scene, 0), faces_of(scene, 1));
    vo_scene_destroy(scene);
    scene_files_close(&files);
}

/* Counts queries of a vo_cancel_fn; the query after `left` others cancels. */
typedef struct cancel_counter {
    int left, queries;
} cancel_counter;

static bool count_cancel_query(void *user) {
    cancel_counter *p = user;
    p->queries++;
    return p->left-- == 0;
}

/* Loads the scene with a context that is cancelled after a number of queries; *queries receives the
 * number of queries. All memory must be freed. */
static vo_result set_up(const scene_files *files, int questions, int *queries) {
    test_memory memory = {.fail_at = -1};
    cancel_counter p = {.left = questions};
    vo_context *ctx = test_context_with(1, &memory);
    vo_scene *scene = NULL;
    vo_sim *sim = NULL;
    ctx->cancel = count_cancel_query;
    ctx->cancel_user = &p;
    vo_result result = vo_scene_load(ctx, files->path, 0, NULL, &scene);
    if (result == VO_OK) result = vo_sim_create(ctx, scene, &sim);
    vo_sim_destroy(sim);
    vo_scene_destroy(scene);
    vo_context_destroy(ctx);
    assert_int_equal(memory.live, 0);
    *queries = p.queries;
    return result;
}

/* Loading can be cancelled at each copy, body, garment and obstacle. */
static void loading_can_be_cancelled_anywhere(void **state) {
    (void)state;
    scene_files files;
    open_files(&files);
    vo_scene_destroy(load(&files, "{\"columns\": 3, \"spacing\": [4, 4]}"));
    int all, queries;
    assert_int_equal(set_up(&files, -1, &all), VO_OK);
    assert_true(all >= 3 + 6 + 3 + 4 + 6); /* copies, bodies, garments, cloths and obstacles */
    for (int k = 0; k < all; k++) {
        assert_int_equal(set_up(&files, k, &queries), VO_CANCELLED);
        assert_int_equal(queries, k + 1);
    }
    scene_files_close(&files);
}

/* Number of faces, of 12,000, of a runner that starts 150 m in front of the camera. */
static int faces_of_runner(scene_files *files, int frames, const char *place) {
    char text[2000];
    snprintf(text, sizeof text,
             "{\"fps\": 25, \"end_frame\": %d, \"cloths\": [{\"mesh\": \"sheet.obj\", "
             "\"materials\": [{\"data\": \"cloth.json\"}]}], \"characters\": [{\"body\": "
             "{\"faces\": 12000}, \"motion\": \"" VOILE_SOURCE_DIR
             "/assets/motions/run.json\"}], \"crowd\": {\"detail\": 2, \"places\": [{%s}]}, "
             "\"camera\": {\"fov_y\": 40, \"resolution\": [1280, 720], \"position\": "
             "[0, -150, 1], \"target\": [0, 0, 1]}}",
             frames, place);
    vo_scene *scene = scene_files_expect(files, text, NULL);
    int faces = faces_of(scene, 0);
    vo_scene_destroy(scene);
    return faces;
}

/* The level of detail follows the path of the body, 3 m per second, not its start. */
static void approaching_body_is_fine(void **state) {
    (void)state;
    scene_files files;
    open_files(&files);
    assert_true(faces_of_runner(&files, 25, "") < 3200);
    assert_near(faces_of_runner(&files, 1200, ""), 12000, 720);
    assert_true(faces_of_runner(&files, 1200, "\"transform\": {\"rotate\": [180, 0, 0, 1]}") <
                3200);
    assert_near(faces_of_runner(&files, 25, "\"start\": 46"), 12000, 720); /* has come close */
    scene_files_close(&files);
}

static void lod_without_effect_warns(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"\"camera\": {\"position\": [0, -9, 1], \"target\": [0, 0, 1]}", "the run has no end"},
        {"\"end_frame\": 20", "the scene has no camera"},
        {"\"end_frame\": 20, \"camera\": {\"light\": true, \"position\": [0, -900, 1], "
         "\"target\": [0, 0, 1]}",
         "the scene has no camera"},
        {"\"end_frame\": 100001, \"camera\": {\"position\": [0, -9, 1], \"target\": [0, 0, 1]}",
         "too many frames"}};
    scene_files files;
    open_files(&files);
    for (int i = 0; i < 4; i++) {
        char text[2000];
        snprintf(text, sizeof text,
                 "{\"fps\": 25, \"cloths\": [{\"mesh\": \"sheet.obj\", \"materials\": [{\"data\": "
                 "\"cloth.json\"}]}], \"characters\": [{\"body\": {\"faces\": 4000}}], \"crowd\": "
                 "{\"detail\": 2}, %s}",
                 cases[i][0]);
        vo_scene *scene = scene_files_expect(&files, text, NULL);
        assert_near(faces_of(scene, 0), 4000, 240);
        const char *told = strstr(files.log, "crowd.detail: has no effect, since ");
        assert_non_null(told);
        assert_non_null(strstr(told, cases[i][1]));
        vo_scene_destroy(scene);
    }
    scene_files_close(&files);
}

/* Loads the last scene with a memory limit; false if it does not fit. *bytes receives the memory of
 * the scene, and the message is stored. */
static bool load_within(const scene_files *files, size_t limit, size_t *bytes, char *message) {
    vo_context_def def = vo_context_def_default();
    vo_context *ctx;
    vo_scene *scene = NULL;
    def.threads = 1;
    def.memory_limit = limit;
    assert_int_equal(vo_context_create(&def, &ctx), VO_OK);
    vo_result result = vo_scene_load(ctx, files->path, 0, NULL, &scene);
    assert_true(result == VO_OK || result == VO_NO_MEMORY);
    *bytes = vo_context_get_memory_usage(ctx).used;
    snprintf(message, 1024, "%s", vo_context_message(ctx));
    bool loaded = scene != NULL;
    vo_scene_destroy(scene);
    vo_context_destroy(ctx);
    return loaded;
}

/* 400 bodies are rejected after sixteen copies; a crowd that fits is never rejected. */
static void crowd_over_memory_limit_is_rejected_early(void **state) {
    (void)state;
    scene_files files;
    size_t all = 0, unused;
    char message[1024];
    open_files(&files);
    const char *text =
        "{\"fps\": 25, \"end_frame\": 1, \"cloths\": [{\"mesh\": \"sheet.obj\", \"materials\": "
        "[{\"data\": \"cloth.json\"}]}], \"characters\": [{\"body\": {\"faces\": 3000}}, "
        "{\"body\": {\"faces\": 1000}}], \"crowd\": {\"columns\": 200}}";
    vo_scene_destroy(scene_files_expect(&files, text, NULL));
    assert_true(load_within(&files, (size_t)4 << 30, &all, message));
    assert_false(load_within(&files, all / 2, &unused, message));
    if (!strstr(message, "crowd: the bodies of 400 characters need more than "))
        fail_msg("%s", message);
    assert_true(load_within(&files, all + ((size_t)16 << 20), &unused, message));
    scene_files_close(&files);
}

static void invalid_crowds_are_rejected(void **state) {
    (void)state;
    scene_files files;
    open_files(&files);
    char text[2000];
    snprintf(text, sizeof text, HEAD "\"crowd\": {\"rows\": 1000, \"columns\": 1000}}");
    scene_files_refuse(&files, text, NULL, "crowd: 2e+06 characters exceed the limit of 100000");
    snprintf(text, sizeof text, HEAD "\"crowd\": {\"row\": 2}}");
    scene_files_refuse(&files, text, NULL, "rows");
    static const char *const grid_keys[] = {"rows", "columns", "spacing", "turn", "delay", "seed"};
    for (int i = 0; i < 6; i++) {
        char said[100];
        snprintf(text, sizeof text, HEAD "\"crowd\": {\"places\": [{}], \"%s\": %s}}", grid_keys[i],
                 i == 2 ? "[1, 1]" : "2");
        snprintf(said, sizeof said, "crowd.%s: places and %s exclude each other", grid_keys[i],
                 grid_keys[i]);
        scene_files_refuse(&files, text, NULL, said);
    }
    vo_scene_destroy(load(&files, "{\"places\": [], \"columns\": 2}"));
    scene_files_refuse(&files,
                       "{\"fps\": 25, \"cloths\": [{\"mesh\": \"sheet.obj\", \"materials\": "
                       "[{\"data\": \"cloth.json\"}]}], \"crowd\": {}}",
                       NULL, "crowd: the scene has no characters to copy");
    scene_files_close(&files);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grid_is_centred_at_origin),
        cmocka_unit_test(placements_rotate_and_scale_copies),
        cmocka_unit_test(random_variation_follows_seed),
        cmocka_unit_test(resolved_scene_lists_all_copies),
        cmocka_unit_test(equal_bodies_share_fitted_pattern),
        cmocka_unit_test(distant_bodies_are_coarser),
        cmocka_unit_test(loading_can_be_cancelled_anywhere),
        cmocka_unit_test(crowd_over_memory_limit_is_rejected_early),
        cmocka_unit_test(approaching_body_is_fine),
        cmocka_unit_test(lod_without_effect_warns),
        cmocka_unit_test(invalid_crowds_are_rejected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
