/* Adds cloth to the scene: checks materials, places the mesh and sets its initial velocity. */
#include "core/memory.h"
#include "math/bounds.h"
#include "mesh/refine.h"
#include "mesh/validate.h"
#include "scene/build.h"

vo_material_def vo_material_def_default(void) {
    return (vo_material_def){.density_mult = 1,
                             .stretching_mult = 1,
                             .bending_mult = 1,
                             .stretch_min = -INFINITY,
                             .stretch_max = INFINITY};
}

vo_remeshing_def vo_remeshing_def_default(void) {
    return (vo_remeshing_def){.refine_angle = INFINITY,
                              .refine_compression = INFINITY,
                              .refine_velocity = INFINITY,
                              .size_min = -INFINITY,
                              .size_max = INFINITY,
                              .aspect_min = -INFINITY,
                              .outline_tolerance = NAN,
                              .flip_threshold = 0.01,
                              .rib_stiffening = 1,
                              .compensation_power = 10};
}

vo_cloth_def vo_cloth_def_default(void) {
    return (vo_cloth_def){.pose = vo_pose_identity(), .remeshing = vo_remeshing_def_default()};
}

/* Returns a message about an invalid material, or NULL. */
static const char *material_defect(const vo_material *m) {
    if (!m->fabric) return "it has no fabric";
    if (!vo_is_positive(m->density_mult)) return "density_mult must be positive";
    if (!vo_is_positive(m->stretching_mult)) return "stretching_mult must be positive";
    if (!vo_is_nonnegative(m->bending_mult)) return "bending_mult must be at least 0";
    if (!vo_is_nonnegative(m->damping)) return "damping must be at least 0";
    if (!vo_is_end_time(-m->stretch_min)) return "stretch_min must be a number or minus infinity";
    if (!vo_is_end_time(m->stretch_max)) return "stretch_max must be a number or infinity";
    if (m->stretch_min > m->stretch_max)
        return "the strain limits are reversed: stretch_min exceeds stretch_max";
    if (!(m->stretch_max > 0)) return "the upper strain limit, stretch_max, must be positive";
    return NULL;
}

static vo_result check_materials(vo_context *ctx, const vo_cloth_parts *parts) {
    if (parts->material_count < 1) return vo_fail(ctx, VO_BAD_ARGUMENT, "a cloth needs a material");
    for (int i = 0; i < parts->material_count; i++) {
        const char *defect = material_defect(&parts->material[i]);
        if (defect) return vo_fail(ctx, VO_BAD_ARGUMENT, "material %d: %s", i, defect);
    }
    return VO_OK;
}

static vo_result check_labels(vo_context *ctx, const vo_mesh *mesh, int material_count) {
    for (int f = 0; f < mesh->face_count; f++)
        if (mesh->face_label[f] < 0 || mesh->face_label[f] >= material_count)
            return vo_fail(ctx, VO_BAD_ARGUMENT,
                           "face %d has label %d, which names a material, but there %s only %d", f,
                           mesh->face_label[f], material_count == 1 ? "is" : "are", material_count);
    return VO_OK;
}

/* Transforms the nodes to the world, together with their velocities. */
static void place_nodes(vo_mesh *mesh, vo_transform t) {
    for (int n = 0; n < mesh->node_count; n++) {
        mesh->node_x[n] = xf_point(t, mesh->node_x[n]);
        mesh->node_v[n] = xf_vector(t, mesh->node_v[n]);
        if (mesh->node_y) mesh->node_y[n] = xf_point(t, mesh->node_y[n]);
    }
}

/* Scales the material space with the cloth, so that scaling causes no strain. */
static void scale_material(vo_mesh *mesh, double scale) {
    for (int v = 0; v < mesh->vert_count; v++) mesh->vert_u[v] = v2_scale(scale, mesh->vert_u[v]);
    if (!mesh->face_curvature) return;
    for (int f = 0; f < mesh->face_count; f++)
        for (int i = 0; i < 4; i++) mesh->face_curvature[f][i] /= scale;
}

/* Adds v + w x (x - origin) to the velocities of the mesh file. */
static void add_velocity(vo_mesh *mesh, const vo_cloth_parts *p) {
    for (int n = 0; n < mesh->node_count; n++) {
        vo_vec3 arm = v3_sub(mesh->node_x[n], p->velocity_origin);
        vo_vec3 v = v3_add(p->linear_velocity, v3_cross(p->angular_velocity, arm));
        mesh->node_v[n] = v3_add(mesh->node_v[n], v);
    }
}

