/* Contacts with round shapes. */
#include "rt/contact/round.h"

#include "math/simd_float.h"

/* Surfaces closer than this to the path of a vertex give contacts, m. */
static const float MARGIN = 0.004f;
/* Shapes farther than this from the bounds of the cloth are ignored, m. */
static const float CULL_MARGIN = 0.1f;
/* Shorter edges have no contacts of their own, m. */
static const float MIN_EDGE = 0.06f;
/* Smallest weight of an end in the contact of an edge: vertices have contacts of their own. */
static const float MIN_WEIGHT = 0.2f;
/* Smallest difference of the weights of two contacts of an edge. */
static const float MIN_SEPARATION = 0.1f;
/* A vertex that is touching: closer than this to the plane of its contact, m. */
static const float TOUCH_DISTANCE = 0.0005f;
/* Part of the length of a path by which the solver may lead it closer to a surface. */
static const float PATH_TOLERANCE = 0.25f;
enum { MAX_ROUNDS = 6 };

typedef struct round_list {
    vo_rt_round shape[VO_RT_MAX_COLLIDERS];
    int count;         /* -1: not round, or too many */
    vo_rt_vec3 motion; /* m, mean displacement of the shapes during the move */
    float max_motion;  /* m, bound on the displacement of surfaces relative to it */
    vo_rt_vec3 min, max;
} round_list;

static const vo_rt_round_kernels *select_kernels(void) {
#ifdef VO_HAVE_AVX2_KERNELS
    if (vo_simd_has_avx2()) return &vo_rt_round_kernels_avx2;
#endif
    return &vo_rt_round_kernels_base;
}

/* --- Shapes ----------------------------------------------------------------------------------- */

static bool is_round(const vo_rt_body *b, int part) {
    return part >= 0 && b->shapes[part].def.kind <= VO_RT_TAPERED_CAPSULE;
}

/* Spheres at y = low of radius a to y = high of radius b, in the shape's frame. */
typedef struct round_ends {
    float low, high, a, b;
} round_ends;

static round_ends get_ends(const vo_rt_shape *s) {
    float h = s->kind == VO_RT_SPHERE ? 0 : s->half_height;
    float b = s->kind == VO_RT_TAPERED_CAPSULE ? s->end_radius : s->radius;
    if (s->radius - b >= 2 * h) return (round_ends){-h, -h, s->radius, s->radius};
    if (b - s->radius >= 2 * h) return (round_ends){h, h, b, b};
    return (round_ends){-h, h, s->radius, b};
}

static void set_shape(vo_rt_round *r, const vo_rt_collider *c) {
    vo_rt_pose from = c->previous, to = vo_rt_part_current(c->body, c->part);
    round_ends e = get_ends(&c->body->shapes[c->part].def);
    float slope = e.high > e.low ? (e.b - e.a) / (e.high - e.low) : 0;
    *r = (vo_rt_round){.origin = vo_rt_pose_apply(from, f3(0, e.low, 0)),
                       .axis = fq_rotate(from.rotation, f3(0, 1, 0)),
                       .end_origin = vo_rt_pose_apply(to, f3(0, e.low, 0)),
                       .end_axis = fq_rotate(to.rotation, f3(0, 1, 0)),
                       .length = (e.high - e.low) * to.scale,
                       .radius = e.a * to.scale + c->body->offset,
                       .slope = slope,
                       .tangent = -slope / sqrtf(f_max(1 - slope * slope, 1e-6f)),
                       .offset = c->body->offset,
                       .turn = fq_mul(to.rotation, fq_conjugate(from.rotation)),
                       .body = c->body,
                       .part = c->part,
                       .slot = c->slot,
                       .index = c->index};
    r->shift = f3_sub(r->end_origin, fq_rotate(r->turn, r->origin));
}

