/* Scene files: the effect of every key, and the messages about invalid ones. */
#include "scene_files.h"

#include "codec/json.h"
#include "garment/wear.h"
#include "scene/keys.h"
#include "scene/load/load.h"

#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

#define OWN_SCENES VOILE_SOURCE_DIR "/assets/scenes"

/* Converts single to double quotes: {'a': 1}. */
static const char *quoted(const char *text) {
    static char out[8192];
    size_t i = 0;
    for (; text[i] && i < sizeof out - 1; i++) out[i] = text[i] == '\'' ? '"' : text[i];
    out[i] = 0;
    return out;
}

/* Scene files have ARCSim's defaults: no gravity, one step per frame. */
static const vo_scene_def file_defaults = {.frame_time = 0.04,
                                           .frame_steps = 1,
                                           .end_time = INFINITY,
                                           .end_frame = INFINITY,
                                           .wind_density = 1,
                                           .repulsion_thickness = 1e-3,
                                           .projection_thickness = 0.1 * 1e-3,
                                           .teleport_speed = 40,
                                           .collision_stiffness = 1e9,
                                           .friction = 0.6,
                                           .obstacle_friction = 0.3,
                                           .handle_stiffness = 1e3,
                                           .solver = VO_SOLVER_PCG,
                                           .solver_tolerance = 1e-3,
                                           .solver_max_iterations = 500};

static void minimal_scene_has_all_defaults(void **state) {
    (void)state;
    scene_files files;
    scene_files_open(&files);
    vo_scene *scene = scene_files_expect(&files, scene_least, NULL);
    vo_scene_def def = vo_scene_get_def(scene);
    assert_same_def(&def, &file_defaults);
    assert_int_equal(scene->cloth_count, 1);
    const vo_material *material = &scene->cloth[0].material[0];
    vo_material_def plain = vo_material_def_default();
    assert_true(material->density_mult == plain.density_mult &&
                material->stretching_mult == plain.stretching_mult &&
                material->bending_mult == plain.bending_mult &&
                material->damping == plain.damping && material->stretch_min == plain.stretch_min &&
                material->stretch_max == plain.stretch_max);
    assert_true(material->fabric->density == 0.2);
    assert_true(scene->cloth[0].mesh->node_x[2].x == 1);
    assert_string_equal(files.log, "");
    vo_scene_destroy(scene);
    scene_files_close(&files);
}

/* Path of the object of each key table in scene_full. */
static const char *const table_paths[][2] = {
    {"scene", ""},
    {"cloth", "cloths[0]."},
    {"grid", "cloths[1].grid."},
    {"cone", "cloths[1].cone."},
    {"transform", "cloths[0].transform."},
    {"cloth.velocity", "cloths[0].velocity."},
    {"material", "cloths[0].materials[0]."},
    {"remeshing", "cloths[0].remeshing."},
    {"keyframe", "motions[0][0]."},
    {"keyframe.transform", "motions[0][1].transform."},
    {"keyframe.velocity", "motions[0][0].velocity."},
    {"motion file", "motions."},
    {"handle", "handles[0]."},
    {"obstacle", "obstacles[0]."},
    {"shape", "obstacles[2].shape."},
    {"character", "characters[0]."},
    {"body", "characters[0].body."},
    {"body motion", "characters[0].motion."},
    {"garment", "garments[0]."},
    {"camera", "cameras[0]."},
    {"camera key", "camera.keys[0]."},
    {"shot", "shots[0]."},
    {"view", "view."},
    {"crowd", "crowd."},
    {"crowd place", "crowd.places[0]."},
    {"morph", "morphs[0]."},
    {"morph.spline", "morphs[0].spline[0]."},
    {"wind", "wind."},
    {"realtime", "realtime."},
    {"fan", "realtime.fans[0]."},
    {"upsampling", "upsampling."},
    {"solver", "solver."},
    {"magic", "magic."},
    {"override", "overrides[0]."},
};

static const char *path_of(const vo_key_table *table) {
    for (size_t i = 0; i < sizeof table_paths / sizeof *table_paths; i++)
        if (strcmp(table_paths[i][0], table->title) == 0) return table_paths[i][1];
    fail_msg("no path for the table \"%s\"", table->title);
    return "";
}

/* A document with every key; motions are a file, or there is a crowd, if the table requires it. */
static vo_json_doc full_document(vo_context *ctx, const vo_key_table *table) {
    vo_json_doc doc;
    assert_ok(ctx, vo_json_parse(ctx, "full.json", scene_full, strlen(scene_full), &doc));
    if (strcmp(table->title, "motion file") == 0)
        assert_ok(ctx, vo_json_set(&doc, "motions", "{\"motfile\": \"moves.mot\", \"fps\": 24}"));
    if (strcmp(table->title, "cone") == 0)
        assert_ok(ctx, vo_json_set(&doc, "cloths[1].cone",
                                   "{\"top_radius\": 0.2, \"bottom_radius\": 0.4, \"length\": 0.5, "
                                   "\"vertices\": 50}"));
    if (strncmp(table->title, "crowd", 5) == 0)
        assert_ok(ctx, vo_json_set(&doc, "crowd", "{\"places\": [{\"start\": 0}]}"));
    return doc;
}

static vo_result check_with(vo_context *ctx, const vo_key_table *table, const char *path,
                            const char *value) {
    char unimplemented[1024];
    vo_json_doc doc = full_document(ctx, table);
    assert_ok(ctx, vo_json_set(&doc, path, value));
    vo_result result = vo_scene_check(&doc, unimplemented, sizeof unimplemented);
    vo_json_free(&doc);
    return result;
}

/* A valid value of the kind; NULL: the value in scene_full. */
static const char *sample(const vo_key *key) {
    switch (key->kind) {
    case VO_KEY_REAL:
        return "-2.5";
    case VO_KEY_POSITIVE:
        return "2.5";
    case VO_KEY_NONNEGATIVE:
        return "0";
    case VO_KEY_LIMIT:
        return "\"-inf\"";
    case VO_KEY_TIME:
        return "\"inf\"";
    case VO_KEY_COUNT:
        return "1";
    case VO_KEY_INDEX:
        return "0";
    case VO_KEY_CHOICE:
        return "-1";
    case VO_KEY_BOOL:
        return "true";
    case VO_KEY_STRING:
    case VO_KEY_PATH:
    case VO_KEY_FILE:
        return "\"sheet.obj\"";
    case VO_KEY_VEC2:
        return "[1, 2]";
    case VO_KEY_VEC3:
        return "[1, 2, 3]";
    case VO_KEY_VEC4:
        return "[1, 2, 3, 4]";
    case VO_KEY_LIMITS:
        return "[\"-inf\", 3]";
    case VO_KEY_INDICES:
        return "[0, 1]";
    case VO_KEY_STRINGS:
        return "[\"a=1\"]";
    case VO_KEY_ANY:
        return "{\"whatever\": [1]}";
    default:
        return NULL;
    }
}

static void every_key_is_accepted(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    int count = 0;
    for (const vo_key_table *table = vo_key_tables; table->title; table++)
        for (const vo_key *key = table->keys; key->name; key++) {
            char path[128], word[64];
            snprintf(path, sizeof path, "%s%s", path_of(table), key->name);
            const char *value = sample(key);
            if (key->words) {
                snprintf(word, sizeof word, "\"%s\"", key->words[0]);
                value = word;
            }
            if (!value) continue;
            if (check_with(ctx, table, path, value) != VO_OK)
                fail_msg("%s=%s: %s", path, value, vo_context_message(ctx));
            count++;
        }
    assert_true(count > 100);
    vo_context_destroy(ctx);
}

