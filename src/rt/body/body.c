/* Creation of bodies: validation, memory, initial pose. */
#include "rt/body/body.h"

#include "rt/base/heap.h"
#include "rt/base/text.h"
#include "rt/body/body_private.h"

#include <string.h>

VO_API vo_rt_body_def vo_rt_body_def_default(void) {
    return (vo_rt_body_def){
        .transform = {.rotation = {0, 0, 0, 1}}, .offset = 0.003f, .friction = 1, .layer = 1};
}

size_t vo_rt_body_size(void) { return sizeof(vo_rt_body); }

/* --- Validation ------------------------------------------------------------------------------- */

static bool is_valid_transform(vo_rt_transform t) {
    vo_rt_quat q = t.rotation;
    float norm = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
    return f3_length(t.position) <= 1e6f && norm > 1e-6f && norm < 1e6f;
}

static vo_result check_scalars(const vo_rt_body_def *def, vo_rt_message *m) {
    if (!is_valid_transform(def->transform))
        return vo_rt_fail(m, VO_BAD_ARGUMENT,
                          "transform: is not a position within 1e6 m and a unit quaternion");
    if (!(def->offset >= 0 && def->offset <= 1))
        return vo_rt_fail(m, VO_BAD_ARGUMENT, "offset: is %g; use 0 to 1 m", (double)def->offset);
    if (!(def->friction >= 0 && def->friction <= 100))
        return vo_rt_fail(m, VO_BAD_ARGUMENT, "friction: is %g; use 0 to 100",
                          (double)def->friction);
    if (def->bone_count < 0 || def->bone_count > 65535)
        return vo_rt_fail(m, VO_BAD_ARGUMENT, "bone_count: is %d; use 0 to 65535", def->bone_count);
    if (def->shape_count < 0 || def->shape_count > 65535 || (def->shape_count && !def->shapes))
        return vo_rt_fail(m, VO_BAD_ARGUMENT,
                          "shape_count: is %d; use 0 to 65535, with an array of shapes",
                          def->shape_count);
    if (def->shape_count == 0 && def->triangle_count == 0)
        return vo_rt_fail(m, VO_BAD_ARGUMENT,
                          "shape_count: is 0; a body needs shapes or a triangle mesh");
    return VO_OK;
}

static vo_result check_skin(const vo_rt_body_def *def, vo_rt_message *m) {
    if (!def->skin_weights || def->bone_count == 0)
        return vo_rt_fail(m, VO_BAD_ARGUMENT, "skin_bones: is set without %s; a skin needs both",
                          def->skin_weights ? "bone_count" : "skin_weights");
    if (def->vertices_by_host)
        return vo_rt_fail(m, VO_BAD_ARGUMENT,
                          "vertices_by_host: is true for a body with skin_bones; choose one");
    for (int i = 0; i < def->vertex_count; i++) {
        float sum = 0;
        for (int k = 0; k < VO_RT_BONES_PER_VERTEX; k++) {
            size_t at = VO_RT_BONES_PER_VERTEX * (size_t)i + (size_t)k;
            float w = def->skin_weights[at];
            if (!(w >= 0 && w <= 1.001f))
                return vo_rt_fail(m, VO_BAD_ARGUMENT,
                                  "skin_weights[%d]: weight %d is %g; use 0 to 1", i, k, (double)w);
            if (w > 0 && def->skin_bones[at] >= def->bone_count)
                return vo_rt_fail(m, VO_BAD_ARGUMENT,
                                  "skin_bones[%d]: bone %d is %d; bone_count is %d", i, k,
                                  (int)def->skin_bones[at], def->bone_count);
            sum += w;
        }
        if (!(fabsf(sum - 1) < 0.01f))
            return vo_rt_fail(m, VO_BAD_ARGUMENT, "skin_weights[%d]: sum to %g; normalise to 1", i,
                              (double)sum);
    }
    return VO_OK;
}

static vo_result check_def(const vo_rt_body_def *def, vo_rt_message *m) {
    vo_result result = check_scalars(def, m);
    for (int i = 0; result == VO_OK && i < def->shape_count; i++)
        result = vo_rt_shape_check(&def->shapes[i], i, def->bone_count, m);
    if (result == VO_OK && def->triangle_count > 0 && def->skin_bones) {
        result = vo_rt_check_mesh(def->vertex_count, def->positions, def->triangle_count,
                                  def->triangles, m);
        if (result == VO_OK) result = check_skin(def, m);
    }
    return result;
}

/* --- Memory ----------------------------------------------------------------------------------- */

