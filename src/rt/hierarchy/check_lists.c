/* Checks free lists, counts and leaf lists of a mesh whose tree is consistent. */
#include "rt/hierarchy/check.h"

/* A list that ends after as many elements as are free contains each of them once. */
static const char *check_free_pairs(const vo_rt_mesh_image *image, int *free_slots) {
    const vo_rt_mesh *mesh = image->mesh;
    int first = vo_rt_first_pair(mesh), edge = mesh->edge_free, n = 0;
    for (; edge != -1; n++) {
        if (n > mesh->edge_end || edge < first || edge >= mesh->edge_end || (edge - first) % 2 != 0)
            return "the list of free edge pairs is broken";
        for (int k = 0; k < 2; k++)
            if (vo_rt_edge_at(image, edge + k).flags != 0) return "a free pair of edges is in use";
        edge = vo_rt_edge_at(image, edge).face[1];
    }
    *free_slots += 2 * n;
    return n == mesh->pair_free_count ? NULL : "the number of free edge pairs is wrong";
}

static const char *check_free_singles(const vo_rt_mesh_image *image, int *free_slots) {
    const vo_rt_mesh *mesh = image->mesh;
    int first = vo_rt_first_pair(mesh), previous = -1, n = 0;
    for (int edge = mesh->single_free; edge != -1; n++) {
        if (n > mesh->edge_end || edge < first || edge >= mesh->edge_end)
            return "the list of free edges is broken";
        vo_rt_edge e = vo_rt_edge_at(image, edge);
        if (e.flags != VO_RT_EDGE_SINGLE || e.face[0] != previous)
            return "the list of free edges is broken";
        if (!vo_rt_has_edge(image, edge ^ 1)) return "free edges do not unite to a pair";
        previous = edge;
        edge = e.face[1];
    }
    *free_slots += n;
    return n == mesh->single_free_count ? NULL : "the number of free edges is wrong";
}

static const char *check_free_triangles(const vo_rt_mesh_image *image) {
    const vo_rt_mesh *mesh = image->mesh;
    int n = 0, unused = 0;
    for (int t = mesh->triangle_free; t != -1; n++) {
        if (n > mesh->triangle_end || t < mesh->asset->triangle_count || t >= mesh->triangle_end ||
            vo_rt_has_triangle(image, t))
            return "the list of free triangles is broken";
        t = vo_rt_triangle_at(image, t).parent;
    }
    for (int t = 0; t < mesh->triangle_end; t++) unused += !vo_rt_has_triangle(image, t);
    return n == unused && n == mesh->triangle_free_count ? NULL : "a free triangle is not listed";
}

static const char *check_free_vertices(const vo_rt_mesh_image *image) {
    const vo_rt_mesh *mesh = image->mesh;
    int end = mesh->front.vertex_end, used = 0;
    if (mesh->vertex_free <= mesh->asset->vertex_count || mesh->vertex_free > end)
        return "the first free vertex is out of range";
    for (int i = 1; i < end; i++) {
        used += vo_rt_has_vertex(image, i);
        if (i < mesh->vertex_free && !vo_rt_has_vertex(image, i))
            return "a free vertex is below the first one";
    }
    if (!vo_rt_has_vertex(image, end - 1)) return "the last vertex is free";
    return used == mesh->front.vertex_count ? NULL : "the number of vertices is wrong";
}

static const char *check_edge_slots(const vo_rt_mesh_image *image) {
    int free_slots = 0, unused = 0;
    const char *problem = check_free_pairs(image, &free_slots);
    if (!problem) problem = check_free_singles(image, &free_slots);
    if (problem) return problem;
    for (int i = vo_rt_first_pair(image->mesh); i < image->mesh->edge_end; i++)
        unused += !vo_rt_has_edge(image, i);
    return unused == free_slots ? NULL : "a free edge is not listed";
}

static const char *check_split_counts(const vo_rt_mesh_image *image) {
    const vo_rt_mesh *mesh = image->mesh;
    int count[VO_RT_MAX_LEVEL + 1] = {0}, finest = 0;
    for (int i = 0; i < mesh->edge_end; i++) {
        vo_rt_edge e = vo_rt_edge_at(image, i);
        if (!(e.flags & VO_RT_EDGE_USED) || e.child < 0) continue;
        count[e.level]++;
        if (e.level >= finest) finest = e.level + 1;
    }
    if (memcmp(count, mesh->split_count, sizeof count) != 0)
        return "the number of split edges is wrong";
    return finest == mesh->finest_level ? NULL : "the finest level is wrong";
}

