/* Obstacles as bodies of the real-time library: rigid meshes that follow a transform, meshes whose
 * vertices are set for every pose, or capsules on bones. */
#include "character/body_private.h"
#include "core/file.h"
#include "core/plural.h"
#include "realtime/realtime_private.h"

static bool is_static(const vo_scene_obstacle *o) {
    return o->body ? !o->body->has_motion : o->motion < 0;
}

/* Positions of the bind pose: rigid motions keep their scale, which is part of the mesh. */
static double scale_of(const vo_sim *sim, int i) {
    double scale = vo_sim_motion_pose(sim, sim->scene->obstacle[i].motion, vo_sim_now(sim)).scale;
    return scale > 0 ? scale : 1;
}

static vo_rt_transform pose_of(const vo_sim *sim, int i, double t) {
    return vo_rt_transform_of(vo_sim_motion_pose(sim, sim->scene->obstacle[i].motion, t));
}

static vo_rt_matrix matrix_of(vo_affine a) {
    vo_rt_matrix m;
    const double offset[3] = {a.offset.x, a.offset.y, a.offset.z};
    for (int i = 0; i < 3; i++) {
        m.m[4 * i] = (float)a.linear.row[i].x;
        m.m[4 * i + 1] = (float)a.linear.row[i].y;
        m.m[4 * i + 2] = (float)a.linear.row[i].z;
        m.m[4 * i + 3] = (float)offset[i];
    }
    return m;
}

static vo_result set_bones(vo_realtime *r, int i, double t) {
    vo_realtime_body *b = &r->body[i];
    vo_body_eval_bones(&r->sim->obstacle[i].follower, t, b->motion);
    for (int k = 0; k < b->bone_count; k++) b->bone[k] = matrix_of(b->motion[k]);
    return vo_rt_body_set_bones(b->body, b->bone_count, b->bone);
}

static bool has_bones(const vo_scene *scene, int i) {
    return scene->obstacle[i].body && vo_body_bone_count(scene->obstacle[i].body) > 0;
}

bool vo_realtime_has_capsules(const vo_scene *scene, int i) {
    return scene->def.realtime.bodies == VO_REALTIME_CAPSULES && has_bones(scene, i);
}

/* Fails because obstacle i is not a body; `defect` states why. Names the character and its file. */
static vo_result fail_unsuitable(vo_context *ctx, const vo_scene *scene, int i,
                                 const char *defect) {
    char name[VO_PATH_SIZE + 40];
    const vo_body *body = scene->obstacle[i].body;
    int c = scene->character_count - 1;
    while (c >= 0 && scene->character[c].obstacle != i) c--;
    snprintf(name, sizeof name, "obstacle %d", i);
    if (c >= 0 && body)
        snprintf(name, sizeof name, "characters[%d]%s%s%s", c, body->path ? " (" : "",
                 body->path ? body->path : "", body->path ? ")" : "");
    return vo_fail(ctx, VO_BAD_DATA,
                   "%s is not suitable for the engine realtime: %s; %sclose its surface with "
                   "outward normals, or set engine to quality",
                   name, defect,
                   has_bones(scene, i) ? "set realtime.bodies to \"capsules\", " : "");
}

static vo_result fail_body(const vo_realtime *r, vo_result result, int i) {
    if (result == VO_NO_MEMORY) return vo_fail_memory(r->ctx, "a body");
    return fail_unsuitable(r->ctx, r->sim->scene, i, vo_rt_world_message(r->world));
}

/* Number of boundary edges; *first is one of them. */
static int count_boundary_edges(const vo_mesh *mesh, int *first) {
    int count = 0;
    for (int e = mesh->edge_count - 1; e >= 0; e--)
        if (mesh->edge_face[e][1] < 0) count++, *first = e;
    return count;
}