static void *divide(char *base, size_t *end, size_t count, size_t size) {
    void *array = base ? base + *end : NULL;
    *end += (count * size + VO_RT_ALIGNMENT - 1) / VO_RT_ALIGNMENT * VO_RT_ALIGNMENT;
    return array;
}

/* Places the arrays in a block; with base NULL only its size is computed. */
static size_t place_arrays(vo_rt_body *b, char *base) {
    size_t end = 0, vertices = (size_t)b->surface.vertex_count;
    bool is_skinned = b->mesh_kind == VO_RT_MESH_SKINNED, is_host = b->mesh_kind == VO_RT_MESH_HOST;
    b->shapes = divide(base, &end, (size_t)b->shape_count, sizeof *b->shapes);
    b->history =
        divide(base, &end, VO_RT_HISTORY * ((size_t)b->shape_count + 1), sizeof *b->history);
    b->bones = divide(base, &end, (size_t)b->bone_count, sizeof *b->bones);
    b->columns = divide(base, &end, is_skinned ? (size_t)b->bone_count : 0, sizeof *b->columns);
    b->skin = divide(base, &end, is_skinned ? vertices : 0, sizeof *b->skin);
    b->bone_ball = divide(base, &end, is_skinned ? (size_t)b->bone_count : 0, sizeof *b->bone_ball);
    b->vertices = divide(base, &end, is_host ? vertices : 0, sizeof *b->vertices);
    int buffers = b->mesh_kind == VO_RT_MESH_NONE    ? 0
                  : b->mesh_kind == VO_RT_MESH_RIGID ? 1
                                                     : VO_RT_POSE_BUFFERS;
    for (int i = 0; i < buffers; i++) {
        void *memory = divide(base, &end, 1, vo_rt_surface_pose_bytes(&b->surface));
        if (base) b->pose[i] = vo_rt_surface_pose_set(&b->surface, memory);
    }
    return end;
}

static vo_result init_memory(vo_rt_body *b, const vo_allocator *allocator, vo_rt_message *m) {
    size_t bytes = place_arrays(b, NULL);
    if (bytes == 0) return VO_OK;
    char *memory = allocator->allocate(allocator->user, bytes, VO_RT_ALIGNMENT);
    if (!memory)
        return vo_rt_fail(m, VO_NO_MEMORY, "out of memory for a body of %u bytes", (unsigned)bytes);
    memset(memory, 0, bytes);
    b->memory = memory;
    b->memory_bytes = bytes;
    place_arrays(b, memory);
    return VO_OK;
}

/* --- Initial state ---------------------------------------------------------------------------- */

/* Copies the skin in the order of the surface, weights descending and normalised. */
static void init_skin(vo_rt_body *b, const vo_rt_body_def *def) {
    for (int i = 0; i < b->surface.vertex_count; i++) {
        vo_rt_skin_vertex *v = &b->skin[i];
        size_t from = VO_RT_BONES_PER_VERTEX * (size_t)b->surface.vertex_source[i];
        float sum = 0;
        for (int k = 0; k < VO_RT_BONES_PER_VERTEX; k++) {
            float w = def->skin_weights[from + (size_t)k];
            if (!(w > 0)) continue;
            uint32_t at = v->count++;
            for (; at > 0 && v->weight[at - 1] < w; at--) {
                v->weight[at] = v->weight[at - 1];
                v->bone[at] = v->bone[at - 1];
            }
            v->weight[at] = w;
            v->bone[at] = def->skin_bones[from + (size_t)k];
            sum += w;
        }
        for (uint32_t k = 0; k < v->count; k++) v->weight[k] /= sum;
    }
}

static vo_rt_matrix to_matrix(vo_rt_transform t) {
    vo_rt_pose p = vo_rt_pose_from_transform(t);
    vo_rt_vec3 x = fq_rotate(p.rotation, f3(1, 0, 0)), y = fq_rotate(p.rotation, f3(0, 1, 0)),
               z = fq_rotate(p.rotation, f3(0, 0, 1));
    return (vo_rt_matrix){
        {x.x, y.x, z.x, p.position.x, x.y, y.y, z.y, p.position.y, x.z, y.z, z.z, p.position.z}};
}

/* Balls around the vertices of each bone: a skinned vertex is a mean of points in the balls of its
 * bones. */
