/* Links of a seaming: creation, vertices, edges. */
#include "rt/asset/seaming_private.h"

#include <string.h>

/* --- Creation ------------------------------------------------------------------------------- */

/* One array of the definition: offset of its pointer in vo_rt_asset_def, size in bytes. */
typedef struct array_row {
    size_t member, bytes;
} array_row;
enum { DEF_ARRAYS = 13 };

static void list_arrays(const vo_rt_asset_def *def, array_row row[DEF_ARRAYS]) {
    size_t v = (size_t)def->vertex_count, t = 3 * (size_t)def->triangle_count;
    size_t r = (size_t)def->render_vertex_count, bones = VO_RT_BONES_PER_VERTEX * v;
    size_t rt = 3 * (size_t)def->render_triangle_count;
#define ROW(name, count) \
    { offsetof(vo_rt_asset_def, name), (count) * sizeof *def->name }
    const array_row rows[DEF_ARRAYS] = {
        ROW(positions, v),        ROW(triangles, t),        ROW(coordinates, t),
        ROW(attachment, v),       ROW(max_distance, v),     ROW(backstop, v),
        ROW(backstop_radius, v),  ROW(stiffness_factor, v), ROW(skin_bones, bones),
        ROW(skin_weights, bones), ROW(render_positions, r), ROW(render_triangles, rt),
        ROW(render_uv, r),
    };
#undef ROW
    memcpy(row, rows, sizeof rows);
}

static size_t align_up(size_t bytes) { return (bytes + 63) & ~(size_t)63; }

/* Takes zeroed memory of the block; NULL while the size is being measured. */
static void *take(vo_rt_seaming *s, size_t *used, size_t bytes) {
    void *memory = s->memory ? s->memory + *used : NULL;
    *used += align_up(bytes);
    return memory;
}

/* Copies the arrays into the block and sets the pointers; with memory NULL it measures only. */
static size_t copy_arrays(vo_rt_seaming *s) {
    size_t used = 0, v = (size_t)s->def.vertex_count, t = (size_t)s->def.triangle_count;
    array_row row[DEF_ARRAYS];
    list_arrays(&s->def, row);
    for (int i = 0; i < DEF_ARRAYS; i++) {
        void *member = (char *)s + offsetof(vo_rt_seaming, def) + row[i].member, *array;
        memcpy(&array, member, sizeof array); /* the type of the pointer differs from row to row */
        if (!array) continue;
        void *copy = take(s, &used, row[i].bytes);
        if (!copy) continue;
        if (row[i].bytes > 0) memcpy(copy, array, row[i].bytes);
        memcpy(member, &copy, sizeof copy);
    }
    s->next = take(s, &used, v * sizeof *s->next);
    s->group = take(s, &used, v * sizeof *s->group);
    s->size = take(s, &used, v * sizeof *s->size);
    s->fan_offset = take(s, &used, (v + 1) * sizeof *s->fan_offset);
    s->fan = take(s, &used, 3 * t * sizeof *s->fan);
    return used;
}

static void isolate(vo_rt_seaming *s, int32_t vertex) {
    s->next[vertex] = s->group[vertex] = vertex;
    s->size[vertex] = 1;
}

static bool init(vo_rt_seaming *s, const vo_allocator *allocator, const vo_rt_asset_def *def) {
    *s = (vo_rt_seaming){.allocator = *allocator, .def = *def};
    s->memory_bytes = copy_arrays(s);
    s->memory = allocator->allocate(allocator->user, s->memory_bytes, 64);
    if (!s->memory) return false;
    memset(s->memory, 0, s->memory_bytes);
    copy_arrays(s);
    for (int32_t v = 0; v < def->vertex_count; v++) isolate(s, v);
    vo_rt_build_fans(s->def.triangles, def->triangle_count, def->vertex_count, s->fan_offset,
                     s->fan);
    return true;
}

vo_result vo_rt_seaming_create(const vo_allocator *allocator, const vo_rt_asset_def *def,
                               vo_rt_seaming **out, vo_rt_message *message) {
    if (!out) return vo_rt_fail(message, VO_BAD_ARGUMENT, "out is NULL; set it to a pointer");
    *out = NULL;
    if (!vo_rt_is_allocator(allocator) || !def)
        return vo_rt_fail(message, VO_BAD_ARGUMENT, "%s is NULL or incomplete; set it",
                          def ? "allocator" : "def");
    if (def->fine_positions || def->fine_coordinates)
        return vo_rt_fail(message, VO_BAD_ARGUMENT,
                          "fine_positions: pieces with finer levels cannot be seamed; set it and "
                          "fine_coordinates to NULL");
    vo_result result = vo_rt_asset_check_mesh(allocator, def, message);
    if (result != VO_OK) return result;
    vo_rt_seaming *s = allocator->allocate(allocator->user, sizeof *s, 64);
    if (s && init(s, allocator, def)) {
        *out = s;
        return VO_OK;
    }
    if (s) allocator->release(allocator->user, s, sizeof *s);
    return vo_rt_fail(message, VO_NO_MEMORY, "no memory for the seaming");
}