/* Returns a message about an invalid definition, or NULL. */
static const char *remeshing_defect(const vo_remeshing_def *r) {
    if (!(r->refine_angle >= 0)) return "refine_angle must be at least 0";
    if (!(r->refine_compression >= 0)) return "refine_compression must be at least 0";
    if (!(r->refine_velocity >= 0)) return "refine_velocity must be at least 0";
    if (!(r->size_max > 0)) return "size_max must be positive";
    if (!(r->size_min <= r->size_max)) return "size_min must not exceed size_max";
    if (!(r->aspect_min <= 1)) return "aspect_min must be at most 1";
    if (r->outline_tolerance < 0) return "outline_tolerance must be at least 0";
    if (!vo_is_nonnegative(r->flip_threshold)) return "flip_threshold must be at least 0";
    if (!vo_is_nonnegative(r->rib_stiffening)) return "rib_stiffening must be at least 0";
    if (!(r->compensation_power >= 1 && isfinite(r->compensation_power)))
        return "compensation_power must be a number of at least 1";
    if (r->compensation != VO_COMPENSATE_NONE && !isfinite(r->size_max))
        return "compensation needs a longest edge, size_max";
    return NULL;
}

/* Diagonal of the bounding box in material space, m. */
static double fabric_extent(const vo_mesh *m) {
    vo_vec2 low = v2(INFINITY, INFINITY), high = v2(-INFINITY, -INFINITY);
    for (int v = 0; v < m->vert_count; v++) {
        low = v2(vo_min(low.x, m->vert_u[v].x), vo_min(low.y, m->vert_u[v].y));
        high = v2(vo_max(high.x, m->vert_u[v].x), vo_max(high.y, m->vert_u[v].y));
    }
    return v2_length(v2_sub(high, low));
}

/* Fills in the defaults that depend on the cloth. */
static vo_remeshing_def complete_remeshing(const vo_scene *scene, const vo_cloth_parts *p) {
    vo_remeshing_def r = p->remeshing;
    r.enabled = r.enabled && scene->def.adapt != VO_ADAPT_NONE;
    if (!(r.size_min > 0)) r.size_min = vo_min(1e-3 * fabric_extent(p->mesh), r.size_max);
    if (isnan(r.outline_tolerance)) r.outline_tolerance = 0.1 * r.size_min;
    return r;
}

/* With VO_ADAPT_NONE the mesh is refined uniformly to the shortest edge. */
static vo_result refine(const vo_scene *scene, vo_cloth_parts *p) {
    if (!p->remeshing.enabled || scene->def.adapt != VO_ADAPT_NONE) return VO_OK;
    if (scene->def.engine == VO_ENGINE_REALTIME) return VO_OK; /* it refines base meshes itself */
    if (!(p->remeshing.size_min > 0)) {
        vo_log_line(scene->ctx, VO_LOG_WARNING,
                    "cloth %d is not refined, since its remeshing has no shortest edge",
                    scene->cloth_count);
        return VO_OK;
    }
    int levels = vo_mesh_refine_levels(p->mesh, p->remeshing.size_min);
    return vo_mesh_refine(&p->mesh, levels);
}

static vo_result check_velocity(vo_context *ctx, const vo_cloth_parts *p) {
    const char *bad = !v3_is_bounded(p->linear_velocity)    ? "linear_velocity"
                      : !v3_is_bounded(p->angular_velocity) ? "angular_velocity"
                      : !v3_is_bounded(p->velocity_origin)  ? "velocity_origin"
                                                            : NULL;
    if (!bad) return VO_OK;
    return vo_fail(ctx, VO_BAD_ARGUMENT, "%s must be three numbers up to " VO_MAX_NUMBER_TEXT, bad);
}

/* Checks that the placed mesh can be simulated: positions, velocities, areas. */
static vo_result check_placed(vo_context *ctx, const vo_mesh *mesh) {
    for (int n = 0; n < mesh->node_count; n++)
        if (!v3_is_bounded(mesh->node_v[n]))
            return vo_fail(ctx, VO_BAD_ARGUMENT, "the velocity of node %d is out of bounds", n);
    for (int v = 0; v < mesh->vert_count; v++)
        if (!v2_is_bounded(mesh->vert_u[v]))
            return vo_fail(ctx, VO_BAD_ARGUMENT,
                           "the material position of node %d is out of bounds", mesh->vert_node[v]);
    for (int f = 0; f < mesh->face_count; f++)
        if (!(vo_mesh_face_area(mesh, f) > VO_MESH_MIN_AREA))
            return vo_fail(ctx, VO_BAD_ARGUMENT,
                           "the area of face %d, %g m^2 after scaling, is too small", f,
                           vo_mesh_face_area(mesh, f));
    return VO_OK;
}

static vo_result check_use(vo_context *ctx, const vo_mesh *mesh) {
    if (mesh->use == VO_MESH_FOR_CLOTH) return VO_OK;
    return vo_fail(ctx, VO_BAD_ARGUMENT,
                   "the mesh was created for an obstacle; create it with VO_MESH_FOR_CLOTH");
}

