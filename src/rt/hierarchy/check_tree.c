/* Checks edges, triangles and vertices of the tree. Everything that refers to something is checked
 * together with the reference back, so that no element is used twice. */
#include "rt/hierarchy/check.h"

#include <stdlib.h>

static bool same_point(vo_rt_vec2 a, vo_rt_vec2 b) { return memcmp(&a, &b, sizeof a) == 0; }
static bool same_float(float a, float b) { return memcmp(&a, &b, sizeof a) == 0; }

/* Position of an edge in a triangle, or -1. */
static int position_of(const vo_rt_triangle *t, int edge) {
    for (int k = 0; k < 3; k++)
        if (t->edge[k] == edge) return k;
    return -1;
}

static bool is_base_edge(const vo_rt_asset *asset, int i, const vo_rt_edge *e) {
    const vo_rt_base_edge *b = &asset->edge[i];
    bool same = e->parent == -1 && e->level == 0 && e->control == b->control &&
                same_float(e->rest_angle, b->rest_angle) && !(e->flags & VO_RT_EDGE_INTERIOR);
    const vo_rt_vec2 *control = b->coordinate[b->control];
    same = same && same_float(e->rest, f2_length(f2_sub(control[1], control[0])));
    for (int k = 0; k < 2; k++) {
        same = same && e->vertex[k] == b->vertex[k] + 1;
        same = same && (e->face[k] < 0) == (b->triangle[k] < 0);
        for (int s = 0; s < 2; s++)
            same = same && same_point(e->coordinate[s][k], b->coordinate[s][k]);
    }
    return same;
}

/* Material coordinates of the midpoints of a triangle with these corners. */
static void load_middles(const vo_rt_asset *asset, const vo_rt_triangle *t,
                         const vo_rt_vec2 corner[3], vo_rt_vec2 out[3]) {
    bool is_valid = t->level < asset->max_level && t->address >= 0 &&
                    t->address >> 2 * t->level < asset->triangle_count;
    for (int i = 0; i < 3; i++) out[i] = f2_mid(corner[(i + 1) % 3], corner[(i + 2) % 3]);
    if (asset->fine && is_valid) vo_rt_asset_fine_middles(asset, t->level, t->address, out);
}

/* Material coordinates of the middle of a split edge on a side. */
static vo_rt_vec2 middle_coordinate(const vo_rt_mesh_image *image, int edge, const vo_rt_edge *e,
                                    int side) {
    vo_rt_vec2 middle[3], corner[3] = {e->coordinate[side][0], e->coordinate[side][1], f2(0, 0)};
    if (!image->mesh->asset->fine || !vo_rt_has_triangle(image, e->face[side]))
        return f2_mid(corner[0], corner[1]);
    vo_rt_triangle t = vo_rt_triangle_at(image, e->face[side]);
    int k = position_of(&t, edge);
    load_middles(image->mesh->asset, &t, corner, middle);
    return middle[k < 0 ? 0 : k];
}

static bool is_child_of(const vo_rt_mesh_image *image, int i, const vo_rt_edge *e) {
    if (!vo_rt_has_edge(image, e->parent)) return false;
    vo_rt_edge p = vo_rt_edge_at(image, e->parent);
    if (p.child < 0 || (i != p.child && i - 1 != p.child)) return false;
    int end = i - p.child;
    bool same = e->level == p.level + 1 && e->control == p.control &&
                same_float(e->rest, vo_rt_child_rest(image->mesh->asset, &p, e)) &&
                same_float(e->rest_angle, p.rest_angle) && e->vertex[end] == p.vertex[end] &&
                e->vertex[!end] == p.middle;
    for (int s = 0; s < 2; s++) {
        same = same && (e->face[s] < 0) == (p.face[s] < 0);
        same = same && same_point(e->coordinate[s][end], p.coordinate[s][end]);
        same =
            same && same_point(e->coordinate[s][!end], middle_coordinate(image, e->parent, &p, s));
    }
    return same;
}

/* The triangle that has an interior edge; -1 if none has. */
static int owner_of(const vo_rt_mesh_image *image, int i, const vo_rt_edge *e) {
    if (!vo_rt_has_triangle(image, e->face[0])) return -1;
    vo_rt_triangle t = vo_rt_triangle_at(image, e->face[0]);
    int owner = t.parent;
    for (int k = 0; k < 2 && vo_rt_has_triangle(image, owner); k++) {
        vo_rt_triangle o = vo_rt_triangle_at(image, owner);
        for (int j = 0; j < 3; j++)
            if (o.interior[j] == i) return owner;
        owner = o.parent;
    }
    return -1;
}

