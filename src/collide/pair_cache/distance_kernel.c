#include "collide/pair_cache/distance_kernel.h"

#include "collide/pair_cache/distance_lanes.h"

/* Rounding error of heights, as in pair.c. */
#define ROUNDING (16 * 0x1p-53)

/* ---- motions -------------------------------------------------------------------------------- */

/* Loads x, y, z and 0. */
VO_INLINE vo_d4 load3(const vo_vec3 *p) {
    return (vo_d4)((vo_i4)d4_load(&p->x) & (vo_i4){-1, -1, -1, 0});
}
VO_INLINE vo_vec3 to_vec3(vo_d4 a) { return v3(a[0], a[1], a[2]); }
VO_INLINE vo_d4 yzx(vo_d4 a) { return __builtin_shufflevector(a, a, 1, 2, 0, 3); }
VO_INLINE vo_d4 cross3(vo_d4 a, vo_d4 b) { return yzx(a * yzx(b) - yzx(a) * b); }
VO_INLINE double sum3(vo_d4 a) { return a[0] + a[1] + a[2]; }

/* Returns the rotation w that minimises the sum of |d - w x r|^2: (sum of r^2 - r r^T) w = sum of r
 * x d. Any value is a valid bound; collinear nodes, for which w is not unique, get zero. */
static vo_vec3 fit_rotation(vo_vec3 squares, vo_vec3 products, vo_vec3 torque) {
    double a = squares.y + squares.z, b = squares.x + squares.z, c = squares.x + squares.y;
    double xy = products.x, yz = products.y, xz = products.z;
    vo_vec3 r0 = v3(a, -xy, -xz), r1 = v3(-xy, b, -yz), r2 = v3(-xz, -yz, c);
    vo_vec3 c12 = v3_cross(r1, r2), c20 = v3_cross(r2, r0), c01 = v3_cross(r0, r1);
    double det = v3_dot(r0, c12), size = a + b + c;
    if (!(det > 1e-9 * size * size * size)) return v3_zero();
    vo_vec3 w = v3_add(v3_scale(torque.x, c12), v3_scale(torque.y, c20));
    return v3_scale(1 / det, v3_add(w, v3_scale(torque.z, c01)));
}

/* Nodes of a cluster: positions and displacements relative to their means. */
typedef struct body {
    int count;
    vo_d4 r[VO_CLUSTER_NODES], d[VO_CLUSTER_NODES];
} body;

/* Fills the body and the means of the motion; returns an upper bound of all coordinates. */
VO_INLINE double gather_body(const int *node, const vo_vec3 *from, const vo_vec3 *to, body *b,
                             vo_cluster_motion *motion, vo_box *end) {
    vo_d4 x = d4_set(0), d = d4_set(0), max = d4_set(0);
    vo_d4 low = d4_set(INFINITY), high = d4_set(-INFINITY);
    for (int i = 0; i < b->count; i++) {
        vo_d4 p = load3(&from[node[i]]), q = load3(&to[node[i]]);
        b->r[i] = p;
        b->d[i] = q - p;
        x += p;
        d += b->d[i];
        low = d4_min(low, q);
        high = d4_max(high, q);
        max = d4_max(max, d4_abs(p) + d4_abs(b->d[i]));
    }
    x *= d4_set(1.0 / b->count);
    d *= d4_set(1.0 / b->count);
    for (int i = 0; i < b->count; i++) {
        b->r[i] -= x;
        b->d[i] -= d;
    }
    motion->centre = to_vec3(x);
    motion->translation = to_vec3(d);
    bool is_finite = fabs(sum3(x)) < INFINITY && fabs(sum3(d)) < INFINITY;
    vo_vec3 nan_point = v3(NAN, NAN, NAN);
    *end = is_finite ? (vo_box){to_vec3(low), to_vec3(high)} : (vo_box){nan_point, nan_point};
    return sum3(max);
}

