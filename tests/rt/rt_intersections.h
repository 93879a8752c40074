/* Reference for the tests of self-collision: intersections of all leaf triangles of a world, by a
 * sweep along x and exact signs in double precision. */
#ifndef VOILE_TESTS_RT_INTERSECTIONS_H
#define VOILE_TESTS_RT_INTERSECTIONS_H

#include "rt_fixture.h"

typedef struct rt_corner {
    double x[3];
} rt_corner;

/* A leaf triangle; `id` are unique numbers of its vertices in the world. */
typedef struct rt_leaf {
    rt_corner corner[3];
    double min[3], max[3];
    int64_t id[3];
} rt_leaf;

static inline int rt_leaf_compare(const void *a, const void *b) {
    const rt_leaf *p = a, *q = b;
    return p->min[0] < q->min[0] ? -1 : p->min[0] > q->min[0];
}

static inline rt_leaf rt_leaf_make(const vo_rt_front *f, int cloth, int triangle) {
    rt_leaf leaf;
    for (int k = 0; k < 3; k++) {
        int v = f->triangles[triangle].vertex[k];
        vo_rt_vec4 x = f->position[v];
        leaf.corner[k] = (rt_corner){{(double)x.x, (double)x.y, (double)x.z}};
        leaf.id[k] = (int64_t)cloth << 32 | v;
    }
    for (int i = 0; i < 3; i++) {
        const rt_corner *c = leaf.corner;
        leaf.min[i] = fmin(c[0].x[i], fmin(c[1].x[i], c[2].x[i]));
        leaf.max[i] = fmax(c[0].x[i], fmax(c[1].x[i], c[2].x[i]));
    }
    return leaf;
}

/* Six times the volume of a tetrahedron. */
static inline double rt_volume(const rt_corner *a, const rt_corner *b, const rt_corner *c,
                               const rt_corner *d) {
    double u[3], v[3], w[3];
    for (int i = 0; i < 3; i++) {
        u[i] = b->x[i] - a->x[i];
        v[i] = c->x[i] - a->x[i];
        w[i] = d->x[i] - a->x[i];
    }
    return u[0] * (v[1] * w[2] - v[2] * w[1]) - u[1] * (v[0] * w[2] - v[2] * w[0]) +
           u[2] * (v[0] * w[1] - v[1] * w[0]);
}

/* True if the segment pq passes through the triangle. */
static inline bool rt_pierces(const rt_corner *p, const rt_corner *q, const rt_corner t[3]) {
    double a = rt_volume(p, &t[0], &t[1], &t[2]), b = rt_volume(q, &t[0], &t[1], &t[2]);
    if (a * b >= 0) return false;
    double s0 = rt_volume(p, q, &t[0], &t[1]), s1 = rt_volume(p, q, &t[1], &t[2]);
    double s2 = rt_volume(p, q, &t[2], &t[0]);
    return (s0 > 0 && s1 > 0 && s2 > 0) || (s0 < 0 && s1 < 0 && s2 < 0);
}

static inline bool rt_has_id(const rt_leaf *t, int64_t id) {
    return t->id[0] == id || t->id[1] == id || t->id[2] == id;
}

/* Edges of a that pass through b and share no vertex with it. */
static inline int rt_count_piercings(const rt_leaf *a, const rt_leaf *b) {
    int count = 0;
    for (int k = 0; k < 3; k++) {
        int j = (k + 1) % 3;
        if (rt_has_id(b, a->id[k]) || rt_has_id(b, a->id[j])) continue;
        count += rt_pierces(&a->corner[k], &a->corner[j], b->corner);
    }
    return count;
}

/* Number of intersections of edges with faces; interior edges count twice. */
static inline int rt_count_intersections(const vo_rt_world *world) {
    int count = 0, found = 0;
    for (int i = 0; i < world->cloth_end; i++)
        if (world->cloth[i].is_used) count += world->cloth[i].mesh.front.triangle_count;
    rt_leaf *leaves = malloc((size_t)(count + 1) * sizeof *leaves);
    count = 0;
    for (int i = 0; i < world->cloth_end; i++) {
        if (!world->cloth[i].is_used) continue;
        const vo_rt_front *f = &world->cloth[i].mesh.front;
        for (int t = 0; t < f->triangle_count; t++) leaves[count++] = rt_leaf_make(f, i, t);
    }
    qsort(leaves, (size_t)count, sizeof *leaves, rt_leaf_compare);
    for (int i = 0; i < count; i++)
        for (int j = i + 1; j < count && leaves[j].min[0] <= leaves[i].max[0]; j++) {
            const rt_leaf *a = &leaves[i], *b = &leaves[j];
            if (a->min[1] > b->max[1] || b->min[1] > a->max[1] || a->min[2] > b->max[2] ||
                b->min[2] > a->max[2])
                continue;
            found += rt_count_piercings(a, b) + rt_count_piercings(b, a);
        }
    free(leaves);
    return found;
}

#endif
