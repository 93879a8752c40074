/* Simplification by rounds of independent half-edge collapses, cheapest first. */
#include "cook/remesh.h"

#include <math.h>
#include <stdlib.h>

typedef struct candidate {
    double cost;
    int node, target;
} candidate;

/* Fraction of the candidates that a round considers, so that faces grow evenly. */
#define ROUND_FRACTION 0.35

static int by_cost(const void *a, const void *b) {
    const candidate *p = a, *q = b;
    if (p->cost != q->cost) return p->cost < q->cost ? -1 : 1;
    return p->node < q->node ? -1 : p->node > q->node;
}

/* Cheapest collapse of a node. */
static bool choose_target(const vo_remesh *r, int node, candidate *out) {
    vo_remesh_star star;
    *out = (candidate){INFINITY, node, -1};
    for (int c = r->first_corner[node]; c >= 0; c = r->next_corner[c])
        for (int k = 1; k < 3; k++) {
            int target = r->face[c / 3][(c + k) % 3];
            if (k == 2 && r->kind[node] == VO_REMESH_INTERIOR) continue; /* found as k = 1 */
            if (!vo_remesh_find_star(r, node, target, &star)) continue;
            double cost = vo_remesh_cost(r, &star);
            if (cost < out->cost || (cost == out->cost && cost < INFINITY && target < out->target))
                *out = (candidate){cost, node, target};
        }
    return out->cost < INFINITY;
}

/* --- Records ---------------------------------------------------------------------------------- */

bool vo_remesh_reserve_record(vo_remesh *r, int spokes) {
    spokes += r->fan_count;
    return vo_reserve(r->ctx, &r->collapse, &r->collapse_capacity, r->collapse_count + 1) &&
           vo_reserve(r->ctx, &r->sector, &r->sector_capacity, r->sector_count + 2) &&
           vo_reserve(r->ctx, &r->fan_face, &r->fan_face_capacity, spokes) &&
           vo_reserve(r->ctx, &r->fan_node, &r->fan_node_capacity, spokes) &&
           vo_reserve(r->ctx, &r->fan_u, &r->fan_u_capacity, spokes);
}

static void record(vo_remesh *r, const vo_remesh_star *star) {
    r->collapse[r->collapse_count++] =
        (vo_remesh_collapse){star->node, star->target, r->sector_count, star->sector_count};
    for (int k = 0; k < star->sector_count; k++) {
        const vo_remesh_sector *s = &star->sector[k];
        r->sector[r->sector_count++] =
            (vo_remesh_packed){s->count, s->target, r->fan_count, s->is_closed, s->centre};
        for (int i = 0; i <= s->count; i++, r->fan_count++) {
            r->fan_face[r->fan_count] = i < s->count ? s->face[i] : -1;
            r->fan_node[r->fan_count] = s->node[i];
            r->fan_u[r->fan_count] = s->u[i];
        }
    }
}

/* --- Edit ------------------------------------------------------------------------------------- */

static void unlink_corner(vo_remesh *r, int node, int corner) {
    int *link = &r->first_corner[node];
    while (*link != corner) link = &r->next_corner[*link];
    *link = r->next_corner[corner];
}

static void link_corner(vo_remesh *r, int node, int corner) {
    r->next_corner[corner] = r->first_corner[node];
    r->first_corner[node] = corner;
}

static void remove_face(vo_remesh *r, int f) {
    for (int k = 0; k < 3; k++) unlink_corner(r, r->face[f][k], 3 * f + k);
    r->is_removed[f] = true;
    r->face_count--;
}

void vo_remesh_move_corner(vo_remesh *r, int f, int from, int to, int vert) {
    int k = r->face[f][0] == from ? 0 : r->face[f][1] == from ? 1 : 2;
    unlink_corner(r, from, 3 * f + k);
    r->face[f][k] = to;
    r->vert[f][k] = vert;
    link_corner(r, to, 3 * f + k);
}

