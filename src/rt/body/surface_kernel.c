/* Hot loops of surfaces: skinning, refit, interpolation, nearest triangle. */
#include "rt/body/surface_kernel.h"

#include "math/simd_float.h"

/* --- Poses ------------------------------------------------------------------------------------ */

/* Adds a weighted matrix: its columns 0 and 1, and 2 and 3. */
VO_INLINE void add_bone(const vo_rt_skin_vertex *s, int k, const vo_rt_bone_columns *bones,
                        vo_f8 *c01, vo_f8 *c23) {
    const float *c = &bones[s->bone[k]].column[0][0];
    vo_f8 w = f8_set(s->weight[k]);
    *c01 += w * f8_load(c);
    *c23 += w * f8_load(c + 8);
}

/* Position of a vertex under its blended matrix: sum of columns times (x y z 1). Unused bones have
 * weight 0, so that the number of bones needs one branch only. */
VO_INLINE vo_f4 skin_vertex(vo_f4 p, const vo_rt_skin_vertex *s, const vo_rt_bone_columns *bones) {
    vo_f8 c01 = f8_set(0), c23 = f8_set(0);
    add_bone(s, 0, bones, &c01, &c23);
    add_bone(s, 1, bones, &c01, &c23);
    if (s->count > 2) {
        add_bone(s, 2, bones, &c01, &c23);
        add_bone(s, 3, bones, &c01, &c23);
    }
    vo_f8 sum = c01 * __builtin_shufflevector(p, p, 0, 0, 0, 0, 1, 1, 1, 1) +
                c23 * __builtin_shufflevector(p, p, 2, 2, 2, 2, 3, 3, 3, 3);
    return __builtin_shufflevector(sum, sum, 0, 1, 2, 3) +
           __builtin_shufflevector(sum, sum, 4, 5, 6, 7);
}

static void skin(int count, const vo_rt_vec4 *bind, const vo_rt_skin_vertex *s,
                 const vo_rt_bone_columns *bones, vo_rt_vec4 *out) {
    for (int i = 0; i < count; i++) f4_store(&out[i], skin_vertex(f4_load(&bind[i]), &s[i], bones));
}

static void interpolate(size_t count, const float *a, const float *b, float s, float *out) {
    vo_f8 t = f8_set(s);
    for (size_t i = 0; i < count; i += VO_F8_LANES) {
        vo_f8 from = f8_load(a + i);
        f8_store(out + i, from + t * (f8_load(b + i) - from));
    }
}

/* --- Refit ------------------------------------------------------------------------------------ */

/* Writes a box to a lane of a node. */
VO_INLINE void store_box(vo_rt_box8 *box, int32_t place, vo_f4 low, vo_f4 high) {
    vo_rt_box8 *node = &box[place / VO_RT_WIDTH];
    int lane = place % VO_RT_WIDTH;
    for (int axis = 0; axis < 3; axis++) {
        node->low[axis][lane] = low[axis];
        node->high[axis][lane] = high[axis];
    }
}

VO_INLINE void refit_leaf(const vo_rt_surface *s, vo_rt_surface_pose pose, int leaf) {
    const int32_t *index = s->leaf_vertex, end = s->leaf_vertex_begin[leaf + 1];
    int32_t i = s->leaf_vertex_begin[leaf];
    vo_f4 high = f4_load(&pose.vertex[index[i]]), low = -high; /* low is negated */
    for (i++; i < end; i++) {
        vo_f4 p = f4_load(&pose.vertex[index[i]]);
        high = f4_max(high, p);
        low = f4_max(low, -p);
    }
    store_box(pose.box, s->leaf_parent[leaf], -low, high);
}

VO_INLINE float lowest(const float a[VO_RT_WIDTH]) {
    float m = a[0];
    for (int k = 1; k < VO_RT_WIDTH; k++) m = a[k] < m ? a[k] : m;
    return m;
}

VO_INLINE float highest(const float a[VO_RT_WIDTH]) {
    float m = a[0];
    for (int k = 1; k < VO_RT_WIDTH; k++) m = a[k] > m ? a[k] : m;
    return m;
}

