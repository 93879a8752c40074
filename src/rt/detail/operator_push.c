/* Moves the nodes of a detail mesh out of bodies, so that upsampling adds no penetration.
 *
 * Nodes are processed in blocks of 64 with bounding boxes. Spheres, capsules and planes that
 * overlap the box of a block are tested eight nodes at a time; other shapes and meshes first with
 * the ball around the block, then with balls around eight nodes, then with each node: a signed
 * distance changes by at most the distance between two points. A node that is still inside a body
 * after some rounds is between surfaces: it moves towards a base vertex that is outside all bodies,
 * as far as the first surface that this path meets. Attached nodes stay where the host puts them.
 */
#include "rt/detail/operator.h"

#include <string.h>

enum {
    BLOCK = 64,       /* nodes */
    MAX_SHAPES = 128, /* round shapes; further ones are tested like meshes */
    ROUNDS = 4,
    LANES = 8
};
/* Nodes keep at least this distance from surfaces, m, against rounding. */
static const float MIN_LEVEL = 1e-4f;

typedef struct pusher {
    const vo_rt_upsample_frame *frame;
    vo_rt_upsample *u;
    int shape_count;
    vo_rt_push_shape shape[MAX_SHAPES];
    int listed[VO_RT_MAX_PUSH_BODIES]; /* parts of each body that are in `shape`, the first ones */
} pusher;

/* Nodes of a block and the round shapes near them. */
typedef struct block {
    vo_rt_vec4 *node; /* [BLOCK] */
    int first, count; /* count: a multiple of LANES */
    vo_rt_vec3 min, max;
    int shape_count;
    const vo_rt_push_shape *shape[MAX_SHAPES];
    uint64_t moved, suspect; /* bits of the nodes */
} block;

static bool overlaps(vo_rt_vec3 min0, vo_rt_vec3 max0, vo_rt_vec3 min1, vo_rt_vec3 max1) {
    return min0.x <= max1.x && min1.x <= max0.x && min0.y <= max1.y && min1.y <= max0.y &&
           min0.z <= max1.z && min1.z <= max0.z;
}

/* Distance from the shell of a body that nodes keep. */
static float get_level(const pusher *p, const vo_rt_body *body) {
    return f_max(p->frame->thickness, MIN_LEVEL - body->offset);
}

/* --- Round shapes --------------------------------------------------------------------------- */

/* False: the shape is not round. */
static bool make_shape(const vo_rt_body_shape *s, float offset, float level,
                       vo_rt_push_shape *out) {
    const vo_rt_shape *d = &s->def;
    vo_rt_pose pose = s->current;
    vo_rt_vec3 axis = fq_rotate(pose.rotation, f3(0, 1, 0));
    float scale = pose.scale, half = d->kind == VO_RT_SPHERE ? 0 : d->half_height * scale;
    float margin = offset + level;
    *out = (vo_rt_push_shape){.origin = pose.position, .axis = axis, .level = margin};
    if (d->kind == VO_RT_PLANE) {
        out->length = -1;
        out->radius = margin;
        return scale > 1e-6f;
    }
    if (d->kind > VO_RT_TAPERED_CAPSULE || !(scale > 1e-6f)) return false;
    float r0 = d->radius * scale;
    float r1 = d->kind == VO_RT_TAPERED_CAPSULE ? d->end_radius * scale : r0;
    float sine = half > 0 ? (r1 - r0) / (2 * half) : 0;
    if (fabsf(sine) >= 1) { /* one sphere contains the other */
        out->origin = f3_add_scaled(pose.position, r0 >= r1 ? -half : half, axis);
        out->radius = f_max(r0, r1) + margin;
        return true;
    }
    out->origin = f3_add_scaled(pose.position, -half, axis);
    out->length = 2 * half;
    out->radius = r0 + margin;
    out->slope = sine;
    out->tangent = -sine / sqrtf(1 - sine * sine);
    return true;
}

static void set_shape_bounds(const vo_rt_body_shape *s, float level, vo_rt_push_shape *out) {
    vo_rt_vec3 m = f3(level, level, level);
    out->min = f3_sub(s->min, m);
    out->max = f3_add(s->max, m);
}

