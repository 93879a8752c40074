/* Garments added by calls: the same simulation as from a scene file, and checked values. */
#include "scene_files.h"

#include "scene/build.h"
#include "sim/sim.h"

#define GARMENTS VOILE_SOURCE_DIR "/assets/garments/"

/* A dressed mannequin with the values that calls have by default. */
static const char dressed_file[] =
    "{\"frame_time\": 0.04, \"frame_steps\": 4, \"gravity\": [0, 0, -9.81], \"preroll\": 0.08,\n"
    " \"wind\": {\"density\": 1.2},\n"
    " \"magic\": {\"repulsion_thickness\": 0.002, \"collision_stiffness\": 1e7},\n"
    " \"characters\": [{\"body\": {\"faces\": 4000}, \"transform\": {\"translate\": [1, 0, 0]}}],\n"
    " \"garments\": [\n"
    "  {\"pattern\": \"" GARMENTS "skirt-wide.json\", \"edge_length\": 0.1,\n"
    "   \"remeshing\": {\"refine_angle\": 0.6, \"size\": [0.06, 0.2]}},\n"
    "  {\"pattern\": \"" GARMENTS "cape.json\", \"faces\": 300, \"two_sided\": true,\n"
    "   \"materials\": [{\"data\": \"cloth.json\", \"damping\": 0.01}],\n"
    "   \"remeshing\": {\"refine_angle\": 0.6, \"size\": [0.06, 0.2]}}]}\n";

static vo_scene *build_scene(scene_files *files) {
    vo_scene_def def = vo_scene_def_default();
    def.frame_steps = 4;
    def.preroll = 0.08;
    vo_scene *scene;
    assert_ok(files->ctx, vo_scene_create(files->ctx, &def, &scene));
    vo_character_def character = vo_character_def_default();
    character.mannequin.faces = 4000;
    character.pose.translate = (vo_vec3){1, 0, 0};
    int body;
    assert_ok(files->ctx, vo_scene_add_character(scene, &character, &body));

    vo_garment_def skirt = vo_garment_def_default();
    skirt.pattern = GARMENTS "skirt-wide.json";
    skirt.character = body;
    skirt.edge_length = 0.1;
    skirt.remeshing = vo_remeshing_def_default();
    skirt.remeshing.enabled = true;
    skirt.remeshing.refine_angle = 0.6;
    skirt.remeshing.size_min = 0.06;
    skirt.remeshing.size_max = 0.2;
    int id = -1;
    assert_ok(files->ctx, vo_scene_add_garment(scene, &skirt, &id));
    assert_int_equal(id, 0);

    vo_garment_def cape = skirt;
    vo_material_def material = vo_material_def_default();
    vo_fabric *fabric;
    char path[600];
    snprintf(path, sizeof path, "%s/cloth.json", files->folder);
    assert_ok(files->ctx, vo_fabric_load(files->ctx, path, &fabric));
    material.fabric = fabric;
    material.damping = 0.01;
    cape.pattern = GARMENTS "cape.json";
    cape.faces = 300;
    cape.material_count = 1;
    cape.materials = &material;
    cape.sides = VO_SIDEDNESS_TWO;
    assert_ok(files->ctx, vo_scene_add_garment(scene, &cape, &id));
    assert_int_equal(id, 1);
    vo_fabric_destroy(fabric);
    return scene;
}

static uint64_t simulate(vo_context *ctx, vo_scene *scene) {
    vo_sim *sim;
    assert_ok(ctx, vo_sim_create(ctx, scene, &sim));
    assert_ok(ctx, vo_sim_step_frame(sim));
    uint64_t hash = vo_sim_hash(sim);
    vo_sim_destroy(sim);
    return hash;
}

static void garments_by_calls_give_the_simulation_of_the_file(void **state) {
    (void)state;
    scene_files files;
    scene_files_open(&files);
    vo_scene *loaded = scene_files_expect(&files, dressed_file, NULL);
    vo_scene *built = build_scene(&files);
    assert_int_equal(loaded->cloth_count, built->cloth_count);
    assert_int_equal(loaded->handle_count, built->handle_count);
    assert_true(simulate(files.ctx, loaded) == simulate(files.ctx, built));
    vo_scene_destroy(loaded);
    vo_scene_destroy(built);
    scene_files_close(&files);
}

static void garments_on_equal_bodies_share_their_pattern(void **state) {
    (void)state;
    scene_files files;
    scene_files_open(&files);
    vo_scene *scene = build_scene(&files);
    vo_character_def character = vo_character_def_default();
    character.mannequin.faces = 4000;
    vo_garment_def skirt = vo_garment_def_default();
    skirt.pattern = GARMENTS "skirt-wide.json";
    skirt.edge_length = 0.1;
    assert_ok(files.ctx, vo_scene_add_character(scene, &character, &skirt.character));
    assert_ok(files.ctx, vo_scene_add_garment(scene, &skirt, NULL));
    assert_int_equal(scene->cloth[2].garment->like, 0);
    assert_ptr_equal(scene->cloth[2].garment->cut.pattern, scene->cloth[0].garment->cut.pattern);
    vo_scene_destroy(scene);
    scene_files_close(&files);
}