static void init_bone_balls(vo_rt_body *b) {
    for (int bone = 0; bone < b->bone_count; bone++) {
        vo_rt_vec3 low = f3(INFINITY, INFINITY, INFINITY), high = f3_scale(-1, low);
        for (int i = 0; i < b->surface.vertex_count; i++)
            for (uint32_t k = 0; k < b->skin[i].count; k++) {
                if (b->skin[i].bone[k] != bone) continue;
                low = f3_min(low, f4_xyz(b->surface.bind[i]));
                high = f3_max(high, f4_xyz(b->surface.bind[i]));
            }
        bool is_used = low.x <= high.x;
        b->bone_ball[bone] = is_used
                                 ? f4_make(f3_lerp(low, high, 0.5f), 0.5f * f3_distance(low, high))
                                 : f4_make(f3(0, 0, 0), -1);
    }
}

/* The bind pose moved by the transform: the pose until the host sets another one. */
static void init_inputs(vo_rt_body *b, const vo_rt_body_def *def) {
    vo_rt_matrix matrix = to_matrix(def->transform);
    for (int i = 0; i < b->bone_count; i++) b->bones[i] = matrix;
    if (b->mesh_kind == VO_RT_MESH_HOST)
        for (int i = 0; i < b->surface.vertex_count; i++)
            b->vertices[i] = f4_make(fm_apply(&matrix, f4_xyz(b->surface.bind[i])), 0);
    if (b->mesh_kind == VO_RT_MESH_RIGID) {
        memcpy(b->pose[0].vertex, b->surface.bind,
               (size_t)b->surface.vertex_count * sizeof *b->surface.bind);
        b->kernels->refit(&b->surface, b->pose[0]);
    }
    b->input = (vo_rt_body_input){.transform = def->transform,
                                  .has_transform = true,
                                  .has_bones = true,
                                  .has_vertices = true,
                                  .has_teleport = true,
                                  .is_enabled = true,
                                  .friction = def->friction};
}

static vo_result init_shapes(vo_rt_body *b, const vo_allocator *allocator,
                             const vo_rt_body_def *def, vo_rt_message *m) {
    for (int i = 0; i < b->shape_count; i++) {
        vo_result result =
            vo_rt_body_shape_init(&b->shapes[i], allocator, b->kernels, &def->shapes[i], i, m);
        if (result != VO_OK) return result;
    }
    return VO_OK;
}

static vo_result init_parts(vo_rt_body *b, const vo_allocator *allocator, const vo_rt_body_def *def,
                            vo_rt_message *m) {
    vo_result result = VO_OK;
    if (def->triangle_count > 0) {
        b->mesh_kind = def->skin_bones         ? VO_RT_MESH_SKINNED
                       : def->vertices_by_host ? VO_RT_MESH_HOST
                                               : VO_RT_MESH_RIGID;
        result = vo_rt_surface_init(&b->surface, allocator, def->vertex_count, def->positions,
                                    def->triangle_count, def->triangles, m);
    }
    if (result == VO_OK) result = init_memory(b, allocator, m);
    if (result == VO_OK) result = init_shapes(b, allocator, def, m);
    return result;
}

static bool is_posed_by_bones(const vo_rt_body *b) {
    for (int i = 0; i < b->shape_count; i++)
        if (b->shapes[i].def.bone < 0) return false;
    return b->mesh_kind == VO_RT_MESH_NONE || b->mesh_kind == VO_RT_MESH_SKINNED;
}

vo_result vo_rt_body_init(vo_rt_body *body, const vo_allocator *allocator,
                          const vo_rt_body_def *def, vo_rt_message *message) {
    vo_result result = check_def(def, message);
    if (result != VO_OK) return result;
    *body = (vo_rt_body){.kernels = vo_rt_surface_kernels_select(),
                         .message = message,
                         .offset = def->offset,
                         .layer = def->layer,
                         .user = def->user,
                         .bone_count = def->bone_count,
                         .shape_count = def->shape_count};
    result = init_parts(body, allocator, def, message);
    if (result != VO_OK) {
        vo_rt_body_free(body, allocator);
        return result;
    }
    if (body->mesh_kind == VO_RT_MESH_SKINNED) {
        init_skin(body, def);
        init_bone_balls(body);
    }
    body->used = VO_RT_USE_ALL;
    body->is_posed_by_bones = is_posed_by_bones(body);
    init_inputs(body, def);
    vo_rt_body_begin_step(body, 0);
    vo_rt_body_advance(body, 1);
    return VO_OK;
}

void vo_rt_body_free(vo_rt_body *body, const vo_allocator *allocator) {
    for (int i = 0; body->memory && i < body->shape_count; i++)
        vo_rt_body_shape_free(&body->shapes[i], allocator);
    if (body->memory) allocator->release(allocator->user, body->memory, body->memory_bytes);
    vo_rt_surface_free(&body->surface, allocator);
    *body = (vo_rt_body){0};
}
