/* Questions about a single obstacle: how often it goes round a point, where its surface is nearest,
 * and where a ray leaves it. The last two walk the finder's tree of obstacle faces. */
#include "collide/distance.h"
#include "collide/untangle_private.h"

enum { OBSTACLES = 1, STACK = 64, MOST_HITS = 32 };

/* Solid angle of a triangle seen from the origin, over 4 pi (van Oosterom and Strackee 1983, "The
 * solid angle of a plane triangle", eq. 8). */
static double solid_angle(vo_vec3 a, vo_vec3 b, vo_vec3 c) {
    double la = v3_length(a), lb = v3_length(b), lc = v3_length(c);
    double above = v3_dot(a, v3_cross(b, c));
    double below = la * lb * lc + v3_dot(a, b) * lc + v3_dot(b, c) * la + v3_dot(c, a) * lb;
    return atan2(above, below) / (2 * VO_PI);
}

double vo_untangle_winding(const vo_untangler *u, const vo_vec3 *x, int part, vo_vec3 p) {
    const vo_contours *c = &u->contours;
    double sum = 0;
    if (!box_overlaps(u->part_box[part], (vo_box){p, p})) return 0;
    for (int i = u->part_begin[part]; i < u->part_end[part]; i++) {
        int f = c->face[OBSTACLES][i];
        if (c->soup.face_part[f] != part) continue;
        const int *n = c->soup.face[f];
        sum += solid_angle(v3_sub(x[n[0]], p), v3_sub(x[n[1]], p), v3_sub(x[n[2]], p));
    }
    return sum;
}

/* Squared distance of a point and a tree's box. */
static double box_distance(const vo_bvh_node *b, vo_vec3 p) {
    const double at[3] = {p.x, p.y, p.z};
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        double d = vo_max(vo_max((double)b->min[k] - at[k], at[k] - (double)b->max[k]), 0);
        sum += d * d;
    }
    return sum;
}

/* Takes the leaf's face if it is of the part and nearer. */
static void try_face(const vo_untangler *u, const vo_vec3 *x, int part, int leaf, vo_vec3 p,
                     vo_face_point *best) {
    int f = u->contours.face[OBSTACLES][leaf];
    if (u->def.soup.face_part[f] != part) return;
    const int *n = u->def.soup.face[f];
    vo_face_point found = vo_distance_vertex_face(p, x[n[0]], x[n[1]], x[n[2]]);
    if (found.squared < best->squared) *best = found;
}

vo_vec3 vo_untangle_nearest(const vo_untangler *u, const vo_vec3 *x, int part, vo_vec3 p) {
    const vo_bvh *tree = &u->contours.tree[OBSTACLES];
    vo_face_point best = {.squared = INFINITY};
    int stack[STACK], top = 0;
    if (tree->node_count > 0) stack[top++] = 0;
    while (top > 0) {
        int at = stack[--top];
        const vo_bvh_node *node = &tree->nodes[at];
        if (box_distance(node, p) >= best.squared) continue;
        if (node->leaves == 1) {
            try_face(u, x, part, node->link, p, &best);
            continue;
        }
        bool left_first =
            box_distance(&tree->nodes[at + 1], p) <= box_distance(&tree->nodes[node->link], p);
        stack[top++] = left_first ? node->link : at + 1;
        stack[top++] = left_first ? at + 1 : node->link;
    }
    return best.offset;
}

/* Does the ray from p meet the box before `most`? */
static bool ray_meets_box(const vo_bvh_node *b, vo_vec3 p, vo_vec3 way, double most) {
    const double at[3] = {p.x, p.y, p.z}, d[3] = {way.x, way.y, way.z};
    double low = 0, high = most;
    for (int k = 0; k < 3; k++) {
        if (d[k] == 0) {
            if (at[k] < (double)b->min[k] || at[k] > (double)b->max[k]) return false;
            continue;
        }
        double s = ((double)b->min[k] - at[k]) / d[k], t = ((double)b->max[k] - at[k]) / d[k];
        low = vo_max(low, vo_min(s, t));
        high = vo_min(high, vo_max(s, t));
    }
    return low <= high;
}

/* Where the ray goes through a face, and which way. */
typedef struct hit {
    double t;
    int turns; /* what the count of turns changes by: -1 along the normal, 1 against it */
} hit;

static bool ray_face(const vo_vec3 *x, const int n[3], vo_vec3 p, vo_vec3 way, hit *out) {
    vo_vec3 a = v3_sub(x[n[0]], p), b = v3_sub(x[n[1]], p), c = v3_sub(x[n[2]], p);
    double u = v3_dot(way, v3_cross(b, c)), v = v3_dot(way, v3_cross(c, a));
    double w = v3_dot(way, v3_cross(a, b)), sum = u + v + w;
    if (!((u >= 0 && v >= 0 && w >= 0) || (u <= 0 && v <= 0 && w <= 0)) || sum == 0) return false;
    vo_vec3 at = v3_add_scaled(v3_add_scaled(v3_scale(u / sum, a), v / sum, b), w / sum, c);
    *out = (hit){v3_dot(at, way), sum > 0 ? -1 : 1};
    return out->t > 0;
}

/* Keeps the nearest hits, in order. */
static int add_hit(hit *hits, int count, hit h) {
    int i = count < MOST_HITS ? count : MOST_HITS - 1;
    if (count == MOST_HITS && hits[i].t <= h.t) return count;
    for (; i > 0 && hits[i - 1].t > h.t; i--) hits[i] = hits[i - 1];
    hits[i] = h;
    return count < MOST_HITS ? count + 1 : count;
}

/* All places where the ray goes through closed obstacles, the nearest first. */
static int ray_hits(const vo_untangler *u, const vo_vec3 *x, vo_vec3 p, vo_vec3 way, hit *hits) {
    const vo_bvh *tree = &u->contours.tree[OBSTACLES];
    int stack[STACK], top = 0, count = 0;
    if (tree->node_count > 0) stack[top++] = 0;
    while (top > 0) {
        int at = stack[--top];
        const vo_bvh_node *node = &tree->nodes[at];
        double most = count == MOST_HITS ? hits[count - 1].t : INFINITY;
        if (!ray_meets_box(node, p, way, most)) continue;
        if (node->leaves > 1) {
            stack[top++] = node->link;
            stack[top++] = at + 1;
            continue;
        }
        int f = u->contours.face[OBSTACLES][node->link];
        hit h;
        if (u->part_closed[u->def.soup.face_part[f]] &&
            ray_face(x, u->def.soup.face[f], p, way, &h))
            count = add_hit(hits, count, h);
    }
    return count;
}

double vo_untangle_exit(const vo_untangler *u, const vo_vec3 *x, int turns, vo_vec3 p,
                        vo_vec3 way) {
    hit hits[MOST_HITS];
    int count = ray_hits(u, x, p, way, hits);
    for (int i = 0; i < count; i++) {
        turns += hits[i].turns;
        if (turns == 0) return hits[i].t;
    }
    return INFINITY;
}