/* Lists the round shapes of a body; returns how many of its parts they are. */
static int list_shapes(pusher *p, const vo_rt_body *body, bool use_shapes) {
    float level = get_level(p, body);
    if (!vo_rt_body_uses_shapes(body, use_shapes)) return 0;
    for (int i = 0; i < body->shape_count; i++) {
        if (p->shape_count == MAX_SHAPES ||
            !make_shape(&body->shapes[i], body->offset, level, &p->shape[p->shape_count]))
            return i;
        set_shape_bounds(&body->shapes[i], level, &p->shape[p->shape_count++]);
    }
    return body->shape_count;
}

static void push_round(const pusher *p, block *b) {
    for (int i = 0; i < b->count && b->shape_count > 0; i += LANES) {
        vo_rt_push_bits bits =
            p->frame->kernels->push(b->shape, b->shape_count, ROUNDS, b->node + i);
        b->moved |= (uint64_t)bits.moved << i;
        b->suspect |= (uint64_t)bits.inside << i;
    }
}

/* --- Other parts ------------------------------------------------------------------------------ */

/* Ball around consecutive nodes. */
static float find_ball(const vo_rt_vec4 *node, int count, vo_rt_vec3 *center) {
    vo_rt_vec3 low = f4_xyz(node[0]), high = low;
    for (int i = 1; i < count; i++) {
        low = f3_min(low, f4_xyz(node[i]));
        high = f3_max(high, f4_xyz(node[i]));
    }
    *center = f3_lerp(low, high, 0.5f);
    return 0.5f * f3_distance(low, high);
}

/* A part of a body, and the last feature found there. */
typedef struct part_query {
    const vo_rt_body *body;
    int part;
    float level;
    int32_t hint;
} part_query;

/* Moves nodes whose ball has the signed distance `distance` from the shell. */
static bool push_nodes(part_query *q, block *b, int first, int count, float reach) {
    bool moved = false;
    for (int i = first; i < first + count; i++) {
        vo_rt_surface_point s;
        vo_rt_vec3 x = f4_xyz(b->node[i]);
        if (b->node[i].w >= 1 ||
            !vo_rt_part_find_nearest(q->body, q->part, x, reach, q->hint, true, &s))
            continue;
        q->hint = s.feature;
        if (!(s.distance < q->level)) continue;
        b->node[i] = f4_make(f3_add_scaled(x, q->level - s.distance, s.normal), 0);
        b->moved |= (uint64_t)1 << i;
        moved = true;
    }
    return moved;
}

static bool push_part(part_query *q, block *b) {
    vo_rt_surface_point s;
    vo_rt_vec3 center;
    float radius = find_ball(b->node, b->count, &center);
    bool moved = false;
    if (!vo_rt_part_find_nearest(q->body, q->part, center, radius + q->level, q->hint, true, &s))
        return false;
    q->hint = s.feature;
    for (int i = 0; i < b->count; i += LANES) {
        radius = find_ball(b->node + i, LANES, &center) + q->level;
        if (!vo_rt_part_find_nearest(q->body, q->part, center, radius, q->hint, true, &s)) continue;
        q->hint = s.feature;
        moved |= push_nodes(q, b, i, LANES, f_max(s.distance, 0) + 2 * radius);
    }
    return moved;
}

/* All parts that are not listed as round shapes. */
static bool push_others(const pusher *p, block *b) {
    const vo_rt_upsample_frame *f = p->frame;
    bool moved = false;
    for (int k = 0; k < f->body_count; k++) {
        const vo_rt_body *body = f->body[k];
        bool shapes = vo_rt_body_uses_shapes(body, f->use_shapes[k]);
        int end = shapes ? body->shape_count : body->mesh_kind == VO_RT_MESH_NONE ? -1 : 0;
        for (int part = shapes ? p->listed[k] : VO_RT_PART_MESH; part < end; part++) {
            vo_rt_vec3 min, max;
            float level = get_level(p, body);
            vo_rt_part_bounds(body, part, &min, &max);
            vo_rt_vec3 m = f3(level, level, level);
            part_query q = {body, part, level, -1};
            if (overlaps(b->min, b->max, f3_sub(min, m), f3_add(max, m))) moved |= push_part(&q, b);
        }
    }
    return moved;
}

/* --- Nodes between surfaces ------------------------------------------------------------------- */

