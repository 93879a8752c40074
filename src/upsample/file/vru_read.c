#include "core/file.h"
#include "core/memory.h"
#include "upsample/file/vru_private.h"
#include "upsample/fit/fit.h"

#include <math.h>
#include <string.h>

/* ---- arrays --------------------------------------------------------------------------------- */

/* Checks that the sections exist with the expected numbers of rows, before anything is allocated.
 */
static vo_result check_counts(vo_vof_reader *r, const vru_array *arrays, int count) {
    for (int i = 0; i < count; i++) {
        const vru_array *a = &arrays[i];
        if (vo_vof_count(r, a->tag, a->index) != a->count)
            return vo_vof_fail_damaged(r, "section %s[%d] has %d rows, expected %lld", a->tag,
                                       a->index, vo_vof_count(r, a->tag, a->index),
                                       (long long)a->count);
    }
    return VO_OK;
}

/* Copies sections whose counts have been checked. */
static vo_result copy_arrays(vo_vof_reader *r, const vru_array *arrays, int count) {
    for (int i = 0; i < count; i++) {
        const vru_array *a = &arrays[i];
        static const size_t sizes[] = {0, 1, 4, 8, 4, 8};
        int rows;
        const void *data;
        VO_TRY(vo_vof_find(r, a->tag, a->index, a->type, a->columns, &rows, &data));
        if (rows) memcpy(a->data, data, (size_t)rows * (size_t)a->columns * sizes[a->type]);
    }
    return VO_OK;
}

/* Reads a text of 1 to VO_VRU_MAX_NAME bytes; the caller frees it. */
static vo_result read_text(vo_context *ctx, vo_vof_reader *r, const char *tag, int index,
                           char **out) {
    int count;
    const void *data;
    VO_TRY(vo_vof_find(r, tag, index, VO_VOF_U8, 1, &count, &data));
    if (count < 1 || count > VO_VRU_MAX_NAME || memchr(data, 0, (size_t)count))
        return vo_vof_fail_damaged(r, "section %s[%d] is not a name", tag, index);
    char text[VO_VRU_MAX_NAME + 1];
    memcpy(text, data, (size_t)count);
    text[count] = 0;
    *out = vo_copy_string(ctx, text);
    return *out ? VO_OK : vo_fail_memory(ctx, "an upsampling file");
}

/* ---- pairs ---------------------------------------------------------------------------------- */

