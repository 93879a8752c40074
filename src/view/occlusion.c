#include "view/occlusion.h"

#include "core/memory.h"
#include "core/parallel.h"
#include "view/work_range.h"

#include <string.h>

enum { GRAIN = 128 };
enum { MAX_SUBDIVISIONS = 4 }; /* subdivisions of an edge: 15 lattice points */
enum { NODE_TESTED = 1, NODE_VISIBLE = 2, NODE_OCCLUDED = 4 }; /* node flags */
enum { FACE_SELECTED = 1, FACE_FACING = 2 }; /* face flags; FACE_FACING is for the current sample */

/* First index of a cloth's node and face flags. */
typedef struct cloth_offset {
    int node, face;
} cloth_offset;

struct vo_occlusion {
    vo_context *ctx;
    vo_occluder_set *occluders;
    double ahead; /* s, length of the window */

    vo_work_ranges nodes, faces; /* of the cloths being classified */
    cloth_offset *cloth_offset;  /* [cloths] */
    unsigned char *node;         /* flags of all nodes */
    unsigned char *face;         /* flags of all faces */
    int offset_capacity, node_capacity, face_capacity;

    /* Node flags of the first viewpoint tested, reused if vo_view_mark_visible tests the same one.
     */
    vo_vec3 camera_position;
    double z_near;
    vo_vec3 forward;
    int cached_count;      /* nodes of all cloths; 0: none cached */
    unsigned char *cached; /* [cached_count] node flags */
    int cached_capacity;
};

vo_occlusion_def vo_occlusion_def_default(void) {
    return (vo_occlusion_def){
        .gap = 0.002, .spacing = 0.03, .pixels = 4, .rings = 1, .samples = 3, .predict = true};
}

vo_result vo_occlusion_create(vo_context *ctx, vo_occlusion **out) {
    vo_occlusion *o = vo_new(ctx, vo_occlusion);
    *out = NULL;
    if (!o) return vo_fail_memory(ctx, "occlusion");
    o->ctx = ctx;
    vo_result result = vo_occluder_set_create(ctx, &o->occluders);
    if (result != VO_OK) {
        vo_occlusion_destroy(o);
        return result;
    }
    *out = o;
    return VO_OK;
}

void vo_occlusion_destroy(vo_occlusion *o) {
    if (!o) return;
    vo_occluder_set_destroy(o->occluders);
    vo_work_ranges_free(o->ctx, &o->nodes);
    vo_work_ranges_free(o->ctx, &o->faces);
    vo_free_array(o->ctx, o->cloth_offset, o->offset_capacity);
    vo_free_array(o->ctx, o->node, o->node_capacity);
    vo_free_array(o->ctx, o->face, o->face_capacity);
    vo_free_array(o->ctx, o->cached, o->cached_capacity);
    vo_delete(o->ctx, o);
}

vo_result vo_occlusion_set_occluders(vo_occlusion *o, int count, const vo_occluder *occluders,
                                     const vo_ray_region *span) {
    o->ahead = span->ahead;
    o->cached_count = 0;
    return vo_occluder_set_build(o->occluders, count, occluders, span);
}

/* ---- visibility rays ------------------------------------------------------------------------ */

/* Test of all cloths from one frustum sample. */
typedef struct visibility_test {
    vo_occlusion *o;
    const vo_rays *rays; /* occluders */
    bool predicted;      /* against predicted positions */
    bool use_lattice;    /* also tests the lattice points */
    vo_vec3 offset;      /* m, see vo_predicted_rays */
    const vo_occlusion_def *def;
    const vo_factor_def *factor;
    const vo_frustum_sample *sample;
    int cloth_count;
    const vo_occlusion_cloth *cloth;
} visibility_test;

