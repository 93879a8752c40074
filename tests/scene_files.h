/* Scene files for tests: written to a folder with the mesh, fabric and motion that they name, and
 * loaded with the log kept. */
#ifndef VOILE_TESTS_SCENE_FILES_H
#define VOILE_TESTS_SCENE_FILES_H

#include "support.h"

#include "core/file.h"
#include "scene/scene.h"

#include <stdio.h>
#include <string.h>

typedef struct scene_files {
    vo_context *ctx;
    char folder[512];
    char path[600];  /* path of the last scene written */
    char log[16384]; /* log lines of the last load, "warning: ..." or "info: ..." */
} scene_files;

/* A unit square of four faces around node 4; nodes 0 and 1 have label 3. */
static const char scene_sheet[] = "v 0 0 0\nnl 3\nv 1 0 0\nnl 3\nv 1 1 0\nv 0 1 0\nv 0.5 0.5 0\n"
                                  "vt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nvt 0.5 0.5\n"
                                  "f 1/1 2/2 5/5\nf 2/2 3/3 5/5\nf 3/3 4/4 5/5\nf 4/4 1/1 5/5\n";
static const char scene_fabric[] =
    "{\"density\": 0.2, \"stretching\": {\"warp\": 100, \"weft\": 90, \"poisson\": 0.2, "
    "\"shear\": 40}, \"bending\": {\"warp\": 1e-5, \"weft\": 2e-5, \"bias\": 1e-5}}";
static const char scene_moves[] = "NumFrames: 2\np\n0 0 0\n1 2 3\n\no\n1 0 0 0\n1 0 0 0\n";

/* A minimal scene. */
static const char scene_least[] =
    "{\"frame_time\": 0.04, \"cloths\": [{\"mesh\": \"sheet.obj\", \"materials\": [{\"data\": "
    "\"cloth.json\"}]}]}";

/* A scene with one object of each kind. */
static const char scene_full[] =
    "// a comment\n"
    "{\"frame_time\": 0.04, \"frame_steps\": 8, \"end_time\": 2, \"end_frame\": 40,\n"
    " \"cloths\": [\n"
    "  {\"mesh\": \"sheet.obj\", \"transform\": {\"translate\": [0, 0, 1]},\n"
    "   \"velocity\": {\"linear\": [1, 0, 0]}, \"remeshing\": {\"size\": [0.01, 0.2]},\n"
    "   \"materials\": [{\"data\": \"cloth.json\", \"damping\": 0.01}]},\n"
    "  {\"grid\": {\"width\": 2, \"height\": 1, \"columns\": 4, \"rows\": 3},\n"
    "   \"materials\": [{\"thickness\": 1e-3, \"density\": 500, \"elastic_modulus\": 1e6,\n"
    "                  \"poisson_ratio\": 0.3}]}],\n"
    " \"motions\": [[{\"time\": 0, \"velocity\": {\"translate\": [1, 0, 0]}},\n"
    "              {\"time\": 2, \"transform\": {\"translate\": [0, 0, 5], \"rotate\": [90, 0, 0, "
    "1],\n"
    "                                         \"scale\": 2}}]],\n"
    " \"handles\": [{\"nodes\": [2, 3], \"motion\": 0}, {\"label\": 3, \"end_time\": 1},\n"
    "  {\"type\": \"glue\", \"nodes\": [0, 1]},\n"
    "  {\"type\": \"soft\", \"center\": [0, 0, 1], \"radius\": 0.2, \"motion\": 0},\n"
    "  {\"type\": \"circle\", \"label\": 3, \"circumference\": 1, \"u\": [1, 0],\n"
    "   \"center\": [0, 0, 0], \"axis0\": [1, 0, 0], \"axis1\": [0, 1, 0]},\n"
    "  {\"cloth\": 1, \"corners\": [0, 2]}, {\"cloth\": 1, \"edge\": \"top\"}],\n"
    " \"obstacles\": [{\"mesh\": \"sheet.obj\", \"motion\": 0, \"end_time\": 3},\n"
    "               {\"mesh\": \"block.obj\", \"transform\": {\"scale\": 0.1}},\n"
    "               {\"shape\": {\"type\": \"sphere\", \"radius\": 0.2}}],\n"
    " \"characters\": [{\"body\": {\"files\": [\"sheet.obj\"]}, \"motion\": {\"fps\": 50},\n"
    "   \"transform\": {\"translate\": [0, 2, 0]}, \"end_time\": 4}], \"preroll\": 0.2,\n"
    " \"garments\": [{\"mesh\": \"sheet.obj\", \"materials\": [{\"data\": \"cloth.json\"}]}],\n"
    " \"camera\": {\"keys\": [{\"time\": 0, \"position\": [0, -3, 1], \"target\": [0, 0, 1]},\n"
    "   {\"frame\": 9, \"cut\": true, \"position\": [1, 0, 0], \"rotation\": [1, 0, 0, 0]}]},\n"
    " \"cameras\": [{\"name\": \"side\", \"position\": [3, 0, 1], \"target\": [0, 0, 1],\n"
    "   \"motion\": 0, \"fov_y\": 25},\n"
    "  {\"name\": \"sun\", \"position\": [9, 9, 9], \"target\": [0, 0, 0], \"light\": true}],\n"
    " \"shots\": [{\"time\": 1, \"camera\": \"side\"}],\n"
    " \"morphs\": [{\"targets\": [\"sheet.obj\"],\n"
    "             \"spline\": [{\"time\": 0, \"target\": 0, \"stiffness\": 1}]}],\n"
    " \"gravity\": [0, 0, -9.8], \"wind\": {\"velocity\": [1, 2, 3]}, \"friction\": 0.5,\n"
    " \"realtime\": {\"levels\": 2, \"fans\": [{\"speed\": 4}]}, \"upsampling\": {\"cloth\": 0},\n"
    " \"disable\": [\"collision\", \"remeshing\"], \"solver\": {\"tolerance\": 1e-6},\n"
    " \"magic\": {\"handle_stiffness\": 500, \"repulsion_thickness\": 0.005},\n"
    " \"overrides\": [{\"from_frame\": 3, \"set\": [\"gravity=[0,0,-5]\"]}]}\n";

