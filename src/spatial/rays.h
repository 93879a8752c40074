/* Rays against triangles, through Embree 3, which only rays.c knows.
 *
 * A single tree over all triangles of a moment, in single precision and watertight: no ray slips
 * through between two faces with a common edge. Embree is told to use no threads of its own; any
 * number of ours may ask at the same time, and what they hear does not depend on how many they are.
 * The memory of a tree serves the next one. Another processor may round differently, since Embree
 * picks the instructions it finds. */
#ifndef VO_SPATIAL_RAYS_H
#define VO_SPATIAL_RAYS_H

#include "core/context.h"

typedef struct vo_rays vo_rays;

/* Whether this build can. */
bool vo_rays_available(void);

/* VO_BAD_CALL where this build has no Embree, VO_IO_FAILED where it has one that fails. */
vo_result vo_rays_create(vo_context *ctx, vo_rays **out);
void vo_rays_destroy(vo_rays *rays); /* NULL is allowed */

/* The triangles. Arrays are not copied and must stay until the next call or the end. There must be
 * room for 16 bytes more behind the last vertex. Three ints every `face_stride` bytes are the
 * vertices of a face. */
typedef struct vo_rays_def {
    int vertex_count;
    const float (*x)[3];
    int face_count;
    const void *face;
    size_t face_stride;
    bool quick;  /* a tree that is made several times faster, and somewhat slower to ask */
    bool shared; /* all threads make it, where it is large; only for vo_rays_blocked and the like */
} vo_rays_def;
/* VO_IO_FAILED where Embree fails for another reason than want of memory. */
vo_result vo_rays_set(vo_rays *rays, const vo_rays_def *def);

typedef struct vo_ray {
    vo_vec3 from, direction; /* a unit vector */
    double length;           /* may be infinite */
    double start;            /* what is nearer than this is not met; not taken off the length */
} vo_ray;

typedef struct vo_ray_hit {
    int face;
    double u, v;     /* weights of its second and third corner */
    double distance; /* along the ray */
} vo_ray_hit;

/* The nearest face; false if there is none. */
bool vo_rays_hit(const vo_rays *rays, const vo_ray *ray, vo_ray_hit *hit);

/* Whether there is any. */
bool vo_rays_blocked(const vo_rays *rays, const vo_ray *ray);

/* The same of up to VO_RAYS_TOGETHER rays at once, which is faster: bit i is set if ray i meets
 * anything, for rays whose bit in `mask` is set. `alike`: they start near each other and go nearly
 * the same way. */
enum { VO_RAYS_TOGETHER = 8 };
unsigned vo_rays_blocked_together(const vo_rays *rays, const vo_ray ray[VO_RAYS_TOGETHER],
                                  unsigned mask, bool alike);

#endif
