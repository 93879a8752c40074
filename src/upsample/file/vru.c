#include "upsample/file/vru.h"

#include "core/memory.h"
#include "upsample/file/vru_private.h"

#include <string.h>

const vo_vof_format vru_format = {.magic = "VOILEVRU",
                                  .version = 1,
                                  .noun = "upsampling file",
                                  .remedy =
                                      "copy it again, or create it again with vo_upsample_train"};

/* ---- contents ------------------------------------------------------------------------------- */

static bool copy_scenes(vo_vru *vru, int count, const char *const *scenes) {
    if (!count) return true;
    vru->scene = vo_alloc_zero(vru->ctx, (size_t)count * sizeof *vru->scene);
    if (!vru->scene) return false;
    vru->scene_count = count;
    for (int i = 0; i < count; i++) {
        vru->scene[i] = vo_copy_string(vru->ctx, scenes[i]);
        if (!vru->scene[i]) return false;
    }
    return true;
}

vo_result vo_vru_create(vo_context *ctx, vo_upsample_pairs *pairs, int scene_count,
                        const char *const *scenes, vo_vru **out) {
    vo_vru *vru = *out = vo_new(ctx, vo_vru);
    if (!vru) {
        vo_upsample_pairs_destroy(pairs);
        return vo_fail_memory(ctx, "an upsampling file");
    }
    vru->ctx = ctx;
    vru->pairs = pairs;
    if (copy_scenes(vru, scene_count, scenes)) return VO_OK;
    vo_vru_destroy(vru);
    *out = NULL;
    return vo_fail_memory(ctx, "an upsampling file");
}

void vo_vru_destroy(vo_vru *vru) {
    if (!vru) return;
    for (int i = 0; i < vru->operator_count; i++) {
        vo_free_string(vru->ctx, vru->operators[i].name);
        vo_upsample_operator_destroy(vru->operators[i].op);
    }
    vo_free_array(vru->ctx, vru->operators, vru->operators ? VO_VRU_MAX_OPERATORS : 0);
    for (int i = 0; i < vru->scene_count; i++) vo_free_string(vru->ctx, vru->scene[i]);
    vo_free_array(vru->ctx, vru->scene, vru->scene_count);
    vo_upsample_pairs_destroy(vru->pairs);
    vo_delete(vru->ctx, vru);
}

/* Index of an operator, or -1. */
static int find_operator(const vo_vru *vru, const char *name) {
    for (int i = 0; i < vru->operator_count; i++)
        if (strcmp(vru->operators[i].name, name) == 0) return i;
    return -1;
}

const vo_upsample_operator *vo_vru_find_operator(const vo_vru *vru, const char *name) {
    int i = name ? find_operator(vru, name) : 0;
    return i >= 0 && i < vru->operator_count ? vru->operators[i].op : NULL;
}

static vo_result check_operator(const vo_vru *vru, const char *name,
                                const vo_upsample_operator *op) {
    const vo_upsample_pairs *p = vru->pairs;
    if (op->fine_count != p->fine.vertex_count || op->coarse_count != p->coarse.vertex_count)
        return vo_fail(vru->ctx, VO_BAD_ARGUMENT,
                       "the operator maps %d vertices to %d, the pairs have %d and %d",
                       op->coarse_count, op->fine_count, p->coarse.vertex_count,
                       p->fine.vertex_count);
    if (!name[0] || strlen(name) > VO_VRU_MAX_NAME)
        return vo_fail(vru->ctx, VO_BAD_ARGUMENT,
                       "the name of an operator needs 1 to %d characters", VO_VRU_MAX_NAME);
    if (find_operator(vru, name) < 0 && vru->operator_count == VO_VRU_MAX_OPERATORS)
        return vo_fail(vru->ctx, VO_BAD_ARGUMENT, "the file has %d operators already",
                       VO_VRU_MAX_OPERATORS);
    return VO_OK;
}

/* Appends an element without operator. */
static vo_result append_operator(vo_vru *vru, const char *name) {
    if (!vru->operators)
        vru->operators = vo_alloc_zero(vru->ctx, VO_VRU_MAX_OPERATORS * sizeof *vru->operators);
    char *copy = vru->operators ? vo_copy_string(vru->ctx, name) : NULL;
    if (!copy) return vo_fail_memory(vru->ctx, "an operator");
    vru->operators[vru->operator_count++].name = copy;
    return VO_OK;
}

vo_result vo_vru_set_operator(vo_vru *vru, const char *name, vo_upsample_operator *op) {
    return vo_vru_set_operator_of(vru, name, 0, vru->pairs->sequence_count, op);
}

