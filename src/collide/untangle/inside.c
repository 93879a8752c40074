/* Closed obstacles: nodes with a nonzero winding number must leave, whatever the contours require.
 *
 * The winding number of an obstacle is computed for one node of each sheet and propagated along
 * edges, changing by one at every crossing. A connected region of inside nodes leaves along one
 * direction, the one with the shortest exit for the whole region, if that is not much longer than
 * the distance of its deepest node from the surface (a sheet through a ball). Otherwise each node
 * moves to its nearest surface point (a sleeve just under the skin of an arm, which has no common
 * exit).
 *
 * All containers together are one solid, everything outside of all of them; every other closed part
 * is a solid by itself. A solid is named by the index of its first part. */
#include "collide/untangle/untangle_private.h"

#define INSIDE_STEP 0.6

enum { EXIT_SAMPLES = 24, WINDING_SAMPLES = 8 };

/* ---- solids --------------------------------------------------------------------------------- */

/* Returns the solid of a closed part. */
static int solid_of(const vo_untangler *u, int part) {
    return u->part_is_container[part] ? u->first_container : part;
}

static bool is_solid(const vo_untangler *u, int part) {
    return u->part_closed[part] && solid_of(u, part) == part;
}

/* Returns the sum of the winding numbers of the parts of a solid about a point. */
static double parts_winding(const vo_untangler *u, const vo_vec3 *x, int solid, vo_vec3 p) {
    if (!u->part_is_container[solid]) return vo_untangle_winding(u, x, solid, p);
    double sum = 0;
    for (int part = solid; part < u->def.soup.part_count; part++)
        if (u->part_is_container[part]) sum += vo_untangle_winding(u, x, part, p);
    return sum;
}

/* Returns the part of a solid that is nearest to a point. */
static int nearest_part(const vo_untangler *u, const vo_vec3 *x, int solid, vo_vec3 p) {
    if (u->container_count < 2 || !u->part_is_container[solid]) return solid;
    double best = INFINITY;
    int nearest = solid;
    for (int part = solid; part < u->def.soup.part_count; part++) {
        if (!u->part_is_container[part]) continue;
        double d = v3_length2(vo_untangle_nearest(u, x, part, p));
        if (d < best) best = d, nearest = part;
    }
    return nearest;
}

/* ---- winding numbers ------------------------------------------------------------------------ */

/* Stores for each cloth edge the change of the winding number from its first node to its second:
 * crossing a face along its normal subtracts one. With `clear` resets it. Returns true if an edge
 * crosses the solid. */
