/* The base mesh of an asset as an OBJ file, for painting maps. */
#include "codec/obj.h"
#include "cook/cook.h"
#include "core/memory.h"
#include "rt/asset/asset.h"

/* Verts of a mesh: one per vertex and distinct material coordinates. */
typedef struct vert_table {
    int count;
    vo_vec2 *u;     /* [3 triangle_count] */
    int *node;      /* [3 triangle_count] */
    int *next;      /* [3 triangle_count] next vert of the same node, -1 */
    int *first;     /* [vertex_count] first vert of a node, -1 */
    int (*face)[3]; /* [triangle_count] */
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
static vo_vec2 corner_coordinate(const vo_rt_asset *asset, int triangle, int corner) {
    const vo_rt_base_triangle *t = &asset->triangle[triangle];
    const vo_rt_base_edge *edge = &asset->edge[t->edge[(corner + 1) % 3]];
    int side =
        edge->triangle[0] == triangle && edge->vertex[0] == t->vertex[(corner + 2) % 3] ? 0 : 1;
    int end = edge->vertex[0] == t->vertex[corner] ? 0 : 1;
    vo_rt_vec2 u = edge->coordinate[side][end];
    return (vo_vec2){(double)u.x, (double)u.y};
}

static void fill_table(const vo_rt_asset *asset, vert_table *t, vo_vec3 *x) {
    for (int v = 0; v < asset->vertex_count; v++) {
        vo_rt_vec3 p = asset->position[v];
        x[v] = (vo_vec3){(double)p.x, (double)p.y, (double)p.z};
        t->first[v] = -1;
    }
    for (int f = 0; f < asset->triangle_count; f++)
        for (int i = 0; i < 3; i++)
            t->face[f][i] =
                find_vert(t, asset->triangle[f].vertex[i], corner_coordinate(asset, f, i));
}

static vo_result save_mesh(vo_context *ctx, const vo_rt_asset *asset, const vert_table *t,
                           const vo_vec3 *x, const char *path) {
    vo_mesh *mesh;
    VO_TRY(vo_mesh_create(ctx, asset->vertex_count, x, t->count, t->u, t->node,
                          asset->triangle_count, (const int(*)[3])t->face, VO_MESH_FOR_CLOTH,
                          &mesh));
    vo_result result = vo_obj_save(ctx, mesh, path);
    vo_mesh_destroy(mesh);
    return result;
}

vo_result vo_cook_save_base(vo_context *ctx, const vo_rt_asset *asset, const char *path) {
    vo_arena arena;
    vo_arena_init(&arena, ctx);
    int corners = 3 * asset->triangle_count;
    vert_table t = {.u = vo_arena_array(&arena, vo_vec2, corners),
                    .node = vo_arena_array(&arena, int, corners),
                    .next = vo_arena_array(&arena, int, corners),
                    .first = vo_arena_array(&arena, int, asset->vertex_count),
                    .face = vo_arena_alloc(&arena, (size_t)corners * sizeof(int))};
    vo_vec3 *x = vo_arena_array(&arena, vo_vec3, asset->vertex_count);
    vo_result result;
    if (t.u && t.node && t.next && t.first && t.face && x) {
        fill_table(asset, &t, x);
        result = save_mesh(ctx, asset, &t, x, path);
    } else {
        result = vo_fail_memory(ctx, "a base mesh");
    }
    vo_arena_free(&arena);
    return result;
}