static const char *check_faces(const vo_rt_mesh_image *image, int i, const vo_rt_edge *e) {
    int level[2] = {-1, -1};
    if (e->face[0] == -1 && e->face[1] == -1) return "an edge has no triangle";
    for (int s = 0; s < 2; s++) {
        if (e->face[s] == -1) continue;
        if (!vo_rt_has_triangle(image, e->face[s])) return "a triangle of an edge does not exist";
        vo_rt_triangle t = vo_rt_triangle_at(image, e->face[s]);
        int k = position_of(&t, i);
        if (k < 0) return "an edge refers to a triangle without it";
        if (e->vertex[s] != t.vertex[(k + 1) % 3])
            return "an edge has its triangles on wrong sides";
        if ((e->child >= 0) == (t.leaf >= 0)) return "a leaf edge has a divided triangle";
        level[s] = t.level;
    }
    if (e->child < 0 && e->face[0] >= 0 && e->face[1] >= 0 && abs(level[0] - level[1]) > 1)
        return "levels of adjacent leaves differ by more than one";
    return NULL;
}

static const char *check_children(const vo_rt_mesh_image *image, int i, const vo_rt_edge *e) {
    if (e->child == -1) return e->middle == -1 ? NULL : "an unsplit edge has a middle";
    if (e->flags & VO_RT_EDGE_FIXED) return "a transitional edge is split";
    if (e->level >= VO_RT_MAX_LEVEL || e->level >= image->mesh->asset->max_level)
        return "an edge of the finest level is split";
    int first = vo_rt_first_pair(image->mesh);
    if (e->child < first || (e->child - first) % 2 != 0) return "children of an edge are no pair";
    for (int k = 0; k < 2; k++)
        if (!vo_rt_has_edge(image, e->child + k) || vo_rt_edge_at(image, e->child + k).parent != i)
            return "a child does not refer to its parent";
    if (!vo_rt_has_vertex(image, e->middle) || vo_rt_index_at(image->vertex_edge, e->middle) != i)
        return "a middle does not refer to its edge";
    return NULL;
}

static const char *check_edge(const vo_rt_mesh_image *image, int i) {
    const vo_rt_asset *asset = image->mesh->asset;
    vo_rt_edge e = vo_rt_edge_at(image, i);
    if (!(e.flags & VO_RT_EDGE_USED)) return i < asset->edge_count ? "a base edge is free" : NULL;
    if (e.flags > (VO_RT_EDGE_USED | VO_RT_EDGE_INTERIOR | VO_RT_EDGE_FIXED))
        return "an edge is marked";
    for (int k = 0; k < 2; k++)
        if (!vo_rt_has_vertex(image, e.vertex[k])) return "a vertex of an edge does not exist";
    if (e.vertex[0] == e.vertex[1]) return "an edge joins a vertex with itself";
    if (i < asset->edge_count) {
        if (!is_base_edge(asset, i, &e)) return "a base edge differs from the asset";
    } else if (i < vo_rt_first_pair(image->mesh)) {
        return "an edge is in the gap behind the base edges";
    } else if (e.flags & VO_RT_EDGE_INTERIOR) {
        if (e.parent != -1 || owner_of(image, i, &e) < 0) return "an interior edge has no owner";
    } else if (!is_child_of(image, i, &e)) {
        return "a child edge does not match its parent";
    }
    const char *problem = check_children(image, i, &e);
    return problem ? problem : check_faces(image, i, &e);
}

/* Local points, edges and coordinates of a divided triangle. */
typedef struct local_view {
    int32_t vertex[6], edge[VO_RT_LOCAL_EDGES];
    uint8_t side[VO_RT_FIRST_INTERIOR];
    vo_rt_vec2 coordinate[6];
} local_view;

static void load(const vo_rt_mesh_image *image, const vo_rt_triangle *t, local_view *v) {
    for (int i = 0; i < 3; i++) {
        vo_rt_edge e = vo_rt_edge_at(image, t->edge[i]);
        int next = (i + 1) % 3, side = e.vertex[0] != t->vertex[next];
        v->vertex[i] = t->vertex[i];
        v->vertex[3 + i] = e.middle;
        v->edge[i] = t->edge[i];
        v->edge[3 + 2 * i] = e.child + side;
        v->edge[4 + 2 * i] = e.child + !side;
        v->side[i] = v->side[3 + 2 * i] = v->side[4 + 2 * i] = (uint8_t)side;
        v->coordinate[next] = e.coordinate[side][side];
    }
    load_middles(image->mesh->asset, t, v->coordinate, v->coordinate + 3);
}

