/* Memory of contacts; contacts of new vertices and of edges. */
#include "rt/contact/contact_private.h"

#include "rt/base/heap.h"

#include <string.h>

bool vo_rt_contact_reserve(vo_rt_contact_set *set, vo_rt_heap *heap, const vo_rt_front *front) {
    int need = front->vertex_capacity, old = set->hint_capacity;
    if (!vo_rt_heap_reserve(heap, (void **)&set->contact, &set->capacity, 2 * need,
                            sizeof *set->contact) ||
        !vo_rt_heap_reserve(heap, (void **)&set->group, &set->group_capacity,
                            vo_rt_contact_group_limit(set->capacity), sizeof *set->group) ||
        !vo_rt_heap_reserve(heap, (void **)&set->safe, &set->safe_capacity, need,
                            sizeof *set->safe) ||
        !vo_rt_heap_reserve(heap, (void **)&set->shell, &set->shell_capacity, need,
                            sizeof *set->shell) ||
        !vo_rt_heap_reserve(heap, (void **)&set->anchor, &set->anchor_capacity, need,
                            sizeof *set->anchor) ||
        !vo_rt_heap_reserve(heap, (void **)&set->home, &set->home_capacity, need,
                            sizeof *set->home) ||
        !vo_rt_heap_reserve(heap, (void **)&set->hint_body, &set->hint_body_capacity, need,
                            sizeof *set->hint_body) ||
        !vo_rt_heap_reserve(heap, (void **)&set->hint, &set->hint_capacity, need,
                            sizeof *set->hint))
        return false;
    for (int i = old; i < set->hint_capacity; i++) set->hint[i] = -1;
    return true;
}

void vo_rt_contact_free(vo_rt_contact_set *set, vo_rt_heap *heap) {
    vo_rt_heap_release(heap, set->contact, set->capacity, sizeof *set->contact);
    vo_rt_heap_release(heap, set->group, set->group_capacity, sizeof *set->group);
    vo_rt_heap_release(heap, set->safe, set->safe_capacity, sizeof *set->safe);
    vo_rt_heap_release(heap, set->shell, set->shell_capacity, sizeof *set->shell);
    vo_rt_heap_release(heap, set->anchor, set->anchor_capacity, sizeof *set->anchor);
    vo_rt_heap_release(heap, set->home, set->home_capacity, sizeof *set->home);
    vo_rt_heap_release(heap, set->hint_body, set->hint_body_capacity, sizeof *set->hint_body);
    vo_rt_heap_release(heap, set->hint, set->hint_capacity, sizeof *set->hint);
    *set = (vo_rt_contact_set){0};
}

static int smaller(int a, int b) { return a < b ? a : b; }

/* Slots that all arrays cover. */
static int common_capacity(const vo_rt_contact_set *set) {
    int end = smaller(smaller(set->hint_capacity, set->hint_body_capacity), set->safe_capacity);
    end = smaller(smaller(end, set->shell_capacity), set->anchor_capacity);
    return smaller(end, set->home_capacity);
}

int vo_rt_contact_vertex_end(const vo_rt_contact_set *set, const vo_rt_front *front) {
    return smaller(front->vertex_end, common_capacity(set));
}

void vo_rt_contact_reset(vo_rt_contact_set *set) {
    for (int i = 0; i < set->hint_capacity; i++) set->hint[i] = -1;
    set->count = 0;
}

/* --- Snapshots -------------------------------------------------------------------------------- */

typedef struct saved_slot {
    vo_rt_vec4 anchor;
    int32_t hint, hint_body, home, unused;
} saved_slot;

size_t vo_rt_contact_save(const vo_rt_contact_set *set, int count, void *data) {
    for (int i = 0; data && i < count; i++) {
        saved_slot slot = {.hint = -1};
        if (i < common_capacity(set))
            slot = (saved_slot){set->anchor[i], set->hint[i], set->hint_body[i], set->home[i], 0};
        memcpy((char *)data + (size_t)i * sizeof slot, &slot, sizeof slot);
    }
    return (size_t)count * sizeof(saved_slot);
}

