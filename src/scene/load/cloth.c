/* Cloths of a scene file: mesh, grid or cone, materials, placement and velocity. */
#include "codec/obj.h"
#include "core/memory.h"
#include "scene/build.h"
#include "scene/keys.h"
#include "scene/load/load.h"

static vo_result load_mesh(vo_loader *loader, const vo_json_cursor *cloth, vo_mesh **out) {
    char path[VO_PATH_SIZE];
    VO_TRY(vo_loader_file(loader, cloth, "mesh", path));
    return vo_at_fault(vo_json_get(cloth, "mesh"),
                       vo_obj_load(loader->ctx, path, VO_MESH_FOR_CLOTH, out));
}

static vo_result make_grid(vo_loader *loader, const vo_json_cursor *cloth, vo_grid_size *size,
                           vo_mesh **out) {
    enum { MAX_CELLS = 1000000 };
    vo_json_cursor grid = vo_json_get(cloth, "grid");
    *size = (vo_grid_size){vo_get_int(&grid, "columns", 0), vo_get_int(&grid, "rows", 0)};
    if ((double)size->columns * size->rows > MAX_CELLS)
        return vo_json_fail(grid, "%d columns and %d rows exceed the limit of %d cells",
                            size->columns, size->rows, MAX_CELLS);
    return vo_at_fault(grid, vo_mesh_create_grid(loader->ctx, vo_get_real(&grid, "width"),
                                                 vo_get_real(&grid, "height"), size->columns,
                                                 size->rows, out));
}

static vo_result make_cone(vo_loader *loader, const vo_json_cursor *cloth, vo_mesh **out) {
    vo_json_cursor at = vo_json_get(cloth, "cone");
    vo_cone_def def = {.top_radius = vo_get_real(&at, "top_radius"),
                       .bottom_radius = vo_get_real(&at, "bottom_radius"),
                       .length = vo_get_real(&at, "length"),
                       .angle = vo_get_real(&at, "angle"),
                       .depth = vo_get_real(&at, "depth"),
                       .vertices = vo_get_int(&at, "vertices", 0),
                       .rings = vo_get_int(&at, "rings", 0)};
    return vo_at_fault(at, vo_mesh_create_cone(loader->ctx, &def, out));
}

static vo_result load_shape(vo_loader *loader, const vo_json_cursor *cloth, vo_grid_size *size,
                            vo_mesh **out) {
    bool has_mesh = vo_has(cloth, "mesh"), has_grid = vo_has(cloth, "grid");
    bool has_cone = vo_has(cloth, "cone");
    *size = (vo_grid_size){0, 0};
    if (has_mesh + has_grid + has_cone > 1)
        return vo_json_fail(vo_json_get(cloth, has_grid ? "grid" : "cone"), "%s exclude each other",
                            !has_cone   ? "mesh and grid"
                            : !has_grid ? "mesh and cone"
                                        : "grid and cone");
    if (!has_mesh && !has_grid && !has_cone)
        return vo_json_fail(vo_json_get(cloth, "mesh"),
                            "is missing; a cloth needs a mesh, a grid or a cone");
    if (has_cone) return make_cone(loader, cloth, out);
    return has_mesh ? load_mesh(loader, cloth, out) : make_grid(loader, cloth, size, out);
}

/* Keys of a uniform sheet of an isotropic solid (ARCSim 0.3.1). */
static const char *const solid_keys[] = {"thickness", "density", "elastic_modulus",
                                         "poisson_ratio"};
enum { SOLID_KEYS = sizeof solid_keys / sizeof *solid_keys };

/* Creates the fabric of a uniform sheet. */
static vo_result make_solid(vo_loader *loader, const vo_json_cursor *at, vo_fabric **out) {
    for (int i = 0; i < SOLID_KEYS; i++)
        if (!vo_has(at, solid_keys[i]))
            return vo_json_fail(vo_json_get(at, i == 0 ? "data" : solid_keys[i]),
                                i == 0 ? "is missing: a material needs a fabric file, or "
                                         "thickness, density, elastic_modulus and poisson_ratio"
                                       : "is missing; a material without data needs it");
    vo_solid solid = {vo_get_real(at, "thickness"), vo_get_real(at, "density"),
                      vo_get_real(at, "elastic_modulus"), vo_get_real(at, "poisson_ratio")};
    return vo_at_fault(*at, vo_fabric_from_solid(loader->ctx, &solid, out));
}