/* True if a key accepts a value of this type. */
static bool takes(vo_key_kind kind, vo_json_type type) {
    switch (kind) {
    case VO_KEY_ANY:
        return true;
    case VO_KEY_BOOL:
        return type == VO_JSON_BOOL;
    case VO_KEY_STRING:
    case VO_KEY_PATH:
    case VO_KEY_FILE:
    case VO_KEY_OBSTACLES:
        return type == VO_JSON_STRING;
    case VO_KEY_REAL:
    case VO_KEY_POSITIVE:
    case VO_KEY_NONNEGATIVE:
    case VO_KEY_LIMIT:
    case VO_KEY_TIME:
        return type == VO_JSON_NUMBER;
    default:
        return false;
    }
}

static void wrong_types_are_named_with_path(void **state) {
    (void)state;
    static const struct {
        vo_json_type type;
        const char *value;
    } values[] = {{VO_JSON_BOOL, "true"},
                  {VO_JSON_NUMBER, "7.5"},
                  {VO_JSON_STRING, "\"text\""},
                  {VO_JSON_ARRAY, "[{}, 7.5, null]"},
                  {VO_JSON_OBJECT, "{\"no such key\": 1}"}};
    vo_context *ctx = test_context(1);
    for (const vo_key_table *table = vo_key_tables; table->title; table++)
        for (const vo_key *key = table->keys; key->name; key++)
            for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
                if (takes(key->kind, values[i].type)) continue;
                char path[128], start[160];
                snprintf(path, sizeof path, "%s%s", path_of(table), key->name);
                snprintf(start, sizeof start, "full.json: %s", path);
                vo_result result = check_with(ctx, table, path, values[i].value);
                if (result != VO_BAD_DATA ||
                    strncmp(vo_context_message(ctx), start, strlen(start)) != 0)
                    fail_msg("%s=%s: result %d, %s", path, values[i].value, (int)result,
                             vo_context_message(ctx));
            }
    vo_context_destroy(ctx);
}

static void unknown_keys_are_rejected(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    for (const vo_key_table *table = vo_key_tables; table->title; table++) {
        char path[128];
        snprintf(path, sizeof path, "%sunheard_of", path_of(table));
        assert_int_equal(check_with(ctx, table, path, "1"), VO_BAD_DATA);
        assert_message_contains(ctx, "unheard_of");
    }
    vo_context_destroy(ctx);
}