void vo_rt_contact_restore(vo_rt_contact_set *set, int count, const void *data) {
    vo_rt_contact_reset(set);
    count = smaller(count, common_capacity(set));
    for (int i = 0; i < count; i++) {
        saved_slot slot;
        memcpy(&slot, (const char *)data + (size_t)i * sizeof slot, sizeof slot);
        set->anchor[i] = slot.anchor;
        set->hint[i] = slot.hint >= -2 ? slot.hint : -1;
        set->hint_body[i] = (int16_t)slot.hint_body;
        set->home[i] = slot.home;
    }
}

/* --- Colliders -------------------------------------------------------------------------------- */

/* Sets bounds and start of the motion of a collider. Deforming meshes have no poses: they are near
 * cloths that move in every call of advance only. */
static void set_motion(vo_rt_collider *c, int span) {
    vo_rt_part_bounds(c->body, c->part, &c->min, &c->max);
    c->previous = vo_rt_part_before(c->body, c->part, span > 1 ? span : 1);
    if (span > 1 && vo_rt_part_is_rigid(c->body, c->part))
        vo_rt_part_add_bounds(c->body, c->part, c->previous, &c->min, &c->max);
}

void vo_rt_contact_for_colliders(const vo_rt_contact_bodies *bodies, vo_rt_collider_fn *fn,
                                 void *user) {
    for (int slot = 0; slot < bodies->count; slot++) {
        const vo_rt_body *b = bodies->body[slot];
        bool shapes = vo_rt_body_uses_shapes(b, bodies->use_shapes[slot]);
        int begin = shapes ? 0 : VO_RT_PART_MESH, end = shapes ? b->shape_count : 0;
        if (!shapes && b->mesh_kind == VO_RT_MESH_NONE) continue;
        for (int part = begin; part < end; part++) {
            vo_rt_collider c = {b, part, slot, bodies->index[slot], {0}, {0}, {{0}, {0}, 0}};
            set_motion(&c, bodies->span);
            fn(user, &c);
        }
    }
}

typedef struct collider_list {
    vo_rt_collider *list;
    int count;
} collider_list;

static void append(void *user, const vo_rt_collider *c) {
    collider_list *l = user;
    if (l->count < VO_RT_MAX_COLLIDERS) l->list[l->count] = *c;
    l->count++;
}

int vo_rt_contact_list(const vo_rt_contact_bodies *bodies,
                       vo_rt_collider list[VO_RT_MAX_COLLIDERS]) {
    collider_list l = {list, 0};
    vo_rt_contact_for_colliders(bodies, append, &l);
    return l.count <= VO_RT_MAX_COLLIDERS ? l.count : -1;
}

/* --- New vertices ----------------------------------------------------------------------------- */

/* Where a point inside the shell leaves it: along the direction, or at the nearest point if that
 * ray is long or fails. */
static vo_rt_vec3 find_outside(const vo_rt_body *b, bool use_shapes, vo_rt_vec3 x, vo_rt_vec3 d,
                               float thickness, const vo_rt_surface_point *nearest) {
    vo_rt_surface_point exit;
    float length = 3 * f_max(-nearest->distance, 0) + 1e-4f;
    if (f3_dot(d, nearest->normal) > 0.2f &&
        vo_rt_body_find_exit(b, use_shapes, x, d, length, &exit))
        return f3_add_scaled(exit.point, thickness, exit.normal);
    return f3_add_scaled(nearest->point, thickness, nearest->normal);
}

/* Triangle of a body's mesh near a vertex; -1: unknown. */
static int32_t hint_near(const vo_rt_contact_bodies *bodies, int body, int vertex) {
    const vo_rt_contact_set *set = bodies->set;
    if (!set || vertex >= common_capacity(set) || bodies->use_shapes[body]) return -1;
    if (set->hint_body[vertex] != bodies->index[body] || set->hint[vertex] < 0) return -1;
    return set->hint[vertex] < VO_RT_SHAPE_HINT ? set->hint[vertex] : -1;
}

