/* Closed obstacles have an inside, and cloth in it is wrong whatever contours say.
 *
 * How often an obstacle's surface goes round a node is computed for one node of each sheet; from
 * there it is counted along edges, up and down by one at every crossing. Nodes inside that hang
 * together leave together: along the way that takes the whole region out soonest, if that is not
 * much longer than the way of its deepest node to the surface (a sheet through a ball); otherwise
 * each to the surface next to it (a sleeve just under the skin of an arm, which has no way out as a
 * whole). */
#include "collide/untangle_private.h"

#define INSIDE_STEP 0.6

enum { SAMPLES = 24, TRIES = 8 };

/* ---- which nodes ---------------------------------------------------------------------------- */

/* Writes for each edge of a cloth how the count changes from its first node to its second: a step
 * through a face along its normal takes one off. */
static bool mark_crossings(vo_untangler *u, const vo_vec3 *x, int part, bool clear) {
    const vo_soup *s = &u->def.soup;
    bool any = false;
    for (int v = 0; v < u->contours.vertex_count; v++) {
        const vo_contour_vertex *at = &u->contours.vertex[v];
        if (at->edge < 0 || s->face_part[at->face] != part) continue;
        const int *e = s->edge[at->edge], *f = s->face[at->face];
        vo_vec3 n = v3_cross(v3_sub(x[f[1]], x[f[0]]), v3_sub(x[f[2]], x[f[0]]));
        bool out = v3_dot(n, v3_sub(x[e[1]], x[e[0]])) > 0;
        if (clear)
            u->edge_mark[at->edge] = 0;
        else
            u->edge_mark[at->edge] += out ? -1 : 1;
        any = true;
    }
    return any;
}

/* Counts along the edges of a whole sheet, from 0 at `first`; its nodes go to the queue. */
static int count_turns(vo_untangler *u, int first, int mark) {
    int count = 0;
    u->queue[count++] = first;
    u->node_mark[first] = mark;
    u->turns[first] = 0;
    for (int i = 0; i < count; i++) {
        int n = u->queue[i];
        for (int k = u->node_start[n]; k < u->node_start[n + 1]; k++) {
            int e = u->node_edge[k], m = vo_edge_other(u, e, n);
            if (u->node_mark[m] == mark) continue;
            u->node_mark[m] = mark;
            u->turns[m] = u->turns[n] + (u->def.soup.edge[e][0] == n ? 1 : -1) * u->edge_mark[e];
            u->queue[count++] = m;
        }
    }
    return count;
}

/* What to add to the counts of a sheet, from a node that is clearly inside or outside. */
static int turns_offset(const vo_untangler *u, const vo_vec3 *x, int part, int count) {
    for (int i = 0; i < TRIES; i++) {
        int n = u->queue[(int)((int64_t)i * count / TRIES)];
        double w = vo_untangle_winding(u, x, part, x[n]), whole = floor(w + 0.5);
        if (fabs(w - whole) < 0.1) return (int)whole - u->turns[n];
    }
    return 0;
}

static void mark_sheet(vo_untangler *u, const vo_vec3 *x, int part, int first, int mark) {
    int count = count_turns(u, first, mark), offset = turns_offset(u, x, part, count);
    for (int i = 0; i < count; i++) {
        int n = u->queue[i], turns = u->turns[n] + offset;
        u->wound[n] += turns;
        if (turns != 0) u->inside[n] = part;
    }
}

/* Marks the nodes inside a part, of sheets that intersect it. */
static void mark_inside(vo_untangler *u, const vo_vec3 *x, int part) {
    int mark = ++u->mark;
    for (int v = 0; v < u->contours.vertex_count; v++) {
        const vo_contour_vertex *at = &u->contours.vertex[v];
        if (at->edge < 0 || u->def.soup.face_part[at->face] != part) continue;
        int n = u->def.soup.edge[at->edge][0];
        if (u->node_mark[n] != mark) mark_sheet(u, x, part, n, mark);
    }
}