static void add_shape(void *user, const vo_rt_collider *c) {
    round_list *l = user;
    if (l->count < 0 || !vo_rt_overlaps(c->min, c->max, l->min, l->max)) return;
    if (!is_round(c->body, c->part) || l->count == VO_RT_MAX_COLLIDERS) {
        l->count = -1;
        return;
    }
    vo_rt_round *r = &l->shape[l->count++];
    set_shape(r, c);
}

/* Displacements of the ends of the axes. */
static void measure_motion(round_list *l) {
    l->motion = f3(0, 0, 0);
    l->max_motion = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < l->count; k++) {
            const vo_rt_round *r = &l->shape[k];
            vo_rt_vec3 d = f3_sub(r->end_origin, r->origin);
            vo_rt_vec3 tip = f3_add_scaled(d, r->length, f3_sub(r->end_axis, r->axis));
            if (pass == 0)
                l->motion = f3_add_scaled(l->motion, 0.5f / (float)l->count, f3_add(d, tip));
            else
                l->max_motion = f_max(
                    l->max_motion, f_max(f3_distance(d, l->motion), f3_distance(tip, l->motion)));
        }
}

/* Lists the shapes near the cloth. */
static void list_shapes(round_list *l, const vo_rt_front *f, int end,
                        const vo_rt_contact_bodies *bodies) {
    l->count = 0;
    l->min = f3(INFINITY, INFINITY, INFINITY);
    l->max = f3(-INFINITY, -INFINITY, -INFINITY);
    for (int i = 1; i < end; i++) {
        if (!vo_rt_is_free(f, i)) continue;
        l->min = f3_min(l->min, f4_xyz(f->position[i]));
        l->max = f3_max(l->max, f4_xyz(f->position[i]));
    }
    vo_rt_vec3 m = f3(CULL_MARGIN, CULL_MARGIN, CULL_MARGIN);
    l->min = f3_sub(l->min, m);
    l->max = f3_add(l->max, m);
    vo_rt_contact_for_colliders(bodies, add_shape, l);
    measure_motion(l);
}

/* --- Distances -------------------------------------------------------------------------------- */

/* A unit vector perpendicular to another one. */
static vo_rt_vec3 choose_normal(vo_rt_vec3 axis) {
    vo_rt_vec3 other = fabsf(axis.x) < 0.7f ? f3(1, 0, 0) : f3(0, 1, 0);
    return f3_normalize(f3_cross(axis, other));
}

/* Signed distance of a point from a shell whose axis begins at `origin`, with the outward normal.
 */
static float find_normal(const vo_rt_round *r, vo_rt_vec3 origin, vo_rt_vec3 axis, vo_rt_vec3 x,
                         vo_rt_vec3 *normal) {
    vo_rt_vec3 d = f3_sub(x, origin);
    float along = f3_dot(d, axis), radial2 = f_max(f3_length2(d) - along * along, 0);
    float at = f_clamp(along - sqrtf(radial2) * r->tangent, 0, r->length);
    vo_rt_vec3 out = f3_add_scaled(d, -at, axis);
    float length = f3_length(out);
    *normal = length > 1e-9f ? f3_scale(1 / length, out) : choose_normal(axis);
    return length - (r->radius + r->slope * at);
}

/* --- Detection -------------------------------------------------------------------------------- */

typedef struct round_finder {
    vo_rt_contact_set *set;
    const vo_rt_front *front;
    const vo_rt_contact_bodies *bodies;
    const round_list *list;
    float thickness, friction, dt;
} round_finder;

/* A point that collides: a vertex, or a point of an edge. */
typedef struct round_point {
    int32_t vertex, other; /* other: 0 for a vertex */
    float weight;          /* of `other` */
    vo_rt_vec3 x, v;
    float sink; /* m, by which it may be below the shell */
} round_point;

static vo_rt_vec3 carry(const vo_rt_round *r, vo_rt_vec3 x) {
    return f3_add(r->shift, fq_rotate(r->turn, x));
}

/* Adds the contact of a point with a shape. False: the shape is too far from its path. *normal is
 * that of the shell at the end of the move. */