void vo_rt_contact_place_vertex(vo_rt_front *front, const vo_rt_contact_bodies *bodies, int vertex,
                                vo_rt_vec3 direction, float thickness) {
    vo_rt_vec3 d = f3_normalize(direction), from = f4_xyz(front->position[vertex]), x = from;
    if (!f3_is_finite(d) || !f3_is_finite(x)) return;
    bool is_inside = true;
    for (int round = 0; round < 2 && is_inside; round++) {
        is_inside = false;
        for (int i = 0; i < bodies->count; i++) {
            vo_rt_surface_point p;
            int32_t hint = hint_near(bodies, i, vertex);
            if (!vo_rt_body_find_nearest(bodies->body[i], bodies->use_shapes[i], x, 0, hint, &p))
                continue;
            x = find_outside(bodies->body[i], bodies->use_shapes[i], x, d, thickness, &p);
            is_inside = true;
        }
    }
    vo_rt_vec3 move = f3_sub(x, from), previous = f4_xyz(front->previous[vertex]);
    front->position[vertex] = f4_make(x, front->position[vertex].w);
    front->previous[vertex] = f4_make(f3_add(previous, move), front->previous[vertex].w);
}

/* --- Edges ------------------------------------------------------------------------------------ */

/* Distance by which an edge may dip below the shell before it collides, m. */
static const float EDGE_TOLERANCE = 0.0003f;

/* Tests an edge whose ends have normals and distances of one body's shell: the shell is
 * approximated by the circle through the end points with these normals, whose sagitta is an eighth
 * of the change of the normal along the edge times its length. Returns 1 or 0, or -1 if the ends
 * differ too much. */
static int test_with_normals(const vo_rt_contact_set *set, const vo_rt_front *f, int a, int b,
                             float tolerance) {
    int end = vo_rt_contact_vertex_end(set, f);
    if (a >= end || b >= end || set->hint_body[a] != set->hint_body[b]) return -1;
    vo_rt_vec4 sa = set->shell[a], sb = set->shell[b];
    if (set->hint[a] < 0 || set->hint[b] < 0 || !isfinite(sa.w) || !isfinite(sb.w)) return -1;
    vo_rt_vec3 na = f4_xyz(sa), nb = f4_xyz(sb);
    if (f3_dot(na, nb) < 0.8f) return -1;
    vo_rt_vec3 d = f3_sub(f4_xyz(f->position[b]), f4_xyz(f->position[a]));
    float sagitta = 0.125f * f3_dot(f3_sub(nb, na), d);
    return 0.5f * (sa.w + sb.w) - sagitta < -tolerance;
}

/* Smallest distance of the segment from the shell is below the tolerance: samples the segment until
 * the Lipschitz bound excludes it. */
static bool dips(const vo_rt_body *body, bool use_shapes, vo_rt_vec3 a, vo_rt_vec3 b,
                 float tolerance) {
    float length = f3_distance(a, b), step = f_max(length / 16, 0.002f), at = step;
    vo_rt_surface_point p;
    int32_t hint = -1;
    for (int i = 0; i < 16 && at < length; i++) {
        vo_rt_vec3 x = f3_lerp(a, b, at / length);
        if (!vo_rt_body_find_nearest(body, use_shapes, x, length - at, hint, &p)) return false;
        if (p.distance < -tolerance) return true;
        hint = p.feature;
        at += f_max(p.distance, step);
    }
    return false;
}

bool vo_rt_contact_edge_collides(const vo_rt_front *front, const vo_rt_contact_bodies *bodies,
                                 int a, int b) {
    float tolerance = f_max(bodies->edge_tolerance, EDGE_TOLERANCE);
    if (bodies->set) {
        int result = test_with_normals(bodies->set, front, a, b, tolerance);
        if (result >= 0) return result;
    }
    vo_rt_vec3 x = f4_xyz(front->position[a]), y = f4_xyz(front->position[b]);
    if (!f3_is_finite(x) || !f3_is_finite(y)) return false;
    for (int i = 0; i < bodies->count; i++) {
        vo_rt_vec3 min, max;
        vo_rt_body_get_bounds(bodies->body[i], &min, &max);
        if (vo_rt_overlaps(min, max, f3_min(x, y), f3_max(x, y)) &&
            dips(bodies->body[i], bodies->use_shapes[i], x, y, tolerance))
            return true;
    }
    return false;
}
