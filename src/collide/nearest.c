#include "collide/nearest.h"

#include "collide/nearest_kernel.h"
#include "core/memory.h"
#include "core/parallel.h"

/* Points per chunk. Within a chunk the result of one point starts the search of the next, because
 * consecutive points are usually adjacent. */
enum { GRAIN = 128 };

/* ---- creation ------------------------------------------------------------------------------- */

static void find_boxes(const vo_nearest_part *part, vo_box *box) {
    const vo_mesh *m = part->mesh;
    for (int f = 0; f < m->face_count; f++)
        box[f] =
            box_triangle(part->x[vo_mesh_face_node(m, f, 0)], part->x[vo_mesh_face_node(m, f, 1)],
                         part->x[vo_mesh_face_node(m, f, 2)]);
}

static vo_result build_tree(vo_context *ctx, vo_nearest_part *part) {
    int faces = part->mesh->face_count;
    vo_box *box = vo_new_array(ctx, vo_box, faces + 1);
    if (!box) return vo_fail_memory(ctx, "the BVH of an obstacle");
    find_boxes(part, box);
    vo_result result = vo_bvh_build(ctx, &part->tree, box, faces);
    vo_free_array(ctx, box, faces + 1);
    return result;
}

static vo_result build_trees(vo_nearest *n, const vo_mesh *const *meshes) {
    for (int i = 0; i < n->part_count; i++) {
        n->part[i].mesh = meshes[i];
        n->part[i].x = meshes[i]->node_x;
        VO_TRY(build_tree(n->ctx, &n->part[i]));
    }
    return VO_OK;
}

vo_result vo_nearest_create(vo_context *ctx, int count, const vo_mesh *const *meshes,
                            vo_nearest *out) {
    *out = (vo_nearest){.ctx = ctx};
    out->part = vo_alloc_zero(ctx, vo_array_bytes((size_t)count + 1, sizeof *out->part));
    if (!out->part) return vo_fail_memory(ctx, "the BVHs of obstacles");
    out->part_count = count;
    vo_result result = build_trees(out, meshes);
    if (result != VO_OK) vo_nearest_free(out);
    return result;
}

void vo_nearest_free(vo_nearest *n) {
    if (!n->ctx) return;
    for (int i = 0; i < n->part_count; i++) {
        vo_nearest_part *part = &n->part[i];
        vo_bvh_free(n->ctx, &part->tree);
        if (part->box) vo_free_array(n->ctx, part->box, part->mesh->face_count + 1);
    }
    vo_free_array(n->ctx, n->part, n->part_count + 1);
    *n = (vo_nearest){0};
}

/* ---- positions ------------------------------------------------------------------------------ */

/* Returns the world-space bounds of the part. */
static vo_box world_bounds(const vo_nearest_part *p) {
    if (p->tree.node_count == 0) return box_empty();
    const vo_bvh_node *root = p->tree.nodes;
    vo_box box = box_empty();
    double size = v3_length(p->pose.translation);
    for (int i = 0; i < 8; i++) {
        vo_vec3 corner =
            v3(i & 1 ? root->max[0] : root->min[0], i & 2 ? root->max[1] : root->min[1],
               i & 4 ? root->max[2] : root->min[2]);
        size = vo_max(size, fabs(p->pose.scale) * v3_length(corner));
        box = box_add(box, xf_point(p->pose, corner));
    }
    return box_grow(box, 0x1p-40 * size);
}

/* Refits the BVH of a part, whose boxes are allocated, to the node positions x. */
static void refit(vo_nearest *n, vo_nearest_part *p, const vo_vec3 *x) {
    p->x = x;
    find_boxes(p, p->box);
    vo_bvh_refit(n->ctx, &p->tree, p->box);
}

static void place(vo_nearest_part *p, vo_transform pose) {
    p->pose = pose;
    p->inverse = xf_inverse(pose);
    p->present = fabs(pose.scale) > 0;
    p->bounds = world_bounds(p);
}

void vo_nearest_set_pose(vo_nearest *n, int part, vo_transform pose) {
    vo_nearest_part *p = &n->part[part];
    if (p->x != p->mesh->node_x) refit(n, p, p->mesh->node_x);
    place(p, pose);
}

vo_result vo_nearest_set_positions(vo_nearest *n, int part, const vo_vec3 *x) {
    vo_nearest_part *p = &n->part[part];
    if (!p->box) p->box = vo_new_array(n->ctx, vo_box, p->mesh->face_count + 1);
    if (!p->box) return vo_fail_memory(n->ctx, "the BVH of an obstacle");
    refit(n, p, x);
    place(p, xf_identity());
    return VO_OK;
}

