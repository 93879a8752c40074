/* Leaf meshes as meshes with material space.
 *
 * Nodes are the vertex slots in use, in order; faces are the leaf triangles, in order. The material
 * coordinates of a corner are those of the edges of its triangle, which are stored per side; equal
 * coordinates of a node in one patch are one vert. Midpoints of equal edges are equal bit by bit,
 * so that neighbouring triangles of a panel share verts. */
#include "realtime/realtime_private.h"
#include "rt/world/world.h"

#include <string.h>

/* A mesh in construction; arrays of the arena. */
typedef struct leaf_mesh {
    vo_mesh_data data;
    int *first, *next; /* [node_count], [3 face_count] verts of a node */
} leaf_mesh;

/* Coordinates of corner i of a triangle of the tree (hierarchy/retriangulate.c). */
static vo_vec2 corner_coordinate(const vo_rt_mesh *mesh, const vo_rt_triangle *t, int i) {
    const vo_rt_edge *e = &mesh->edge[t->edge[(i + 2) % 3]];
    int side = e->vertex[0] != t->vertex[i];
    vo_rt_vec2 u = e->coordinate[side][side];
    return v2((double)u.x, (double)u.y);
}

static int base_of(const vo_rt_mesh *mesh, int triangle) {
    while (mesh->triangle[triangle].parent >= 0) triangle = mesh->triangle[triangle].parent;
    return triangle;
}

static int find_vert(leaf_mesh *m, int node, vo_vec2 u, int patch) {
    vo_mesh_data *d = &m->data;
    for (int v = m->first[node]; v >= 0; v = m->next[v])
        if (d->vert_u[v].x == u.x && d->vert_u[v].y == u.y && d->vert_patch[v] == patch) return v;
    int v = d->vert_count++;
    d->vert_u[v] = u;
    d->vert_node[v] = node;
    d->vert_patch[v] = patch;
    m->next[v] = m->first[node];
    m->first[node] = v;
    return v;
}

static bool reserve(vo_arena *arena, int nodes, int faces, leaf_mesh *m) {
    *m = (leaf_mesh){.first = vo_arena_array(arena, int, nodes),
                     .next = vo_arena_array(arena, int, 3 * faces)};
    m->data = (vo_mesh_data){.node_count = nodes,
                             .face_count = faces,
                             .node_x = vo_arena_array(arena, vo_vec3, nodes),
                             .node_v = vo_arena_array(arena, vo_vec3, nodes),
                             .node_label = vo_arena_array(arena, int, nodes),
                             .vert_u = vo_arena_array(arena, vo_vec2, 3 * faces),
                             .vert_node = vo_arena_array(arena, int, 3 * faces),
                             .vert_patch = vo_arena_array(arena, int, 3 * faces),
                             .face_vert = vo_arena_alloc(arena, (size_t)faces * 3 * sizeof(int)),
                             .face_label = vo_arena_array(arena, int, faces)};
    const vo_mesh_data *d = &m->data;
    return m->first && m->next && d->node_x && d->node_v && d->node_label && d->vert_u &&
           d->vert_node && d->vert_patch && d->face_vert && d->face_label;
}

/* Numbers the slots in use; returns the number of nodes. */
static int number_nodes(const vo_rt_front *front, int *slot_node) {
    int count = 0;
    slot_node[0] = -1;
    for (int s = 1; s < front->vertex_end; s++)
        slot_node[s] = front->flags[s] & VO_RT_VERTEX_USED ? count++ : -1;
    return count;
}

static void copy_state(const vo_rt_front *front, const int *slot_node, vo_vec3 *x, vo_vec3 *v) {
    for (int s = 1; s < front->vertex_end; s++) {
        if (slot_node[s] < 0) continue;
        vo_rt_vec4 p = front->position[s], q = front->velocity[s];
        x[slot_node[s]] = v3((double)p.x, (double)p.y, (double)p.z);
        v[slot_node[s]] = v3((double)q.x, (double)q.y, (double)q.z);
    }
}

static void fill_faces(const vo_rt_mesh *mesh, const vo_realtime_asset *asset, const int *slot_node,
                       leaf_mesh *m) {
    for (int f = 0; f < m->data.face_count; f++) {
        int source = mesh->front.triangle_source[f];
        const vo_rt_triangle *t = &mesh->triangle[source];
        const int *base = asset->face[base_of(mesh, source)];
        m->data.face_label[f] = base[0];
        for (int i = 0; i < 3; i++)
            m->data.face_vert[f][i] =
                find_vert(m, slot_node[t->vertex[i]], corner_coordinate(mesh, t, i), base[1]);
    }
}

/* Nodes of the scene's mesh: base vertices come first. */
static vo_result set_origin(vo_realtime *r, int c, const vo_realtime_asset *asset, int count) {
    vo_cloth_state *cloth = &r->sim->cloth[c];
    int *origin = vo_new_array(r->ctx, int, count);
    if (!origin) return vo_fail_memory(r->ctx, "a mesh");
    for (int n = 0; n < count; n++) origin[n] = n < asset->node_count ? asset->node[n][0] : -1;
    vo_free_array(r->ctx, cloth->origin, cloth->origin_count);
    cloth->origin = origin;
    cloth->origin_count = count;
    return VO_OK;
}

static void replace_mesh(vo_sim *sim, int c, vo_mesh *mesh) {
    vo_mesh_destroy(sim->cloth[c].mesh);
    sim->cloth[c].mesh = mesh;
    sim->system_cloth[c].mesh = mesh;
}

static vo_result rebuild_mesh(vo_realtime *r, int c) {
    vo_realtime_cloth *cloth = &r->cloth[c];
    const vo_realtime_asset *asset = &r->asset[cloth->asset];
    const vo_rt_mesh *tree = &cloth->cloth->mesh;
    leaf_mesh m;
    vo_mesh *mesh;
    if (!vo_reserve(r->ctx, &cloth->slot_node, &cloth->slot_capacity, tree->front.vertex_end))
        return vo_fail_memory(r->ctx, "a mesh");
    int nodes = number_nodes(&tree->front, cloth->slot_node);
    vo_arena_reset(&r->scratch);
    if (!reserve(&r->scratch, nodes, tree->front.triangle_count, &m))
        return vo_fail_memory(r->ctx, "a mesh");
    for (int n = 0; n < nodes; n++) {
        m.first[n] = -1;
        m.data.node_label[n] = n < asset->node_count ? asset->node[n][1] : 0;
    }
    copy_state(&tree->front, cloth->slot_node, m.data.node_x, m.data.node_v);
    fill_faces(tree, asset, cloth->slot_node, &m);
    VO_TRY(vo_mesh_build(r->ctx, &m.data, &mesh));
    replace_mesh(r->sim, c, mesh);
    cloth->topology = tree->front.topology;
    return set_origin(r, c, asset, nodes);
}

vo_result vo_realtime_update_meshes(vo_realtime *r) {
    for (int c = 0; c < r->sim->cloth_count; c++) {
        vo_realtime_cloth *cloth = &r->cloth[c];
        const vo_rt_front *front = &cloth->cloth->mesh.front;
        const vo_mesh *mesh = r->sim->cloth[c].mesh;
        if (cloth->slot_node && cloth->topology == front->topology)
            copy_state(front, cloth->slot_node, mesh->node_x, mesh->node_v);
        else
            VO_TRY(rebuild_mesh(r, c));
    }
    return VO_OK;
}