static void refuse(scene_files *files, vo_scene *scene, const vo_garment_def *def,
                   vo_result expected, const char *message) {
    int count = scene->cloth_count, handles = scene->handle_count, id = -7;
    assert_int_equal(vo_scene_add_garment(scene, def, &id), expected);
    assert_message_contains(files->ctx, message);
    assert_int_equal(scene->cloth_count, count);
    assert_int_equal(scene->handle_count, handles);
    assert_int_equal(id, -7);
}

static void wrong_garments_name_the_member(void **state) {
    (void)state;
    scene_files files;
    scene_files_open(&files);
    vo_scene *scene = build_scene(&files);
    vo_garment_def def = vo_garment_def_default();
    refuse(&files, scene, &def, VO_BAD_ARGUMENT, "either a pattern or a mesh");
    def.pattern = "no-such-pattern.json";
    refuse(&files, scene, &def, VO_BAD_DATA, "pattern: there is no file");
    def.character = 7;
    refuse(&files, scene, &def, VO_BAD_ARGUMENT, "character: obstacle 7 is not a character");
    def = vo_garment_def_default();
    def.pattern = GARMENTS "cape.json";
    def.edge_length = 0;
    refuse(&files, scene, &def, VO_BAD_ARGUMENT, "edge_length must be positive");
    def.faces = -1;
    refuse(&files, scene, &def, VO_BAD_ARGUMENT, "faces must be at least 0");
    def.faces = 300;
    def.remeshing.size_max = 0;
    refuse(&files, scene, &def, VO_BAD_ARGUMENT, "remeshing: size_max must be positive");
    refuse(&files, scene, NULL, VO_BAD_ARGUMENT, "needs a definition");
    vo_scene_destroy(scene);
    scene_files_close(&files);
}

/* Adds a garment with allocation number `fail_at` of the call failing; false if it has fewer. */
static bool fail_to_add(vo_context *ctx, test_memory *memory, vo_scene *scene,
                        const vo_garment_def *def, long fail_at) {
    int cloths = scene->cloth_count, handles = scene->handle_count, id = -7;
    memory->fail_at = memory->calls + fail_at;
    vo_result result = vo_scene_add_garment(scene, def, &id);
    bool failed = memory->calls > memory->fail_at;
    memory->fail_at = -1;
    if (!failed) {
        assert_ok(ctx, result);
        assert_int_equal(id, cloths);
        return false;
    }
    assert_int_equal(result, VO_NO_MEMORY);
    assert_int_equal(scene->cloth_count, cloths);
    assert_int_equal(scene->handle_count, handles);
    assert_int_equal(id, -7);
    return true;
}

/* The second garment reuses the fitted pattern of the first one, so it has few allocations, the
 * last of which are those of its pins. */
static void garment_that_runs_out_of_memory_leaves_the_scene_unchanged(void **state) {
    (void)state;
    test_memory memory = {.fail_at = -1};
    vo_context *ctx = test_context_with(1, &memory);
    vo_scene *scene;
    assert_ok(ctx, vo_scene_create(ctx, NULL, &scene));
    vo_character_def character = vo_character_def_default();
    character.mannequin.faces = 4000;
    vo_garment_def skirt = vo_garment_def_default();
    skirt.pattern = GARMENTS "skirt-wide.json";
    skirt.edge_length = 0.1;
    assert_ok(ctx, vo_scene_add_character(scene, &character, &skirt.character));
    long begin = memory.calls;
    assert_ok(ctx, vo_scene_add_garment(scene, &skirt, NULL));
    long calls = memory.calls - begin;
    assert_int_equal(scene->handle_count, 1);
    vo_scene_remove_handles(scene, 0);
    vo_scene_remove_cloths(scene, 0);
    for (long n = 0; n < calls; n += calls / 10) fail_to_add(ctx, &memory, scene, &skirt, n);
    while (scene->cloth_count < 5) { /* also with arrays that must grow */
        int cloths = scene->cloth_count, handles = scene->handle_count;
        long n = cloths == 0 ? calls - 8 : 0;
        while (fail_to_add(ctx, &memory, scene, &skirt, n)) n++;
        assert_int_equal(scene->handle_count, handles + 1);
    }
    vo_scene_destroy(scene);
    vo_context_destroy(ctx);
    assert_int_equal(memory.live, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(garments_by_calls_give_the_simulation_of_the_file),
        cmocka_unit_test(garments_on_equal_bodies_share_their_pattern),
        cmocka_unit_test(wrong_garments_name_the_member),
        cmocka_unit_test(garment_that_runs_out_of_memory_leaves_the_scene_unchanged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