static bool is_interior_edge(const vo_rt_mesh_image *image, const vo_rt_triangle *t,
                             const local_view *v, int index, int bit) {
    if (!vo_rt_has_edge(image, index)) return false;
    vo_rt_edge e = vo_rt_edge_at(image, index);
    const uint8_t *end = vo_rt_interior_edges[bit];
    vo_rt_vec2 a = v->coordinate[end[0]], b = v->coordinate[end[1]];
    bool is_fixed = (e.flags & VO_RT_EDGE_FIXED) != 0;
    bool same = (e.flags & VO_RT_EDGE_INTERIOR) && e.level == t->level + 1 && e.control == 0 &&
                e.vertex[0] == v->vertex[end[0]] && e.vertex[1] == v->vertex[end[1]] &&
                is_fixed == (t->configuration != VO_RT_ALL_SPLIT) && same_float(e.rest_angle, 0) &&
                same_float(e.rest, f2_length(f2_sub(b, a))) && e.face[0] >= 0 && e.face[1] >= 0;
    for (int s = 0; s < 2; s++)
        same = same && same_point(e.coordinate[s][0], a) && same_point(e.coordinate[s][1], b);
    return same;
}

static bool is_interior_triangle(const vo_rt_mesh_image *image, int parent, const vo_rt_triangle *t,
                                 const local_view *v, int index, int bit) {
    if (index < image->mesh->asset->triangle_count || !vo_rt_has_triangle(image, index))
        return false;
    vo_rt_triangle c = vo_rt_triangle_at(image, index);
    const vo_rt_interior_triangle *shape = &vo_rt_interior_triangles[bit];
    bool fixed = t->configuration != VO_RT_ALL_SPLIT;
    bool same = c.parent == parent && c.is_transitional == fixed &&
                c.level == t->level + (fixed ? 0 : 1) && (!fixed || c.configuration == 0) &&
                c.address == (fixed ? t->address : 4 * t->address + bit - VO_RT_FIRST_CHILD) &&
                same_float(c.rest_area, 0.25f * (float)shape->quarters * t->rest_area);
    for (int k = 0; k < 3; k++) {
        same = same && c.vertex[k] == v->vertex[shape->point[k]];
        same = same && c.edge[k] == v->edge[shape->edge[k]];
    }
    return same;
}

static const char *check_divided(const vo_rt_mesh_image *image, int i, const vo_rt_triangle *t) {
    const vo_rt_configuration *row = &vo_rt_configurations[t->configuration];
    local_view v;
    int slot = 0;
    if (t->leaf != -1 || t->is_transitional) return "a divided triangle is a leaf";
    load(image, t, &v);
    for (unsigned set = row->edges; set; set &= set - 1, slot++) {
        int bit = vo_rt_lowest_bit(set);
        v.edge[VO_RT_FIRST_INTERIOR + bit] = t->interior[slot];
        if (!is_interior_edge(image, t, &v, t->interior[slot], bit))
            return "an interior edge does not match its triangle";
    }
    for (; slot < 3; slot++)
        if (t->interior[slot] != -1) return "a triangle has too many interior edges";
    slot = 0;
    for (unsigned set = row->triangles; set; set &= set - 1, slot++)
        if (!is_interior_triangle(image, i, t, &v, t->child[slot], vo_rt_lowest_bit(set)))
            return "a child triangle does not match its parent";
    for (; slot < 4; slot++)
        if (t->child[slot] != -1) return "a triangle has too many children";
    return NULL;
}

static const char *check_leaf(const vo_rt_mesh_image *image, int i, const vo_rt_triangle *t) {
    if (t->leaf < 0 || t->leaf >= image->mesh->front.triangle_count) return "a leaf is not listed";
    if (vo_rt_index_at(image->triangle_source, t->leaf) != i) return "a leaf is listed elsewhere";
    for (int k = 0; k < 4; k++)
        if (t->child[k] != -1) return "a leaf has children";
    for (int k = 0; k < 3; k++) {
        vo_rt_edge e = vo_rt_edge_at(image, t->edge[k]);
        if (t->interior[k] != -1) return "a leaf has interior edges";
        if (e.face[e.vertex[0] != t->vertex[(k + 1) % 3]] != i)
            return "an edge of a leaf does not refer to it";
    }
    return NULL;
}

static bool is_base_triangle(const vo_rt_mesh_image *image, int i, const vo_rt_triangle *t) {
    const vo_rt_base_triangle *b = &image->mesh->asset->triangle[i];
    bool same = t->parent == -1 && t->level == 0 && t->is_transitional == 0 && t->address == i &&
                same_float(t->rest_area, image->base_triangle[i].rest_area);
    for (int k = 0; k < 3; k++)
        same = same && t->vertex[k] == b->vertex[k] + 1 && t->edge[k] == b->edge[k];
    return same;
}

static bool is_listed_by_parent(const vo_rt_mesh_image *image, int i, const vo_rt_triangle *t) {
    if (!vo_rt_has_triangle(image, t->parent)) return false;
    vo_rt_triangle p = vo_rt_triangle_at(image, t->parent);
    for (int k = 0; k < 4; k++)
        if (p.child[k] == i) return true;
    return false;
}

