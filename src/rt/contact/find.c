/* Detection of contacts. */
#include "rt/contact/contact_private.h"

/* Surfaces closer than this to the path of a vertex give contacts, m. */
static const float MARGIN = 0.004f;
/* Bounds of surfaces are culled beyond this distance from the path, m. */
static const float CULL_MARGIN = 0.015f;

/* Best two contacts of a vertex. */
typedef struct candidate {
    vo_rt_surface_point point;
    vo_rt_vec3 q;
    int slot;
    int32_t index;
} candidate;

typedef struct finder {
    vo_rt_contact_set *set;
    const vo_rt_front *front;
    const vo_rt_contact_bodies *bodies;
    float thickness, friction, dt;
} finder;

/* A vertex during detection. */
typedef struct vertex_search {
    int vertex;
    vo_rt_vec3 x, target; /* m, position at the start, predicted position at the end */
    vo_rt_vec3 min, max;  /* m, bounds of the path and its margin */
    float margin;         /* m, of the bounds */
    bool is_deep;         /* the side of the vertex is unknown */
    bool has_culled;      /* some collider is outside the bounds */
    candidate best[2];
    int count;
    vo_rt_vec3 center; /* of the free sphere */
    float radius;      /* of the free sphere around `center` */
} vertex_search;

vo_rt_vec3 vo_rt_contact_carry(const vo_rt_collider *c, int32_t hint, vo_rt_vec3 x, float radius) {
    const vo_rt_body *b = c->body;
    if (c->part < 0 && b->is_deforming && hint < 0) {
        float moved = b->mesh_speed * b->duration * (b->s - b->s_previous);
        hint = vo_rt_part_find_previous(b, c->part, x, radius + moved);
    }
    return vo_rt_part_carry(b, c->part, hint, x);
}

/* Keeps the two nearest candidates, ordered by distance; ties in the order of the colliders. */
static void add_candidate(vertex_search *v, candidate c) {
    int at = v->count;
    while (at > 0 && c.point.distance < v->best[at - 1].point.distance) at--;
    if (at == 2) return;
    if (at == 0) v->best[1] = v->best[0];
    v->best[at] = c;
    v->count = v->count < 2 ? v->count + 1 : 2;
}

/* Limits the free sphere to one of radius r around q. */
static void limit_sphere(vertex_search *v, vo_rt_vec3 q, float r) {
    if (v->radius < 0) return;
    if (v->radius == INFINITY) {
        v->center = q;
        v->radius = f_max(r, -1);
        return;
    }
    float apart = f3_distance(q, v->center);
    if (r - apart > v->radius) return;
    if (v->radius - apart >= r) { /* the new sphere is inside the old one */
        v->center = q;
        v->radius = r;
    } else {
        v->radius = r - apart;
    }
}

static void test_collider(const finder *f, const vo_rt_collider *c, vertex_search *v) {
    int32_t hint = vo_rt_hint_for(f->set, c, v->vertex);
    vo_rt_vec3 q = vo_rt_contact_carry(c, hint, v->x, v->margin);
    float radius = f->thickness + MARGIN + f3_distance(q, v->target);
    bool is_deep = v->is_deep || c->body->is_teleported;
    candidate found = {.q = q, .slot = c->slot, .index = c->index};
    bool is_near =
        vo_rt_part_find_nearest(c->body, c->part, q, radius, hint, is_deep, &found.point);
    if (!is_near && hint >= 0 && !is_deep) /* the cloth was moved, or has left the surface */
        is_near = vo_rt_part_find_nearest(c->body, c->part, q, radius, -1, true, &found.point);
    float clearance = (is_near ? found.point.distance : radius) + c->body->offset;
    limit_sphere(v, q, clearance - 1e-5f);
    if (is_near) add_candidate(v, found);
}

