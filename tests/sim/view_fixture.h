/* Fixture for view-dependent simulations: a curtain and a camera. */
#ifndef VOILE_TESTS_VIEW_FIXTURE_H
#define VOILE_TESTS_VIEW_FIXTURE_H

#include "support.h"

#include "sim/sim.h"

/* A curtain that folds because its upper corners approach each other, and a camera that looks away
 * until frame CUT. */
enum { CUT = 15, FRAMES = 20 };
static const double FRAME = 0.04;

typedef struct world {
    vo_context *ctx;
    vo_scene *scene;
    vo_sim *sim;
} world;

static inline void add_curtain(world *w) {
    vo_mesh *mesh;
    vo_fabric *fabric;
    mesh = test_grid(w->ctx, 1, 1, 4, 4);
    vo_fabric_def cotton = vo_fabric_def_default();
    assert_ok(w->ctx, vo_fabric_create(w->ctx, &cotton, &fabric));
    vo_material_def material = vo_material_def_default();
    material.fabric = fabric;
    material.damping = 0.01;
    vo_cloth_def cloth = vo_cloth_def_default();
    cloth.mesh = mesh;
    cloth.pose.degrees = 90;
    cloth.pose.axis = v3(1, 0, 0);
    cloth.material_count = 1;
    cloth.materials = &material;
    cloth.remeshing.enabled = true;
    cloth.remeshing.refine_angle = 0.3;
    cloth.remeshing.refine_compression = 0.01;
    cloth.remeshing.size_min = 0.02;
    cloth.remeshing.size_max = 0.3;
    assert_ok(w->ctx, vo_scene_add_cloth(w->scene, &cloth, NULL));
    vo_mesh_destroy(mesh);
    vo_fabric_destroy(fabric);
}

/* Moves the upper corners together within half a second. */
static inline void add_handles(world *w) {
    for (int side = 0; side < 2; side++) {
        vo_keyframe key[2] = {{.time = 0, .pose = vo_pose_identity()},
                              {.time = 0.5, .pose = vo_pose_identity()}};
        key[1].pose.translate.x = side ? -0.3 : 0.3;
        vo_handle_def handle = vo_handle_def_default();
        int node = side ? 24 : 20;
        handle.node_count = 1;
        handle.nodes = &node;
        assert_ok(w->ctx, vo_scene_add_motion(w->scene, 2, key, &handle.motion));
        assert_ok(w->ctx, vo_scene_add_handle(w->scene, &handle, NULL));
    }
}

static inline void add_camera(world *w) {
    vo_camera_key key[2] = {
        {.position = {0.5, -3, 0.5}, .has_target = true, .target = {0.5, -9, 0.5}, .fov_y = 30},
        {.time = CUT * FRAME,
         .cut = true,
         .position = {0.5, -3, 0.5},
         .has_target = true,
         .target = {0.5, 0, 0.5},
         .fov_y = 30}};
    vo_camera_def camera = vo_camera_def_default();
    camera.key_count = 2;
    camera.keys = key;
    assert_ok(w->ctx, vo_scene_add_camera(w->scene, &camera, NULL));
}

static inline world open_world(vo_adapt adapt, double anticipation, bool with_camera, int threads) {
    world w = {.ctx = test_context(threads)};
    vo_scene_def def = vo_scene_def_default();
    def.frame_time = FRAME;
    def.frame_steps = 4;
    def.adapt = adapt;
    def.view.anticipation = anticipation;
    def.view.min_edge_pixels = 0;
    def.view.two_sided = true;
    assert_ok(w.ctx, vo_scene_create(w.ctx, &def, &w.scene));
    add_curtain(&w);
    add_handles(&w);
    if (with_camera) add_camera(&w);
    assert_ok(w.ctx, vo_sim_create(w.ctx, w.scene, &w.sim));
    return w;
}

static inline void close_world(world *w) {
    vo_sim_destroy(w->sim);
    vo_scene_destroy(w->scene);
    vo_context_destroy(w->ctx);
}

static inline int faces_of(const world *w) { return w->sim->cloth[0].mesh->face_count; }

#endif
