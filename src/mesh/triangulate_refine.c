/* Delaunay refinement of large or sharp triangles, and smoothing of the added points. */
#include "core/memory.h"
#include "math/predicates.h"
#include "mesh/triangulate_net.h"

#include <stdlib.h>

/* Largest circumradius in units of the target edge length: refinement leaves edges of one to two
 * radii, about 1.3 on average. */
static const double MAX_RADIUS = 0.78;
/* Cosine of the widest angle that a segment may subtend at an added point: 100 degrees. */
static const double SEGMENT_COSINE = -0.17;
enum { MAX_ROUNDS = 60 };

typedef struct bad_triangle {
    double contour_cost;
    int triangle, v[3];
} bad_triangle;

typedef struct bad_list {
    int count, capacity;
    bad_triangle *item;
} bad_list;

/* Circumcentre of three points. */
static vo_vec2 circumcentre(vo_vec2 a, vo_vec2 b, vo_vec2 c) {
    vo_vec2 p = v2_sub(b, a), q = v2_sub(c, a);
    double pp = v2_dot(p, p), qq = v2_dot(q, q), d = 2 * v2_cross(p, q);
    return v2_add(a, v2((q.y * pp - p.y * qq) / d, (p.x * qq - q.x * pp) / d));
}

static void corners(const vo_net *net, int triangle, vo_vec2 p[3]) {
    for (int k = 0; k < 3; k++) p[k] = net->point[net->triangle[triangle].v[k]];
}

/* Sets the sizes of the region's points: mean length of their segments, or def->size without any.
 */
static vo_result set_sizes(vo_net *net) {
    int points = net->region->point_count + VO_NET_FRAME;
    int *count = vo_alloc_zero(net->ctx, vo_array_bytes((size_t)points, sizeof *count));
    if (!count) return vo_fail_memory(net->ctx, "a triangulation");
    for (int i = 0; i < points; i++) net->size[i] = 0;
    for (int t = 0; t < net->triangle_count; t++)
        for (int k = 0; k < 3; k++) {
            const vo_net_triangle *tri = &net->triangle[t];
            int end[2] = {tri->v[vo_next_corner(k)], tri->v[vo_prev_corner(k)]};
            if (!tri->fixed[k]) continue;
            double length = v2_length(v2_sub(net->point[end[0]], net->point[end[1]]));
            for (int i = 0; i < 2; i++) net->size[end[i]] += length, count[end[i]]++;
        }
    for (int i = 0; i < points; i++)
        net->size[i] = count[i] ? vo_min(net->size[i] / count[i], net->def->size) : net->def->size;
    vo_free_array(net->ctx, count, points);
    return VO_OK;
}

/* Target edge length at p, interpolated in a triangle around it. */
static double size_at(const vo_net *net, int triangle, vo_vec2 p) {
    double size = net->def->size;
    for (int k = 0; k < 3; k++) {
        int v = net->triangle[triangle].v[k];
        size = vo_min(size, net->size[v] + net->def->growth * v2_length(v2_sub(p, net->point[v])));
    }
    return size;
}

/* Badness; above 1 the triangle must be refined: its circumradius is too large or an angle too
 * small. */
static double badness(const vo_net *net, int triangle) {
    vo_vec2 p[3];
    corners(net, triangle, p);
    vo_vec2 centre = circumcentre(p[0], p[1], p[2]);
    double radius = v2_length(v2_sub(centre, p[0])), shortest = INFINITY;
    for (int k = 0; k < 3; k++)
        shortest = vo_min(shortest, v2_length(v2_sub(p[vo_next_corner(k)], p[k])));
    vo_vec2 middle = v2_scale(1 / 3.0, v2_add(p[0], v2_add(p[1], p[2])));
    double wide = radius / (MAX_RADIUS * size_at(net, triangle, middle));
    /* circumradius = shortest side / (2 sin of the smallest angle) */
    double sharp = 2 * radius * sin(net->def->min_angle * VO_PI / 180) / shortest;
    return vo_max(wide, sharp);
}

/* Worst first; ties by index. */
static int compare_bad(const void *a, const void *b) {
    const bad_triangle *p = a, *q = b;
    if (p->contour_cost != q->contour_cost) return p->contour_cost > q->contour_cost ? -1 : 1;
    return (p->triangle > q->triangle) - (p->triangle < q->triangle);
}

static vo_result find_bad(const vo_net *net, bad_list *list) {
    list->count = 0;
    if (!vo_reserve(net->ctx, &list->item, &list->capacity, net->triangle_count))
        return vo_fail_memory(net->ctx, "a triangulation");
    for (int t = 0; t < net->triangle_count; t++) {
        const vo_net_triangle *tri = &net->triangle[t];
        if (!tri->inside) continue;
        double contour_cost = badness(net, t);
        if (contour_cost > 1)
            list->item[list->count++] =
                (bad_triangle){contour_cost, t, {tri->v[0], tri->v[1], tri->v[2]}};
    }
    qsort(list->item, (size_t)list->count, sizeof *list->item, compare_bad);
    return VO_OK;
}

/* True if p would form too flat a triangle with this side. */
static bool is_too_flat(const vo_net *net, const vo_net_triangle *t, int side, vo_vec2 p) {
    vo_vec2 a = v2_sub(net->point[t->v[vo_next_corner(side)]], p);
    vo_vec2 b = v2_sub(net->point[t->v[vo_prev_corner(side)]], p);
    return v2_dot(a, b) < SEGMENT_COSINE * v2_length(a) * v2_length(b);
}

/* True if p encroaches upon a segment. Tests the triangles around the one that contains it, two
 * steps deep. */
