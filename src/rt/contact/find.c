/* Detection of contacts. */
#include "rt/contact/contact_private.h"
#include "rt/contact/round.h"

/* Surfaces closer than this to the path of a vertex give contacts, m. */
static const float MARGIN = 0.004f;
/* Part of the distance from a sheet found by a walk that is certainly free. */
static const float SHEET_SAFETY = 0.7f;
/* Bounds of surfaces are culled beyond this distance from the path, m. */
static const float CULL_MARGIN = 0.015f;

/* Other sheets of a mesh are searched up to this distance, m. */
static const float CLEARANCE_LIMIT = 0.1f;
/* Deforming meshes are tracked up to this distance, with this much clearance, m. */
static const float TRACK_DISTANCE = 0.05f, TRACK_MARGIN = 0.002f;

/* A surface point near a vertex. */
typedef struct candidate {
    vo_rt_surface_point point;
    int part, slot; /* of the collider */
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
    candidate storage[3];
    candidate *best[2], *spare; /* the nearest two, and one to be filled */
    int count;
    vo_rt_vec3 center; /* of the free sphere */
    float radius;      /* of the free sphere around `center` */
    vo_rt_vec4 anchor; /* of the first mesh that was tested, see vo_rt_contact_set */
    int32_t anchor_body, anchor_hint, home;
} vertex_search;

vo_rt_vec3 vo_rt_contact_carry(const vo_rt_collider *c, int32_t hint, vo_rt_vec3 x, float radius) {
    const vo_rt_body *b = c->body;
    if (vo_rt_part_is_rigid(b, c->part)) return vo_rt_part_carry_from(b, c->part, c->previous, x);
    if (c->part < 0 && b->is_deforming && hint < 0)
        hint = vo_rt_part_find_previous(b, c->part, x, radius + vo_rt_part_motion(b));
    return vo_rt_part_carry(b, c->part, hint, x);
}

/* Inserts the spare candidate, which is of collider c, into the nearest two. Ties stay in the order
 * of the colliders. */