static void refit(const vo_rt_surface *s, vo_rt_surface_pose pose) {
    for (int leaf = 0; leaf < s->leaf_count; leaf++) refit_leaf(s, pose, leaf);
    for (int node = s->node_count - 1; node > 0; node--) {
        const vo_rt_box8 *b = &pose.box[node];
        vo_f4 low = {lowest(b->low[0]), lowest(b->low[1]), lowest(b->low[2]), 0};
        vo_f4 high = {highest(b->high[0]), highest(b->high[1]), highest(b->high[2]), 0};
        store_box(pose.box, s->node_parent[node], low, high);
    }
}

/* --- Nearest triangle ------------------------------------------------------------------------- */

/* Squared distance of p from the segment that starts at p - ap with direction ab. */
VO_INLINE vo_f8 segment_distance2(vo_v8 ap, vo_v8 ab) {
    vo_f8 length2 = f8_max(v8_dot(ab, ab), f8_set(1e-30f));
    vo_f8 t = f8_clamp(v8_dot(ab, ap) / length2, f8_set(0), f8_set(1));
    vo_v8 r = v8_add_scaled(ap, -t, ab);
    return v8_dot(r, r);
}

/* Squared distances of x from the 8 triangles of a leaf. The projection is inside the triangle if
 * its barycentric coordinates, computed from cross products with the normal, are not negative;
 * otherwise the nearest point is on an edge. Degenerate triangles have no inside. */
VO_INLINE vo_f8 leaf_distance2(const int32_t corner[3][VO_RT_WIDTH], const vo_rt_vec4 *vertex,
                               vo_v8 x) {
    vo_f8 w;
    vo_v8 a = v8_gather(vertex, corner[0], &w), b = v8_gather(vertex, corner[1], &w),
          c = v8_gather(vertex, corner[2], &w);
    vo_v8 ab = v8_sub(b, a), ac = v8_sub(c, a), ap = v8_sub(x, a);
    vo_f8 edges = segment_distance2(ap, ab);
    edges = f8_min(edges, segment_distance2(ap, ac));
    edges = f8_min(edges, segment_distance2(v8_sub(x, b), v8_sub(c, b)));
    vo_v8 n = v8_cross(ab, ac);
    vo_f8 nn = v8_dot(n, n), height = v8_dot(n, ap);
    vo_f8 u = v8_dot(n, v8_cross(ap, ac)), v = v8_dot(n, v8_cross(ab, ap));
    vo_m8 inside = (u >= 0) & (v >= 0) & (u + v <= nn) & (nn > 1e-30f);
    return f8_select(inside, height * height / f8_max(nn, f8_set(1e-30f)), edges);
}

typedef struct search {
    const vo_rt_surface *surface;
    vo_rt_surface_pose pose;
    vo_v8 x;
    vo_v8 x_low, x_high; /* x with a margin for the rounding of interpolated boxes */
    float bound2;
    int32_t slot;
} search;

/* A triangle's squared distance may be rounded below that of its box by this factor. */
static const float ROUNDING = 1.00001f;
/* Below the distance of the empty boxes of unused lanes, m^2. */
static const float MAX_BOUND2 = 1e30f;

VO_INLINE void search_leaf(search *s, int32_t leaf) {
    vo_f8 d2 = leaf_distance2((const int32_t(*)[VO_RT_WIDTH])s->surface->corner[leaf],
                              s->pose.vertex, s->x);
    unsigned bits = m8_bits(d2 <= s->bound2);
    for (; bits; bits &= bits - 1) {
        int lane = __builtin_ctz(bits);
        int32_t slot = leaf * VO_RT_WIDTH + lane;
        if (d2[lane] < s->bound2 || (d2[lane] == s->bound2 && (s->slot < 0 || slot < s->slot))) {
            s->bound2 = d2[lane];
            s->slot = slot;
        }
    }
}

/* Squared distances from the boxes of a node's children. */
VO_INLINE vo_f8 box_distance2(const vo_rt_box8 *b, const search *s) {
    vo_f8 zero = f8_set(0);
    vo_v8 low = s->x_low, high = s->x_high;
    vo_f8 dx = f8_max(f8_max(f8_load(b->low[0]) - high.x, low.x - f8_load(b->high[0])), zero);
    vo_f8 dy = f8_max(f8_max(f8_load(b->low[1]) - high.y, low.y - f8_load(b->high[1])), zero);
    vo_f8 dz = f8_max(f8_max(f8_load(b->low[2]) - high.z, low.z - f8_load(b->high[2])), zero);
    return dx * dx + dy * dy + dz * dz;
}