/* An override and the expected message. */
static const char *const bad_values[][2] = {
    {"frame_tmie=1", "frame_time"},
    {"frame_time=0", "frame_time: must be positive, is 0"},
    {"frame_time=1e-30", "frame_time: 1e-30 is too small"},
    {"frame_time=null", "frame_time: is missing; a scene needs frame_time, fps or timestep"},
    {"fps=25", "fps: frame_time and fps exclude each other"},
    {"frame_steps=0", "frame_steps: must be at least 1, is 0"},
    {"frame_steps=1.5", "frame_steps: expected a whole number"},
    {"end_time=-1", "end_time: must not be negative"},
    {"end_time=soon", "end_time: expected a number, \"inf\""},
    {"gravity=[0,0]", "gravity: expected an array of 3 numbers"},
    {"gravity=[0,0,1e20]", "gravity[2]: 1e+20 is too large"},
    {"disable=colision", "; did you mean \"collision\"?"},
    {"obstacles[2].transform.rotate=[90,0,0,0]",
     "obstacles[2].transform.rotate: has an angle of 90, but a zero axis"},
    {"disable=walking", "disable: \"walking\" is none of \"proximity\""},
    {"disable=collision,7", "disable[1]"},
    {"solver.method=magic", "solver.method: \"magic\" is none of \"pcg\", \"direct\""},
    {"solver.tolerance=1", "solver.tolerance: must be less than 1"},
    {"units=furlong", "units: \"furlong\" is none of"},
    {"cloths=[]", "cloths: the array is empty"},
    {"cloths[0]=null", "cloths[0]: expected an object"},
    {"cloths[0].mesh=null", "cloths[0].mesh: is missing; a cloth needs a mesh, a grid or a cone"},
    {"cloths[0].mesh=\"\"", "cloths[0].mesh: the string is empty"},
    {"cloths[0].mesh=gone.obj", "cloths[0].mesh: there is no file \"gone.obj\" in any of"},
    {"cloths[0].mesh=/gone.obj", "cloths[0].mesh: there is no file \"/gone.obj\""},
    {"cloths[0].mesh=cloth.json", "cloths[0].mesh: "},
    {"cloths[1].mesh=sheet.obj", "cloths[1].grid: mesh and grid exclude each other"},
    {"cloths[1].grid.rows=1000000", "cloths[1].grid: 4 columns and 1000000 rows exceed"},
    {"cloths[0].transform.scale=0", "cloths[0].transform.scale: must be positive"},
    {"cloths[0].materials=[]", "cloths[0].materials: the array is empty"},
    {"cloths[0].materials[0].data=null", "cloths[0].materials[0].data: is missing"},
    {"cloths[0].materials[0].data=sheet.obj", "cloths[0].materials[0].data: "},
    {"cloths[0].materials[0].fabric=cloth.json", "data and fabric exclude each other"},
    {"cloths[0].materials[0].strain_limits=[2,1]", "materials[0].strain_limits: 2 is more"},
    {"cloths[0].materials[0].strain_limits=[1]", "materials[0].strain_limits: expected"},
    {"cloths[0].materials[0].damping=-1", "cloths[0].materials[0].damping: must not be"},
    {"cloths[1].materials[0].density=null", "cloths[1].materials[0].density: is missing"},
    {"cloths[1].materials[0].poisson_ratio=0.9", "cloths[1].materials[0]: "},
    {"motions=[[]]", "motions[0]: the array is empty"},
    {"motions[0][1].time=0",
     "motions[0][1].time: must be at least 1e-9 s later than that of the previous key, is 0"},
    {"motions[0][1].time=null", "motions[0][1].time: is missing"},
    {"motions[0][1].time=1e40", "motions[0][1].time: 1e+40 is too large"},
    {"motions[0][1].transform.scale=-1", "motions[0][1].transform.scale: must"},
    {"motions[0][1].transform.translate=[1e40,0,0]", "motions[0][1].transform"},
    {"motions[0][0].velocity.translate=[1e40,0,0]", "motions[0][0].velocity"},
    {"motions={\"motfile\":\"moves.mot\"}", "motions.fps: is missing"},
    {"motions={\"motfile\":\"gone.mot\",\"fps\":1}", "motions.motfile: there is no file"},
    {"motions={\"motfile\":\"sheet.obj\",\"fps\":1}", "sheet.obj: line 1: expected \"NumFr"},
    {"handles[0].nodes=[]", "handles[0].nodes: the array is empty"},
    {"handles[0].nodes=[5]",
     "handles[0].nodes[0]: node 5 does not exist; cloth 0 has nodes 0 to 4"},
    {"handles[0].nodes=[1,7]", "handles[0].nodes[1]: node 7 does not exist"},
    {"handles[0].nodes=[-1]", "handles[0].nodes[0]: must be at least 0"},
    {"handles[0].nodes=null", "handles[0]: has no nodes"},
    {"handles[0].vertices=[1]", "handles[0].vertices: nodes and vertices exclude each other"},
    {"handles[0].cloth=3", "handles[0].cloth: 3 does not exist"},
    {"handles[0].motion=1", "handles[0].motion: 1 does not exist"},
    {"handles[0].type=hook", "handles[0].type: \"hook\" is none of"},
    {"handles[2].nodes=[0,1,2]", "handles[2].nodes: glue needs two different nodes"},
    {"handles[2].nodes=[1,1]", "handles[2].nodes: glue needs two different nodes"},
    {"handles[3].radius=null", "handles[3].radius: is missing; a soft handle needs it"},
    {"handles[4].u=null", "handles[4].u: is missing; a circle handle needs it"},
    {"handles[4].axis0=[0,0,0]", "handles[4].axis0: must be a direction, is zero"},
    {"handles[4].u=[0,0]", "handles[4].u: must be a direction, is zero"},
    {"handles[5].corners=[4]", "handles[5].corners[0]: a grid has corners 0 to 3"},
    {"handles[5].cloth=0", "handles[5].corners: cloth 0 is not made from a grid"},
    {"handles[6].cloth=9", "handles[6].cloth: 9 does not exist; the scene has 3"},
    {"handles[6].edge=middle", "handles[6].edge: \"middle\" is none of \"left\""},
    {"obstacles[0].mesh=null", "obstacles[0].mesh: is missing; an obstacle needs a mesh or a"},
    {"obstacles[0].shape={\"type\": \"box\"}", "obstacles[0].shape: mesh and shape exclude"},
    {"obstacles[2].shape.type=ball", "obstacles[2].shape.type: \"ball\" is none of \"sphere\", "},
    {"obstacles[2].shape.type=null", "obstacles[2].shape.type: is missing"},
    {"obstacles[2].shape.type=torus", "obstacles[2].shape.tube: is missing; a torus needs it"},
    {"obstacles[2].shape.tube=0.1", "obstacles[2].shape.tube: does not apply to a sphere"},
    {"obstacles[2].shape.radius=-1", "obstacles[2].shape.radius: must be positive"},
    {"obstacles[2].shape.edge_length=1e-6",
     "obstacles[2].shape: a sphere: edge_length 1e-06 gives"},
    {"obstacles[2].shape={\"type\": \"box\", \"size\": [1, 0, 1]}",
     "obstacles[2].shape: a box: size must be three positive numbers"},
    {"obstacles[0].motion=5", "obstacles[0].motion: 5 does not exist"},
    {"obstacles=7", "obstacles: expected an array of objects"},
    {"obstacles=sheet.obj", "obstacles: expected a path with one whole number"},
    {"obstacles=%s%n", "obstacles: expected a path with one whole number"},
    {"obstacles=a%d%d.obj", "obstacles: expected a path with one whole number"},
    {"obstacles=a%999999999d.obj", "obstacles: expected a path with one whole number"},
    {"obstacles=a%*d.obj", "obstacles: expected a path with one whole number"},
    {"obstacles=gone%02d.obj", "obstacles: there is no file \"gone00.obj\""},
    {"characters[0].body=7", "characters[0].body: expected a path or an object"},
    {"characters[0].body=\"\"", "characters[0].body: the string is empty"},
    {"characters[0].body=gone.glb", "characters[0].body.file: there is no file \"gone.glb\""},
    {"characters[0].body=cloth.json", "characters[0].body.file: "},
    {"characters[0].body=gone_%d.obj", "characters[0].body.file: there is no file \"gone_0.obj\""},
    {"characters[0].body=a%s.obj", "characters[0].body.file: expected a path with one whole"},
    {"characters[0].body.file=sheet.obj", "body.files: file and files exclude each other"},
    {"characters[0].body.height=2", "characters[0].body.height: is for mannequins"},
    {"characters[0].body.faces=9000", "characters[0].body.faces: is for mannequins"},
    {"characters[0].body.files=[]", "characters[0].body.files: the array is empty"},
    {"characters[0].body.files=[\"gone.obj\"]", "characters[0].body.files[0]: there is no file"},
    {"characters[0].body.files=[\"sheet.obj\",\"block.obj\"]", "files: "},
    {"characters[0].body={\"height\": 9}", "characters[0].body: "},
    {"characters[0].body={\"file\": \"sheet.obj\"}", "characters[0].motion: "},
    {"characters[0].motion=sheet.obj", "characters[0].motion: "},
    {"characters[0].motion.clip=run", "characters[0].motion: "},
    {"characters[0].motion.speed=-1", "characters[0].motion.speed: must not be negative"},
    {"characters[0].motion.start=-1", "characters[0].motion.start: must not be negative"},
    {"characters[0].motion.loop=1", "characters[0].motion.loop: "},
    {"characters[0].end_time=\"-inf\"", "characters[0]: end"},
    {"cloths[0].remeshing.size=[0.3,0.1]",
     "cloths[0].remeshing.size: 0.3 is more than 0.1; the lower limit comes first"},
    {"cloths[0].remeshing.size=[0,0]",
     "cloths[0].remeshing.size: the longest edge, 0 m, must be positive"},
    {"cloths[0].remeshing={\"compensation\": \"all\"}",
     "cloths[0].remeshing.size: compensation needs a longest edge; set"},
    {"garments[0].remeshing={\"size\": [-2, -1]}", "garments[0].remeshing.size: the longest edge"},
    {"cloths[0].remeshing={\"compensation_power\": 0.5}",
     "(overridden by the caller): cloths[0].remeshing.compensation_power: must be a number of at "
     "least"},
    {"view.hidden=0.2",
     "(overridden by the caller): view.hidden: unknown key; it is now named \"occluded\""},
    {"view.back_facing=2",
     "(overridden by the caller): view.back_facing: must be above 0 and at most 1"},
    {"view.off_screen=2", "(overridden by the caller): view.off_screen: must be"},
    {"view.anticipation=2000", "(overridden by the caller): view.anticipation: must be 0 to 1000"},
    {"view.compensation_power=0.5", "(overridden by the caller): view.compensation_power: must be"},
    {"view.max_popping=1e-300",
     "(overridden by the caller): view.max_popping: must be 0, or from 1e-15 to 1e15"},
    {"frame_steps=100001", "(overridden by the caller): frame_steps: must be 1 to 100,000"},
    {"preroll=-1", "preroll: must not be negative"},
    {"preroll=1e9", "preroll: 1e+09 s exceed the limit of 1e+06 frames of 0.04 s; "},
    {"start_frame=-1", "start_frame: must be at least 0"},
    {"magic.handle_stiffness=0", "magic.handle_stiffness: must be positive"},
    {"magic.repulsion_thickness=0", "magic.repulsion_thickness: must be positive"},
    {"magic.projection_thickness=0", "magic.projection_thickness: must be positive"},
    {"magic.teleport_speed=0", "magic.teleport_speed: must be positive"},
    {"magic.collision_stiffness=-1", "magic.collision_stiffness: must be positive"},
    {"obs_friction=-0.1", "obs_friction: must not be negative"},
    {"morphs[0].spline[0].target=-1", "morphs[0].spline[0].target: must be at least 0"},
};

static void invalid_values_are_named_with_path(void **state) {
    (void)state;
    scene_files files;
    scene_files_open(&files);
    for (size_t i = 0; i < sizeof bad_values / sizeof *bad_values; i++)
        scene_files_refuse(&files, scene_full, bad_values[i][0], bad_values[i][1]);
    scene_files_refuse(&files, "{\"frame_time\": }", NULL, "line 1, column ");
    scene_files_refuse(&files, "[]", NULL, "");
    scene_files_refuse(&files, "", NULL, "");
    scene_files_close(&files);
}

