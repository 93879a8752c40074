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
    RTCScene scene;          /* kept from one tree to the next, with its memory */
    unsigned geometry_count; /* numbered from 0 */
    atomic_int error;        /* an RTCError that nobody has told of yet */
};

/* Fewer faces than this are one thread's work: the others would come too late. */
enum { FACES_TO_SHARE = 4096 };

bool vo_rays_available(void) { return true; }

/* Errors come from whichever thread takes part in making a tree; the first one counts. */
static void note_error(void *user, enum RTCError error, const char *text) {
    vo_rays *rays = user;
    int none = RTC_ERROR_NONE;
    (void)text;
    atomic_compare_exchange_strong(&rays->error, &none, (int)error);
}

/* None of it is the caller's doing: Embree is broken, or does not know this processor. */
static vo_result fail_embree(vo_rays *rays, const char *doing) {
    int error = atomic_exchange(&rays->error, RTC_ERROR_NONE);
    if (!rays->device) error = (int)rtcGetDeviceError(NULL);
    if (error == RTC_ERROR_OUT_OF_MEMORY) return vo_fail_memory(rays->ctx, "rays");
    return vo_fail(rays->ctx, VO_IO_FAILED, "Embree failed at %s: error %d", doing, error);
}

/* Threads of Embree's own: none. Ours may take part where a tree is made. */
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
    if (rays->device) rtcSetDeviceErrorFunction(rays->device, note_error, rays);
    if (rays->device) rays->scene = rtcNewScene(rays->device);
    if (!rays->scene) {
        vo_result result = fail_embree(rays, "its start");
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
    return def->quick ? RTC_BUILD_QUALITY_LOW : RTC_BUILD_QUALITY_MEDIUM;
}

/* A geometry of some faces. */
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

/* One geometry that holds everything. Where nobody asks which face was met, runs of faces, whose
 * trees are made faster one by one: each fits into the cache. */
static bool add_triangles(vo_rays *rays, const vo_rays_def *def) {
    int run = def->shared ? FACES_TO_SHARE : def->face_count;
    for (int first = 0; first < def->face_count; first += run) {
        int left = def->face_count - first;
        if (!add_faces(rays, def, first, left < run ? left : run)) return false;
    }
    return true;
}

static void remove_triangles(vo_rays *rays) {
    for (unsigned i = 0; i < rays->geometry_count; i++) rtcDetachGeometry(rays->scene, i);
    rays->geometry_count = 0;
}

/* Takes part in making the tree, or finds it made. */
static void join_commit(void *arg, int begin, int end, int chunk) {
    (void)begin, (void)end, (void)chunk;
    rtcJoinCommitScene(((vo_rays *)arg)->scene);
}

/* Whether threads make a tree together. */
static bool is_shared(const vo_rays_def *def) {
#ifdef __SANITIZE_THREAD__ /* which does not see the locks within Embree */
    (void)def;
    return false;
#else
    return def->shared && def->face_count >= FACES_TO_SHARE;
#endif
}

/* Which tree comes out may depend on who made which part of it. Whether a ray is blocked does not,
 * but of two faces that it meets at once, on their common edge, the tree decides which is told. */
static void make_tree(vo_rays *rays, const vo_rays_def *def) {
    int threads = is_shared(def) ? vo_threads_count(rays->ctx->threads) : 1;
    vo_parallel_for(rays->ctx, threads, 1, join_commit, rays);
}

vo_result vo_rays_set(vo_rays *rays, const vo_rays_def *def) {
    remove_triangles(rays);
    rtcSetSceneBuildQuality(rays->scene, quality_of(def));
    if (!add_triangles(rays, def)) return fail_embree(rays, "the faces");
    make_tree(rays, def);
    bool failed = atomic_load(&rays->error) != RTC_ERROR_NONE;
    return failed ? fail_embree(rays, "the tree") : VO_OK;
}

