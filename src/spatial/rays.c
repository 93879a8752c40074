#include "spatial/rays.h"

#include "core/memory.h"
#include "core/parallel.h"

#include <stdatomic.h>
#include <stdio.h>

#ifdef VO_HAVE_EMBREE

#include <embree3/rtcore.h>

struct vo_rays {
    vo_context *ctx;
    RTCDevice device;
    RTCScene scene;          /* reused with its memory by every build */
    unsigned geometry_count; /* geometries have the ids 0 to geometry_count - 1 */
    atomic_int error;        /* first RTCError that has not been reported yet */
};

/* Trees of fewer faces are built by one thread; waking others would take longer. */
enum { PARALLEL_FACES = 4096 };

bool vo_rays_available(void) { return true; }

/* Embree reports errors from any building thread; stores the first one. */
static void store_error(void *user, enum RTCError error, const char *text) {
    vo_rays *rays = user;
    int none = RTC_ERROR_NONE;
    (void)text;
    atomic_compare_exchange_strong(&rays->error, &none, (int)error);
}

/* Converts an Embree error into a result and message. */
static vo_result fail_embree(vo_rays *rays, const char *doing) {
    int error = atomic_exchange(&rays->error, RTC_ERROR_NONE);
    if (!rays->device) error = (int)rtcGetDeviceError(NULL);
    if (error == RTC_ERROR_OUT_OF_MEMORY) return vo_fail_memory(rays->ctx, "rays");
    return vo_fail(rays->ctx, VO_IO_FAILED, "Embree: %s failed with error %d", doing, error);
}

/* Opens a device without threads of its own; our threads may join a build. */
static RTCDevice open_device(const vo_context *ctx) {
    char config[96];
    snprintf(config, sizeof config, "threads=1,user_threads=%d,set_affinity=0,verbose=0",
             vo_threads_count(ctx->threads));
    return rtcNewDevice(config);
}

vo_result vo_rays_create(vo_context *ctx, vo_rays **out) {
    vo_rays *rays = vo_new(ctx, vo_rays);
    *out = NULL;
    if (!rays) return vo_fail_memory(ctx, "rays");
    rays->ctx = ctx;
    rays->device = open_device(ctx);
    if (rays->device) rtcSetDeviceErrorFunction(rays->device, store_error, rays);
    if (rays->device) rays->scene = rtcNewScene(rays->device);
    if (!rays->scene) {
        vo_result result = fail_embree(rays, "initialisation");
        vo_rays_destroy(rays);
        return result;
    }
    rtcSetSceneFlags(rays->scene, RTC_SCENE_FLAG_ROBUST);
    *out = rays;
    return VO_OK;
}

void vo_rays_destroy(vo_rays *rays) {
    if (!rays) return;
    if (rays->scene) rtcReleaseScene(rays->scene);
    if (rays->device) rtcReleaseDevice(rays->device);
    vo_delete(rays->ctx, rays);
}

static enum RTCBuildQuality quality_of(const vo_rays_def *def) {
    return def->fast_build ? RTC_BUILD_QUALITY_LOW : RTC_BUILD_QUALITY_MEDIUM;
}

/* Adds a geometry of `count` faces. */
static bool add_faces(vo_rays *rays, const vo_rays_def *def, int first, int count) {
    RTCGeometry geometry = rtcNewGeometry(rays->device, RTC_GEOMETRY_TYPE_TRIANGLE);
    if (!geometry) return false;
    rtcSetGeometryBuildQuality(geometry, quality_of(def));
    rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, def->x, 0,
                               sizeof *def->x, (size_t)def->vertex_count);
    rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, def->face,
                               (size_t)first * def->face_stride, def->face_stride, (size_t)count);
    rtcCommitGeometry(geometry);
    rtcAttachGeometryByID(rays->scene, geometry, rays->geometry_count++);
    rtcReleaseGeometry(geometry);
    return true;
}

/* Adds one geometry of all faces. For parallel builds, where face indices are not reported, adds
 * one per PARALLEL_FACES faces: trees that fit into the cache are built faster. */
static bool add_triangles(vo_rays *rays, const vo_rays_def *def) {
    int group = def->parallel_build ? PARALLEL_FACES : def->face_count;
    for (int first = 0; first < def->face_count; first += group) {
        int left = def->face_count - first;
        if (!add_faces(rays, def, first, left < group ? left : group)) return false;
    }
    return true;
}

static void remove_triangles(vo_rays *rays) {
    for (unsigned i = 0; i < rays->geometry_count; i++) rtcDetachGeometry(rays->scene, i);
    rays->geometry_count = 0;
}

/* Joins the build, or returns at once if it is complete. */
static void join_commit(void *arg, int begin, int end, int chunk) {
    (void)begin, (void)end, (void)chunk;
    rtcJoinCommitScene(((vo_rays *)arg)->scene);
}

/* True if several threads build the tree. */
static bool is_parallel(const vo_rays_def *def) {
#ifdef __SANITIZE_THREAD__ /* cannot track the locks inside Embree */
    (void)def;
    return false;
#else
    return def->parallel_build && def->face_count >= PARALLEL_FACES;
#endif
}

