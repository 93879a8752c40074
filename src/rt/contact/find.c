/* Detection of contacts. */
#include "rt/contact/contact_private.h"

/* Surfaces closer than this to the path of a vertex give contacts, m. */
static const float MARGIN = 0.004f;
/* Part of the distance from a sheet found by a walk that is certainly free. */
static const float SHEET_SAFETY = 0.7f;
/* Bounds of surfaces are culled beyond this distance from the path, m. */
static const float CULL_MARGIN = 0.015f;

/* Other sheets of a mesh are searched up to this distance, m. */
static const float CLEARANCE_LIMIT = 0.1f;

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
    vo_rt_vec4 anchor; /* of the first mesh that was tested, see vo_rt_contact_set */
    int32_t anchor_body, anchor_hint, home;
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

/* Bound on the distance of q from other sheets (or from the whole mesh if hint is -2), from the
 * anchor of an earlier step; negative: none. */
static float find_bound(const finder *f, const vo_rt_collider *c, const vertex_search *v,
                        vo_rt_vec3 q) {
    const vo_rt_contact_set *set = f->set;
    int i = v->vertex;
    if (c->part >= 0 || set->hint[i] == -1 || set->hint_body[i] != c->index) return -1;
    if (c->body->is_teleported || !(set->anchor[i].w > 0)) return -1;
    float bound = set->anchor[i].w - f3_distance(v->x, f4_xyz(set->anchor[i]));
    if (c->body->is_deforming) bound -= vo_rt_part_motion(c->body) + f3_distance(v->x, q);
    return bound;
}

/* Keeps the anchor of the first mesh. */
static void set_anchor(vertex_search *v, const vo_rt_collider *c, vo_rt_vec3 q, float bound,
                       int32_t hint, int32_t home) {
    if (v->anchor_body >= 0) return;
    v->anchor = f4_make(q, bound);
    v->anchor_body = c->index;
    v->anchor_hint = hint;
    v->home = home;
}

/* Finds the nearest point by temporal coherence; false if a search is necessary. */
static bool track_collider(const finder *f, const vo_rt_collider *c, vertex_search *v, vo_rt_vec3 q,
                           float radius) {
    int32_t hint = f->set->hint[v->vertex], home = f->set->home[v->vertex];
    float bound = find_bound(f, c, v, q), offset = c->body->offset;
    if (bound < radius + offset) return false;
    if (hint < 0) { /* still far from the whole mesh */
        set_anchor(v, c, q, bound, -2, -1);
        limit_sphere(v, q, bound);
        return true;
    }
    candidate found = {.q = q, .slot = c->slot, .index = c->index};
    if (!vo_rt_part_walk(c->body, q, hint, home, &found.point)) return false;
    if (found.point.distance < -0.5f * offset || found.point.distance > bound) return false;
    set_anchor(v, c, q, bound, found.point.feature, home);
    /* A walk finds a local minimum: bumps of the sheet may be nearer. */
    limit_sphere(v, q, f_min(bound, SHEET_SAFETY * (found.point.distance + offset)));
    if (found.point.distance < radius) add_candidate(v, found);
    return true;
}

/* Finds the nearest point by a search of the tree, or of a shape. */
static void search_collider(const finder *f, const vo_rt_collider *c, vertex_search *v,
                            vo_rt_vec3 q, float radius) {
    int32_t hint = vo_rt_hint_for(f->set, c, v->vertex);
    bool is_deep = v->is_deep || c->body->is_teleported;
    candidate found = {.q = q, .slot = c->slot, .index = c->index};
    bool is_near =
        vo_rt_part_find_nearest(c->body, c->part, q, radius, hint, is_deep, &found.point);
    if (!is_near && hint >= 0 && !is_deep) /* the cloth was moved, or has left the surface */
        is_near = vo_rt_part_find_nearest(c->body, c->part, q, radius, -1, true, &found.point);
    float clearance = (is_near ? found.point.distance : radius) + c->body->offset;
    limit_sphere(v, q, clearance - 1e-5f);
    if (is_near) add_candidate(v, found);
    if (c->part >= 0 || v->anchor_body >= 0) return;
    int32_t home = is_near ? found.point.feature / VO_RT_WIDTH : -1;
    float bound = vo_rt_part_clearance(c->body, q, home, CLEARANCE_LIMIT);
    set_anchor(v, c, q, bound, is_near ? found.point.feature : -2, home);
}

static void test_collider(const finder *f, const vo_rt_collider *c, vertex_search *v) {
    int32_t hint = vo_rt_hint_for(f->set, c, v->vertex);
    /* The carried place matters only near the surface; finding it beside a deforming mesh is slow. */
    bool is_far = hint < 0 && c->body->is_deforming && find_bound(f, c, v, v->x) > v->margin;
    vo_rt_vec3 q = is_far ? v->x : vo_rt_contact_carry(c, hint, v->x, v->margin);
    float radius = f->thickness + MARGIN + f3_distance(q, v->target);
    if (!track_collider(f, c, v, q, radius)) search_collider(f, c, v, q, radius);
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
                       .radius = INFINITY,
                       .anchor_body = -1};
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

/* Stores the feature nearest to the vertex, or the one that it is tracking, and the anchor if it
 * belongs to the same body. */
static void store_hint(vo_rt_contact_set *set, const vertex_search *v, bool keeps_hint) {
    int i = v->vertex;
    bool has_contact = v->count > 0;
    if (!keeps_hint) {
        set->hint[i] = has_contact           ? v->best[0].point.feature
                       : v->anchor_body >= 0 ? v->anchor_hint
                                             : -2;
        set->hint_body[i] = (int16_t)(has_contact ? v->best[0].index : v->anchor_body);
    }
    bool is_valid = v->anchor_body >= 0 && v->anchor_body == set->hint_body[i] &&
                    v->anchor_hint == set->hint[i];
    set->anchor[i] = is_valid ? v->anchor : f4_make(v->x, 0);
    set->home[i] = is_valid ? v->home : -1;
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
    store_hint(set, v, is_trapped && set->hint[i] >= 0);
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
