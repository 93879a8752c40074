/* Pushes from intersection contours.
 *
 * A contour that bounds a region of one of its surfaces identifies what is wrong: that region is on
 * the wrong side of the other surface. It is pushed back from its centre towards the centre of the
 * contour (or of the region that the contour bounds on the other surface): a finger withdraws, a
 * lens turns inside out, a wing is pulled through. For nested regions the pushes add up correctly:
 * those of the inner region cancel.
 *
 * A contour that bounds no region is a slit. It is shortened along the gradient of its length
 * (Volino and Magnenat-Thalmann 2006, "Resolving surface collisions through intersection contour
 * minimization"), at every vertex and, more importantly, summed over the whole contour. */
#include "collide/untangle/untangle_private.h"

/* Step sizes relative to the face size. */
#define REGION_STEP  0.5
#define CONTOUR_STEP 0.3

/* ---- the gradient --------------------------------------------------------------------------- */

/* Returns the next (direction 1) or previous (-1) vertex of a contour; -1: none. */
static int vertex_beside(const vo_contour *k, int v, int direction) {
    int n = v + direction;
    if (n >= k->begin && n < k->end) return n;
    if (!k->closed) return -1;
    return direction > 0 ? k->begin : k->end - 1;
}

static vo_vec3 face_normal(const vo_soup *s, const vo_vec3 *x, int f) {
    const int *n = s->face[f];
    return v3_normalize(v3_cross(v3_sub(x[n[1]], x[n[0]]), v3_sub(x[n[2]], x[n[0]])));
}

/* The crossing moves with the edge and stays in the plane of the face: a push d of the edge moves
 * it by d - (N.d)/(N.E) E. With unit vectors R to the neighbours on the contour, its length changes
 * by -R.(d - (N.d)/(N.E) E) = -d.G, G = R - (E.R)/(E.N) N (Volino and Magnenat-Thalmann 2006, eq.
 * 3). */
vo_vec3 vo_untangle_gradient(const vo_contours *c, const vo_vec3 *x, const vo_contour *k, int v) {
    const vo_contour_vertex *at = &c->vertex[v];
    if (at->edge < 0) return v3_zero();
    vo_vec3 r = v3_zero();
    for (int direction = -1; direction <= 1; direction += 2) {
        int n = vertex_beside(k, v, direction);
        if (n >= 0) r = v3_add(r, v3_normalize(v3_sub(c->vertex[n].p, at->p)));
    }
    const int *edge = c->soup.edge[at->edge];
    vo_vec3 e = v3_normalize(v3_sub(x[edge[1]], x[edge[0]]));
    vo_vec3 n = face_normal(&c->soup, x, at->face);
    double en = v3_dot(e, n);
    return en == 0 ? r : v3_add_scaled(r, -v3_dot(e, r) / en, n);
}

static vo_vec3 limited(vo_vec3 a, double length) {
    double now = v3_length(a);
    return now > length ? v3_scale(length / now, a) : a;
}

/* ---- contour properties --------------------------------------------------------------------- */

/* Fractions of a push for the two surfaces of a contour. */
typedef struct split {
    double fraction[2]; /* sum 1, or both 0 if nothing is movable */
} split;

/* Returns the mean inverse mass of the nodes of the contour's faces on one surface. */
static double mobility(const vo_untangler *u, const vo_contour *k, int surface) {
    double sum = 0;
    int count = 0;
    for (int v = k->begin; v < k->end; v++) {
        int f = u->contours.vertex[v].segment[surface];
        if (f < 0) continue;
        for (int i = 0; i < 3; i++) sum += u->def.soup.inverse_mass[u->def.soup.face[f][i]];
        count += 3;
    }
    return count > 0 ? sum / count : 0;
}

static split make_split(double first, double second) {
    double sum = first + second;
    return sum > 0 ? (split){{first / sum, second / sum}} : (split){{0, 0}};
}

/* Returns the mean size of the cloth faces along a contour. */
static double contour_size(const vo_untangler *u, const vo_contour *k) {
    double sum = 0;
    int count = 0;
    for (int v = k->begin; v < k->end; v++)
        for (int s = 0; s < 2; s++) {
            int f = u->contours.vertex[v].segment[s];
            if (f < 0 || vo_part_is_obstacle(u, u->def.soup.face_part[f])) continue;
            sum += u->node_size[u->def.soup.face[f][0]];
            count++;
        }
    return count > 0 ? sum / count : 0;
}

static vo_vec3 contour_middle(const vo_contours *c, const vo_contour *k) {
    vo_vec3 sum = v3_zero();
    for (int v = k->begin; v < k->end; v++) sum = v3_add(sum, c->vertex[v].p);
    return v3_scale(1.0 / (k->end - k->begin), sum);
}