/* The tree may depend on the number of threads. Occlusion does not; but if a ray hits two faces on
 * their common edge, the reported face does. */
static void build_tree(vo_rays *rays, const vo_rays_def *def) {
    int threads = is_parallel(def) ? vo_threads_count(rays->ctx->threads) : 1;
    vo_parallel_for(rays->ctx, threads, 1, join_commit, rays);
}

vo_result vo_rays_build(vo_rays *rays, const vo_rays_def *def) {
    remove_triangles(rays);
    rtcSetSceneBuildQuality(rays->scene, quality_of(def));
    if (!add_triangles(rays, def)) return fail_embree(rays, "adding the faces");
    build_tree(rays, def);
    bool failed = atomic_load(&rays->error) != RTC_ERROR_NONE;
    return failed ? fail_embree(rays, "building the tree") : VO_OK;
}

static struct RTCRay make_ray(const vo_ray *ray) {
    return (struct RTCRay){.org_x = (float)ray->origin.x,
                           .org_y = (float)ray->origin.y,
                           .org_z = (float)ray->origin.z,
                           .dir_x = (float)ray->direction.x,
                           .dir_y = (float)ray->direction.y,
                           .dir_z = (float)ray->direction.z,
                           .tnear = (float)ray->t_min,
                           .tfar = (float)ray->t_max,
                           .mask = 0xffffffffu};
}

bool vo_rays_intersect(const vo_rays *rays, const vo_ray *ray, vo_ray_hit *hit) {
    struct RTCIntersectContext context;
    struct RTCRayHit r = {.ray = make_ray(ray), .hit = {.geomID = RTC_INVALID_GEOMETRY_ID}};
    rtcInitIntersectContext(&context);
    rtcIntersect1(rays->scene, &context, &r);
    if (r.hit.geomID == RTC_INVALID_GEOMETRY_ID) return false;
    *hit = (vo_ray_hit){(int)r.hit.primID, (double)r.hit.u, (double)r.hit.v, (double)r.ray.tfar};
    return true;
}

bool vo_rays_occluded(const vo_rays *rays, const vo_ray *ray) {
    struct RTCIntersectContext context;
    struct RTCRay r = make_ray(ray);
    rtcInitIntersectContext(&context);
    rtcOccluded1(rays->scene, &context, &r);
    return r.tfar < 0; /* Embree sets it to minus infinity */
}

static void set_ray(struct RTCRay8 *r, int i, const vo_ray *ray) {
    r->org_x[i] = (float)ray->origin.x;
    r->org_y[i] = (float)ray->origin.y;
    r->org_z[i] = (float)ray->origin.z;
    r->dir_x[i] = (float)ray->direction.x;
    r->dir_y[i] = (float)ray->direction.y;
    r->dir_z[i] = (float)ray->direction.z;
    r->tnear[i] = (float)ray->t_min;
    r->tfar[i] = (float)ray->t_max;
}

unsigned vo_rays_occluded_batch(const vo_rays *rays, const vo_ray ray[VO_RAY_BATCH], unsigned mask,
                                bool coherent) {
    _Alignas(32) int valid[VO_RAY_BATCH];
    struct RTCIntersectContext context;
    struct RTCRay8 r = {0};
    unsigned blocked = 0;
    for (int i = 0; i < VO_RAY_BATCH; i++) {
        valid[i] = mask >> i & 1 ? -1 : 0;
        r.mask[i] = 0xffffffffu;
        if (valid[i]) set_ray(&r, i, &ray[i]);
    }
    rtcInitIntersectContext(&context);
    if (coherent) context.flags = RTC_INTERSECT_CONTEXT_FLAG_COHERENT;
    rtcOccluded8(valid, rays->scene, &context, &r);
    for (int i = 0; i < VO_RAY_BATCH; i++)
        if (valid[i] && r.tfar[i] < 0) blocked |= 1u << i;
    return blocked;
}

#else

bool vo_rays_available(void) { return false; }

vo_result vo_rays_create(vo_context *ctx, vo_rays **out) {
    *out = NULL;
    return vo_fail(ctx, VO_BAD_ARGUMENT,
                   "this build has no Embree 3, which rendering and occlusion require");
}

void vo_rays_destroy(vo_rays *rays) { (void)rays; }

vo_result vo_rays_build(vo_rays *rays, const vo_rays_def *def) {
    (void)rays, (void)def;
    return VO_BAD_ARGUMENT;
}

bool vo_rays_intersect(const vo_rays *rays, const vo_ray *ray, vo_ray_hit *hit) {
    (void)rays, (void)ray, (void)hit;
    return false;
}

bool vo_rays_occluded(const vo_rays *rays, const vo_ray *ray) {
    (void)rays, (void)ray;
    return false;
}

unsigned vo_rays_occluded_batch(const vo_rays *rays, const vo_ray ray[VO_RAY_BATCH], unsigned mask,
                                bool coherent) {
    (void)rays, (void)ray, (void)mask, (void)coherent;
    return 0;
}

#endif
