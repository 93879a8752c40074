/* Helpers shared by the files of contact/. */
#ifndef VO_RT_CONTACT_CONTACT_PRIVATE_H
#define VO_RT_CONTACT_CONTACT_PRIVATE_H

#include "rt/body/body_private.h"
#include "rt/contact/contact.h"

/* A part of one of the bodies near a cloth. */
typedef struct vo_rt_collider {
    const vo_rt_body *body;
    int part;
    int slot;      /* in vo_rt_contact_bodies */
    int32_t index; /* of the body in the world */
} vo_rt_collider;

/* Parts of body `slot`: begin to end - 1. */
static inline void vo_rt_collider_range(const vo_rt_contact_bodies *bodies, int slot, int *begin,
                                        int *end) {
    const vo_rt_body *b = bodies->body[slot];
    bool shapes = vo_rt_body_uses_shapes(b, bodies->use_shapes[slot]);
    *begin = shapes ? 0 : VO_RT_PART_MESH;
    *end = shapes ? b->shape_count : b->mesh_kind == VO_RT_MESH_NONE ? VO_RT_PART_MESH : 0;
}

/* True if the boxes overlap. */
static inline bool vo_rt_overlaps(vo_rt_vec3 min0, vo_rt_vec3 max0, vo_rt_vec3 min1,
                                  vo_rt_vec3 max1) {
    return min0.x <= max1.x && min1.x <= max0.x && min0.y <= max1.y && min1.y <= max0.y &&
           min0.z <= max1.z && min1.z <= max0.z;
}

/* Hint of a vertex for a collider; -1: none. */
static inline int32_t vo_rt_hint_for(const vo_rt_contact_set *set, const vo_rt_collider *c, int i) {
    return set->hint[i] >= 0 && set->hint_body[i] == c->index ? set->hint[i] : -1;
}

static inline bool vo_rt_is_free(const vo_rt_front *f, int i) {
    return (f->flags[i] & VO_RT_VERTEX_USED) && f->position[i].w > 0;
}

/* The place q of a vertex, which was at x when the minor step began, carried along with the surface
 * of a collider. `motion` bounds the displacement of the vertex, m: a deforming mesh is searched
 * for the surface beside x if it may have come that close. */
vo_rt_vec3 vo_rt_contact_carry(const vo_rt_collider *c, int32_t hint, vo_rt_vec3 x, float radius);

/* Vertex slots that the arrays of the set cover. */
int vo_rt_contact_vertex_end(const vo_rt_contact_set *set, const vo_rt_front *front);

#endif
