/* Inputs of the host: they take effect when the next world step begins. */
#include "rt/base/text.h"
#include "rt/body/body_private.h"

#include <string.h>

static const float MAX_COORDINATE = 1e6f;

VO_API vo_result vo_rt_body_set_transform(vo_rt_body *body, vo_rt_transform t) {
    vo_rt_quat q = t.rotation;
    float norm = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
    if (!(f3_length(t.position) <= MAX_COORDINATE))
        return vo_rt_fail(body->message, VO_BAD_ARGUMENT,
                          "transform.position: is (%g, %g, %g); use metres within 1e6",
                          (double)t.position.x, (double)t.position.y, (double)t.position.z);
    if (!(norm > 1e-6f && norm < 1e6f))
        return vo_rt_fail(body->message, VO_BAD_ARGUMENT,
                          "transform.rotation: is (%g, %g, %g, %g); use a unit quaternion",
                          (double)q.x, (double)q.y, (double)q.z, (double)q.w);
    body->input.transform = t;
    body->input.has_transform = true;
    return VO_OK;
}

VO_API vo_result vo_rt_body_set_bones(vo_rt_body *body, int count, const vo_rt_matrix *bones) {
    if (count != body->bone_count || !bones)
        return vo_rt_fail(body->message, VO_BAD_ARGUMENT, "bones: %d given; the body has %d",
                          bones ? count : 0, body->bone_count);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 12; k++)
            if (!(fabsf(bones[i].m[k]) <= MAX_COORDINATE))
                return vo_rt_fail(body->message, VO_BAD_ARGUMENT,
                                  "bones[%d].m[%d]: is %g; use finite numbers within 1e6", i, k,
                                  (double)bones[i].m[k]);
    memcpy(body->bones, bones, (size_t)count * sizeof *bones);
    body->input.has_bones = true;
    return VO_OK;
}

static vo_rt_vec3 read_vertex(const float *positions, size_t stride, int i) {
    float p[3];
    memcpy(p, (const char *)positions + (size_t)i * stride, sizeof p);
    return f3(p[0], p[1], p[2]);
}

VO_API vo_result vo_rt_body_set_vertices(vo_rt_body *body, const float *positions, size_t stride) {
    if (body->mesh_kind != VO_RT_MESH_HOST)
        return vo_rt_fail(body->message, VO_BAD_ARGUMENT,
                          "vertices: the body was created without vertices_by_host");
    if (!positions || stride < 3 * sizeof(float))
        return vo_rt_fail(body->message, VO_BAD_ARGUMENT,
                          "vertices: stride is %u bytes; use at least 12",
                          positions ? (unsigned)stride : 0u);
    int count = body->surface.vertex_count;
    for (int i = 0; i < count; i++) {
        vo_rt_vec3 p = read_vertex(positions, stride, i);
        if (!(f3_length(p) <= MAX_COORDINATE))
            return vo_rt_fail(body->message, VO_BAD_ARGUMENT,
                              "vertices[%d]: is (%g, %g, %g); use metres within 1e6", i,
                              (double)p.x, (double)p.y, (double)p.z);
    }
    for (int i = 0; i < count; i++)
        body->vertices[i] =
            f4_make(read_vertex(positions, stride, body->surface.vertex_source[i]), 0);
    body->input.has_vertices = true;
    return VO_OK;
}

VO_API vo_result vo_rt_body_teleport(vo_rt_body *body) {
    body->input.has_teleport = true;
    return VO_OK;
}

VO_API vo_result vo_rt_body_set_enabled(vo_rt_body *body, bool enabled) {
    body->input.is_enabled = enabled;
    return VO_OK;
}

VO_API vo_result vo_rt_body_set_friction(vo_rt_body *body, float friction) {
    if (!(friction >= 0 && friction <= 100))
        return vo_rt_fail(body->message, VO_BAD_ARGUMENT, "friction: is %g; use 0 to 100",
                          (double)friction);
    body->input.friction = friction;
    return VO_OK;
}

VO_API uint64_t vo_rt_body_get_user(const vo_rt_body *body) { return body->user; }

VO_API vo_rt_reaction vo_rt_body_get_reaction(const vo_rt_body *body) { return body->reaction; }

/* --- Snapshots -------------------------------------------------------------------------------- */

/* Fixed part of a snapshot; poses of shapes, bones and vertices follow. */
typedef struct saved_body {
    vo_rt_body_input input;
    bool is_enabled;
    float friction;
    vo_rt_pose mesh;
    vo_rt_reaction reaction;
    double motion_sum;
    int32_t history_at;
    uint8_t used, stale;
} saved_body;

typedef struct stream {
    char *data; /* NULL: only count */
    const char *from;
    size_t end;
} stream;

/* Writes to data, or reads into `value` if `from` is set. */
static void transfer(stream *s, void *value, size_t bytes) {
    if (bytes == 0) return;
    if (s->data) memcpy(s->data + s->end, value, bytes);
    if (s->from) memcpy(value, s->from + s->end, bytes);
    s->end += bytes;
}

static void transfer_arrays(stream *s, vo_rt_body *b) {
    size_t vertices = (size_t)b->surface.vertex_count * sizeof(vo_rt_vec4);
    for (int i = 0; i < b->shape_count; i++)
        transfer(s, &b->shapes[i].current, sizeof b->shapes[i].current);
    transfer(s, b->history, VO_RT_HISTORY * ((size_t)b->shape_count + 1) * sizeof *b->history);
    transfer(s, b->bones, (size_t)b->bone_count * sizeof *b->bones);
    if (b->mesh_kind == VO_RT_MESH_HOST) transfer(s, b->vertices, vertices);
    if (b->mesh_kind == VO_RT_MESH_HOST || b->mesh_kind == VO_RT_MESH_SKINNED)
        transfer(s, b->pose[b->current].vertex, vertices);
}

size_t vo_rt_body_save(const vo_rt_body *body, void *data) {
    saved_body saved;
    memset(&saved, 0, sizeof saved); /* padding, too: equal states give equal bytes */
    saved.input = body->input;
    saved.is_enabled = body->is_enabled;
    saved.friction = body->friction;
    saved.mesh = body->mesh_current;
    saved.reaction = body->reaction;
    saved.motion_sum = body->motion_sum;
    saved.history_at = body->history_at;
    saved.used = body->used;
    saved.stale = body->stale;
    stream s = {.data = data};
    transfer(&s, &saved, sizeof saved);
    transfer_arrays(&s, (vo_rt_body *)body); /* only read: `from` is NULL */
    return s.end;
}

void vo_rt_body_restore(vo_rt_body *body, const void *data) {
    saved_body saved;
    stream s = {.from = data};
    transfer(&s, &saved, sizeof saved);
    transfer_arrays(&s, body);
    body->input = saved.input;
    body->is_enabled = saved.is_enabled;
    body->friction = saved.friction;
    body->mesh_current = saved.mesh;
    body->reaction = saved.reaction;
    body->motion_sum = saved.motion_sum;
    body->history_at = (int32_t)((uint32_t)saved.history_at % VO_RT_HISTORY);
    body->used = saved.used;
    body->stale = saved.stale;
    vo_rt_body_set_still(body);
}