/* Pushes the nodes of the contour's faces on a surface, each once. */
static void push_faces(vo_untangler *u, const vo_contour *k, int surface, vo_vec3 push,
                       double follow_radius) {
    int mark = ++u->mark;
    for (int v = k->begin; v < k->end; v++) {
        int f = u->contours.vertex[v].segment[surface];
        for (int i = 0; f >= 0 && i < 3; i++) {
            int n = u->def.soup.face[f][i];
            if (u->node_mark[n] == mark) continue;
            u->node_mark[n] = mark;
            vo_untangle_push_node(u, n, push, follow_radius);
        }
    }
}

/* ---- slits ---------------------------------------------------------------------------------- */

/* Pushes the edge and the face of a crossing apart along its gradient. */
static void push_crossing(vo_untangler *u, const vo_contour_vertex *v, vo_vec3 push, split s) {
    const int *edge = u->def.soup.edge[v->edge], *face = u->def.soup.face[v->face];
    for (int i = 0; i < 2; i++)
        vo_untangle_push_node(u, edge[i], v3_scale(s.fraction[v->side], push), 0);
    for (int i = 0; i < 3; i++)
        vo_untangle_push_node(u, face[i], v3_scale(-s.fraction[1 - v->side], push), 0);
}

/* Restarts push beyond the end of a short slit: their smoothing would undo a smaller step. */
static void push_slit(vo_untangler *u, const vo_vec3 *x, const vo_contour *k) {
    const vo_contours *c = &u->contours;
    split s = make_split(mobility(u, k, 0), mobility(u, k, 1));
    double size = contour_size(u, k);
    double step = vo_min(CONTOUR_STEP * size, k->length + u->def.gap + 0.05 * u->level * size);
    vo_vec3 sum = v3_zero(); /* of surface 0 relative to surface 1 */
    for (int v = k->begin; v < k->end; v++) {
        vo_vec3 g = limited(vo_untangle_gradient(c, x, k, v), 2);
        sum = v3_add_scaled(sum, c->vertex[v].side == 0 ? 1 : -1, g);
        if (c->vertex[v].edge >= 0) push_crossing(u, &c->vertex[v], v3_scale(0.5 * step, g), s);
    }
    vo_vec3 push = v3_scale(step, limited(sum, 1));
    push_faces(u, k, 0, v3_scale(s.fraction[0], push), k->length);
    push_faces(u, k, 1, v3_scale(-s.fraction[1], push), k->length);
}

/* ---- regions -------------------------------------------------------------------------------- */

static vo_vec3 region_middle(const vo_untangler *u, const vo_vec3 *x, vo_contour_region r,
                             vo_vec3 none) {
    if (!r.separate || r.begin == r.end) return none;
    vo_vec3 sum = v3_zero();
    for (int i = r.begin; i < r.end; i++) sum = v3_add(sum, x[u->region_node[i]]);
    return v3_scale(1.0 / (r.end - r.begin), sum);
}

/* Returns the extent of a region from a point against a direction. */
static double region_depth(const vo_untangler *u, const vo_vec3 *x, vo_contour_region r,
                           vo_vec3 from, vo_vec3 direction) {
    double depth = 0;
    for (int i = r.begin; i < r.end; i++)
        depth = vo_max(depth, v3_dot(direction, v3_sub(from, x[u->region_node[i]])));
    return depth;
}

static void push_region(vo_untangler *u, const vo_contour *k, int surface, vo_contour_region r,
                        vo_vec3 push, double follow_radius) {
    if (r.begin == r.end) push_faces(u, k, surface, push, follow_radius);
    for (int i = r.begin; i < r.end; i++)
        vo_untangle_push_node(u, u->region_node[i], push, follow_radius);
}

/* Returns the vector from the centre of the region of surface 0 to that of surface 1. The centre of
 * the contour replaces that of a missing region. */
static vo_vec3 region_offset(const vo_untangler *u, const vo_vec3 *x, const vo_contour *k,
                             const vo_contour_region r[2]) {
    vo_vec3 middle = contour_middle(&u->contours, k);
    vo_vec3 a = region_middle(u, x, r[0], middle), b = region_middle(u, x, r[1], middle);
    return v3_sub(b, a);
}

static void push_regions(vo_untangler *u, const vo_vec3 *x, const vo_contour *k,
                         const vo_contour_region r[2]) {
    vo_vec3 direction = v3_normalize(region_offset(u, x, k, r));
    vo_vec3 middle = contour_middle(&u->contours, k);
    double size = contour_size(u, k);
    double depth = region_depth(u, x, r[0], middle, direction) +
                   region_depth(u, x, r[1], middle, v3_negate(direction)) +
                   vo_untangle_clearance(u, size);
    double step = vo_min(REGION_STEP * size, depth);
    split s = make_split(r[0].pinned ? 0 : mobility(u, k, 0), r[1].pinned ? 0 : mobility(u, k, 1));
    push_region(u, k, 0, r[0], v3_scale(s.fraction[0] * step, direction), 3 * depth);
    push_region(u, k, 1, r[1], v3_scale(-s.fraction[1] * step, direction), 3 * depth);
}