/* Joins the two pieces at a removed curve node. */
static void join_curves(vo_remesh *r, const vo_remesh_star *star) {
    int joined = r->curve_count++, piece[2], end[2];
    for (int k = 0; k < 2; k++) {
        piece[k] = r->node_curve[star->node][k];
        end[k] = vo_remesh_other_end(&r->curve[piece[k]], star->node);
        r->curve[piece[k]].is_used = false;
    }
    double length = r->curve[piece[0]].length + r->curve[piece[1]].length;
    r->curve[joined] = (vo_remesh_curve){.node = {end[0], end[1]},
                                         .edge = -1,
                                         .child = {piece[0], piece[1]},
                                         .middle = star->node,
                                         .split = r->curve[piece[0]].length / length,
                                         .length = length,
                                         .deviation = star->deviation,
                                         .is_used = true};
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 2; i++)
            if (r->node_curve[end[k]][i] == piece[k]) r->node_curve[end[k]][i] = joined;
}

static void collapse(vo_remesh *r, const vo_remesh_star *star) {
    for (int k = 0; k < star->sector_count; k++) {
        const vo_remesh_sector *s = &star->sector[k];
        for (int i = 0; i < s->count; i++) {
            if (s->node[i] == star->target || s->node[i + 1] == star->target)
                remove_face(r, s->face[i]);
            else
                vo_remesh_move_corner(r, s->face[i], star->node, star->target, s->vert[s->target]);
        }
    }
    if (r->kind[star->node] == VO_REMESH_CURVE) join_curves(r, star);
}

/* --- Rounds ----------------------------------------------------------------------------------- */

static bool is_locked(const vo_remesh_star *star, const int *lock, int round) {
    if (lock[star->node] == round) return true;
    for (int k = 0; k < star->sector_count; k++)
        for (int i = 0; i <= star->sector[k].count; i++)
            if (lock[star->sector[k].node[i]] == round) return true;
    return false;
}

static void lock_star(const vo_remesh_star *star, int *lock, int round) {
    lock[star->node] = round;
    for (int k = 0; k < star->sector_count; k++)
        for (int i = 0; i <= star->sector[k].count; i++) lock[star->sector[k].node[i]] = round;
}

static int find_candidates(const vo_remesh *r, candidate *out) {
    int count = 0;
    for (int n = 0; n < r->mesh->node_count; n++)
        if (r->kind[n] != VO_REMESH_FIXED && r->first_corner[n] >= 0)
            count += choose_target(r, n, &out[count]);
    qsort(out, (size_t)count, sizeof *out, by_cost);
    return count;
}

/* Collapses the cheapest candidates whose stars do not touch. Returns their number, -1 without
 * memory. */
static int run_round(vo_remesh *r, candidate *list, int *lock, int round, int faces) {
    int count = find_candidates(r, list), made = 0;
    int limit = vo_max_int(1, (int)(ROUND_FRACTION * count));
    for (int i = 0; i < count && (i < limit || made == 0) && r->face_count > faces; i++) {
        vo_remesh_star star;
        if (lock[list[i].node] == round || lock[list[i].target] == round) continue;
        if (!vo_remesh_find_star(r, list[i].node, list[i].target, &star)) continue;
        if (is_locked(&star, lock, round)) continue;
        if (!vo_remesh_reserve_record(r, 2 * (VO_REMESH_MAX_STAR + 1))) return -1;
        record(r, &star);
        collapse(r, &star);
        lock_star(&star, lock, round);
        made++;
    }
    return made;
}

vo_result vo_remesh_simplify(vo_remesh *r, int faces) {
    int nodes = r->mesh->node_count, made = 1;
    candidate *list = vo_arena_array(&r->arena, candidate, nodes);
    int *lock = vo_arena_array(&r->arena, int, nodes);
    if (!list || !lock) return vo_fail_memory(r->ctx, "a remeshed garment");
    for (int n = 0; n < nodes; n++) lock[n] = 0;
    for (int round = 1; made > 0 && r->face_count > faces; round++) {
        VO_TRY(vo_check_cancel(r->ctx));
        VO_TRY(vo_remesh_flip_edges(r));
        made = run_round(r, list, lock, round, faces);
    }
    if (made < 0) return vo_fail_memory(r->ctx, "a remeshed garment");
    return r->collapse_count > 0 ? vo_remesh_flip_edges(r) : VO_OK;
}