static void malformed_overrides_are_rejected(void **state) {
    (void)state;
    scene_files files;
    scene_files_open(&files);
    static const char *const sets[] = {"frame_time", "=1", "cloths[7].mesh=x", ""};
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        vo_scene *scene;
        assert_int_equal(scene_files_load(&files, scene_full, sets[i], &scene), VO_BAD_ARGUMENT);
        assert_null(scene);
        assert_true(vo_context_message(files.ctx)[0] != 0);
    }
    static const char *const own[] = {"overrides=[]", "overrides[0].from_frame=3",
                                      "\"overrides\"=[]"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        vo_scene *scene;
        assert_int_equal(scene_files_load(&files, scene_full, own[i], &scene), VO_BAD_ARGUMENT);
        assert_message_contains(files.ctx, "overrides are recorded by runs");
    }
    scene_files_close(&files);
}

static void long_paths_are_rejected(void **state) {
    (void)state;
    scene_files files;
    scene_files_open(&files);
    static char set[6000], text[6000];
    snprintf(set, sizeof set, "cloths[0].mesh=");
    memset(set + 15, 'x', 5000);
    scene_files_refuse(&files, scene_full, set, "cloths[0].mesh: the path is too long");
    snprintf(text, sizeof text, "obstacles=%s%%d", set + 15);
    scene_files_refuse(&files, scene_full, text, "obstacles: ");
    vo_scene *scene;
    assert_int_equal(vo_scene_load(files.ctx, set + 15, 0, NULL, &scene), VO_BAD_ARGUMENT);
    assert_int_equal(vo_scene_load(files.ctx, "/gone/scene.json", 0, NULL, &scene), VO_IO_FAILED);
    scene_files_close(&files);
}

/* The default is a tenth of the repulsion thickness; the maximum is the thickness. */
static void contact_keys_set_members(void **state) {
    (void)state;
    static const struct {
        const char *magic;
        double repulsion, projection, stiffness;
    } cases[] = {
        {"magic={}", 1e-3, 1e-4, 1e9},
        {"magic={\"repulsion_thickness\": 0.005}", 5e-3, 5e-4, 1e9},
        {"magic={\"projection_thickness\": 3e-4, \"collision_stiffness\": 1e6}", 1e-3, 3e-4, 1e6},
        {"magic={\"projection_thickness\": 0.7}", 1e-3, 1e-3, 1e9},
    };
    scene_files files;
    scene_files_open(&files);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        vo_scene *scene = scene_files_expect(&files, scene_least, cases[i].magic);
        assert_near(scene->def.repulsion_thickness, cases[i].repulsion, 1e-18);
        assert_near(scene->def.projection_thickness, cases[i].projection, 1e-18);
        assert_true(scene->def.collision_stiffness == cases[i].stiffness);
        vo_scene_destroy(scene);
    }
    vo_scene *scene = scene_files_expect(&files, scene_least, "obs_friction=0.25");
    assert_true(scene->def.friction == 0.6 && scene->def.obstacle_friction == 0.25);
    vo_scene_destroy(scene);
    scene_files_close(&files);
}

static void scene_keys_set_members(void **state) {
    (void)state;
    scene_files files;
    scene_files_open(&files);
    vo_scene *scene = scene_files_expect(&files, scene_full, NULL);
    vo_scene_def def = vo_scene_get_def(scene);
    assert_true(def.frame_time == 0.04 && def.frame_steps == 8);
    assert_true(def.end_time == 2 && def.end_frame == 40);
    assert_true(def.preroll == 0.2 && def.start_frame == 0);
    assert_int_equal(vo_scene_preroll_frames(scene), 5);
    assert_int_equal(scene->character_count, 1);
    assert_true(def.gravity.z == -9.8 && def.wind_velocity.y == 2 && def.wind_density == 1);
    assert_true(def.friction == 0.5 && def.handle_stiffness == 500);
    assert_int_equal(def.disable, VO_DISABLE_COLLISION | VO_DISABLE_REMESHING);
    assert_true(def.solver_tolerance == 1e-6 && def.solver == VO_SOLVER_PCG);
    vo_scene_destroy(scene);
    scene = scene_files_expect(&files, scene_full, "disable=fracture");
    assert_int_equal(scene->def.disable, VO_DISABLE_FRACTURE);
    vo_scene_destroy(scene);
    scene = scene_files_expect(&files, scene_full, "disable=proximity,physics,plasticity");
    assert_int_equal(scene->def.disable,
                     VO_DISABLE_PROXIMITY | VO_DISABLE_PHYSICS | VO_DISABLE_PLASTICITY);
    vo_scene_destroy(scene);
    scene = scene_files_expect(&files, scene_full,
                               "solver={\"method\":\"direct\",\"max_iterations\":7}");
    assert_true(scene->def.solver == VO_SOLVER_DIRECT && scene->def.solver_max_iterations == 7);
    vo_scene_destroy(scene);
    scene_files_close(&files);
}

static vo_scene_def times_of(scene_files *files, const char *keys) {
    char text[1024];
    snprintf(text, sizeof text,
             "{%s \"cloths\": [{\"mesh\": \"sheet.obj\", \"materials\": [{\"data\": "
             "\"cloth.json\"}]}]}",
             keys);
    vo_scene *scene = scene_files_expect(files, text, NULL);
    vo_scene_def def = scene->def;
    vo_scene_destroy(scene);
    return def;
}

static void time_keys_have_three_forms(void **state) {
    (void)state;
    scene_files files;
    scene_files_open(&files);
    vo_scene_def def =
        times_of(&files, "\"timestep\": 0.005, \"save_frames\": 8, \"duration\": 3,");
    assert_true(def.frame_time == 8 * 0.005 && def.frame_steps == 8 && def.end_time == 3);
    def = times_of(&files, "\"timestep\": 0.005, \"duration\": 3, \"end_time\": 4,");
    assert_true(def.frame_steps == 1 && def.end_time == 3);
    def = times_of(&files, "\"timestep\": 0.005, \"end_time\": 4,");
    assert_true(def.end_time == 4);
    def = times_of(&files, "\"fps\": 25, \"frame_steps\": 4, \"end_frame\": 10,");
    assert_true(def.frame_time == 0.04 && def.frame_steps == 4 && def.end_frame == 10);
    assert_true(isinf(def.end_time));
    assert_int_equal(vo_scene_last_frame(&def), 10);
    def.end_time = 0.081; /* the first frame at or after it */
    assert_int_equal(vo_scene_last_frame(&def), 3);
    def.end_time = 0.08;
    assert_int_equal(vo_scene_last_frame(&def), 2);
    def.end_time = def.end_frame = INFINITY;
    assert_int_equal(vo_scene_last_frame(&def), -1);
    def = times_of(&files, "\"frame_time\": 0.04, \"timestep\": 1, \"duration\": 20,");
    assert_true(def.frame_time == 0.04 && def.end_time == 20);
    assert_non_null(strstr(files.log, "info: "));
    assert_non_null(strstr(files.log, "duration: the scene ends after 20 s"));
    def = times_of(&files, "\"frame_time\": 0.04, \"end_time\": 5, \"duration\": 20,");
    assert_true(def.end_time == 5);
    scene_files_close(&files);
}

