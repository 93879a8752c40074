/* Meshes of bodies in a query. The leaves of their trees, 8 triangles each, are the clusters of the
 * search; only those near the cloths are listed. */
#include "rt/self/self_private.h"

#include <float.h>

static vo_rt_vec3 find_vertex(const vo_rt_self_obstacle *o, int end, int i) {
    vo_rt_vec3 x = f4_xyz(o->vertex[end][i]);
    return o->is_rigid ? vo_rt_pose_apply(o->pose[end], x) : x;
}

static void gather_vertices(vo_rt_self_set *set, vo_rt_self_obstacle *o, float begin, float end) {
    float first = o->begin + begin * (o->end - o->begin);
    float part = set->is_static ? 0 : (end - begin) * (o->end - o->begin);
    for (int i = 0; i < o->surface->vertex_count; i++) {
        int v = o->first + i;
        vo_rt_vec3 start = find_vertex(o, 0, i), path = f3_sub(find_vertex(o, 1, i), start);
        set->x[v] = f4_make(f3_add_scaled(start, first, path), 0);
        vo_rt_vec3 d = f3_sub(f3_scale(part, path), set->shift);
        set->drift[v] = f4_make(set->is_static ? f3(0, 0, 0) : d, 0);
        set->flags[v] = VO_RT_SELF_FIXED;
        set->radius[v] = 0;
        vo_rt_vec3 x = f4_xyz(set->x[v]), last = f3_add(x, f4_xyz(set->drift[v]));
        set->low[v] = f4_make(f3_min(x, last), f3_length(f4_xyz(set->drift[v])));
        set->high[v] = f4_make(f3_max(x, last), 0);
    }
}

void vo_rt_self_gather_obstacles(vo_rt_self_set *set, float begin, float end) {
    set->vertex_count = set->cloth_vertex_count;
    for (int k = 0; k < set->obstacle_count; k++) {
        vo_rt_self_obstacle *o = &set->obstacle[k];
        o->first = set->vertex_count;
        set->vertex_count += o->surface->vertex_count;
        gather_vertices(set, o, begin, end);
    }
}

/* --- Faces ------------------------------------------------------------------------------------ */

/* Enlargement of the region of the cloths, so that it seldom changes in a segment, m. */
static const float REGION_MARGIN = 0.05f;

/* Box of the clusters of cloth. */
static void bound_cloths(const vo_rt_self_set *set, vo_rt_vec4 box[2]) {
    box[0] = (vo_rt_vec4){FLT_MAX, FLT_MAX, FLT_MAX, 0};
    box[1] = (vo_rt_vec4){-FLT_MAX, -FLT_MAX, -FLT_MAX, 0};
    for (int i = 0; i < set->cloth_cluster_count; i++)
        vo_rt_self_unite_boxes(box, box, &set->cluster_box[2 * i]);
}

static void bound_leaf(const vo_rt_self_set *set, const vo_rt_self_obstacle *o, int leaf,
                       vo_rt_vec4 box[2]) {
    const vo_rt_surface *s = o->surface;
    int begin = s->leaf_vertex_begin[leaf], end = s->leaf_vertex_begin[leaf + 1];
    for (int i = begin; i < end; i++) {
        int v = o->first + s->leaf_vertex[i];
        vo_rt_vec4 path[2] = {set->low[v], set->high[v]};
        vo_rt_self_unite_boxes(box, i == begin ? path : box, path);
    }
}

static bool overlaps(const vo_rt_vec4 a[2], const vo_rt_vec4 b[2]) {
    return a[0].x <= b[1].x && b[0].x <= a[1].x && a[0].y <= b[1].y && b[0].y <= a[1].y &&
           a[0].z <= b[1].z && b[0].z <= a[1].z;
}

/* Lanes beyond the triangles of a leaf repeat one of them. */
static bool is_repeated(const vo_rt_surface *s, int leaf, int lane) {
    const int32_t *source = s->source + (size_t)leaf * VO_RT_WIDTH;
    for (int k = 0; k < lane; k++)
        if (source[k] == source[lane]) return true;
    return false;
}

