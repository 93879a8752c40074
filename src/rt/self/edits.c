/* Edits of the mesh that keep the surface apart from other cloth.
 *
 * Every configuration of a structural triangle interpolates its corners and the midpoints of its
 * split edges. With E_i the offset of midpoint i from the middle of its edge, the surface is the
 * flat triangle plus the sum of E_i h_i, where the hat functions h_i of the configuration are
 * between 0 and 1. The difference of two configurations is linear on their overlay, so it is
 * largest where an old interior edge crosses a new one, or at a midpoint that disappears: a median
 * crosses a midline in the middle, with h = 1/2, and another median in the centroid, with h = 2/3.
 * A change of configuration therefore displaces each point of the surface by at most 2/3 of the sum
 * of the |E_i|, a join by |E_i| of its midpoint in place of 2/3 of it. An edit is permitted if this
 * is a part of the distance from all faces that share no vertex with the triangle. Faces that share
 * one are not reached if their normals agree (smooth stars), or if the change is small compared
 * with the bounds, which contain the distances of all features nearby. */
#include "rt/self/self_private.h"

/* Part of the distance from other cloth that an edit may use; both sides may be edited. */
static const float EDIT_USE = 0.3f;
/* Part of the bounds for an edit beside a fold, and for the displacement of a new vertex. */
static const float FOLD_USE = 0.2f, NEW_USE = 0.3f;
/* Hat function where two medians cross. */
static const float CROSSING = 2 / 3.0f;
/* Displacements below this are rounding, m. */
static const float ROUNDING = 1e-6f;

/* A structural triangle: its local points, and the change of its surface by an edit. */
typedef struct region {
    const vo_rt_self_set *set;
    const vo_rt_self_kernels *kernels;
    const vo_rt_mesh *mesh;
    const vo_rt_triangle *triangle;
    int32_t point[6]; /* indices in the set; -1: the edge is not split */
    int first;        /* of the member */
    float change;     /* m */
    bool is_clear;    /* no face that shares no vertex is near */
} region;

static region measure(const vo_rt_self_set *set, int member, int triangle, int edge) {
    const vo_rt_self_member *m = &set->member[member];
    const vo_rt_mesh *mesh = m->mesh;
    region r = {.set = set,
                .mesh = mesh,
                .triangle = &mesh->triangle[triangle],
                .first = m->first,
                .is_clear = true};
    const vo_rt_vec4 *x = mesh->front.position;
    for (int i = 0; i < 3; i++) {
        const vo_rt_edge *e = &mesh->edge[r.triangle->edge[i]];
        r.point[i] = m->first + r.triangle->vertex[i];
        r.point[3 + i] = e->child >= 0 ? m->first + e->middle : -1;
        if (e->child < 0) continue;
        vo_rt_vec3 middle = f3_lerp(f4_xyz(x[e->vertex[0]]), f4_xyz(x[e->vertex[1]]), 0.5f);
        float offset = f3_distance(middle, f4_xyz(x[e->middle]));
        r.change += (r.triangle->edge[i] == edge ? 1 : CROSSING) * offset;
    }
    return r;
}

/* --- Faces near by ---------------------------------------------------------------------------- */

static bool shares_point(const region *r, const vo_rt_self_face *f) {
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 3; k++)
            if (r->point[i] == f->vertex[k]) return true;
    return false;
}

static void add_lane(vo_rt_self_batch *b, int v0, int v1, int v2, int v3) {
    int lane = b->count++;
    b->vertex[0][lane] = v0, b->vertex[1][lane] = v1;
    b->vertex[2][lane] = v2, b->vertex[3][lane] = v3;
}

/* True if two triangles without common vertices are closer than `limit`. */
static bool is_near(const region *r, const int32_t a[3], const int32_t b[3], float limit) {
    vo_rt_self_batch faces = {.count = 0}, edges[2] = {{.count = 0}, {.count = 0}};
    for (int lane = 0; lane < VO_RT_SELF_BATCH; lane++)
        faces.limit[lane] = edges[0].limit[lane] = edges[1].limit[lane] = limit;
    for (int i = 0; i < 3; i++) {
        add_lane(&faces, a[i], b[0], b[1], b[2]);
        add_lane(&faces, b[i], a[0], a[1], a[2]);
        for (int k = 0; k < 3; k++)
            add_lane(&edges[i == 2], a[i], a[(i + 1) % 3], b[k], b[(k + 1) % 3]);
    }
    const vo_rt_vec4 *x = r->set->x;
    return r->kernels->measure_faces(x, &faces) || r->kernels->measure_edges(x, &edges[0]) ||
           r->kernels->measure_edges(x, &edges[1]);
}