static void add_candidate(vertex_search *v, const vo_rt_collider *c) {
    candidate *new = v->spare;
    float distance = new->point.distance;
    new->part = c->part;
    new->slot = c->slot;
    new->index = c->index;
    int at = v->count;
    while (at > 0 && distance < v->best[at - 1]->point.distance) at--;
    if (at == 2) return;
    if (v->count == 2)
        v->spare = v->best[1];
    else
        v->spare = &v->storage[++v->count];
    if (at == 0) v->best[1] = v->best[0];
    v->best[at] = new;
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

/* Motion sum of a body, rounded up so that the difference of two is not too small. */
static float motion_sum(const vo_rt_body *b) { return (float)(b->motion_sum * (1 + 2e-7)); }

float vo_rt_contact_bound(const vo_rt_contact_set *set, const vo_rt_collider *c, int i,
                          vo_rt_vec3 q) {
    vo_rt_vec4 a = set->anchor[i];
    if (c->part >= 0 || set->hint[i] == -1 || set->hint_body[i] != c->index || !(a.w > 0))
        return -1;
    float left = a.w - motion_sum(c->body);
    if (!(left <= CLEARANCE_LIMIT)) return -1; /* from another time */
    return left - f3_distance(vo_rt_part_to_frame(c->body, q), f4_xyz(a));
}

/* The anchor of a vertex at q with clearance from other sheets. */
static vo_rt_vec4 make_anchor(const vo_rt_collider *c, vo_rt_vec3 q, float clearance) {
    float expiry = (float)((c->body->motion_sum + (double)clearance) * (1 - 2e-7));
    return f4_make(vo_rt_part_to_frame(c->body, q), expiry);
}

/* Keeps the anchor of the first mesh. */
static void set_anchor(vertex_search *v, const vo_rt_collider *c, vo_rt_vec4 anchor, int32_t hint,
                       int32_t home) {
    if (v->anchor_body >= 0) return;
    v->anchor = anchor;
    v->anchor_body = c->index;
    v->anchor_hint = hint;
    v->home = home;
}

/* Finds the nearest point by temporal coherence; false if a search is necessary. */
static bool track_collider(const finder *f, const vo_rt_collider *c, vertex_search *v, vo_rt_vec3 q,
                           float radius) {
    int32_t hint = f->set->hint[v->vertex], home = f->set->home[v->vertex];
    vo_rt_vec4 anchor = f->set->anchor[v->vertex];
    float bound = vo_rt_contact_bound(f->set, c, v->vertex, q), offset = c->body->offset;
    if (bound < radius + offset) return false;
    if (hint < 0) { /* still far from the whole mesh */
        set_anchor(v, c, anchor, -2, -1);
        limit_sphere(v, q, bound);
        return true;
    }
    vo_rt_surface_point *found = &v->spare->point;
    if (!vo_rt_part_walk(c->body, q, hint, home, found)) return false;
    if (found->distance < -0.5f * offset || found->distance > bound) return false;
    set_anchor(v, c, anchor, found->feature, home);
    /* A walk finds a local minimum: bumps of the sheet may be nearer. */
    limit_sphere(v, q, f_min(bound, SHEET_SAFETY * (found->distance + offset)));
    if (found->distance < radius) add_candidate(v, c);
    return true;
}

/* The same beside a deforming mesh, whose motion invalidates clearances within a step: the
 * clearance is measured again, which is fast because the walk limits it to the neighbourhood. */
static bool track_deforming(const finder *f, const vo_rt_collider *c, vertex_search *v,
                            vo_rt_vec3 q, float radius) {
    int32_t hint = vo_rt_hint_for(f->set, c, v->vertex), home = hint / VO_RT_WIDTH;
    if (hint < 0 || v->is_deep || c->body->is_teleported) return false;
    vo_rt_surface_point *found = &v->spare->point;
    float offset = c->body->offset;
    if (!vo_rt_part_walk(c->body, q, hint, home, found)) return false;
    if (found->distance < -0.5f * offset || found->distance > TRACK_DISTANCE) return false;
    float need = f_max(radius, found->distance) + offset;
    float bound = vo_rt_part_clearance(c->body, q, home, need + TRACK_MARGIN);
    if (bound < need) return false;
    set_anchor(v, c, make_anchor(c, q, bound), found->feature, found->feature / VO_RT_WIDTH);
    limit_sphere(v, q, f_min(bound, SHEET_SAFETY * (found->distance + offset)));
    if (found->distance < radius) add_candidate(v, c);
    return true;
}

/* True if a vertex that was far from the mesh may be inside: body or vertex moved by more than the
 * distance, as they do while a cloth sleeps. */
static bool has_lost_side(const finder *f, const vo_rt_collider *c, int i, vo_rt_vec3 q) {
    return c->part < 0 && f->set->hint[i] == -2 && f->set->hint_body[i] == c->index &&
           vo_rt_contact_bound(f->set, c, i, q) <= 0;
}

/* Finds the nearest point by a search of the tree, or of a shape. */
static void search_collider(const finder *f, const vo_rt_collider *c, vertex_search *v,
                            vo_rt_vec3 q, float radius) {
    int32_t hint = vo_rt_hint_for(f->set, c, v->vertex);
    bool is_deep = v->is_deep || c->body->is_teleported || has_lost_side(f, c, v->vertex, q);
    vo_rt_surface_point *found = &v->spare->point;
    bool is_tracked = c->part < 0 && c->body->is_deforming;
    float reach = is_tracked ? f_max(radius, TRACK_DISTANCE) : radius;
    bool is_near = vo_rt_part_find_nearest(c->body, c->part, q, reach, hint, is_deep, found);
    if (!is_near && hint >= 0 && !is_deep) /* the cloth was moved, or has left the surface */
        is_near = vo_rt_part_find_nearest(c->body, c->part, q, reach, -1, true, found);
    limit_sphere(v, q, (is_near ? found->distance : reach) + c->body->offset - 1e-5f);
    if (c->part < 0 && v->anchor_body < 0) {
        int32_t home = is_near ? found->feature / VO_RT_WIDTH : -1;
        float bound =
            is_tracked && is_near ? 0 : vo_rt_part_clearance(c->body, q, home, CLEARANCE_LIMIT);
        set_anchor(v, c, make_anchor(c, q, bound), is_near ? found->feature : -2, home);
    }
    if (is_near && found->distance < radius) add_candidate(v, c);
}

static void test_collider(const finder *f, const vo_rt_collider *c, vertex_search *v) {
    int32_t hint = vo_rt_hint_for(f->set, c, v->vertex);
    /* The carried place matters only near the surface; finding it beside a deforming mesh is slow.
     */
    bool is_far = hint < 0 && c->body->is_deforming &&
                  vo_rt_contact_bound(f->set, c, v->vertex, v->x) > v->margin;
    vo_rt_vec3 q = is_far ? v->x : vo_rt_contact_carry(c, hint, v->x, v->margin);
    float radius = f->thickness + MARGIN + f3_distance(q, v->target);
    bool is_tracked = c->part < 0 && c->body->is_deforming && hint >= 0
                          ? track_deforming(f, c, v, q, radius)
                          : track_collider(f, c, v, q, radius);
    if (!is_tracked) search_collider(f, c, v, q, radius);
}

static void begin_vertex(const finder *f, int i, vertex_search *v) {
    vo_rt_vec3 x = f4_xyz(f->front->position[i]);
    vo_rt_vec3 step = f3_scale(f->dt, f4_xyz(f->front->velocity[i]));
    float margin = f->thickness + CULL_MARGIN + 0.5f * f3_length(step);
    vo_rt_vec3 m = f3(margin, margin, margin);
    v->vertex = i;
    v->x = x;
    v->target = f3_add(x, step);
    v->min = f3_sub(f3_min(x, v->target), m);
    v->max = f3_add(f3_max(x, v->target), m);
    v->margin = margin;
    v->has_culled = false;
    v->spare = &v->storage[0];
    v->count = 0;
    v->radius = INFINITY;
    v->anchor_body = -1;
    /* The side is unknown after a reset, and after the cloth was moved without its contacts. */
    int32_t hint = f->set->hint[i];
    v->is_deep =
        hint == -1 || (hint < 0 && !(f3_length2(f3_sub(f4_xyz(f->set->safe[i]), x)) < 1e-6f));
}

static void emit_contact(const finder *f, int vertex, const candidate *c) {
    vo_rt_contact_set *set = f->set;
    const vo_rt_surface_point *p = &c->point;
    if (set->count == set->capacity) return;
    vo_rt_contact *to = &set->contact[set->count++];
    vo_rt_vec3 end = f3_add_scaled(p->point, f->thickness, p->normal);
    to->point = f3_add_scaled(end, -f->dt, p->velocity);
    to->normal = p->normal;
    to->velocity = p->velocity;
    to->friction = f->friction * f->bodies->friction[c->slot];
    to->vertex = vertex;
    to->other = 0;
    to->body = c->index;
    to->feature = p->feature;
    to->impulse = 0;
    to->force_impulse = f3(0, 0, 0);
}

static int32_t hint_of(const candidate *c) {
    return c->part < 0 ? c->point.feature : VO_RT_SHAPE_HINT | c->point.feature;
}

/* Stores the feature nearest to the vertex, or the one that it is tracking, and the anchor if it
 * belongs to the same body. */
static void store_hint(vo_rt_contact_set *set, const vertex_search *v, bool keeps_hint) {
    int i = v->vertex;
    bool has_contact = v->count > 0;
    if (!keeps_hint) {
        set->hint[i] = has_contact           ? hint_of(v->best[0])
                       : v->anchor_body >= 0 ? v->anchor_hint
                                             : -2;
        set->hint_body[i] = (int16_t)(has_contact ? v->best[0]->index : v->anchor_body);
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
    set->shell[i] = v->count > 0 ? f4_make(v->best[0]->point.normal, v->best[0]->point.distance)
                                 : f4_make(f3(0, 0, 0), INFINITY);
    for (int k = 0; k < v->count; k++) {
        bool is_own = v->best[k]->index == set->hint_body[i];
        if (!is_trapped || is_own) emit_contact(f, i, v->best[k]);
    }
    store_hint(set, v, is_trapped && set->hint[i] >= 0);
}

/* Arguments of test_if_near. */
typedef struct search_arg {
    const finder *finder;
    vertex_search *vertex;
} search_arg;

static void test_if_near(void *user, const vo_rt_collider *c) {
    const search_arg *arg = user;
    if (vo_rt_overlaps(c->min, c->max, arg->vertex->min, arg->vertex->max))
        test_collider(arg->finder, c, arg->vertex);
    else
        arg->vertex->has_culled = true;
}

/* Loads data for the walk of a later vertex into the cache; the first collider is the usual one. */
static void prefetch_walk(const vo_rt_contact_set *set, const vo_rt_collider *c, int i, int end,
                          bool vertices) {
    if (i >= end || c->part >= 0) return;
    int32_t hint = vo_rt_hint_for(set, c, i);
    if (hint >= 0) vo_rt_part_prefetch(c->body, hint, vertices);
}

void vo_rt_contact_find(vo_rt_contact_set *set, const vo_rt_front *front,
                        const vo_rt_contact_bodies *bodies, float thickness, float friction,
                        float dt) {
    if (vo_rt_contact_find_round(set, front, bodies, thickness, friction, dt)) return;
    finder f = {set, front, bodies, thickness, friction, dt};
    vo_rt_collider list[VO_RT_MAX_COLLIDERS];
    vertex_search v;
    set->count = 0;
    int end = vo_rt_contact_vertex_end(set, front);
    int count = vo_rt_contact_list(bodies, list);
    search_arg arg = {&f, &v};
    for (int i = 1; i < end; i++) {
        if (count > 0) {
            prefetch_walk(set, &list[0], i + 16, end, false);
            prefetch_walk(set, &list[0], i + 8, end, true);
        }
        if (!vo_rt_is_free(front, i)) {
            set->hint[i] = -1;
            continue;
        }
        begin_vertex(&f, i, &v);
        for (int k = 0; k < count; k++) test_if_near(&arg, &list[k]);
        if (count < 0) vo_rt_contact_for_colliders(bodies, test_if_near, &arg);
        end_vertex(&f, &v);
    }
}