void vo_rt_seaming_destroy(vo_rt_seaming *seaming) {
    if (!seaming) return;
    vo_allocator a = seaming->allocator;
    if (seaming->edge)
        a.release(a.user, seaming->edge, (size_t)seaming->edge_capacity * sizeof *seaming->edge);
    a.release(a.user, seaming->memory, seaming->memory_bytes);
    a.release(a.user, seaming, sizeof *seaming);
}

/* --- Backup --------------------------------------------------------------------------------- */

bool vo_rt_seaming_save(const vo_rt_seaming *seaming, vo_rt_seaming_backup *backup) {
    size_t bytes = (size_t)seaming->def.vertex_count * sizeof(int32_t);
    *backup = (vo_rt_seaming_backup){.scratch = {.allocator = &seaming->allocator}};
    backup->next = vo_rt_scratch_alloc(&backup->scratch, 1, bytes);
    backup->group = vo_rt_scratch_alloc(&backup->scratch, 1, bytes);
    backup->size = vo_rt_scratch_alloc(&backup->scratch, 1, bytes);
    backup->edge = vo_rt_scratch_array(&backup->scratch, vo_rt_edge_link, seaming->edge_count);
    backup->edge_count = seaming->edge_count;
    if (backup->scratch.failed) {
        vo_rt_scratch_free(&backup->scratch);
        return false;
    }
    memcpy(backup->next, seaming->next, bytes);
    memcpy(backup->group, seaming->group, bytes);
    memcpy(backup->size, seaming->size, bytes);
    if (seaming->edge_count > 0)
        memcpy(backup->edge, seaming->edge, (size_t)seaming->edge_count * sizeof *seaming->edge);
    return true;
}

vo_result vo_rt_seaming_finish(vo_rt_seaming *seaming, vo_rt_seaming_backup *backup,
                               vo_result result) {
    size_t bytes = (size_t)seaming->def.vertex_count * sizeof(int32_t);
    if (result != VO_OK) {
        memcpy(seaming->next, backup->next, bytes);
        memcpy(seaming->group, backup->group, bytes);
        memcpy(seaming->size, backup->size, bytes);
        seaming->edge_count = backup->edge_count;
        if (backup->edge_count > 0)
            memcpy(seaming->edge, backup->edge, (size_t)backup->edge_count * sizeof *backup->edge);
    }
    vo_rt_scratch_free(&backup->scratch);
    return result;
}

/* --- Vertices ------------------------------------------------------------------------------- */

static vo_result check_vertex(const vo_rt_seaming *s, int32_t vertex, vo_rt_message *message) {
    if (vertex >= 0 && vertex < s->def.vertex_count) return VO_OK;
    return vo_rt_fail(message, VO_BAD_ARGUMENT, "vertex %d does not exist; vertices are 0 to %d",
                      (int)vertex, s->def.vertex_count - 1);
}

/* Relabels a ring after a change. */
static void relabel(vo_rt_seaming *s, int32_t first, int32_t label) {
    int count = 0;
    int32_t v = first;
    do s->group[v] = label, count++, v = s->next[v];
    while (v != first);
    s->size[label] = count;
}

static void exchange_successors(vo_rt_seaming *s, int32_t a, int32_t b) {
    int32_t next = s->next[a];
    s->next[a] = s->next[b];
    s->next[b] = next;
}

/* Fails if a member of the ring of `a` shares a triangle with a member of the group of `b`. */
static vo_result check_union(const vo_rt_seaming *s, int32_t a, int32_t b, vo_rt_message *message) {
    int32_t v = a;
    do {
        for (int i = s->fan_offset[v]; i < s->fan_offset[v + 1]; i++) {
            for (int k = 0; k < 3; k++) {
                int32_t u = s->def.triangles[3 * s->fan[i] + k];
                if (u == v || s->group[u] != s->group[b]) continue;
                return vo_rt_fail(message, VO_BAD_ARGUMENT,
                                  "vertices %d and %d would become one, but both belong to "
                                  "triangle %d; leave one of them out, or refine the piece there",
                                  (int)(v < u ? v : u), (int)(v < u ? u : v), (int)s->fan[i]);
            }
        }
        v = s->next[v];
    } while (v != a);
    return VO_OK;
}

