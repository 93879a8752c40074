/* Checks all invariants of a mesh in memory: the tree and its lists, and the values of the leaf
 * lists, which are recomputed. */
#include "rt/hierarchy/check.h"

static vo_rt_mesh_image image_of(const vo_rt_mesh *mesh) {
    return (vo_rt_mesh_image){.mesh = mesh,
                              .edge = (const uint8_t *)mesh->edge,
                              .triangle = (const uint8_t *)mesh->triangle,
                              .vertex_flags = mesh->front.flags,
                              .vertex_level = mesh->front.level,
                              .vertex_edge = (const uint8_t *)mesh->vertex_edge,
                              .stiffness = (const uint8_t *)mesh->stiffness,
                              .triangle_source = (const uint8_t *)mesh->front.triangle_source,
                              .spring_edge = (const uint8_t *)mesh->spring_lanes.edge,
                              .bend_edge = (const uint8_t *)mesh->bend_lanes.edge,
                              .base_triangle = mesh->triangle};
}

static const char *check_leaf_triangles(const vo_rt_mesh *mesh) {
    const vo_rt_front *f = &mesh->front;
    for (int i = 0; i < f->triangle_count; i++) {
        const vo_rt_triangle *t = &mesh->triangle[f->triangle_source[i]];
        if (t->leaf != i || memcmp(t->vertex, f->triangles[i].vertex, sizeof t->vertex) != 0 ||
            t->rest_area != f->triangles[i].rest_area)
            return "a leaf triangle differs from the tree";
    }
    return NULL;
}

static bool is_unused(const vo_rt_lanes *lanes, int index) {
    return lanes->edge[index] < 0 &&
           !(lanes->used[index / VO_RT_LANES] >> (index % VO_RT_LANES) & 1);
}

static const char *check_springs(const vo_rt_mesh *mesh) {
    for (int i = 0; i < mesh->front.spring_group_count * VO_RT_LANES; i++) {
        const vo_rt_spring_group *g = &mesh->front.springs[i / VO_RT_LANES];
        int k = i % VO_RT_LANES, edge = mesh->spring_lanes.edge[i];
        bool same = g->a[k] == 0 && g->b[k] == 0 && is_unused(&mesh->spring_lanes, i);
        if (edge >= 0) {
            const vo_rt_edge *e = &mesh->edge[edge];
            same = g->a[k] == e->vertex[0] && g->b[k] == e->vertex[1] && g->rest[k] == e->rest &&
                   g->width[k] == vo_rt_mesh_spring_width(mesh, e);
        }
        if (!same) return "a spring differs from its edge";
    }
    return NULL;
}

static const char *check_bends(const vo_rt_mesh *mesh) {
    for (int i = 0; i < mesh->front.bend_group_count * VO_RT_LANES; i++) {
        const vo_rt_bend_group *g = &mesh->front.bends[i / VO_RT_LANES];
        int k = i % VO_RT_LANES, edge = mesh->bend_lanes.edge[i];
        bool same = g->a[k] == 0 && g->b[k] == 0 && g->c[k] == 0 && g->d[k] == 0 &&
                    is_unused(&mesh->bend_lanes, i);
        if (edge >= 0) {
            const vo_rt_edge *e = &mesh->edge[edge];
            int32_t opposite[2];
            same = vo_rt_mesh_bend_vertices(mesh, edge, opposite) && g->a[k] == e->vertex[0] &&
                   g->b[k] == e->vertex[1] && g->c[k] == opposite[0] && g->d[k] == opposite[1] &&
                   g->rest[k] == e->rest_angle &&
                   g->stiffness[k] == vo_rt_mesh_bend_stiffness(mesh, e);
        }
        if (!same) return "a bending element differs from its edge";
    }
    return NULL;
}

static uint64_t weight_of(int vertex) {
    uint64_t z = (uint64_t)vertex * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    return (z ^ (z >> 27)) * 0x94d049bb133111ebu;
}

/* Compares a sum with random weights per vertex, which needs no scratch memory: if any mass
 * differs, so do the sums, except with a probability of 2^-64. */
static const char *check_masses(const vo_rt_mesh *mesh) {
    const vo_rt_front *f = &mesh->front;
    uint64_t vertices = 0, leaves = 0, total = 0, base = 0;
    for (int i = 0; i < f->vertex_end; i++) {
        if (f->mass[i] != (float)((double)mesh->mass_units[i] * vo_rt_mesh_unit_mass(mesh)))
            return "a mass differs from its units";
        vertices += weight_of(i) * (uint64_t)mesh->mass_units[i];
        if ((f->flags[i] & VO_RT_VERTEX_USED) && !(f->mass[i] > 0)) return "a vertex has no mass";
        if ((f->flags[i] & VO_RT_VERTEX_ATTACHED) && f->position[i].w != 0)
            return "an attached vertex has an inverse mass";
    }
    for (int i = 0; i < f->triangle_count; i++) {
        uint64_t units = (uint64_t)vo_rt_mesh_area_units(mesh, f->triangles[i].rest_area);
        total += units;
        for (int k = 0; k < 3; k++) leaves += weight_of(f->triangles[i].vertex[k]) * units;
    }
    for (int i = 0; i < mesh->asset->triangle_count; i++)
        base += (uint64_t)vo_rt_mesh_area_units(mesh, mesh->triangle[i].rest_area);
    if (total != base) return "the area of the leaves differs from the base mesh";
    return vertices == leaves ? NULL : "a mass differs from a third of the leaf triangles";
}

const char *vo_rt_mesh_validate(const vo_rt_mesh *mesh) {
    vo_rt_mesh_image image = image_of(mesh);
    const char *problem = vo_rt_check_tree(&image);
    if (!problem) problem = vo_rt_check_lists(&image);
    if (!problem) problem = vo_rt_mesh_check_levels(mesh);
    if (!problem) problem = check_leaf_triangles(mesh);
    if (!problem) problem = check_springs(mesh);
    if (!problem) problem = check_bends(mesh);
    if (!problem) problem = check_masses(mesh);
    return problem;
}