/* Edges exist, join the corners, and the configuration matches those that are split. */
static const char *check_sides(const vo_rt_mesh_image *image, const vo_rt_triangle *t) {
    int state = 0;
    for (int k = 0; k < 3; k++) {
        if (!vo_rt_has_vertex(image, t->vertex[k])) return "a vertex of a triangle does not exist";
        if (!vo_rt_has_edge(image, t->edge[k])) return "an edge of a triangle does not exist";
        vo_rt_edge e = vo_rt_edge_at(image, t->edge[k]);
        int a = t->vertex[(k + 1) % 3], b = t->vertex[(k + 2) % 3];
        if (!(e.vertex[0] == a && e.vertex[1] == b) && !(e.vertex[0] == b && e.vertex[1] == a))
            return "an edge of a triangle does not join its corners";
        state |= (e.child >= 0) << k;
    }
    if (t->configuration >= VO_RT_CONFIGURATIONS ||
        vo_rt_configurations[t->configuration].state != state)
        return "a configuration does not match the split edges";
    return NULL;
}

static const char *check_triangle(const vo_rt_mesh_image *image, int i) {
    vo_rt_triangle t = vo_rt_triangle_at(image, i);
    int base_count = image->mesh->asset->triangle_count;
    if (t.is_used > 1 || t.is_transitional > 1) return "a triangle has invalid flags";
    if (!t.is_used) return i < base_count ? "a base triangle is free" : NULL;
    if (i < base_count) {
        if (!is_base_triangle(image, i, &t)) return "a base triangle differs from the asset";
    } else if (!is_listed_by_parent(image, i, &t)) {
        return "a triangle is not a child of its parent";
    }
    const char *problem = check_sides(image, &t);
    if (problem) return problem;
    return t.configuration == 0 ? check_leaf(image, i, &t) : check_divided(image, i, &t);
}

static float stiffness_at(const vo_rt_mesh_image *image, int i) {
    float value;
    memcpy(&value, image->stiffness + (size_t)i * sizeof value, sizeof value);
    return value;
}

static const char *check_base_vertex(const vo_rt_mesh_image *image, int i) {
    const float *factor = image->mesh->asset->stiffness_factor;
    if (vo_rt_index_at(image->vertex_edge, i) != -1 || image->vertex_level[i] != 0)
        return "a base vertex has an edge";
    return same_float(stiffness_at(image, i), factor ? factor[i - 1] : 1)
               ? NULL
               : "the stiffness of a base vertex differs from the asset";
}

static const char *check_middle(const vo_rt_mesh_image *image, int i) {
    int edge = vo_rt_index_at(image->vertex_edge, i);
    if (!vo_rt_has_edge(image, edge)) return "the edge of a vertex does not exist";
    vo_rt_edge e = vo_rt_edge_at(image, edge);
    if (e.child < 0 || e.middle != i) return "a vertex is not the middle of its edge";
    if (image->vertex_level[i] != e.level + 1) return "a vertex has a wrong level";
    float a = stiffness_at(image, e.vertex[0]), b = stiffness_at(image, e.vertex[1]);
    return same_float(stiffness_at(image, i), 0.5f * a + 0.5f * b)
               ? NULL
               : "the stiffness of a vertex is not the mean of its edge";
}

static const char *check_vertex(const vo_rt_mesh_image *image, int i) {
    int base = image->mesh->asset->vertex_count;
    if (!(image->vertex_flags[i] & VO_RT_VERTEX_USED)) {
        if (i > 0 && i <= base) return "a base vertex is free";
        bool is_clear = image->vertex_flags[i] == 0 && vo_rt_index_at(image->vertex_edge, i) == -1;
        return is_clear ? NULL : "a free vertex has flags";
    }
    if (i == 0) return "the dummy vertex is in use";
    return i <= base ? check_base_vertex(image, i) : check_middle(image, i);
}

static const char *check_ends(const vo_rt_mesh *mesh) {
    const vo_rt_asset *asset = mesh->asset;
    if (mesh->front.vertex_end <= asset->vertex_count) return "base vertices are missing";
    if (mesh->triangle_end < asset->triangle_count) return "base triangles are missing";
    if (mesh->edge_end < vo_rt_first_pair(mesh) || mesh->edge_end % 2 != 0)
        return "base edges are missing";
    return NULL;
}

const char *vo_rt_check_tree(const vo_rt_mesh_image *image) {
    const vo_rt_mesh *mesh = image->mesh;
    const char *problem = check_ends(mesh);
    for (int i = 0; !problem && i < mesh->edge_end; i++) problem = check_edge(image, i);
    for (int i = 0; !problem && i < mesh->triangle_end; i++) problem = check_triangle(image, i);
    for (int i = 0; !problem && i < mesh->front.vertex_end; i++) problem = check_vertex(image, i);
    return problem;
}