vo_result vo_vru_set_operator_of(vo_vru *vru, const char *name, int first_sequence,
                                 int sequence_count, vo_upsample_operator *op) {
    vo_result result = check_operator(vru, name, op);
    if (result == VO_OK && (first_sequence < 0 || sequence_count < 1 ||
                            first_sequence > vru->pairs->sequence_count - sequence_count))
        result = vo_fail(vru->ctx, VO_BAD_ARGUMENT,
                         "sequences %d to %d do not exist; the file has 0 to %d", first_sequence,
                         first_sequence + sequence_count - 1, vru->pairs->sequence_count - 1);
    int i = find_operator(vru, name);
    if (result == VO_OK && i < 0) {
        i = vru->operator_count;
        result = append_operator(vru, name);
    }
    if (result != VO_OK) {
        vo_upsample_operator_destroy(op);
        return result;
    }
    vo_upsample_operator_destroy(vru->operators[i].op);
    vru->operators[i].op = op;
    vru->operators[i].first_sequence = first_sequence;
    vru->operators[i].sequence_count = sequence_count;
    return VO_OK;
}

/* ---- sections ------------------------------------------------------------------------------- */

#define ADD(...) \
    arrays[n++] = (vru_array) { __VA_ARGS__ }

/* Lists the arrays of a mesh. */
static int list_mesh(const vo_upsample_mesh *m, int index, vru_array *arrays) {
    int n = 0;
    ADD("position", index, VO_VOF_F32, 3, m->vertex_count, m->position);
    ADD("triangle", index, VO_VOF_I32, 3, m->triangle_count, m->triangle);
    ADD("coord", index, VO_VOF_F32, 2, 3 * (int64_t)m->triangle_count, m->coordinate);
    ADD("mass", index, VO_VOF_F32, 1, m->vertex_count, m->mass);
    ADD("attach", index, VO_VOF_F32, 1, m->vertex_count, m->attachment);
    return n;
}

int vru_list_pairs(const vo_upsample_pairs *p, vru_array arrays[VRU_MAX_ARRAYS]) {
    const int measures = (int)(sizeof(vo_upsample_frame_stats) / sizeof(float));
    int n = list_mesh(&p->coarse, 0, arrays);
    n += list_mesh(&p->fine, 1, arrays + n);
    ADD("first", 0, VO_VOF_I32, 1, (int64_t)p->sequence_count + 1, p->first_frame);
    ADD("wind", 0, VO_VOF_F32, 3, p->frame_count, p->wind);
    ADD("stats", 0, VO_VOF_F32, measures, p->frame_count, p->stats);
    ADD("asset", 0, VO_VOF_U8, 1, (int64_t)p->asset_bytes, p->asset);
    return n;
}

int vru_list_operator(const vo_upsample_operator *op, int index, vru_array arrays[VRU_MAX_ARRAYS]) {
    int64_t inputs = (int64_t)op->coarse_count * (1 + op->history), fine = op->fine_count;
    int n = 0;
    ADD("op_first", index, VO_VOF_I32, 1, fine + 1, op->base_first);
    ADD("op_col", index, VO_VOF_I32, 1, op->base_entries, op->base_column);
    ADD("op_weigh", index, VO_VOF_F32, 1, op->base_entries, op->base_weight);
    ADD("op_resid", index, VO_VOF_F32, 1, fine * inputs, op->residual);
    ADD("op_rate", index, VO_VOF_F32, 1, op->mode_count, op->mode_rate);
    ADD("op_sine", index, VO_VOF_F32, 1, fine * op->mode_count, op->mode_sine);
    ADD("op_cosin", index, VO_VOF_F32, 1, fine * op->mode_count, op->mode_cosine);
    ADD("op_fract", index, VO_VOF_F32, 1, op->mode_count, op->mode_fraction);
    return n;
}

#undef ADD

/* ---- frames --------------------------------------------------------------------------------- */

void vru_encode_frame(const float *x, const float *before, size_t count, int32_t *out) {
    for (size_t i = 0; i < count; i++) {
        uint32_t a, b;
        memcpy(&a, &x[i], 4);
        memcpy(&b, &before[i], 4);
        a -= b;
        memcpy(&out[i], &a, 4);
    }
}

void vru_decode_frame(const int32_t *in, const float *before, size_t count, float *x) {
    for (size_t i = 0; i < count; i++) {
        uint32_t a, b;
        memcpy(&a, &in[i], 4);
        memcpy(&b, &before[i], 4);
        a += b;
        memcpy(&x[i], &a, 4);
    }
}

const float *vru_frame_before(const vo_upsample_pairs *p, bool fine, int frame) {
    const vo_upsample_mesh *mesh = fine ? &p->fine : &p->coarse;
    const float *frames = fine ? p->fine_frames : p->coarse_frames;
    for (int s = 0; s < p->sequence_count; s++)
        if (p->first_frame[s] == frame) return &mesh->position[0].x;
    if (frame == 0) return &mesh->position[0].x;
    return frames + 3 * ((size_t)frame - 1) * (size_t)mesh->vertex_count;
}