static void test_body(const finder *f, int slot, vertex_search *v) {
    const vo_rt_body *b = f->bodies->body[slot];
    int begin, end;
    vo_rt_collider_range(f->bodies, slot, &begin, &end);
    for (int part = begin; part < end; part++) {
        vo_rt_vec3 min, max;
        vo_rt_part_bounds(b, part, &min, &max);
        if (!vo_rt_overlaps(min, max, v->min, v->max)) {
            v->has_culled = true;
            continue;
        }
        vo_rt_collider c = {b, part, slot, f->bodies->index[slot]};
        test_collider(f, &c, v);
    }
}

static vertex_search begin_vertex(const finder *f, int i) {
    vo_rt_vec3 x = f4_xyz(f->front->position[i]);
    vo_rt_vec3 step = f3_scale(f->dt, f4_xyz(f->front->velocity[i]));
    float length = f3_length(step), margin = f->thickness + CULL_MARGIN + 0.5f * length;
    vo_rt_vec3 m = f3(margin, margin, margin), target = f3_add(x, step);
    vertex_search v = {.vertex = i,
                       .x = x,
                       .target = target,
                       .min = f3_sub(f3_min(x, target), m),
                       .max = f3_add(f3_max(x, target), m),
                       .margin = margin,
                       .radius = INFINITY};
    /* The side is unknown after a reset, and after the cloth was moved without its contacts. */
    vo_rt_vec3 last = f4_xyz(f->set->safe[i]);
    v.is_deep = f->set->hint[i] == -1 || (f->set->hint[i] < 0 && !(f3_distance(last, x) < 1e-3f));
    return v;
}

static void emit_contact(const finder *f, const vertex_search *v, const candidate *c) {
    vo_rt_contact_set *set = f->set;
    const vo_rt_surface_point *p = &c->point;
    if (set->count == set->capacity) return;
    vo_rt_vec3 end = f3_add_scaled(p->point, f->thickness, p->normal);
    set->contact[set->count++] = (vo_rt_contact){
        .point = f3_add_scaled(end, -f->dt, p->velocity),
        .normal = p->normal,
        .velocity = p->velocity,
        .friction = f->friction * f->bodies->friction[c->slot],
        .vertex = v->vertex,
        .body = c->index,
        .feature = p->feature,
    };
}

/* Writes the results for a vertex. A trapped vertex keeps its hint, which is its side. */
static void end_vertex(const finder *f, vertex_search *v) {
    vo_rt_contact_set *set = f->set;
    int i = v->vertex;
    bool is_trapped = f->front->flags[i] & VO_RT_VERTEX_TRAPPED;
    /* The sphere around the middle of the path is inside the bounds. */
    if (v->has_culled || v->radius == INFINITY)
        limit_sphere(v, f3_lerp(v->x, v->target, 0.5f), v->margin);
    set->safe[i] = f4_make(v->center, v->radius);
    set->shell[i] =
        f4_make(v->best[0].point.normal, v->count > 0 ? v->best[0].point.distance : INFINITY);
    for (int k = 0; k < v->count; k++) {
        bool is_own = v->best[k].index == set->hint_body[i];
        if (!is_trapped || is_own) emit_contact(f, v, &v->best[k]);
    }
    if (is_trapped && set->hint[i] >= 0) return;
    set->hint[i] = v->count > 0 ? v->best[0].point.feature : -2;
    set->hint_body[i] = (int16_t)(v->count > 0 ? v->best[0].index : -1);
}

void vo_rt_contact_find(vo_rt_contact_set *set, const vo_rt_front *front,
                        const vo_rt_contact_bodies *bodies, float thickness, float friction,
                        float dt) {
    finder f = {set, front, bodies, thickness, friction, dt};
    set->count = 0;
    int end = vo_rt_contact_vertex_end(set, front);
    for (int i = 1; i < end; i++) {
        if (!vo_rt_is_free(front, i)) continue;
        vertex_search v = begin_vertex(&f, i);
        for (int slot = 0; slot < bodies->count; slot++) test_body(&f, slot, &v);
        end_vertex(&f, &v);
    }
}