/* Makes the ray from a point to the camera; false if nothing can be in between. */
static bool make_ray(const vo_occlusion_def *def, const vo_frustum_sample *sample, vo_vec3 point,
                     vo_ray *ray) {
    const vo_frustum *f = &sample->frustum;
    vo_vec3 displacement = v3_sub(f->position, point);
    double distance = v3_length(displacement), depth = -v3_dot(f->forward, displacement);
    double far = vo_max(vo_max(fabs(point.x), fabs(point.y)), fabs(point.z));
    double gap = def->gap + 1e-6 * far; /* larger than the rounding of floats */
    double length = distance * (1 - f->z_near / depth) - gap;
    if (!(depth > f->z_near) || !(length > 0)) return false;
    vo_vec3 direction = v3_scale(1 / distance, displacement);
    *ray = (vo_ray){v3_add_scaled(point, gap, direction), direction, length};
    return true;
}

bool vo_occlusion_point_is_visible(const vo_occlusion *o, const vo_occlusion_def *def,
                                   const vo_frustum_sample *sample, vo_vec3 point) {
    vo_ray ray;
    return !make_ray(def, sample, point, &ray) ||
           !vo_rays_occluded(vo_occluder_set_current_rays(o->occluders), &ray);
}

/* Batch of nearby points whose rays are cast together. */
typedef struct point_batch {
    int count;
    vo_vec3 x[VO_RAY_BATCH];
    int item[VO_RAY_BATCH]; /* node or face of each point */
} point_batch;

static bool is_full(const point_batch *b) { return b->count == VO_RAY_BATCH; }

static void push_point(point_batch *b, vo_vec3 x, int item) {
    b->x[b->count] = x;
    b->item[b->count++] = item;
}

/* Returns the visible points of a batch as a bit mask. */
static unsigned cast_batch(const visibility_test *q, const point_batch *b) {
    vo_ray ray[VO_RAY_BATCH];
    unsigned list = (1u << b->count) - 1, drawn = 0;
    for (int i = 0; i < b->count; i++)
        if (make_ray(q->def, q->sample, b->x[i], &ray[i])) drawn |= 1u << i;
    return drawn ? list & ~vo_rays_occluded_batch(q->rays, ray, drawn, true) : list;
}

/* View of one cloth's data. */
typedef struct cloth_view {
    const vo_mesh *mesh;
    vo_vec3 displacement; /* m, from its current to its tested position */
    bool two_sided;
    unsigned char bit;          /* of the viewpoint */
    unsigned char *node, *face; /* flags */
    unsigned char *candidate, *visible;
} cloth_view;

static cloth_view get_cloth_view(const visibility_test *q, int cloth) {
    const vo_occlusion_cloth *c = &q->cloth[cloth];
    return (cloth_view){.mesh = c->mesh,
                        .displacement = q->predicted
                                            ? v3_sub(v3_scale(q->o->ahead, c->velocity), q->offset)
                                            : v3_zero(),
                        .two_sided = c->two_sided,
                        .bit = q->sample ? vo_occlusion_bit(q->sample->viewpoint) : 0,
                        .node = q->o->node + q->o->cloth_offset[cloth].node,
                        .face = q->o->face + q->o->cloth_offset[cloth].face,
                        .candidate = c->candidate,
                        .visible = c->visible};
}

static vo_vec3 node_position(const cloth_view *s, int node) {
    return v3_add(s->mesh->node_x[node], s->displacement);
}

/* Returns true if a face is front-facing and near the frustum. */
static bool is_candidate(const visibility_test *q, const cloth_view *s, int index) {
    vo_view_face face = vo_view_face_make_spatial(s->mesh, index);
    for (int k = 0; k < 3; k++) face.x[k] = v3_add(face.x[k], s->displacement);
    face.two_sided = s->two_sided;
    vo_face_visibility sight = vo_factor_eval_face(q->factor, q->sample, &face);
    return sight.front_facing && sight.near_frame;
}

/* Selects the faces to test: candidates not yet visible from this viewpoint. Loops over ranges and
 * cloths process one item per chunk. */
