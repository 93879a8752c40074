#include "view/occluder.h"

#include "core/memory.h"
#include "core/parallel.h"
#include "spatial/aabb.h"

/* m, smaller displacements within the window are ignored */
static const double STILL = 0.01;

/* Placement and bounds of one occluder. */
typedef struct placement {
    int node, face; /* first index of its nodes and faces in the combined arrays */
    bool may_block; /* may be hit by a visibility ray; else culled */
    vo_vec3 centre; /* centre of the bounding ball */
    double radius;  /* m */
    double travel;  /* m, largest displacement of a point within the window */
} placement;

/* A ray-casting structure and its vertices. */
typedef struct ray_scene {
    vo_rays *rays;
    float (*x)[3]; /* [node_count + 2]: padded by 16 bytes */
    int x_capacity;
} ray_scene;

struct vo_occluder_set {
    vo_context *ctx;
    int count;
    const vo_occluder *occluders; /* [count] owned by the caller */
    double ahead;                 /* s */
    placement *placement;         /* [count] */
    int node_count, face_count;
    int (*face)[3];
    ray_scene current, predicted;
    bool has_prediction; /* `predicted` is built */
    int stand_capacity, face_capacity;
};

vo_result vo_occluder_set_create(vo_context *ctx, vo_occluder_set **out) {
    vo_occluder_set *set = vo_new(ctx, vo_occluder_set);
    *out = NULL;
    if (!set) return vo_fail_memory(ctx, "occluders");
    set->ctx = ctx;
    vo_result result = vo_rays_create(ctx, &set->current.rays);
    if (result == VO_OK) result = vo_rays_create(ctx, &set->predicted.rays);
    if (result != VO_OK) {
        vo_occluder_set_destroy(set);
        return result;
    }
    *out = set;
    return VO_OK;
}

static void free_scene(vo_context *ctx, ray_scene *w) {
    vo_rays_destroy(w->rays);
    vo_free_array(ctx, w->x, w->x_capacity);
}

void vo_occluder_set_destroy(vo_occluder_set *set) {
    if (!set) return;
    free_scene(set->ctx, &set->current);
    free_scene(set->ctx, &set->predicted);
    vo_free_array(set->ctx, set->placement, set->stand_capacity);
    vo_free_array(set->ctx, set->face, set->face_capacity);
    vo_delete(set->ctx, set);
}

/* ---- culling -------------------------------------------------------------------------------- */

static vo_box bounds(const vo_mesh *m) {
    vo_box box = box_empty();
    for (int i = 0; i < m->node_count; i++) box = box_add(box, m->node_x[i]);
    return box;
}

/* Returns the displacement of a mesh within the window by its velocity. */
static vo_vec3 displacement_of(const vo_occluder_set *set, int i) {
    return v3_scale(set->ahead, set->occluders[i].velocity);
}

/* Returns the largest displacement of a point of the box within the window, m; a corner attains it.
 */
static double max_displacement(const vo_occluder_set *set, int i, vo_box box) {
    const vo_transform *then = set->occluders[i].end_transform;
    if (!then) return v3_length(displacement_of(set, i));
    double max_distance = 0;
    for (int k = 0; k < 8; k++) {
        vo_vec3 corner = v3(k & 1 ? box.max.x : box.min.x, k & 2 ? box.max.y : box.min.y,
                            k & 4 ? box.max.z : box.min.z);
        max_distance = vo_max(max_distance, v3_distance(xf_point(*then, corner), corner));
    }
    return max_distance;
}

static void measure_bounds(void *arg, int begin, int end, int chunk) {
    vo_occluder_set *set = arg;
    (void)chunk;
    for (int i = begin; i < end; i++) {
        const vo_mesh *mesh = set->occluders[i].mesh;
        placement *s = &set->placement[i];
        *s = (placement){0};
        if (!mesh || mesh->node_count == 0) continue;
        vo_box box = bounds(mesh);
        s->centre = v3_lerp(box.min, box.max, 0.5);
        s->radius = 0.5 * v3_length(v3_sub(box.max, box.min));
        s->travel = max_displacement(set, i, box);
    }
}

static double max_travel(const vo_occluder_set *set) {
    double max_distance = 0;
    for (int i = 0; i < set->count; i++)
        max_distance = vo_max(max_distance, set->placement[i].travel);
    return max_distance;
}

