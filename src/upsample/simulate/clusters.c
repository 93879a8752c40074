/* Clusters of vertices by distances along edges. */
#include "upsample/simulate/clusters.h"

#include "core/memory.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { ROUNDS = 8 };

/* Neighbours of vertices, and a search along edges in order of distance. */
typedef struct search {
    vo_context *ctx;
    int count;
    int *first;      /* [count + 1] */
    int *neighbour;  /* [first[count]] */
    float *length;   /* [first[count]] m, of the edges */
    float *distance; /* [count] m, from the nearest seed */
    int *cluster;    /* [count] of the nearest seed, -1 */
    int *heap;       /* [count] vertices, the nearest first */
    int *place;      /* [count] in the heap, -1 */
    int heap_count;
} search;

static float edge_length(const vo_upsample_mesh *m, int a, int b) {
    vo_rt_vec3 p = m->position[a], q = m->position[b];
    float x = p.x - q.x, y = p.y - q.y, z = p.z - q.z;
    return sqrtf(x * x + y * y + z * z);
}

/* Lists the neighbours of each vertex; edges of two triangles are listed twice. */
static void link_vertices(const vo_upsample_mesh *m, search *s) {
    for (int i = 0; i < 3 * m->triangle_count; i++) s->first[m->triangle[i] + 1] += 2;
    for (int i = 0; i < s->count; i++) s->first[i + 1] += s->first[i];
    for (int i = 0; i < s->count; i++) s->place[i] = s->first[i];
    for (int i = 0; i < 3 * m->triangle_count; i++) {
        int corner = i % 3, a = m->triangle[i];
        for (int k = 1; k <= 2; k++) {
            int b = m->triangle[i - corner + (corner + k) % 3], at = s->place[a]++;
            s->neighbour[at] = b;
            s->length[at] = edge_length(m, a, b);
        }
    }
}

static void free_search(search *s, int links) {
    vo_free_array(s->ctx, s->first, s->count + 1);
    vo_free_array(s->ctx, s->neighbour, links);
    vo_free_array(s->ctx, s->length, links);
    vo_free_array(s->ctx, s->distance, s->count);
    vo_free_array(s->ctx, s->heap, s->count);
    vo_free_array(s->ctx, s->place, s->count);
}

static bool allocate_search(const vo_upsample_mesh *m, search *s, int links) {
    s->first = vo_alloc_zero(s->ctx, ((size_t)s->count + 1) * sizeof *s->first);
    s->neighbour = vo_new_array(s->ctx, int, links);
    s->length = vo_new_array(s->ctx, float, links);
    s->distance = vo_new_array(s->ctx, float, s->count);
    s->heap = vo_new_array(s->ctx, int, s->count);
    s->place = vo_new_array(s->ctx, int, s->count);
    if (!s->first || (links && (!s->neighbour || !s->length)) || !s->distance || !s->heap ||
        !s->place)
        return false;
    link_vertices(m, s);
    return true;
}

/* ---- heap of vertices by distance, ties by index -------------------------------------------- */

static bool is_before(const search *s, int a, int b) {
    return s->distance[a] < s->distance[b] || (s->distance[a] == s->distance[b] && a < b);
}

static void put(search *s, int at, int vertex) {
    s->heap[at] = vertex;
    s->place[vertex] = at;
}

static void move_up(search *s, int at) {
    int vertex = s->heap[at];
    for (; at > 0 && is_before(s, vertex, s->heap[(at - 1) / 2]); at = (at - 1) / 2)
        put(s, at, s->heap[(at - 1) / 2]);
    put(s, at, vertex);
}

static void move_down(search *s, int at) {
    int vertex = s->heap[at];
    for (;;) {
        int child = 2 * at + 1;
        if (child >= s->heap_count) break;
        if (child + 1 < s->heap_count && is_before(s, s->heap[child + 1], s->heap[child])) child++;
        if (!is_before(s, s->heap[child], vertex)) break;
        put(s, at, s->heap[child]);
        at = child;
    }
    put(s, at, vertex);
}

static int take_nearest(search *s) {
    int vertex = s->heap[0];
    s->place[vertex] = -1;
    if (--s->heap_count > 0) {
        put(s, 0, s->heap[s->heap_count]);
        move_down(s, 0);
    }
    return vertex;
}

/* ---- search --------------------------------------------------------------------------------- */

static void clear(search *s) {
    s->heap_count = 0;
    for (int i = 0; i < s->count; i++) {
        s->distance[i] = FLT_MAX;
        s->cluster[i] = s->place[i] = -1;
    }
}

/* Offers a vertex a cluster at a distance. */
static void offer(search *s, int vertex, int cluster, float distance) {
    if (!(distance < s->distance[vertex])) return;
    s->distance[vertex] = distance;
    s->cluster[vertex] = cluster;
    if (s->place[vertex] < 0) put(s, s->heap_count++, vertex);
    move_up(s, s->place[vertex]);
}