static void fit_motion(const vo_clusters *clusters, int c, const vo_vec3 *from, const vo_vec3 *to,
                       vo_cluster_motion *motion, vo_box *end) {
    const int *node = clusters->node.item + clusters->node.begin[c];
    body b = {.count = clusters->node.begin[c + 1] - clusters->node.begin[c]};
    double size = gather_body(node, from, to, &b, motion, end);
    vo_d4 squares = d4_set(0), products = d4_set(0), torque = d4_set(0);
    for (int i = 0; i < b.count; i++) {
        squares += b.r[i] * b.r[i];
        products += b.r[i] * yzx(b.r[i]);
        torque += cross3(b.r[i], b.d[i]);
    }
    vo_vec3 w = fit_rotation(to_vec3(squares), to_vec3(products), to_vec3(torque));
    vo_d4 rotation = {w.x, w.y, w.z, 0};
    double radius2 = 0, residual2 = 0;
    for (int i = 0; i < b.count; i++) {
        vo_d4 residual = b.d[i] - cross3(rotation, b.r[i]);
        radius2 = vo_max(radius2, sum3(b.r[i] * b.r[i]));
        residual2 = vo_max(residual2, sum3(residual * residual));
    }
    /* Positions and their differences are rounded relative to the largest coordinates. */
    motion->rotation = w;
    motion->radius = sqrt(radius2) * (1 + 0x1p-40) + 0x1p-48 * size;
    motion->residual = sqrt(residual2) * (1 + 0x1p-40) + 0x1p-47 * size * (1 + v3_length(w));
}

/* ---- distances ------------------------------------------------------------------------------ */

/* Returns the positions of node k of four pairs; the last pair fills missing lanes. */
VO_INLINE vo_p4 gather(const vo_vec3 *x, const int (*node)[4], int k, const int lane[4]) {
    const vo_vec3 *a = &x[node[lane[0]][k]], *b = &x[node[lane[1]][k]];
    const vo_vec3 *c = &x[node[lane[2]][k]], *d = &x[node[lane[3]][k]];
    return (vo_p4){(vo_d4){a->x, b->x, c->x, d->x}, (vo_d4){a->y, b->y, c->y, d->y},
                   (vo_d4){a->z, b->z, c->z, d->z}};
}

/* Returns the height of p above q along n, rounded down. */
VO_INLINE vo_d4 height(vo_p4 n, vo_p4 p, vo_p4 q) {
    vo_p4 r = p4_sub(p, q);
    vo_d4 size = d4_abs(n.x * r.x) + d4_abs(n.y * r.y) + d4_abs(n.z * r.z);
    return p4_dot(n, r) - d4_set(ROUNDING) * size;
}

/* Returns a lower bound of the distance: the smallest height of a node of the first feature above
 * one of the second, along the direction between the closest points. */
VO_INLINE vo_d4 min_distance_of(vo_feature_kind kind, const vo_p4 x[4], vo_p4 offset,
                                vo_d4 squared) {
    vo_d4 zero = d4_set(0), distance = d4_sqrt(squared);
    vo_p4 n = p4_scale(1 / distance, offset);
    vo_d4 low = d4_set(INFINITY), sum = zero;
    int firsts = kind == VO_NODE_FACE ? 1 : 2;
    for (int i = 0; i < firsts; i++)
        for (int j = firsts; j < 4; j++) {
            vo_d4 h = height(n, x[i], x[j]);
            low = d4_min(h, low);
            sum += h;
        }
    low = low * d4_set(1 - ROUNDING);
    return d4_select((low > zero) & (sum == sum), low, zero); /* n is NaN at distance 0 */
}

VO_INLINE void store(vo_distance_lanes *out, const vo_d4 weight[4], vo_p4 offset, vo_d4 squared,
                     vo_d4 min_distance) {
    for (int k = 0; k < 4; k++) d4_store(out->weight[k], weight[k]);
    d4_store(out->offset[0], offset.x);
    d4_store(out->offset[1], offset.y);
    d4_store(out->offset[2], offset.z);
    d4_store(out->squared, squared);
    d4_store(out->min_distance, min_distance);
}