static void cloths_and_materials_are_read(void **state) {
    (void)state;
    scene_files files;
    scene_files_open(&files);
    vo_scene *scene = scene_files_expect(
        &files, scene_full,
        "cloths[0].materials[0]={\"fabric\": \"cloth.json\", \"density_mult\": 2, "
        "\"stretching_mult\": 3, \"bending_mult\": 4, \"thicken\": 10, \"damping\": 0.5, "
        "\"strain_limits\": [0.9, \"inf\"]}");
    const vo_material *m = &scene->cloth[0].material[0];
    assert_true(m->density_mult == 20 && m->stretching_mult == 30 && m->bending_mult == 40);
    assert_true(m->damping == 0.5 && m->stretch_min == 0.9 && m->stretch_max == INFINITY);
    assert_true(scene->cloth[0].mesh->node_x[0].z == 1 && scene->cloth[0].mesh->node_v[0].x == 1);
    assert_true(scene->cloth[0].remeshing.size_min == 0.01);
    assert_true(isinf(scene->cloth[0].remeshing.refine_angle));
    assert_int_equal(scene->cloth[1].mesh->face_count, 24);
    assert_near(scene->cloth[1].material[0].fabric->density, 0.5, 1e-15);
    vo_scene_destroy(scene);
    scene = scene_files_expect(&files, scene_full, "cloths[0].materials[0].thickness=1");
    assert_non_null(strstr(files.log, "cloths[0].materials[0].thickness: has no effect"));
    vo_scene_destroy(scene);
    scene = scene_files_expect(&files, scene_full, "cloths[0].materials[0].density=1");
    assert_non_null(strstr(files.log, "cloths[0].materials[0].density: has no effect"));
    vo_scene_destroy(scene);
    scene_files_close(&files);
}

static vo_sidedness sides_with(scene_files *files, int cloth, const char *set) {
    vo_scene *scene = scene_files_expect(files, scene_full, set);
    vo_sidedness sides = scene->cloth[cloth].sides;
    vo_scene_destroy(scene);
    return sides;
}

static void cloths_and_garments_have_two_sides(void **state) {
    (void)state;
    scene_files files;
    scene_files_open(&files);
    assert_int_equal(sides_with(&files, 1, NULL), VO_SIDEDNESS_INHERIT);
    assert_int_equal(sides_with(&files, 1, "view.two_sided=true"), VO_SIDEDNESS_INHERIT);
    assert_int_equal(sides_with(&files, 1, "cloths[1].two_sided=true"), VO_SIDEDNESS_TWO);
    assert_int_equal(sides_with(&files, 0, "cloths[1].two_sided=true"), VO_SIDEDNESS_INHERIT);
    assert_int_equal(sides_with(&files, 1, "cloths[1].two_sided=false"), VO_SIDEDNESS_ONE);
    assert_int_equal(sides_with(&files, 2, "garments[0].two_sided=true"), VO_SIDEDNESS_TWO);
    assert_int_equal(sides_with(&files, 2, "garments[0].two_sided=false"), VO_SIDEDNESS_ONE);
    scene_files_refuse(&files, scene_full, "garments[0].two_sided=2",
                       "garments[0].two_sided: expected true or false");
    scene_files_close(&files);
}

static void expect_nodes(const vo_scene_handle *handle, int count, const int *nodes) {
    assert_int_equal(handle->def.node_count, count);
    for (int i = 0; i < count; i++) assert_int_equal(handle->def.nodes[i], nodes[i]);
}

static void handles_are_read(void **state) {
    (void)state;
    scene_files files;
    scene_files_open(&files);
    vo_scene *scene = scene_files_expect(&files, scene_full, NULL);
    assert_int_equal(scene->handle_count, 7);
    expect_nodes(&scene->handle[0], 2, (int[]){2, 3});
    assert_int_equal(scene->handle[0].def.motion, 0);
    expect_nodes(&scene->handle[1], 2, (int[]){0, 1});
    assert_true(scene->handle[1].def.end == 1 && isinf(scene->handle[0].def.end));
    assert_int_equal(scene->handle[2].def.kind, VO_HANDLE_GLUE);
    assert_int_equal(scene->handle[3].def.kind, VO_HANDLE_SOFT);
    assert_true(scene->handle[3].def.radius == 0.2 && scene->handle[3].def.center.z == 1);
    assert_int_equal(scene->handle[4].def.kind, VO_HANDLE_CIRCLE);
    assert_true(scene->handle[4].def.circle_u.x == 1 && scene->handle[4].def.axis1.y == 1);
    expect_nodes(&scene->handle[4], 2, (int[]){0, 1});
    expect_nodes(&scene->handle[5], 2, (int[]){0, 19}); /* corners of 4 x 3 cells */
    expect_nodes(&scene->handle[6], 5, (int[]){15, 16, 17, 18, 19});
    vo_scene_destroy(scene);
    static const struct {
        const char *set;
        int count, nodes[5];
    } sides[] = {{"handles[6].edge=left", 4, {0, 5, 10, 15}},
                 {"handles[6].edge=right", 4, {4, 9, 14, 19}},
                 {"handles[6].edge=bottom", 5, {0, 1, 2, 3, 4}}};
    for (int i = 0; i < 3; i++) {
        scene = scene_files_expect(&files, scene_full, sides[i].set);
        expect_nodes(&scene->handle[6], sides[i].count, sides[i].nodes);
        vo_scene_destroy(scene);
    }
    scene = scene_files_expect(&files, scene_full,
                               "handles=[{\"vertices\": [4], \"stiffness\": 9, \"fade_time\": 2}]");
    expect_nodes(&scene->handle[0], 1, (int[]){4});
    assert_true(scene->handle[0].def.stiffness == 9 && scene->handle[0].def.fade == 2);
    vo_scene_destroy(scene);
    scene = scene_files_expect(&files, scene_full, "handles[0].label=3");
    expect_nodes(&scene->handle[0], 2, (int[]){0, 1});
    assert_non_null(strstr(files.log, "handles[0].nodes: has no effect, since label is given"));
    vo_scene_destroy(scene);
    scene = scene_files_expect(&files, scene_least,
                               "handles=[{\"nodes\": [0], \"radius\": 1, \"u\": [1, 0]}, "
                               "{\"type\": \"soft\", \"center\": [0, 0, 0], \"radius\": 1, "
                               "\"nodes\": [1]}]");
    assert_non_null(strstr(files.log, "handles[0].radius: has no effect, since the handle is of "
                                      "type \"node\""));
    assert_non_null(strstr(files.log, "handles[0].u: has no effect"));
    assert_non_null(strstr(files.log, "handles[1].nodes: has no effect, since a soft handle"));
    assert_null(strstr(files.log, "handles[1].radius"));
    assert_null(strstr(files.log, "handles[1].center"));
    vo_scene_destroy(scene);
    scene_files_close(&files);
}

/* Every type of shape from a file and from the API, in units other than metres. */
static void shapes_match_api(void **state) {
    (void)state;
    static const struct {
        const char *set;
        vo_shape_def def;
    } cases[] = {
        {"{'type': 'sphere', 'radius': 20}", {.kind = VO_SHAPE_SPHERE, .radius = 0.2}},
        {"{'type': 'box', 'size': [20, 30, 40], 'edge_length': 5}",
         {.kind = VO_SHAPE_BOX, .size = {0.2, 0.3, 0.4}, .edge_length = 0.05}},
        {"{'type': 'plate', 'size': [200, 100, 2]}",
         {.kind = VO_SHAPE_PLATE, .size = {2, 1, 0.02}}},
        {"{'type': 'cylinder', 'radius': 20, 'height': 100}",
         {.kind = VO_SHAPE_CYLINDER, .radius = 0.2, .height = 1}},
        {"{'type': 'torus', 'radius': 20, 'tube': 4}",
         {.kind = VO_SHAPE_TORUS, .radius = 0.2, .tube = 0.04}},
        {"{'type': 'funnel', 'radius': 30, 'neck': 10, 'height': 20}",
         {.kind = VO_SHAPE_FUNNEL, .radius = 0.3, .neck = 0.1, .height = 0.2}},
        {"{'type': 'funnel', 'radius': 30, 'neck': 10, 'height': 20, 'stem': 8, 'thickness': 2}",
         {.kind = VO_SHAPE_FUNNEL,
          .radius = 0.3,
          .neck = 0.1,
          .height = 0.2,
          .stem = 0.08,
          .thickness = 0.02}},
        {"{'type': 'blade', 'size': [50, 10, 1]}",
         {.kind = VO_SHAPE_BLADE, .size = {0.5, 0.1, 0.01}}},
    };
    scene_files files;
    scene_files_open(&files);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "{'frame_time': 0.04, 'units': 'cm', 'obstacles': [{'shape': %s}], 'cloths': "
                 "[{'mesh': 'sheet.obj', 'materials': [{'data': 'cloth.json'}]}]}",
                 cases[i].set);
        vo_scene *scene = scene_files_expect(&files, quoted(text), NULL);
        const vo_mesh *read = scene->obstacle[0].mesh;
        vo_mesh *made;
        assert_ok(files.ctx, vo_mesh_create_shape(files.ctx, &cases[i].def, &made));
        assert_int_equal(read->node_count, made->node_count);
        assert_same_array(read->face_vert, made->face_vert, made->face_count);
        for (int n = 0; n < made->node_count; n++)
            assert_near(v3_distance(read->node_x[n], made->node_x[n]), 0, 1e-14);
        vo_mesh_destroy(made);
        vo_scene_destroy(scene);
    }
    scene_files_close(&files);
}