static void select_faces(void *arg, int index, int end, int chunk) {
    const visibility_test *q = arg;
    const vo_work_range *p = &q->o->faces.range[index];
    cloth_view s = get_cloth_view(q, p->cloth);
    (void)end, (void)chunk;
    for (int i = p->begin; i < p->end; i++) {
        bool open = (s.face[i] & FACE_SELECTED) && !(s.visible[i] & s.bit);
        if (q->predicted) open = open && (s.candidate[i] & s.bit);
        bool facing = open && is_candidate(q, &s, i);
        s.face[i] = (unsigned char)((s.face[i] & FACE_SELECTED) | (facing ? FACE_FACING : 0));
        if (facing) s.candidate[i] |= s.bit;
    }
}

/* Flags the corners of the selected faces. */
static void mark_nodes(void *arg, int cloth, int end, int chunk) {
    cloth_view s = get_cloth_view(arg, cloth);
    (void)end, (void)chunk;
    memset(s.node, 0, (size_t)s.mesh->node_count);
    for (int i = 0; i < s.mesh->face_count; i++)
        for (int k = 0; k < 3 && (s.face[i] & FACE_FACING); k++)
            s.node[vo_mesh_face_node(s.mesh, i, k)] = NODE_TESTED;
}

/* Returns true if the cached node flags are those of this camera position and direction. */
static bool is_cached(const visibility_test *q) {
    const vo_occlusion *o = q->o;
    const vo_frustum *f = &q->sample->frustum;
    return !q->predicted && o->cached_count == o->nodes.items && o->z_near == f->z_near &&
           v3_distance(o->camera_position, f->position) == 0 &&
           v3_distance(o->forward, f->forward) == 0;
}

/* Copies cached flags of the nodes of a range. */
static void load_cached(const visibility_test *q, const vo_work_range *p, cloth_view *s) {
    const unsigned char *cached = q->o->cached + p->first - p->begin;
    for (int i = p->begin; i < p->end; i++)
        if (s->node[i] && cached[i]) s->node[i] = cached[i];
}

static void test_nodes(void *arg, int index, int end, int chunk) {
    const visibility_test *q = arg;
    const vo_work_range *p = &q->o->nodes.range[index];
    cloth_view s = get_cloth_view(q, p->cloth);
    (void)end, (void)chunk;
    if (is_cached(q)) load_cached(q, p, &s);
    for (int i = p->begin; i < p->end;) {
        point_batch b = {.count = 0};
        for (; i < p->end && !is_full(&b); i++)
            if (s.node[i] == NODE_TESTED) push_point(&b, node_position(&s, i), i);
        unsigned visible = cast_batch(q, &b);
        for (int k = 0; k < b.count; k++)
            s.node[b.item[k]] = NODE_TESTED | (visible >> k & 1 ? NODE_VISIBLE : NODE_OCCLUDED);
    }
}

/* Returns the number of subdivisions of a face's edges for its lattice. */
static int subdivisions_of(const visibility_test *q, const vo_vec3 x[3]) {
    const vo_frustum_sample *m = q->sample;
    double longest2 = 0, depth = INFINITY;
    for (int i = 0; i < 3; i++) {
        longest2 = vo_max(longest2, v3_length2(v3_sub(x[(i + 1) % 3], x[i])));
        depth = vo_min(depth, v3_dot(m->frustum.forward, v3_sub(x[i], m->frustum.position)));
    }
    double spacing_on_screen = q->def->pixels * depth / vo_max(m->pixel_x, m->pixel_y);
    double subdivisions =
        ceil(sqrt(longest2) / vo_max(vo_max(q->def->spacing, spacing_on_screen), 1e-6));
    return subdivisions < MAX_SUBDIVISIONS ? (int)subdivisions : MAX_SUBDIVISIONS;
}