static bool is_inside_any(const vo_rt_upsample_frame *f, vo_rt_vec3 x) {
    for (int k = 0; k < f->body_count; k++)
        if (vo_rt_body_contains(f->body[k], f->use_shapes[k], x)) return true;
    return false;
}

/* Fraction of the way from a, outside all bodies, to x at which it meets a part. */
static float cast_part(const vo_rt_body *body, int part, vo_rt_vec3 a, vo_rt_vec3 x) {
    vo_rt_surface_point s;
    float t;
    if (!vo_rt_part_find_nearest(body, part, a, f3_distance(a, x), -1, true, &s)) return 1;
    float level = f_min(0.5f * body->offset, 0.5f * (s.distance + body->offset));
    return vo_rt_part_cast(body, part, a, x, level, &t, &s) ? t : 1;
}

static vo_rt_vec3 cast_bodies(const vo_rt_upsample_frame *f, vo_rt_vec3 a, vo_rt_vec3 x) {
    float least = 1;
    for (int k = 0; k < f->body_count; k++) {
        const vo_rt_body *body = f->body[k];
        bool shapes = vo_rt_body_uses_shapes(body, f->use_shapes[k]);
        int end = shapes ? body->shape_count : body->mesh_kind == VO_RT_MESH_NONE ? -1 : 0;
        for (int part = shapes ? 0 : VO_RT_PART_MESH; part < end; part++)
            least = f_min(least, cast_part(body, part, a, x));
    }
    return f3_lerp(a, x, least);
}

/* Moves a node towards the base vertices of its row; false if it stays inside a body. */
static bool resolve_node(const pusher *p, int node, vo_rt_vec4 *x) {
    const vo_rt_asset_detail *d = &p->frame->asset->detail;
    if (!is_inside_any(p->frame, f4_xyz(*x))) return true;
    for (int k = d->base_first[node]; k < d->base_first[node + 1]; k++) {
        vo_rt_vec3 a = f4_xyz(p->u->last[d->base_column[k]]);
        if (is_inside_any(p->frame, a)) continue;
        vo_rt_vec3 y = cast_bodies(p->frame, a, f4_xyz(*x));
        *x = f4_make(is_inside_any(p->frame, y) ? a : y, 0);
        return true;
    }
    return false;
}

/* --- Blocks ----------------------------------------------------------------------------------- */

static void find_box(block *b) {
    b->min = b->max = f4_xyz(b->node[0]);
    for (int i = 1; i < b->count; i++) {
        b->min = f3_min(b->min, f4_xyz(b->node[i]));
        b->max = f3_max(b->max, f4_xyz(b->node[i]));
    }
}

static int count_bits(uint64_t bits) {
    int count = 0;
    for (; bits; bits &= bits - 1) count++;
    return count;
}

static void resolve_block(const pusher *p, block *b) {
    p->u->pushed += count_bits(b->moved);
    for (int i = 0; i < b->count && b->suspect; i++)
        if (b->suspect >> i & 1 && !resolve_node(p, b->first + i, &b->node[i])) p->u->inside++;
}

static void push_block(const pusher *p, block *b) {
    b->shape_count = 0;
    b->moved = 0;
    find_box(b);
    for (int k = 0; k < p->shape_count; k++)
        if (overlaps(b->min, b->max, p->shape[k].min, p->shape[k].max))
            b->shape[b->shape_count++] = &p->shape[k];
    for (int round = 0; round < ROUNDS; round++) {
        b->suspect = 0;
        push_round(p, b);
        if (!push_others(p, b)) break;
        b->suspect = b->moved;
        find_box(b);
    }
    resolve_block(p, b);
}

void vo_rt_upsample_push(vo_rt_upsample *u, const vo_rt_upsample_frame *f) {
    pusher p;
    block b;
    p.frame = f;
    p.u = u;
    p.shape_count = 0;
    for (int k = 0; k < f->body_count; k++)
        p.listed[k] = list_shapes(&p, f->body[k], f->use_shapes[k]);
    for (int i = f->asset->detail.node_count; i < u->padded; i++) /* as attached ones */
        u->current[i] = f4_make(f4_xyz(u->current[f->asset->detail.node_count - 1]), 1);
    for (b.first = 0; b.first < u->padded; b.first += BLOCK) {
        b.node = u->current + b.first;
        b.count = u->padded - b.first < BLOCK ? u->padded - b.first : BLOCK;
        push_block(&p, &b);
    }
}