VO_INLINE void measure_node_faces(const vo_p4 x[4], vo_distance_lanes *out) {
    vo_face_point4 c = vo_distance4_vertex_face(x[0], x[1], x[2], x[3]);
    vo_d4 weight[4] = {d4_set(1), -c.weight[0], -c.weight[1], -c.weight[2]};
    vo_p4 offset = p4_negate(c.offset);
    store(out, weight, offset, c.squared, min_distance_of(VO_NODE_FACE, x, offset, c.squared));
}

VO_INLINE void measure_edges(const vo_p4 x[4], vo_distance_lanes *out) {
    vo_edge_pair4 c = vo_distance4_edge_edge(x[0], x[1], x[2], x[3]);
    vo_d4 weight[4] = {1 - c.s, c.s, -(1 - c.t), -c.t};
    vo_p4 offset = p4_negate(c.offset);
    store(out, weight, offset, c.squared, min_distance_of(VO_EDGE_EDGE, x, offset, c.squared));
}

static void measure(const vo_surface *s, vo_feature_kind kind, int count, const int (*node)[4],
                    vo_distance_lanes *out) {
    for (int first = 0; first < count; first += 4, out++) {
        int lane[4];
        for (int k = 0; k < 4; k++) lane[k] = first + k < count ? first + k : count - 1;
        vo_p4 x[4];
        for (int k = 0; k < 4; k++) x[k] = gather(s->x0, node, k, lane);
        if (kind == VO_NODE_FACE)
            measure_node_faces(x, out);
        else
            measure_edges(x, out);
    }
}

/* ---- expired pairs -------------------------------------------------------------------------- */

typedef float vo_f8 __attribute__((vector_size(32)));
typedef int32_t vo_m8 __attribute__((vector_size(32))); /* masks of vo_f8 */

/* Returns one bit per lane. */
VO_INLINE unsigned m8_bits(vo_m8 m) {
#if defined(__AVX__)
    return (unsigned)_mm256_movemask_ps((__m256)m);
#else
    unsigned bits = 0;
    for (int i = 0; i < 8; i++) bits |= (unsigned)(m[i] & 1) << i;
    return bits;
#endif
}

static int select_expired(const float *expiry, int count, float threshold, int *index) {
    int n = 0, i = 0;
    for (; i + 8 <= count; i += 8) {
        vo_f8 v, limit = {threshold, threshold, threshold, threshold,
                          threshold, threshold, threshold, threshold};
        memcpy(&v, expiry + i, sizeof v);
        for (unsigned bits = m8_bits(~(v > limit)); bits; bits &= bits - 1)
            index[n++] = i + __builtin_ctz(bits);
    }
    for (; i < count; i++)
        if (!(expiry[i] > threshold)) index[n++] = i;
    return n;
}

/* ---- boxes ---------------------------------------------------------------------------------- */

/* vo_float_below for four lanes. */
VO_INLINE vo_f4 f4_below(vo_d4 x) {
    vo_d4 y = x - (d4_abs(x) * d4_set(0x1p-23) + d4_set(0x1p-126));
    y = d4_select(x > d4_set(FLT_MAX), d4_set(FLT_MAX), y);
    return d4_to_f4(d4_select(y == y, y, d4_set(-INFINITY)));
}

/* Stores the box of `count` nodes as box i of a row of blocks. NaN coordinates give an infinite
 * box. */
VO_INLINE void store_box(const vo_vec3 *x, const int *node, int count, vo_box8 *row, int i) {
    vo_d4 min = d4_set(INFINITY), max = d4_set(-INFINITY), sum = d4_set(0);
    for (int k = 0; k < count; k++) {
        vo_d4 p = load3(&x[node[k]]);
        min = d4_min(p, min);
        max = d4_max(p, max);
        sum += p;
    }
    vo_i4 is_nan = sum != sum;
    vo_f4 low = f4_below(d4_select(is_nan, d4_set(-INFINITY), min));
    vo_f4 high = -f4_below(d4_select(is_nan, d4_set(-INFINITY), -max));
    for (int axis = 0; axis < 3; axis++) {
        row[i / 8].min[axis][i % 8] = low[axis];
        row[i / 8].max[axis][i % 8] = high[axis];
    }
}

