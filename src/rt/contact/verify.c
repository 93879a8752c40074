/* Verification of the paths of vertices after the solve. */
#include "rt/contact/contact_private.h"
#include "rt/contact/round.h"

/* A vertex that is touching: closer than this to the plane of its contact, m. */
static const float TOUCH_DISTANCE = 0.0005f;
/* Surfaces this far from the bounds of a path are tested, m: hints are as far away. */
static const float BOUNDS_MARGIN = 0.02f;
enum { MAX_ROUNDS = 4 };

typedef struct verifier {
    vo_rt_contact_set *set;
    vo_rt_front *front;
    const vo_rt_contact_bodies *bodies;
    float dt;
} verifier;

/* Removes the part of a velocity that approaches the surface. */
static vo_rt_vec3 slide(vo_rt_vec3 v, const vo_rt_surface_point *p) {
    float approach = f3_dot(f3_sub(v, p->velocity), p->normal);
    return approach < 0 ? f3_add_scaled(v, -approach, p->normal) : v;
}

/* Position and velocity of a vertex that is being corrected. */
typedef struct state {
    vo_rt_vec3 x, v;
    bool is_changed;
} state;

static void set_state(state *s, vo_rt_vec3 x, const vo_rt_surface_point *p) {
    s->x = x;
    s->v = slide(s->v, p);
    s->is_changed = true;
}

/* True if x is inside the surface of the collider; the hint makes the test faster. */
static bool is_inside(const vo_rt_collider *c, int32_t hint, vo_rt_vec3 x) {
    vo_rt_surface_point p;
    return vo_rt_part_find_nearest(c->body, c->part, x, -c->body->offset, hint, true, &p);
}

/* True if the segment from q, outside, reaches the level. */
static bool is_blocked(const vo_rt_collider *c, vo_rt_vec3 q, vo_rt_vec3 x, float level) {
    float t;
    vo_rt_surface_point p;
    return vo_rt_part_cast(c->body, c->part, q, x, level, &t, &p);
}

/* The path of a vertex from q enters the surface at `hit`: the vertex slides along the shell there,
 * stays at the point of entry, or at q, whichever is the first that is outside. */
static void put_back(const vo_rt_collider *c, int32_t hint, vo_rt_vec3 q, float level,
                     const vo_rt_surface_point *hit, state *s) {
    float depth = f3_dot(hit->normal, f3_sub(hit->point, s->x));
    vo_rt_vec3 along = f3_add_scaled(s->x, f_max(depth, 0), hit->normal);
    vo_rt_vec3 places[2] = {along, hit->point};
    for (int k = 0; k < 2; k++)
        if (!is_inside(c, hint, places[k]) && !is_blocked(c, q, places[k], level)) {
            set_state(s, places[k], hit);
            return;
        }
    set_state(s, q, hit);
}

/* Moves a vertex to the outside of one collider. */
static void separate(const verifier *v, const vo_rt_collider *c, int i, state *s) {
    vo_rt_vec3 start = f4_xyz(v->front->previous[i]);
    int32_t hint = vo_rt_hint_for(v->set, c, i);
    float offset = c->body->offset, length = f3_distance(start, s->x);
    vo_rt_vec3 q = vo_rt_contact_carry(c, hint, start, length);
    vo_rt_surface_point p;
    float path = f3_distance(q, s->x);
    bool is_near = vo_rt_part_find_nearest(c->body, c->part, q, path + 1e-4f, hint, true, &p);
    if (!is_near) return; /* no surface between q and x */
    if (p.distance > -offset) {
        float level = f_min(0.5f * offset, 0.5f * (p.distance + offset)), t;
        if (vo_rt_part_cast(c->body, c->part, q, s->x, level, &t, &p)) {
            put_back(c, hint, q, level, &p, s);
            return;
        }
    }
    /* On the right side, or the side is unknown: to the nearest point of the shell. */
    if (vo_rt_part_find_nearest(c->body, c->part, s->x, 0, hint, true, &p))
        set_state(s, p.point, &p);
}

typedef void collider_fn(const verifier *v, const vo_rt_collider *c, int i, state *s);

typedef struct visit_arg {
    const verifier *verifier;
    int vertex;
    state *state;
    collider_fn *fn;
    bool stops; /* at the first change */
} visit_arg;

static void visit_if_near(void *user, const vo_rt_collider *c) {
    const visit_arg *arg = user;
    state *s = arg->state;
    vo_rt_vec3 start = f4_xyz(arg->verifier->front->previous[arg->vertex]);
    vo_rt_vec3 m = f3(BOUNDS_MARGIN, BOUNDS_MARGIN, BOUNDS_MARGIN);
    if (arg->stops && s->is_changed) return;
    if (vo_rt_overlaps(f3_sub(c->min, m), f3_add(c->max, m), f3_min(start, s->x),
                       f3_max(start, s->x)))
        arg->fn(arg->verifier, c, arg->vertex, s);
}

/* Calls fn for all colliders near the path of a vertex; stops when *s changes if `stops`. */
static void for_colliders(const verifier *v, int i, state *s, collider_fn *fn, bool stops) {
    visit_arg arg = {v, i, s, fn, stops};
    vo_rt_contact_for_colliders(v->bodies, visit_if_near, &arg);
}

static void mark_inside(const verifier *v, const vo_rt_collider *c, int i, state *s) {
    if (is_inside(c, vo_rt_hint_for(v->set, c, i), s->x)) s->is_changed = true;
}

