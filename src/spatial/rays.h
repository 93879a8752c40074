/* Ray casting against triangles through Embree 3; only rays.c includes Embree.
 *
 * One BVH over all triangles, in single precision and watertight: no ray passes between two faces
 * with a common edge. Embree creates no threads; any number of our threads may query at the same
 * time, and the results do not depend on their number. The memory of a tree is reused by the next
 * one. Results may differ between processors, since Embree selects its kernels by instruction set.
 */
#ifndef VO_SPATIAL_RAYS_H
#define VO_SPATIAL_RAYS_H

#include "core/context.h"

typedef struct vo_rays vo_rays;

/* True if this build includes Embree. */
bool vo_rays_available(void);

/* Fails with VO_BAD_ARGUMENT in a build without Embree, VO_IO_FAILED if Embree fails. */
vo_result vo_rays_create(vo_context *ctx, vo_rays **out);
void vo_rays_destroy(vo_rays *rays); /* NULL is allowed */

/* The triangles. Arrays are borrowed until the next build or destruction. 16 bytes behind the last
 * vertex must be readable. A face is three ints (vertex indices), every `face_stride` bytes. */
typedef struct vo_rays_def {
    int vertex_count;
    const float (*x)[3];
    int face_count;
    const void *face;
    size_t face_stride;
    bool fast_build;     /* builds several times faster; queries are somewhat slower */
    bool parallel_build; /* all threads build a large tree; for occlusion queries only, because the
                            reported face of a hit may depend on the number of threads */
} vo_rays_def;
/* Builds the tree. VO_IO_FAILED if Embree fails for another reason than lack of memory. */
vo_result vo_rays_build(vo_rays *rays, const vo_rays_def *def);

typedef struct vo_ray {
    vo_vec3 origin, direction; /* direction is a unit vector */
    double t_max;              /* m, end of the ray; may be infinite */
    double t_min;              /* m, start of the ray; nearer hits are ignored */
} vo_ray;

typedef struct vo_ray_hit {
    int face;
    double u, v;     /* weights of its second and third corner */
    double distance; /* along the ray */
} vo_ray_hit;

/* Finds the nearest hit; false if there is none. */
bool vo_rays_intersect(const vo_rays *rays, const vo_ray *ray, vo_ray_hit *hit);

/* True if the ray hits any face. */
bool vo_rays_occluded(const vo_rays *rays, const vo_ray *ray);

/* Occlusion test of up to VO_RAY_BATCH rays at once, which is faster: bit i of the result is set if
 * ray i hits a face, for rays whose bit in `mask` is set. `coherent`: the rays have similar origins
 * and directions. */
enum { VO_RAY_BATCH = 8 };
unsigned vo_rays_occluded_batch(const vo_rays *rays, const vo_ray ray[VO_RAY_BATCH], unsigned mask,
                                bool coherent);

#endif