/* Pads the last block with empty boxes. */
static void pad_boxes(vo_box8 *row, int count) {
    for (int i = count; i < 8 * vo_box8_count(count); i++)
        for (int axis = 0; axis < 3; axis++) {
            row[i / 8].min[axis][i % 8] = INFINITY;
            row[i / 8].max[axis][i % 8] = -INFINITY;
        }
}

static void fill_boxes(const vo_surface *s, const vo_clusters *clusters, int c, vo_box8 *out) {
    const vo_csr *list[3] = {&clusters->own_node, &clusters->face, &clusters->own_edge};
    const int *nodes = clusters->node.item + clusters->node.begin[c];
    int count = clusters->node.begin[c + 1] - clusters->node.begin[c];
    store_box(s->x0, nodes, count, out, 0);
    out++;
    for (int kind = 0; kind < 3; kind++) {
        const int *id = list[kind]->item + list[kind]->begin[c];
        int n = list[kind]->begin[c + 1] - list[kind]->begin[c];
        for (int i = 0; i < n; i++) {
            const int *node = kind == 0 ? &id[i] : kind == 1 ? s->face[id[i]] : s->edge[id[i]];
            store_box(s->x0, node, kind == 0 ? 1 : kind == 1 ? 3 : 2, out, i);
        }
        pad_boxes(out, n);
        out += vo_box8_count(n);
    }
}

/* ---- comparing boxes ------------------------------------------------------------------------ */

VO_INLINE vo_f8 f8_load(const float *p) {
    vo_f8 v;
    memcpy(&v, p, sizeof v);
    return v;
}
VO_INLINE vo_f8 f8_set(float s) { return (vo_f8){s, s, s, s, s, s, s, s}; }
VO_INLINE vo_f8 f8_max(vo_f8 a, vo_f8 b) {
    vo_m8 mask = a > b;
    return (vo_f8)((mask & (vo_m8)a) | (~mask & (vo_m8)b));
}

/* A box replicated in all lanes. */
typedef struct wide_box {
    vo_f8 min[3], max[3];
} wide_box;

VO_INLINE wide_box widen(const vo_box8 *box, int lane) {
    wide_box w;
    for (int axis = 0; axis < 3; axis++) {
        w.min[axis] = f8_set(box->min[axis][lane]);
        w.max[axis] = f8_set(box->max[axis][lane]);
    }
    return w;
}

/* Returns the squared distances of one box from eight. Box bounds are exact, so only these
 * operations round, each by 2^-24 of its result. */
VO_INLINE vo_f8 gaps2(const wide_box *one, const vo_box8 *eight) {
    vo_f8 sum = f8_set(0);
    for (int axis = 0; axis < 3; axis++) {
        vo_f8 below = one->min[axis] - f8_load(eight->max[axis]);
        vo_f8 above = f8_load(eight->min[axis]) - one->max[axis];
        vo_f8 gap = f8_max(f8_max(below, above), f8_set(0));
        sum += gap * gap;
    }
    return sum;
}

/* Returns one bit for each of `count` features within the limit. */
VO_INLINE unsigned near_bits(vo_f8 gap2, vo_f8 limit2, int count) {
    return m8_bits(~(gap2 > limit2)) & (count < 8 ? (1u << count) - 1 : 0xff);
}

/* The pairs of two feature lists: list a against the blocks of b that are close to all of a. */
typedef struct matching {
    const vo_surface *s;
    const vo_feature_boxes *a, *b;
    const vo_list_rule *rule;
    bool edges, swapped;
    int block_count, block[VO_CLUSTER_NODES / 8];
    vo_pair_output *out;
} matching;

VO_INLINE vo_f8 limit2_of(const vo_list_rule *rule) { return f8_set(rule->limit * rule->limit); }