/* ---- where they go -------------------------------------------------------------------------- */

/* Adds the nodes of the same sheet inside other obstacles, where these overlap that of `first`:
 * they must not leave one obstacle for the other. */
static int gather_others(vo_untangler *u, int first, int mark, int count) {
    const vo_box *box = &u->part_box[u->inside[first]];
    for (int n = 0; n < u->def.soup.node_count; n++) {
        if (u->inside[n] < 0 || u->inside[n] == u->inside[first]) continue;
        if (u->node_mark[n] == mark || u->node_sheet[n] != u->node_sheet[first]) continue;
        if (!box_overlaps(*box, u->part_box[u->inside[n]])) continue;
        u->node_mark[n] = mark;
        u->region_node[count++] = n;
    }
    return count;
}

/* Gathers the nodes inside that hang together with one. */
static int gather(vo_untangler *u, int first, int mark) {
    int count = 0;
    u->region_node[count++] = first;
    u->node_mark[first] = mark;
    for (int i = 0; i < count; i++) {
        int n = u->region_node[i];
        for (int k = u->node_start[n]; k < u->node_start[n + 1]; k++) {
            int e = u->node_edge[k], m = vo_edge_other(u, e, n);
            if (u->node_mark[m] == mark || u->inside[m] < 0) continue;
            u->node_mark[m] = mark;
            u->region_node[count++] = m;
        }
    }
    return u->level > 0 ? gather_others(u, first, mark, count) : count;
}

/* The longest way that one of the region's nodes has out along `way`, by samples. */
static double longest_exit(const vo_untangler *u, const vo_vec3 *x, int count, vo_vec3 way,
                           double give_up) {
    double longest = 0;
    for (int i = 0; i < SAMPLES && longest < give_up; i++) {
        int n = u->region_node[(int)((int64_t)i * count / SAMPLES)];
        longest = vo_max(longest, vo_untangle_exit(u, x, u->wound[n], x[n], way));
    }
    return longest;
}

/* Mean normal of the faces around the region's nodes, by area; shorter than 1 where it is bent. */
static vo_vec3 region_normal(const vo_untangler *u, const vo_vec3 *x, int count) {
    const vo_soup *s = &u->def.soup;
    vo_vec3 sum = v3_zero();
    double area = 0;
    for (int i = 0; i < count; i++) {
        int n = u->region_node[i];
        for (int k = u->node_start[n]; k < u->node_start[n + 1]; k++) {
            int f = u->edge_face[u->node_edge[k]][0];
            const int *c = s->face[f];
            vo_vec3 normal = v3_cross(v3_sub(x[c[1]], x[c[0]]), v3_sub(x[c[2]], x[c[0]]));
            sum = v3_add(sum, normal);
            area += v3_length(normal);
        }
    }
    return area > 0 ? v3_scale(1 / area, sum) : sum;
}

/* How much further a region may go along a way than along another: cloth bends out of its plane,
 * but within it, it is crushed. */
static double way_cost(vo_vec3 way, vo_vec3 normal) {
    return 1 + 2 * (v3_length(normal) - fabs(v3_dot(way, normal)));
}

/* The direction that takes a region out soonest, and how far. */
static vo_vec3 best_way(const vo_untangler *u, const vo_vec3 *x, int count, vo_vec3 mean,
                        double *length) {
    vo_vec3 normal = region_normal(u, x, count), best = v3_zero();
    const vo_vec3 ways[] = {mean,        normal,       v3_negate(normal), v3(0, 0, 1), v3(0, 1, 0),
                            v3(1, 0, 0), v3(0, 0, -1), v3(0, -1, 0),      v3(-1, 0, 0)};
    double least = INFINITY;
    *length = INFINITY;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        vo_vec3 way = v3_normalize(ways[i]);
        if (v3_length2(way) == 0) continue;
        double cost = way_cost(way, normal);
        double d = longest_exit(u, x, count, way, least / cost);
        if (!(d * cost < least)) continue;
        least = d * cost;
        *length = d;
        best = way;
    }
    return best;
}

