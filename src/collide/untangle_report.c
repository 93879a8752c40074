/* What is left, where, and why. */
#include "collide/untangle_private.h"

#include "core/memory.h"

const char *vo_tangle_why_text(vo_tangle_why why) {
    static const char *const text[] = {"not solved", "pinned", "squeezed between obstacles",
                                       "inside an obstacle"};
    return text[why];
}

vo_result vo_untangle_add_tangle(vo_untangler *u, const vo_tangle *t) {
    if (!vo_reserve(u->ctx, &u->tangle, &u->tangle_capacity, u->tangle_count + 1))
        return vo_fail_memory(u->ctx, "the list of tangles");
    u->tangle[u->tangle_count++] = *t;
    return VO_OK;
}

static bool face_moves(const vo_untangler *u, int f) {
    const int *n = u->def.soup.face[f];
    return vo_node_moves(u, n[0]) || vo_node_moves(u, n[1]) || vo_node_moves(u, n[2]);
}

/* The obstacle of a pair of faces; -1: none. */
static int pair_obstacle(const vo_untangler *u, vo_pair p) {
    int a = u->def.soup.face_part[p.a], b = u->def.soup.face_part[p.b];
    return vo_part_is_obstacle(u, a) ? a : vo_part_is_obstacle(u, b) ? b : -1;
}

static bool share_node(const int a[3], const int b[3]) {
    for (int i = 0; i < 3; i++)
        if (a[i] == b[0] || a[i] == b[1] || a[i] == b[2]) return true;
    return false;
}

/* Does a face near this pair, or one of it, intersect another obstacle? */
static bool is_squeezed(const vo_untangler *u, vo_pair p) {
    int obstacle = pair_obstacle(u, p);
    if (obstacle < 0) return false;
    int cloth = u->def.soup.face_part[p.a] == obstacle ? p.b : p.a;
    for (int i = 0; i < u->contours.pair_count; i++) {
        vo_pair q = u->contours.pair[i];
        int other = pair_obstacle(u, q);
        if (other < 0 || other == obstacle) continue;
        int f = u->def.soup.face_part[q.a] == other ? q.b : q.a;
        if (share_node(u->def.soup.face[cloth], u->def.soup.face[f])) return true;
    }
    return false;
}

static vo_tangle_why pair_why(const vo_untangler *u, vo_pair p) {
    if (!face_moves(u, p.a) && !face_moves(u, p.b)) return VO_TANGLE_PINNED;
    return is_squeezed(u, p) ? VO_TANGLE_SQUEEZED : VO_TANGLE_UNSOLVED;
}

static vo_tangle describe(const vo_untangler *u, vo_pair p, vo_vec3 place, double length) {
    return (vo_tangle){
        .why = pair_why(u, p),
        .part = {u->def.soup.face_part[p.a], u->def.soup.face_part[p.b]},
        .face = {p.a, p.b},
        .place = place,
        .length = length,
    };
}

static vo_result add_contour(vo_untangler *u, const vo_contour *k) {
    const vo_contour_vertex *middle = &u->contours.vertex[(k->begin + k->end - 1) / 2];
    vo_pair p = {middle->segment[0], middle->segment[1]};
    vo_tangle t = describe(u, p, middle->p, k->length);
    t.pairs = k->end - k->begin - !k->closed;
    return vo_untangle_add_tangle(u, &t);
}

static vo_result add_touching(vo_untangler *u, const vo_vec3 *x, vo_pair p) {
    const int *n = u->def.soup.face[p.a];
    vo_vec3 sum = v3_add(v3_add(x[n[0]], x[n[1]]), x[n[2]]);
    vo_tangle t = describe(u, p, v3_scale(1.0 / 3, sum), 0);
    t.pairs = 1;
    return vo_untangle_add_tangle(u, &t);
}

vo_result vo_untangle_list_tangles(vo_untangler *u, const vo_vec3 *x) {
    const vo_contours *c = &u->contours;
    u->tangle_count = 0;
    for (int i = 0; i < c->contour_count; i++) VO_TRY(add_contour(u, &c->contour[i]));
    for (int i = 0; i < c->touching_count; i++) VO_TRY(add_touching(u, x, c->touching[i]));
    return vo_untangle_list_inside(u, x);
}
