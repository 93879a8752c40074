/* Saves the user's mesh with new positions: its file, the grid of the scene, or the sewn garment.
 * */
#include "codec/obj.h"
#include "core/memory.h"
#include "sim/input_mesh.h"
#include "sim/sim.h"

#include <string.h>

/* The file that was read for an input of the scene, by its stored name. */
static const char *input_path(const vo_scene *scene, const char *stored) {
    for (int i = 0; i < scene->input_count; i++)
        if (strcmp(scene->input[i].stored, stored) == 0) return scene->input[i].path;
    return NULL;
}

/* Returns the object of the document that describes a cloth: garments come after `cloths`. */
static vo_json_cursor description_of(const vo_json_cursor *root, int cloth) {
    vo_json_cursor cloths = vo_json_get(root, "cloths"), garments = vo_json_get(root, "garments");
    int count = vo_json_length(cloths);
    return cloth < count ? vo_json_item(&cloths, cloth) : vo_json_item(&garments, cloth - count);
}

/* The cloth's mesh file, NULL where it was sewn, or made from a grid or by calls. */
static const char *mesh_path(const vo_scene *scene, int cloth) {
    if (!scene->resolved.root) return NULL;
    vo_json_cursor root = vo_json_root(&scene->resolved), at = description_of(&root, cloth);
    const char *stored = NULL;
    (void)vo_json_read_string(vo_json_get(&at, "mesh"), &stored);
    return stored ? input_path(scene, stored) : NULL;
}

/* The grid of a cloth as the scene describes it; the scene's own mesh may be a finer one. */
static vo_result make_grid(const vo_scene *scene, vo_json_cursor grid, vo_mesh **out) {
    double width = 0, height = 0;
    int columns = 0, rows = 0;
    VO_TRY(vo_json_read_real(vo_json_get(&grid, "width"), &width));
    VO_TRY(vo_json_read_real(vo_json_get(&grid, "height"), &height));
    VO_TRY(vo_json_read_int(vo_json_get(&grid, "columns"), &columns));
    VO_TRY(vo_json_read_int(vo_json_get(&grid, "rows"), &rows));
    return vo_mesh_create_grid(scene->ctx, width, height, columns, rows, out);
}

/* A mesh without a file: a grid, a sewn garment, or one handed over by a program. */
static vo_result make_mesh(const vo_scene *scene, int cloth, vo_mesh **out) {
    const vo_scene_cloth *c = &scene->cloth[cloth];
    if (!scene->resolved.root || c->garment) return vo_mesh_copy(scene->ctx, c->mesh, out);
    vo_json_cursor root = vo_json_root(&scene->resolved), at = description_of(&root, cloth);
    return make_grid(scene, vo_json_get(&at, "grid"), out);
}

static vo_result save_made(const vo_scene *scene, int cloth, const vo_vec3 *x, const vo_vec3 *v,
                           const char *path) {
    vo_mesh *mesh;
    VO_TRY(make_mesh(scene, cloth, &mesh));
    VO_REQUIRE(scene->ctx, mesh->node_count <= scene->cloth[cloth].mesh->node_count);
    memcpy(mesh->node_x, x, (size_t)mesh->node_count * sizeof *x);
    memcpy(mesh->node_v, v, (size_t)mesh->node_count * sizeof *v);
    vo_result result = vo_obj_save(scene->ctx, mesh, path);
    vo_mesh_destroy(mesh);
    return result;
}

vo_result vo_input_mesh_save(const vo_sim *sim, int cloth, vo_surface_kind surface,
                             const char *path) {
    const vo_scene *scene = sim->scene;
    int count = scene->cloth[cloth].mesh->node_count;
    vo_vec3 *x = vo_new_array(sim->ctx, vo_vec3, 2 * (size_t)count);
    if (!x) return vo_fail_memory(sim->ctx, path);
    vo_vec3 *v = x + count;
    vo_result result = vo_sim_sample_input_mesh(sim, cloth, surface, count, x, v);
    const char *from = mesh_path(scene, cloth);
    if (result == VO_OK)
        result = from ? vo_obj_rewrite(sim->ctx, from, count, x, v, path)
                      : save_made(scene, cloth, x, v, path);
    vo_free_array(sim->ctx, x, 2 * (size_t)count);
    return result;
}