/* Unites the groups of two vertices. *changed is false if they were one already. */
static vo_result unite(vo_rt_seaming *s, int32_t a, int32_t b, bool *changed,
                       vo_rt_message *message) {
    *changed = false;
    if (s->group[a] == s->group[b]) return VO_OK;
    if (s->size[s->group[a]] > s->size[s->group[b]]) { /* a has the smaller group */
        int32_t c = a;
        a = b;
        b = c;
    }
    vo_result result = check_union(s, a, b, message);
    if (result != VO_OK) return result;
    int32_t label = s->group[b];
    int total = s->size[s->group[a]] + s->size[label];
    relabel(s, a, label);
    exchange_successors(s, a, b);
    s->size[label] = total;
    *changed = true;
    return VO_OK;
}

vo_result vo_rt_seaming_link_group(vo_rt_seaming *seaming, int count, const int32_t *vertices,
                                   vo_rt_message *message) {
    bool changed;
    for (int i = 0; i < count; i++) {
        vo_result result = check_vertex(seaming, vertices[i], message);
        if (result == VO_OK) result = unite(seaming, vertices[0], vertices[i], &changed, message);
        if (result != VO_OK) return result;
    }
    return VO_OK;
}

vo_result vo_rt_seaming_link_vertices(vo_rt_seaming *seaming, int count, const int32_t *vertices,
                                      vo_rt_message *message) {
    if (!seaming || !vertices || count < 2)
        return vo_rt_fail(message, VO_BAD_ARGUMENT,
                          "a group needs a seaming and at least two vertices; count is %d", count);
    if (count == 2) return vo_rt_seaming_link_group(seaming, count, vertices, message);
    vo_rt_seaming_backup backup;
    if (!vo_rt_seaming_save(seaming, &backup))
        return vo_rt_fail(message, VO_NO_MEMORY, "no memory for the link");
    return vo_rt_seaming_finish(seaming, &backup,
                                vo_rt_seaming_link_group(seaming, count, vertices, message));
}

int32_t vo_rt_seaming_first_member(const vo_rt_seaming *seaming, int32_t vertex) {
    int32_t first = vertex;
    for (int32_t v = seaming->next[vertex]; v != vertex; v = seaming->next[v])
        if (v < first) first = v;
    return first;
}

/* --- Edges ---------------------------------------------------------------------------------- */

/* Finds the only half-edge between two vertices. */
static vo_result find_boundary_edge(const vo_rt_seaming *s, int32_t a, int32_t b,
                                    int32_t *half_edge, vo_rt_message *message) {
    int count = 0, triangle[2] = {0, 0};
    vo_result result = check_vertex(s, a, message);
    if (result == VO_OK) result = check_vertex(s, b, message);
    if (result != VO_OK) return result;
    for (int i = s->fan_offset[a]; i < s->fan_offset[a + 1]; i++) {
        for (int h = 3 * s->fan[i]; h < 3 * s->fan[i] + 3; h++) {
            int32_t from = vo_rt_half_edge_from(s->def.triangles, h);
            int32_t to = vo_rt_half_edge_to(s->def.triangles, h);
            if (!(from == a && to == b) && !(from == b && to == a)) continue;
            *half_edge = h;
            if (count < 2) triangle[count++] = h / 3;
        }
    }
    if (count == 1) return VO_OK;
    if (count == 0)
        return vo_rt_fail(message, VO_BAD_ARGUMENT,
                          "%d-%d is not an edge; use two adjacent vertices of a border", (int)a,
                          (int)b);
    return vo_rt_fail(
        message, VO_BAD_ARGUMENT,
        "edge %d-%d is inside a piece, between the triangles %d and %d; only boundary "
        "edges can be linked",
        (int)a, (int)b, triangle[0], triangle[1]);
}

/* Index of a link that uses half-edge h, or -1. */
static int find_edge_link(const vo_rt_seaming *s, int32_t h) {
    for (int i = 0; i < s->edge_count; i++)
        if (s->edge[i].half_edge[0] == h || s->edge[i].half_edge[1] == h) return i;
    return -1;
}