static bool mark_crossings(vo_untangler *u, const vo_vec3 *x, int solid, bool clear) {
    const vo_soup *s = &u->def.soup;
    bool any = false;
    for (int v = 0; v < u->contours.vertex_count; v++) {
        const vo_contour_vertex *at = &u->contours.vertex[v];
        if (at->edge < 0 || solid_of(u, s->face_part[at->face]) != solid) continue;
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

/* Propagates the winding number over a sheet, starting with 0 at `first`; writes its nodes to the
 * queue and returns their number. */
static int propagate_winding(vo_untangler *u, int first, int mark) {
    int count = 0;
    u->queue[count++] = first;
    u->node_mark[first] = mark;
    u->winding[first] = 0;
    for (int i = 0; i < count; i++) {
        int n = u->queue[i];
        for (int k = u->node_start[n]; k < u->node_start[n + 1]; k++) {
            int e = u->node_edge[k], m = vo_edge_other(u, e, n);
            if (u->node_mark[m] == mark) continue;
            u->node_mark[m] = mark;
            u->winding[m] =
                u->winding[n] + (u->def.soup.edge[e][0] == n ? 1 : -1) * u->edge_mark[e];
            u->queue[count++] = m;
        }
    }
    return count;
}

/* Returns the constant to add to the winding numbers of a sheet, from a node that is clearly inside
 * or outside. */
static int winding_offset(const vo_untangler *u, const vo_vec3 *x, int solid, int count) {
    for (int i = 0; i < WINDING_SAMPLES; i++) {
        int n = u->queue[(int)((int64_t)i * count / WINDING_SAMPLES)];
        double w = parts_winding(u, x, solid, x[n]), whole = floor(w + 0.5);
        if (fabs(w - whole) < 0.1) return (int)whole - u->winding[n];
    }
    return 0;
}

/* Converts the winding number of the parts of a solid to one that is 0 outside the solid. That of
 * containers is -1 within one of them and 0 in the solid around them, so one is added; negative
 * results, where several containers overlap, are outside too. */
static int solid_winding(const vo_untangler *u, int solid, int winding) {
    return u->part_is_container[solid] ? vo_max_int(winding + 1, 0) : winding;
}

static void mark_sheet(vo_untangler *u, const vo_vec3 *x, int solid, int first, int mark) {
    int count = propagate_winding(u, first, mark), offset = winding_offset(u, x, solid, count);
    for (int i = 0; i < count; i++) {
        int n = u->queue[i], winding = solid_winding(u, solid, u->winding[n] + offset);
        u->total_winding[n] += winding;
        if (winding != 0) u->inside_part[n] = nearest_part(u, x, solid, x[n]);
    }
}

/* Marks the nodes inside a solid, for the sheets that intersect it. */
static void mark_inside(vo_untangler *u, const vo_vec3 *x, int solid) {
    int mark = ++u->mark;
    for (int v = 0; v < u->contours.vertex_count; v++) {
        const vo_contour_vertex *at = &u->contours.vertex[v];
        if (at->edge < 0 || solid_of(u, u->def.soup.face_part[at->face]) != solid) continue;
        int n = u->def.soup.edge[at->edge][0];
        if (u->node_mark[n] != mark) mark_sheet(u, x, solid, n, mark);
    }
}

/* ---- directions ----------------------------------------------------------------------------- */

/* Adds the nodes of the same sheet inside other obstacles that overlap the obstacle of `first`, so
 * that they do not leave one obstacle into another. */
static int gather_others(vo_untangler *u, int first, int mark, int count) {
    const vo_box *box = &u->part_box[u->inside_part[first]];
    for (int n = 0; n < u->def.soup.node_count; n++) {
        if (u->inside_part[n] < 0 || u->inside_part[n] == u->inside_part[first]) continue;
        if (u->node_mark[n] == mark || u->node_sheet[n] != u->node_sheet[first]) continue;
        if (!box_overlaps(*box, u->part_box[u->inside_part[n]])) continue;
        u->node_mark[n] = mark;
        u->region_node[count++] = n;
    }
    return count;
}

/* Gathers the connected inside nodes of a node. */
static int gather(vo_untangler *u, int first, int mark) {
    int count = 0;
    u->region_node[count++] = first;
    u->node_mark[first] = mark;
    for (int i = 0; i < count; i++) {
        int n = u->region_node[i];
        for (int k = u->node_start[n]; k < u->node_start[n + 1]; k++) {
            int e = u->node_edge[k], m = vo_edge_other(u, e, n);
            if (u->node_mark[m] == mark || u->inside_part[m] < 0) continue;
            u->node_mark[m] = mark;
            u->region_node[count++] = m;
        }
    }
    return u->level > 0 ? gather_others(u, first, mark, count) : count;
}

/* Returns the largest exit distance of the region's nodes along a direction, by samples; stops at
 * `give_up`. */
static double max_exit_distance(const vo_untangler *u, const vo_vec3 *x, int count,
                                vo_vec3 direction, double give_up) {
    double max_exit = 0;
    for (int i = 0; i < EXIT_SAMPLES && max_exit < give_up; i++) {
        int n = u->region_node[(int)((int64_t)i * count / EXIT_SAMPLES)];
        max_exit =
            vo_max(max_exit, vo_untangle_exit_distance(u, x, u->total_winding[n], x[n], direction));
    }
    return max_exit;
}

/* Returns the mean normal of the faces of a region, weighted by area; shorter than 1 if it is
 * bent. */
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

/* Returns a penalty factor for a direction: cloth bends out of its plane, but is compressed within
 * it. */
static double direction_cost(vo_vec3 direction, vo_vec3 normal) {
    return 1 + 2 * (v3_length(normal) - fabs(v3_dot(direction, normal)));
}

/* Returns the direction with the cheapest exit of a region, and its length. */
static vo_vec3 best_direction(const vo_untangler *u, const vo_vec3 *x, int count, vo_vec3 mean,
                              double *length) {
    vo_vec3 normal = region_normal(u, x, count), best = v3_zero();
    const vo_vec3 directions[] = {mean,         normal,       v3_negate(normal),
                                  v3(0, 0, 1),  v3(0, 1, 0),  v3(1, 0, 0),
                                  v3(0, 0, -1), v3(0, -1, 0), v3(-1, 0, 0)};
    double min_cost = INFINITY;
    *length = INFINITY;
    for (size_t i = 0; i < sizeof directions / sizeof *directions; i++) {
        vo_vec3 direction = v3_normalize(directions[i]);
        if (v3_length2(direction) == 0) continue;
        double cost = direction_cost(direction, normal);
        double d = max_exit_distance(u, x, count, direction, min_cost / cost);
        if (!(d * cost < min_cost)) continue;
        min_cost = d * cost;
        *length = d;
        best = direction;
    }
    return best;
}

/* Pushes a region along one direction. */
static void push_along(vo_untangler *u, int count, vo_vec3 direction, double length) {
    for (int i = 0; i < count; i++) {
        int n = u->region_node[i];
        double step = vo_min(INSIDE_STEP * u->node_size[n],
                             length + vo_untangle_clearance(u, u->node_size[n]));
        vo_untangle_push_node(u, n, v3_scale(step, direction), 2 * length);
        u->exit_direction[n] = direction;
    }
}

/* From the first restart on, a region keeps its direction. Returns false if it has none. */
static bool push_in_previous_direction(vo_untangler *u, const vo_vec3 *x, int count) {
    vo_vec3 sum = v3_zero();
    for (int i = 0; u->level > 0 && i < count; i++)
        sum = v3_add(sum, u->exit_direction[u->region_node[i]]);
    vo_vec3 direction = v3_normalize(sum);
    if (v3_length2(direction) == 0) return false;
    double length = max_exit_distance(u, x, count, direction, INFINITY);
    if (length < INFINITY) push_along(u, count, direction, length);
    return length < INFINITY;
}

/* Pushes each node of a region to its nearest surface point, offset u->scratch_x. A node whose exit
 * leads into another obstacle moves in the direction of the region. */
static void push_nearest(vo_untangler *u, const vo_vec3 *x, int count, vo_vec3 region_direction) {
    for (int i = 0; i < count; i++) {
        int n = u->region_node[i];
        double d = v3_length(u->scratch_x[n]);
        vo_vec3 direction = v3_normalize(u->scratch_x[n]);
        if (vo_untangle_exit_distance(u, x, u->total_winding[n], x[n], direction) > 2 * d)
            direction = region_direction;
        double step =
            vo_min(INSIDE_STEP * u->node_size[n], d + vo_untangle_clearance(u, u->node_size[n]));
        vo_untangle_push_node(u, n, v3_scale(step, direction), 0);
    }
}

/* Pushes a region out of the obstacles. Every second restart accepts longer common exits. */
static void push_region(vo_untangler *u, const vo_vec3 *x, int count) {
    if (push_in_previous_direction(u, x, count)) return;
    vo_vec3 mean = v3_zero();
    double deepest = 0, length;
    bool several = false; /* the region is inside several obstacles */
    for (int i = 0; i < count; i++) {
        int n = u->region_node[i], part = u->inside_part[n];
        u->scratch_x[n] = vo_untangle_nearest(u, x, part, x[n]);
        mean = v3_add(mean, v3_normalize(u->scratch_x[n]));
        deepest = vo_max(deepest, v3_length(u->scratch_x[n]));
        several |= part != u->inside_part[u->region_node[0]];
    }
    vo_vec3 direction = best_direction(u, x, count, mean, &length);
    if (length <= (several ? 8 : u->level % 2 ? 4 : 1.5) * deepest)
        push_along(u, count, direction, length);
    else
        push_nearest(u, x, count, direction);
}

void vo_untangle_push_inside(vo_untangler *u, const vo_vec3 *x) {
    int nodes = u->def.soup.node_count;
    for (int n = 0; n < nodes; n++) {
        u->inside_part[n] = -1;
        u->total_winding[n] = 0;
    }
    for (int p = 0; p < u->def.soup.part_count; p++) {
        if (!is_solid(u, p)) continue;
        if (!mark_crossings(u, x, p, false)) continue;
        mark_inside(u, x, p);
        mark_crossings(u, x, p, true);
    }
    int mark = ++u->mark;
    for (int n = 0; n < nodes; n++)
        if (u->inside_part[n] >= 0 && u->node_mark[n] != mark)
            push_region(u, x, gather(u, n, mark));
}

/* ---- sheets entirely inside ----------------------------------------------------------------- */

static bool is_cloth_node(const vo_untangler *u, int n) {
    return u->node_part[n] >= 0 && !vo_part_is_obstacle(u, u->node_part[n]);
}

/* Returns a face of a node. */
static int node_face(const vo_untangler *u, int n) {
    return u->edge_face[u->node_edge[u->node_start[n]]][0];
}

/* Marks the first node of a face's sheet. */
static void mark_sheet_of(vo_untangler *u, int f, int mark) {
    u->node_mark[u->sheet_first[u->node_sheet[u->def.soup.face[f][0]]]] = mark;
}

/* Marks the first node of each sheet that a solid intersects. */
static void mark_crossed_sheets(vo_untangler *u, int solid, int mark) {
    const vo_soup *s = &u->def.soup;
    for (int i = 0; i < u->contours.pair_count; i++) {
        vo_pair p = u->contours.pair[i];
        if (solid_of(u, s->face_part[p.a]) == solid) mark_sheet_of(u, p.b, mark);
        if (solid_of(u, s->face_part[p.b]) == solid) mark_sheet_of(u, p.a, mark);
    }
}

/* Returns the winding number of a solid about a sheet that it does not intersect, equal for all
 * nodes. Leaves the nodes in the queue. */
static int sheet_winding(vo_untangler *u, const vo_vec3 *x, int solid, int first, int *count) {
    *count = propagate_winding(u, first, ++u->mark);
    return solid_winding(u, solid, winding_offset(u, x, solid, *count));
}

static vo_result add_inside(vo_untangler *u, const vo_vec3 *x, int first, int solid) {
    bool container = u->part_is_container[solid];
    vo_tangle t = {.reason = container ? VO_TANGLE_OUTSIDE : VO_TANGLE_INSIDE,
                   .part = {u->node_part[first], nearest_part(u, x, solid, x[first])},
                   .face = {node_face(u, first), -1},
                   .position = x[first]};
    return vo_untangle_add_tangle(u, &t);
}

vo_result vo_untangle_list_inside(vo_untangler *u, const vo_vec3 *x) {
    for (int p = 0; p < u->def.soup.part_count; p++) {
        if (!is_solid(u, p)) continue;
        for (int s = 0; s < u->sheet_count; s++) {
            int n = u->sheet_first[s], crossed = ++u->mark, count;
            if (!is_cloth_node(u, n)) continue;
            mark_crossed_sheets(u, p, crossed);
            if (u->node_mark[n] == crossed || sheet_winding(u, x, p, n, &count) == 0) continue;
            VO_TRY(add_inside(u, x, n, p));
        }
    }
    return VO_OK;
}

/* Returns the total winding number of all solids about a sheet; 0 if one of them intersects
 * it or a node is pinned. Writes its nodes to u->region_node. */
static int free_sheet_winding(vo_untangler *u, const vo_vec3 *x, int first, int *count) {
    int sum = 0;
    for (int p = 0; p < u->def.soup.part_count; p++) {
        if (!is_solid(u, p)) continue;
        int crossed = ++u->mark;
        mark_crossed_sheets(u, p, crossed);
        if (u->node_mark[first] == crossed) return 0;
        sum += sheet_winding(u, x, p, first, count);
    }
    for (int i = 0; sum != 0 && i < *count; i++) {
        u->region_node[i] = u->queue[i];
        u->total_winding[u->queue[i]] = sum;
        if (!vo_node_moves(u, u->queue[i])) return 0;
    }
    return sum;
}

void vo_untangle_eject(vo_untangler *u, vo_vec3 *x) {
    for (int s = 0; s < u->sheet_count; s++) {
        int n = u->sheet_first[s], count = 0;
        if (!is_cloth_node(u, n) || free_sheet_winding(u, x, n, &count) == 0) continue;
        double length;
        vo_vec3 direction = best_direction(u, x, count, v3_zero(), &length);
        for (int i = 0; i < count; i++) /* all nodes, not samples */
            length = vo_max(length, vo_untangle_exit_distance(u, x, u->total_winding[n],
                                                              x[u->region_node[i]], direction));
        length += vo_untangle_clearance(u, u->node_size[n]);
        for (int i = 0; i < count && length < INFINITY; i++) {
            vo_vec3 *p = &x[u->region_node[i]];
            *p = v3_add_scaled(*p, length, direction);
        }
    }
}