/* Spreads the seeds that have been offered over all vertices that are nearer to them. */
static void spread(search *s) {
    while (s->heap_count > 0) {
        int a = take_nearest(s);
        for (int k = s->first[a]; k < s->first[a + 1]; k++)
            offer(s, s->neighbour[k], s->cluster[a], s->distance[a] + s->length[k]);
    }
}

/* Adds seeds at the vertex that is farthest from all others; of unreached components, the first. */
static void add_seeds(search *s, int count) {
    for (int c = 0, farthest = 0; c < count; c++) {
        offer(s, farthest, c, -1);
        s->distance[farthest] = 0;
        spread(s);
        for (int i = 0; i < s->count; i++)
            if (s->distance[i] > s->distance[farthest]) farthest = i;
    }
}

/* Vertex of each cluster that is nearest to its centre of mass. */
static bool find_centers(const vo_upsample_mesh *m, const search *s, int count, int *center) {
    double(*sum)[4] = vo_alloc_zero(s->ctx, (size_t)count * sizeof *sum);
    double *best = vo_new_array(s->ctx, double, count);
    for (int c = 0; sum && best && c < count; c++) best[c] = DBL_MAX;
    for (int i = 0; sum && best && i < s->count; i++) {
        double *c = sum[s->cluster[i]], mass = (double)m->mass[i];
        vo_rt_vec3 x = m->position[i];
        c[0] += mass * (double)x.x, c[1] += mass * (double)x.y, c[2] += mass * (double)x.z;
        c[3] += mass;
    }
    for (int i = 0; sum && best && i < s->count; i++) {
        const double *c = sum[s->cluster[i]];
        vo_rt_vec3 x = m->position[i];
        double w = c[3] > 0 ? 1 / c[3] : 0, dx = (double)x.x - w * c[0];
        double dy = (double)x.y - w * c[1], dz = (double)x.z - w * c[2];
        double d = dx * dx + dy * dy + dz * dz;
        if (!(d < best[s->cluster[i]])) continue;
        best[s->cluster[i]] = d;
        center[s->cluster[i]] = i;
    }
    bool ok = sum && best;
    vo_free_array(s->ctx, sum, count);
    vo_free_array(s->ctx, best, count);
    return ok;
}

/* Assigns every vertex to the nearest seed. */
static void assign(search *s, int count, const int *seed) {
    clear(s);
    for (int c = 0; c < count; c++) offer(s, seed[c], c, 0);
    spread(s);
    for (int i = 0; i < s->count; i++) /* components without a seed */
        if (s->cluster[i] < 0) s->cluster[i] = 0;
}

static vo_result find(const vo_upsample_mesh *m, search *s, int count) {
    int *seed = vo_new_array(s->ctx, int, count);
    if (!seed) return vo_fail_memory(s->ctx, "clusters");
    clear(s);
    add_seeds(s, count);
    bool ok = true;
    for (int round = 0; ok && round < ROUNDS; round++) {
        ok = find_centers(m, s, count, seed);
        if (ok) assign(s, count, seed);
    }
    vo_free_array(s->ctx, seed, count);
    return ok ? VO_OK : vo_fail_memory(s->ctx, "clusters");
}

vo_result vo_upsample_clusters_find(vo_context *ctx, const vo_upsample_mesh *mesh, int count,
                                    int *cluster) {
    VO_REQUIRE(ctx, count > 0 && count <= mesh->vertex_count);
    search s = {.ctx = ctx, .count = mesh->vertex_count, .cluster = cluster};
    int links = 6 * mesh->triangle_count;
    vo_result result =
        allocate_search(mesh, &s, links) ? find(mesh, &s, count) : vo_fail_memory(ctx, "clusters");
    free_search(&s, links);
    return result;
}

vo_result vo_upsample_clusters_rows(vo_context *ctx, const vo_upsample_mesh *mesh, int count,
                                    float *rows) {
    int n = mesh->vertex_count;
    int *cluster = vo_new_array(ctx, int, n);
    if (!cluster) return vo_fail_memory(ctx, "clusters");
    vo_result result = vo_upsample_clusters_find(ctx, mesh, count, cluster);
    memset(rows, 0, (size_t)count * (size_t)n * sizeof *rows);
    for (int k = 0; result == VO_OK && k < count; k++) {
        double sum = 0;
        for (int i = 0; i < n; i++)
            if (cluster[i] == k) sum += (double)mesh->mass[i] * (double)mesh->mass[i];
        float scale = sum > 0 ? (float)(1 / sqrt(sum)) : 0;
        for (int i = 0; i < n; i++)
            if (cluster[i] == k) rows[(size_t)k * (size_t)n + (size_t)i] = scale * mesh->mass[i];
    }
    vo_free_array(ctx, cluster, n);
    return result;
}
