/* Remaining tangles: position and reason. */
#include "collide/untangle/untangle_private.h"

#include "core/memory.h"

const char *vo_tangle_reason_text(vo_tangle_reason reason) {
    static const char *const text[] = {"not solved", "pinned", "squeezed between obstacles",
                                       "inside an obstacle", "outside the containers"};
    return text[reason];
}

vo_result vo_untangle_add_tangle(vo_untangler *u, const vo_tangle *t) {
    if (!vo_reserve(u->ctx, &u->tangle, &u->tangle_capacity, u->tangle_count + 1))
        return vo_fail_memory(u->ctx, "the list of tangles");
    u->tangle[u->tangle_count++] = *t;
    return VO_OK;
}

/* Returns true if all nodes of the face are movable. */
static bool face_is_free(const vo_untangler *u, int f) {
    const int *n = u->def.soup.face[f];
    return vo_node_moves(u, n[0]) && vo_node_moves(u, n[1]) && vo_node_moves(u, n[2]);
}

/* Returns true if an obstacle other than that of the pair is close to a position. */
static bool is_squeezed(const vo_untangler *u, const vo_vec3 *x, vo_pair p, vo_vec3 position) {
    const vo_soup *s = &u->def.soup;
    int a = s->face_part[p.a], b = s->face_part[p.b];
    int cloth = vo_part_is_obstacle(u, a) ? p.b : p.a;
    if (!vo_part_is_obstacle(u, a) && !vo_part_is_obstacle(u, b)) return false;
    double size = u->node_size[s->face[cloth][0]];
    for (int part = 0; part < s->part_count; part++) {
        if (part == a || part == b || !vo_part_is_obstacle(u, part)) continue;
        if (!box_overlaps(u->part_box[part], box_grow((vo_box){position, position}, size)))
            continue;
        if (v3_length(vo_untangle_nearest(u, x, part, position)) < size) return true;
    }
    return false;
}

static vo_tangle describe(const vo_untangler *u, const vo_vec3 *x, vo_pair p, vo_vec3 position) {
    return (vo_tangle){
        .reason = is_squeezed(u, x, p, position) ? VO_TANGLE_SQUEEZED : VO_TANGLE_UNSOLVED,
        .part = {u->def.soup.face_part[p.a], u->def.soup.face_part[p.b]},
        .face = {p.a, p.b},
        .position = position,
    };
}

/* Returns true if both surfaces have a pinned node along the contour. */
static bool is_pinned(const vo_untangler *u, const vo_contour *k) {
    bool pinned[2] = {false, false};
    for (int v = k->begin; v < k->end; v++)
        for (int i = 0; i < 2; i++) {
            int f = u->contours.vertex[v].segment[i];
            if (f >= 0 && !face_is_free(u, f)) pinned[i] = true;
        }
    return pinned[0] && pinned[1];
}

static vo_result add_contour(vo_untangler *u, const vo_vec3 *x, const vo_contour *k) {
    int last = k->end - !k->closed; /* vertices with a segment */
    const vo_contour_vertex *middle = &u->contours.vertex[(k->begin + last - 1) / 2];
    vo_tangle t = describe(u, x, (vo_pair){middle->segment[0], middle->segment[1]}, middle->p);
    if (is_pinned(u, k)) t.reason = VO_TANGLE_PINNED;
    t.pairs = last - k->begin;
    t.length = k->length;
    return vo_untangle_add_tangle(u, &t);
}

static vo_result add_touching(vo_untangler *u, const vo_vec3 *x, vo_pair p) {
    const int *n = u->def.soup.face[p.a];
    vo_vec3 sum = v3_add(v3_add(x[n[0]], x[n[1]]), x[n[2]]);
    vo_tangle t = describe(u, x, p, v3_scale(1.0 / 3, sum));
    if (!face_is_free(u, p.a) && !face_is_free(u, p.b)) t.reason = VO_TANGLE_PINNED;
    t.pairs = 1;
    return vo_untangle_add_tangle(u, &t);
}

vo_result vo_untangle_list_tangles(vo_untangler *u, const vo_vec3 *x) {
    const vo_contours *c = &u->contours;
    u->tangle_count = 0;
    for (int i = 0; i < c->contour_count; i++) VO_TRY(add_contour(u, x, &c->contour[i]));
    for (int i = 0; i < c->touching_count; i++) VO_TRY(add_touching(u, x, c->touching[i]));
    return VO_OK;
}