/* Drives a region along one way. */
static void push_along(vo_untangler *u, int count, vo_vec3 way, double length) {
    for (int i = 0; i < count; i++) {
        int n = u->region_node[i];
        double step =
            vo_min(INSIDE_STEP * u->node_size[n], length + vo_clearance(u, u->node_size[n]));
        vo_untangle_drive(u, n, v3_scale(step, way), 2 * length);
        u->way[n] = way;
    }
}

/* From the first restart on, a region that has set out along a way keeps to it. */
static bool push_on(vo_untangler *u, const vo_vec3 *x, int count) {
    vo_vec3 sum = v3_zero();
    for (int i = 0; u->level > 0 && i < count; i++) sum = v3_add(sum, u->way[u->region_node[i]]);
    vo_vec3 way = v3_normalize(sum);
    if (v3_length2(way) == 0) return false;
    double length = longest_exit(u, x, count, way, INFINITY);
    if (length < INFINITY) push_along(u, count, way, length);
    return length < INFINITY;
}

/* Drives each node of a region to the surface next to it, offsets to which are in u->spare. What is
 * outside one obstacle may be inside another: then that is no way out, and the node goes with the
 * region. */
static void push_nearest(vo_untangler *u, const vo_vec3 *x, int count, vo_vec3 region_way) {
    for (int i = 0; i < count; i++) {
        int n = u->region_node[i];
        double d = v3_length(u->spare[n]);
        vo_vec3 way = v3_normalize(u->spare[n]);
        if (vo_untangle_exit(u, x, u->wound[n], x[n], way) > 2 * d) way = region_way;
        double step = vo_min(INSIDE_STEP * u->node_size[n], d + vo_clearance(u, u->node_size[n]));
        vo_untangle_drive(u, n, v3_scale(step, way), 0);
    }
}

/* Every second try holds on to a common way for longer. */
static void push_region(vo_untangler *u, const vo_vec3 *x, int count) {
    if (push_on(u, x, count)) return;
    vo_vec3 mean = v3_zero();
    double deepest = 0, length;
    bool several = false; /* obstacles */
    for (int i = 0; i < count; i++) {
        int n = u->region_node[i], part = u->inside[n];
        u->spare[n] = vo_untangle_nearest(u, x, part, x[n]);
        mean = v3_add(mean, v3_normalize(u->spare[n]));
        deepest = vo_max(deepest, v3_length(u->spare[n]));
        several |= part != u->inside[u->region_node[0]];
    }
    vo_vec3 way = best_way(u, x, count, mean, &length);
    if (length <= (several ? 8 : u->level % 2 ? 4 : 1.5) * deepest)
        push_along(u, count, way, length);
    else
        push_nearest(u, x, count, way);
}

void vo_untangle_push_inside(vo_untangler *u, const vo_vec3 *x) {
    int nodes = u->def.soup.node_count;
    for (int n = 0; n < nodes; n++) {
        u->inside[n] = -1;
        u->wound[n] = 0;
    }
    for (int p = 0; p < u->def.soup.part_count; p++) {
        if (!u->part_closed[p]) continue;
        if (!mark_crossings(u, x, p, false)) continue;
        mark_inside(u, x, p);
        mark_crossings(u, x, p, true);
    }
    int mark = ++u->mark;
    for (int n = 0; n < nodes; n++)
        if (u->inside[n] >= 0 && u->node_mark[n] != mark) push_region(u, x, gather(u, n, mark));
}

/* ---- sheets wholly inside ------------------------------------------------------------------- */

static bool is_cloth_node(const vo_untangler *u, int n) {
    return u->node_part[n] >= 0 && !vo_part_is_obstacle(u, u->node_part[n]);
}

