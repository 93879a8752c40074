#include "collide/nearest_kernel.h"

#include "collide/candidates_lanes.h"

enum { STACK = 64 }; /* trees are at most 30 deep */

/* Four points and the best so far; in floats as the boxes are asked about them. */
typedef struct packet {
    vo_p4 x, near;
    vo_d4 distance2;
    vo_i4 face;
    vo_f4 at[3], less; /* what rounding may have taken off each distance */
    vo_f4 limit2;      /* not below distance2 */
} packet;

VO_INLINE void set_limit(packet *p) { p->limit2 = d4_to_f4(p->distance2 * d4_set(1 + 0x1p-22)); }

VO_INLINE packet load(const vo_nearest_four *four) {
    packet p = {.x = {d4_load(four->x[0]), d4_load(four->x[1]), d4_load(four->x[2])},
                .distance2 = d4_load(four->distance2),
                .face = {-1, -1, -1, -1}};
    p.near = p.x;
    p.at[0] = d4_to_f4(p.x.x);
    p.at[1] = d4_to_f4(p.x.y);
    p.at[2] = d4_to_f4(p.x.z);
    p.less = d4_to_f4(d4_set(0x1p-23) * (d4_abs(p.x.x) + d4_abs(p.x.y) + d4_abs(p.x.z)));
    set_limit(&p);
    return p;
}

VO_INLINE void store(const packet *p, vo_nearest_four *four) {
    d4_store(four->distance2, p->distance2);
    d4_store(four->near[0], p->near.x);
    d4_store(four->near[1], p->near.y);
    d4_store(four->near[2], p->near.z);
    for (int i = 0; i < 4; i++) four->face[i] = (int)p->face[i];
}

/* Numbers that are not above the squared distances of a box, of their size. */
VO_INLINE vo_f4 box_distance2(const vo_bvh_node *n, const packet *p) {
    vo_f4 zero = f4_set(0), sum = zero;
    for (int axis = 0; axis < 3; axis++) {
        vo_f4 below = f4_set(n->min[axis]) - p->at[axis],
              above = p->at[axis] - f4_set(n->max[axis]);
        vo_f4 d = f4_max(f4_max(below, above) - p->less, zero);
        sum += d * d;
    }
    return sum * f4_set(1 - 0x1p-20f);
}

VO_INLINE float least(vo_f4 a) {
    float low = a[0] < a[1] ? a[0] : a[1], high = a[2] < a[3] ? a[2] : a[3];
    return low < high ? low : high;
}

/* One corner of a face for all lanes. */
VO_INLINE vo_p4 corner(const vo_nearest_part *part, int face, int k) {
    vo_vec3 x = part->x[vo_mesh_face_node(part->mesh, face, k)];
    return (vo_p4){d4_set(x.x), d4_set(x.y), d4_set(x.z)};
}

VO_INLINE void try_face(const vo_nearest_part *part, int face, packet *p) {
    vo_face_point4 q = vo_distance4_vertex_face(p->x, corner(part, face, 0), corner(part, face, 1),
                                                corner(part, face, 2));
    vo_i4 nearer = q.squared < p->distance2, id = {face, face, face, face};
    p->distance2 = d4_select(nearer, q.squared, p->distance2);
    p->near = p4_select(nearer, p4_add(p->x, q.offset), p->near);
    p->face = (nearer & id) | (~nearer & p->face);
    set_limit(p);
}

/* A node of the tree that is still to be looked at, and the distances of its box. */
typedef struct waiting {
    vo_f4 distance2;
    int node;
} waiting;

/* The child that is nearer to one of the points first, so that most of the tree is never looked
 * at. */
VO_INLINE int push_children(const vo_bvh_node *nodes, int node, const packet *p, waiting *stack,
                            int top) {
    int left = node + 1, right = nodes[node].link;
    waiting a = {box_distance2(&nodes[left], p), left};
    waiting b = {box_distance2(&nodes[right], p), right};
    bool left_first = least(a.distance2) <= least(b.distance2);
    stack[top++] = left_first ? b : a;
    stack[top++] = left_first ? a : b;
    return top;
}

static void ask_part(const vo_nearest_part *part, vo_nearest_four *four) {
    const vo_bvh_node *nodes = part->tree.nodes;
    packet p = load(four);
    waiting stack[STACK];
    int top = 0;
    if (part->tree.node_count) stack[top++] = (waiting){box_distance2(nodes, &p), 0};
    while (top) {
        waiting at = stack[--top];
        if (m4_bits(at.distance2 < p.limit2) == 0) continue;
        if (nodes[at.node].leaves == 1)
            try_face(part, nodes[at.node].link, &p);
        else
            top = push_children(nodes, at.node, &p, stack, top);
    }
    store(&p, four);
}

static void ask_face(const vo_nearest_part *part, int face, vo_nearest_four *four) {
    packet p = load(four);
    try_face(part, face, &p);
    store(&p, four);
}

const vo_nearest_kernels VO_KERNEL(vo_nearest_kernels) = {.ask_part = ask_part,
                                                          .ask_face = ask_face};
