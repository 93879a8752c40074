/* Occluders: all meshes that can block a visibility ray, at their current positions and as
 * predicted for the end of the anticipation window.
 *
 *      camera .-----------------------.   A visibility ray starts near the frustum and ends at the
 *              `-.   a                |   camera. b is so far outside that no ray can hit it and is
 *             b   `-.       c         |   culled; in a close shot of a crowd that applies to nearly
 *                    `-.--------------'   all meshes.
 *
 * For the prediction each mesh moves rigidly: by its known transform at the end of the window, or
 * by its velocity. A body and its garments share one velocity, so layers stay inside each other.
 * Rejected: moving each node by its own velocity, which moves inner layers through outer ones
 * within a tenth of a second. */
#ifndef VO_VIEW_OCCLUDER_H
#define VO_VIEW_OCCLUDER_H

#include "math/quat.h"
#include "spatial/rays.h"
#include "view/factor.h"

typedef struct vo_occluder {
    const vo_mesh *mesh;               /* current positions; NULL: absent */
    bool absent_at_end;                /* it is absent at the end of the window */
    bool container;                    /* closed with inward faces: its walls block no ray that
                                          passes them from the front, so its content is visible
                                          from outside, as it is rendered */
    vo_vec3 velocity;                  /* m/s, rigid */
    const vo_transform *end_transform; /* from the current position to that at the end of the
                                          window; NULL: continues at its velocity */
} vo_occluder;

/* The visibility rays that will be cast: to faces near the frustum in one of the samples, by the
 * margin of `factor`, and to points in the frustum. */
typedef struct vo_ray_region {
    const vo_factor_def *factor;
    int sample_count;
    const vo_frustum_sample *sample;
    double max_edge; /* m, longest edge of these faces */
    double ahead;    /* s, length of the window */
} vo_ray_region;

typedef struct vo_occluder_set vo_occluder_set;

/* VO_BAD_ARGUMENT if the build lacks ray casting (vo_rays_available). */
vo_result vo_occluder_set_create(vo_context *ctx, vo_occluder_set **out);
void vo_occluder_set_destroy(vo_occluder_set *set); /* NULL is allowed */

/* Culls the occluders and builds the ray-casting structure of their current positions. `occluders`
 * must stay valid until the next call. */
vo_result vo_occluder_set_build(vo_occluder_set *set, int count, const vo_occluder *occluders,
                                const vo_ray_region *span);

/* Returns the number of faces that remain after culling. */
int vo_occluder_set_face_count(const vo_occluder_set *set);

/* Returns the ray-casting structure of the current positions. */
const vo_rays *vo_occluder_set_current_rays(const vo_occluder_set *set);

/* The occluders at the end of the window, translated by -offset: rays must be translated by the
 * same amount. If all occluders move alike this is the current structure; otherwise a second one is
 * built on first use. `rays` is NULL if no occluder moves. */
typedef struct vo_predicted_rays {
    const vo_rays *rays;
    vo_vec3 offset; /* m */
} vo_predicted_rays;
vo_result vo_occluder_set_predict(vo_occluder_set *set, vo_predicted_rays *out);

#endif
