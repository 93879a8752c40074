/* Motion of a body within a world step. */
#include "rt/body/body_private.h"

/* Counted for a teleport, m: more than any cached distance. */
static const double TELEPORT_MOTION = 1;
static const vo_rt_pose IDENTITY = {{0, 0, 0}, {0, 0, 0, 1}, 1};

/* --- Start and end of the step ---------------------------------------------------------------- */

static vo_rt_pose target_of_shape(const vo_rt_body *b, const vo_rt_shape *shape) {
    vo_rt_pose frame = shape->bone < 0 ? vo_rt_pose_from_transform(b->input.transform)
                                       : vo_rt_pose_from_matrix(&b->bones[shape->bone]);
    return vo_rt_pose_multiply(frame, vo_rt_pose_from_transform(shape->local));
}

static void begin_shapes(vo_rt_body *b, bool teleports) {
    bool is_stale = b->stale & VO_RT_USE_SHAPES;
    for (int i = 0; i < b->shape_count; i++) {
        vo_rt_body_shape *s = &b->shapes[i];
        bool is_new = s->def.bone < 0 ? b->input.has_transform : b->input.has_bones;
        s->end = is_new || is_stale ? target_of_shape(b, &s->def) : s->current;
        s->start = teleports || is_stale ? s->end : s->current;
        s->previous = s->current = s->start;
    }
}

static void begin_rigid_mesh(vo_rt_body *b, bool teleports) {
    b->mesh_end =
        b->input.has_transform ? vo_rt_pose_from_transform(b->input.transform) : b->mesh_current;
    b->mesh_start = teleports ? b->mesh_end : b->mesh_current;
    b->mesh_previous = b->mesh_current = b->mesh_start;
}

/* Writes the host's pose into a buffer and fits its boxes. */
static void pose_vertices(vo_rt_body *b, vo_rt_surface_pose pose) {
    int count = b->surface.vertex_count;
    if (b->mesh_kind == VO_RT_MESH_SKINNED) {
        for (int i = 0; i < b->bone_count; i++)
            for (int row = 0; row < 3; row++)
                for (int k = 0; k < 4; k++)
                    b->columns[i].column[k][row] = b->bones[i].m[4 * row + k];
        b->kernels->skin(count, b->surface.bind, b->skin, b->columns, pose.vertex);
    } else {
        for (int i = 0; i < count; i++) pose.vertex[i] = b->vertices[i];
    }
    b->kernels->refit(&b->surface, pose);
}

/* Largest distance of a vertex between two poses, m. */
static float max_displacement(int count, const vo_rt_vec4 *a, const vo_rt_vec4 *b) {
    float most = 0;
    for (int i = 0; i < count; i++)
        most = f_max(most, f3_length2(f3_sub(f4_xyz(b[i]), f4_xyz(a[i]))));
    return sqrtf(most);
}

/* The current pose becomes the start; the target is written into another buffer. */
static void begin_deforming_mesh(vo_rt_body *b, bool teleports) {
    bool is_new = b->mesh_kind == VO_RT_MESH_SKINNED ? b->input.has_bones : b->input.has_vertices;
    b->mesh_start = b->mesh_end = b->mesh_previous = b->mesh_current = IDENTITY;
    b->start = b->end = b->previous = b->current;
    b->is_deforming = false;
    if (!is_new && !(b->stale & VO_RT_USE_MESH)) return;
    b->end = b->start == 0 ? 1 : 0;
    pose_vertices(b, b->pose[b->end]);
    teleports = teleports || (b->stale & VO_RT_USE_MESH);
    b->is_deforming = !teleports;
    if (teleports) b->start = b->previous = b->current = b->end;
}

static void begin_mesh(vo_rt_body *b, bool teleports) {
    if (b->mesh_kind == VO_RT_MESH_NONE) return;
    if (b->mesh_kind == VO_RT_MESH_RIGID)
        begin_rigid_mesh(b, teleports);
    else
        begin_deforming_mesh(b, teleports);
}

/* --- Bounds ----------------------------------------------------------------------------------- */

