/* Validation of triangle meshes: numbers, indices, closedness and orientation. */
#include "rt/base/text.h"
#include "rt/body/surface.h"

#include <string.h>

/* Coordinates beyond this leave no precision for cloth; they are rejected. */
static const float MAX_COORDINATE = 1e6f;

static bool is_valid_point(vo_rt_vec3 p) {
    return fabsf(p.x) <= MAX_COORDINATE && fabsf(p.y) <= MAX_COORDINATE &&
           fabsf(p.z) <= MAX_COORDINATE; /* false for a NaN */
}

vo_result vo_rt_check_mesh(int vertex_count, const vo_rt_vec3 *positions, int triangle_count,
                           const int32_t *triangles, vo_rt_message *message) {
    if (vertex_count < 4 || vertex_count > 1 << 24)
        return vo_rt_fail(message, VO_BAD_ARGUMENT, "vertex_count: is %d; use 4 to 16777216",
                          vertex_count);
    if (triangle_count < 4 || triangle_count > 1 << 25)
        return vo_rt_fail(message, VO_BAD_ARGUMENT, "triangle_count: is %d; use 4 to 33554432",
                          triangle_count);
    if (!positions || !triangles)
        return vo_rt_fail(message, VO_BAD_ARGUMENT,
                          "%s: is NULL; a mesh needs positions and triangles",
                          positions ? "triangles" : "positions");
    for (int i = 0; i < vertex_count; i++)
        if (!is_valid_point(positions[i]))
            return vo_rt_fail(
                message, VO_BAD_ARGUMENT, "positions[%d]: is (%g, %g, %g); use metres within 1e6",
                i, (double)positions[i].x, (double)positions[i].y, (double)positions[i].z);
    for (int i = 0; i < triangle_count; i++) {
        const int32_t *v = triangles + 3 * (size_t)i;
        for (int k = 0; k < 3; k++)
            if (v[k] < 0 || v[k] >= vertex_count)
                return vo_rt_fail(message, VO_BAD_ARGUMENT,
                                  "triangles[%d]: corner %d is vertex %d; there are %d vertices", i,
                                  k, (int)v[k], vertex_count);
        if (v[0] == v[1] || v[1] == v[2] || v[2] == v[0])
            return vo_rt_fail(message, VO_BAD_ARGUMENT,
                              "triangles[%d]: has vertices %d, %d, %d; remove triangles that use a "
                              "vertex twice",
                              i, (int)v[0], (int)v[1], (int)v[2]);
    }
    return VO_OK;
}

static int32_t end_of(const int32_t *triangles, int half) {
    return triangles[half - half % 3 + (half + 1) % 3];
}

/* Start or end vertex of a half-edge (3 triangle + corner). */
static int32_t key_of(const int32_t *triangles, int half, bool by_end) {
    return by_end ? end_of(triangles, half) : triangles[half];
}

/* Stable counting sort of `count` half-edges by start or end vertex: out[start[v]] is the first of
 * vertex v. `in` NULL: in index order. */
static void sort_half_edges(int vertex_count, int count, const int32_t *triangles, bool by_end,
                            const int32_t *in, int32_t *start, int32_t *out) {
    memset(start, 0, ((size_t)vertex_count + 1) * sizeof *start);
    for (int i = 0; i < count; i++) start[key_of(triangles, i, by_end) + 1]++;
    for (int v = 0; v < vertex_count; v++) start[v + 1] += start[v];
    for (int i = count - 1; i >= 0; i--) { /* start[v + 1] falls from the end of v to its begin */
        int half = in ? in[i] : i;
        out[--start[key_of(triangles, half, by_end) + 1]] = half;
    }
    memmove(start, start + 1, (size_t)vertex_count * sizeof *start);
    start[vertex_count] = count;
}

/* Number of half-edges a-b, whose list is sorted by end; *found is the first. */
static int find_half_edges(const int32_t *triangles, const int32_t *start, const int32_t *half,
                           int32_t a, int32_t b, int32_t *found) {
    int32_t low = start[a], high = start[a + 1], end = high;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (end_of(triangles, half[middle]) < b)
            low = middle + 1;
        else
            high = middle;
    }
    int count = 0;
    for (; low + count < end && count < 2 && end_of(triangles, half[low + count]) == b; count++) {}
    if (count > 0) *found = half[low];
    return count;
}

vo_result vo_rt_find_neighbours(int vertex_count, int triangle_count, const int32_t *triangles,
                                int32_t *neighbour, int32_t *scratch, vo_rt_message *message) {
    int count = 3 * triangle_count;
    int32_t *start = scratch, *by_end = scratch + vertex_count + 1, *half = by_end + count;
    sort_half_edges(vertex_count, count, triangles, true, NULL, start, by_end);
    sort_half_edges(vertex_count, count, triangles, false, by_end, start, half);
    for (int i = 0; i < count; i++) {
        int32_t a = triangles[i], b = end_of(triangles, i), other = -1;
        if (find_half_edges(triangles, start, half, a, b, &other) > 1)
            return vo_rt_fail(message, VO_BAD_ARGUMENT,
                              "triangles[%d]: edge %d-%d is used in this direction by another "
                              "triangle; orient all triangles counter-clockwise from outside, two "
                              "per edge",
                              i / 3, (int)a, (int)b);
        if (find_half_edges(triangles, start, half, b, a, &other) == 0)
            return vo_rt_fail(message, VO_BAD_ARGUMENT,
                              "triangles[%d]: edge %d-%d is a boundary edge; close the mesh, and "
                              "merge vertices that have the same position",
                              i / 3, (int)a, (int)b);
        neighbour[i] = other / 3;
    }
    return VO_OK;
}
