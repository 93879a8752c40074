/* Contacts of a cloth with bodies.
 *
 *   vo_rt_body_advance(body, s_end), vo_rt_contact_find, vo_rt_solve_step, vo_rt_contact_verify
 *
 * Bodies are at the end of the minor step in both functions. `find` carries each vertex along with
 * the surface beside it, from the start of the minor step to its end: in the frame of the surface,
 * the vertex starts there, at q, and ends where the solver puts it. The nearest point of the shell
 * to q gives a tangent plane, with which the vertex collides during the substeps; the plane moves
 * with the surface and reaches the nearest point at the end of the step. Since q is on the side of
 * the surface on which the vertex was, neither fast nor thin bodies pass a vertex.
 *
 * `find` also gives each vertex a sphere around q that is free of surfaces. A vertex that ends
 * inside its sphere cannot have passed a surface, so `verify` tests only the others: it casts the
 * path from q against the surface and puts the vertex back on its side.
 *
 * A vertex that cannot be placed outside all bodies is trapped: it moves with the surface that it
 * was beside and is released when that place is outside all bodies again. */
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
    float edge_tolerance;  /* m, by which edges may dip below the shell; 0: 0.3 mm */
    int span; /* calls of vo_rt_body_advance that the move of the cloth lasts; 0: one */
    /* Contacts of the cloth, which make edge tests faster; NULL: none. */
    const struct vo_rt_contact_set *set;
    /* Spheres that the vertices must not leave, centre and radius per slot (self-collision); those
     * that would have to are trapped. NULL: none. */
    const vo_rt_vec4 *sphere;
} vo_rt_contact_bodies;

/* State per vertex slot. `hint`, `hint_body`, `anchor` and `home` are part of the state of a
 * simulation (vo_rt_contact_save); the other arrays are valid from `find` to the next change of the
 * front.
 *
 * Temporal coherence with a mesh: an anchor is a place with a bound on its distance from all
 * surfaces that are not on the same sheet as the hint. While the vertex and the body have moved
 * less than that, the nearest point is found by a walk from the hint over neighbouring triangles,
 * about ten times as fast as a search of the tree. */
typedef struct vo_rt_contact_set {
    vo_rt_contact *contact; /* [capacity]; at most two per vertex */
    int count, capacity;
    vo_rt_contact_group *group; /* [group_capacity] memory of the solver */
    int group_capacity;
    int32_t *hint; /* [hint_capacity] last feature near the vertex; -1: unknown, as after a
                      reset; -2: no surface was near */
    int hint_capacity;
    int16_t *hint_body; /* [hint_body_capacity] body of the hint, index in the world */
    int hint_body_capacity;
    vo_rt_vec4 *anchor; /* [anchor_capacity] m, a place in the frame of hint_body's mesh; w is the
                           motion sum of the body at which its clearance from other sheets (from the
                           whole mesh if hint is -2) expires; 0: none */
    int anchor_capacity;
    int32_t *home; /* [home_capacity] leaf of the tree whose sheet the anchor refers to */
    int home_capacity;
    vo_rt_vec4 *safe; /* [safe_capacity] m, a sphere free of surfaces: centre q, radius in w; after
                         `verify` the position of the vertex */
    int safe_capacity;
    vo_rt_vec4 *shell; /* [shell_capacity] normal of the nearest shell and distance from it, m, at
                          the hint; w is infinite if no surface was near */
    int shell_capacity;
    int inside;  /* vertices inside the surface of a body after the last verification: a subset of
                    the trapped ones */
    int trapped; /* trapped vertices after the last verification */
} vo_rt_contact_set;

/* Grows the arrays to the front's vertex capacity; serial part of a step. */
bool vo_rt_contact_reserve(vo_rt_contact_set *set, vo_rt_heap *heap, const vo_rt_front *front);
void vo_rt_contact_free(vo_rt_contact_set *set, vo_rt_heap *heap);
/* State of the first `count` slots for snapshots: returns the bytes; writes if `data` is not NULL.
 */
size_t vo_rt_contact_save(const vo_rt_contact_set *set, int count, void *data);
/* Restores slots and resets the others. Any contents of `data` are safe. */
void vo_rt_contact_restore(vo_rt_contact_set *set, int count, const void *data);
/* The side of the vertices is unknown: they were moved without regard to bodies, or bodies moved
 * while `find` was not called. The next `find` tests whether they are inside. */
void vo_rt_contact_reset(vo_rt_contact_set *set);

/* Finds contacts for a minor step of dt seconds, with the bodies at its end (vo_rt_body_advance).
 * The plane of a contact contains the points at `thickness` outside the shell; contact.point is its
 * place at the start of the step. */
void vo_rt_contact_find(vo_rt_contact_set *set, const vo_rt_front *front,
                        const vo_rt_contact_bodies *bodies, float thickness, float friction,
                        float dt);
/* After the solve, with the bodies and the set as `find` left them: tests the paths of the vertices
 * from front.previous to front.position relative to the moving surfaces. Afterwards no free vertex
 * is inside the surface of a body, except trapped ones; the offset of the shell is slack that the
 * solver may use. Moved vertices keep their tangential velocity. Sets VO_RT_VERTEX_CONTACT and
 * VO_RT_VERTEX_TRAPPED of all vertices. */
void vo_rt_contact_verify(vo_rt_contact_set *set, vo_rt_front *front,
                          const vo_rt_contact_bodies *bodies, float thickness, float dt);

/* Marks vertices on the wrong side of a body, by the elongation of their springs; major step. */
void vo_rt_contact_find_tangles(vo_rt_front *front);

/* Moves a vertex created inside a shell out along the mean normal of its edge's ends, or to the
 * nearest surface point where that ray fails; its velocity is preserved (7.1). */
void vo_rt_contact_place_vertex(vo_rt_front *front, const vo_rt_contact_bodies *bodies, int vertex,
                                vo_rt_vec3 direction, float thickness);
/* True if the segment between two vertices outside the shell cuts it (edge collision criterion). */
bool vo_rt_contact_edge_collides(const vo_rt_front *front, const vo_rt_contact_bodies *bodies,
                                 int a, int b);

#endif