/* Adds the bounds of a local box under a pose to min and max. */
static void add_box(vo_rt_pose pose, vo_rt_vec3 low, vo_rt_vec3 high, float margin, vo_rt_vec3 *min,
                    vo_rt_vec3 *max) {
    vo_rt_vec3 c = vo_rt_pose_apply(pose, f3_lerp(low, high, 0.5f));
    vo_rt_vec3 h = f3_scale(0.5f * pose.scale, f3_sub(high, low));
    vo_rt_vec3 x = fq_rotate(pose.rotation, f3(h.x, 0, 0)),
               y = fq_rotate(pose.rotation, f3(0, h.y, 0)),
               z = fq_rotate(pose.rotation, f3(0, 0, h.z));
    vo_rt_vec3 e = f3(fabsf(x.x) + fabsf(y.x) + fabsf(z.x) + margin,
                      fabsf(x.y) + fabsf(y.y) + fabsf(z.y) + margin,
                      fabsf(x.z) + fabsf(y.z) + fabsf(z.z) + margin);
    *min = f3_min(*min, f3_sub(c, e));
    *max = f3_max(*max, f3_add(c, e));
}

static void root_bounds(const vo_rt_surface_pose *pose, vo_rt_vec3 *low, vo_rt_vec3 *high) {
    const vo_rt_box8 *b = &pose->box[0];
    *low = f3(b->low[0][0], b->low[1][0], b->low[2][0]);
    *high = f3(b->high[0][0], b->high[1][0], b->high[2][0]);
    for (int k = 1; k < VO_RT_WIDTH; k++) {
        *low = f3_min(*low, f3(b->low[0][k], b->low[1][k], b->low[2][k]));
        *high = f3_max(*high, f3(b->high[0][k], b->high[1][k], b->high[2][k]));
    }
}

static void update_bounds(vo_rt_body *b) {
    const vo_rt_vec3 low0 = f3(1e18f, 1e18f, 1e18f), high0 = f3(-1e18f, -1e18f, -1e18f);
    for (int i = 0; (b->used & VO_RT_USE_SHAPES) && i < b->shape_count; i++) {
        vo_rt_body_shape *s = &b->shapes[i];
        s->min = low0;
        s->max = high0;
        add_box(s->previous, s->local_min, s->local_max, b->offset, &s->min, &s->max);
        add_box(s->current, s->local_min, s->local_max, b->offset, &s->min, &s->max);
    }
    if (b->mesh_kind == VO_RT_MESH_NONE || !(b->used & VO_RT_USE_MESH)) return;
    vo_rt_vec3 low, high;
    b->mesh_min = low0;
    b->mesh_max = high0;
    root_bounds(&b->pose[b->previous], &low, &high);
    add_box(b->mesh_previous, low, high, b->offset, &b->mesh_min, &b->mesh_max);
    root_bounds(&b->pose[b->current], &low, &high);
    add_box(b->mesh_current, low, high, b->offset, &b->mesh_min, &b->mesh_max);
}

void vo_rt_part_add_bounds(const vo_rt_body *b, int part, vo_rt_pose pose, vo_rt_vec3 *min,
                           vo_rt_vec3 *max) {
    vo_rt_vec3 low, high;
    if (part >= 0) {
        low = b->shapes[part].local_min;
        high = b->shapes[part].local_max;
    } else {
        root_bounds(&b->pose[b->current], &low, &high);
    }
    add_box(pose, low, high, b->offset, min, max);
}

/* --- History ---------------------------------------------------------------------------------- */

static void write_history(vo_rt_body *b, int row) {
    vo_rt_pose *to = b->history + (size_t)row * ((size_t)b->shape_count + 1);
    for (int i = 0; i < b->shape_count; i++) to[i] = b->shapes[i].current;
    to[b->shape_count] = b->mesh_current;
}

static void push_history(vo_rt_body *b) {
    write_history(b, b->history_at);
    b->history_at = (b->history_at + 1) % VO_RT_HISTORY;
}

vo_rt_pose vo_rt_part_before(const vo_rt_body *b, int part, int calls) {
    int row = (b->history_at + VO_RT_HISTORY - calls) % VO_RT_HISTORY;
    int column = part < 0 ? b->shape_count : part;
    return b->history[(size_t)row * ((size_t)b->shape_count + 1) + (size_t)column];
}

/* --- Step ------------------------------------------------------------------------------------- */

