/* Edits of the mesh that keep the surface within the bounds.
 *
 * Every configuration of a structural triangle interpolates its corners and the midpoints of its
 * split edges. With E_i the offset of midpoint i from the middle of its edge, the surface is the
 * flat triangle plus the sum of E_i h_i, where the hat functions h_i of the configuration are
 * between 0 and 1. A change of configuration, a join (E_i disappears) and a split (E_i = 0 at
 * first) therefore displace each point of the surface by at most the sum of the |E_i|. If that is
 * below the bounds of all vertices involved, no other feature is reached; smooth stars exclude that
 * a face folds over its neighbours. */
#include "rt/self/self_private.h"

/* Parts of the bounds for the edit itself and for the displacement of a new vertex. */
static const float EDIT_USE = 0.4f, NEW_USE = 0.4f;
/* Displacements below this are rounding, m. */
static const float ROUNDING = 1e-6f;

/* Vertices of a structural triangle that an edit involves. */
typedef struct region {
    float change, bound; /* m */
    bool is_smooth;
} region;

static void involve(region *r, const float *bound, const uint8_t *flags, int v) {
    r->bound = f_min(r->bound, bound[v]);
    r->is_smooth = r->is_smooth && (flags[v] & VO_RT_SELF_SMOOTH);
}

static region measure(const vo_rt_mesh *mesh, const float *bound, const uint8_t *flags,
                      int triangle) {
    const vo_rt_triangle *t = &mesh->triangle[triangle];
    const vo_rt_vec4 *x = mesh->front.position;
    region r = {0, INFINITY, true};
    for (int i = 0; i < 3; i++) {
        const vo_rt_edge *e = &mesh->edge[t->edge[i]];
        involve(&r, bound, flags, t->vertex[i]);
        if (e->child < 0) continue;
        involve(&r, bound, flags, e->middle);
        vo_rt_vec3 middle = f3_lerp(f4_xyz(x[e->vertex[0]]), f4_xyz(x[e->vertex[1]]), 0.5f);
        r.change += f3_distance(middle, f4_xyz(x[e->middle]));
    }
    return r;
}

bool vo_rt_self_permits_edit(const vo_rt_mesh *mesh, const float *bound, const uint8_t *flags,
                             int edge) {
    for (int s = 0; s < 2; s++) {
        int triangle = vo_rt_mesh_side(mesh, edge, s);
        if (triangle < 0) continue;
        region r = measure(mesh, bound, flags, triangle);
        if (r.change > ROUNDING && (!r.is_smooth || r.change > EDIT_USE * r.bound)) return false;
    }
    return true;
}

vo_rt_vec3 vo_rt_self_limit_new(const float *bound, int a, int b, vo_rt_vec3 from, vo_rt_vec3 to) {
    float limit = NEW_USE * f_min(bound[a], bound[b]);
    vo_rt_vec3 d = f3_sub(to, from);
    float length = f3_length(d);
    return length > limit ? f3_add_scaled(from, limit / length, d) : to;
}