static inline void scene_files_log(void *user, vo_log_level level, const char *text) {
    scene_files *files = user;
    size_t length = strlen(files->log);
    snprintf(files->log + length, sizeof files->log - length, "%s: %s\n",
             level == VO_LOG_WARNING ? "warning" : "info", text);
}

static inline void scene_files_write(scene_files *files, const char *name, const char *text) {
    char path[600];
    snprintf(path, sizeof path, "%.500s/%.80s", files->folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
}

/* Writes sheet.obj, block.obj, cloth.json and moves.mot into a new folder. */
static inline void scene_files_open(scene_files *files) {
    vo_context_def def = vo_context_def_default();
    def.log = scene_files_log;
    def.log_user = files;
    def.threads = 1;
    memset(files, 0, sizeof *files);
    assert_int_equal(vo_context_create(&def, &files->ctx), VO_OK);
    snprintf(files->folder, sizeof files->folder, "%s", test_folder());
    scene_files_write(files, "sheet.obj", scene_sheet);
    scene_files_write(files, "block.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    scene_files_write(files, "cloth.json", scene_fabric);
    scene_files_write(files, "moves.mot", scene_moves);
}

static inline void scene_files_close(scene_files *files) { vo_context_destroy(files->ctx); }

/* Writes the text as scene.json and loads it; `set` may be NULL. */
static inline vo_result scene_files_load(scene_files *files, const char *text, const char *set,
                                         vo_scene **out) {
    scene_files_write(files, "scene.json", text);
    snprintf(files->path, sizeof files->path, "%s/scene.json", files->folder);
    files->log[0] = 0;
    return vo_scene_load_at(files->ctx, files->path, 0, set ? 1 : 0, &set, out);
}

static inline vo_scene *scene_files_expect(scene_files *files, const char *text, const char *set) {
    vo_scene *scene;
    assert_ok(files->ctx, scene_files_load(files, text, set, &scene));
    return scene;
}

/* Loading must fail with VO_BAD_DATA; the message must name the file and contain `message`. */
static inline void scene_files_refuse(scene_files *files, const char *text, const char *set,
                                      const char *message) {
    vo_scene *scene;
    vo_result result = scene_files_load(files, text, set, &scene);
    const char *actual = vo_context_message(files->ctx);
    if (result != VO_BAD_DATA || scene)
        fail_msg("%s: result %d, expected \"%s\"", set ? set : text, (int)result, message);
    bool names_file = strstr(actual, "/scene.json: ") ||
                      strstr(actual, "/scene.json (overridden by the caller): ") ||
                      strstr(actual, "/scene.json (partly overridden by the caller): ");
    if (!strstr(actual, message) || !names_file)
        fail_msg("%s: \"%s\" does not contain \"%s\"", set ? set : text, actual, message);
}

/* Same bits, so that 0 and -0 differ and equal infinities do not. */
#define assert_same(a, b) assert_memory_equal(&(a), &(b), sizeof(a))

#define assert_same_array(a, b, count)                                       \
    do {                                                                     \
        assert_int_equal((a) == NULL, (b) == NULL);                          \
        if (a) assert_memory_equal((a), (b), (size_t)(count) * sizeof *(a)); \
    } while (0)

static inline void assert_same_def(const vo_scene_def *a, const vo_scene_def *b) {
    assert_same(a->frame_time, b->frame_time);
    assert_int_equal(a->frame_steps, b->frame_steps);
    assert_same(a->end_time, b->end_time);
    assert_same(a->end_frame, b->end_frame);
    assert_same(a->preroll, b->preroll);
    assert_int_equal(a->start_frame, b->start_frame);
    assert_same(a->gravity, b->gravity);
    assert_same(a->wind_density, b->wind_density);
    assert_same(a->wind_velocity, b->wind_velocity);
    assert_same(a->wind_drag, b->wind_drag);
    assert_same(a->repulsion_thickness, b->repulsion_thickness);
    assert_same(a->projection_thickness, b->projection_thickness);
    assert_same(a->collision_stiffness, b->collision_stiffness);
    assert_same(a->friction, b->friction);
    assert_same(a->obstacle_friction, b->obstacle_friction);
    assert_int_equal(a->disable, b->disable);
    assert_same(a->handle_stiffness, b->handle_stiffness);
    assert_int_equal(a->solver, b->solver);
    assert_same(a->solver_tolerance, b->solver_tolerance);
    assert_int_equal(a->solver_max_iterations, b->solver_max_iterations);
}

/* Both scenes have no body, or bodies with equal positions at all times. */
static inline void assert_same_body(const vo_body *a, const vo_body *b) {
    assert_int_equal(a == NULL, b == NULL);
    if (!a) return;
    int count = vo_body_rest_mesh(a)->node_count;
    vo_body_evaluator p, q;
    vo_context *ctx = test_context(1);
    vo_vec3 *x = test_malloc(2 * (size_t)count * sizeof *x);
    assert_ok(ctx, vo_body_evaluator_init(ctx, a, &p));
    assert_ok(ctx, vo_body_evaluator_init(ctx, b, &q));
    for (int i = -3; i < 10; i++) {
        vo_body_eval_positions(&p, 0.07 * i, x);
        vo_body_eval_positions(&q, 0.07 * i, x + count);
        assert_memory_equal(x, x + count, (size_t)count * sizeof *x);
    }
    test_free(x);
    vo_body_evaluator_free(&p);
    vo_body_evaluator_free(&q);
    vo_context_destroy(ctx);
}

static inline void assert_same_mesh(const vo_mesh *a, const vo_mesh *b) {
    assert_int_equal(a->node_count, b->node_count);
    assert_int_equal(a->vert_count, b->vert_count);
    assert_int_equal(a->edge_count, b->edge_count);
    assert_int_equal(a->face_count, b->face_count);
    assert_same_array(a->node_x, b->node_x, a->node_count);
    assert_same_array(a->node_v, b->node_v, a->node_count);
    assert_same_array(a->node_y, b->node_y, a->node_count);
    assert_same_array(a->node_label, b->node_label, a->node_count);
    assert_same_array(a->vert_u, b->vert_u, a->vert_count);
    assert_same_array(a->vert_node, b->vert_node, a->vert_count);
    assert_same_array(a->edge_node, b->edge_node, a->edge_count);
    assert_same_array(a->edge_rest_angle, b->edge_rest_angle, a->edge_count);
    assert_same_array(a->face_vert, b->face_vert, a->face_count);
    assert_same_array(a->face_label, b->face_label, a->face_count);
}

static inline void assert_same_material(const vo_material *a, const vo_material *b) {
    assert_same(a->density_mult, b->density_mult);
    assert_same(a->stretching_mult, b->stretching_mult);
    assert_same(a->bending_mult, b->bending_mult);
    assert_same(a->damping, b->damping);
    assert_same(a->stretch_min, b->stretch_min);
    assert_same(a->stretch_max, b->stretch_max);
    assert_same(a->fabric->density, b->fabric->density);
    assert_same(a->fabric->linear, b->fabric->linear);
    assert_same(a->fabric->bend, b->fabric->bend);
    for (int i = 0; i < 27; i++) {
        vo_sym2 strain = {i % 3 * 0.2 - 0.1, i / 3 % 3 * 0.2 - 0.1, i / 9 * 0.2 - 0.1};
        vo_stiffness p = vo_fabric_stiffness(a->fabric, strain);
        vo_stiffness q = vo_fabric_stiffness(b->fabric, strain);
        assert_same(p, q);
    }
}

static inline void assert_same_cloth(const vo_scene_cloth *a, const vo_scene_cloth *b) {
    assert_same_mesh(a->mesh, b->mesh);
    assert_int_equal(a->material_count, b->material_count);
    for (int i = 0; i < a->material_count; i++)
        assert_same_material(&a->material[i], &b->material[i]);
    assert_same(a->remeshing, b->remeshing);
}

static inline void assert_same_handle(const vo_handle_def *a, const vo_handle_def *b) {
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->cloth, b->cloth);
    assert_int_equal(a->label, b->label);
    assert_int_equal(a->node_count, b->node_count);
    assert_same_array(a->nodes, b->nodes, a->node_count);
    assert_int_equal(a->motion, b->motion);
    assert_same(a->start, b->start);
    assert_same(a->end, b->end);
    assert_same(a->fade, b->fade);
    assert_same(a->stiffness, b->stiffness);
    assert_same(a->circumference, b->circumference);
    assert_same(a->circle_u, b->circle_u);
    assert_same(a->center, b->center);
    assert_same(a->axis0, b->axis0);
    assert_same(a->axis1, b->axis1);
    assert_same(a->radius, b->radius);
}

/* Compares positions at times around 1 s, and the times of cuts. */
static inline void assert_same_cameras(const vo_scene *a, const vo_scene *b) {
    assert_int_equal(a->camera_count, b->camera_count);
    assert_int_equal(a->shot_count, b->shot_count);
    for (int i = 0; i < a->camera_count; i++) {
        assert_string_equal(a->camera[i].name, b->camera[i].name);
        assert_int_equal(a->camera[i].light, b->camera[i].light);
        assert_same(a->camera[i].front, b->camera[i].front);
        assert_int_equal(vo_scene_camera_cuts(a, i, -1e9, 1e9, 0, NULL),
                         vo_scene_camera_cuts(b, i, -1e9, 1e9, 0, NULL));
        for (int k = 0; k < 20; k++) {
            vo_camera p = vo_scene_eval_camera(a, i, 0.07 * k),
                      q = vo_scene_eval_camera(b, i, 0.07 * k);
            assert_same(p, q);
        }
    }
}

/* Asserts that both scenes are equal bit for bit. */
static inline void assert_same_scene(const vo_scene *a, const vo_scene *b) {
    assert_same_def(&a->def, &b->def);
    assert_int_equal(a->cloth_count, b->cloth_count);
    assert_int_equal(a->motion_count, b->motion_count);
    assert_int_equal(a->handle_count, b->handle_count);
    assert_int_equal(a->obstacle_count, b->obstacle_count);
    assert_same_cameras(a, b);
    for (int i = 0; i < a->cloth_count; i++) assert_same_cloth(&a->cloth[i], &b->cloth[i]);
    for (int i = 0; i < a->motion_count; i++) {
        assert_int_equal(a->motion[i].key_count, b->motion[i].key_count);
        assert_same_array(a->motion[i].key, b->motion[i].key, a->motion[i].key_count);
    }
    for (int i = 0; i < a->handle_count; i++)
        assert_same_handle(&a->handle[i].def, &b->handle[i].def);
    for (int i = 0; i < a->obstacle_count; i++) {
        const vo_scene_obstacle *p = &a->obstacle[i], *q = &b->obstacle[i];
        assert_same_mesh(p->mesh, q->mesh);
        assert_int_equal(p->motion, q->motion);
        assert_same(p->start, q->start);
        assert_same(p->end, q->end);
        assert_same_body(p->body, q->body);
    }
}

#endif