typedef struct entry {
    int32_t child;
    float distance2;
} entry;

/* Loads the data of a child into the cache while others are tested. */
VO_INLINE void prefetch_child(const search *s, int32_t child) {
    const char *data =
        child < 0 ? (const char *)s->surface->corner[~child] : (const char *)&s->pose.box[child];
    __builtin_prefetch(data);
    __builtin_prefetch(data + 64);
    if (child >= 0) __builtin_prefetch(data + 128);
}

/* Pushes the children within the bound; if `sorts`, the nearest last, which reduces the number of
 * visits unless the bound is tight from the start. */
VO_INLINE int push_children(const search *s, int32_t node, bool sorts, entry *stack, int top) {
    vo_f8 d2 = box_distance2(&s->pose.box[node], s);
    unsigned bits = m8_bits(d2 <= s->bound2 * ROUNDING);
    const int32_t *child = s->surface->child[node];
    float distance2[VO_RT_WIDTH];
    f8_store(distance2, d2);
    int first = top;
    for (; bits; bits &= bits - 1) {
        int lane = __builtin_ctz(bits), i = top++;
        entry e = {child[lane], distance2[lane]};
        prefetch_child(s, e.child);
        for (; sorts && i > first && stack[i - 1].distance2 < e.distance2; i--)
            stack[i] = stack[i - 1];
        stack[i] = e;
    }
    return top;
}

VO_INLINE search begin_search(const vo_rt_surface *surface, vo_rt_surface_pose pose, vo_rt_vec3 x,
                              float bound2) {
    float size = fabsf(x.x) > fabsf(x.y) ? fabsf(x.x) : fabsf(x.y);
    float e = 2.5e-7f * (size > fabsf(x.z) ? size : fabsf(x.z));
    return (search){surface,
                    pose,
                    v8_set(x.x, x.y, x.z),
                    v8_set(x.x - e, x.y - e, x.z - e),
                    v8_set(x.x + e, x.y + e, x.z + e),
                    bound2,
                    -1};
}

/* Visits the tree; leaf `skipped` has been searched already. */
VO_INLINE void search_tree(search *s, bool sorts, int32_t skipped) {
    entry stack[VO_RT_STACK];
    int top = push_children(s, 0, sorts, stack, 0);
    while (top > 0) {
        entry e = stack[--top];
        if (e.distance2 > s->bound2 * ROUNDING) continue;
        if (e.child >= 0)
            top = push_children(s, e.child, sorts, stack, top);
        else if (~e.child != skipped)
            search_leaf(s, ~e.child);
    }
}

static int32_t find_nearest(const vo_rt_surface *surface, vo_rt_surface_pose pose, vo_rt_vec3 x,
                            int32_t hint, float *bound2) {
    search s = begin_search(surface, pose, x, *bound2 < MAX_BOUND2 ? *bound2 : MAX_BOUND2);
    if (hint >= 0) {
        search_leaf(&s, hint / VO_RT_WIDTH);
        search_tree(&s, false, hint / VO_RT_WIDTH);
    } else {
        search_tree(&s, true, -1);
    }
    *bound2 = s.bound2;
    return s.slot;
}

static bool is_local_child(const vo_rt_surface *surface, int32_t child, int32_t home) {
    if (home < 0) return false;
    const vo_rt_cone *cone = child < 0 ? &surface->leaf_cone[~child] : &surface->node_cone[child];
    return vo_rt_surface_is_local(cone, &surface->leaf_cone[home]);
}

static float find_clearance(const vo_rt_surface *surface, vo_rt_surface_pose pose, vo_rt_vec3 x,
                            int32_t home, float limit) {
    search s = begin_search(surface, pose, x, limit * limit);
    entry stack[VO_RT_STACK];
    int top = push_children(&s, 0, true, stack, 0);
    while (top > 0) {
        entry e = stack[--top];
        if (e.distance2 >= s.bound2 || is_local_child(surface, e.child, home)) continue;
        if (e.child >= 0)
            top = push_children(&s, e.child, true, stack, top);
        else
            s.bound2 = e.distance2;
    }
    return sqrtf(s.bound2);
}

const vo_rt_surface_kernels VO_KERNEL(vo_rt_surface_kernels) = {skin, refit, interpolate,
                                                                find_nearest, find_clearance};
