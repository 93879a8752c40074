#include "core/file.h"
#include "core/memory.h"
#include "upsample/file/vru_private.h"

#include <string.h>

static vo_result add_arrays(vo_vof_writer *w, const vru_array *arrays, int count) {
    for (int i = 0; i < count; i++) {
        const vru_array *a = &arrays[i];
        VO_TRY(vo_vof_add(w, a->tag, a->index, a->type, a->columns, (int)a->count, a->data));
    }
    return VO_OK;
}

static vo_result add_text(vo_vof_writer *w, const char *tag, int index, const char *text) {
    return vo_vof_add(w, tag, index, VO_VOF_U8, 1, (int)strlen(text), text);
}

static vru_sizes sizes_of(const vo_vru *vru) {
    const vo_upsample_pairs *p = vru->pairs;
    return (vru_sizes){.coarse_vertices = p->coarse.vertex_count,
                       .coarse_triangles = p->coarse.triangle_count,
                       .fine_vertices = p->fine.vertex_count,
                       .fine_triangles = p->fine.triangle_count,
                       .sequences = p->sequence_count,
                       .frames = p->frame_count,
                       .test_functions = p->test_function_count,
                       .asset_bytes = (int32_t)p->asset_bytes,
                       .scenes = vru->scene_count,
                       .operators = vru->operator_count};
}

/* Fails if a size is beyond the maximum that readers accept. */
static vo_result check_sizes(vo_context *ctx, const vru_sizes *s) {
#define X(name, maximum)                                                                  \
    if (s->name < 0 || s->name > (maximum))                                               \
        return vo_fail(ctx, VO_BAD_ARGUMENT, "%s: %ld; a file may have up to %ld", #name, \
                       (long)s->name, (long)(maximum));
    VRU_SIZES(X)
#undef X
    return VO_OK;
}

static vo_result add_meshes(vo_vof_writer *w, const vo_vru *vru) {
    vru_array arrays[VRU_MAX_ARRAYS];
    vru_sizes sizes = sizes_of(vru);
    VO_TRY(check_sizes(vru->ctx, &sizes));
    int rows = (int)(sizeof sizes / sizeof(int32_t));
    VO_TRY(vo_vof_add(w, "size", 0, VO_VOF_I32, 1, rows, &sizes));
    VO_TRY(add_arrays(w, arrays, vru_list_pairs(vru->pairs, arrays)));
    for (int i = 0; i < vru->scene_count; i++) VO_TRY(add_text(w, "scene", i, vru->scene[i]));
    return VO_OK;
}

/* Adds the frames of one resolution; `scratch` has room for one frame. */
static vo_result add_frames(vo_vof_writer *w, const vo_upsample_pairs *p, bool fine,
                            int32_t *scratch) {
    int vertices = fine ? p->fine.vertex_count : p->coarse.vertex_count;
    const float *frames = fine ? p->fine_frames : p->coarse_frames;
    size_t count = 3 * (size_t)vertices;
    for (int f = 0; f < p->frame_count; f++) {
        vru_encode_frame(frames + (size_t)f * count, vru_frame_before(p, fine, f), count, scratch);
        VO_TRY(vo_vof_add(w, fine ? "fine_x" : "coarse_x", f, VO_VOF_I32, 3, vertices, scratch));
    }
    return VO_OK;
}

static vo_result add_all_frames(vo_vof_writer *w, const vo_upsample_pairs *p) {
    int coarse = p->coarse.vertex_count, fine = p->fine.vertex_count;
    int most = 3 * (coarse > fine ? coarse : fine);
    int32_t *scratch = vo_new_array(p->ctx, int32_t, most);
    if (!scratch && most) return vo_fail_memory(p->ctx, "an upsampling file");
    vo_result result = add_frames(w, p, false, scratch);
    if (result == VO_OK) result = add_frames(w, p, true, scratch);
    vo_free_array(p->ctx, scratch, most);
    return result;
}

static vo_result add_operator(vo_vof_writer *w, const vo_vru_operator *named, int index) {
    const vo_upsample_operator *op = named->op;
    const int32_t sizes[VRU_OPERATOR_SIZES] = {
        op->fine_count, op->coarse_count,      op->base_entries,     op->history,
        op->mode_count, named->first_sequence, named->sequence_count};
    const double parameters[] = {
#define X(member, type) (double)op->member,
        VRU_PARAMETERS(X)
#undef X
    };
    vru_array arrays[VRU_MAX_ARRAYS];
    VO_TRY(add_text(w, "op_name", index, named->name));
    VO_TRY(vo_vof_add(w, "op_size", index, VO_VOF_I32, 1, VRU_OPERATOR_SIZES, sizes));
    VO_TRY(vo_vof_add(w, "op_param", index, VO_VOF_F64, 1,
                      (int)(sizeof parameters / sizeof *parameters), parameters));
    return add_arrays(w, arrays, vru_list_operator(op, index, arrays));
}

static vo_result write_all(vo_vof_writer *w, const vo_vru *vru, const char *path) {
    vo_vof_begin(w, vru->pairs->frame_count, (double)vru->pairs->frame_s);
    VO_TRY(add_meshes(w, vru));
    VO_TRY(add_all_frames(w, vru->pairs));
    for (int i = 0; i < vru->operator_count; i++) VO_TRY(add_operator(w, &vru->operators[i], i));
    return vo_vof_save(w, path);
}

vo_result vo_vru_save(const vo_vru *vru, const char *path) {
    vo_vof_writer *w;
    VO_TRY(vo_vof_writer_create_format(vru->ctx, &vru_format, &w));
    vo_result result = write_all(w, vru, path);
    vo_vof_writer_destroy(w);
    return result;
}