/* Returns true if the centroid or a lattice point of a face is visible. */
static bool interior_is_visible(const visibility_test *q, const cloth_view *s, int face) {
    vo_vec3 x[3];
    for (int k = 0; k < 3; k++) x[k] = node_position(s, vo_mesh_face_node(s->mesh, face, k));
    vo_vec3 a = v3_sub(x[1], x[0]), b = v3_sub(x[2], x[0]);
    point_batch points = {.count = 0};
    push_point(&points, v3_add_scaled(v3_add_scaled(x[0], 1.0 / 3, a), 1.0 / 3, b), face);
    int subdivisions = q->use_lattice ? subdivisions_of(q, x) : 0;
    for (int i = 0; i <= subdivisions; i++)
        for (int j = 0; i + j <= subdivisions; j++) {
            if (i == subdivisions || j == subdivisions || i + j == 0)
                continue; /* corners are tested by test_nodes */
            if (is_full(&points)) {
                if (cast_batch(q, &points)) return true;
                points.count = 0;
            }
            double u = (double)i / subdivisions, v = (double)j / subdivisions;
            push_point(&points, v3_add_scaled(v3_add_scaled(x[0], u, a), v, b), face);
        }
    return cast_batch(q, &points) != 0;
}

static bool corner_is_visible(const cloth_view *s, int face) {
    for (int k = 0; k < 3; k++)
        if (s->node[vo_mesh_face_node(s->mesh, face, k)] & NODE_VISIBLE) return true;
    return false;
}

static void test_faces(void *arg, int index, int end, int chunk) {
    const visibility_test *q = arg;
    const vo_work_range *p = &q->o->faces.range[index];
    cloth_view s = get_cloth_view(q, p->cloth);
    (void)end, (void)chunk;
    for (int i = p->begin; i < p->end; i++)
        if ((s.face[i] & FACE_FACING) &&
            (corner_is_visible(&s, i) || interior_is_visible(q, &s, i)))
            s.visible[i] |= s.bit;
}

/* Caches the node flags of the first sample. */
static void cache_nodes(const visibility_test *q) {
    vo_occlusion *o = q->o;
    int count = o->nodes.items;
    if (o->cached_count > 0 || q->predicted) return;
    memcpy(o->cached, o->node, (size_t)count);
    o->cached_count = count;
    o->camera_position = q->sample->frustum.position;
    o->z_near = q->sample->frustum.z_near;
    o->forward = q->sample->frustum.forward;
}

/* Tests all selected faces from one frustum sample. */
static void test_sample(visibility_test *q) {
    vo_occlusion *o = q->o;
    vo_parallel_for(o->ctx, o->faces.count, 1, select_faces, q);
    vo_parallel_for(o->ctx, q->cloth_count, 1, mark_nodes, q);
    vo_parallel_for(o->ctx, o->nodes.count, 1, test_nodes, q);
    cache_nodes(q);
    vo_parallel_for(o->ctx, o->faces.count, 1, test_faces, q);
}

/* ---- the window ----------------------------------------------------------------------------- */

/* Frustum samples of the window, shot by shot. */
typedef struct sample_list {
    int count;
    const vo_frustum_sample *sample;
} sample_list;

/* Returns the index after the last sample of a shot. */
static int shot_end(const sample_list *m, int begin) {
    int end = begin + 1;
    while (end < m->count && !m->sample[end].first_of_shot) end++;
    return end;
}

/* Tests the first and last samples of a shot and some in between. */
static void test_shot(visibility_test *q, const vo_frustum_sample *sample, int count) {
    int candidate = vo_min_int(vo_max_int(q->def->samples, 2), count);
    for (int i = 0; i < candidate; i++) {
        q->sample = &sample[candidate > 1 ? i * (count - 1) / (candidate - 1) : 0];
        q->use_lattice = i == 0 || i + 1 == candidate;
        test_sample(q);
    }
}

/* Tests all shots against the current positions. */
static void test_current(visibility_test *q, const sample_list *m) {
    q->rays = vo_occluder_set_current_rays(q->o->occluders);
    for (int i = 0; i < m->count; i = shot_end(m, i))
        test_shot(q, &m->sample[i], shot_end(m, i) - i);
}

/* Returns true if a face is occluded from some viewpoint. */
static bool has_occluded_face(const visibility_test *q) {
    for (int c = 0; c < q->cloth_count; c++)
        for (int i = 0; i < q->cloth[c].mesh->face_count; i++)
            if (q->cloth[c].candidate[i] & ~q->cloth[c].visible[i]) return true;
    return false;
}

