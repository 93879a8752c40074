/* Skin weights of a garment: those of the nearest point of the body in its rest pose. */
#include "collide/distance.h"
#include "cook/cook.h"
#include "core/memory.h"
#include "spatial/bvh.h"

#include <math.h>

enum { STACK = 64, MAX_BONES = 65535, MIXED = 3 * VO_IMPORT_MAX_INFLUENCES };

/* ---- nearest point --------------------------------------------------------------------------- */

typedef struct body_point {
    int face; /* -1: none */
    double weight[3], squared;
} body_point;

static double squared_box_distance(const vo_bvh_node *node, vo_vec3 p) {
    const double x[3] = {p.x, p.y, p.z};
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        double d = vo_max(vo_max(node->min[i] - x[i], x[i] - node->max[i]), 0);
        sum += d * d;
    }
    return sum;
}

static void test_face(const vo_mesh *body, int face, vo_vec3 p, body_point *best) {
    vo_face_point at = vo_distance_vertex_face(p, body->node_x[vo_mesh_face_node(body, face, 0)],
                                               body->node_x[vo_mesh_face_node(body, face, 1)],
                                               body->node_x[vo_mesh_face_node(body, face, 2)]);
    if (at.squared > best->squared || (at.squared == best->squared && face > best->face)) return;
    *best = (body_point){face, {at.weight[0], at.weight[1], at.weight[2]}, at.squared};
}

/* Depth-first search, the nearer child first; ties go to the smaller face. */
static body_point find_nearest(const vo_mesh *body, const vo_bvh *tree, vo_vec3 p) {
    body_point best = {.face = -1, .squared = INFINITY};
    int32_t stack[STACK] = {0};
    int depth = tree->node_count > 0 ? 1 : 0;
    while (depth > 0) {
        int32_t index = stack[--depth];
        const vo_bvh_node *node = &tree->nodes[index];
        if (squared_box_distance(node, p) > best.squared) continue;
        if (node->leaves == 1) {
            test_face(body, node->link, p, &best);
            continue;
        }
        int32_t left = index + 1, right = node->link;
        bool left_first = squared_box_distance(&tree->nodes[left], p) <=
                          squared_box_distance(&tree->nodes[right], p);
        if (depth + 2 > STACK) break;
        stack[depth++] = left_first ? right : left;
        stack[depth++] = left_first ? left : right;
    }
    return best;
}

/* ---- weights --------------------------------------------------------------------------------- */

static void add_weight(vo_bone_weight *mixed, int *count, vo_bone_weight w) {
    for (int i = 0; i < *count; i++)
        if (mixed[i].bone == w.bone) {
            mixed[i].weight += w.weight;
            return;
        }
    mixed[(*count)++] = w;
}

/* Weights at a point of the body, interpolated between the corners of its face. */
static int mix_weights(const vo_body *body, const vo_mesh *surface, const body_point *at,
                       vo_bone_weight mixed[MIXED]) {
    int count = 0;
    for (int k = 0; k < 3; k++) {
        vo_bone_weight own[VO_IMPORT_MAX_INFLUENCES];
        int n = vo_body_get_weights(body, vo_mesh_face_node(surface, at->face, k), own);
        for (int i = 0; i < n; i++)
            add_weight(mixed, &count, (vo_bone_weight){own[i].bone, at->weight[k] * own[i].weight});
    }
    return count;
}

/* Moves the largest weight to the front; ties go to the smaller bone. */
static void select_largest(vo_bone_weight *w, int count) {
    for (int i = 1; i < count; i++) {
        bool larger =
            w[i].weight > w[0].weight || (w[i].weight == w[0].weight && w[i].bone < w[0].bone);
        vo_bone_weight first = w[0];
        if (larger) w[0] = w[i], w[i] = first;
    }
}

/* Writes the four largest weights, normalised. */
static void write_weights(vo_bone_weight *mixed, int count, uint16_t *bones, float *weights) {
    double sum = 0;
    int used = count < VO_RT_BONES_PER_VERTEX ? count : VO_RT_BONES_PER_VERTEX;
    for (int i = 0; i < used; i++) {
        select_largest(mixed + i, count - i);
        sum += mixed[i].weight;
    }
    for (int i = 0; i < used; i++) {
        bones[i] = (uint16_t)mixed[i].bone;
        weights[i] = sum > 0 ? (float)(mixed[i].weight / sum) : i == 0;
    }
}

static vo_result transfer(vo_cooking *c, const vo_mesh *surface, const vo_bvh *tree) {
    for (int n = 0; n < c->base->node_count; n++) {
        vo_bone_weight mixed[MIXED];
        int first = VO_RT_BONES_PER_VERTEX * n;
        body_point at = find_nearest(surface, tree, c->base->node_x[n]);
        if (at.face < 0)
            return vo_fail(c->ctx, VO_BAD_DATA,
                           "%s: vertex %d has no nearest point on the body; check its position",
                           c->def->input, n);
        int count = mix_weights(c->body, surface, &at, mixed);
        write_weights(mixed, count, c->bones + first, c->weights + first);
    }
    return VO_OK;
}

static vo_result build_tree(vo_context *ctx, const vo_mesh *mesh, vo_bvh *tree) {
    vo_box *box = vo_new_array(ctx, vo_box, mesh->face_count);
    if (!box) return vo_fail_memory(ctx, "skin weights");
    for (int f = 0; f < mesh->face_count; f++)
        box[f] = box_triangle(mesh->node_x[vo_mesh_face_node(mesh, f, 0)],
                              mesh->node_x[vo_mesh_face_node(mesh, f, 1)],
                              mesh->node_x[vo_mesh_face_node(mesh, f, 2)]);
    vo_result result = vo_bvh_build(ctx, tree, box, mesh->face_count);
    vo_free_array(ctx, box, mesh->face_count);
    return result;
}

static vo_result copy_names(vo_cooking *c, int count) {
    c->report.bone_names = vo_alloc_zero(c->ctx, (size_t)count * sizeof *c->report.bone_names);
    if (!c->report.bone_names) return vo_fail_memory(c->ctx, "bones");
    c->report.bone_count = count;
    for (int i = 0; i < count; i++) {
        c->report.bone_names[i] = vo_copy_string(c->ctx, vo_body_bone_name(c->body, i));
        if (!c->report.bone_names[i]) return vo_fail_memory(c->ctx, "bones");
    }
    return VO_OK;
}

vo_result vo_cook_transfer_skin(vo_cooking *c) {
    int bones = c->body && c->def->skin ? vo_body_bone_count(c->body) : 0;
    int count = VO_RT_BONES_PER_VERTEX * c->base->node_count;
    vo_bvh tree = {0};
    if (bones == 0) return VO_OK;
    if (bones > MAX_BONES)
        return vo_fail(c->ctx, VO_BAD_DATA,
                       "%s: has %d bones, more than %d; reduce its skeleton, or cook without skin",
                       c->def->sew.body ? c->def->sew.body : "the mannequin", bones, MAX_BONES);
    c->bones = vo_alloc_zero(c->ctx, (size_t)count * sizeof *c->bones);
    c->weights = vo_alloc_zero(c->ctx, (size_t)count * sizeof *c->weights);
    if (!c->bones || !c->weights) return vo_fail_memory(c->ctx, "skin weights");
    VO_TRY(copy_names(c, bones));
    const vo_mesh *surface = vo_body_rest_mesh(c->body);
    VO_TRY(build_tree(c->ctx, surface, &tree));
    vo_result result = transfer(c, surface, &tree);
    vo_bvh_free(c->ctx, &tree);
    return result;
}