static void motions_and_obstacles_are_read(void **state) {
    (void)state;
    scene_files files;
    scene_files_open(&files);
    vo_scene *scene = scene_files_expect(&files, scene_full, NULL);
    assert_int_equal(scene->motion_count, 1);
    assert_true(scene->motion[0].key[0].rate.translation.x == 1);
    assert_true(vo_motion_pose(&scene->motion[0], 2).scale == 2);
    assert_int_equal(scene->obstacle_count, 4); /* the character is the last */
    assert_true(scene->obstacle[0].motion == 0 && scene->obstacle[0].end == 3);
    assert_true(scene->obstacle[1].mesh->node_x[1].x == 0.1);
    assert_near(v3_length(scene->obstacle[2].mesh->node_x[7]), 0.2, 1e-15);
    vo_scene_destroy(scene);
    scene = scene_files_expect(&files, scene_full,
                               "motions={\"motfile\": \"moves.mot\", \"fps\": 2, \"transform\": "
                               "{\"translate\": [0, 0, 7]}}");
    assert_int_equal(scene->motion_count, 1);
    vo_transform end = vo_motion_pose(&scene->motion[0], 0.5);
    assert_true(end.translation.x == 1 && end.translation.z == 10);
    vo_scene_destroy(scene);
    scene_files_close(&files);
}

static void file_pattern_loads_numbered_files(void **state) {
    (void)state;
    scene_files files;
    scene_files_open(&files);
    const char *block = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    scene_files_write(&files, "part_000%.obj", block);
    scene_files_write(&files, "part_001%.obj", block);
    scene_files_write(&files, "part_002%.obj", block);
    scene_files_write(&files, "part_004%.obj", block);
    vo_scene *scene = scene_files_expect(&files, scene_full, "obstacles=part_%03d%%.obj");
    assert_int_equal(scene->obstacle_count, 4); /* the character is the last */
    assert_int_equal(scene->obstacle[0].motion, 0);
    assert_int_equal(scene->obstacle[1].motion, -1);
    assert_non_null(strstr(scene->input[scene->input_count - 1].path, "part_002%.obj"));
    vo_scene_destroy(scene);
    scene_files_close(&files);
}

/* A sheet in centimetres with y up, moved up by 100 cm. */
static void units_and_up_axis_convert_the_geometry(void **state) {
    (void)state;
    scene_files files;
    scene_files_open(&files);
    scene_files_write(&files, "flat.obj", "v 0 0 0\nv 0 0 100\nv 100 0 0\nf 1 2 3\nvt 0 0\n");
    const char *text = quoted(
        "{'frame_time': 0.04, 'units': 'cm', 'up_axis': 'y', 'gravity': [0, 0, -9.8],"
        " 'cloths': [{'grid': {'width': 100, 'height': 50, 'columns': 1, 'rows': 1},"
        "  'transform': {'translate': [0, 100, 0]}, 'materials': [{'data': 'cloth.json'}],"
        "  'velocity': {'linear': [0, 200, 0], 'angular': [0, 3, 0], 'origin': [0, 100, 0]}}],"
        " 'motions': [[{'time': 0}, {'time': 1, 'transform': {'translate': [0, 100, 0],"
        "   'rotate': [90, 0, 1, 0]}}]],"
        " 'handles': [{'type': 'soft', 'center': [0, 100, 0], 'radius': 10}],"
        " 'obstacles': [{'mesh': 'block.obj', 'transform': {'translate': [0, 0, 100]}}]}");
    vo_scene *scene = scene_files_expect(&files, text, NULL);
    const vo_mesh *mesh = scene->cloth[0].mesh;
    assert_near(v3_distance(mesh->node_x[1], v3(1, 0, 1)), 0, 1e-15);   /* (100, 100, 0) cm */
    assert_near(v3_distance(mesh->node_x[2], v3(0, 0, 1.5)), 0, 1e-15); /* (0, 150, 0) cm */
    assert_near(v3_distance(mesh->node_v[1], v3(0, 3, 2)), 0, 1e-14);
    assert_near(vo_mesh_face_area(mesh, 0), 0.25, 1e-15);
    vo_transform end = vo_motion_pose(&scene->motion[0], 1);
    assert_near(v3_distance(end.translation, v3(0, 0, 1)), 0, 1e-15);
    assert_near(v3_distance(q_rotate(end.rotation, v3(1, 0, 0)), v3(0, 1, 0)), 0, 1e-15);
    assert_near(v3_distance(scene->handle[0].def.center, v3(0, 0, 1)), 0, 1e-15);
    assert_near(scene->handle[0].def.radius, 0.1, 1e-15);
    assert_near(v3_distance(scene->obstacle[0].mesh->node_x[0], v3(0, -1, 0)), 0, 1e-15);
    assert_true(scene->def.gravity.z == -9.8);
    assert_string_equal(files.log, "");
    vo_scene_destroy(scene);
    scene = scene_files_expect(&files, text, "gravity=[0,-9.8,0]");
    assert_non_null(strstr(files.log, "gravity: [0, -9.8, 0] does not point along z"));
    vo_scene_destroy(scene);
    scene = scene_files_expect(&files, text, "up_axis=x");
    assert_near(v3_distance(scene->cloth[0].mesh->node_x[1], v3(0, 1, 1)), 0, 1e-15);
    vo_scene_destroy(scene);
    scene_files_close(&files);
}

static void implausible_sizes_warn(void **state) {
    (void)state;
    scene_files files;
    scene_files_open(&files);
    static const char *const sets[] = {"cloths[0].transform.scale=180",
                                       "cloths[0].transform.scale=0.005", "units=mm"};
    for (int i = 0; i < 3; i++) {
        vo_scene *scene = scene_files_expect(&files, scene_least, sets[i]);
        assert_non_null(strstr(files.log, "warning: "));
        assert_non_null(strstr(files.log, "/scene.json"));
        assert_non_null(
            strstr(files.log, i < 2 ? " (partly overridden by the caller): " : ".json: "));
        assert_non_null(strstr(files.log, ": cloths[0]: the cloth measures"));
        assert_non_null(strstr(files.log, " m, which is unlikely for cloth; "));
        assert_non_null(strstr(files.log, i < 2 ? "set units" : "check that units is the unit of"));
        vo_scene_destroy(scene);
    }
    scene_files_close(&files);
}

static int count_of(const char *text, const char *part) {
    int count = 0;
    for (const char *p = text; (p = strstr(p, part)); p++) count++;
    return count;
}

