/* Point queries on obstacles: winding number, nearest point, and exit distance along a ray. The
 * last two traverse the BVH of obstacle faces. */
#include "collide/distance.h"
#include "collide/untangle/untangle_private.h"

enum { OBSTACLES = 1, STACK = 64, MAX_HITS = 32 };

/* Returns the solid angle of a triangle from the origin over 4 pi (van Oosterom and Strackee 1983,
 * "The solid angle of a plane triangle", eq. 8). */
static double solid_angle(vo_vec3 a, vo_vec3 b, vo_vec3 c) {
    double la = v3_length(a), lb = v3_length(b), lc = v3_length(c);
    double numerator = v3_triple(a, b, c);
    double denominator = la * lb * lc + v3_dot(a, b) * lc + v3_dot(b, c) * la + v3_dot(c, a) * lb;
    return atan2(numerator, denominator) / (2 * VO_PI);
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

/* Returns the squared distance of a point from a BVH box. */
static double box_distance(const vo_bvh_node *b, vo_vec3 p) {
    const double at[3] = {p.x, p.y, p.z};
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        double d = vo_max(vo_max((double)b->min[k] - at[k], at[k] - (double)b->max[k]), 0);
        sum += d * d;
    }
    return sum;
}

/* Updates the nearest point with the face of a leaf if it belongs to the part. */
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

/* Returns true if the ray from p intersects the box before distance `limit`. */
static bool ray_intersects_box(const vo_bvh_node *b, vo_vec3 p, vo_vec3 direction, double limit) {
    const double at[3] = {p.x, p.y, p.z}, d[3] = {direction.x, direction.y, direction.z};
    double near_t = 0, far_t = limit;
    for (int k = 0; k < 3; k++) {
        if (d[k] == 0) {
            if (at[k] < (double)b->min[k] || at[k] > (double)b->max[k]) return false;
            continue;
        }
        double s = ((double)b->min[k] - at[k]) / d[k], t = ((double)b->max[k] - at[k]) / d[k];
        near_t = vo_max(near_t, vo_min(s, t));
        far_t = vo_min(far_t, vo_max(s, t));
    }
    return near_t <= far_t;
}

/* Intersection of the ray with a face. */
typedef struct hit {
    double t;
    int winding; /* change of the winding number: -1 along the normal, 1 against it */
} hit;

static bool ray_face(const vo_vec3 *x, const int n[3], vo_vec3 p, vo_vec3 direction, hit *out) {
    vo_vec3 a = v3_sub(x[n[0]], p), b = v3_sub(x[n[1]], p), c = v3_sub(x[n[2]], p);
    double u = v3_dot(direction, v3_cross(b, c)), v = v3_dot(direction, v3_cross(c, a));
    double w = v3_dot(direction, v3_cross(a, b)), sum = u + v + w;
    if (!((u >= 0 && v >= 0 && w >= 0) || (u <= 0 && v <= 0 && w <= 0)) || sum == 0) return false;
    vo_vec3 at = v3_add_scaled(v3_add_scaled(v3_scale(u / sum, a), v / sum, b), w / sum, c);
    *out = (hit){v3_dot(at, direction), sum > 0 ? -1 : 1};
    return out->t > 0;
}

/* Inserts a hit; keeps the nearest ones, sorted. */
static int add_hit(hit *hits, int count, hit h) {
    int i = count < MAX_HITS ? count : MAX_HITS - 1;
    if (count == MAX_HITS && hits[i].t <= h.t) return count;
    for (; i > 0 && hits[i - 1].t > h.t; i--) hits[i] = hits[i - 1];
    hits[i] = h;
    return count < MAX_HITS ? count + 1 : count;
}

/* Finds the intersections of the ray with closed obstacles, nearest first. */
static int ray_hits(const vo_untangler *u, const vo_vec3 *x, vo_vec3 p, vo_vec3 direction,
                    hit *hits) {
    const vo_bvh *tree = &u->contours.tree[OBSTACLES];
    int stack[STACK], top = 0, count = 0;
    if (tree->node_count > 0) stack[top++] = 0;
    while (top > 0) {
        int at = stack[--top];
        const vo_bvh_node *node = &tree->nodes[at];
        double limit = count == MAX_HITS ? hits[count - 1].t : INFINITY;
        if (!ray_intersects_box(node, p, direction, limit)) continue;
        if (node->leaves > 1) {
            stack[top++] = node->link;
            stack[top++] = at + 1;
            continue;
        }
        int f = u->contours.face[OBSTACLES][node->link];
        hit h;
        if (u->part_closed[u->def.soup.face_part[f]] &&
            ray_face(x, u->def.soup.face[f], p, direction, &h))
            count = add_hit(hits, count, h);
    }
    return count;
}

double vo_untangle_exit_distance(const vo_untangler *u, const vo_vec3 *x, int winding, vo_vec3 p,
                                 vo_vec3 direction) {
    hit hits[MAX_HITS];
    int count = ray_hits(u, x, p, direction, hits);
    for (int i = 0; i < count; i++) {
        winding += hits[i].winding;
        if (winding == 0) return hits[i].t;
    }
    return INFINITY;
}
