/* Joint hierarchy and cameras. */
#include "character/import/build.h"

#include <string.h>

/* largest valid magnitude in any unit */
#define MAX_MAGNITUDE 1e15

static bool is_valid(const double *value, int count) {
    for (int i = 0; i < count; i++) {
        if (!(fabs(value[i]) < MAX_MAGNITUDE)) return false;
    }
    return true;
}

static vo_affine from_rows(const double *m) {
    return (vo_affine){{{{m[0], m[1], m[2]}, {m[4], m[5], m[6]}, {m[8], m[9], m[10]}}},
                       {m[3], m[7], m[11]}};
}

vo_result vo_import_joints(const vo_raw_file *file, const char *path, vo_character *out) {
    VO_TRY(vo_import_array(out, file->node_count, sizeof *out->joint, &out->joint));
    for (int64_t i = 0; i < file->node_count; i++) {
        const vo_raw_node *node = &file->node[i];
        if (!is_valid(node->matrix, 12)) {
            return vo_fail(out->ctx, VO_BAD_DATA,
                           "%s: node '%.80s': its transform is not finite; export it again", path,
                           node->name);
        }
        vo_joint *joint = &out->joint[i];
        VO_TRY(vo_import_text(out, node->name, &joint->name));
        joint->parent = (int)node->parent;
        joint->rest = from_rows(node->matrix);
        joint->rest_trs = vo_affine_to_trs(joint->rest);
    }
    out->joint_count = (int)file->node_count;
    return VO_OK;
}

/* Computes a camera frame, looking along -z, from position, direction and up vector. */
static bool camera_frame(const double *value, vo_affine *out) {
    vo_vec3 position = v3(value[0], value[1], value[2]);
    vo_vec3 back = v3_negate(v3_normalize(v3(value[3], value[4], value[5])));
    vo_vec3 side = v3_normalize(v3_cross(v3(value[6], value[7], value[8]), back));
    if (!(v3_length2(back) > 0.5 && v3_length2(side) > 0.5)) return false;
    vo_mat3 columns = {{side, v3_cross(back, side), back}};
    *out = (vo_affine){m3_transpose(columns), position};
    return true;
}

/* Returns the vertical angle: tan(v / 2) = tan(h / 2) / aspect. */
static double vertical_angle(const vo_raw_camera *camera) {
    if (!(camera->aspect > 0)) return camera->field_of_view;
    return 2 * atan(tan(camera->field_of_view / 2) / camera->aspect);
}

vo_result vo_import_cameras(const vo_raw_file *file, const char *path, vo_character *out,
                            vo_import_counts *counts) {
    VO_TRY(vo_import_array(out, file->camera_count, sizeof *out->camera, &out->camera));
    for (int64_t i = 0; i < file->camera_count; i++) {
        const vo_raw_camera *raw = &file->camera[i];
        vo_import_camera camera = {.joint = (int)raw->node, .aspect = raw->aspect};
        if (!(raw->aspect > 0 && raw->aspect < 1e6)) camera.aspect = 0;
        camera.fov_y = vertical_angle(raw);
        if (!(camera.fov_y > 0 && camera.fov_y < VO_PI)) {
            counts->orthographic_cameras++;
            continue;
        }
        if (raw->node < 0 || !is_valid(raw->frame, 9) || !camera_frame(raw->frame, &camera.local)) {
            return vo_fail(
                out->ctx, VO_BAD_DATA,
                "%s: camera '%.80s': has no valid position or direction; export it again", path,
                raw->name);
        }
        VO_TRY(vo_import_text(out, raw->name, &camera.name));
        out->camera[out->camera_count++] = camera;
    }
    return VO_OK;
}
