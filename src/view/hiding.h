/* What may be between an eye and what it looks at: all meshes that can meet a line of sight, as
 * they are now, and as they will be at the end of the window.
 *
 *      eye .-----------------------.          A line of sight begins near the frame and ends at the
 *           `-.   a                |          eye. b is so far out of it that none can pass there,
 *       b      `-.       c         |          and is left out; of a crowd before a close shot that
 *                 `-.--------------'          is nearly everybody.
 *
 * Later every mesh has moved as a whole: to where it is known to be, or with the velocity that
 * comes with it. A body and what it wears have the same, so that layers stay within each other.
 * Rejected: moving every node by its own velocity, which takes inner layers through outer ones
 * within a tenth of a second. */
#ifndef VO_VIEW_HIDING_H
#define VO_VIEW_HIDING_H

#include "math/quat.h"
#include "spatial/rays.h"
#include "view/factor.h"

typedef struct vo_hiding {
    const vo_mesh *mesh;      /* where it is now; NULL: it is not there */
    bool gone;                /* at the end of the window */
    vo_vec3 velocity;         /* m/s, of it as a whole */
    const vo_transform *then; /* from there to where it is at the end of the window; NULL: it goes
                                 on with its velocity */
} vo_hiding;

/* Which lines of sight are going to be asked about: those of faces that are near the frame at one
 * of the moments, by the margin of `factor`, and of points in the frame. */
typedef struct vo_hiding_span {
    const vo_factor_def *factor;
    int moment_count;
    const vo_moment *moment;
    double longest; /* m, edge of such a face */
    double ahead;   /* s, from now to the end of the window */
} vo_hiding_span;

typedef struct vo_hiders vo_hiders;

/* VO_BAD_CALL where this build has no rays (vo_rays_available). */
vo_result vo_hiders_create(vo_context *ctx, vo_hiders **out);
void vo_hiders_destroy(vo_hiders *h); /* NULL is allowed */

/* The array stays until the next call. */
vo_result vo_hiders_set(vo_hiders *h, int count, const vo_hiding *hiding,
                        const vo_hiding_span *span);

/* Faces that are looked through, after what was left out; for tests. */
int vo_hiders_face_count(const vo_hiders *h);

const vo_rays *vo_hiders_now(const vo_hiders *h);

/* The world at the end of the window, without `carried`: what is in it, and whoever looks, is to be
 * moved back by that. Where all move alike it is the world as it is now, else one that is made when
 * it is first asked for. `rays` is NULL where nothing moves. */
typedef struct vo_later {
    const vo_rays *rays;
    vo_vec3 carried; /* m */
} vo_later;
vo_result vo_hiders_later(vo_hiders *h, vo_later *out);

#endif
