/* Top-down construction of the tree: median splits of the triangle centroids along the longest axis
 * into blocks of a fixed size, with full nodes above them; the surface area heuristic inside a
 * block.
 */
#include "rt/body/surface.h"

#include <string.h>

/* Triangles of a lowest node, which has 8 leaves: fewer than 64, so that its leaves can end where
 * the surface does and need not contain triangles of two distant places. */
enum { BLOCK = 56 };

static int count_blocks(int triangles) { return (triangles + BLOCK - 1) / BLOCK; }

/* Blocks below each child of a node with `blocks` blocks: the largest power of 8 below it. */
static int subtree_blocks(int blocks) {
    int unit = 1;
    while ((int64_t)unit * VO_RT_WIDTH < blocks) unit *= VO_RT_WIDTH;
    return unit;
}

/* Nodes of a tree of blocks, which are nodes themselves. */
static int count_nodes(int blocks) {
    if (blocks <= 1) return blocks;
    int unit = subtree_blocks(blocks);
    return 1 + blocks / unit * count_nodes(unit) + count_nodes(blocks % unit);
}

int vo_rt_tree_count_nodes(int triangle_count) { return count_nodes(count_blocks(triangle_count)); }
int vo_rt_tree_max_leaves(int triangle_count) { return VO_RT_WIDTH * count_blocks(triangle_count); }

typedef struct builder {
    vo_rt_surface *surface;
    const vo_rt_tree_input *input;
    const vo_rt_vec3 *centroid;
    int32_t *order;
    int node_end, leaf_end;
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

/* --- Leaves of a block ------------------------------------------------------------------------ */

/* A range of b->order that becomes a leaf. */
typedef struct group {
    int begin, end;
} group;

/* Half the surface area of the box of a range of triangles. */
static float box_area(const builder *b, int begin, int end) {
    vo_rt_vec3 low = f3(1e18f, 1e18f, 1e18f), high = f3(-1e18f, -1e18f, -1e18f);
    for (int i = begin; i < end; i++) {
        const int32_t *v = b->input->triangles + 3 * (size_t)b->order[i];
        for (int k = 0; k < 3; k++) {
            low = f3_min(low, b->input->positions[v[k]]);
            high = f3_max(high, b->input->positions[v[k]]);
        }
    }
    vo_rt_vec3 d = f3_sub(high, low);
    return d.x * d.y + d.y * d.z + d.z * d.x;
}

static int leaves_for(int triangles) { return (triangles + VO_RT_WIDTH - 1) / VO_RT_WIDTH; }

/* Best split of a group by the surface area heuristic, so that its parts need at most `limit`
 * leaves; sorts the group along the best axis. Returns the first triangle of the second part. */
static int split_group(const builder *b, group g, int limit) {
    int best = -1, best_axis = 0;
    float least = INFINITY;
    for (int axis = 0; axis < 3; axis++) {
        sort_range(b, axis, g.begin, g.end);
        for (int i = g.begin + 1; i < g.end; i++) {
            int left = i - g.begin, right = g.end - i;
            if (leaves_for(left) + leaves_for(right) > limit) continue;
            float cost =
                box_area(b, g.begin, i) * (float)left + box_area(b, i, g.end) * (float)right;
            if (!(cost < least)) continue;
            least = cost;
            best = i;
            best_axis = axis;
        }
    }
    if (best >= 0) sort_range(b, best_axis, g.begin, g.end);
    return best;
}

/* The group to split next: the largest box of those with more than 8 triangles, or of all. */
static int choose_group(const builder *b, const group *g, int count) {
    int best = -1;
    float most = -1;
    for (int pass = 0; pass < 2 && best < 0; pass++)
        for (int i = 0; i < count; i++) {
            int size = g[i].end - g[i].begin;
            if (size < 2 || (pass == 0 && size <= VO_RT_WIDTH)) continue;
            float area = box_area(b, g[i].begin, g[i].end);
            if (area > most) most = area, best = i;
        }
    return best;
}

/* Divides a block into at most 8 leaves of at most 8 triangles. */
static int divide_block(const builder *b, int begin, int end, group g[VO_RT_WIDTH]) {
    int count = 1;
    g[0] = (group){begin, end};
    while (count < VO_RT_WIDTH) {
        int at = choose_group(b, g, count), leaves = 0;
        if (at < 0) break;
        for (int i = 0; i < count; i++)
            if (i != at) leaves += leaves_for(g[i].end - g[i].begin);
        int middle = split_group(b, g[at], VO_RT_WIDTH - leaves);
        if (middle < 0) break;
        g[count++] = (group){middle, g[at].end};
        g[at].end = middle;
    }
    return count;
}

/* Fills the slots of a leaf; the last triangle is repeated. */
static void add_leaf(builder *b, int node, int lane, group g) {
    vo_rt_surface *s = b->surface;
    int leaf = b->leaf_end++;
    for (int k = 0; k < VO_RT_WIDTH; k++)
        s->source[leaf * VO_RT_WIDTH + k] = b->order[g.begin + k < g.end ? g.begin + k : g.end - 1];
    s->leaf_parent[leaf] = node * VO_RT_WIDTH + lane;
    s->child[node][lane] = ~leaf;
}

/* --- Nodes -------------------------------------------------------------------------------------
 */

static int build_node(builder *b, int begin, int end, int32_t parent);

/* Divides a range into `count` children of `unit` triangles each (the last one may have fewer). */
static void add_children(builder *b, int node, int lane, int count, int unit, int begin, int end) {
    if (count == 1) {
        b->surface->child[node][lane] = build_node(b, begin, end, node * VO_RT_WIDTH + lane);
        return;
    }
    int left = count / 2, middle = begin + left * unit;
    partition_range(b, longest_axis(b, begin, end), begin, end, middle);
    add_children(b, node, lane, left, unit, begin, middle);
    add_children(b, node, lane + left, count - left, unit, middle, end);
}

static int build_node(builder *b, int begin, int end, int32_t parent) {
    int node = b->node_end++, blocks = count_blocks(end - begin);
    b->surface->node_parent[node] = parent;
    for (int k = 0; k < VO_RT_WIDTH; k++) b->surface->child[node][k] = VO_RT_NO_CHILD;
    if (blocks == 1) {
        group g[VO_RT_WIDTH];
        int count = divide_block(b, begin, end, g);
        for (int k = 0; k < count; k++) add_leaf(b, node, k, g[k]);
    } else {
        int unit = BLOCK * subtree_blocks(blocks);
        add_children(b, node, 0, (end - begin + unit - 1) / unit, unit, begin, end);
    }
    return node;
}

void vo_rt_tree_build(vo_rt_surface *surface, const vo_rt_tree_input *input,
                      const vo_rt_vec3 *centroid, int32_t *order) {
    builder b = {surface, input, centroid, order, 0, 0};
    for (int i = 0; i < surface->triangle_count; i++) order[i] = i;
    build_node(&b, 0, surface->triangle_count, -1);
    surface->leaf_count = b.leaf_end;
}
