/* Point location, insertion and flips. Lawson 1977, "Software for C1 surface interpolation". */
#include "mesh/triangulate_net.h"
#include "core/memory.h"
#include "math/predicates.h"

#include <float.h>

bool vo_in_circle(vo_vec2 a, vo_vec2 b, vo_vec2 c, vo_vec2 d) {
    vo_vec2 p = v2_sub(a, d), q = v2_sub(b, d), r = v2_sub(c, d);
    double pq = p.x * q.y, qp = q.x * p.y, qr = q.x * r.y, rq = r.x * q.y;
    double rp = r.x * p.y, pr = p.x * r.y;
    double pp = v2_dot(p, p), qq = v2_dot(q, q), rr = v2_dot(r, r);
    double det = pp * (qr - rq) + qq * (rp - pr) + rr * (pq - qp);
    double sum =
        pp * (fabs(qr) + fabs(rq)) + qq * (fabs(rp) + fabs(pr)) + rr * (fabs(pq) + fabs(qp));
    /* Shewchuk 1997, section 4.3: the error is below (10 + 96 eps) eps sum; here with a margin. */
    return det > 16 * DBL_EPSILON * sum;
}

void vo_net_free(vo_net *net) {
    vo_free_array(net->ctx, net->point, net->point_capacity);
    vo_free_array(net->ctx, net->at, net->at_capacity);
    vo_free_array(net->ctx, net->size, net->size_capacity);
    vo_free_array(net->ctx, net->triangle, net->triangle_capacity);
    vo_free_array(net->ctx, net->stack, net->stack_capacity);
    *net = (vo_net){.ctx = net->ctx};
}

/* Reserves capacity for `points` more points and the two triangles that each of them adds. */
static vo_result reserve(vo_net *net, int points) {
    vo_context *ctx = net->ctx;
    int need = net->point_count + points;
    if (need > net->def->max_points)
        return vo_fail(ctx, VO_BAD_ARGUMENT, "it would have more than %d points",
                       net->def->max_points);
    if (vo_reserve(ctx, &net->point, &net->point_capacity, need) &&
        vo_reserve(ctx, &net->at, &net->at_capacity, need) &&
        vo_reserve(ctx, &net->size, &net->size_capacity, need) &&
        vo_reserve(ctx, &net->triangle, &net->triangle_capacity,
                   net->triangle_count + 2 * points) &&
        vo_reserve(ctx, &net->stack, &net->stack_capacity, net->stack_count + 16))
        return VO_OK;
    return vo_fail_memory(ctx, "a triangulation");
}

static vo_result push(vo_net *net, int triangle, int side) {
    if (!vo_reserve(net->ctx, &net->stack, &net->stack_capacity, net->stack_count + 1))
        return vo_fail_memory(net->ctx, "a triangulation");
    net->stack[net->stack_count++] = (vo_net_side){triangle, side};
    return VO_OK;
}

/* Updates the neighbour across a side, which linked to `before`. */
static void update_neighbour(vo_net *net, int triangle, int side, int before) {
    int other = net->triangle[triangle].neighbour[side];
    if (other < 0) return;
    vo_net_triangle *o = &net->triangle[other];
    o->neighbour[vo_net_side_to(o, before)] = triangle;
}

/* Sets a triangle's corners and their incident triangle. */
static void set_corners(vo_net *net, int triangle, int a, int b, int c) {
    vo_net_triangle *t = &net->triangle[triangle];
    t->v[0] = a, t->v[1] = b, t->v[2] = c;
    net->at[a] = net->at[b] = net->at[c] = triangle;
}

static void set_side(vo_net *net, int triangle, int side, int near, uint8_t fixed) {
    net->triangle[triangle].neighbour[side] = near;
    net->triangle[triangle].fixed[side] = fixed;
}

/* p a b + its neighbour b a q  ->  p a q + p q b. */
void vo_net_flip(vo_net *net, int triangle, int side) {
    vo_net_triangle t = net->triangle[triangle];
    int other = t.neighbour[side], k = side;
    vo_net_triangle o = net->triangle[other];
    int j = vo_net_side_to(&o, triangle);
    int p = t.v[k], a = t.v[vo_next_corner(k)], b = t.v[vo_prev_corner(k)], q = o.v[j];
    set_corners(net, triangle, p, a, q);
    set_corners(net, other, p, q, b);
    set_side(net, triangle, 0, o.neighbour[vo_next_corner(j)], o.fixed[vo_next_corner(j)]);
    set_side(net, triangle, 1, other, VO_SIDE_FREE);
    set_side(net, triangle, 2, t.neighbour[vo_prev_corner(k)], t.fixed[vo_prev_corner(k)]);
    set_side(net, other, 0, o.neighbour[vo_prev_corner(j)], o.fixed[vo_prev_corner(j)]);
    set_side(net, other, 1, t.neighbour[vo_next_corner(k)], t.fixed[vo_next_corner(k)]);
    set_side(net, other, 2, triangle, VO_SIDE_FREE);
    update_neighbour(net, triangle, 0, other);
    update_neighbour(net, other, 1, triangle);
}