static const char *check_leaf_count(const vo_rt_mesh_image *image) {
    int leaves = 0;
    for (int i = 0; i < image->mesh->triangle_end; i++) {
        vo_rt_triangle t = vo_rt_triangle_at(image, i);
        leaves += t.is_used && t.configuration == 0;
    }
    return leaves == image->mesh->front.triangle_count ? NULL : "the number of leaves is wrong";
}

/* Vertices of the spring (2) or bending element (4) of an edge; false if it has none. */
static bool element_of(const vo_rt_mesh_image *image, int edge, int width, int32_t vertex[4]) {
    vo_rt_edge e = vo_rt_edge_at(image, edge);
    if (!(e.flags & VO_RT_EDGE_USED) || e.child >= 0) return false;
    for (int k = 0; k < 2; k++) vertex[k] = e.vertex[k];
    if (width == 2) return true;
    if (e.face[0] < 0 || e.face[1] < 0) return false;
    for (int s = 0; s < 2; s++) {
        vo_rt_triangle t = vo_rt_triangle_at(image, e.face[s]);
        for (int k = 0; k < 3; k++)
            if (t.edge[k] == edge) vertex[2 + s] = t.vertex[k];
    }
    return vertex[2] != vertex[3];
}

/* Elements of a group refer to their lane and share no vertex; adds their number. */
static const char *check_group(const vo_rt_mesh_image *image, const uint8_t *lanes, int width,
                               int group, int *count) {
    int32_t seen[4 * VO_RT_LANES];
    int n = 0;
    for (int lane = group * VO_RT_LANES; lane < (group + 1) * VO_RT_LANES; lane++) {
        int edge = vo_rt_index_at(lanes, lane);
        int32_t vertex[4];
        if (edge == -1) continue;
        if (edge < 0 || edge >= image->mesh->edge_end || !element_of(image, edge, width, vertex))
            return "a lane contains no leaf edge";
        vo_rt_edge e = vo_rt_edge_at(image, edge);
        if ((width == 2 ? e.spring : e.bend) != lane) return "a leaf edge is in two lanes";
        for (int k = 0; k < width; k++)
            for (int j = 0; j < n; j++)
                if (seen[j] == vertex[k]) return "elements of a group share a vertex";
        for (int k = 0; k < width; k++) seen[n++] = vertex[k];
        ++*count;
    }
    return NULL;
}

static const char *check_lanes(const vo_rt_mesh_image *image, const uint8_t *lanes, int width,
                               int groups, int expected) {
    int count = 0, elements = 0;
    for (int g = 0; g < groups; g++) {
        const char *problem = check_group(image, lanes, width, g, &count);
        if (problem) return problem;
    }
    for (int i = 0; i < image->mesh->edge_end; i++) {
        int32_t vertex[4];
        bool has = element_of(image, i, width, vertex);
        vo_rt_edge e = vo_rt_edge_at(image, i);
        if ((e.flags & VO_RT_EDGE_USED) && ((width == 2 ? e.spring : e.bend) >= 0) != has)
            return "a leaf edge is not listed, or an inner one is";
        elements += has;
    }
    return count == elements && count == expected ? NULL : "the number of elements is wrong";
}

const char *vo_rt_check_lists(const vo_rt_mesh_image *image) {
    const vo_rt_front *front = &image->mesh->front;
    const char *problem = check_edge_slots(image);
    if (!problem) problem = check_free_triangles(image);
    if (!problem) problem = check_free_vertices(image);
    if (!problem) problem = check_split_counts(image);
    if (!problem) problem = check_leaf_count(image);
    if (!problem)
        problem = check_lanes(image, image->spring_edge, 2, front->spring_group_count,
                              front->spring_count);
    if (!problem)
        problem =
            check_lanes(image, image->bend_edge, 4, front->bend_group_count, front->bend_count);
    return problem;
}