vo_result vo_realtime_check_scene(vo_context *ctx, const vo_scene *scene) {
    for (int i = 0; i < scene->obstacle_count; i++) {
        const vo_mesh *mesh = scene->obstacle[i].mesh;
        char defect[320];
        int e = 0, count = vo_realtime_has_capsules(scene, i) ? 0 : count_boundary_edges(mesh, &e);
        if (count == 0) continue;
        vo_vec3 x = v3_scale(
            0.5, v3_add(mesh->node_x[mesh->edge_node[e][0]], mesh->node_x[mesh->edge_node[e][1]]));
        snprintf(defect, sizeof defect,
                 "its surface is open, with %s, the first at (%.4g, %.4g, "
                 "%.4g) m",
                 vo_count_words(count, "boundary edge", "boundary edges").s, x.x, x.y, x.z);
        return fail_unsuitable(ctx, scene, i, defect);
    }
    return VO_OK;
}

/* Body of capsules on bones. */
static vo_result create_capsules(vo_realtime *r, int i) {
    enum { MAX_CAPSULES = 512 };
    const vo_scene_obstacle *o = &r->sim->scene->obstacle[i];
    vo_realtime_body *b = &r->body[i];
    vo_rt_body_def def = vo_rt_body_def_default();
    b->bone_count = vo_body_bone_count(o->body);
    b->bone = vo_new_array(r->ctx, vo_rt_matrix, b->bone_count);
    b->motion = vo_new_array(r->ctx, vo_affine, b->bone_count);
    vo_rt_shape *shape = vo_new_array(r->ctx, vo_rt_shape, MAX_CAPSULES);
    vo_result result =
        b->bone && b->motion && shape
            ? vo_realtime_fit_capsules(r->ctx, o->body, MAX_CAPSULES, shape, &def.shape_count)
            : vo_fail_memory(r->ctx, "a body");
    def.shapes = shape;
    def.bone_count = b->bone_count;
    def.offset = (float)r->sim->scene->def.realtime.offset;
    if (result == VO_OK) result = vo_rt_body_create(r->world, &def, &b->body);
    vo_free_array(r->ctx, shape, MAX_CAPSULES);
    if (result == VO_OK) return set_bones(r, i, vo_sim_now(r->sim));
    return result == VO_NO_MEMORY ? result : fail_body(r, result, i);
}

static vo_result create_body(vo_realtime *r, int i) {
    const vo_scene_obstacle *o = &r->sim->scene->obstacle[i];
    const vo_mesh *mesh = r->sim->obstacle[i].mesh;
    vo_realtime_body *b = &r->body[i];
    vo_rt_body_def def = vo_rt_body_def_default();
    b->is_static = is_static(o);
    if (vo_realtime_has_capsules(r->sim->scene, i)) return create_capsules(r, i);
    b->by_vertices = !b->is_static && (o->body || !r->sim->obstacle[i].rigid);
    b->vertex = vo_new_array(r->ctx, vo_rt_vec3, mesh->node_count);
    int32_t *triangle = vo_new_array(r->ctx, int32_t, 3 * mesh->face_count);
    if (!b->vertex || !triangle) {
        vo_free_array(r->ctx, triangle, 3 * mesh->face_count);
        return vo_fail_memory(r->ctx, "a body");
    }
    bool moves = !b->is_static && !b->by_vertices;
    double scale = moves ? scale_of(r->sim, i) : 1;
    for (int n = 0; n < mesh->node_count; n++)
        b->vertex[n] = vo_rt_vec3_of(moves ? v3_scale(scale, o->mesh->node_x[n]) : mesh->node_x[n]);
    for (int k = 0; k < 3 * mesh->face_count; k++)
        triangle[k] = vo_mesh_face_node(mesh, k / 3, k % 3);
    def.vertex_count = mesh->node_count;
    def.positions = b->vertex;
    def.triangle_count = mesh->face_count;
    def.triangles = triangle;
    def.vertices_by_host = b->by_vertices;
    def.offset = (float)r->sim->scene->def.realtime.offset;
    if (moves) def.transform = pose_of(r->sim, i, vo_sim_now(r->sim));
    vo_result result = vo_rt_body_create(r->world, &def, &b->body);
    vo_free_array(r->ctx, triangle, 3 * mesh->face_count);
    return result == VO_OK ? VO_OK : fail_body(r, result, i);
}

