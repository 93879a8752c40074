#include "character_info.h"

#include "json_out.h"
#include "message.h"
#include "text.h"

#include <string.h>
#include <strings.h>

bool is_character_file(const char *path) {
    static const char *const endings[] = {".glb", ".gltf", ".fbx", ".dae", ".bvh", ".obj"};
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof endings / sizeof *endings; i++)
        if (strcasecmp(dot, endings[i]) == 0) return true;
    return false;
}

static const char *axis_name(vo_up_axis axis) {
    return axis == VO_UP_X ? "x" : axis == VO_UP_Y ? "y" : "z";
}

/* ---- JSON ----------------------------------------------------------------------------------- */

static void vector_json(json_out *j, const char *key, vo_vec3 v) {
    json_open(j, key, '[');
    json_real(j, NULL, v.x);
    json_real(j, NULL, v.y);
    json_real(j, NULL, v.z);
    json_close(j, ']');
}

static void meshes_json(json_out *j, const vo_character_file_info *info) {
    json_open(j, "meshes", '[');
    for (int i = 0; i < info->mesh_count; i++) {
        const vo_character_mesh_info *m = &info->meshes[i];
        json_open(j, NULL, '{');
        json_text(j, "name", m->name);
        json_int(j, "faces", m->face_count);
        json_int(j, "vertices", m->vertex_count);
        json_int(j, "bones", m->bone_count);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void joints_json(json_out *j, const vo_character_file_info *info) {
    json_open(j, "joints", '[');
    for (int i = 0; i < info->joint_count; i++) {
        const vo_character_joint_info *joint = &info->joints[i];
        json_open(j, NULL, '{');
        json_text(j, "name", joint->name);
        json_int(j, "parent", joint->parent);
        json_bool(j, "bone", joint->is_bone);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void clips_json(json_out *j, const vo_character_file_info *info) {
    json_open(j, "clips", '[');
    for (int i = 0; i < info->clip_count; i++) {
        const vo_character_clip_info *c = &info->clips[i];
        json_open(j, NULL, '{');
        json_text(j, "name", c->name);
        json_real(j, "duration_s", c->duration);
        json_int(j, "tracks", c->track_count);
        json_int(j, "keys", c->key_count);
        json_real(j, "fps", c->fps);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void cameras_json(json_out *j, const vo_character_file_info *info) {
    json_open(j, "cameras", '[');
    for (int i = 0; i < info->camera_count; i++) {
        const vo_character_camera_info *c = &info->cameras[i];
        json_open(j, NULL, '{');
        json_text(j, "name", c->name);
        json_real(j, "fov_y", c->fov_y);
        json_real(j, "aspect", c->aspect);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void print_json(const char *path, const vo_character_file_info *info) {
    json_out j = {stdout, false};
    json_open(&j, NULL, '{');
    json_text(&j, "file", path);
    json_text(&j, "format", info->format);
    json_real(&j, "metres_per_unit", info->metres_per_unit);
    json_bool(&j, "unit_is_assumed", info->unit_is_assumed);
    json_text(&j, "up_axis", axis_name(info->up_axis));
    json_bool(&j, "up_axis_is_assumed", info->up_axis_is_assumed);
    json_real(&j, "height_m", info->height);
    vector_json(&j, "bounds_min_m", info->bounds[0]);
    vector_json(&j, "bounds_max_m", info->bounds[1]);
    meshes_json(&j, info);
    json_int(&j, "bones", info->bone_count);
    joints_json(&j, info);
    clips_json(&j, info);
    cameras_json(&j, info);
    json_open(&j, "not_imported", '{');
    json_int(&j, "point_meshes", info->point_mesh_count);
    json_int(&j, "line_meshes", info->line_mesh_count);
    json_int(&j, "other_meshes", info->other_mesh_count);
    json_int(&j, "morph_targets", info->morph_target_count);
    json_int(&j, "parallel_cameras", info->orthographic_camera_count);
    json_close(&j, '}');
    json_close(&j, '}');
    json_end(&j);
}

/* ---- text ----------------------------------------------------------------------------------- */

static const char *shown_name(const char *name) { return name && name[0] ? name : "(no name)"; }

static void print_heading(int count, const char *one, const char *many) {
    if (count == 0)
        printf("\nno %s\n", many);
    else
        printf("\n%s %s\n", text_count(count).s, count == 1 ? one : many);
}

static void print_meshes(const vo_character_file_info *info) {
    print_heading(info->mesh_count, "mesh", "meshes");
    for (int i = 0; i < info->mesh_count; i++) {
        const vo_character_mesh_info *m = &info->meshes[i];
        printf("  %-32s %9s faces %9s vertices", shown_name(m->name), text_count(m->face_count).s,
               text_count(m->vertex_count).s);
        if (m->bone_count) printf(" %5d bones", m->bone_count);
        printf("\n");
    }
}

static void print_file(const char *path, const vo_character_file_info *info) {
    vo_vec3 low = info->bounds[0], high = info->bounds[1];
    printf("%s: %s, 1 unit = %g m%s, %s up%s\n", path, info->format, info->metres_per_unit,
           info->unit_is_assumed ? " (assumed)" : "", axis_name(info->up_axis),
           info->up_axis_is_assumed ? " (assumed)" : "");
    printf("size %.3g x %.3g x %.3g m, height %.3g m\n", high.x - low.x, high.y - low.y,
           high.z - low.z, info->height);
}

static void print_bones(const vo_character_file_info *info) {
    print_heading(info->bone_count, "bone", "bones");
    for (int i = 0; i < info->joint_count; i++) {
        const vo_character_joint_info *joint = &info->joints[i];
        if (joint->is_bone) printf("  %*s%s\n", joint->depth, "", shown_name(joint->name));
    }
}

static void print_clips(const vo_character_file_info *info) {
    print_heading(info->clip_count, "clip", "clips");
    for (int i = 0; i < info->clip_count; i++) {
        const vo_character_clip_info *c = &info->clips[i];
        printf("  %-32s %9.3f s %6d joints", shown_name(c->name), c->duration, c->track_count);
        if (c->fps > 0) printf(" %8.4g keys/s", c->fps);
        printf("\n");
    }
}

static void print_cameras(const vo_character_file_info *info) {
    print_heading(info->camera_count, "camera", "cameras");
    for (int i = 0; i < info->camera_count; i++)
        printf("  %-32s field of view %.4g degrees\n", shown_name(info->cameras[i].name),
               info->cameras[i].fov_y);
}

static void print_ignored(const vo_character_file_info *info) {
    const struct {
        int count;
        const char *what;
    } ignored[] = {{info->point_mesh_count, "point clouds"},
                   {info->line_mesh_count, "line meshes"},
                   {info->other_mesh_count, "meshes that cannot be triangulated"},
                   {info->morph_target_count, "morph targets"},
                   {info->orthographic_camera_count, "cameras without perspective"}};
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        if (ignored[i].count)
            printf("\nnot imported: %s %s\n", text_count(ignored[i].count).s, ignored[i].what);
}

static void print_text(const char *path, const vo_character_file_info *info) {
    print_file(path, info);
    print_meshes(info);
    print_bones(info);
    print_clips(info);
    print_cameras(info);
    print_ignored(info);
}

int character_info(vo_context *ctx, const cli_args *args) {
    vo_character_file_info info;
    vo_result result = vo_character_file_get_info(ctx, args->operand, &info);
    if (result != VO_OK) return cli_fail_result(ctx, result);
    if (args->json)
        print_json(args->operand, &info);
    else
        print_text(args->operand, &info);
    vo_character_file_info_free(&info);
    return CLI_DONE;
}