/* True if the side is free and the opposite point across it lies in the triangle's circumcircle. */
static bool is_illegal(const vo_net *net, vo_net_side s) {
    const vo_net_triangle *t = &net->triangle[s.triangle];
    int other = t->neighbour[s.side];
    if (other < 0 || t->fixed[s.side]) return false;
    const vo_net_triangle *o = &net->triangle[other];
    int q = o->v[vo_net_side_to(o, s.triangle)];
    return vo_in_circle(net->point[t->v[0]], net->point[t->v[1]], net->point[t->v[2]],
                        net->point[q]);
}

/* Flips until every side on the stack is Delaunay. */
static vo_result legalize(vo_net *net) {
    while (net->stack_count > 0) {
        vo_net_side s = net->stack[--net->stack_count];
        if (!is_illegal(net, s)) continue;
        int other = net->triangle[s.triangle].neighbour[s.side];
        vo_net_flip(net, s.triangle, s.side);
        VO_TRY(push(net, s.triangle, 0));
        VO_TRY(push(net, s.triangle, 2));
        VO_TRY(push(net, other, 0));
        VO_TRY(push(net, other, 1));
    }
    return VO_OK;
}

vo_result vo_net_legalize_all(vo_net *net) {
    for (int t = 0; t < net->triangle_count; t++)
        for (int k = 0; k < 3; k++) VO_TRY(push(net, t, k));
    return legalize(net);
}

/* The side by which to leave the triangle towards p: -1 if p is inside, -2 if only fixed sides do.
 */
static int find_exit_side(const vo_net *net, const vo_net_triangle *t, vo_vec2 p, int first,
                          bool cross_fixed) {
    int blocked = -1;
    for (int i = 0; i < 3; i++) {
        int k = (first + i) % 3;
        vo_vec2 a = net->point[t->v[vo_next_corner(k)]], b = net->point[t->v[vo_prev_corner(k)]];
        if (vo_orient2d(a, b, p) >= 0) continue;
        if (cross_fixed ? t->neighbour[k] >= 0 : !t->fixed[k] && t->neighbour[k] >= 0) return k;
        blocked = -2;
    }
    return blocked;
}

/* Location of p in a triangle: corner or side on which it lies exactly. */
static vo_net_location locate_in_triangle(const vo_net *net, int triangle, vo_vec2 p) {
    vo_net_location place = {triangle, -1, -1, false};
    const vo_net_triangle *t = &net->triangle[triangle];
    for (int k = 0; k < 3; k++) {
        vo_vec2 c = net->point[t->v[k]];
        if (c.x == p.x && c.y == p.y) place.corner = k;
        if (vo_orient2d(net->point[t->v[vo_next_corner(k)]], net->point[t->v[vo_prev_corner(k)]],
                        p) == 0)
            place.side = k;
    }
    return place;
}

/* Walks towards p. The side tested first alternates, so that no walk cycles. */
vo_net_location vo_net_locate(const vo_net *net, vo_vec2 p, int from, bool cross_fixed) {
    int t = from;
    uint32_t turn = 1;
    for (int64_t step = 0; step < 16 + 4 * (int64_t)net->triangle_count; step++) {
        turn = turn * 1664525u + 1013904223u;
        int k = find_exit_side(net, &net->triangle[t], p, (int)(turn >> 16) % 3, cross_fixed);
        if (k == -1) return locate_in_triangle(net, t, p);
        if (k == -2) return (vo_net_location){t, -1, -1, true};
        t = net->triangle[t].neighbour[k];
    }
    return (vo_net_location){t, -1, -1, true};
}

static int new_triangle(vo_net *net, bool inside) {
    net->triangle[net->triangle_count] =
        (vo_net_triangle){.neighbour = {-1, -1, -1}, .inside = inside};
    return net->triangle_count++;
}

/* Divides a triangle into three around the new point. */
static void split_triangle(vo_net *net, int triangle, int p) {
    vo_net_triangle old = net->triangle[triangle];
    int part[3] = {triangle, new_triangle(net, old.inside), new_triangle(net, old.inside)};
    for (int k = 0; k < 3; k++) {
        int t = part[k];
        set_corners(net, t, p, old.v[vo_next_corner(k)], old.v[vo_prev_corner(k)]);
        set_side(net, t, 0, old.neighbour[k], old.fixed[k]);
        set_side(net, t, 1, part[vo_next_corner(k)], VO_SIDE_FREE);
        set_side(net, t, 2, part[vo_prev_corner(k)], VO_SIDE_FREE);
        if (k > 0) update_neighbour(net, t, 0, triangle);
        net->stack[net->stack_count++] = (vo_net_side){t, 0};
    }
}