/* Compares the present surface of the triangle with a face that shares no vertex with it. */
static void test_face(region *r, const vo_rt_self_face *f) {
    float limit = r->change / EDIT_USE + r->set->gap;
    for (int k = 0; k < 4 && r->triangle->child[k] >= 0; k++) {
        const int32_t *v = r->mesh->triangle[r->triangle->child[k]].vertex;
        int32_t own[3] = {r->first + v[0], r->first + v[1], r->first + v[2]};
        if (is_near(r, own, f->vertex, limit)) r->is_clear = false;
    }
}

/* Arguments of test_cluster. */
typedef struct cluster_arg {
    region *region;
    const vo_rt_vec4 *box;
} cluster_arg;

static bool overlaps(const vo_rt_vec4 a[2], const vo_rt_vec4 b[2]) {
    return a[0].x <= b[1].x && b[0].x <= a[1].x && a[0].y <= b[1].y && b[0].y <= a[1].y &&
           a[0].z <= b[1].z && b[0].z <= a[1].z;
}

static void test_cluster(void *user, int cluster) {
    const cluster_arg *arg = user;
    const vo_rt_self_set *set = arg->region->set;
    int begin = cluster * VO_RT_SELF_CLUSTER, end = vo_rt_self_cluster_end(set, cluster);
    for (int i = begin; i < end && arg->region->is_clear; i++)
        if (overlaps(arg->box, &set->face_box[2 * i]) && !shares_point(arg->region, &set->face[i]))
            test_face(arg->region, &set->face[i]);
}

static void find_box(const region *r, vo_rt_vec4 box[2]) {
    float margin = r->change / EDIT_USE + r->set->gap;
    vo_rt_vec3 low = f4_xyz(r->set->x[r->point[0]]), high = low, m = f3(margin, margin, margin);
    for (int i = 1; i < 6; i++) {
        if (r->point[i] < 0) continue;
        low = f3_min(low, f4_xyz(r->set->x[r->point[i]]));
        high = f3_max(high, f4_xyz(r->set->x[r->point[i]]));
    }
    box[0] = f4_make(f3_sub(low, m), 0);
    box[1] = f4_make(f3_add(high, m), 0);
}

/* --- Interface -------------------------------------------------------------------------------- */

/* True if faces that share a vertex with the triangle are not reached. */
static bool clears_neighbours(const region *r) {
    float bound = INFINITY;
    bool is_smooth = true;
    for (int i = 0; i < 6; i++) {
        if (r->point[i] < 0) continue;
        bound = f_min(bound, r->set->bound[r->point[i]]);
        is_smooth = is_smooth && (r->set->flags[r->point[i]] & VO_RT_SELF_SMOOTH);
    }
    return is_smooth || r->change <= FOLD_USE * bound;
}

static bool permits(region *r) {
    if (r->change <= ROUNDING) return true;
    if (!clears_neighbours(r)) return false;
    vo_rt_vec4 box[2];
    find_box(r, box);
    cluster_arg arg = {r, box};
    vo_rt_self_for_overlaps(&r->set->hash, r->set->cluster_box, box, test_cluster, &arg);
    return r->is_clear;
}

bool vo_rt_self_permits_edit(const vo_rt_self_set *set, int member, int edge, bool use_avx2) {
    const vo_rt_mesh *mesh = set->member[member].mesh;
    for (int s = 0; s < 2; s++) {
        int triangle = vo_rt_mesh_side(mesh, edge, s);
        if (triangle < 0) continue;
        region r = measure(set, member, triangle, edge);
        r.kernels = vo_rt_self_select_kernels(use_avx2);
        if (!permits(&r)) return false;
    }
    return true;
}

vo_rt_vec3 vo_rt_self_limit_new(const float *bound, int a, int b, vo_rt_vec3 from, vo_rt_vec3 to) {
    float limit = NEW_USE * f_min(bound[a], bound[b]);
    vo_rt_vec3 d = f3_sub(to, from);
    float length = f3_length(d);
    return length > limit ? f3_add_scaled(from, limit / length, d) : to;
}