/* Any face of a node. */
static int node_face(const vo_untangler *u, int n) {
    return u->edge_face[u->node_edge[u->node_start[n]]][0];
}

/* Marks the first node of a face's sheet. */
static void mark_sheet_of(vo_untangler *u, int f, int mark) {
    u->node_mark[u->sheet_first[u->node_sheet[u->def.soup.face[f][0]]]] = mark;
}

/* Marks the first node of each sheet that a part crosses. */
static void mark_crossed_sheets(vo_untangler *u, int part, int mark) {
    const vo_soup *s = &u->def.soup;
    for (int i = 0; i < u->contours.pair_count; i++) {
        vo_pair p = u->contours.pair[i];
        if (s->face_part[p.a] == part) mark_sheet_of(u, p.b, mark);
        if (s->face_part[p.b] == part) mark_sheet_of(u, p.a, mark);
    }
}

/* How often a part goes round a sheet that it does not cross: round all of its nodes alike. Leaves
 * the nodes in the queue. */
static int sheet_turns(vo_untangler *u, const vo_vec3 *x, int part, int first, int *count) {
    *count = count_turns(u, first, ++u->mark);
    return turns_offset(u, x, part, *count);
}

static vo_result add_inside(vo_untangler *u, const vo_vec3 *x, int first, int part) {
    vo_tangle t = {.why = VO_TANGLE_INSIDE,
                   .part = {u->node_part[first], part},
                   .face = {node_face(u, first), -1},
                   .place = x[first]};
    return vo_untangle_add_tangle(u, &t);
}

vo_result vo_untangle_list_inside(vo_untangler *u, const vo_vec3 *x) {
    for (int p = 0; p < u->def.soup.part_count; p++) {
        if (!u->part_closed[p]) continue;
        for (int s = 0; s < u->sheet_count; s++) {
            int n = u->sheet_first[s], crossed = ++u->mark, count;
            if (!is_cloth_node(u, n)) continue;
            mark_crossed_sheets(u, p, crossed);
            if (u->node_mark[n] == crossed || sheet_turns(u, x, p, n, &count) == 0) continue;
            VO_TRY(add_inside(u, x, n, p));
        }
    }
    return VO_OK;
}

/* How often all closed parts go round a sheet that none of them crosses; 0 if one does, or if a pin
 * holds the sheet. Its nodes go to u->region_node. */
static int free_sheet_turns(vo_untangler *u, const vo_vec3 *x, int first, int *count) {
    int sum = 0;
    for (int p = 0; p < u->def.soup.part_count; p++) {
        if (!u->part_closed[p]) continue;
        int crossed = ++u->mark;
        mark_crossed_sheets(u, p, crossed);
        if (u->node_mark[first] == crossed) return 0;
        sum += sheet_turns(u, x, p, first, count);
    }
    for (int i = 0; sum != 0 && i < *count; i++) {
        u->region_node[i] = u->queue[i];
        u->wound[u->queue[i]] = sum;
        if (!vo_node_moves(u, u->queue[i])) return 0;
    }
    return sum;
}

void vo_untangle_eject(vo_untangler *u, vo_vec3 *x) {
    for (int s = 0; s < u->sheet_count; s++) {
        int n = u->sheet_first[s], count = 0;
        if (!is_cloth_node(u, n) || free_sheet_turns(u, x, n, &count) == 0) continue;
        double length;
        vo_vec3 way = best_way(u, x, count, v3_zero(), &length);
        for (int i = 0; i < count; i++) /* every node, not a sample */
            length = vo_max(length, vo_untangle_exit(u, x, u->wound[n], x[u->region_node[i]], way));
        length += vo_clearance(u, u->node_size[n]);
        for (int i = 0; i < count && length < INFINITY; i++) {
            vo_vec3 *p = &x[u->region_node[i]];
            *p = v3_add_scaled(*p, length, way);
        }
    }
}
