/* Top-down construction of the tree over triangle centroids by median splits along the longest
 * axis, with full nodes. */
#include "rt/body/surface.h"

#include <string.h>

/* Leaves below each child of a node with `leaves` leaves: the largest power of 8 below it. */
static int subtree_leaves(int leaves) {
    int unit = 1;
    while ((int64_t)unit * VO_RT_WIDTH < leaves) unit *= VO_RT_WIDTH;
    return unit;
}

int vo_rt_tree_count_nodes(int leaf_count) {
    int unit = subtree_leaves(leaf_count);
    if (unit == 1) return 1;
    int full = leaf_count / unit, rest = leaf_count % unit;
    int nodes = 1;
    if (full > 0) nodes += full * vo_rt_tree_count_nodes(unit);
    if (rest > 1) nodes += vo_rt_tree_count_nodes(rest); /* a single leaf has no node of its own */
    return nodes;
}

typedef struct builder {
    vo_rt_surface *surface;
    const vo_rt_vec3 *centroid;
    int32_t *order;
    int node_end;
} builder;

static float component(vo_rt_vec3 p, int axis) { return axis == 0 ? p.x : axis == 1 ? p.y : p.z; }

static int longest_axis(const builder *b, int begin, int end) {
    vo_rt_vec3 low = b->centroid[b->order[begin]], high = low;
    for (int i = begin + 1; i < end; i++) {
        low = f3_min(low, b->centroid[b->order[i]]);
        high = f3_max(high, b->centroid[b->order[i]]);
    }
    vo_rt_vec3 size = f3_sub(high, low);
    return size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
}

/* Total order along an axis; ties are broken by index. */
static bool is_before(const builder *b, int axis, int32_t i, int32_t j) {
    float x = component(b->centroid[i], axis), y = component(b->centroid[j], axis);
    return x != y ? x < y : i < j;
}

/* Restores the heap order (largest first) below `root`. */
static void sift_down(const builder *b, int axis, int32_t *heap, int root, int count) {
    for (int next = 2 * root + 1; next < count; root = next, next = 2 * root + 1) {
        if (next + 1 < count && is_before(b, axis, heap[next], heap[next + 1])) next++;
        if (!is_before(b, axis, heap[root], heap[next])) return;
        int32_t t = heap[root];
        heap[root] = heap[next];
        heap[next] = t;
    }
}

static void sort_range(const builder *b, int axis, int begin, int end) {
    int32_t *heap = b->order + begin;
    int count = end - begin;
    for (int i = count / 2 - 1; i >= 0; i--) sift_down(b, axis, heap, i, count);
    for (int i = count - 1; i > 0; i--) {
        int32_t t = heap[0];
        heap[0] = heap[i];
        heap[i] = t;
        sift_down(b, axis, heap, 0, i);
    }
}

/* Orders the range so that the triangles below `middle` precede the others along the axis. Quick
 * select; ranges that it does not reduce quickly are sorted, so that the cost is bounded. */
static void partition_range(const builder *b, int axis, int begin, int end, int middle) {
    for (int round = 0; end - begin > 16 && round < 64; round++) {
        int32_t *o = b->order;
        int32_t pivot = o[begin + (end - begin) / 2];
        int i = begin, j = end - 1;
        while (i <= j) {
            while (is_before(b, axis, o[i], pivot)) i++;
            while (is_before(b, axis, pivot, o[j])) j--;
            if (i <= j) {
                int32_t t = o[i];
                o[i++] = o[j];
                o[j--] = t;
            }
        }
        if (middle <= j)
            end = j + 1;
        else if (middle >= i)
            begin = i;
        else
            return;
    }
    sort_range(b, axis, begin, end);
}

static int build_node(builder *b, int begin, int end, int32_t parent);

/* Makes the triangles a leaf or a node, child `lane` of `node`. */
static void add_child(builder *b, int node, int lane, int begin, int end) {
    vo_rt_surface *s = b->surface;
    int32_t place = node * VO_RT_WIDTH + lane;
    if (end - begin <= VO_RT_WIDTH) {
        int leaf = begin / VO_RT_WIDTH;
        s->leaf_parent[leaf] = place;
        s->child[node][lane] = ~leaf;
    } else {
        s->child[node][lane] = build_node(b, begin, end, place);
    }
}

/* Divides a range into `count` children of `unit` triangles each (the last one may have fewer). */
static void add_children(builder *b, int node, int lane, int count, int unit, int begin, int end) {
    if (count == 1) {
        add_child(b, node, lane, begin, end);
        return;
    }
    int left = count / 2, middle = begin + left * unit;
    partition_range(b, longest_axis(b, begin, end), begin, end, middle);
    add_children(b, node, lane, left, unit, begin, middle);
    add_children(b, node, lane + left, count - left, unit, middle, end);
}

static int build_node(builder *b, int begin, int end, int32_t parent) {
    int node = b->node_end++;
    b->surface->node_parent[node] = parent;
    for (int k = 0; k < VO_RT_WIDTH; k++) b->surface->child[node][k] = ~0;
    int leaves = (end - begin + VO_RT_WIDTH - 1) / VO_RT_WIDTH;
    int unit = VO_RT_WIDTH * subtree_leaves(leaves);
    add_children(b, node, 0, (end - begin + unit - 1) / unit, unit, begin, end);
    return node;
}

void vo_rt_tree_build(vo_rt_surface *surface, const vo_rt_vec3 *centroid, int32_t *order) {
    builder b = {surface, centroid, order, 0};
    for (int i = 0; i < surface->triangle_count; i++) order[i] = i;
    build_node(&b, 0, surface->triangle_count, -1);
}
