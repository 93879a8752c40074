#include "collide/nearest.h"

#include "collide/nearest_kernel.h"
#include "core/memory.h"
#include "core/parallel.h"

/* Points a chunk, within which the answer to one is a good guess for the next: they lie side by
 * side as a rule. */
enum { GRAIN = 128 };

/* ---- making and freeing --------------------------------------------------------------------- */

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
    if (!box) return vo_fail_memory(ctx, "the tree of an obstacle");
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
    if (!out->part) return vo_fail_memory(ctx, "the obstacles' trees");
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

/* ---- placing -------------------------------------------------------------------------------- */

/* A box in the world that holds all of the part. */
static vo_box box_around(const vo_nearest_part *p) {
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

void vo_nearest_place(vo_nearest *n, int part, vo_transform pose) {
    vo_nearest_part *p = &n->part[part];
    p->pose = pose;
    p->inverse = xf_inverse(pose);
    p->present = fabs(pose.scale) > 0;
    p->around = box_around(p);
}

vo_result vo_nearest_bend(vo_nearest *n, int part, const vo_vec3 *x) {
    vo_nearest_part *p = &n->part[part];
    if (!p->box) p->box = vo_new_array(n->ctx, vo_box, p->mesh->face_count + 1);
    if (!p->box) return vo_fail_memory(n->ctx, "the tree of an obstacle");
    p->x = x;
    find_boxes(p, p->box);
    vo_bvh_refit(n->ctx, &p->tree, p->box);
    vo_nearest_place(n, part, xf_identity());
    return VO_OK;
}

void vo_nearest_remove(vo_nearest *n, int part) { n->part[part].present = false; }

/* ---- asking --------------------------------------------------------------------------------- */

/* Whether nothing in the box is as near to p as a distance. */
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

/* What one point found, to be asked first for those after it. */
typedef struct finding {
    vo_vec3 near; /* NaN: nothing */
    double range; /* m, nothing is nearer */
    int part, face;
} finding;

/* Brings four points into the frame of a part; those that are beyond it are not asked about.
 * Returns whether any is. */
static bool load_four(const vo_nearest_part *part, const vo_vec3 x[4], const finding f[4],
                      vo_nearest_four *four) {
    bool beyond[4], all = true;
    for (int i = 0; i < 4; i++) {
        beyond[i] = is_beyond(&part->around, x[i], f[i].range);
        all &= beyond[i];
    }
    if (all) return false;
    double scale2 = part->pose.scale * part->pose.scale;
    for (int i = 0; i < 4; i++) {
        vo_vec3 p = xf_point(part->inverse, x[i]);
        four->x[0][i] = p.x;
        four->x[1][i] = p.y;
        four->x[2][i] = p.z;
        four->distance2[i] = beyond[i] ? -1 : f[i].range * f[i].range / scale2;
    }
    return true;
}

static void take_four(const vo_nearest *n, int i, const vo_nearest_four *four, finding f[4]) {
    const vo_nearest_part *part = &n->part[i];
    for (int k = 0; k < 4; k++) {
        if (four->face[k] < 0) continue;
        vo_vec3 near = v3(four->near[0][k], four->near[1][k], four->near[2][k]);
        f[k] = (finding){xf_point(part->pose, near),
                         sqrt(four->distance2[k]) * fabs(part->pose.scale), i, four->face[k]};
    }
}

/* Asks the face that was found before, then all parts. */
static void find_four(const nearest_job *job, const vo_vec3 x[4], finding before, finding f[4]) {
    const vo_nearest *n = job->nearest;
    vo_nearest_four four;
    for (int k = 0; k < 4; k++) f[k] = (finding){v3(NAN, NAN, NAN), job->range, -1, -1};
    if (before.face >= 0 && load_four(&n->part[before.part], x, f, &four)) {
        job->kernels->ask_face(&n->part[before.part], before.face, &four);
        take_four(n, before.part, &four, f);
    }
    for (int i = 0; i < n->part_count; i++) {
        if (!n->part[i].present || !load_four(&n->part[i], x, f, &four)) continue;
        job->kernels->ask_part(&n->part[i], &four);
        take_four(n, i, &four, f);
    }
}

/* The last point stands in for missing ones. */
static void find_range(void *arg, int begin, int end, int chunk) {
    (void)chunk;
    const nearest_job *job = arg;
    finding found[4] = {[3] = {.face = -1}};
    for (int i = begin; i < end; i += 4) {
        vo_vec3 x[4];
        for (int k = 0; k < 4; k++) x[k] = job->x[vo_min_int(i + k, end - 1)];
        find_four(job, x, found[3], found);
        for (int k = 0; k < 4 && i + k < end; k++) job->near[i + k] = found[k].near;
    }
}

void vo_nearest_find(const vo_nearest *nearest, int count, const vo_vec3 *x, double range,
                     vo_vec3 *near) {
    nearest_job job = {nearest, vo_nearest_kernels_for(nearest->ctx), x, range, near};
    vo_parallel_for(nearest->ctx, count, GRAIN, find_range, &job);
}
