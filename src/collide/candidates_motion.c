/* How clusters move: candidates_cluster.h says why so. */
#include "collide/candidates_cluster.h"

/* Sums over the nodes of a cluster, relative to the means. */
typedef struct moments {
    double xx, xy, xz, yy, yz, zz; /* of r rt */
    vo_vec3 spin;                  /* of r x d */
} moments;

static void add_moments(moments *m, vo_vec3 r, vo_vec3 d) {
    m->xx += r.x * r.x;
    m->xy += r.x * r.y;
    m->xz += r.x * r.z;
    m->yy += r.y * r.y;
    m->yz += r.y * r.z;
    m->zz += r.z * r.z;
    m->spin = v3_add(m->spin, v3_cross(r, d));
}

/* The turn w that leaves the least squares of d - w x r: (sum of r^2 - r rt) w = sum of r x d. Any
 * value is allowed; nodes in a line, for which there is no best one, get none. */
static vo_vec3 fit_turn(const moments *m) {
    double a = m->yy + m->zz, b = m->xx + m->zz, c = m->xx + m->yy;
    vo_vec3 r0 = v3(a, -m->xy, -m->xz), r1 = v3(-m->xy, b, -m->yz), r2 = v3(-m->xz, -m->yz, c);
    vo_vec3 c12 = v3_cross(r1, r2), c20 = v3_cross(r2, r0), c01 = v3_cross(r0, r1);
    double det = v3_dot(r0, c12), size = a + b + c;
    if (!(det > 1e-9 * size * size * size)) return v3_zero();
    vo_vec3 w = v3_add(v3_scale(m->spin.x, c12), v3_scale(m->spin.y, c20));
    return v3_scale(1 / det, v3_add(w, v3_scale(m->spin.z, c01)));
}

/* Means of positions and displacements. */
static void find_means(const int *node, int n, const vo_vec3 *from, const vo_vec3 *to,
                       vo_cluster_motion *out) {
    vo_vec3 x = v3_zero(), d = v3_zero();
    for (int i = 0; i < n; i++) {
        x = v3_add(x, from[node[i]]);
        d = v3_add(d, v3_sub(to[node[i]], from[node[i]]));
    }
    out->centre = v3_scale(1.0 / n, x);
    out->shift = v3_scale(1.0 / n, d);
}

vo_cluster_motion vo_cluster_move(const vo_clusters *clusters, int c, const vo_vec3 *from,
                                  const vo_vec3 *to) {
    const int *node = clusters->node.item + clusters->node.begin[c];
    int n = clusters->node.begin[c + 1] - clusters->node.begin[c];
    vo_cluster_motion out = {0};
    moments m = {0};
    find_means(node, n, from, to, &out);
    for (int i = 0; i < n; i++) {
        vo_vec3 r = v3_sub(from[node[i]], out.centre);
        add_moments(&m, r, v3_sub(v3_sub(to[node[i]], from[node[i]]), out.shift));
    }
    out.turn = fit_turn(&m);
    double radius2 = 0, rest2 = 0, bound = 0;
    for (int i = 0; i < n; i++) {
        vo_vec3 x = from[node[i]], r = v3_sub(x, out.centre);
        vo_vec3 d = v3_sub(v3_sub(to[node[i]], x), out.shift);
        radius2 = vo_max(radius2, v3_length2(r));
        rest2 = vo_max(rest2, v3_length2(v3_sub(d, v3_cross(out.turn, r))));
        bound = vo_max(bound, fabs(x.x) + fabs(x.y) + fabs(x.z));
    }
    /* Positions and their differences are rounded relative to the largest numbers in sight. */
    double size = bound + v3_length(out.shift);
    out.radius = sqrt(radius2) * (1 + 0x1p-40) + 0x1p-48 * size;
    out.rest = sqrt(rest2) * (1 + 0x1p-40) + 0x1p-47 * size * (1 + v3_length(out.turn));
    return out;
}

vo_box vo_cluster_box(const vo_clusters *clusters, int c, const vo_vec3 *x) {
    vo_box box = box_empty();
    for (int i = clusters->node.begin[c]; i < clusters->node.begin[c + 1]; i++)
        box = box_add(box, x[clusters->node.item[i]]);
    return box;
}
