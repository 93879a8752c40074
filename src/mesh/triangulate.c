/* Segment recovery, removal of the outside, and the three passes. */
#include "mesh/triangulate.h"

#include "core/memory.h"
#include "math/predicates.h"
#include "mesh/triangulate_net.h"

vo_triangulate_def vo_triangulate_def_default(void) {
    return (vo_triangulate_def){.refine = true,
                                .size = INFINITY,
                                .growth = 0.25,
                                .min_angle = 28,
                                .smoothing_rounds = 12,
                                .max_points = 4000000};
}

double vo_triangle_min_angle(vo_vec2 a, vo_vec2 b, vo_vec2 c) {
    vo_vec2 e[3] = {v2_sub(b, a), v2_sub(c, b), v2_sub(a, c)};
    double cross = v2_cross(e[0], e[1]), least = VO_PI;
    if (!(cross > 0)) return 0;
    for (int k = 0; k < 3; k++)
        least = vo_min(least, atan2(cross, -v2_dot(e[k], e[vo_next_corner(k)])));
    return least * 180 / VO_PI;
}

static vo_result crossing(vo_net *net, int a, int b, int c, int d) {
    return vo_fail(net->ctx, VO_BAD_DATA, "the segments %d-%d and %d-%d cross or overlap",
                   a - VO_NET_FRAME, b - VO_NET_FRAME, c - VO_NET_FRAME, d - VO_NET_FRAME);
}

static int side_of(const vo_net *net, int a, int b, int c) {
    return vo_orient2d(net->point[a], net->point[b], net->point[c]);
}

/* The triangle at `a` whose angle contains the direction to b, and its corner at a; or, in
 * *through, a point on the segment. */
static vo_net_side first_towards(const vo_net *net, int a, int b, int *through) {
    int t = net->at[a], start = t;
    *through = -1;
    do {
        const vo_net_triangle *tri = &net->triangle[t];
        int k = vo_net_corner_of(tri, a), p = tri->v[vo_next_corner(k)],
            q = tri->v[vo_prev_corner(k)];
        int left = side_of(net, a, b, q), right = side_of(net, a, b, p);
        vo_vec2 way = v2_sub(net->point[b], net->point[a]);
        if (right == 0 && v2_dot(way, v2_sub(net->point[p], net->point[a])) > 0) {
            *through = p;
            return (vo_net_side){t, k};
        }
        if (right < 0 && left > 0) return (vo_net_side){t, k};
        t = vo_net_next_around(tri, k);
    } while (t != start);
    return (vo_net_side){-1, 0};
}

/* Pushes the sides that a-b crosses up to the first point on it, which is returned; -1 if it
 * crosses a fixed side (its ends are in *wall). */
static int collect_crossed(vo_net *net, int a, int b, vo_net_side at, int wall[2]) {
    int t = at.triangle, k = at.side;
    for (;;) {
        const vo_net_triangle *tri = &net->triangle[t];
        wall[0] = tri->v[vo_next_corner(k)], wall[1] = tri->v[vo_prev_corner(k)];
        if (tri->fixed[k] || net->stack_count == net->stack_capacity) return -1;
        /* The stack contains pairs of points here: flips would invalidate sides. */
        net->stack[net->stack_count++] = (vo_net_side){wall[0], wall[1]};
        int other = tri->neighbour[k];
        const vo_net_triangle *o = &net->triangle[other];
        int j = vo_net_side_to(o, t), q = o->v[j], side = side_of(net, a, b, q);
        if (side == 0) return q;
        t = other;
        k = side > 0 ? vo_next_corner(j) : vo_prev_corner(j);
    }
}

/* Flips one crossed side; it returns to the queue while it still crosses a-b. */
static void flip_crossed(vo_net *net, int a, int b, int *head) {
    vo_net_side pair = net->stack[(*head)++], s;
    if (!vo_net_find_side(net, pair.triangle, pair.side, &s)) return;
    const vo_net_triangle *t = &net->triangle[s.triangle];
    const vo_net_triangle *o = &net->triangle[t->neighbour[s.side]];
    int p = t->v[s.side], q = o->v[vo_net_side_to(o, s.triangle)];
    int u = t->v[vo_next_corner(s.side)], v = t->v[vo_prev_corner(s.side)];
    bool convex = side_of(net, p, q, u) * side_of(net, p, q, v) < 0;
    if (convex) vo_net_flip(net, s.triangle, s.side);
    bool still = convex && p != a && p != b && q != a && q != b &&
                 side_of(net, a, b, p) * side_of(net, a, b, q) < 0;
    if (convex && !still) return;
    net->stack[--(*head)] = pair; /* to the end of the queue */
    for (int i = *head; i + 1 < net->stack_count; i++) net->stack[i] = net->stack[i + 1];
    net->stack[net->stack_count - 1] = convex ? (vo_net_side){p, q} : pair;
}

/* Makes a-b a side up to the first point on it, returned in *reached. */
static vo_result recover_part(vo_net *net, int a, int b, uint8_t kind, int *reached) {
    int wall[2];
    if (!vo_reserve(net->ctx, &net->stack, &net->stack_capacity, net->triangle_count + 16))
        return vo_fail_memory(net->ctx, "a triangulation");
    vo_net_side at = first_towards(net, a, b, reached);
    if (at.triangle < 0) return crossing(net, a, b, a, b);
    if (*reached < 0) {
        *reached = collect_crossed(net, a, b, at, wall);
        if (*reached < 0) return crossing(net, a, b, wall[0], wall[1]);
        for (int head = 0; head < net->stack_count;) flip_crossed(net, a, *reached, &head);
        net->stack_count = 0;
    }
    vo_net_side side;
    if (!vo_net_find_side(net, a, *reached, &side)) return crossing(net, a, b, a, *reached);
    vo_net_triangle *t = &net->triangle[side.triangle];
    vo_net_triangle *o = &net->triangle[t->neighbour[side.side]];
    if (t->fixed[side.side]) return crossing(net, a, b, a, *reached);
    t->fixed[side.side] = o->fixed[vo_net_side_to(o, side.triangle)] = kind;
    return VO_OK;
}