static bool emit(const round_finder *f, const round_point *p, const vo_rt_round *r,
                 vo_rt_vec3 *normal) {
    vo_rt_contact_set *set = f->set;
    vo_rt_vec3 n0, q = carry(r, p->x), target = f3_add_scaled(p->x, f->dt, p->v);
    float distance = find_normal(r, r->origin, r->axis, p->x, &n0) + p->sink;
    vo_rt_vec3 n = *normal = fq_rotate(r->turn, n0), move = f3_sub(target, q);
    float least = distance + f_min(f3_dot(n, move), 0); /* also where the path ends */
    if (!(least < f->thickness + MARGIN + PATH_TOLERANCE * f3_length(move))) return false;
    if (set->count == set->capacity) return true;
    vo_rt_vec3 from = f3_add_scaled(p->x, -distance, n0), to = f3_add_scaled(q, -distance, n);
    set->contact[set->count++] =
        (vo_rt_contact){.point = f3_add_scaled(from, f->thickness, n),
                        .normal = n,
                        .velocity = f3_scale(1 / f->dt, f3_sub(to, from)),
                        .friction = f->friction * f->bodies->friction[r->slot],
                        .vertex = p->vertex,
                        .other = p->other,
                        .other_weight = p->weight,
                        .body = r->index,
                        .feature = r->part};
    return true;
}

/* Distance at the start of the move up to which a shape can give contacts to a point. */
static float find_reach(const round_finder *f, vo_rt_vec3 v) {
    vo_rt_vec3 move = f3_sub(f3_scale(f->dt, v), f->list->motion);
    return f->thickness + MARGIN + f3_length(move) + f->list->max_motion;
}

/* Contacts and hint of a vertex. */
static void find_vertex(const round_finder *f, int i, const vo_rt_round_near *near, int lane) {
    vo_rt_contact_set *set = f->set;
    round_point p = {i, 0, 0, f4_xyz(f->front->position[i]), f4_xyz(f->front->velocity[i]), 0};
    float reach = find_reach(f, p.v);
    set->hint[i] = -2;
    set->hint_body[i] = -1;
    set->anchor[i] = f4_make(p.x, 0);
    set->home[i] = -1;
    set->shell[i] = f4_make(f3(0, 0, 0), INFINITY);
    set->safe[i] = f4_make(f3_add_scaled(p.x, f->dt, p.v), 0);
    for (int k = 0; k < 2 && near->distance[k][lane] < reach; k++) {
        const vo_rt_round *r = &f->list->shape[near->shape[k][lane]];
        vo_rt_vec3 n;
        if (!emit(f, &p, r, &n) || k > 0) continue;
        set->hint[i] = VO_RT_SHAPE_HINT | r->part;
        set->hint_body[i] = (int16_t)r->index;
        set->shell[i] = f4_make(n, near->distance[k][lane]);
    }
}

static void find_vertices(const round_finder *f, int end) {
    const vo_rt_front *front = f->front;
    const vo_rt_round_kernels *kernels = select_kernels();
    for (int begin = 1; begin < end; begin += 8) {
        int32_t slot[8];
        vo_rt_round_near near;
        for (int k = 0; k < 8; k++) slot[k] = begin + k < end ? begin + k : begin;
        kernels->find_nearest(f->list->shape, f->list->count, front->position, slot, slot, &near);
        for (int k = 0; k < 8 && begin + k < end; k++) {
            if (vo_rt_is_free(front, begin + k))
                find_vertex(f, begin + k, &near, k);
            else
                f->set->hint[begin + k] = -1;
        }
    }
}

/* Weight of b at the point of the edge a-b that is nearest to the axis of a shape, by alternating
 * projections from the middle. */