void vo_rt_body_begin_step(vo_rt_body *b, float duration) {
    bool teleports = b->input.has_teleport || (b->input.is_enabled && !b->is_enabled);
    b->is_teleported = teleports || (b->used & b->stale);
    b->is_enabled = b->input.is_enabled;
    b->friction = b->input.friction;
    b->duration = isfinite(duration) && duration > 0 ? duration : 0;
    b->s = b->s_previous = 0;
    b->is_deforming = false;
    if (b->used & VO_RT_USE_SHAPES) begin_shapes(b, teleports);
    if (b->used & VO_RT_USE_MESH) begin_mesh(b, teleports);
    b->stale = VO_RT_USE_ALL & ~b->used;
    b->input.has_transform = b->input.has_bones = b->input.has_vertices = false;
    b->input.has_teleport = false;
    b->mesh_speed = 0;
    if (b->is_teleported) {
        b->motion_sum += TELEPORT_MOTION;
        for (int row = 0; row < VO_RT_HISTORY; row++) write_history(b, row);
    }
    if (b->is_deforming && b->duration > 0)
        b->mesh_speed = max_displacement(b->surface.vertex_count, b->pose[b->start].vertex,
                                         b->pose[b->end].vertex) /
                        b->duration;
    update_bounds(b);
}

/* A buffer that is neither start nor end nor the pose that becomes the previous one. */
static int spare_buffer(const vo_rt_body *b) {
    int i = 0;
    while (i == b->start || i == b->end || i == b->current) i++;
    return i;
}

static void advance_mesh(vo_rt_body *b, float s) {
    if (!b->is_deforming) {
        b->mesh_previous = b->mesh_current;
        b->mesh_current = vo_rt_pose_interpolate(b->mesh_start, b->mesh_end, s);
        return;
    }
    int to = s >= 1 ? b->end : s <= 0 ? b->start : spare_buffer(b);
    b->previous = b->current;
    b->current = to;
    if (s <= 0 || s >= 1) return;
    /* An interpolated box contains the interpolated vertices of its leaf or child. */
    const vo_rt_surface_pose *from = &b->pose[b->start], *end = &b->pose[b->end];
    size_t vertex_floats = ((size_t)b->surface.vertex_count * 4 + 7) / 8 * 8;
    size_t box_floats = (size_t)b->surface.node_count * sizeof(vo_rt_box8) / sizeof(float);
    b->kernels->interpolate(vertex_floats, &from->vertex->x, &end->vertex->x, s,
                            &b->pose[to].vertex->x);
    b->kernels->interpolate(box_floats, &from->box->low[0][0], &end->box->low[0][0], s,
                            &b->pose[to].box->low[0][0]);
}

/* Returns to the start of the step. */
static void rewind_body(vo_rt_body *b) {
    b->s = 0;
    b->mesh_current = b->mesh_start;
    b->current = b->start;
    for (int i = 0; i < b->shape_count; i++) b->shapes[i].current = b->shapes[i].start;
}

void vo_rt_body_advance(vo_rt_body *b, float s) {
    s = s > 0 ? f_min(s, 1) : 0; /* also for a NaN */
    if (s < b->s) rewind_body(b);
    push_history(b);
    b->s_previous = b->s;
    b->s = s;
    b->motion_sum += (double)vo_rt_part_motion(b);
    for (int i = 0; (b->used & VO_RT_USE_SHAPES) && i < b->shape_count; i++) {
        vo_rt_body_shape *shape = &b->shapes[i];
        shape->previous = shape->current;
        shape->current = vo_rt_pose_interpolate(shape->start, shape->end, s);
    }
    if (b->mesh_kind != VO_RT_MESH_NONE && (b->used & VO_RT_USE_MESH)) advance_mesh(b, s);
    update_bounds(b);
}

static void get_bounds(const vo_rt_body *b, bool at_end, vo_rt_vec3 *min, vo_rt_vec3 *max) {
    *min = f3(1e18f, 1e18f, 1e18f);
    *max = f3(-1e18f, -1e18f, -1e18f);
    for (int i = 0; i < b->shape_count; i++) {
        const vo_rt_body_shape *s = &b->shapes[i];
        add_box(at_end ? s->end : s->current, s->local_min, s->local_max, b->offset, min, max);
    }
    if (b->mesh_kind == VO_RT_MESH_NONE) return;
    vo_rt_vec3 low, high;
    root_bounds(&b->pose[at_end ? b->end : b->current], &low, &high);
    add_box(at_end ? b->mesh_end : b->mesh_current, low, high, b->offset, min, max);
}

