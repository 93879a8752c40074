/* Contacts of a cloth with bodies.
 *
 * Once per minor step the nearest point of each body's shell within a radius is found for each
 * vertex (temporal coherence: the last feature is the hint); the vertex then collides with the
 * moving tangent plane there during the solver's substeps, and the path of the vertex is verified
 * afterwards: a vertex that ended inside the shell is moved out, one that crossed a thin part is
 * put back on its side. */
#ifndef VO_RT_CONTACT_CONTACT_H
#define VO_RT_CONTACT_CONTACT_H

#include "rt/body/body.h"
#include "rt/hierarchy/mesh.h"
#include "rt/solve/solve.h"

/* Bodies that a cloth may touch, selected by mask and bounds. */
typedef struct vo_rt_contact_bodies {
    int count;
    vo_rt_body *const *body;
    const int32_t *index; /* in the world */
    const bool *use_shapes;
    const float *friction; /* of each body */
} vo_rt_contact_bodies;

typedef struct vo_rt_contact_set {
    vo_rt_contact *contact; /* [capacity]; at most two per vertex */
    int count, capacity;
    int32_t *hint;      /* [hint_capacity] last feature per vertex slot; -1 none */
    int16_t *hint_body; /* body of the hint, index in the world */
    int hint_capacity;
    int inside, trapped; /* counters of the last verification */
} vo_rt_contact_set;

/* Grows the arrays to the front's vertex capacity; serial part of a step. */
bool vo_rt_contact_reserve(vo_rt_contact_set *set, vo_rt_heap *heap, const vo_rt_front *front);
void vo_rt_contact_free(vo_rt_contact_set *set, vo_rt_heap *heap);

/* Finds contacts for a minor step of dt seconds. */
void vo_rt_contact_find(vo_rt_contact_set *set, const vo_rt_front *front,
                        const vo_rt_contact_bodies *bodies, float thickness, float friction,
                        float dt);
/* After the solve, with the bodies at the end of the minor step: moves vertices that are inside the
 * shell out of it, keeping their tangential velocity; tests paths from front.previous to
 * front.position against the shell relative to the moving surface. Marks vertices that cannot be
 * placed outside all bodies as trapped. */
void vo_rt_contact_verify(vo_rt_contact_set *set, vo_rt_front *front,
                          const vo_rt_contact_bodies *bodies, float thickness, float dt);

/* Moves a vertex created inside a shell out along the mean normal of its edge's ends, or to the
 * nearest surface point where that ray fails; its velocity is preserved (7.1). */
void vo_rt_contact_place_vertex(vo_rt_front *front, const vo_rt_contact_bodies *bodies, int vertex,
                                vo_rt_vec3 direction, float thickness);
/* True if the segment between two vertices outside the shell cuts it (edge collision criterion). */
bool vo_rt_contact_edge_collides(const vo_rt_front *front, const vo_rt_contact_bodies *bodies,
                                 int a, int b);

#endif