static vo_result check_edge_link(const vo_rt_seaming *s, const vo_rt_edge_link *link,
                                 vo_rt_message *message) {
    if (link->half_edge[0] == link->half_edge[1])
        return vo_rt_fail(message, VO_BAD_ARGUMENT,
                          "edge %d-%d cannot be linked with itself; use another one", (int)link->a0,
                          (int)link->a1);
    bool a_forward = vo_rt_half_edge_from(s->def.triangles, link->half_edge[0]) == link->a0;
    bool b_forward = vo_rt_half_edge_from(s->def.triangles, link->half_edge[1]) == link->b0;
    if (a_forward == b_forward)
        return vo_rt_fail(message, VO_BAD_ARGUMENT,
                          "edges %d-%d and %d-%d run in the same direction along their borders, so "
                          "that merging would flip a piece; link %d-%d with %d-%d",
                          (int)link->a0, (int)link->a1, (int)link->b0, (int)link->b1, (int)link->a0,
                          (int)link->a1, (int)link->b1, (int)link->b0);
    for (int side = 0; side < 2; side++) {
        int other = find_edge_link(s, link->half_edge[side]);
        if (other < 0) continue;
        const vo_rt_edge_link *l = &s->edge[other];
        int32_t partner = l->half_edge[l->half_edge[0] == link->half_edge[side] ? 1 : 0];
        if (partner == link->half_edge[1 - side]) continue;
        return vo_rt_fail(message, VO_BAD_ARGUMENT,
                          "edge %d-%d is already part of the link %d-%d with %d-%d; unlink one of "
                          "its vertices first",
                          (int)(side == 0 ? link->a0 : link->b0),
                          (int)(side == 0 ? link->a1 : link->b1), (int)l->a0, (int)l->a1,
                          (int)l->b0, (int)l->b1);
    }
    return VO_OK;
}

/* Makes room for one more edge link. */
static bool reserve_edge(vo_rt_seaming *s) {
    if (s->edge_count < s->edge_capacity) return true;
    int capacity = s->edge_capacity ? 2 * s->edge_capacity : 64;
    vo_allocator *a = &s->allocator;
    vo_rt_edge_link *edge = a->allocate(a->user, (size_t)capacity * sizeof *edge, 64);
    if (!edge) return false;
    if (s->edge) {
        memcpy(edge, s->edge, (size_t)s->edge_count * sizeof *edge);
        a->release(a->user, s->edge, (size_t)s->edge_capacity * sizeof *edge);
    }
    s->edge = edge;
    s->edge_capacity = capacity;
    return true;
}

/* Unites the ends of a link: both pairs or none. */
static vo_result unite_ends(vo_rt_seaming *s, const vo_rt_edge_link *link, vo_rt_message *message) {
    bool first, second;
    vo_result result = unite(s, link->a0, link->b0, &first, message);
    if (result != VO_OK) return result;
    result = unite(s, link->a1, link->b1, &second, message);
    if (result == VO_OK || !first) return result;
    exchange_successors(s, link->a0, link->b0); /* separates them again */
    relabel(s, link->a0, link->a0);
    relabel(s, link->b0, link->b0);
    return result;
}

vo_result vo_rt_seaming_link_edges(vo_rt_seaming *seaming, int32_t a0, int32_t a1, int32_t b0,
                                   int32_t b1, bool second_controls, vo_rt_message *message) {
    if (!seaming) return vo_rt_fail(message, VO_BAD_ARGUMENT, "seaming is NULL; create one");
    vo_rt_edge_link link = {a0, a1, b0, b1, {-1, -1}, second_controls};
    vo_result result = find_boundary_edge(seaming, a0, a1, &link.half_edge[0], message);
    if (result == VO_OK) result = find_boundary_edge(seaming, b0, b1, &link.half_edge[1], message);
    if (result == VO_OK) result = check_edge_link(seaming, &link, message);
    if (result != VO_OK) return result;
    int same = find_edge_link(seaming, link.half_edge[0]);
    if (same < 0 && !reserve_edge(seaming))
        return vo_rt_fail(message, VO_NO_MEMORY, "no memory for the link");
    result = unite_ends(seaming, &link, message);
    if (result == VO_OK) seaming->edge[same < 0 ? seaming->edge_count++ : same] = link;
    return result;
}

static int remove_edge_links(vo_rt_seaming *s, int32_t vertex) {
    int kept = 0, count = s->edge_count;
    for (int i = 0; i < count; i++) {
        const vo_rt_edge_link *l = &s->edge[i];
        if (l->a0 == vertex || l->a1 == vertex || l->b0 == vertex || l->b1 == vertex) continue;
        s->edge[kept++] = *l;
    }
    s->edge_count = kept;
    return count - kept;
}

vo_result vo_rt_seaming_unlink(vo_rt_seaming *seaming, int32_t vertex, vo_rt_message *message) {
    if (!seaming) return vo_rt_fail(message, VO_BAD_ARGUMENT, "seaming is NULL; create one");
    vo_result result = check_vertex(seaming, vertex, message);
    if (result != VO_OK) return result;
    int32_t last = vertex, rest = seaming->next[vertex];
    int removed = remove_edge_links(seaming, vertex);
    if (rest == vertex) {
        if (removed > 0) return VO_OK;
        return vo_rt_fail(message, VO_BAD_ARGUMENT, "vertex %d is not linked; name a linked one",
                          (int)vertex);
    }
    while (seaming->next[last] != vertex) last = seaming->next[last];
    seaming->next[last] = rest;
    isolate(seaming, vertex);
    relabel(seaming, rest, rest);
    return VO_OK;
}
