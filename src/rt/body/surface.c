/* Construction of surfaces: validation, tree, renumbering. */
#include "rt/body/surface.h"

#include "rt/base/heap.h"
#include "rt/base/text.h"

#include <string.h>

static size_t round_up(size_t bytes) {
    return (bytes + VO_RT_ALIGNMENT - 1) / VO_RT_ALIGNMENT * VO_RT_ALIGNMENT;
}

/* Divides one block into arrays; with base NULL only their sizes are summed. */
typedef struct divider {
    char *base;
    size_t end;
} divider;

static void *divide(divider *d, size_t count, size_t size) {
    void *array = d->base ? d->base + d->end : NULL;
    d->end += round_up(count * size);
    return array;
}

static void place_arrays(vo_rt_surface *s, divider *d) {
    size_t slots = (size_t)s->leaf_count * VO_RT_WIDTH;
    s->corner = divide(d, (size_t)s->leaf_count, sizeof *s->corner);
    s->neighbour = divide(d, 3 * slots, sizeof *s->neighbour);
    s->source = divide(d, slots, sizeof *s->source);
    s->vertex_source = divide(d, (size_t)s->vertex_count, sizeof *s->vertex_source);
    s->child = divide(d, (size_t)s->node_count, sizeof *s->child);
    s->leaf_parent = divide(d, (size_t)s->leaf_count, sizeof *s->leaf_parent);
    s->node_parent = divide(d, (size_t)s->node_count, sizeof *s->node_parent);
    s->bind = divide(d, (size_t)s->vertex_count, sizeof *s->bind);
    s->leaf_cone = divide(d, (size_t)s->leaf_count, sizeof *s->leaf_cone);
    s->node_cone = divide(d, (size_t)s->node_count, sizeof *s->node_cone);
}

/* Arrays that are needed during construction only. */
typedef struct temporary {
    vo_rt_vec3 *centroid; /* [triangle_count] */
    int32_t *order;       /* [triangle_count] triangle of a slot */
    int32_t *slot;        /* [triangle_count] slot of a triangle */
    int32_t *neighbour;   /* [3 triangle_count] triangles */
    int32_t *vertex;      /* [vertex_count] new index of a vertex; -1: unused */
    int32_t *scratch;     /* [vertex_count + 1 + 6 triangle_count] */
} temporary;

static void place_temporary(int vertices, int triangles, temporary *t, divider *d) {
    size_t v = (size_t)vertices, n = (size_t)triangles;
    t->centroid = divide(d, n, sizeof *t->centroid);
    t->order = divide(d, n, sizeof *t->order);
    t->slot = divide(d, n, sizeof *t->slot);
    t->neighbour = divide(d, 3 * n, sizeof *t->neighbour);
    t->vertex = divide(d, v, sizeof *t->vertex);
    t->scratch = divide(d, v + 1 + 6 * n, sizeof *t->scratch);
}

static void find_centroids(int count, const int32_t *triangles, const vo_rt_vec3 *x,
                           vo_rt_vec3 *centroid) {
    for (int i = 0; i < count; i++) {
        const int32_t *v = triangles + 3 * (size_t)i;
        centroid[i] = f3_scale(1.0f / 3, f3_add(f3_add(x[v[0]], x[v[1]]), x[v[2]]));
    }
}

/* Volume enclosed, m^3: sum of the signed tetrahedra against the first vertex. */
static double find_volume(int count, const int32_t *triangles, const vo_rt_vec3 *x) {
    double sum = 0;
    for (int i = 0; i < count; i++) {
        const int32_t *v = triangles + 3 * (size_t)i;
        vo_rt_vec3 a = f3_sub(x[v[0]], x[0]), b = f3_sub(x[v[1]], x[0]), c = f3_sub(x[v[2]], x[0]);
        sum += (double)f3_dot(a, f3_cross(b, c)) / 6;
    }
    return sum;
}

/* Numbers vertices in the order in which the slots use them; unused ones follow. */
static void number_vertices(const vo_rt_surface *s, const int32_t *triangles, temporary *t) {
    int end = 0;
    for (int v = 0; v < s->vertex_count; v++) t->vertex[v] = -1;
    for (int i = 0; i < s->triangle_count; i++)
        for (int k = 0; k < 3; k++) {
            int32_t v = triangles[3 * (size_t)t->order[i] + (size_t)k];
            if (t->vertex[v] < 0) t->vertex[v] = end++;
        }
    for (int v = 0; v < s->vertex_count; v++)
        if (t->vertex[v] < 0) t->vertex[v] = end++;
}

static void fill_vertices(vo_rt_surface *s, const vo_rt_vec3 *positions, const temporary *t) {
    for (int v = 0; v < s->vertex_count; v++) {
        s->vertex_source[t->vertex[v]] = v;
        s->bind[t->vertex[v]] = f4_make(positions[v], 0);
    }
}