static struct RTCRay make_ray(const vo_ray *ray) {
    return (struct RTCRay){.org_x = (float)ray->from.x,
                           .org_y = (float)ray->from.y,
                           .org_z = (float)ray->from.z,
                           .dir_x = (float)ray->direction.x,
                           .dir_y = (float)ray->direction.y,
                           .dir_z = (float)ray->direction.z,
                           .tnear = (float)ray->start,
                           .tfar = (float)ray->length,
                           .mask = 0xffffffffu};
}

bool vo_rays_hit(const vo_rays *rays, const vo_ray *ray, vo_ray_hit *hit) {
    struct RTCIntersectContext context;
    struct RTCRayHit r = {.ray = make_ray(ray), .hit = {.geomID = RTC_INVALID_GEOMETRY_ID}};
    rtcInitIntersectContext(&context);
    rtcIntersect1(rays->scene, &context, &r);
    if (r.hit.geomID == RTC_INVALID_GEOMETRY_ID) return false;
    *hit = (vo_ray_hit){(int)r.hit.primID, (double)r.hit.u, (double)r.hit.v, (double)r.ray.tfar};
    return true;
}

bool vo_rays_blocked(const vo_rays *rays, const vo_ray *ray) {
    struct RTCIntersectContext context;
    struct RTCRay r = make_ray(ray);
    rtcInitIntersectContext(&context);
    rtcOccluded1(rays->scene, &context, &r);
    return r.tfar < 0; /* Embree's mark: minus infinity */
}

static void put_ray(struct RTCRay8 *r, int i, const vo_ray *ray) {
    r->org_x[i] = (float)ray->from.x;
    r->org_y[i] = (float)ray->from.y;
    r->org_z[i] = (float)ray->from.z;
    r->dir_x[i] = (float)ray->direction.x;
    r->dir_y[i] = (float)ray->direction.y;
    r->dir_z[i] = (float)ray->direction.z;
    r->tnear[i] = (float)ray->start;
    r->tfar[i] = (float)ray->length;
}

unsigned vo_rays_blocked_together(const vo_rays *rays, const vo_ray ray[VO_RAYS_TOGETHER],
                                  unsigned mask, bool alike) {
    _Alignas(32) int valid[VO_RAYS_TOGETHER];
    struct RTCIntersectContext context;
    struct RTCRay8 r = {0};
    unsigned blocked = 0;
    for (int i = 0; i < VO_RAYS_TOGETHER; i++) {
        valid[i] = mask >> i & 1 ? -1 : 0;
        r.mask[i] = 0xffffffffu;
        if (valid[i]) put_ray(&r, i, &ray[i]);
    }
    rtcInitIntersectContext(&context);
    if (alike) context.flags = RTC_INTERSECT_CONTEXT_FLAG_COHERENT;
    rtcOccluded8(valid, rays->scene, &context, &r);
    for (int i = 0; i < VO_RAYS_TOGETHER; i++)
        if (valid[i] && r.tfar[i] < 0) blocked |= 1u << i;
    return blocked;
}

#else

bool vo_rays_available(void) { return false; }

vo_result vo_rays_create(vo_context *ctx, vo_rays **out) {
    *out = NULL;
    return vo_fail(ctx, VO_BAD_CALL, "this build cannot draw: it was made without Embree 3");
}

void vo_rays_destroy(vo_rays *rays) { (void)rays; }

vo_result vo_rays_set(vo_rays *rays, const vo_rays_def *def) {
    (void)rays, (void)def;
    return VO_BAD_CALL;
}

bool vo_rays_hit(const vo_rays *rays, const vo_ray *ray, vo_ray_hit *hit) {
    (void)rays, (void)ray, (void)hit;
    return false;
}

bool vo_rays_blocked(const vo_rays *rays, const vo_ray *ray) {
    (void)rays, (void)ray;
    return false;
}

unsigned vo_rays_blocked_together(const vo_rays *rays, const vo_ray ray[VO_RAYS_TOGETHER],
                                  unsigned mask, bool alike) {
    (void)rays, (void)ray, (void)mask, (void)alike;
    return 0;
}

#endif
