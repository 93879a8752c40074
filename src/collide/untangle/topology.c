/* Topology and rest lengths of the surfaces to untangle, computed once. */
#include "collide/untangle/untangle_private.h"

#include "core/memory.h"

/* Arrays of the untangler with their sizes: n nodes, e edges, f faces, p parts, plus one each. */
/* clang-format off */
#define ARRAYS(X) \
    X(node_start, n) \
    X(node_edge, 2 * e) \
    X(edge_face, e) \
    X(node_part, n) \
    X(node_sheet, n) \
    X(sheet_first, n) \
    X(part_closed, p) \
    X(part_is_container, p) \
    X(part_begin, p) \
    X(part_end, p) \
    X(part_box, p) \
    X(edge_rest, e) \
    X(face_base, f) \
    X(face_height, f) \
    X(node_size, n) \
    X(push, n) \
    X(follow_radius, n) \
    X(driven, n) \
    X(ring, n) \
    X(queue, 2 * n) \
    X(region_node, 2 * n) \
    X(node_mark, n) \
    X(edge_mark, e) \
    X(inside_part, n) \
    X(best_x, n) \
    X(start_x, n) \
    X(scratch_x, n) \
    X(scale, n) \
    X(winding, n) \
    X(total_winding, n) \
    X(exit_direction, n) \
    X(clean_x, n)
/* clang-format on */

static bool allocate(vo_untangler *u) {
    size_t n = (size_t)u->def.soup.node_count + 1, e = (size_t)u->def.soup.edge_count + 1;
    size_t p = (size_t)u->def.soup.part_count + 1, f = (size_t)u->def.soup.face_count + 1;
    bool ok = true;
#define ALLOCATE(name, count) \
    ok = (u->name = vo_alloc_zero(u->ctx, vo_array_bytes(count, sizeof *u->name))) && ok;
    ARRAYS(ALLOCATE)
    return ok;
}

void vo_untangle_free_topology(vo_untangler *u) {
    size_t n = (size_t)u->def.soup.node_count + 1, e = (size_t)u->def.soup.edge_count + 1;
    size_t p = (size_t)u->def.soup.part_count + 1, f = (size_t)u->def.soup.face_count + 1;
#define RELEASE(name, count) vo_free(u->ctx, u->name, (count) * sizeof *u->name);
    ARRAYS(RELEASE)
}

/* Lists the edges of each node by counting sort. */
static void list_node_edges(vo_untangler *u) {
    const vo_soup *s = &u->def.soup;
    for (int n = 0; n <= s->node_count; n++) u->node_start[n] = 0;
    for (int e = 0; e < s->edge_count; e++)
        for (int i = 0; i < 2; i++) u->node_start[s->edge[e][i]]++;
    for (int n = 0; n < s->node_count; n++) u->node_start[n + 1] += u->node_start[n];
    for (int e = s->edge_count - 1; e >= 0; e--)
        for (int i = 0; i < 2; i++) u->node_edge[--u->node_start[s->edge[e][i]]] = e;
}

static void list_edge_faces(vo_untangler *u) {
    const vo_soup *s = &u->def.soup;
    for (int e = 0; e < s->edge_count; e++) u->edge_face[e][0] = u->edge_face[e][1] = -1;
    for (int f = 0; f < s->face_count; f++)
        for (int i = 0; i < 3; i++) {
            int *faces = u->edge_face[s->face_edge[f][i]];
            faces[faces[0] >= 0] = f;
        }
}

static void find_node_parts(vo_untangler *u) {
    const vo_soup *s = &u->def.soup;
    for (int n = 0; n < s->node_count; n++) u->node_part[n] = -1;
    for (int f = 0; f < s->face_count; f++)
        for (int i = 0; i < 3; i++) u->node_part[s->face[f][i]] = s->face_part[f];
}

static void fill_sheet(vo_untangler *u, int first) {
    int count = 0;
    u->queue[count++] = first;
    u->node_sheet[first] = u->sheet_count;
    for (int i = 0; i < count; i++) {
        int n = u->queue[i];
        for (int k = u->node_start[n]; k < u->node_start[n + 1]; k++) {
            int m = vo_edge_other(u, u->node_edge[k], n);
            if (u->node_sheet[m] >= 0) continue;
            u->node_sheet[m] = u->sheet_count;
            u->queue[count++] = m;
        }
    }
    u->sheet_first[u->sheet_count++] = first;
}

static void find_sheets(vo_untangler *u) {
    for (int n = 0; n < u->def.soup.node_count; n++) u->node_sheet[n] = -1;
    for (int n = 0; n < u->def.soup.node_count; n++)
        if (u->node_sheet[n] < 0) fill_sheet(u, n);
}

/* Returns true if the face contains the edge from its first node to its second. */
static bool has_edge_direction(const vo_soup *s, int f, int e) {
    for (int i = 0; i < 3; i++)
        if (s->face_edge[f][i] == e) return s->face[f][i] == s->edge[e][0];
    return false;
}

