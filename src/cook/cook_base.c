/* Levels of an asset as OBJ files: the base mesh for painting maps, finer ones for inspection. */
#include "codec/obj.h"
#include "cook/cook.h"
#include "core/memory.h"
#include "rt/asset/asset.h"

/* Verts of a mesh: one per vertex and distinct material coordinates. */
typedef struct vert_table {
    int count;
    vo_vec2 *u;     /* [3 face_count] */
    int *node;      /* [3 face_count] */
    int *next;      /* [3 face_count] next vert of the same node, -1 */
    int *first;     /* [node_count] first vert of a node, -1 */
    int (*face)[3]; /* [face_count] */
    int node_count, face_count;
    vo_vec3 *x; /* [node_count] */
} vert_table;

/* Returns the vert of a node with these coordinates, a new one if there is none. */
static int find_vert(vert_table *t, int node, vo_vec2 u) {
    for (int v = t->first[node]; v >= 0; v = t->next[v])
        if (t->u[v].x == u.x && t->u[v].y == u.y) return v;
    int v = t->count++;
    t->u[v] = u;
    t->node[v] = node;
    t->next[v] = t->first[node];
    t->first[node] = v;
    return v;
}

/* Material coordinates of a corner: those of an edge of the triangle that begins or ends there. */
static vo_rt_vec2 corner_coordinate(const vo_rt_asset *asset, int triangle, int corner) {
    const vo_rt_base_triangle *t = &asset->triangle[triangle];
    const vo_rt_base_edge *edge = &asset->edge[t->edge[(corner + 1) % 3]];
    int side =
        edge->triangle[0] == triangle && edge->vertex[0] == t->vertex[(corner + 2) % 3] ? 0 : 1;
    int end = edge->vertex[0] == t->vertex[corner] ? 0 : 1;
    return edge->coordinate[side][end];
}

/* --- Points of a level ------------------------------------------------------------------------ */

/* Base triangle, divided into n segments per edge. */
typedef struct divided {
    const vo_rt_asset *asset;
    int triangle, n;
} divided;

/* Point k of the edge opposite a corner, counted from the next corner. */
static int edge_node(const divided *d, int corner, int k) {
    const vo_rt_base_triangle *t = &d->asset->triangle[d->triangle];
    int e = t->edge[corner];
    if (d->asset->edge[e].vertex[0] != t->vertex[(corner + 1) % 3]) k = d->n - k;
    return d->asset->vertex_count + e * (d->n - 1) + k - 1;
}

/* Node with the weights (n - i - j, i, j) / n, numbered as in rt/asset/asset.h. */
static int node_at(const divided *d, int i, int j) {
    int n = d->n, h = n - i - j;
    const int32_t *v = d->asset->triangle[d->triangle].vertex;
    if (h == n || i == n || j == n) return v[h == n ? 0 : i == n ? 1 : 2];
    if (h == 0) return edge_node(d, 0, j);
    if (i == 0) return edge_node(d, 1, h);
    if (j == 0) return edge_node(d, 2, i);
    int inner = (j - 1) * (n - 1) - j * (j - 1) / 2 + i - 1;
    return d->asset->vertex_count + d->asset->edge_count * (n - 1) +
           d->triangle * ((n - 1) * (n - 2) / 2) + inner;
}

/* Point of the finest level, or interpolated if the asset stores none. */
static vo_rt_fine_point point_at(const divided *d, int i, int j) {
    const vo_rt_asset *a = d->asset;
    vo_rt_fine_point p = {{0, 0, 0}, {0, 0}};
    if (a->fine) {
        int full = vo_rt_refined_segments(a->max_level), step = full / d->n;
        size_t first = (size_t)d->triangle * (size_t)vo_rt_fine_points(a->max_level);
        return a->fine[first + (size_t)vo_rt_fine_index(full, i * step, j * step)];
    }
    float w[3] = {(float)(d->n - i - j) / (float)d->n, (float)i / (float)d->n,
                  (float)j / (float)d->n};
    for (int k = 0; k < 3; k++) {
        vo_rt_vec2 u = corner_coordinate(a, d->triangle, k);
        p.position =
            f3_add_scaled(p.position, w[k], a->position[a->triangle[d->triangle].vertex[k]]);
        p.coordinate = f2(p.coordinate.x + w[k] * u.x, p.coordinate.y + w[k] * u.y);
    }
    return p;
}