/* ---- pairs that touch ----------------------------------------------------------------------- */

/* Returns the distance that b must move along n to leave a. */
static double exit_distance(const vo_soup *s, const vo_vec3 *x, vo_pair p, vo_vec3 n) {
    double high = -INFINITY, low = INFINITY;
    for (int i = 0; i < 3; i++) {
        high = vo_max(high, v3_dot(n, x[s->face[p.a][i]]));
        low = vo_min(low, v3_dot(n, x[s->face[p.b][i]]));
    }
    return high - low;
}

/* Returns the face normal along which b leaves a soonest, and the distance. */
static vo_vec3 exit_direction(const vo_soup *s, const vo_vec3 *x, vo_pair p, double *distance) {
    vo_vec3 normal[2] = {face_normal(s, x, p.a), face_normal(s, x, p.b)}, best = v3(0, 0, 1);
    *distance = INFINITY;
    for (int i = 0; i < 4; i++) {
        vo_vec3 n = v3_scale(i % 2 ? 1 : -1, normal[i / 2]);
        double d = exit_distance(s, x, p, n);
        if (v3_length2(n) > 0 && d < *distance) {
            *distance = d;
            best = n;
        }
    }
    if (*distance == INFINITY) *distance = 0;
    return best;
}

static bool face_has(const int face[3], int node) {
    return face[0] == node || face[1] == node || face[2] == node;
}

static void push_face(vo_untangler *u, int f, int other, vo_vec3 push) {
    const vo_soup *s = &u->def.soup;
    for (int i = 0; i < 3; i++)
        if (!face_has(s->face[other], s->face[f][i]))
            vo_untangle_push_node(u, s->face[f][i], push, 0);
}

static double face_mobility(const vo_soup *s, int f) {
    const int *n = s->face[f];
    return s->inverse_mass[n[0]] + s->inverse_mass[n[1]] + s->inverse_mass[n[2]];
}

static void push_touching(vo_untangler *u, const vo_vec3 *x, vo_pair p) {
    const vo_soup *s = &u->def.soup;
    double distance, size = vo_max(u->node_size[s->face[p.a][0]], u->node_size[s->face[p.b][0]]);
    vo_vec3 direction = exit_direction(s, x, p, &distance);
    double step = vo_min(distance + vo_max(u->def.gap, 0.02 * size), 0.2 * size);
    split sh = make_split(face_mobility(s, p.a), face_mobility(s, p.b));
    push_face(u, p.b, p.a, v3_scale(sh.fraction[1] * step, direction));
    push_face(u, p.a, p.b, v3_scale(-sh.fraction[0] * step, direction));
}

/* ---- all ------------------------------------------------------------------------------------ */

/* Returns true if nodes of the contour lie inside the closed obstacle that it belongs to. They are
 * pushed out of it, and the contour is skipped. */
static bool is_inside_obstacle(const vo_untangler *u, const vo_contour *k) {
    for (int v = k->begin; v < k->end; v++) {
        const vo_contour_vertex *at = &u->contours.vertex[v];
        if (at->edge < 0) continue;
        int part = u->def.soup.face_part[at->face];
        for (int i = 0; i < 2; i++)
            if (u->inside_part[u->def.soup.edge[at->edge][i]] == part) return true;
    }
    return false;
}

/* Returns the region that a contour bounds on a surface; if that is pinned, the other side if it is
 * not. */
static vo_contour_region free_region(vo_untangler *u, const vo_contour *k, int surface, int at) {
    vo_contour_region r = vo_untangle_find_region(u, k, surface, false, at);
    if (!r.pinned || mobility(u, k, surface) == 0) return r;
    vo_contour_region other = vo_untangle_find_region(u, k, surface, true, at);
    return other.pinned ? vo_untangle_find_region(u, k, surface, false, at) : other;
}

static void push_contour(vo_untangler *u, const vo_vec3 *x, const vo_contour *k) {
    vo_contour_region r[2];
    r[0] = free_region(u, k, 0, 0);
    r[1] = free_region(u, k, 1, r[0].end);
    bool is_slit = (!r[0].separate || r[0].pinned) && (!r[1].separate || r[1].pinned);
    if (is_slit)
        push_slit(u, x, k);
    else
        push_regions(u, x, k, r);
}

void vo_untangle_push_contours(vo_untangler *u, const vo_vec3 *x) {
    const vo_contours *c = &u->contours;
    for (int i = 0; i < c->contour_count; i++)
        if (!is_inside_obstacle(u, &c->contour[i])) push_contour(u, x, &c->contour[i]);
    for (int i = 0; i < c->touching_count; i++) push_touching(u, x, c->touching[i]);
}