/* A body that lies on its back: 40 x 160 x 30 cm. */
static void write_lying(scene_files *files) {
    scene_files_write(files, "lying.obj",
                      "v -.2 -.8 0\nv .2 -.8 0\nv -.2 .8 0\nv .2 .8 0\n"
                      "v -.2 -.8 .3\nv .2 -.8 .3\nv -.2 .8 .3\nv .2 .8 .3\n"
                      "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n");
}

#define WORN(garment, character)                                                                   \
    "{'pattern': '" VOILE_SOURCE_DIR "/assets/garments/" garment ".json', 'character': " character \
    "}"
#define SHEET "'cloths': [{'mesh': 'sheet.obj', 'materials': [{'data': 'cloth.json'}]}]"

/* Loads a scene with the given text after the frame rate; expects a number of warnings with this
 * one among them. */
static void expect_warnings(scene_files *files, const char *text, int count, const char *part) {
    char whole[3000];
    snprintf(whole, sizeof whole, "{'fps': 25, %s}", text);
    vo_scene_destroy(scene_files_expect(files, quoted(whole), NULL));
    if (count_of(files->log, "warning: ") != count || !strstr(files->log, part))
        fail_msg("%s: %s", text, files->log);
}

/* A body in centimetres, and one that lies on its back: one warning each, with the key. */
static void implausible_body_warns(void **state) {
    (void)state;
    scene_files files;
    scene_files_open(&files);
    write_lying(&files);
    const char *text =
        quoted("{'fps': 25, 'characters': [{'body': 'lying.obj', 'transform': {'scale': 1}}],"
               " 'garments': [{'pattern': '" VOILE_SOURCE_DIR "/assets/garments/flag.json'},"
               "              {'pattern': '" VOILE_SOURCE_DIR "/assets/garments/cape.json'}]}");
    vo_scene *scene = scene_files_expect(&files, text, NULL);
    assert_int_equal(count_of(files.log, "warning: "), 1);
    assert_non_null(strstr(files.log, "scene.json: characters[0].body: the body is not like that"));
    vo_wearer wearer; /* as created for sewing */
    assert_ok(files.ctx, vo_wearer_create(files.ctx, vo_scene_character_body(scene, 0), &wearer));
    assert_non_null(strstr(wearer.implausible, "if its file has y up, set up_axis"));
    assert_int_equal(count_of(files.log, "warning: "), 1);
    vo_wearer_free(&wearer);
    vo_scene_destroy(scene);

    expect_warnings(&files,
                    SHEET ", 'characters': [{'body': 'lying.obj', 'transform': {'scale': 100}}]", 1,
                    "characters[0].body: the body measures 40 x 160 x 30 m, which is unlikely for "
                    "a body;");
    scene_files_close(&files);
}

/* Equal bodies give one warning; copies are reported with the key of the original. */
static void equal_implausible_bodies_warn_once(void **state) {
    (void)state;
    scene_files files;
    scene_files_open(&files);
    write_lying(&files);
    expect_warnings(&files,
                    "'characters': [{'body': 'lying.obj'}, {'body': 'lying.obj'}], 'garments': "
                    "[" WORN("flag", "0") ", " WORN("flag", "1") ", " WORN("cape", "1") "]",
                    1, "characters[0].body: the body is not like");
    expect_warnings(&files,
                    "'characters': [{'body': 'lying.obj'}, {'body': 'lying.obj', 'transform': "
                    "{'scale': 1.1}}], 'garments': [" WORN("flag", "0") ", " WORN("flag", "1") "]",
                    2, "characters[1].body: the body is not like");
    expect_warnings(&files,
                    "'characters': [{'body': 'lying.obj'}, {'body': 'lying.obj'}], 'garments': "
                    "[" WORN("flag", "1") "], 'crowd': {'places': [{}, {'transform': {'scale': "
                                          "1.2}}]}",
                    1, "characters[1].body: the body is not like");
    expect_warnings(&files,
                    SHEET ", 'characters': [{'body': 'lying.obj'}, {'body': 'lying.obj', "
                          "'transform': {'scale': 100}}], 'crowd': {'rows': 3, 'columns': 4}",
                    1, "characters[1].body: the body measures 40 x 160 x 30 m");
    expect_warnings(&files,
                    SHEET ", 'characters': [{'body': 'lying.obj'}], 'crowd': {'places': [{}, "
                          "{'transform': {'scale': 100}}, {'transform': {'scale': 200}}]}",
                    1, "characters[0].body: the body measures 40 x 160 x 30 m");
    scene_files_close(&files);
}

static void unimplemented_keys_warn_once(void **state) {
    (void)state;
    scene_files files;
    scene_files_open(&files);
    vo_scene *scene = scene_files_expect(&files, scene_full, "save_every=2");
    vo_scene_destroy(scene);
    const char *sets[] = {"save_every=2", "magic.add_jitter=true"};
    files.log[0] = 0;
    assert_ok(files.ctx, vo_scene_load_at(files.ctx, files.path, 0, 2, sets, &scene));
    assert_non_null(strstr(files.log, "warning: "));
    const char *list = "not implemented, ignored: morphs, save_every, magic.add_jitter\n";
    const char *found = strstr(files.log, "not implemented");
    assert_non_null(found);
    assert_null(strstr(found + 1, "not implemented"));
    /* In the order of the tables; each name once although two cloths have it. */
    assert_int_equal(strchr(found, '\n') - found + 1, strlen(list));
    assert_non_null(strstr(found, "magic.add_jitter"));
    assert_non_null(strstr(found, "save_every"));
    assert_non_null(strstr(found, "morphs"));
    vo_scene_destroy(scene);
    scene_files_close(&files);
}

static void make_folder(scene_files *files, const char *name, char out[700]) {
    snprintf(out, 700, "%s/%s", files->folder, name);
    assert_ok(files->ctx, vo_folder_create(files->ctx, out));
}

/* The scene's folder comes first, then the working folder, the parent, and VOILE_ASSETS. */
static void files_are_searched_in_four_folders(void **state) {
    (void)state;
    scene_files files;
    scene_files_open(&files);
    char folder[700], assets[700], back[1024];
    make_folder(&files, "conf", folder);
    make_folder(&files, "assets", assets);
    assert_non_null(getcwd(back, sizeof back));
    snprintf(files.folder + strlen(files.folder), 8, "/conf");
    vo_scene *scene = scene_files_expect(&files, scene_least, NULL); /* from the parent */
    assert_non_null(strstr(scene->input[0].path, "/conf/../sheet.obj"));
    vo_scene_destroy(scene);
    files.folder[strlen(files.folder) - 5] = 0;
    assert_int_equal(chdir(files.folder), 0);
    snprintf(files.folder + strlen(files.folder), 8, "/conf");
    scene = scene_files_expect(&files, scene_least, NULL);
    assert_string_equal(scene->input[0].path, "./sheet.obj");
    vo_scene_destroy(scene);
    assert_int_equal(chdir(back), 0);
    scene_files_write(&files, "sheet.obj", scene_sheet);
    scene = scene_files_expect(&files, scene_least, NULL);
    assert_non_null(strstr(scene->input[0].path, "/conf/sheet.obj"));
    vo_scene_destroy(scene);
    files.folder[strlen(files.folder) - 5] = 0;
    snprintf(files.folder + strlen(files.folder), 8, "/assets");
    scene_files_write(&files, "rare.obj", scene_sheet);
    files.folder[strlen(files.folder) - 7] = 0;
    snprintf(files.folder + strlen(files.folder), 8, "/conf");
    scene_files_refuse(&files, scene_least, "cloths[0].mesh=rare.obj", "there is no file");
    setenv("VOILE_ASSETS", assets, 1);
    scene = scene_files_expect(&files, scene_least, "cloths[0].mesh=rare.obj");
    assert_non_null(strstr(scene->input[0].path, "/assets/rare.obj"));
    vo_scene_destroy(scene);
    unsetenv("VOILE_ASSETS");
    scene_files_close(&files);
}