/* Arguments of the culling pass. */
typedef struct cull_args {
    vo_occluder_set *set;
    const vo_ray_region *span;
    double travel; /* m, largest displacement of any occluder */
} cull_args;

/* Returns true if a visibility ray of the region may hit an occluder, now or at the end of the
 * window.
 *
 * Scaling towards the camera keeps points near the frustum extended to the camera: the distance of
 * s p, s <= 1, from it is at most s times that of p. All rays are therefore as close to this
 * extended frustum as their start points, which belong to faces within the margin and are at most
 * one edge length further away; both they and the occluder may move within the window. */
static bool may_block_rays(const cull_args *c, const placement *s) {
    const vo_ray_region *span = c->span;
    vo_vec3 centre = s->centre;
    for (int i = 0; i < span->sample_count; i++) {
        vo_frustum_sample extended = span->sample[i];
        extended.frustum.z_near = 0;
        double far = v3_length(centre) + v3_distance(centre, extended.frustum.position);
        double rounding = 1e-3 + 1e-6 * far; /* rounding of floats, with reserve */
        double radius = s->radius + span->max_edge + 2 * c->travel + rounding;
        if (vo_factor_classify_ball(span->factor, &extended, centre, radius) != VO_BALL_OUTSIDE)
            return true;
    }
    return false;
}

static void cull_occluders(void *arg, int begin, int end, int chunk) {
    const cull_args *c = arg;
    (void)chunk;
    for (int i = begin; i < end; i++) {
        const vo_mesh *m = c->set->occluders[i].mesh;
        c->set->placement[i].may_block =
            m && m->face_count > 0 && may_block_rays(c, &c->set->placement[i]);
    }
}

/* Assigns index ranges in the combined arrays to the occluders that remain. */
static void assign_ranges(vo_occluder_set *set) {
    set->node_count = set->face_count = 0;
    for (int i = 0; i < set->count; i++) {
        placement *s = &set->placement[i];
        s->node = set->node_count, s->face = set->face_count;
        if (!s->may_block) continue;
        set->node_count += set->occluders[i].mesh->node_count;
        set->face_count += set->occluders[i].mesh->face_count;
    }
}

/* ---- ray-casting structures ----------------------------------------------------------------- */

/* Arguments of place_nodes. */
typedef struct place_args {
    const vo_occluder_set *set;
    float (*x)[3];
    bool predicted;
} place_args;

/* Predicted position of a node. An absent occluder collapses to a point, which blocks no ray. */
static vo_vec3 predicted_position(const vo_occluder_set *set, int i, vo_vec3 x) {
    const vo_transform *then = set->occluders[i].end_transform;
    if (set->occluders[i].absent_at_end) return set->occluders[i].mesh->node_x[0];
    return then ? xf_point(*then, x) : v3_add(x, displacement_of(set, i));
}

/* Returns true if a point is behind a face. */
static bool is_behind(vo_vec3 p, const vo_vec3 x[3]) {
    return v3_tetrahedron6(p, x[0], x[1], x[2]) > 0;
}

/* Returns true if a camera of the window is behind a face, now or at the end of the window. */
static bool shows_back(const cull_args *c, int occluder, int face) {
    const vo_mesh *m = c->set->occluders[occluder].mesh;
    vo_vec3 now[3], then[3];
    for (int k = 0; k < 3; k++) {
        now[k] = m->node_x[vo_mesh_face_node(m, face, k)];
        then[k] = predicted_position(c->set, occluder, now[k]);
    }
    for (int i = 0; i < c->span->sample_count; i++) {
        vo_vec3 camera = c->span->sample[i].frustum.position;
        if (is_behind(camera, now) || is_behind(camera, then)) return true;
    }
    return false;
}

/* Writes a face. One that blocks no ray collapses to a point. */
static void list_face(const cull_args *c, int occluder, int face) {
    const vo_occluder *o = &c->set->occluders[occluder];
    const placement *s = &c->set->placement[occluder];
    bool collapsed = o->container && shows_back(c, occluder, face);
    for (int k = 0; k < 3; k++)
        c->set->face[s->face + face][k] =
            s->node + vo_mesh_face_node(o->mesh, face, collapsed ? 0 : k);
}