/* Vert of a lattice point; sets the position of its node. */
static int add_point(vert_table *t, const divided *d, int i, int j) {
    vo_rt_fine_point p = point_at(d, i, j);
    int node = node_at(d, i, j);
    t->x[node] = v3((double)p.position.x, (double)p.position.y, (double)p.position.z);
    return find_vert(t, node, v2((double)p.coordinate.x, (double)p.coordinate.y));
}

static void add_face(vert_table *t, int a, int b, int c) {
    int *face = t->face[t->face_count++];
    face[0] = a;
    face[1] = b;
    face[2] = c;
}

static void divide(vert_table *t, const divided *d) {
    for (int j = 0; j < d->n; j++)
        for (int i = 0; i + j < d->n; i++) {
            int a = add_point(t, d, i, j), b = add_point(t, d, i + 1, j);
            int c = add_point(t, d, i, j + 1);
            add_face(t, a, b, c);
            if (i + j + 1 < d->n) add_face(t, b, add_point(t, d, i + 1, j + 1), c);
        }
}

/* --- Files ------------------------------------------------------------------------------------ */

static bool allocate_table(vert_table *t, vo_arena *arena, const vo_rt_asset *asset, int n) {
    size_t faces = (size_t)asset->triangle_count * (size_t)n * (size_t)n;
    t->node_count = asset->vertex_count + asset->edge_count * (n - 1) +
                    asset->triangle_count * ((n - 1) * (n - 2) / 2);
    t->u = vo_arena_array(arena, vo_vec2, 3 * faces);
    t->node = vo_arena_array(arena, int, 3 * faces);
    t->next = vo_arena_array(arena, int, 3 * faces);
    t->first = vo_arena_array(arena, int, t->node_count);
    t->face = vo_arena_alloc(arena, faces * sizeof *t->face);
    t->x = vo_arena_array(arena, vo_vec3, t->node_count);
    if (!t->u || !t->node || !t->next || !t->first || !t->face || !t->x) return false;
    for (int v = 0; v < t->node_count; v++) t->first[v] = -1;
    return true;
}

static vo_result save_mesh(vo_context *ctx, const vert_table *t, const char *path) {
    vo_mesh *mesh;
    VO_TRY(vo_mesh_create(ctx, t->node_count, t->x, t->count, t->u, t->node, t->face_count,
                          (const int(*)[3])t->face, VO_MESH_FOR_CLOTH, &mesh));
    vo_result result = vo_obj_save(ctx, mesh, path);
    vo_mesh_destroy(mesh);
    return result;
}

vo_result vo_cook_save_level(vo_context *ctx, const vo_rt_asset *asset, int level,
                             const char *path) {
    vo_arena arena;
    vert_table table = {0};
    vo_result result;
    if (level < 0 || level > asset->max_level)
        return vo_fail(ctx, VO_BAD_ARGUMENT, "level is %d; set it to 0 to %d", level,
                       asset->max_level);
    vo_arena_init(&arena, ctx);
    if (allocate_table(&table, &arena, asset, 1 << level)) {
        for (int t = 0; t < asset->triangle_count; t++)
            divide(&table, &(divided){asset, t, 1 << level});
        result = save_mesh(ctx, &table, path);
    } else {
        result = vo_fail_memory(ctx, "a level of an asset");
    }
    vo_arena_free(&arena);
    return result;
}

vo_result vo_cook_save_base(vo_context *ctx, const vo_rt_asset *asset, const char *path) {
    return vo_cook_save_level(ctx, asset, 0, path);
}