static vo_result load_full(vo_context *ctx, void *arg) {
    vo_scene *scene;
    vo_result result = vo_scene_load(ctx, arg, 0, NULL, &scene);
    vo_scene_destroy(scene);
    return result;
}

static void out_of_memory_while_loading_is_reported(void **state) {
    (void)state;
    scene_files files;
    scene_files_open(&files);
    scene_files_write(&files, "part0.obj", scene_sheet);
    vo_scene_destroy(scene_files_expect(&files, scene_full, NULL));
    test_every_allocation(load_full, files.path);
    const char *pattern =
        quoted("{'fps': 25, 'obstacles': 'part%d.obj', 'overrides': [{'from_frame"
               "': 0, 'set': ['gravity=0,0,-1']}],"
               " 'motions': {'motfile': 'moves.mot', 'fps': 2},"
               " 'characters': [{'body': 'sheet.obj', 'transform': {'scale': 50}}],"
               " 'cloths': [{'mesh': 'sheet.obj', 'materials': [{'data': "
               "'cloth.json'}]}]}");
    vo_scene_destroy(scene_files_expect(&files, pattern, NULL));
    test_every_allocation(load_full, files.path);
    scene_files_close(&files);
}

/* All available ARCSim scenes load from another working folder. */
static void arcsim_scenes_load(void **state) {
    (void)state;
    static const char *const names[] = {"flag", "sphere", "square", "dress-blue"};
    if (!test_data()) skip();
    vo_context *ctx = test_context(1);
    for (int i = 0; i < 4; i++) {
        char path[1200];
        snprintf(path, sizeof path, "%s/arcsim/conf/%s.json", test_data(), names[i]);
        if (!vo_file_exists(path)) continue;
        vo_scene *scene;
        assert_ok(ctx, vo_scene_load(ctx, path, 0, NULL, &scene));
        assert_true(scene->def.frame_steps == 8 && scene->def.end_time >= 10);
        if (i == 0) assert_true(scene->def.end_time == 20 && scene->def.wind_velocity.x == 10);
        if (i == 3) assert_int_equal(scene->obstacle_count, 16);
        if (i == 3) assert_int_equal(scene->obstacle[15].motion, 15);
        vo_scene_destroy(scene);
    }
    vo_context_destroy(ctx);
}

/* Loads all scenes of a folder; returns their number. */
static int load_folder(vo_context *ctx, const char *name) {
    DIR *folder = opendir(name);
    assert_non_null(folder);
    int count = 0;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char path[1024];
        if (!strstr(entry->d_name, ".json")) continue;
        snprintf(path, sizeof path, "%s/%s", name, entry->d_name);
        vo_scene *scene;
        assert_ok(ctx, vo_scene_load(ctx, path, 0, NULL, &scene));
        assert_true(isfinite(scene->def.end_time) || isfinite(scene->def.end_frame));
        assert_true(scene->handle_count > 0 || scene->obstacle_count > 0);
        vo_scene_destroy(scene);
        count++;
    }
    closedir(folder);
    return count;
}

static void repository_scenes_load_without_warning(void **state) {
    (void)state;
    scene_files files;
    scene_files_open(&files);
    assert_in_range(load_folder(files.ctx, OWN_SCENES), 14, 100);
    assert_in_range(load_folder(files.ctx, OWN_SCENES "/upsampling"), 1, 100);
    assert_string_equal(files.log, "");
    scene_files_close(&files);
}

static int count_faces(vo_context *ctx, const char *path, int sets, const char *const *set) {
    vo_scene *scene;
    int faces = 0;
    assert_ok(ctx, vo_scene_load(ctx, path, sets, set, &scene));
    for (int i = 0; i < scene->cloth_count; i++) faces += scene->cloth[i].mesh->face_count;
    vo_scene_destroy(scene);
    return faces;
}

/* Reads a number with commas between the thousands; returns its end. */
static const char *read_count(const char *text, int *out) {
    for (*out = 0; (*text >= '0' && *text <= '9') || *text == ','; text++)
        if (*text != ',') *out = 10 * *out + (*text - '0');
    return text;
}

/* Extracts the overrides of "--set 'key=value'" from a text, in place. */
static int find_sets(char *text, const char **set, int most) {
    int count = 0;
    for (char *at = text; count < most && (at = strstr(at, "--set '")) != NULL;) {
        set[count++] = at += 7;
        at = strchr(at, '\'');
        assert_non_null(at);
        *at++ = 0;
    }
    return count;
}

/* The comments of contact scenes give refined versions: "N faces. For M add --set ...". */
static void face_counts_in_scene_comments_are_right(void **state) {
    (void)state;
    static const char *const names[] = {"drape-sphere",  "funnel", "stacked-sheets",
                                        "towel",         "ring",   "incline-hold",
                                        "incline-slide", "blade",  "crossing-spheres"};
    vo_context *ctx = test_context(1);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[1024];
        const char *set[16];
        int faces, fine;
        vo_bytes bytes;
        snprintf(path, sizeof path, "%s/%s.json", OWN_SCENES, names[i]);
        assert_ok(ctx, vo_file_read(ctx, path, &bytes));
        char *head = strstr(bytes.data, " faces. For ");
        assert_non_null(head);
        const char *first = head;
        while (strchr("0123456789,", first[-1])) first--;
        read_count(first, &faces);
        read_count(head + strlen(" faces. For "), &fine);
        strstr(head, "\n{")[0] = 0;
        assert_int_equal(count_faces(ctx, path, 0, NULL), faces);
        int sets = find_sets(head, set, 16);
        assert_true(sets > 0);
        assert_int_equal(count_faces(ctx, path, sets, set), fine);
        vo_bytes_free(ctx, &bytes);
    }
    vo_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(minimal_scene_has_all_defaults),
        cmocka_unit_test(every_key_is_accepted),
        cmocka_unit_test(wrong_types_are_named_with_path),
        cmocka_unit_test(unknown_keys_are_rejected),
        cmocka_unit_test(invalid_values_are_named_with_path),
        cmocka_unit_test(malformed_overrides_are_rejected),
        cmocka_unit_test(long_paths_are_rejected),
        cmocka_unit_test(contact_keys_set_members),
        cmocka_unit_test(scene_keys_set_members),
        cmocka_unit_test(time_keys_have_three_forms),
        cmocka_unit_test(cloths_and_materials_are_read),
        cmocka_unit_test(cloths_and_garments_have_two_sides),
        cmocka_unit_test(handles_are_read),
        cmocka_unit_test(shapes_match_api),
        cmocka_unit_test(motions_and_obstacles_are_read),
        cmocka_unit_test(file_pattern_loads_numbered_files),
        cmocka_unit_test(units_and_up_axis_convert_the_geometry),
        cmocka_unit_test(implausible_sizes_warn),
        cmocka_unit_test(implausible_body_warns),
        cmocka_unit_test(equal_implausible_bodies_warn_once),
        cmocka_unit_test(unimplemented_keys_warn_once),
        cmocka_unit_test(files_are_searched_in_four_folders),
        cmocka_unit_test(out_of_memory_while_loading_is_reported),
        cmocka_unit_test(arcsim_scenes_load),
        cmocka_unit_test(repository_scenes_load_without_warning),
        cmocka_unit_test(face_counts_in_scene_comments_are_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
