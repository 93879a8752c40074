/* View-dependent refinement of a curtain for an interactive camera. */
#include <voile/voile.h>

#include <stdio.h>
#include <stdlib.h>

/* Exits with Voile's message if a call failed. */
static void need(vo_context *ctx, vo_result result) {
    if (result == VO_OK) return;
    fprintf(stderr, "camera: %s\n", vo_context_message(ctx));
    exit(1);
}

/* A metre of cotton that hangs from its upper corners, which move towards each other; edge lengths
 * are 2 to 30 cm. */
static void add_curtain(vo_context *ctx, vo_scene *scene) {
    vo_mesh *mesh;
    vo_fabric *cotton;
    vo_fabric_def weave = vo_fabric_def_default();
    need(ctx, vo_mesh_create_grid(ctx, 1, 1, 4, 4, &mesh));
    need(ctx, vo_fabric_create(ctx, &weave, &cotton));

    vo_material_def material = vo_material_def_default();
    material.fabric = cotton;
    material.damping = 0.01;
    vo_cloth_def cloth = vo_cloth_def_default();
    cloth.mesh = mesh;
    cloth.pose.axis = (vo_vec3){1, 0, 0};
    cloth.pose.degrees = 90;
    cloth.materials = &material;
    cloth.material_count = 1;
    cloth.sides = VO_SIDEDNESS_TWO;
    cloth.remeshing.enabled = true;
    cloth.remeshing.refine_angle = 0.3;
    cloth.remeshing.size_min = 0.02;
    cloth.remeshing.size_max = 0.3;
    need(ctx, vo_scene_add_cloth(scene, &cloth, NULL));

    for (int side = 0; side < 2; side++) {
        vo_keyframe key[2] = {{.pose = vo_pose_identity()},
                              {.time = 0.5, .pose = vo_pose_identity()}};
        key[1].pose.translate.x = side ? -0.3 : 0.3;
        vo_handle_def pin = vo_handle_def_default();
        pin.nodes = (int[]){side ? 24 : 20};
        pin.node_count = 1;
        need(ctx, vo_scene_add_motion(scene, 2, key, &pin.motion));
        need(ctx, vo_scene_add_handle(scene, &pin, NULL));
    }
    vo_fabric_destroy(cotton);
    vo_mesh_destroy(mesh);
}

/* Camera of the viewer: turned away for one second, then it turns to the curtain within half a
 * second. */
static vo_camera viewer(double time) {
    double turn = time < 1 ? 1 : time < 1.5 ? 1 - 2 * (time - 1) : 0;
    vo_vec3 eye = {0.5, -3, 0.5}, target = {0.5 + 8 * turn, 3 * turn * (turn - 2), 0.5};
    return vo_camera_look_at(eye, target, (vo_vec3){0, 0, 1}, 30, 1280, 720);
}

int main(void) {
    vo_context *ctx;
    vo_scene *scene;
    vo_sim *sim;
    if (vo_context_create(NULL, &ctx) != VO_OK) return 1;
    vo_scene_def def = vo_scene_def_default();
    def.adapt = VO_ADAPT_VIEW;
    need(ctx, vo_scene_create(ctx, &def, &scene));
    add_curtain(ctx, scene);
    need(ctx, vo_sim_create(ctx, scene, &sim));

    while (vo_sim_time(sim) < 2) {
        vo_camera camera = viewer(vo_sim_time(sim)); /* current pose, before each frame */
        need(ctx, vo_sim_set_camera(sim, &camera, false));
        need(ctx, vo_sim_step_frame(sim));
        if (vo_sim_frame(sim) % 25 == 0)
            printf("%g s: %d faces\n", vo_sim_time(sim), vo_sim_get_cloth(sim, 0).face_count);
    }
    need(ctx, vo_sim_set_camera(sim, NULL, false)); /* back to the scene's own cameras */

    vo_sim_destroy(sim);
    vo_scene_destroy(scene);
    vo_context_destroy(ctx);
    return 0;
}