static void list_faces(void *arg, int begin, int end, int chunk) {
    const cull_args *c = arg;
    (void)chunk;
    for (int i = begin; i < end; i++)
        for (int f = 0; c->set->placement[i].may_block && f < c->set->occluders[i].mesh->face_count;
             f++)
            list_face(c, i, f);
}

static void place_nodes(void *arg, int begin, int end, int chunk) {
    const place_args *g = arg;
    (void)chunk;
    for (int i = begin; i < end; i++) {
        const vo_occluder *occluders = &g->set->occluders[i];
        const placement *s = &g->set->placement[i];
        for (int n = 0; s->may_block && n < occluders->mesh->node_count; n++) {
            vo_vec3 at = occluders->mesh->node_x[n];
            if (g->predicted) at = predicted_position(g->set, i, at);
            float *x = g->x[s->node + n];
            x[0] = (float)at.x, x[1] = (float)at.y, x[2] = (float)at.z;
        }
    }
}

static vo_result build_rays(vo_occluder_set *set, bool predicted, ray_scene *w) {
    if (!vo_reserve(set->ctx, &w->x, &w->x_capacity, set->node_count + 2))
        return vo_fail_memory(set->ctx, "occluders");
    place_args g = {set, w->x, predicted};
    vo_parallel_for(set->ctx, set->count, 1, place_nodes, &g);
    vo_rays_def def = {.vertex_count = set->node_count,
                       .x = (const float(*)[3])w->x,
                       .face_count = set->face_count,
                       .face = set->face,
                       .face_stride = sizeof *set->face,
                       .fast_build = true,
                       .parallel_build = true};
    return vo_rays_build(w->rays, &def);
}

vo_result vo_occluder_set_build(vo_occluder_set *set, int count, const vo_occluder *occluders,
                                const vo_ray_region *span) {
    set->count = count;
    set->occluders = occluders;
    set->ahead = span->ahead;
    set->has_prediction = false;
    if (!vo_reserve(set->ctx, &set->placement, &set->stand_capacity, count + 1))
        return vo_fail_memory(set->ctx, "occluders");
    vo_parallel_for(set->ctx, count, 1, measure_bounds, set);
    cull_args c = {set, span, max_travel(set)};
    vo_parallel_for(set->ctx, count, 1, cull_occluders, &c);
    assign_ranges(set);
    if (!vo_reserve(set->ctx, &set->face, &set->face_capacity, set->face_count + 1))
        return vo_fail_memory(set->ctx, "occluders");
    vo_parallel_for(set->ctx, count, 1, list_faces, &c);
    return build_rays(set, false, &set->current);
}

int vo_occluder_set_face_count(const vo_occluder_set *set) { return set->face_count; }

const vo_rays *vo_occluder_set_current_rays(const vo_occluder_set *set) {
    return set->current.rays;
}

/* Motion of the remaining occluders within the window, m: displacement of the first one, and maxima
 * over all, absolute and relative to the first. */
typedef struct motion {
    vo_vec3 first;
    double max_distance, relative;
} motion;

static motion measure_motion(const vo_occluder_set *set) {
    motion m = {0};
    bool any = false;
    for (int i = 0; i < set->count; i++) {
        if (!set->placement[i].may_block) continue;
        double travel = set->occluders[i].absent_at_end ? INFINITY : set->placement[i].travel;
        bool is_nonrigid =
            (set->occluders[i].absent_at_end || set->occluders[i].end_transform) && travel > STILL;
        vo_vec3 displacement =
            set->occluders[i].end_transform ? v3_zero() : displacement_of(set, i);
        if (!any) m.first = displacement;
        any = true;
        m.max_distance = vo_max(m.max_distance, travel);
        m.relative =
            vo_max(m.relative, is_nonrigid ? INFINITY : v3_distance(displacement, m.first));
    }
    return m;
}

vo_result vo_occluder_set_predict(vo_occluder_set *set, vo_predicted_rays *out) {
    motion m = measure_motion(set);
    *out = (vo_predicted_rays){.rays = NULL};
    if (!(m.max_distance > STILL)) return VO_OK;
    if (!(m.relative > STILL)) {
        *out = (vo_predicted_rays){set->current.rays, m.first};
        return VO_OK;
    }
    if (!set->has_prediction) VO_TRY(build_rays(set, true, &set->predicted));
    set->has_prediction = true;
    out->rays = set->predicted.rays;
    return VO_OK;
}
