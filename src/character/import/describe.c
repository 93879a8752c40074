/* Lists the contents of a character file (vo_character_file_get_info). */
#include "character/import/build.h"

#include <string.h>

/* Names point into the character and the raw file. */
struct vo_character_file_memory {
    vo_character character;
    vo_raw_file file;
};

static const char *last_component(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

/* An OBJ file is one mesh. */
static vo_result describe_obj(vo_character *c, const char *path, vo_character_file_info *out) {
    vo_character_mesh_info *mesh;
    char *name;
    VO_TRY(vo_import_array(c, 1, sizeof *mesh, &mesh));
    VO_TRY(vo_import_text(c, last_component(path), &name));
    *mesh = (vo_character_mesh_info){name, c->face_count, c->node_count, 0};
    out->meshes = mesh;
    out->mesh_count = 1;
    return VO_OK;
}

static vo_result describe_meshes(vo_character *c, const vo_raw_file *file,
                                 vo_character_file_info *out) {
    vo_character_mesh_info *mesh;
    VO_TRY(vo_import_array(c, file->mesh_count, sizeof *mesh, &mesh));
    for (int64_t i = 0; i < file->mesh_count; i++) {
        const vo_raw_mesh *raw = &file->mesh[i];
        mesh[i] = (vo_character_mesh_info){raw->name, (int)raw->face_count, (int)raw->vertex_count,
                                           (int)raw->bone_count};
    }
    out->meshes = mesh;
    out->mesh_count = (int)file->mesh_count;
    return VO_OK;
}

/* Marks the joints that a mesh is bound to; returns false if there are none. */
static bool mark_bound_joints(const vo_raw_file *file, vo_character_joint_info *joint) {
    bool found = false;
    for (int64_t m = 0; m < file->mesh_count; m++) {
        for (int64_t b = 0; b < file->mesh[m].bone_count; b++) {
            joint[file->mesh[m].bone[b].node].is_bone = true;
            found = true;
        }
    }
    return found;
}

static void mark_moved_joints(const vo_character *c, vo_character_joint_info *joint) {
    for (int i = 0; i < c->clip_count; i++) {
        for (int k = 0; k < c->clip[i].track_count; k++) {
            joint[c->clip[i].track[k].joint].is_bone = true;
        }
    }
    for (int i = 0; i < c->camera_count; i++) joint[c->camera[i].joint].is_bone = false;
}

static vo_result describe_joints(vo_character *c, const vo_raw_file *file,
                                 vo_character_file_info *out) {
    vo_character_joint_info *joint;
    VO_TRY(vo_import_array(c, c->joint_count, sizeof *joint, &joint));
    for (int i = 0; i < c->joint_count; i++) {
        int parent = c->joint[i].parent;
        joint[i] = (vo_character_joint_info){c->joint[i].name, parent,
                                             parent < 0 ? 0 : joint[parent].depth + 1, false};
    }
    if (!mark_bound_joints(file, joint)) mark_moved_joints(c, joint);
    for (int i = 0; i < c->joint_count; i++) out->bone_count += joint[i].is_bone;
    out->joints = joint;
    out->joint_count = c->joint_count;
    return VO_OK;
}

/* Time of a key in s; every kind of key begins with it. */
static double key_time(const void *keys, int index, size_t key_size) {
    double time;
    memcpy(&time, (const char *)keys + (size_t)index * key_size, sizeof time);
    return time;
}

/* Sets key_count and fps from these keys if they are more than those counted before. */
static void count_keys(vo_character_clip_info *info, int count, const void *keys, size_t key_size) {
    if (count <= info->key_count) return;
    info->key_count = count;
    double length = key_time(keys, count - 1, key_size) - key_time(keys, 0, key_size);
    info->fps = length > 0 ? (count - 1) / length : 0;
}

static vo_result describe_clips(vo_character *c, vo_character_file_info *out) {
    vo_character_clip_info *info;
    VO_TRY(vo_import_array(c, c->clip_count, sizeof *info, &info));
    for (int i = 0; i < c->clip_count; i++) {
        const vo_joint_clip *clip = &c->clip[i];
        info[i].name = clip->name;
        info[i].duration = clip->duration;
        info[i].track_count = clip->track_count;
        for (int k = 0; k < clip->track_count; k++) {
            const vo_joint_track *track = &clip->track[k];
            count_keys(&info[i], track->translation_count, track->translation,
                       sizeof *track->translation);
            count_keys(&info[i], track->rotation_count, track->rotation, sizeof *track->rotation);
            count_keys(&info[i], track->scale_count, track->scale, sizeof *track->scale);
        }
    }
    out->clips = info;
    out->clip_count = c->clip_count;
    return VO_OK;
}

static vo_result describe_cameras(vo_character *c, vo_character_file_info *out) {
    vo_character_camera_info *info;
    VO_TRY(vo_import_array(c, c->camera_count, sizeof *info, &info));
    for (int i = 0; i < c->camera_count; i++) {
        const vo_import_camera *camera = &c->camera[i];
        info[i] =
            (vo_character_camera_info){camera->name, camera->fov_y * 180 / VO_PI, camera->aspect};
    }
    out->cameras = info;
    out->camera_count = c->camera_count;
    return VO_OK;
}

static void add_point(vo_vec3 bounds[2], vo_vec3 p) {
    bounds[0] = v3_min(bounds[0], p);
    bounds[1] = v3_max(bounds[1], p);
}

static vo_result measure_bounds(vo_character *c, vo_character_file_info *out) {
    if (c->node_count == 0 && c->joint_count == 0) return VO_OK;
    vo_vec3 bounds[2] = {v3(INFINITY, INFINITY, INFINITY), v3(-INFINITY, -INFINITY, -INFINITY)};
    for (int n = 0; n < c->node_count; n++) add_point(bounds, c->node_x[n]);
    if (c->node_count == 0) {
        vo_affine *joint;
        VO_TRY(vo_import_array(c, c->joint_count, sizeof *joint, &joint));
        vo_character_pose(c, NULL, 0, VO_CLIP_HOLD, joint);
        for (int j = 0; j < c->joint_count; j++) add_point(bounds, joint[j].offset);
    }
    out->bounds[0] = bounds[0];
    out->bounds[1] = bounds[1];
    out->height = bounds[1].z - bounds[0].z;
    return VO_OK;
}

static void describe_space(const vo_import_space *space, vo_character_file_info *out) {
    out->format = space->format;
    out->metres_per_unit = space->unit;
    out->unit_is_assumed = !space->unit_known;
    out->up_axis = space->up;
    out->up_axis_is_assumed = !space->up_known;
}

static void describe_ignored(const vo_raw_ignored *ignored, const vo_import_counts *counts,
                             vo_character_file_info *out) {
    out->point_mesh_count = (int)ignored->point_meshes;
    out->line_mesh_count = (int)ignored->line_meshes;
    out->other_mesh_count = (int)ignored->other_meshes;
    out->morph_target_count = (int)ignored->morph_targets;
    out->orthographic_camera_count = (int)counts->orthographic_cameras;
}

static vo_result describe_scene(vo_context *ctx, const char *path, vo_import_space *space,
                                vo_character_file_info *out) {
    vo_character *c = &out->memory->character;
    vo_raw_file *file = &out->memory->file;
    vo_import_options options = vo_import_options_default();
    vo_import_counts counts = {0};
    VO_TRY(vo_import_read(ctx, path, options.timeout, space, file));
    c->world = vo_import_world(space, &file->axes, &options);
    VO_TRY(vo_import_build(file, path, c, &counts));
    VO_TRY(describe_meshes(c, file, out));
    VO_TRY(describe_joints(c, file, out));
    VO_TRY(describe_clips(c, out));
    VO_TRY(describe_cameras(c, out));
    describe_ignored(&file->ignored, &counts, out);
    return VO_OK;
}

static vo_result describe_static(const char *path, const vo_import_space *space,
                                 vo_character_file_info *out) {
    vo_character *c = &out->memory->character;
    vo_import_options options = vo_import_options_default();
    vo_import_counts counts = {0};
    c->world = vo_import_world(space, NULL, &options);
    VO_TRY(vo_import_obj(path, c, &counts));
    return describe_obj(c, path, out);
}

static vo_result describe(vo_context *ctx, const char *path, vo_character_file_info *out) {
    vo_import_space space;
    VO_TRY(vo_import_inspect(ctx, path, &space));
    VO_TRY(strcmp(space.format, "OBJ") == 0 ? describe_static(path, &space, out)
                                            : describe_scene(ctx, path, &space, out));
    describe_space(&space, out);
    return measure_bounds(&out->memory->character, out);
}

vo_result vo_character_file_get_info(vo_context *ctx, const char *path,
                                     vo_character_file_info *out) {
    *out = (vo_character_file_info){0};
    out->memory = vo_new(ctx, struct vo_character_file_memory);
    if (out->memory == NULL) return vo_fail_memory(ctx, path);
    out->memory->character.ctx = ctx;
    vo_arena_init(&out->memory->character.memory, ctx);
    vo_result result = describe(ctx, path, out);
    if (result != VO_OK) vo_character_file_info_free(out);
    return result;
}

void vo_character_file_info_free(vo_character_file_info *info) {
    if (info->memory == NULL) return;
    vo_context *ctx = info->memory->character.ctx;
    vo_character_free(&info->memory->character);
    if (info->memory->file.bytes.data != NULL) vo_raw_file_free(ctx, &info->memory->file);
    vo_delete(ctx, info->memory);
    *info = (vo_character_file_info){0};
}