vo_result vo_scene_adopt_cloth(vo_scene *scene, vo_cloth_parts *parts, int *id) {
    vo_context *ctx = scene->ctx;
    VO_TRY(check_use(ctx, parts->mesh));
    VO_TRY(check_materials(ctx, parts));
    VO_TRY(check_labels(ctx, parts->mesh, parts->material_count));
    VO_TRY(vo_scene_check_placement(ctx, parts->mesh, parts->placement));
    VO_TRY(check_velocity(ctx, parts));
    const char *defect = remeshing_defect(&parts->remeshing);
    if (defect) return vo_fail(ctx, VO_BAD_ARGUMENT, "remeshing: %s", defect);
    if ((unsigned)parts->sides > VO_SIDEDNESS_TWO)
        return vo_fail(ctx, VO_BAD_ARGUMENT, "sides: %d is not one of vo_sidedness",
                       (int)parts->sides);
    place_nodes(parts->mesh, parts->placement);
    scale_material(parts->mesh, parts->placement.scale);
    add_velocity(parts->mesh, parts);
    VO_TRY(check_placed(ctx, parts->mesh));
    VO_TRY(refine(scene, parts));
    if (!vo_reserve(ctx, &scene->cloth, &scene->cloth_capacity, scene->cloth_count + 1))
        return vo_fail_memory(ctx, "a cloth");
    scene->cloth[scene->cloth_count] =
        (vo_scene_cloth){.mesh = parts->mesh,
                         .material_count = parts->material_count,
                         .material = parts->material,
                         .remeshing = complete_remeshing(scene, parts),
                         .sides = parts->sides};
    if (id) *id = scene->cloth_count;
    scene->cloth_count++;
    *parts = (vo_cloth_parts){0};
    return VO_OK;
}

void vo_cloth_parts_free(vo_context *ctx, vo_cloth_parts *parts) {
    vo_mesh_destroy(parts->mesh);
    for (int i = 0; i < parts->material_count; i++) vo_fabric_destroy(parts->material[i].fabric);
    vo_free_array(ctx, parts->material, parts->material_count);
    *parts = (vo_cloth_parts){0};
}

static vo_result copy_material(vo_context *ctx, const vo_material_def *def, vo_material *out) {
    *out = (vo_material){NULL,         def->density_mult, def->stretching_mult, def->bending_mult,
                         def->damping, def->stretch_min,  def->stretch_max};
    return def->fabric ? vo_fabric_copy(ctx, def->fabric, &out->fabric) : VO_OK;
}

vo_result vo_cloth_parts_copy_materials(vo_context *ctx, int count,
                                        const vo_material_def *materials, vo_cloth_parts *parts) {
    parts->material = vo_alloc_zero(ctx, vo_array_bytes((size_t)count, sizeof *parts->material));
    if (!parts->material) return vo_fail_memory(ctx, "materials");
    parts->material_count = count;
    for (int i = 0; i < count; i++) VO_TRY(copy_material(ctx, &materials[i], &parts->material[i]));
    return VO_OK;
}

vo_result vo_material_create(vo_context *ctx, const vo_material_def *def, vo_material *out) {
    vo_result result = copy_material(ctx, def, out);
    const char *defect = result == VO_OK ? material_defect(out) : NULL;
    if (defect) result = vo_fail(ctx, VO_BAD_ARGUMENT, "%s", defect);
    if (result == VO_OK) return VO_OK;
    vo_fabric_destroy(out->fabric);
    out->fabric = NULL;
    return result;
}

/* Copies the parts that the scene will own; on failure `parts` holds those copied before. */
static vo_result copy_parts(vo_context *ctx, const vo_cloth_def *def, vo_cloth_parts *parts) {
    VO_TRY(vo_cloth_parts_copy_materials(ctx, def->material_count, def->materials, parts));
    return vo_mesh_copy(ctx, def->mesh, &parts->mesh);
}

vo_result vo_scene_add_cloth(vo_scene *scene, const vo_cloth_def *def, int *id) {
    vo_context *ctx = scene->ctx;
    if (!def || !def->mesh) return vo_fail(ctx, VO_BAD_ARGUMENT, "a cloth needs a mesh");
    if (def->material_count < 1 || !def->materials)
        return vo_fail(ctx, VO_BAD_ARGUMENT, "a cloth needs a material");
    VO_TRY(vo_scene_check_pose(ctx, def->pose));
    vo_cloth_parts parts = {.placement = vo_pose_transform(def->pose),
                            .linear_velocity = def->linear_velocity,
                            .angular_velocity = def->angular_velocity,
                            .velocity_origin = def->velocity_origin,
                            .remeshing = def->remeshing,
                            .sides = def->sides};
    vo_result result = copy_parts(ctx, def, &parts);
    if (result == VO_OK) result = vo_scene_adopt_cloth(scene, &parts, id);
    if (result != VO_OK) vo_cloth_parts_free(ctx, &parts);
    return result;
}