static void clear_box(vo_rt_self_set *set, int face) {
    for (int k = 0; k < 3; k++) {
        set->lanes.bound[k][face] = FLT_MAX;
        set->lanes.bound[3 + k][face] = -FLT_MAX;
    }
    set->face_box[2 * face] = (vo_rt_vec4){FLT_MAX, FLT_MAX, FLT_MAX, 0};
    set->face_box[2 * face + 1] = (vo_rt_vec4){-FLT_MAX, -FLT_MAX, -FLT_MAX, 0};
}

enum { OWNED = VO_RT_SELF_RESTRAINED }; /* until the filter: the vertex has an owner */

/* Each edge belongs to the face that has it in rising order: if that face is not listed, neither
 * face nor edge is near the cloths. */
static void add_face(vo_rt_self_set *set, int obstacle, int leaf, int lane) {
    const vo_rt_self_obstacle *o = &set->obstacle[obstacle];
    int face = set->face_count++;
    vo_rt_self_face *f = &set->face[face];
    *f = (vo_rt_self_face){.member = (int16_t)(set->member_count + obstacle)};
    for (int k = 0; k < 3; k++) {
        f->vertex[k] = o->first + o->surface->corner[leaf][k][lane];
        set->lanes.vertex[k][face] = f->vertex[k];
        set->lanes.fan[k][face] = -2;
    }
    if (is_repeated(o->surface, leaf, lane)) {
        clear_box(set, face);
        return;
    }
    for (int k = 0; k < 3; k++) {
        int a = f->vertex[(k + 1) % 3], b = f->vertex[(k + 2) % 3];
        if (a < b) f->owned |= (uint8_t)(8 << k);
        if (!(set->flags[f->vertex[k]] & OWNED)) f->owned |= (uint8_t)(1 << k);
        set->flags[f->vertex[k]] |= OWNED;
    }
    vo_rt_self_refit_face(set, face);
}

static bool contains(const vo_rt_vec4 a[2], const vo_rt_vec4 b[2]) {
    return a[0].x <= b[0].x && a[0].y <= b[0].y && a[0].z <= b[0].z && a[1].x >= b[1].x &&
           a[1].y >= b[1].y && a[1].z >= b[1].z;
}

void vo_rt_self_refit_obstacles(vo_rt_self_set *set, bool moved_only) {
    vo_rt_vec4 cloths[2], box[2], *near = set->region;
    bound_cloths(set, cloths);
    if (moved_only && contains(near, cloths)) return;
    vo_rt_vec3 margin = f3(REGION_MARGIN, REGION_MARGIN, REGION_MARGIN);
    near[0] = f4_make(f3_sub(f4_xyz(cloths[0]), margin), 0);
    near[1] = f4_make(f3_add(f4_xyz(cloths[1]), margin), 0);
    set->cluster_count = set->cloth_cluster_count;
    set->face_count = VO_RT_SELF_CLUSTER * set->cloth_cluster_count;
    for (int v = set->cloth_vertex_count; v < set->vertex_count; v++)
        set->flags[v] &= (uint8_t)~OWNED;
    for (int k = 0; k < set->obstacle_count; k++) {
        const vo_rt_self_obstacle *o = &set->obstacle[k];
        for (int leaf = 0; leaf < o->surface->leaf_count; leaf++) {
            bound_leaf(set, o, leaf, box);
            if (!overlaps(box, near)) continue;
            for (int lane = 0; lane < VO_RT_WIDTH; lane++) add_face(set, k, leaf, lane);
            vo_rt_vec4 *cluster = &set->cluster_box[2 * set->cluster_count++];
            cluster[0] = box[0];
            cluster[1] = f4_make(f4_xyz(box[1]), 0);
        }
    }
    for (int v = set->cloth_vertex_count; v < set->vertex_count; v++)
        set->flags[v] &= (uint8_t)~OWNED;
}