/* A part is closed if each of its edges has two consistently oriented faces. */
static void find_closed_parts(vo_untangler *u) {
    const vo_soup *s = &u->def.soup;
    for (int p = 0; p < s->part_count; p++)
        u->part_closed[p] = (s->part_flags[p] & ~VO_SOUP_ORIENTED) == VO_SOUP_OBSTACLE;
    for (int e = 0; e < s->edge_count; e++) {
        const int *f = u->edge_face[e];
        if (f[0] < 0) continue;
        if (f[1] < 0 || has_edge_direction(s, f[0], e) == has_edge_direction(s, f[1], e))
            u->part_closed[s->face_part[f[0]]] = 0;
    }
}

/* Computes rest lengths and node sizes. Collapsed edges get a tenth of the size of their
 * neighbours. */
static void measure(vo_untangler *u, const vo_vec3 *x) {
    const vo_soup *s = &u->def.soup;
    for (int e = 0; e < s->edge_count; e++)
        u->edge_rest[e] = u->def.edge_length ? u->def.edge_length[e]
                                             : v3_distance(x[s->edge[e][0]], x[s->edge[e][1]]);
    for (int n = 0; n < s->node_count; n++) {
        double sum = 0;
        int count = u->node_start[n + 1] - u->node_start[n];
        for (int k = u->node_start[n]; k < u->node_start[n + 1]; k++)
            sum += u->edge_rest[u->node_edge[k]];
        u->node_size[n] = count > 0 ? sum / count : 0;
    }
    for (int e = 0; e < s->edge_count; e++) {
        double size = 0.5 * (u->node_size[s->edge[e][0]] + u->node_size[s->edge[e][1]]);
        u->edge_rest[e] = vo_max(u->edge_rest[e], 0.1 * size);
    }
}

/* Computes the longest side of each face, and the height above it. */
static void measure_faces(vo_untangler *u, const vo_vec3 *x) {
    const vo_soup *s = &u->def.soup;
    for (int f = 0; f < s->face_count; f++) {
        const int *n = s->face[f], *e = s->face_edge[f];
        int base = 0;
        for (int i = 1; i < 3; i++)
            if (u->edge_rest[e[i]] > u->edge_rest[e[base]]) base = i;
        vo_vec3 twice_area = v3_cross(v3_sub(x[n[1]], x[n[0]]), v3_sub(x[n[2]], x[n[0]]));
        double length = u->edge_rest[e[base]];
        u->face_base[f] = base;
        u->face_height[f] = length > 0 ? v3_length(twice_area) / length : 0;
    }
}

/* Computes the range of each part in the list of obstacle faces. */
static void find_part_ranges(vo_untangler *u) {
    const vo_contours *c = &u->contours;
    for (int i = c->face_count[1] - 1; i >= 0; i--)
        u->part_begin[c->soup.face_part[c->face[1][i]]] = i;
    for (int i = 0; i < c->face_count[1]; i++)
        u->part_end[c->soup.face_part[c->face[1][i]]] = i + 1;
}

/* Returns six times the signed volume of a part: negative for inward faces. */
static double part_volume6(const vo_untangler *u, const vo_vec3 *x, int part) {
    const vo_contours *c = &u->contours;
    vo_vec3 origin = x[c->soup.face[c->face[1][u->part_begin[part]]][0]];
    double sum = 0;
    for (int i = u->part_begin[part]; i < u->part_end[part]; i++) {
        int f = c->face[1][i];
        const int *n = c->soup.face[f];
        if (c->soup.face_part[f] == part) sum += v3_tetrahedron6(origin, x[n[0]], x[n[1]], x[n[2]]);
    }
    return sum;
}

/* Marks closed oriented parts with inward faces, whose solid surrounds them. */
static void find_containers(vo_untangler *u, const vo_vec3 *x) {
    u->first_container = -1;
    u->container_count = 0;
    for (int p = 0; p < u->def.soup.part_count; p++) {
        u->part_is_container[p] = u->part_closed[p] &&
                                  (u->def.soup.part_flags[p] & VO_SOUP_ORIENTED) &&
                                  u->part_end[p] > u->part_begin[p] && part_volume6(u, x, p) < 0;
        if (u->part_is_container[p] && u->container_count++ == 0) u->first_container = p;
    }
}

void vo_untangle_set_obstacles(vo_untangler *u, const vo_vec3 *x) {
    const vo_contours *c = &u->contours;
    vo_contours_set_obstacles(&u->contours, x);
    for (int p = 0; p < u->def.soup.part_count; p++) u->part_box[p] = box_empty();
    for (int i = 0; i < c->face_count[1]; i++) {
        vo_box *box = &u->part_box[c->soup.face_part[c->face[1][i]]];
        *box = box_join(*box, c->box[1][i]);
    }
}

vo_result vo_untangle_topology(vo_untangler *u, const vo_vec3 *x) {
    if (!allocate(u)) return vo_fail_memory(u->ctx, "untangling");
    list_node_edges(u);
    list_edge_faces(u);
    find_node_parts(u);
    find_sheets(u);
    find_closed_parts(u);
    measure(u, x);
    measure_faces(u, x);
    find_part_ranges(u);
    find_containers(u, x);
    return VO_OK;
}