vo_result vo_realtime_create_bodies(vo_realtime *r) {
    int count = r->sim->scene->obstacle_count;
    for (int i = 0; i < count; i++) {
        VO_TRY(vo_check_cancel(r->ctx));
        VO_TRY(create_body(r, i));
        vo_report_work(r->ctx, "creating bodies", i + 1, count);
    }
    return VO_OK;
}

void vo_realtime_free_bodies(vo_realtime *r) {
    for (int i = 0; i < r->sim->scene->obstacle_count; i++) {
        vo_free_array(r->ctx, r->body[i].vertex, r->sim->obstacle[i].mesh->node_count);
        vo_free_array(r->ctx, r->body[i].bone, r->body[i].bone_count);
        vo_free_array(r->ctx, r->body[i].motion, r->body[i].bone_count);
    }
    vo_free_array(r->ctx, r->body, r->sim->scene->obstacle_count);
}

/* Moves the mesh of the simulation to time t. */
static void place_obstacle(vo_sim *sim, int i, double t) {
    vo_obstacle_state *o = &sim->obstacle[i];
    const vo_mesh *rest = sim->scene->obstacle[i].mesh;
    if (sim->scene->obstacle[i].body) {
        vo_body_eval_positions(&o->follower, t, o->mesh->node_x);
        return;
    }
    o->pose = vo_sim_motion_pose(sim, sim->scene->obstacle[i].motion, t);
    if (!(o->pose.scale > 0)) o->pose.scale = 1;
    for (int n = 0; n < rest->node_count; n++)
        o->mesh->node_x[n] = xf_point(o->pose, rest->node_x[n]);
}

/* Bodies that move faster than the scene's teleport_speed teleport. */
static bool has_teleported(const vo_realtime *r, int i, double dt) {
    vo_realtime_body *b = &r->body[i];
    const vo_mesh *mesh = r->sim->obstacle[i].mesh;
    vo_vec3 center = v3_zero();
    for (int n = 0; n < mesh->node_count; n++) center = v3_add(center, mesh->node_x[n]);
    center = v3_scale(1.0 / vo_max_int(mesh->node_count, 1), center);
    double speed = b->has_center && dt > 0 ? v3_distance(center, b->center) / dt : 0;
    b->center = center;
    b->has_center = true;
    return speed > r->sim->scene->def.teleport_speed;
}

static vo_result set_vertices(vo_realtime *r, int i) {
    vo_realtime_body *b = &r->body[i];
    const vo_mesh *mesh = r->sim->obstacle[i].mesh;
    for (int n = 0; n < mesh->node_count; n++) b->vertex[n] = vo_rt_vec3_of(mesh->node_x[n]);
    return vo_rt_body_set_vertices(b->body, &b->vertex[0].x, sizeof *b->vertex);
}

static vo_result pose_body(vo_realtime *r, int i, double t, double dt) {
    vo_obstacle_state *o = &r->sim->obstacle[i];
    vo_realtime_body *b = &r->body[i];
    bool was_present = o->present;
    o->present = vo_sim_obstacle_exists(r->sim, i, t);
    VO_TRY(vo_rt_body_set_enabled(b->body, o->present));
    if (b->is_static || !o->present) return VO_OK;
    place_obstacle(r->sim, i, t);
    bool teleports = has_teleported(r, i, dt) || !was_present;
    if (teleports) VO_TRY(vo_rt_body_teleport(b->body));
    if (b->bone_count > 0) return set_bones(r, i, t);
    return b->by_vertices ? set_vertices(r, i)
                          : vo_rt_body_set_transform(b->body, pose_of(r->sim, i, t));
}

vo_result vo_realtime_pose_bodies(vo_realtime *r, double t, double dt) {
    for (int i = 0; i < r->sim->obstacle_count; i++) {
        vo_result result = pose_body(r, i, t, dt);
        if (result != VO_OK) return vo_realtime_fail(r, result, "obstacle", i);
    }
    return VO_OK;
}
