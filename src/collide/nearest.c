#include "collide/nearest.h"

#include "collide/distance.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "math/simd.h"

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

/* A point as the boxes are asked about it: x, y, z, 0, and what rounding them may have taken off
 * each distance. */
typedef struct asked {
    vo_f4 at, less;
} asked;

static asked ask_about(vo_vec3 p) {
    float less = (float)(0x1p-23 * (fabs(p.x) + fabs(p.y) + fabs(p.z)));
    return (asked){{(float)p.x, (float)p.y, (float)p.z, 0}, {less, less, less, 0}};
}

/* A number that is not above the squared distance of a box, of its size. The fourth lanes hold
 * links. */
static float box_distance2(const vo_bvh_node *n, const asked *p) {
    typedef int32_t lanes __attribute__((vector_size(16)));
    const lanes coordinates = {-1, -1, -1, 0};
    vo_f4 min, max;
    memcpy(&min, n->min, sizeof min);
    memcpy(&max, n->max, sizeof max);
    min = (vo_f4)((lanes)min & coordinates);
    max = (vo_f4)((lanes)max & coordinates);
    vo_f4 d = f4_max(f4_max(min - p->at, p->at - max) - p->less, (vo_f4){0});
    d *= d;
    return (d[0] + d[1] + d[2]) * (1 - 0x1p-20f);
}

/* The nearest point found so far, in the frame of the part that is asked. */
typedef struct nearest_point {
    double distance2; /* nothing that is not nearer counts */
    vo_vec3 x;
    int face; /* -1: none */
} nearest_point;

static void ask_face(const vo_nearest_part *part, int face, vo_vec3 p, nearest_point *best) {
    const vo_mesh *m = part->mesh;
    vo_face_point q = vo_distance_vertex_face(p, part->x[vo_mesh_face_node(m, face, 0)],
                                              part->x[vo_mesh_face_node(m, face, 1)],
                                              part->x[vo_mesh_face_node(m, face, 2)]);
    if (q.squared < best->distance2) *best = (nearest_point){q.squared, v3_add(p, q.offset), face};
}

/* A node of a tree that is still to be looked at. */
typedef struct waiting {
    int node;
    float distance2; /* of its box, or less */
} waiting;

/* Takes what the part has nearer to p, in its own frame; the nearer child first, so that most of
 * the tree is never looked at. */
static void ask_part(const vo_nearest_part *part, vo_vec3 p, nearest_point *best) {
    const vo_bvh_node *nodes = part->tree.nodes;
    waiting stack[STACK];
    asked at_p = ask_about(p);
    int top = 0;
    if (part->tree.node_count) stack[top++] = (waiting){0, box_distance2(nodes, &at_p)};
    while (top) {
        waiting at = stack[--top];
        if ((double)at.distance2 >= best->distance2) continue;
        const vo_bvh_node *n = &nodes[at.node];
        if (n->leaves == 1) {
            ask_face(part, n->link, p, best);
            continue;
        }
        waiting left = {at.node + 1, box_distance2(&nodes[at.node + 1], &at_p)};
        waiting right = {n->link, box_distance2(&nodes[n->link], &at_p)};
        bool left_first = left.distance2 <= right.distance2;
        stack[top++] = left_first ? right : left;
        stack[top++] = left_first ? left : right;
    }
}

typedef struct nearest_job {
    const vo_nearest *nearest;
    const vo_vec3 *x;
    double range;
    vo_vec3 *near;
} nearest_job;

/* What one point found, to be asked first for the next. */
typedef struct finding {
    vo_vec3 near; /* NaN: nothing */
    double range; /* m, nothing is nearer */
    int part, face;
} finding;

/* Asks one face of a part, or all where `face` is -1. */
static void ask(const vo_nearest *n, int i, int face, vo_vec3 x, finding *f) {
    const vo_nearest_part *part = &n->part[i];
    double scale = fabs(part->pose.scale);
    nearest_point best = {f->range * f->range / (scale * scale), x, -1};
    vo_vec3 p = xf_point(part->inverse, x);
    if (face >= 0)
        ask_face(part, face, p, &best);
    else
        ask_part(part, p, &best);
    if (best.face < 0) return;
    *f = (finding){xf_point(part->pose, best.x), sqrt(best.distance2) * scale, i, best.face};
}

static finding find_one(const nearest_job *job, vo_vec3 x, const finding *before) {
    const vo_nearest *n = job->nearest;
    finding f = {v3(NAN, NAN, NAN), job->range, -1, -1};
    if (before->face >= 0) ask(n, before->part, before->face, x, &f);
    for (int i = 0; i < n->part_count; i++)
        if (n->part[i].present && !is_beyond(&n->part[i].around, x, f.range)) ask(n, i, -1, x, &f);
    return f;
}

static void find_range(void *arg, int begin, int end, int chunk) {
    (void)chunk;
    const nearest_job *job = arg;
    finding found = {.face = -1};
    for (int i = begin; i < end; i++) {
        found = find_one(job, job->x[i], &found);
        job->near[i] = found.near;
    }
}

void vo_nearest_find(const vo_nearest *nearest, int count, const vo_vec3 *x, double range,
                     vo_vec3 *near) {
    nearest_job job = {nearest, x, range, near};
    vo_parallel_for(nearest->ctx, count, GRAIN, find_range, &job);
}