/* Divides the two triangles at a free side into four. */
static void split_side(vo_net *net, int triangle, int side, int p) {
    vo_net_triangle t = net->triangle[triangle];
    int other = t.neighbour[side], k = side;
    vo_net_triangle o = net->triangle[other];
    int j = vo_net_side_to(&o, triangle);
    int top = t.v[k], a = t.v[vo_next_corner(k)], b = t.v[vo_prev_corner(k)], low = o.v[j];
    int t2 = new_triangle(net, t.inside), o2 = new_triangle(net, o.inside);
    set_corners(net, triangle, p, top, a);
    set_corners(net, t2, p, b, top);
    set_corners(net, other, p, low, b);
    set_corners(net, o2, p, a, low);
    const int part[4] = {triangle, t2, other, o2}; /* clockwise around p */
    const int near[4] = {t.neighbour[vo_prev_corner(k)], t.neighbour[vo_next_corner(k)],
                         o.neighbour[vo_prev_corner(j)], o.neighbour[vo_next_corner(j)]};
    const uint8_t fixed[4] = {t.fixed[vo_prev_corner(k)], t.fixed[vo_next_corner(k)],
                              o.fixed[vo_prev_corner(j)], o.fixed[vo_next_corner(j)]};
    const int before[4] = {triangle, triangle, other, other};
    for (int i = 0; i < 4; i++) {
        set_side(net, part[i], 0, near[i], fixed[i]);
        set_side(net, part[i], 1, part[(i + 3) % 4], VO_SIDE_FREE);
        set_side(net, part[i], 2, part[(i + 1) % 4], VO_SIDE_FREE);
        if (part[i] != before[i]) update_neighbour(net, part[i], 0, before[i]);
        net->stack[net->stack_count++] = (vo_net_side){part[i], 0};
    }
}

vo_result vo_net_insert(vo_net *net, vo_vec2 p, vo_net_location place) {
    VO_TRY(reserve(net, 1));
    int index = net->point_count++;
    net->point[index] = p;
    net->size[index] = 0;
    if (place.side < 0)
        split_triangle(net, place.triangle, index);
    else
        split_side(net, place.triangle, place.side, index);
    net->last = place.triangle;
    return legalize(net);
}

bool vo_net_find_side(const vo_net *net, int u, int v, vo_net_side *out) {
    int start = net->at[u], t = start;
    do {
        const vo_net_triangle *tri = &net->triangle[t];
        int k = vo_net_corner_of(tri, u);
        if (tri->v[vo_next_corner(k)] == v) {
            *out = (vo_net_side){t, vo_prev_corner(k)};
            return true;
        }
        t = vo_net_next_around(tri, k);
    } while (t >= 0 && t != start);
    return false;
}

/* Creates a triangle far around all points. */
static vo_result make_frame(vo_net *net) {
    const vo_planar_region *r = net->region;
    vo_vec2 low = v2(INFINITY, INFINITY), high = v2(-INFINITY, -INFINITY);
    for (int i = 0; i < r->point_count; i++) {
        vo_vec2 p = r->point[i];
        if (!(fabs(p.x) < 1e30 && fabs(p.y) < 1e30))
            return vo_fail(net->ctx, VO_BAD_DATA, "point %d is not a number below 1e30", i);
        low = v2(vo_min(low.x, p.x), vo_min(low.y, p.y));
        high = v2(vo_max(high.x, p.x), vo_max(high.y, p.y));
    }
    vo_vec2 c = v2_scale(0.5, v2_add(low, high));
    double size = 32 * vo_max(vo_max(high.x - low.x, high.y - low.y),
                              1e-6 * vo_max(fabs(c.x), fabs(c.y)) + 1e-30);
    net->point[0] = v2(c.x - size, c.y - size);
    net->point[1] = v2(c.x + size, c.y - size);
    net->point[2] = v2(c.x, c.y + size);
    net->point_count = VO_NET_FRAME;
    set_corners(net, new_triangle(net, false), 0, 1, 2);
    return VO_OK;
}

vo_result vo_net_create(vo_context *ctx, const vo_planar_region *region,
                        const vo_triangulate_def *def, vo_net *net) {
    *net = (vo_net){.ctx = ctx, .region = region, .def = def};
    VO_TRY(reserve(net, region->point_count + VO_NET_FRAME));
    VO_TRY(make_frame(net));
    for (int i = 0; i < region->point_count; i++) {
        vo_vec2 p = v2(vo_exact_number(region->point[i].x), vo_exact_number(region->point[i].y));
        vo_net_location place = vo_net_locate(net, p, net->last, true);
        if (place.blocked) return vo_fail(ctx, VO_BAD_DATA, "point %d is out of reach", i);
        if (place.corner >= 0)
            return vo_fail(ctx, VO_BAD_DATA, "points %d and %d coincide",
                           net->triangle[place.triangle].v[place.corner] - VO_NET_FRAME, i);
        VO_TRY(vo_net_insert(net, p, place));
    }
    return VO_OK;
}
