#include "collide/nearest_kernel.h"

#include "collide/pair_cache/distance_lanes.h"

enum { STACK = 64 }; /* BVHs are at most 30 levels deep */

/* Four points and their current results; floats for the box tests. */
typedef struct packet {
    vo_p4 x, nearest;
    vo_d4 distance2;
    vo_i4 face;
    vo_f4 at[3], rounding; /* bound on the rounding error of the distance */
    vo_f4 limit2;          /* upper bound of distance2 */
} packet;

VO_INLINE void set_limit(packet *p) { p->limit2 = d4_to_f4(p->distance2 * d4_set(1 + 0x1p-22)); }

VO_INLINE packet load(const vo_nearest_lanes *lanes) {
    packet p = {.x = {d4_load(lanes->x[0]), d4_load(lanes->x[1]), d4_load(lanes->x[2])},
                .distance2 = d4_load(lanes->distance2),
                .face = {-1, -1, -1, -1}};
    p.nearest = p.x;
    p.at[0] = d4_to_f4(p.x.x);
    p.at[1] = d4_to_f4(p.x.y);
    p.at[2] = d4_to_f4(p.x.z);
    p.rounding = d4_to_f4(d4_set(0x1p-23) * (d4_abs(p.x.x) + d4_abs(p.x.y) + d4_abs(p.x.z)));
    set_limit(&p);
    return p;
}

VO_INLINE void store(const packet *p, vo_nearest_lanes *lanes) {
    d4_store(lanes->distance2, p->distance2);
    d4_store(lanes->nearest[0], p->nearest.x);
    d4_store(lanes->nearest[1], p->nearest.y);
    d4_store(lanes->nearest[2], p->nearest.z);
    for (int i = 0; i < 4; i++) lanes->face[i] = (int)p->face[i];
}

/* Returns lower bounds of the squared distances from a box. */
VO_INLINE vo_f4 box_distance2(const vo_bvh_node *n, const packet *p) {
    vo_f4 zero = f4_set(0), sum = zero;
    for (int axis = 0; axis < 3; axis++) {
        vo_f4 below = f4_set(n->min[axis]) - p->at[axis],
              above = p->at[axis] - f4_set(n->max[axis]);
        vo_f4 d = f4_max(f4_max(below, above) - p->rounding, zero);
        sum += d * d;
    }
    return sum * f4_set(1 - 0x1p-20f);
}

VO_INLINE float min_lane(vo_f4 a) {
    float low = a[0] < a[1] ? a[0] : a[1], high = a[2] < a[3] ? a[2] : a[3];
    return low < high ? low : high;
}

/* Returns a corner of a face, replicated in all lanes. */
VO_INLINE vo_p4 corner(const vo_nearest_part *part, int face, int k) {
    vo_vec3 x = part->x[vo_mesh_face_node(part->mesh, face, k)];
    return (vo_p4){d4_set(x.x), d4_set(x.y), d4_set(x.z)};
}

VO_INLINE void try_face(const vo_nearest_part *part, int face, packet *p) {
    vo_face_point4 q = vo_distance4_vertex_face(p->x, corner(part, face, 0), corner(part, face, 1),
                                                corner(part, face, 2));
    vo_i4 nearer = q.squared < p->distance2, id = {face, face, face, face};
    p->distance2 = d4_select(nearer, q.squared, p->distance2);
    p->nearest = p4_select(nearer, p4_add(p->x, q.offset), p->nearest);
    p->face = (nearer & id) | (~nearer & p->face);
    set_limit(p);
}

/* A pending node of the BVH, and the squared distances of its box. */
typedef struct pending {
    vo_f4 distance2;
    int node;
} pending;

/* Pushes the nearer child last, so that it is visited first. */
VO_INLINE int push_children(const vo_bvh_node *nodes, int node, const packet *p, pending *stack,
                            int top) {
    int left = node + 1, right = nodes[node].link;
    pending a = {box_distance2(&nodes[left], p), left};
    pending b = {box_distance2(&nodes[right], p), right};
    bool left_first = min_lane(a.distance2) <= min_lane(b.distance2);
    stack[top++] = left_first ? b : a;
    stack[top++] = left_first ? a : b;
    return top;
}

static void query_part(const vo_nearest_part *part, vo_nearest_lanes *lanes) {
    const vo_bvh_node *nodes = part->tree.nodes;
    packet p = load(lanes);
    pending stack[STACK];
    int top = 0;
    if (part->tree.node_count) stack[top++] = (pending){box_distance2(nodes, &p), 0};
    while (top) {
        pending at = stack[--top];
        if (m4_bits(at.distance2 < p.limit2) == 0) continue;
        if (nodes[at.node].leaves == 1)
            try_face(part, nodes[at.node].link, &p);
        else
            top = push_children(nodes, at.node, &p, stack, top);
    }
    store(&p, lanes);
}

static void query_face(const vo_nearest_part *part, int face, vo_nearest_lanes *lanes) {
    packet p = load(lanes);
    try_face(part, face, &p);
    store(&p, lanes);
}

const vo_nearest_kernels VO_KERNEL(vo_nearest_kernels) = {.query_part = query_part,
                                                          .query_face = query_face};