static vo_result read_sizes(vo_vof_reader *r, vru_sizes *out) {
    int count;
    const void *data;
    VO_TRY(vo_vof_find(r, "size", 0, VO_VOF_I32, 1, &count, &data));
    if (count != (int)(sizeof *out / sizeof(int32_t)))
        return vo_vof_fail_damaged(r, "section size has %d rows", count);
    memcpy(out, data, sizeof *out);
#define X(name, maximum)                        \
    if (out->name < 0 || out->name > (maximum)) \
        return vo_vof_fail_damaged(r, "section size: %s: %ld", #name, (long)out->name);
    VRU_SIZES(X)
#undef X
    return VO_OK;
}

/* Checks all sections of the pairs against the sizes, so that memory is allocated for data that
 * exists only. */
static vo_result check_pairs_sections(vo_vof_reader *r, const vru_sizes *s) {
    vru_array arrays[VRU_MAX_ARRAYS];
    const vo_upsample_pairs sizes = {.coarse.vertex_count = s->coarse_vertices,
                                     .coarse.triangle_count = s->coarse_triangles,
                                     .fine.vertex_count = s->fine_vertices,
                                     .fine.triangle_count = s->fine_triangles,
                                     .sequence_count = s->sequences,
                                     .frame_count = s->frames,
                                     .asset_bytes = (size_t)s->asset_bytes};
    if (vo_vof_frame(r) != s->frames)
        return vo_vof_fail_damaged(r, "section size: frames: %ld; the header has %d",
                                   (long)s->frames, vo_vof_frame(r));
    VO_TRY(check_counts(r, arrays, vru_list_pairs(&sizes, arrays)));
    for (int fine = 0; fine < 2; fine++)
        for (int f = 0; f < s->frames; f++) {
            const vru_array a = {.tag = fine ? "fine_x" : "coarse_x",
                                 .index = f,
                                 .count = fine ? s->fine_vertices : s->coarse_vertices};
            VO_TRY(check_counts(r, &a, 1));
        }
    return VO_OK;
}

static vo_result read_frames(vo_vof_reader *r, vo_upsample_pairs *p, bool fine) {
    size_t count = 3 * (size_t)(fine ? p->fine.vertex_count : p->coarse.vertex_count);
    float *frames = fine ? p->fine_frames : p->coarse_frames;
    for (int f = 0; f < p->frame_count; f++) {
        int rows;
        const void *data;
        VO_TRY(vo_vof_find(r, fine ? "fine_x" : "coarse_x", f, VO_VOF_I32, 3, &rows, &data));
        if (rows)
            vru_decode_frame(data, vru_frame_before(p, fine, f), count, frames + (size_t)f * count);
    }
    return VO_OK;
}

static vo_result fill_pairs(vo_vof_reader *r, const vru_sizes *s, vo_upsample_pairs *p) {
    vru_array arrays[VRU_MAX_ARRAYS];
    char defect[VRU_DEFECT];
    p->frame_s = (float)vo_vof_time(r);
    p->test_function_count = s->test_functions;
    VO_TRY(copy_arrays(r, arrays, vru_list_pairs(p, arrays)));
    VO_TRY(read_frames(r, p, false));
    VO_TRY(read_frames(r, p, true));
    return vru_check_pairs(p, defect) ? VO_OK : vo_vof_fail_damaged(r, "%s", defect);
}

static vo_result read_pairs(vo_context *ctx, vo_vof_reader *r, const vru_sizes *s,
                            vo_upsample_pairs **out) {
    const vo_upsample_pairs_size size = {.coarse_vertices = s->coarse_vertices,
                                         .coarse_triangles = s->coarse_triangles,
                                         .fine_vertices = s->fine_vertices,
                                         .fine_triangles = s->fine_triangles,
                                         .sequences = s->sequences,
                                         .frames = s->frames,
                                         .asset_bytes = (size_t)s->asset_bytes};
    VO_TRY(check_pairs_sections(r, s));
    VO_TRY(vo_upsample_pairs_create(ctx, &size, out));
    return fill_pairs(r, s, *out);
}

/* ---- operators ------------------------------------------------------------------------------ */

/* Sizes of an operator and the sequences to which it was fitted. */
typedef struct operator_sizes {
    vo_upsample_operator_size size;
    int first_sequence, sequence_count;
} operator_sizes;

static vo_result read_operator_sizes(const vo_vru *vru, vo_vof_reader *r, int index,
                                     operator_sizes *out) {
    int count;
    const void *data;
    VO_TRY(vo_vof_find(r, "op_size", index, VO_VOF_I32, 1, &count, &data));
    if (count != VRU_OPERATOR_SIZES)
        return vo_vof_fail_damaged(r, "section op_size[%d] has %d rows", index, count);
    const int32_t *n = data;
    *out = (operator_sizes){{n[0], n[1], n[2], n[3], n[4]}, n[5], n[6]};
    for (int i = 0; i < VRU_OPERATOR_SIZES; i++)
        if (n[i] < 0 || n[i] > 1 << 24)
            return vo_vof_fail_damaged(r, "section op_size[%d]: row %d: %ld", index, i, (long)n[i]);
    if (n[0] != vru->pairs->fine.vertex_count || n[1] != vru->pairs->coarse.vertex_count ||
        n[3] > VO_RT_MAX_OPERATOR_HISTORY || n[4] > VO_RT_MAX_OPERATOR_MODES)
        return vo_vof_fail_damaged(r, "operator %d does not match the pairs", index);
    return VO_OK;
}

/* A parameter as it was written: finite, and small enough for every type. */
static bool parameters_are_valid(const double *value, int count) {
    for (int i = 0; i < count; i++)
        if (!(fabs(value[i]) <= 1e9)) return false;
    return true;
}

static vo_result read_parameters(vo_vof_reader *r, int index, vo_upsample_operator *op) {
    int count, i = 0;
    const void *data;
    VO_TRY(vo_vof_find(r, "op_param", index, VO_VOF_F64, 1, &count, &data));
    const double *value = data;
    if (!parameters_are_valid(value, count))
        return vo_vof_fail_damaged(r, "section op_param[%d] has an invalid number", index);
    op->parameters = vo_upsample_fit_def_default();
#define X(member, type)                         \
    if (i < count) op->member = (type)value[i]; \
    i++;
    VRU_PARAMETERS(X)
#undef X
    return VO_OK;
}

static vo_result fill_operator(vo_context *ctx, vo_vof_reader *r, int index,
                               vo_upsample_operator *op) {
    vru_array arrays[VRU_MAX_ARRAYS];
    VO_TRY(copy_arrays(r, arrays, vru_list_operator(op, index, arrays)));
    VO_TRY(read_parameters(r, index, op));
    if (op->parameters.history != op->history)
        return vo_vof_fail_damaged(r, "section op_param[%d] does not match op_size", index);
    vo_result result = vo_upsample_fit_def_validate(ctx, &op->parameters);
    if (result == VO_OK) result = vo_upsample_operator_validate(ctx, op);
    if (result == VO_OK || result == VO_NO_MEMORY) return result;
    char defect[VRU_DEFECT];
    strncpy(defect, vo_context_message(ctx), sizeof defect - 1);
    defect[sizeof defect - 1] = 0;
    return vo_vof_fail_damaged(r, "operator %d: %s", index, defect);
}

static vo_result read_operator(vo_vru *vru, vo_vof_reader *r, int index) {
    vru_array arrays[VRU_MAX_ARRAYS];
    operator_sizes all = {0};
    vo_upsample_operator *op;
    VO_TRY(read_operator_sizes(vru, r, index, &all));
    vo_upsample_operator_size size = all.size;
    const vo_upsample_operator sizes = {.fine_count = size.fine_count,
                                        .coarse_count = size.coarse_count,
                                        .history = size.history,
                                        .base_entries = size.base_entries,
                                        .mode_count = size.mode_count};
    VO_TRY(check_counts(r, arrays, vru_list_operator(&sizes, index, arrays)));
    VO_TRY(vo_upsample_operator_create(vru->ctx, &size, &op));
    char *name = NULL;
    vo_result result = fill_operator(vru->ctx, r, index, op);
    if (result == VO_OK) result = read_text(vru->ctx, r, "op_name", index, &name);
    if (result != VO_OK) {
        vo_upsample_operator_destroy(op);
        return result;
    }
    result = vo_vru_set_operator_of(vru, name, all.first_sequence, all.sequence_count, op);
    vo_free_string(vru->ctx, name);
    if (result != VO_BAD_ARGUMENT) return result;
    return vo_vof_fail_damaged(r, "operator %d does not match the pairs", index);
}

/* ---- the file ------------------------------------------------------------------------------- */

static vo_result read_scenes(vo_vru *vru, vo_vof_reader *r, int count) {
    if (!count) return VO_OK;
    vru->scene = vo_alloc_zero(vru->ctx, (size_t)count * sizeof *vru->scene);
    if (!vru->scene) return vo_fail_memory(vru->ctx, "an upsampling file");
    vru->scene_count = count;
    for (int i = 0; i < count; i++) VO_TRY(read_text(vru->ctx, r, "scene", i, &vru->scene[i]));
    return VO_OK;
}

static vo_result read_all(vo_vru *vru, vo_vof_reader *r) {
    vru_sizes sizes;
    VO_TRY(read_sizes(r, &sizes));
    VO_TRY(read_pairs(vru->ctx, r, &sizes, &vru->pairs));
    VO_TRY(read_scenes(vru, r, sizes.scenes));
    for (int i = 0; i < sizes.operators; i++) VO_TRY(read_operator(vru, r, i));
    if (vru->operator_count != sizes.operators)
        return vo_vof_fail_damaged(r, "two operators have the same name");
    return VO_OK;
}

static vo_result read_and_close(vo_context *ctx, vo_vof_reader *r, vo_vru **out) {
    vo_vru *vru = vo_new(ctx, vo_vru);
    vo_result result = VO_OK;
    if (!vru) {
        result = vo_fail_memory(ctx, "an upsampling file");
    } else {
        vru->ctx = ctx;
        result = read_all(vru, r);
    }
    vo_vof_close(r);
    if (result == VO_OK)
        *out = vru;
    else
        vo_vru_destroy(vru);
    return result;
}

vo_result vo_vru_parse(vo_context *ctx, const char *name, const void *bytes, size_t size,
                       vo_vru **out) {
    vo_vof_reader *r;
    *out = NULL;
    VO_TRY(vo_vof_parse_format(ctx, &vru_format, name, bytes, size, &r));
    return read_and_close(ctx, r, out);
}

vo_result vo_vru_load(vo_context *ctx, const char *path, vo_vru **out) {
    vo_vof_reader *r;
    *out = NULL;
    VO_TRY(vo_vof_open_format(ctx, &vru_format, path, &r));
    return read_and_close(ctx, r, out);
}