/* True if x is inside any surface. */
static bool is_inside_any(const verifier *v, int i, vo_rt_vec3 x) {
    state s = {.x = x};
    for_colliders(v, i, &s, mark_inside, true);
    return s.is_changed;
}

/* Moves with the surface of the hint, on its outside. */
static void follow_hint(const verifier *v, const vo_rt_collider *c, int i, state *s) {
    int32_t hint = vo_rt_hint_for(v->set, c, i);
    if (hint < 0) return;
    vo_rt_vec3 start = f4_xyz(v->front->previous[i]);
    vo_rt_vec3 q = vo_rt_contact_carry(c, hint, start, 0);
    vo_rt_surface_point p;
    if (vo_rt_part_find_nearest(c->body, c->part, q, 0, hint, true, &p) &&
        p.distance < -0.5f * c->body->offset)
        q = p.point;
    s->x = q;
    s->v = v->dt > 0 ? f3_scale(1 / v->dt, f3_sub(q, start)) : f3(0, 0, 0);
    s->is_changed = true;
}

/* State of a trapped vertex: beside its surface, or where it was. */
static state hold(const verifier *v, int i) {
    state s = {.x = f4_xyz(v->front->previous[i])};
    for_colliders(v, i, &s, follow_hint, true);
    return s;
}

/* Full test of a vertex: rounds over all colliders until none moves it. */
static state resolve(const verifier *v, int i) {
    state s = {f4_xyz(v->front->position[i]), f4_xyz(v->front->velocity[i]), false};
    for (int round = 0; round < MAX_ROUNDS; round++) {
        s.is_changed = false;
        for_colliders(v, i, &s, separate, false);
        if (!s.is_changed) break;
    }
    return s;
}

/* Moves a vertex back into its sphere. */
static state limit(const verifier *v, int i, state s) {
    s.x = vo_rt_contact_limit(v->bodies, i, s.x);
    return s;
}

static void verify_vertex(const verifier *v, int i) {
    vo_rt_front *f = v->front;
    bool was_trapped = f->flags[i] & VO_RT_VERTEX_TRAPPED, is_trapped = false;
    state s = limit(v, i, was_trapped ? hold(v, i) : resolve(v, i));
    if (is_inside_any(v, i, s.x)) {
        is_trapped = true;
        if (!was_trapped) s = limit(v, i, hold(v, i));
    }
    v->set->trapped += is_trapped;
    v->set->inside += is_trapped && is_inside_any(v, i, s.x);
    f->flags[i] &= (uint8_t)~VO_RT_VERTEX_TRAPPED;
    if (is_trapped) f->flags[i] |= VO_RT_VERTEX_TRAPPED;
    f->position[i] = f4_make(s.x, f->position[i].w);
    f->velocity[i] = f4_make(s.v, f->velocity[i].w);
}

/* True if the vertex has moved along the sheet of its hint: the path stayed within the clearance
 * from other sheets, and the new place is outside the sheet, which is a height field there. Tested
 * if the mesh is the only collider. */
static bool is_beside_sheet(const verifier *v, const vo_rt_collider *mesh, int i, vo_rt_vec3 x) {
    vo_rt_surface_point p;
    int32_t hint = mesh ? vo_rt_hint_for(v->set, mesh, i) : -1;
    return hint >= 0 && vo_rt_contact_bound(v->set, mesh, i, x) > 0 &&
           vo_rt_part_walk(mesh->body, x, hint, v->set->home[i], &p) &&
           p.distance > -0.9f * mesh->body->offset;
}

/* Marks the vertices that touch a plane. */
static void mark_contacts(const verifier *v) {
    vo_rt_front *f = v->front;
    for (int i = 0; i < v->set->count; i++) {
        const vo_rt_contact *c = &v->set->contact[i];
        vo_rt_vec3 plane = f3_add_scaled(c->point, v->dt, c->velocity);
        float d = f3_dot(c->normal, f3_sub(f4_xyz(f->position[c->vertex]), plane));
        if (d < TOUCH_DISTANCE) f->flags[c->vertex] |= VO_RT_VERTEX_CONTACT;
    }
}

void vo_rt_contact_verify(vo_rt_contact_set *set, vo_rt_front *front,
                          const vo_rt_contact_bodies *bodies, float thickness, float dt) {
    if (vo_rt_contact_verify_round(set, front, bodies, dt)) return;
    verifier v = {set, front, bodies, dt};
    (void)thickness;
    set->inside = set->trapped = 0;
    int end = vo_rt_contact_vertex_end(set, front);
    vo_rt_collider list[VO_RT_MAX_COLLIDERS];
    bool is_single = vo_rt_contact_list(bodies, list) == 1 && list[0].part < 0;
    const vo_rt_collider *mesh = is_single ? &list[0] : NULL;
    for (int i = 1; i < end; i++) {
        front->flags[i] &= (uint8_t)~VO_RT_VERTEX_CONTACT;
        set->trapped += (front->flags[i] & VO_RT_VERTEX_TANGLED) != 0;
        if (!vo_rt_is_free(front, i)) continue;
        vo_rt_vec3 x = f4_xyz(front->position[i]), r = f3_sub(x, f4_xyz(set->safe[i]));
        float radius = set->safe[i].w;
        bool is_safe = radius > 0 && f3_length2(r) <= radius * radius;
        bool is_trapped = front->flags[i] & VO_RT_VERTEX_TRAPPED;
        if (f3_is_finite(x) && (is_trapped || (!is_safe && !is_beside_sheet(&v, mesh, i, x))))
            verify_vertex(&v, i);
        set->safe[i] = f4_make(f4_xyz(front->position[i]), 0);
    }
    mark_contacts(&v);
}