/* Slots beyond the last triangle repeat it. */
static void fill_slots(vo_rt_surface *s, const int32_t *triangles, temporary *t) {
    for (int i = 0; i < s->triangle_count; i++) t->slot[t->order[i]] = i;
    for (int i = 0; i < s->leaf_count * VO_RT_WIDTH; i++) {
        int32_t source = t->order[i < s->triangle_count ? i : s->triangle_count - 1];
        s->source[i] = source;
        for (int k = 0; k < 3; k++) {
            size_t half = 3 * (size_t)source + (size_t)k;
            s->corner[i / VO_RT_WIDTH][k][i % VO_RT_WIDTH] = t->vertex[triangles[half]];
            s->neighbour[3 * (size_t)i + (size_t)k] = t->slot[t->neighbour[half]];
        }
    }
}

static vo_result check_topology(vo_rt_surface *s, const vo_rt_vec3 *positions,
                                const int32_t *triangles, temporary *t, vo_rt_message *message) {
    vo_result result = vo_rt_find_neighbours(s->vertex_count, s->triangle_count, triangles,
                                             t->neighbour, t->scratch, message);
    if (result != VO_OK) return result;
    double volume = find_volume(s->triangle_count, triangles, positions);
    s->volume = (float)volume;
    if (volume < 0)
        return vo_rt_fail(message, VO_BAD_ARGUMENT,
                          "triangles: face inwards (volume %g m^3); reverse the order of their "
                          "vertices",
                          volume);
    return VO_OK;
}

static vo_result build(vo_rt_surface *s, const vo_allocator *allocator, const vo_rt_vec3 *positions,
                       const int32_t *triangles, temporary *t, vo_rt_message *message) {
    vo_result result = check_topology(s, positions, triangles, t, message);
    if (result != VO_OK) return result;
    divider d = {0};
    place_arrays(s, &d);
    s->memory_bytes = d.end;
    s->memory = allocator->allocate(allocator->user, d.end, VO_RT_ALIGNMENT);
    if (!s->memory) return vo_rt_fail(message, VO_NO_MEMORY, "out of memory for a collision mesh");
    d = (divider){s->memory, 0};
    place_arrays(s, &d);
    find_centroids(s->triangle_count, triangles, positions, t->centroid);
    vo_rt_tree_build(s, t->centroid, t->order);
    number_vertices(s, triangles, t);
    fill_vertices(s, positions, t);
    fill_slots(s, triangles, t);
    vo_rt_surface_init_cones(s);
    return VO_OK;
}

vo_result vo_rt_surface_init(vo_rt_surface *surface, const vo_allocator *allocator,
                             int vertex_count, const vo_rt_vec3 *positions, int triangle_count,
                             const int32_t *triangles, vo_rt_message *message) {
    *surface = (vo_rt_surface){.vertex_count = vertex_count, .triangle_count = triangle_count};
    vo_result result =
        vo_rt_check_mesh(vertex_count, positions, triangle_count, triangles, message);
    if (result != VO_OK) return result;
    surface->leaf_count = (triangle_count + VO_RT_WIDTH - 1) / VO_RT_WIDTH;
    surface->node_count = vo_rt_tree_count_nodes(surface->leaf_count);
    temporary t;
    divider d = {0};
    place_temporary(vertex_count, triangle_count, &t, &d);
    size_t bytes = d.end;
    void *memory = allocator->allocate(allocator->user, bytes, VO_RT_ALIGNMENT);
    if (!memory) return vo_rt_fail(message, VO_NO_MEMORY, "out of memory for a collision mesh");
    d = (divider){memory, 0};
    place_temporary(vertex_count, triangle_count, &t, &d);
    result = build(surface, allocator, positions, triangles, &t, message);
    allocator->release(allocator->user, memory, bytes);
    if (result != VO_OK) vo_rt_surface_free(surface, allocator);
    return result;
}

void vo_rt_surface_free(vo_rt_surface *surface, const vo_allocator *allocator) {
    if (surface->memory)
        allocator->release(allocator->user, surface->memory, surface->memory_bytes);
    *surface = (vo_rt_surface){0};
}

size_t vo_rt_surface_pose_bytes(const vo_rt_surface *s) {
    return round_up((size_t)s->vertex_count * sizeof(vo_rt_vec4)) +
           round_up((size_t)s->node_count * sizeof(vo_rt_box8));
}

vo_rt_surface_pose vo_rt_surface_pose_set(const vo_rt_surface *s, void *memory) {
    divider d = {memory, 0};
    vo_rt_surface_pose pose;
    pose.vertex = divide(&d, (size_t)s->vertex_count, sizeof *pose.vertex);
    pose.box = divide(&d, (size_t)s->node_count, sizeof *pose.box);
    memset(pose.vertex, 0, (size_t)s->vertex_count * sizeof *pose.vertex);
    for (int n = 0; n < s->node_count; n++)
        for (int axis = 0; axis < 3; axis++)
            for (int k = 0; k < VO_RT_WIDTH; k++) {
                pose.box[n].low[axis][k] = 1e18f;
                pose.box[n].high[axis][k] = -1e18f;
            }
    return pose;
}
