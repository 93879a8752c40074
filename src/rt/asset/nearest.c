/* Nearest triangle of a mesh to a point: a complete binary tree of boxes over triangles in Morton
 * order. Ericson 2005, "Real-Time Collision Detection", 5.1.5, for the point-triangle distance. */
#include "rt/asset/asset_private.h"

#include <float.h>

static float dot_sub(vo_rt_vec3 a, vo_rt_vec3 b, vo_rt_vec3 c) { return f3_dot(a, f3_sub(b, c)); }

/* Fraction of the segment at which it is nearest to p. */
static float nearest_on_segment(vo_rt_vec3 p, vo_rt_vec3 a, vo_rt_vec3 b) {
    vo_rt_vec3 d = f3_sub(b, a);
    float length2 = f3_length2(d);
    return length2 > 0 ? f_clamp(dot_sub(d, p, a) / length2, 0, 1) : 0;
}

static float nearest_on_border(vo_rt_vec3 p, const vo_rt_vec3 corner[3], float weight[3]) {
    float best = FLT_MAX;
    for (int i = 0; i < 3; i++) {
        int k = i == 2 ? 0 : i + 1;
        float t = nearest_on_segment(p, corner[i], corner[k]);
        float d = f3_length2(f3_sub(p, f3_lerp(corner[i], corner[k], t)));
        if (!(d < best)) continue;
        best = d;
        weight[i] = 1 - t;
        weight[k] = t;
        weight[3 - i - k] = 0;
    }
    return best;
}

float vo_rt_nearest_on_triangle(vo_rt_vec3 p, vo_rt_vec3 a, vo_rt_vec3 b, vo_rt_vec3 c,
                                float weight[3]) {
    const vo_rt_vec3 corner[3] = {a, b, c};
    vo_rt_vec3 n = vo_rt_triangle_normal(a, b, c);
    float area2 = f3_length2(n);
    weight[0] = 1, weight[1] = weight[2] = 0;
    if (!(area2 > 0)) return nearest_on_border(p, corner, weight);
    float w0 = f3_dot(n, f3_cross(f3_sub(c, b), f3_sub(p, b))) / area2;
    float w1 = f3_dot(n, f3_cross(f3_sub(a, c), f3_sub(p, c))) / area2;
    float w2 = 1 - w0 - w1;
    if (!(w0 >= 0 && w1 >= 0 && w2 >= 0)) return nearest_on_border(p, corner, weight);
    weight[0] = w0, weight[1] = w1, weight[2] = w2;
    vo_rt_vec3 q = f3_add_scaled(f3_add_scaled(f3_scale(w0, a), w1, b), w2, c);
    return f3_length2(f3_sub(p, q));
}

/* Inserts two zero bits in front of each of the lower ten bits. */
static uint32_t spread_bits(uint32_t x) {
    x = (x | x << 16) & 0x030000ffu;
    x = (x | x << 8) & 0x0300f00fu;
    x = (x | x << 4) & 0x030c30c3u;
    return (x | x << 2) & 0x09249249u;
}

static uint32_t quantize(float x, float min, float max) {
    float size = max - min;
    return size > 0 ? (uint32_t)f_clamp(1023 * (x - min) / size, 0, 1023) : 0;
}

static uint32_t morton_code(vo_rt_vec3 p, vo_rt_vec3 min, vo_rt_vec3 max) {
    return spread_bits(quantize(p.x, min.x, max.x)) |
           spread_bits(quantize(p.y, min.y, max.y)) << 1 |
           spread_bits(quantize(p.z, min.z, max.z)) << 2;
}

/* Stable radix sort of `order` by code, six bits at a time. */
static void sort_by_code(const uint32_t *code, int32_t *order, int32_t *swap, int count) {
    for (int shift = 0; shift < 30; shift += 6) {
        int offset[64] = {0};
        for (int i = 0; i < count; i++) offset[code[order[i]] >> shift & 63]++;
        for (int i = 0, sum = 0; i < 64; i++) {
            int n = offset[i];
            offset[i] = sum;
            sum += n;
        }
        for (int i = 0; i < count; i++) swap[offset[code[order[i]] >> shift & 63]++] = order[i];
        for (int i = 0; i < count; i++) order[i] = swap[i];
    }
}

static vo_rt_vec3 corner_of(const vo_rt_triangle_tree *tree, int triangle, int corner) {
    return tree->positions[tree->triangles[3 * triangle + corner]];
}