/* Recovers the segment from a to b as one side, or several if points lie on it. */
static vo_result recover(vo_net *net, int a, int b, uint8_t kind) {
    a += VO_NET_FRAME, b += VO_NET_FRAME;
    while (a != b) {
        int reached;
        VO_TRY(recover_part(net, a, b, kind, &reached));
        a = reached;
    }
    return VO_OK;
}

static vo_result recover_segments(vo_net *net) {
    const vo_planar_region *r = net->region;
    for (int loop = 0, begin = 0; loop < r->loop_count; begin = r->loop_end[loop++])
        for (int i = begin; i < r->loop_end[loop]; i++)
            VO_TRY(recover(net, i, i + 1 < r->loop_end[loop] ? i + 1 : begin, VO_SIDE_OUTLINE));
    for (int i = 0; i < r->line_count; i++)
        VO_TRY(recover(net, r->line[i][0], r->line[i][1], VO_SIDE_LINE));
    return vo_net_legalize_all(net);
}

/* Marks the inside by flood fill from the frame: each outline side toggles inside and outside. */
static vo_result mark_inside(vo_net *net) {
    int inside = 0;
    uint8_t *seen = vo_alloc_zero(net->ctx, (size_t)net->triangle_count);
    int *queue = vo_new_array(net->ctx, int, net->triangle_count);
    vo_result result = seen && queue ? VO_OK : vo_fail_memory(net->ctx, "a triangulation");
    if (result == VO_OK) {
        int count = 1;
        queue[0] = net->at[0];
        seen[queue[0]] = 1;
        for (int head = 0; head < count; head++) {
            const vo_net_triangle *t = &net->triangle[queue[head]];
            inside += t->inside;
            for (int k = 0; k < 3; k++) {
                int other = t->neighbour[k];
                if (other < 0 || seen[other]) continue;
                seen[other] = 1;
                net->triangle[other].inside = t->inside != (t->fixed[k] == VO_SIDE_OUTLINE);
                queue[count++] = other;
            }
        }
        if (!inside) result = vo_fail(net->ctx, VO_BAD_DATA, "the outline encloses nothing");
    }
    vo_free_array(net->ctx, queue, net->triangle_count);
    vo_free(net->ctx, seen, (size_t)net->triangle_count);
    return result;
}

/* Copies the triangles inside, over points without the frame. */
static vo_result hand_out(vo_net *net, vo_triangulation *out) {
    vo_context *ctx = net->ctx;
    int points = net->point_count - VO_NET_FRAME;
    if (!vo_reserve(ctx, &out->point, &out->point_capacity, points) ||
        !vo_reserve(ctx, &out->face, &out->face_capacity, net->triangle_count))
        return vo_fail_memory(ctx, "a triangulation");
    out->point_count = points;
    for (int i = 0; i < points; i++) out->point[i] = net->point[i + VO_NET_FRAME];
    for (int t = 0; t < net->triangle_count; t++) {
        if (!net->triangle[t].inside) continue;
        int *face = out->face[out->face_count++];
        for (int k = 0; k < 3; k++) face[k] = net->triangle[t].v[k] - VO_NET_FRAME;
    }
    return VO_OK;
}

void vo_triangulation_free(vo_triangulation *t) {
    if (!t->ctx) return;
    vo_free_array(t->ctx, t->point, t->point_capacity);
    vo_free_array(t->ctx, t->face, t->face_capacity);
    *t = (vo_triangulation){0};
}

static vo_result run_passes(vo_net *net) {
    VO_TRY(recover_segments(net));
    VO_TRY(mark_inside(net));
    if (!net->def->refine) return VO_OK;
    VO_TRY(vo_net_refine(net));
    VO_TRY(vo_net_smooth(net));
    VO_TRY(vo_net_refine(net));
    return vo_net_smooth(net);
}

/* Checks the indices of loops and lines. */
static vo_result check_region(vo_context *ctx, const vo_planar_region *r) {
    int begin = 0;
    for (int i = 0; i < r->loop_count; begin = r->loop_end[i++])
        if (r->loop_end[i] < begin + 3 || r->loop_end[i] > r->point_count)
            return vo_fail(ctx, VO_BAD_DATA, "loop %d has fewer than 3 points", i);
    for (int i = 0; i < r->line_count; i++) {
        const int *l = r->line[i];
        if (l[0] < 0 || l[1] < 0 || l[0] >= r->point_count || l[1] >= r->point_count ||
            l[0] == l[1])
            return vo_fail(ctx, VO_BAD_DATA, "line %d joins points that are not there", i);
    }
    if (r->loop_count < 1) return vo_fail(ctx, VO_BAD_DATA, "the region has no outline");
    return VO_OK;
}

vo_result vo_triangulate(vo_context *ctx, const vo_planar_region *region,
                         const vo_triangulate_def *def, vo_triangulation *out) {
    vo_net net = {.ctx = ctx};
    *out = (vo_triangulation){.ctx = ctx};
    VO_TRY(check_region(ctx, region));
    vo_result result = vo_net_create(ctx, region, def, &net);
    if (result == VO_OK) result = run_passes(&net);
    if (result == VO_OK) result = hand_out(&net, out);
    if (result != VO_OK) vo_triangulation_free(out);
    vo_net_free(&net);
    return result;
}