/* Tests the last sample of each shot against the predicted positions. */
static vo_result test_predicted(visibility_test *q, const sample_list *m) {
    if (!q->def->predict || !has_occluded_face(q)) return VO_OK;
    vo_predicted_rays world;
    VO_TRY(vo_occluder_set_predict(q->o->occluders, &world));
    if (!world.rays) return VO_OK;
    q->predicted = true;
    q->use_lattice = false;
    q->rays = world.rays;
    q->offset = world.offset;
    for (int i = 0; i < m->count; i = shot_end(m, i)) {
        vo_frustum_sample last = m->sample[shot_end(m, i) - 1];
        last.frustum.position = v3_sub(last.frustum.position, world.offset);
        q->sample = &last;
        test_sample(q);
    }
    q->sample = NULL;
    return VO_OK;
}

/* Marks the faces next to visible ones as visible. */
static void grow_visible(void *arg, int cloth, int end, int chunk) {
    cloth_view s = get_cloth_view(arg, cloth);
    (void)end, (void)chunk;
    memset(s.node, 0, (size_t)s.mesh->node_count);
    for (int i = 0; i < s.mesh->face_count; i++)
        for (int k = 0; k < 3 && (s.face[i] & FACE_SELECTED); k++)
            s.node[vo_mesh_face_node(s.mesh, i, k)] |= s.visible[i];
    for (int i = 0; i < s.mesh->face_count; i++)
        for (int k = 0; k < 3; k++) s.visible[i] |= s.node[vo_mesh_face_node(s.mesh, i, k)];
}

/* Allocates and resets the flags of all cloths. */
static vo_result reset_flags(vo_occlusion *o, int count, const vo_occlusion_cloth *cloth) {
    bool ok = vo_reserve(o->ctx, &o->cloth_offset, &o->offset_capacity, count + 1);
    vo_work_ranges_clear(&o->nodes);
    vo_work_ranges_clear(&o->faces);
    for (int i = 0; i < count && ok; i++) {
        const vo_mesh *mesh = cloth[i].mesh;
        o->cloth_offset[i] = (cloth_offset){.node = o->nodes.items, .face = o->faces.items};
        ok = vo_work_ranges_add(o->ctx, &o->nodes, i, mesh->node_count, GRAIN) &&
             vo_work_ranges_add(o->ctx, &o->faces, i, mesh->face_count, GRAIN);
    }
    if (!ok || !vo_reserve(o->ctx, &o->node, &o->node_capacity, o->nodes.items + 1) ||
        !vo_reserve(o->ctx, &o->cached, &o->cached_capacity, o->nodes.items + 1) ||
        !vo_reserve(o->ctx, &o->face, &o->face_capacity, o->faces.items + 1))
        return vo_fail_memory(o->ctx, "occlusion");
    for (int i = 0; i < count; i++)
        for (int k = 0; k < cloth[i].mesh->face_count; k++) {
            o->face[o->cloth_offset[i].face + k] = cloth[i].candidate[k] ? FACE_SELECTED : 0;
            cloth[i].candidate[k] = cloth[i].visible[k] = 0;
        }
    return VO_OK;
}

vo_result vo_occlusion_classify(vo_occlusion *o, const vo_occlusion_def *def,
                                const vo_factor_def *factor, int sample_count,
                                const vo_frustum_sample *sample, int cloth_count,
                                const vo_occlusion_cloth *cloth) {
    visibility_test q = {
        .o = o, .def = def, .factor = factor, .cloth_count = cloth_count, .cloth = cloth};
    sample_list list = {sample_count, sample};
    VO_TRY(reset_flags(o, cloth_count, cloth));
    test_current(&q, &list);
    VO_TRY(test_predicted(&q, &list));
    for (int i = 0; i < def->rings; i++) vo_parallel_for(o->ctx, cloth_count, 1, grow_visible, &q);
    return VO_OK;
}