static void build_boxes(vo_rt_triangle_tree *tree) {
    for (int i = 0; i < tree->leaf_count; i++) {
        int t = tree->order[i], node = tree->leaf_count + i;
        tree->min[node] = f3(FLT_MAX, FLT_MAX, FLT_MAX);
        tree->max[node] = f3(-FLT_MAX, -FLT_MAX, -FLT_MAX);
        for (int k = 0; k < 3 && t >= 0; k++) {
            tree->min[node] = f3_min(tree->min[node], corner_of(tree, t, k));
            tree->max[node] = f3_max(tree->max[node], corner_of(tree, t, k));
        }
    }
    for (int node = tree->leaf_count - 1; node >= 1; node--) {
        tree->min[node] = f3_min(tree->min[2 * node], tree->min[2 * node + 1]);
        tree->max[node] = f3_max(tree->max[2 * node], tree->max[2 * node + 1]);
    }
}

static void sort_triangles(vo_rt_triangle_tree *tree, uint32_t *code, int32_t *swap, int count) {
    vo_rt_vec3 min = corner_of(tree, 0, 0), max = min;
    for (int i = 0; i < 3 * count; i++) {
        min = f3_min(min, tree->positions[tree->triangles[i]]);
        max = f3_max(max, tree->positions[tree->triangles[i]]);
    }
    for (int t = 0; t < count; t++) {
        vo_rt_vec3 sum =
            f3_add(f3_add(corner_of(tree, t, 0), corner_of(tree, t, 1)), corner_of(tree, t, 2));
        code[t] = morton_code(f3_scale(1.0f / 3, sum), min, max);
        tree->order[t] = t;
    }
    sort_by_code(code, tree->order, swap, count);
    for (int i = count; i < tree->leaf_count; i++) tree->order[i] = -1;
}

bool vo_rt_triangle_tree_build(vo_rt_triangle_tree *tree, vo_rt_scratch *scratch,
                               const vo_rt_vec3 *positions, const int32_t *triangles, int count) {
    int leaves = 1;
    while (leaves < count) leaves *= 2;
    *tree = (vo_rt_triangle_tree){
        .positions = positions,
        .triangles = triangles,
        .leaf_count = leaves,
        .order = vo_rt_scratch_array(scratch, int32_t, leaves),
        .min = vo_rt_scratch_array(scratch, vo_rt_vec3, 2 * leaves),
        .max = vo_rt_scratch_array(scratch, vo_rt_vec3, 2 * leaves),
    };
    uint32_t *code = vo_rt_scratch_array(scratch, uint32_t, count);
    int32_t *swap = vo_rt_scratch_array(scratch, int32_t, count);
    if (scratch->failed) return false;
    sort_triangles(tree, code, swap, count);
    build_boxes(tree);
    return true;
}

/* Squared distance of a point from a box; infinite for an empty one. */
static float box_distance2(const vo_rt_triangle_tree *tree, int node, vo_rt_vec3 p) {
    vo_rt_vec3 d =
        f3_max(f3_max(f3_sub(tree->min[node], p), f3_sub(p, tree->max[node])), f3(0, 0, 0));
    return f3_length2(d);
}

int vo_rt_triangle_tree_nearest(const vo_rt_triangle_tree *tree, vo_rt_vec3 point,
                                float weight[3]) {
    int stack[40], depth = 0, best_triangle = -1;
    float best = INFINITY;
    stack[depth++] = 1;
    while (depth > 0) {
        int node = stack[--depth];
        if (!(box_distance2(tree, node, point) <= best)) continue;
        if (node < tree->leaf_count) { /* the nearer child first */
            int a = 2 * node, b = a + 1;
            bool swapped = box_distance2(tree, b, point) < box_distance2(tree, a, point);
            stack[depth++] = swapped ? a : b;
            stack[depth++] = swapped ? b : a;
            continue;
        }
        int t = tree->order[node - tree->leaf_count];
        if (t < 0) continue;
        float w[3];
        float d = vo_rt_nearest_on_triangle(point, corner_of(tree, t, 0), corner_of(tree, t, 1),
                                            corner_of(tree, t, 2), w);
        if (d > best || (d == best && t > best_triangle)) continue;
        best = d;
        best_triangle = t;
        for (int i = 0; i < 3; i++) weight[i] = w[i];
    }
    return best_triangle;
}
