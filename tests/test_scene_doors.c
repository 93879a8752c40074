/* The two doors into a scene, calls and files, let the same things in. */
#include "scene_files.h"

#include <voile/voile.h>

/* A scene made by calls: a sheet of cloth, and what it is made of. */
typedef struct made {
    vo_context *ctx;
    vo_mesh *sheet;
    vo_fabric *fabric;
    vo_scene *scene;
    vo_material_def material;
    vo_cloth_def cloth;
} made;

static made make_scene(vo_context *ctx) {
    made m = {.ctx = ctx, .material = vo_material_def_default(), .cloth = vo_cloth_def_default()};
    vo_fabric_def weave = vo_fabric_def_default();
    assert_ok(ctx, vo_mesh_create_grid(ctx, 1, 1, 2, 2, &m.sheet));
    assert_ok(ctx, vo_fabric_create(ctx, &weave, &m.fabric));
    assert_ok(ctx, vo_scene_create(ctx, NULL, &m.scene));
    m.material.fabric = m.fabric;
    m.cloth.mesh = m.sheet;
    m.cloth.material_count = 1;
    return m;
}

static void free_scene(made *m) {
    vo_scene_destroy(m->scene);
    vo_fabric_destroy(m->fabric);
    vo_mesh_destroy(m->sheet);
}

static vo_result add_cloth(made *m) {
    m->cloth.materials = &m->material;
    return vo_scene_add_cloth(m->scene, &m->cloth, NULL);
}

static void expect_said(vo_context *ctx, const char *sentence) {
    if (!strstr(vo_context_message(ctx), sentence))
        fail_msg("\"%s\" does not say \"%s\"", vo_context_message(ctx), sentence);
}

static void expect_refused(vo_context *ctx, vo_result result, const char *sentence) {
    if (result != VO_BAD_CALL) fail_msg("\"%s\": result %d", sentence, (int)result);
    expect_said(ctx, sentence);
}

static vo_result make_tetrahedron(vo_context *ctx, vo_mesh_use use, vo_mesh **out) {
    static const vo_vec3 x[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    static const int face[][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
    return vo_mesh_create(ctx, 4, x, 0, NULL, NULL, 4, face, use, out);
}

static const char tetrahedron_obj[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
                                      "f 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";

/* A closed body falls flat onto itself in material space, which only cloth has. */
static void closed_bodies_are_obstacles(void **state) {
    (void)state;
    scene_files files;
    scene_files_open(&files);
    made m = make_scene(files.ctx);
    vo_mesh *body;
    assert_int_equal(make_tetrahedron(files.ctx, VO_MESH_FOR_CLOTH, &body), VO_BAD_DATA);
    assert_null(body);
    expect_said(files.ctx, "no area in material space");
    expect_refused(files.ctx, make_tetrahedron(files.ctx, (vo_mesh_use)2, &body), "vo_mesh_use");
    assert_ok(files.ctx, make_tetrahedron(files.ctx, VO_MESH_FOR_OBSTACLE, &body));
    vo_obstacle_def obstacle = vo_obstacle_def_default();
    obstacle.mesh = body;
    assert_ok(files.ctx, vo_scene_add_obstacle(m.scene, &obstacle, NULL));
    assert_int_equal(m.scene->obstacle[0].mesh->face_count, 4);
    m.cloth.mesh = body;
    expect_refused(files.ctx, add_cloth(&m), "made for an obstacle");
    m.cloth.mesh = m.scene->obstacle[0].mesh; /* a copy remembers what it is for */
    expect_refused(files.ctx, add_cloth(&m), "made for an obstacle");
    vo_mesh_destroy(body);
    free_scene(&m);
    scene_files_close(&files);
}

static void obstacle_files_are_loaded_by_calls(void **state) {
    (void)state;
    scene_files files;
    scene_files_open(&files);
    scene_files_write(&files, "body.obj", tetrahedron_obj);
    char path[600];
    snprintf(path, sizeof path, "%s/body.obj", files.folder);
    vo_mesh *body;
    assert_int_equal(vo_mesh_load_obj(files.ctx, path, VO_MESH_FOR_CLOTH, &body), VO_BAD_DATA);
    assert_ok(files.ctx, vo_mesh_load_obj(files.ctx, path, VO_MESH_FOR_OBSTACLE, &body));
    assert_int_equal(vo_mesh_get_view(body).face_count, 4);
    vo_mesh_destroy(body);
    assert_int_equal(vo_check_mesh(files.ctx, path, VO_MESH_FOR_CLOTH, NULL, NULL), VO_BAD_DATA);
    assert_ok(files.ctx, vo_check_mesh(files.ctx, path, VO_MESH_FOR_OBSTACLE, NULL, NULL));
    scene_files_close(&files);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closed_bodies_are_obstacles),
        cmocka_unit_test(obstacle_files_are_loaded_by_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
