/* A cotton square pinned at two corners falls and swings for two seconds. */
#include <voile/voile.h>

#include <stdio.h>
#include <stdlib.h>

/* Exits with Voile's message if a call failed. */
static void need(vo_context *ctx, vo_result result) {
    if (result == VO_OK) return;
    fprintf(stderr, "hello: %s\n", vo_context_message(ctx));
    exit(1);
}

int main(void) {
    vo_context *ctx;
    if (vo_context_create(NULL, &ctx) != VO_OK) return 1;

    /* The cloth: a horizontal square metre of 20 x 20 cells. */
    vo_mesh *mesh;
    vo_fabric *cotton;
    vo_fabric_def weave = vo_fabric_def_default();
    need(ctx, vo_mesh_create_grid(ctx, 1, 1, 20, 20, &mesh));
    need(ctx, vo_fabric_create(ctx, &weave, &cotton));

    /* The scene: gravity and still air, the cloth, and a handle on two of its corners. */
    vo_scene *scene;
    need(ctx, vo_scene_create(ctx, NULL, &scene));

    vo_material_def material = vo_material_def_default();
    material.fabric = cotton;
    vo_cloth_def cloth = vo_cloth_def_default();
    cloth.mesh = mesh;
    cloth.materials = &material;
    cloth.material_count = 1;
    need(ctx, vo_scene_add_cloth(scene, &cloth, NULL));

    vo_handle_def pins = vo_handle_def_default();
    pins.nodes = (int[]){0, 20};
    pins.node_count = 2;
    need(ctx, vo_scene_add_handle(scene, &pins, NULL));

    /* The simulation: step it, then read where the nodes are. */
    vo_sim *sim;
    need(ctx, vo_sim_create(ctx, scene, &sim));
    while (vo_sim_time(sim) < 2) need(ctx, vo_sim_step_frame(sim));

    vo_mesh_view view = vo_sim_get_cloth(sim, 0);
    vo_vec3 lowest = view.node_x[0];
    for (int i = 1; i < view.node_count; i++)
        if (view.node_x[i].z < lowest.z) lowest = view.node_x[i];
    printf("The lowest point is at (%.2f, %.2f, %.2f) m.\n", lowest.x, lowest.y, lowest.z);

    vo_sim_destroy(sim);
    vo_scene_destroy(scene);
    vo_fabric_destroy(cotton);
    vo_mesh_destroy(mesh);
    vo_context_destroy(ctx);
    return 0;
}
