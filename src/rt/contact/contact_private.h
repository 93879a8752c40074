/* Helpers shared by the files of contact/. */
#ifndef VO_RT_CONTACT_CONTACT_PRIVATE_H
#define VO_RT_CONTACT_CONTACT_PRIVATE_H

#include "rt/body/body_private.h"
#include "rt/contact/contact.h"

/* A part of one of the bodies near a cloth. */
typedef struct vo_rt_collider {
    const vo_rt_body *body;
    int part;
    int slot;            /* in vo_rt_contact_bodies */
    int32_t index;       /* of the body in the world */
    vo_rt_vec3 min, max; /* m, bounds of its shell during the move */
    vo_rt_pose previous; /* of a shape or rigid mesh at the start of the move */
} vo_rt_collider;

/* Colliders that are listed; more are enumerated for each vertex. */
enum { VO_RT_MAX_COLLIDERS = 64 };

/* True if the boxes overlap. */
static inline bool vo_rt_overlaps(vo_rt_vec3 min0, vo_rt_vec3 max0, vo_rt_vec3 min1,
                                  vo_rt_vec3 max1) {
    return min0.x <= max1.x && min1.x <= max0.x && min0.y <= max1.y && min1.y <= max0.y &&
           min0.z <= max1.z && min1.z <= max0.z;
}

/* Hints of shapes have this bit, so that they are never taken for triangles. */
enum { VO_RT_SHAPE_HINT = 1 << 30 };

/* Hint of a vertex for a collider: a triangle, or the part if it was beside this shape; -1: none.
 */
static inline int32_t vo_rt_hint_for(const vo_rt_contact_set *set, const vo_rt_collider *c, int i) {
    int32_t hint = set->hint[i];
    if (hint < 0 || set->hint_body[i] != c->index) return -1;
    if (c->part >= 0) return hint == (VO_RT_SHAPE_HINT | c->part) ? c->part : -1;
    return hint < c->body->surface.leaf_count * VO_RT_WIDTH ? hint : -1;
}

/* True if a vertex collides with bodies. */
static inline bool vo_rt_is_free(const vo_rt_front *f, int i) {
    const uint8_t flags = f->flags[i] & (VO_RT_VERTEX_USED | VO_RT_VERTEX_TANGLED);
    return flags == VO_RT_VERTEX_USED && f->position[i].w > 0;
}

/* The place q of a vertex, which was at x when the minor step began, carried along with the surface
 * of a collider. `motion` bounds the displacement of the vertex, m: a deforming mesh is searched
 * for the surface beside x if it may have come that close. */
vo_rt_vec3 vo_rt_contact_carry(const vo_rt_collider *c, int32_t hint, vo_rt_vec3 x, float radius);

/* Bound on the distance of q from other sheets of a mesh, or from the whole mesh if the hint is -2,
 * by the anchor of a vertex; negative: none. */
float vo_rt_contact_bound(const vo_rt_contact_set *set, const vo_rt_collider *c, int i,
                          vo_rt_vec3 q);

/* Moves the place of a vertex back into its sphere (vo_rt_contact_bodies.sphere). */
static inline vo_rt_vec3 vo_rt_contact_limit(const vo_rt_contact_bodies *bodies, int i,
                                             vo_rt_vec3 x) {
    if (!bodies->sphere) return x;
    vo_rt_vec4 sphere = bodies->sphere[i];
    vo_rt_vec3 d = f3_sub(x, f4_xyz(sphere));
    float length = f3_length(d);
    return length > sphere.w ? f3_add_scaled(f4_xyz(sphere), sphere.w / length, d) : x;
}

/* Lists all colliders and returns their number; -1 if there are more than fit. */
int vo_rt_contact_list(const vo_rt_contact_bodies *bodies,
                       vo_rt_collider list[VO_RT_MAX_COLLIDERS]);
/* Calls fn for all colliders. */
typedef void vo_rt_collider_fn(void *user, const vo_rt_collider *collider);
void vo_rt_contact_for_colliders(const vo_rt_contact_bodies *bodies, vo_rt_collider_fn *fn,
                                 void *user);
/* Vertex slots that the arrays of the set cover. */
int vo_rt_contact_vertex_end(const vo_rt_contact_set *set, const vo_rt_front *front);

#endif