VO_INLINE void find_blocks(matching *m) {
    wide_box whole = widen(m->a->whole, 0);
    vo_f8 limit2 = limit2_of(m->rule);
    for (int k = 0; k < vo_box8_count(m->b->count); k++)
        if (near_bits(gaps2(&whole, &m->b->box[k]), limit2, m->b->count - 8 * k))
            m->block[m->block_count++] = k;
}

/* Returns the thickness offset of a pair within one part; negative if the features share a node. */
static float self_thickness_offset(const matching *m, int i, int j) {
    int node[4], p = m->a->id[i], q = m->b->id[j];
    vo_feature_key key = {m->edges ? vo_min_int(p, q) : p, m->edges ? vo_max_int(p, q) : q};
    if (!vo_pair_nodes(m->s, m->edges ? VO_EDGE_EDGE : VO_NODE_FACE, key, node)) return -1;
    double entry_thickness = (double)m->rule->thickness, thickness = entry_thickness;
    for (int k = 0; k < 4; k++) thickness = vo_min(thickness, m->s->max_self_thickness[node[k]]);
    return fmaxf(vo_pair_thickness_offset(entry_thickness, thickness), 0);
}

VO_INLINE void add_pair(matching *m, int i, int j, float gap2) {
    vo_pair_output *out = m->out;
    float offset = m->rule->one_part ? self_thickness_offset(m, i, j) : 0;
    float expiry = (sqrtf(gap2) + offset) * (1 - 0x1p-20f);
    if (offset < 0 || expiry > m->rule->limit) return;
    out->pair[out->count] = vo_local_pair_of(i, j, m->swapped);
    out->expiry[out->count++] = expiry;
}

/* Adds the pairs of feature i; within one cluster, with the edges after it. */
VO_INLINE void list_feature(matching *m, int i) {
    wide_box one = widen(&m->a->box[i / 8], i % 8);
    vo_f8 limit2 = limit2_of(m->rule);
    int first = m->edges && m->a->box == m->b->box ? i + 1 : 0;
    for (int at = 0; at < m->block_count; at++) {
        int j = 8 * m->block[at];
        vo_f8 gap2 = gaps2(&one, &m->b->box[m->block[at]]);
        unsigned bits = near_bits(gap2, limit2, m->b->count - j);
        if (first > j) bits &= first < j + 8 ? ~0u << (first - j) : 0;
        for (; bits; bits &= bits - 1) {
            int lane = __builtin_ctz(bits);
            add_pair(m, i, j + lane, gap2[lane]);
        }
    }
}

VO_INLINE void list_pairs(matching *m) {
    wide_box whole = widen(m->b->whole, 0);
    vo_f8 limit2 = limit2_of(m->rule);
    find_blocks(m);
    for (int first = 0; first < m->a->count && m->block_count; first += 8) {
        vo_f8 gap2 = gaps2(&whole, &m->a->box[first / 8]);
        unsigned bits = near_bits(gap2, limit2, m->a->count - first);
        for (; bits; bits &= bits - 1) list_feature(m, first + __builtin_ctz(bits));
    }
}

static void list_node_faces(const vo_surface *s, const vo_feature_boxes *nodes,
                            const vo_feature_boxes *faces, bool swapped, const vo_list_rule *rule,
                            vo_pair_output *out) {
    matching m = {.s = s, .a = nodes, .b = faces, .rule = rule, .swapped = swapped, .out = out};
    list_pairs(&m);
}

static void list_edges(const vo_surface *s, const vo_feature_boxes *a, const vo_feature_boxes *b,
                       const vo_list_rule *rule, vo_pair_output *out) {
    matching m = {.s = s, .a = a, .b = b, .rule = rule, .edges = true, .out = out};
    list_pairs(&m);
}

const vo_candidates_kernels VO_KERNEL(vo_candidates_kernels) = {
    .fit_motion = fit_motion,
    .measure = measure,
    .select_expired = select_expired,
    .fill_boxes = fill_boxes,
    .list_node_faces = list_node_faces,
    .list_edges = list_edges,
};