static float find_edge_weight(const vo_rt_round *r, vo_rt_vec3 a, vo_rt_vec3 b) {
    vo_rt_vec3 d = f3_sub(b, a);
    float length2 = f_max(f3_length2(d), 1e-12f), t = 0.5f;
    for (int i = 0; i < 3; i++) {
        float along = f3_dot(f3_sub(f3_lerp(a, b, t), r->origin), r->axis);
        vo_rt_vec3 p = f3_add_scaled(r->origin, f_clamp(along, 0, r->length), r->axis);
        t = f_clamp(f3_dot(f3_sub(p, a), d) / length2, MIN_WEIGHT, 1 - MIN_WEIGHT);
    }
    return t;
}

static void emit_edge(const round_finder *f, int a, int b, float t, float rest,
                      const vo_rt_round *r) {
    const vo_rt_front *front = f->front;
    vo_rt_vec3 x = f3_lerp(f4_xyz(front->position[a]), f4_xyz(front->position[b]), t), n;
    vo_rt_vec3 v = f3_lerp(f4_xyz(front->velocity[a]), f4_xyz(front->velocity[b]), t);
    float radius = f_max(f_min(r->radius, r->radius + r->slope * r->length), 0.02f);
    float sink = f_min(0.125f * rest * rest / radius, 0.25f * radius);
    emit(f, &(round_point){a, b, t, x, v, sink}, r, &n);
}

/* Contacts of an edge with the shape nearest to its middle: of the point nearest to the axis, and of
 * the middle if it is elsewhere. The first one is the one that holds: where an edge crosses a
 * thin shape, the normal at other points is nearly parallel to the edge. */
static void find_edge(const round_finder *f, int a, int b, float rest, const vo_rt_round_near *near,
                      int lane) {
    const vo_rt_front *front = f->front;
    if (!vo_rt_is_free(front, a) && !vo_rt_is_free(front, b)) return;
    vo_rt_vec3 v = f3_lerp(f4_xyz(front->velocity[a]), f4_xyz(front->velocity[b]), 0.5f);
    if (!(near->distance[0][lane] < find_reach(f, v) + 0.5f * rest)) return;
    const vo_rt_round *r = &f->list->shape[near->shape[0][lane]];
    float t = find_edge_weight(r, f4_xyz(front->position[a]), f4_xyz(front->position[b]));
    emit_edge(f, a, b, t, rest, r);
    if (fabsf(t - 0.5f) > MIN_SEPARATION) emit_edge(f, a, b, 0.5f, rest, r);
}

static bool is_long(const vo_rt_spring_group *g) {
    for (int k = 0; k < 8; k++)
        if (g->rest[k] > MIN_EDGE) return true;
    return false;
}

static void find_edges(const round_finder *f, int end) {
    const vo_rt_front *front = f->front;
    const vo_rt_round_kernels *kernels = select_kernels();
    for (int i = 0; i < front->spring_group_count; i++) {
        const vo_rt_spring_group *g = &front->springs[i];
        vo_rt_round_near near;
        if (!is_long(g)) continue;
        kernels->find_nearest(f->list->shape, f->list->count, front->position, g->a, g->b, &near);
        for (int k = 0; k < 8; k++)
            if (g->rest[k] > MIN_EDGE && g->a[k] != g->b[k] && g->a[k] < end && g->b[k] < end)
                find_edge(f, g->a[k], g->b[k], g->rest[k], &near, k);
    }
}

bool vo_rt_contact_find_round(vo_rt_contact_set *set, const vo_rt_front *front,
                              const vo_rt_contact_bodies *bodies, float thickness, float friction,
                              float dt) {
    round_list list;
    int end = vo_rt_contact_vertex_end(set, front);
    if (!(dt > 0)) return false;
    list_shapes(&list, front, end, bodies);
    if (list.count < 0) return false;
    round_finder f = {set, front, bodies, &list, thickness, friction, dt};
    set->count = 0;
    find_vertices(&f, end);
    if (list.count > 0) find_edges(&f, end);
    return true;
}

/* --- Verification ----------------------------------------------------------------------------- */