static bool encroaches(const vo_net *net, int triangle, vo_vec2 p) {
    int queue[13] = {triangle}, count = 1;
    for (int head = 0; head < count; head++) {
        const vo_net_triangle *t = &net->triangle[queue[head]];
        for (int k = 0; k < 3; k++) {
            if (t->fixed[k] && is_too_flat(net, t, k, p)) return true;
            if (t->fixed[k] || head >= 4 || count == 13) continue;
            vo_vec2 c[3];
            corners(net, t->neighbour[k], c);
            if (vo_in_circle(c[0], c[1], c[2], p)) queue[count++] = t->neighbour[k];
        }
    }
    return false;
}

/* Inserts p if it is in the region and does not encroach; *added is set accordingly. */
static vo_result try_point(vo_net *net, int triangle, vo_vec2 p, bool *added) {
    *added = false;
    if (!isfinite(p.x) || !isfinite(p.y)) return VO_OK;
    p = v2(vo_exact_number(p.x), vo_exact_number(p.y));
    vo_net_location place = vo_net_locate(net, p, triangle, false);
    if (place.blocked || place.corner >= 0) return VO_OK;
    const vo_net_triangle *t = &net->triangle[place.triangle];
    if (!t->inside || (place.side >= 0 && t->fixed[place.side])) return VO_OK;
    double size = size_at(net, place.triangle, p);
    for (int k = 0; k < 3; k++)
        if (v2_length(v2_sub(p, net->point[t->v[k]])) < 0.4 * size) return VO_OK;
    if (encroaches(net, place.triangle, p)) return VO_OK;
    VO_TRY(vo_net_insert(net, p, place));
    net->size[net->point_count - 1] = size;
    *added = true;
    return VO_OK;
}

/* Inserts the circumcentre, or otherwise the centroid. */
static vo_result refine_triangle(vo_net *net, const bad_triangle *bad, bool *added) {
    vo_vec2 p[3];
    const vo_net_triangle *t = &net->triangle[bad->triangle];
    *added = false;
    if (t->v[0] != bad->v[0] || t->v[1] != bad->v[1] || t->v[2] != bad->v[2]) return VO_OK;
    corners(net, bad->triangle, p);
    VO_TRY(try_point(net, bad->triangle, circumcentre(p[0], p[1], p[2]), added));
    if (*added) return VO_OK;
    vo_vec2 middle = v2_scale(1 / 3.0, v2_add(p[0], v2_add(p[1], p[2])));
    double reach = INFINITY;
    for (int k = 0; k < 3; k++) reach = vo_min(reach, v2_length(v2_sub(p[k], middle)));
    if (reach < 0.6 * size_at(net, bad->triangle, middle)) return VO_OK;
    return try_point(net, bad->triangle, middle, added);
}

vo_result vo_net_refine(vo_net *net) {
    bad_list list = {0};
    bool any = true;
    vo_result result = set_sizes(net);
    for (int round = 0; result == VO_OK && any && round < MAX_ROUNDS; round++) {
        any = false;
        result = find_bad(net, &list);
        for (int i = 0; result == VO_OK && i < list.count; i++) {
            bool added;
            result = refine_triangle(net, &list.item[i], &added);
            any |= added;
        }
    }
    vo_free_array(net->ctx, list.item, list.capacity);
    return result;
}

/* Smallest angle of the triangles around a point with the point at p. */
static double angle_around(const vo_net *net, int point, vo_vec2 p) {
    double least = 180;
    int t = net->at[point], start = t;
    do {
        const vo_net_triangle *tri = &net->triangle[t];
        int k = vo_net_corner_of(tri, point);
        vo_vec2 a = net->point[tri->v[vo_next_corner(k)]],
                b = net->point[tri->v[vo_prev_corner(k)]];
        if (vo_orient2d(p, a, b) <= 0) return 0;
        least = vo_min(least, vo_triangle_min_angle(p, a, b));
        t = vo_net_next_around(tri, k);
    } while (t != start);
    return least;
}

/* Mean of the neighbours, weighted by distance relative to the target edge length. */
static vo_vec2 neighbour_mean(const vo_net *net, int point) {
    vo_vec2 sum = v2(0, 0), own = net->point[point];
    int t = net->at[point], start = t;
    double weight = 0;
    do {
        const vo_net_triangle *tri = &net->triangle[t];
        int k = vo_net_corner_of(tri, point), v = tri->v[vo_next_corner(k)];
        double w = v2_length(v2_sub(net->point[v], own)) /
                   vo_max(0.5 * (net->size[v] + net->size[point]), 1e-300);
        sum = v2_add(sum, v2_scale(w, net->point[v]));
        weight += w;
        t = vo_net_next_around(tri, k);
    } while (t != start);
    return v2_scale(1 / weight, sum);
}

/* Moves the point towards the mean as far as its smallest angle grows. */
static void smooth_point(vo_net *net, int point) {
    vo_vec2 own = net->point[point], step = v2_sub(neighbour_mean(net, point), own);
    double best = angle_around(net, point, own);
    for (double s = 1; s > 0.2; s /= 2) {
        vo_vec2 p = v2_add(own, v2_scale(s, step));
        p = v2(vo_exact_number(p.x), vo_exact_number(p.y));
        if (!(angle_around(net, point, p) > best)) continue;
        net->point[point] = p;
        return;
    }
}

vo_result vo_net_smooth(vo_net *net) {
    for (int round = 0; round < net->def->smoothing_rounds; round++) {
        for (int i = net->region->point_count + VO_NET_FRAME; i < net->point_count; i++)
            smooth_point(net, i);
        VO_TRY(vo_net_legalize_all(net));
    }
    return VO_OK;
}