void vo_nearest_remove(vo_nearest *n, int part) { n->part[part].present = false; }

/* ---- queries -------------------------------------------------------------------------------- */

/* Returns true if the box is further from p than a distance. */
static bool is_beyond(const vo_box *b, vo_vec3 p, double distance) {
    double d2 = v3_length2(v3(vo_max(0, vo_max(b->min.x - p.x, p.x - b->max.x)),
                              vo_max(0, vo_max(b->min.y - p.y, p.y - b->max.y)),
                              vo_max(0, vo_max(b->min.z - p.z, p.z - b->max.z))));
    return d2 * (1 - 0x1p-40) > distance * distance;
}

typedef struct nearest_job {
    const vo_nearest *nearest;
    const vo_nearest_kernels *kernels;
    const vo_vec3 *x;
    double range;
    vo_vec3 *near;
} nearest_job;

/* Result of one point, with which the search of the next one starts. */
typedef struct hit {
    vo_vec3 near; /* NaN: none */
    double range; /* m, distance of the nearest point, or the range */
    int part, face;
} hit;

/* Transforms four points into the frame of a part and disables those beyond its bounds. Returns
 * false if all are. */
static bool load_lanes(const vo_nearest_part *part, const vo_vec3 x[4], const hit f[4],
                       vo_nearest_lanes *lanes) {
    bool beyond[4], all = true;
    for (int i = 0; i < 4; i++) {
        beyond[i] = is_beyond(&part->bounds, x[i], f[i].range);
        all &= beyond[i];
    }
    if (all) return false;
    double scale2 = part->pose.scale * part->pose.scale;
    for (int i = 0; i < 4; i++) {
        vo_vec3 p = xf_point(part->inverse, x[i]);
        lanes->x[0][i] = p.x;
        lanes->x[1][i] = p.y;
        lanes->x[2][i] = p.z;
        lanes->distance2[i] = beyond[i] ? -1 : f[i].range * f[i].range / scale2;
    }
    return true;
}

static void store_lanes(const vo_nearest *n, int i, const vo_nearest_lanes *lanes, hit f[4]) {
    const vo_nearest_part *part = &n->part[i];
    for (int k = 0; k < 4; k++) {
        if (lanes->face[k] < 0) continue;
        vo_vec3 near = v3(lanes->nearest[0][k], lanes->nearest[1][k], lanes->nearest[2][k]);
        f[k] = (hit){xf_point(part->pose, near), sqrt(lanes->distance2[k]) * fabs(part->pose.scale),
                     i, lanes->face[k]};
    }
}

/* Tests the face of the previous result, then all parts. */
static void find_lanes(const nearest_job *job, const vo_vec3 x[4], hit before, hit f[4]) {
    const vo_nearest *n = job->nearest;
    vo_nearest_lanes lanes;
    for (int k = 0; k < 4; k++) f[k] = (hit){v3(NAN, NAN, NAN), job->range, -1, -1};
    if (before.face >= 0 && load_lanes(&n->part[before.part], x, f, &lanes)) {
        job->kernels->query_face(&n->part[before.part], before.face, &lanes);
        store_lanes(n, before.part, &lanes, f);
    }
    for (int i = 0; i < n->part_count; i++) {
        if (!n->part[i].present || !load_lanes(&n->part[i], x, f, &lanes)) continue;
        job->kernels->query_part(&n->part[i], &lanes);
        store_lanes(n, i, &lanes, f);
    }
}

/* The last point fills missing lanes. */
static void find_range(void *arg, int begin, int end, int chunk) {
    (void)chunk;
    const nearest_job *job = arg;
    hit found[4] = {[3] = {.face = -1}};
    for (int i = begin; i < end; i += 4) {
        vo_vec3 x[4];
        for (int k = 0; k < 4; k++) x[k] = job->x[vo_min_int(i + k, end - 1)];
        find_lanes(job, x, found[3], found);
        for (int k = 0; k < 4 && i + k < end; k++) job->near[i + k] = found[k].near;
    }
}

void vo_nearest_find(const vo_nearest *nearest, int count, const vo_vec3 *x, double range,
                     vo_vec3 *near) {
    nearest_job job = {nearest, vo_nearest_kernels_for(nearest->ctx), x, range, near};
    vo_parallel_for(nearest->ctx, count, GRAIN, find_range, &job);
}