/* Shape whose surface the point is deepest in at the end of the move; NULL: none. */
static const vo_rt_round *find_deepest(const round_list *l, vo_rt_vec3 x, float *distance,
                                       vo_rt_vec3 *normal) {
    const vo_rt_round *deepest = NULL;
    float least = 0;
    for (int k = 0; k < l->count; k++) {
        const vo_rt_round *r = &l->shape[k];
        vo_rt_vec3 n;
        float d = find_normal(r, r->end_origin, r->end_axis, x, &n);
        if (!(d + r->offset < least)) continue;
        least = d + r->offset;
        deepest = r;
        *distance = d;
        *normal = n;
    }
    return deepest;
}

/* Moves a vertex inside a surface to the shell, in rounds until it is outside all surfaces. */
static void move_out(const round_list *l, const vo_rt_contact_bodies *bodies,
                     vo_rt_contact_set *set, vo_rt_front *f, int i, float dt) {
    vo_rt_vec3 x = f4_xyz(f->position[i]), v = f4_xyz(f->velocity[i]), n = f3(0, 0, 0);
    float d = 0;
    const vo_rt_round *r;
    for (int round = 0; round < MAX_ROUNDS && (r = find_deepest(l, x, &d, &n)); round++) {
        vo_rt_vec3 from = fq_rotate(fq_conjugate(r->turn), f3_sub(x, r->shift));
        float approach = f3_dot(f3_add_scaled(v, -1 / dt, f3_sub(x, from)), n);
        x = f3_add_scaled(x, -d, n);
        if (approach < 0) v = f3_add_scaled(v, -approach, n);
    }
    x = vo_rt_contact_limit(bodies, i, x);
    f->position[i] = f4_make(x, f->position[i].w);
    f->velocity[i] = f4_make(v, f->velocity[i].w);
    if (!find_deepest(l, x, &d, &n)) return;
    f->flags[i] |= VO_RT_VERTEX_TRAPPED;
    set->trapped++;
    set->inside++;
}

static void mark_contacts(vo_rt_contact_set *set, vo_rt_front *f, float dt) {
    for (int i = 0; i < set->count; i++) {
        const vo_rt_contact *c = &set->contact[i];
        if (c->other) continue;
        vo_rt_vec3 plane = f3_add_scaled(c->point, dt, c->velocity);
        float d = f3_dot(c->normal, f3_sub(f4_xyz(f->position[c->vertex]), plane));
        if (d < TOUCH_DISTANCE) f->flags[c->vertex] |= VO_RT_VERTEX_CONTACT;
    }
}

bool vo_rt_contact_verify_round(vo_rt_contact_set *set, vo_rt_front *f,
                                const vo_rt_contact_bodies *bodies, float dt) {
    round_list list;
    int end = vo_rt_contact_vertex_end(set, f);
    if (!(dt > 0)) return false;
    list_shapes(&list, f, end, bodies);
    if (list.count < 0) return false;
    const vo_rt_round_kernels *kernels = select_kernels();
    set->inside = set->trapped = 0;
    for (int begin = 1; begin < end; begin += 8) {
        int32_t slot[8];
        for (int k = 0; k < 8; k++) slot[k] = begin + k < end ? begin + k : begin;
        unsigned inside = kernels->find_inside(list.shape, list.count, f->position, slot);
        for (int k = 0; k < 8 && begin + k < end; k++) {
            int i = begin + k;
            f->flags[i] &= (uint8_t) ~(VO_RT_VERTEX_CONTACT | VO_RT_VERTEX_TRAPPED);
            set->trapped += (f->flags[i] & VO_RT_VERTEX_TANGLED) != 0;
            if ((inside >> k & 1) && vo_rt_is_free(f, i)) move_out(&list, bodies, set, f, i, dt);
            set->safe[i] = f4_make(f4_xyz(f->position[i]), 0);
        }
    }
    mark_contacts(set, f, dt);
    return true;
}
