/* Base level of a mesh. */
#include "rt/hierarchy/mesh_private.h"

#include <string.h>

static void init_vertices(vo_rt_mesh *mesh) {
    const vo_rt_asset *asset = mesh->asset;
    vo_rt_front *f = &mesh->front;
    f->vertex_count = asset->vertex_count;
    f->vertex_end = mesh->vertex_free = asset->vertex_count + 1;
    mesh->vertex_edge[0] = -1;
    for (int i = 0; i < asset->vertex_count; i++) {
        int v = i + 1;
        vo_rt_vec4 x = f4_make(asset->position[i], 0);
        f->position[v] = f->previous[v] = f->shown[v] = f->target[v] = x;
        f->maps[v] = asset->maps[i];
        f->target[v].w = asset->maps[i].attachment;
        f->flags[v] = VO_RT_VERTEX_USED;
        if (asset->maps[i].attachment >= 1) f->flags[v] |= VO_RT_VERTEX_ATTACHED;
        mesh->vertex_edge[v] = -1;
        mesh->stiffness[v] = asset->stiffness_factor ? asset->stiffness_factor[i] : 1;
    }
}

static void init_edges(vo_rt_mesh *mesh) {
    const vo_rt_asset *asset = mesh->asset;
    mesh->edge_end = vo_rt_first_pair(mesh);
    for (int i = 0; i < asset->edge_count; i++) {
        const vo_rt_base_edge *b = &asset->edge[i];
        const vo_rt_vec2 *control = b->coordinate[b->control];
        mesh->edge[i] = (vo_rt_edge){.vertex = {b->vertex[0] + 1, b->vertex[1] + 1},
                                     .face = {b->triangle[0], b->triangle[1]},
                                     .coordinate = {{b->coordinate[0][0], b->coordinate[0][1]},
                                                    {b->coordinate[1][0], b->coordinate[1][1]}},
                                     .parent = -1,
                                     .child = -1,
                                     .middle = -1,
                                     .rest = f2_length(f2_sub(control[1], control[0])),
                                     .rest_angle = b->rest_angle,
                                     .spring = -1,
                                     .bend = -1,
                                     .control = (uint8_t)b->control,
                                     .flags = VO_RT_EDGE_USED};
    }
}

static void init_triangles(vo_rt_mesh *mesh) {
    const vo_rt_asset *asset = mesh->asset;
    mesh->triangle_end = asset->triangle_count;
    for (int i = 0; i < asset->triangle_count; i++) {
        const vo_rt_base_triangle *b = &asset->triangle[i];
        mesh->triangle[i] =
            (vo_rt_triangle){.vertex = {b->vertex[0] + 1, b->vertex[1] + 1, b->vertex[2] + 1},
                             .edge = {b->edge[0], b->edge[1], b->edge[2]},
                             .child = {-1, -1, -1, -1},
                             .interior = {-1, -1, -1},
                             .parent = -1,
                             .leaf = -1,
                             .address = i,
                             .is_used = 1};
    }
    vo_rt_mesh_init_areas(mesh);
    for (int i = 0; i < asset->triangle_count; i++) vo_rt_mesh_add_leaf(mesh, i);
}

/* Area-weighted normals of the rest pose. */
static void init_normals(vo_rt_mesh *mesh) {
    vo_rt_front *f = &mesh->front;
    for (int i = 0; i < f->triangle_count; i++) {
        const int32_t *v = f->triangles[i].vertex;
        vo_rt_vec3 a = f4_xyz(f->position[v[0]]);
        vo_rt_vec3 n =
            f3_cross(f3_sub(f4_xyz(f->position[v[1]]), a), f3_sub(f4_xyz(f->position[v[2]]), a));
        for (int k = 0; k < 3; k++)
            f->normal[v[k]] = f4_make(f3_add(f4_xyz(f->normal[v[k]]), n), 0);
    }
    for (int i = 1; i < f->vertex_end; i++)
        f->normal[i] = f4_make(f3_normalize(f4_xyz(f->normal[i])), 0);
}

/* Largest number of edges at a vertex; counts in mass_units, which is not in use yet. */
static int find_max_degree(vo_rt_mesh *mesh) {
    const vo_rt_asset *asset = mesh->asset;
    int64_t most = 0;
    for (int i = 0; i < asset->edge_count; i++)
        for (int k = 0; k < 2; k++) {
            int64_t *degree = &mesh->mass_units[asset->edge[i].vertex[k] + 1];
            if (++*degree > most) most = *degree;
        }
    for (int i = 0; i <= asset->vertex_count; i++) mesh->mass_units[i] = 0;
    return (int)most;
}

static bool reserve_base(vo_rt_mesh *mesh, vo_rt_heap *heap) {
    const vo_rt_asset *asset = mesh->asset;
    vo_rt_mesh_counts need = {{asset->vertex_count + 1, vo_rt_first_pair(mesh),
                               asset->triangle_count, asset->triangle_count, 0, 0}};
    if (!vo_rt_mesh_grow(mesh, heap, &need)) return false;
    mesh->max_degree = find_max_degree(mesh);
    need.of[VO_RT_SPRING_GROUPS] = vo_rt_mesh_spring_groups(mesh, asset->edge_count);
    need.of[VO_RT_BEND_GROUPS] = vo_rt_mesh_bend_groups(mesh, asset->edge_count);
    return vo_rt_mesh_grow(mesh, heap, &need);
}

/* Fills the reserved arrays with the base level. */
static void init_base(vo_rt_mesh *mesh) {
    init_vertices(mesh);
    init_edges(mesh);
    init_triangles(mesh);
    vo_rt_mesh_sum_masses(mesh);
    init_normals(mesh);
    for (int i = 0; i < mesh->asset->edge_count; i++) vo_rt_mark_dirty(mesh, i);
    vo_rt_mesh_update_lists(mesh);
}

bool vo_rt_mesh_init(vo_rt_mesh *mesh, const vo_rt_asset *asset, vo_rt_heap *heap) {
    *mesh = (vo_rt_mesh){.asset = asset,
                         .edge_free = -1,
                         .single_free = -1,
                         .triangle_free = -1,
                         .max_level = asset->max_level,
                         .join_wait = 10,
                         .random = 1,
                         .density = asset->fabric.density};
    if (!reserve_base(mesh, heap)) {
        vo_rt_mesh_free(mesh, heap);
        return false;
    }
    init_base(mesh);
    return true;
}

/* Clears counts, free lists and the contents of all arrays. */
static void clear(vo_rt_mesh *mesh) {
    vo_rt_front *f = &mesh->front;
    for (int i = 0; i < VO_RT_MESH_ARRAYS; i++) {
        vo_rt_array array = vo_rt_mesh_array(mesh, i);
        if (array.data) memset(array.data, 0, (size_t)mesh->capacity[i] * array.size);
    }
    mesh->edge_free = mesh->single_free = mesh->triangle_free = -1;
    mesh->pair_free_count = mesh->single_free_count = mesh->triangle_free_count = 0;
    mesh->finest_level = mesh->dirty_count = 0;
    memset(mesh->split_count, 0, sizeof mesh->split_count);
    mesh->spring_lanes.cursor = mesh->bend_lanes.cursor = 0;
    f->spring_group_count = f->spring_count = f->bend_group_count = f->bend_count = 0;
    f->triangle_count = 0;
}

void vo_rt_mesh_reset(vo_rt_mesh *mesh) {
    clear(mesh);
    init_base(mesh);
    mesh->front.topology++;
}