static vo_result load_fabric(vo_loader *loader, const vo_json_cursor *at, vo_fabric **out) {
    bool has_data = vo_has(at, "data"), has_fabric = vo_has(at, "fabric");
    if (has_data && has_fabric)
        return vo_json_fail(vo_json_get(at, "fabric"), "data and fabric exclude each other");
    if (!has_data && !has_fabric) return make_solid(loader, at, out);
    const char *key = has_data ? "data" : "fabric";
    for (int i = 0; i < SOLID_KEYS; i++)
        if (vo_has(at, solid_keys[i])) vo_warn_ignored(at, solid_keys[i], "there is a fabric file");
    char path[VO_PATH_SIZE];
    VO_TRY(vo_loader_file(loader, at, key, path));
    return vo_at_fault(vo_json_get(at, key), vo_fabric_load(loader->ctx, path, out));
}

/* Reads two limits; infinite if absent. */
static void read_limits(const vo_json_cursor *object, const char *key, double *low, double *high) {
    vo_json_cursor at = vo_json_get(object, key);
    *low = -INFINITY;
    *high = INFINITY;
    (void)vo_json_read_real_or_inf(vo_json_item(&at, 0), low);
    (void)vo_json_read_real_or_inf(vo_json_item(&at, 1), high);
}

static vo_result load_material(vo_loader *loader, vo_json_cursor at, vo_material *out) {
    double thicken = vo_get_real(&at, "thicken");
    *out = (vo_material){.density_mult = thicken * vo_get_real(&at, "density_mult"),
                         .stretching_mult = thicken * vo_get_real(&at, "stretching_mult"),
                         .bending_mult = thicken * vo_get_real(&at, "bending_mult"),
                         .damping = vo_get_real(&at, "damping")};
    read_limits(&at, "strain_limits", &out->stretch_min, &out->stretch_max);
    return load_fabric(loader, &at, &out->fabric);
}

vo_result vo_load_materials(vo_loader *loader, vo_json_cursor at, vo_cloth_parts *parts) {
    int count = vo_json_length(at);
    parts->material =
        vo_alloc_zero(loader->ctx, vo_array_bytes((size_t)count, sizeof(vo_material)));
    if (!parts->material) return vo_fail_memory(loader->ctx, "materials");
    parts->material_count = count;
    for (int i = 0; i < count; i++)
        VO_TRY(load_material(loader, vo_json_item(&at, i), &parts->material[i]));
    return VO_OK;
}

static void read_velocity(const vo_loader *loader, const vo_json_cursor *cloth,
                          vo_cloth_parts *parts) {
    vo_json_cursor at = vo_json_get(cloth, "velocity");
    parts->linear_velocity = xf_vector(loader->frame, vo_get_vec3(&at, "linear"));
    parts->angular_velocity = q_rotate(loader->frame.rotation, vo_get_vec3(&at, "angular"));
    parts->velocity_origin = xf_vector(loader->frame, vo_get_vec3(&at, "origin"));
}

/* Checks `size`, which is size_min and size_max in calls. */
static vo_result check_size(const vo_json_cursor *remeshing, const vo_remeshing_def *r) {
    vo_json_cursor size = vo_json_get(remeshing, "size");
    if (!(r->size_max > 0))
        return vo_json_fail(size, "the longest edge, %g m, must be positive", r->size_max);
    if (r->compensation != VO_COMPENSATE_NONE && !isfinite(r->size_max))
        return vo_json_fail(size, "compensation needs a longest edge; set [shortest, longest], "
                                  "for example [0.01, 0.1]");
    return VO_OK;
}