/* Adds a ball in the frame of a matrix. */
static void add_ball(const vo_rt_matrix *m, vo_rt_vec3 center, float radius, vo_rt_vec3 *min,
                     vo_rt_vec3 *max) {
    const float *e = m->m;
    float x2 = e[0] * e[0] + e[4] * e[4] + e[8] * e[8],
          y2 = e[1] * e[1] + e[5] * e[5] + e[9] * e[9];
    float z2 = e[2] * e[2] + e[6] * e[6] + e[10] * e[10];
    /* The columns of a rotation have one length; the Frobenius norm bounds any matrix. */
    float largest = f_max(x2, f_max(y2, z2)), least = f_min(x2, f_min(y2, z2));
    float r = radius * sqrtf(largest < 1.01f * least ? 1.02f * largest : x2 + y2 + z2);
    vo_rt_vec3 c = fm_apply(m, center), d = f3(r, r, r);
    *min = f3_min(*min, f3_sub(c, d));
    *max = f3_max(*max, f3_add(c, d));
}

void vo_rt_body_estimate_bounds(const vo_rt_body *b, vo_rt_vec3 *min, vo_rt_vec3 *max) {
    *min = f3(1e18f, 1e18f, 1e18f);
    *max = f3(-1e18f, -1e18f, -1e18f);
    for (int i = 0; i < b->shape_count; i++) {
        const vo_rt_body_shape *s = &b->shapes[i];
        if (s->def.bone >= 0)
            add_ball(&b->bones[s->def.bone], s->ball, s->ball_radius + b->offset, min, max);
    }
    for (int i = 0; b->mesh_kind == VO_RT_MESH_SKINNED && i < b->bone_count; i++)
        if (b->bone_ball[i].w >= 0)
            add_ball(&b->bones[i], f4_xyz(b->bone_ball[i]), b->bone_ball[i].w + b->offset, min,
                     max);
}

void vo_rt_body_get_bounds(const vo_rt_body *b, vo_rt_vec3 *min, vo_rt_vec3 *max) {
    get_bounds(b, false, min, max);
}

void vo_rt_body_get_target_bounds(const vo_rt_body *b, vo_rt_vec3 *min, vo_rt_vec3 *max) {
    get_bounds(b, true, min, max);
}

void vo_rt_body_set_still(vo_rt_body *b) {
    b->s = b->s_previous = 1;
    b->duration = b->mesh_speed = 0;
    b->is_deforming = b->is_teleported = false;
    b->start = b->end = b->previous = b->current;
    b->mesh_start = b->mesh_end = b->mesh_previous = b->mesh_current;
    for (int i = 0; i < b->shape_count; i++) {
        vo_rt_body_shape *s = &b->shapes[i];
        s->start = s->end = s->previous = s->current;
    }
    if (b->mesh_kind == VO_RT_MESH_SKINNED || b->mesh_kind == VO_RT_MESH_HOST)
        b->kernels->refit(&b->surface, b->pose[b->current]);
    update_bounds(b);
}

static void shift_vertices(int count, vo_rt_vec4 *vertex, vo_rt_vec3 offset) {
    for (int i = 0; i < count; i++)
        vertex[i] = f4_make(f3_sub(f4_xyz(vertex[i]), offset), vertex[i].w);
}

void vo_rt_body_shift_origin(vo_rt_body *b, vo_rt_vec3 offset) {
    b->input.transform.position = f3_sub(b->input.transform.position, offset);
    for (int i = 0; i < b->bone_count; i++) {
        b->bones[i].m[3] -= offset.x;
        b->bones[i].m[7] -= offset.y;
        b->bones[i].m[11] -= offset.z;
    }
    for (int i = 0; i < b->shape_count; i++)
        b->shapes[i].current.position = f3_sub(b->shapes[i].current.position, offset);
    for (int i = 0; i < VO_RT_HISTORY * (b->shape_count + 1); i++)
        b->history[i].position = f3_sub(b->history[i].position, offset);
    if (b->mesh_kind == VO_RT_MESH_RIGID)
        b->mesh_current.position = f3_sub(b->mesh_current.position, offset);
    if (b->mesh_kind == VO_RT_MESH_HOST)
        shift_vertices(b->surface.vertex_count, b->vertices, offset);
    if (b->mesh_kind == VO_RT_MESH_HOST || b->mesh_kind == VO_RT_MESH_SKINNED)
        shift_vertices(b->surface.vertex_count, b->pose[b->current].vertex, offset);
    vo_rt_body_set_still(b);
}
