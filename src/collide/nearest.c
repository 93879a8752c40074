#include "collide/nearest.h"

#include "collide/distance.h"
#include "core/memory.h"
#include "core/parallel.h"

/* Points a chunk, within which the answer to one is a good guess for the next: they lie side by
 * side as a rule. */
enum { GRAIN = 128, STACK = 64 }; /* trees are at most 30 deep */

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

static double outside(double x, double low, double high) {
    return x < low ? low - x : x > high ? x - high : 0;
}

static double box_distance2(const vo_bvh_node *n, vo_vec3 p) {
    double x = outside(p.x, n->min[0], n->max[0]), y = outside(p.y, n->min[1], n->max[1]);
    double z = outside(p.z, n->min[2], n->max[2]);
    return x * x + y * y + z * z;
}

static void ask_face(const vo_nearest_part *part, int face, vo_vec3 p, double *best,
                     vo_vec3 *near) {
    const vo_mesh *m = part->mesh;
    vo_face_point q = vo_distance_vertex_face(p, part->x[vo_mesh_face_node(m, face, 0)],
                                              part->x[vo_mesh_face_node(m, face, 1)],
                                              part->x[vo_mesh_face_node(m, face, 2)]);
    if (!(q.squared < *best)) return;
    *best = q.squared;
    *near = v3_add(p, q.offset);
}

/* A node of a tree that is still to be looked at. */
typedef struct waiting {
    int node;
    double distance2; /* of its box */
} waiting;

/* Lowers *best, a squared distance, where the part has something nearer to p, in its own frame; the
 * nearer child first, so that most of the tree is never looked at. */
static bool ask_part(const vo_nearest_part *part, vo_vec3 p, double *best, vo_vec3 *near) {
    const vo_bvh_node *nodes = part->tree.nodes;
    double first = *best;
    waiting stack[STACK];
    int top = 0;
    if (part->tree.node_count) stack[top++] = (waiting){0, box_distance2(nodes, p)};
    while (top) {
        waiting at = stack[--top];
        if (at.distance2 >= *best) continue;
        const vo_bvh_node *n = &nodes[at.node];
        if (n->leaves == 1) {
            ask_face(part, n->link, p, best, near);
            continue;
        }
        waiting left = {at.node + 1, box_distance2(&nodes[at.node + 1], p)};
        waiting right = {n->link, box_distance2(&nodes[n->link], p)};
        bool left_first = left.distance2 <= right.distance2;
        stack[top++] = left_first ? right : left;
        stack[top++] = left_first ? left : right;
    }
    return *best < first;
}

typedef struct nearest_job {
    const vo_nearest *nearest;
    const vo_vec3 *x;
    double range;
    vo_vec3 *near;
} nearest_job;

/* `hint` is any point of an obstacle, or NaN: nothing further away need be looked at. */
static vo_vec3 find_one(const nearest_job *job, vo_vec3 x, vo_vec3 hint) {
    vo_vec3 near = v3(NAN, NAN, NAN);
    double range = job->range, hinted = v3_distance(x, hint);
    if (hinted < range) {
        near = hint;
        range = hinted;
    }
    for (int i = 0; i < job->nearest->part_count; i++) {
        const vo_nearest_part *part = &job->nearest->part[i];
        if (!part->present || is_beyond(&part->around, x, range)) continue;
        double scale = fabs(part->pose.scale);
        double best = range * range / (scale * scale);
        vo_vec3 point = x;
        if (!ask_part(part, xf_point(part->inverse, x), &best, &point)) continue;
        near = xf_point(part->pose, point);
        range = sqrt(best) * scale;
    }
    return near;
}

static void find_range(void *arg, int begin, int end, int chunk) {
    (void)chunk;
    const nearest_job *job = arg;
    vo_vec3 hint = v3(NAN, NAN, NAN);
    for (int i = begin; i < end; i++) hint = job->near[i] = find_one(job, job->x[i], hint);
}

void vo_nearest_find(const vo_nearest *nearest, int count, const vo_vec3 *x, double range,
                     vo_vec3 *near) {
    nearest_job job = {nearest, x, range, near};
    vo_parallel_for(nearest->ctx, count, GRAIN, find_range, &job);
}