vo_result vo_load_remeshing(const vo_loader *loader, const vo_json_cursor *cloth,
                            vo_remeshing_def *out) {
    vo_json_cursor root = vo_json_root(loader->doc), magic = vo_json_get(&root, "magic");
    vo_json_cursor at = vo_json_get(cloth, "remeshing");
    vo_remeshing_def r = *out = vo_remeshing_def_default();
    if (!vo_json_is_present(at)) return VO_OK;
    r.enabled = true;
    r.refine_angle = vo_get_limit(&at, "refine_angle", INFINITY);
    r.refine_compression = vo_get_limit(&at, "refine_compression", INFINITY);
    r.refine_velocity = vo_get_limit(&at, "refine_velocity", INFINITY);
    r.aspect_min = vo_get_limit(&at, "aspect_min", -INFINITY);
    r.outline_tolerance = vo_get_limit(&at, "outline_tolerance", NAN);
    read_limits(&at, "size", &r.size_min, &r.size_max);
    r.compensation = (vo_compensation)vo_get_word(&at, "compensation", vo_compensation_words);
    r.compensation_power = vo_get_real(&at, "compensation_power");
    r.flip_threshold = vo_get_real(&magic, "edge_flip_threshold");
    r.rib_stiffening = vo_get_real(&magic, "rib_stiffening");
    r.add_metrics = !vo_get_bool(&magic, "combine_tensors");
    *out = r;
    return check_size(&at, &r);
}

vo_sidedness vo_load_sides(const vo_json_cursor *cloth) {
    if (!vo_has(cloth, "two_sided")) return VO_SIDEDNESS_INHERIT;
    return vo_get_bool(cloth, "two_sided") ? VO_SIDEDNESS_TWO : VO_SIDEDNESS_ONE;
}

static vo_result read_parts(vo_loader *loader, const vo_json_cursor *at, vo_grid_size *grid,
                            vo_cloth_parts *parts) {
    VO_TRY(load_shape(loader, at, grid, &parts->mesh));
    VO_TRY(vo_load_materials(loader, vo_json_get(at, "materials"), parts));
    parts->placement = xf_mul(loader->frame, vo_pose_transform(vo_get_pose(at, "transform")));
    read_velocity(loader, at, parts);
    parts->sides = vo_load_sides(at);
    return vo_load_remeshing(loader, at, &parts->remeshing);
}

static void warn_implausible_size(const vo_loader *loader, vo_json_cursor at, const vo_mesh *mesh) {
    static const vo_usual_size usual = {"cloth", "cloth", 0.01, 30}; /* fingernail to big top */
    char path[256], text[VO_SIZE_WARNING_TEXT];
    bool has_units = loader->frame.scale != 1; /* of the scene */
    if (!vo_size_is_implausible(mesh, &usual, has_units, text)) return;
    vo_json_path(at, path, sizeof path);
    vo_log_line(at.ctx, VO_LOG_WARNING, "%s%s: %s: %s", at.file, vo_json_origin(at), path, text);
}

static vo_result load_cloth(vo_loader *loader, vo_json_cursor at, vo_grid_size *grid) {
    vo_cloth_parts parts = {0};
    vo_scene *scene = loader->scene;
    vo_result result = read_parts(loader, &at, grid, &parts);
    if (result == VO_OK) result = vo_at_fault(at, vo_scene_adopt_cloth(scene, &parts, NULL));
    vo_cloth_parts_free(loader->ctx, &parts);
    if (result == VO_OK)
        warn_implausible_size(loader, at, scene->cloth[scene->cloth_count - 1].mesh);
    return result;
}

vo_result vo_load_cloths(vo_loader *loader, vo_json_cursor cloths) {
    int count = vo_json_length(cloths);
    if (!vo_reserve(loader->ctx, &loader->grid, &loader->grid_capacity, count))
        return vo_fail_memory(loader->ctx, "cloths");
    for (int i = 0; i < count; i++) {
        VO_TRY(vo_check_cancel(loader->ctx));
        VO_TRY(load_cloth(loader, vo_json_item(&cloths, i), &loader->grid[i]));
        vo_report_work(loader->ctx, "loading cloths", i + 1, count);
    }
    return VO_OK;
}
