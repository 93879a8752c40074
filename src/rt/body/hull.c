/* Quickhull (Barber, Dobkin and Huhdanpaa 1996) without conflict lists: at most 256 points.
 *
 * Orientations are computed in double precision on points that were displaced by about 1e-7 of
 * the size, each in its own direction, so that no four of them are coplanar and no test is
 * ambiguous; the visible faces then always form one connected patch. */
#include "rt/body/hull.h"

#include "core/random.h"

#include <string.h>

typedef struct point {
    double x, y, z;
} point;

typedef struct face {
    int16_t v[3], neighbour[3]; /* neighbour[k] is across v[k] - v[k + 1] */
    point normal;               /* unit, outward */
    double offset;              /* normal . x on the plane */
    bool is_used, is_visible;
} face;

enum { MAX_FACES = VO_RT_MAX_HULL_TRIANGLES + VO_RT_MAX_HULL_POINTS };

typedef struct hull_state {
    int count;
    point p[VO_RT_MAX_HULL_POINTS];
    face f[MAX_FACES];
    int16_t free_face[MAX_FACES];
    int free_count;
    double tolerance; /* m, points this close to the hull are dropped */
} hull_state;

static point sub(point a, point b) { return (point){a.x - b.x, a.y - b.y, a.z - b.z}; }
static double dot(point a, point b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static point cross(point a, point b) {
    return (point){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static double height_above(const face *f, point x) { return dot(f->normal, x) - f->offset; }

static void load_points(hull_state *h, int count, const vo_rt_vec3 *points) {
    vo_rt_vec3 low = points[0], high = points[0];
    for (int i = 1; i < count; i++) {
        low = f3_min(low, points[i]);
        high = f3_max(high, points[i]);
    }
    double size = (double)f3_distance(low, high);
    vo_random random = vo_random_seed(1);
    h->count = count;
    h->tolerance = 1e-4 * size;
    for (int i = 0; i < count; i++) {
        double e = 1e-7 * size;
        h->p[i].x = (double)points[i].x + vo_random_real(&random, -e, e);
        h->p[i].y = (double)points[i].y + vo_random_real(&random, -e, e);
        h->p[i].z = (double)points[i].z + vo_random_real(&random, -e, e);
    }
}

/* Makes face i the triangle a b c. */
static void set_face(hull_state *h, int i, int a, int b, int c) {
    face *f = &h->f[i];
    *f = (face){.v = {(int16_t)a, (int16_t)b, (int16_t)c}, .is_used = true};
    point n = cross(sub(h->p[b], h->p[a]), sub(h->p[c], h->p[a]));
    double length = sqrt(dot(n, n));
    if (length > 0) f->normal = (point){n.x / length, n.y / length, n.z / length};
    f->offset = dot(f->normal, h->p[a]);
}

/* Index of the point that maximises the distance from a point, a line or a plane; dimension 0, 1 or
 * 2. base holds the points found so far. */
static int find_extreme(const hull_state *h, const int base[3], int dimension, double *distance) {
    int best = 0;
    *distance = -1;
    point a = h->p[base[0]];
    point u = dimension > 0 ? sub(h->p[base[1]], a) : (point){0};
    point n = dimension > 1 ? cross(u, sub(h->p[base[2]], a)) : (point){0};
    for (int i = 0; i < h->count; i++) {
        point r = sub(h->p[i], a), c = cross(u, r);
        double d = dimension == 0   ? sqrt(dot(r, r))
                   : dimension == 1 ? sqrt(dot(c, c) / fmax(dot(u, u), 1e-300))
                                    : fabs(dot(n, r)) / sqrt(fmax(dot(n, n), 1e-300));
        if (d > *distance) {
            *distance = d;
            best = i;
        }
    }
    return best;
}

/* Starts with the tetrahedron of four extreme points; false if it is flat. */
static bool start(hull_state *h) {
    int v[4] = {0};
    double distance;
    v[0] = find_extreme(h, v, 0, &distance);
    v[1] = find_extreme(h, v, 0, &distance);
    v[2] = find_extreme(h, v, 1, &distance);
    v[3] = find_extreme(h, v, 2, &distance);
    if (!(distance > h->tolerance)) return false;
    point n = cross(sub(h->p[v[1]], h->p[v[0]]), sub(h->p[v[2]], h->p[v[0]]));
    if (dot(n, sub(h->p[v[3]], h->p[v[0]])) > 0) { /* outward: away from the fourth point */
        int t = v[1];
        v[1] = v[2];
        v[2] = t;
    }
    static const int corner[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
    static const int16_t neighbour[4][3] = {{1, 2, 3}, {3, 2, 0}, {1, 3, 0}, {2, 1, 0}};
    for (int i = 0; i < 4; i++) {
        set_face(h, i, v[corner[i][0]], v[corner[i][1]], v[corner[i][2]]);
        memcpy(h->f[i].neighbour, neighbour[i], sizeof neighbour[i]);
    }
    for (int i = MAX_FACES - 1; i >= 4; i--) h->free_face[h->free_count++] = (int16_t)i;
    return true;
}

/* The point farthest outside a face, or -1 if all are within the tolerance. */
static int find_outside_point(const hull_state *h, int *visible) {
    int best = -1;
    double most = h->tolerance;
    for (int i = 0; i < MAX_FACES; i++)
        for (int k = 0; h->f[i].is_used && k < h->count; k++) {
            double height = height_above(&h->f[i], h->p[k]);
            if (height > most) {
                most = height;
                best = k;
                *visible = i;
            }
        }
    return best;
}

/* Marks the connected faces visible from x, beginning with one. */
static void mark_visible(hull_state *h, int first, point x) {
    int16_t stack[MAX_FACES];
    int top = 0;
    h->f[first].is_visible = true;
    stack[top++] = (int16_t)first;
    while (top > 0) {
        const face *f = &h->f[stack[--top]];
        for (int k = 0; k < 3; k++) {
            face *other = &h->f[f->neighbour[k]];
            if (other->is_visible || height_above(other, x) <= 0) continue;
            other->is_visible = true;
            stack[top++] = f->neighbour[k];
        }
    }
}

/* Connects new faces around point p: the edge a-p of one is the edge p-a of another. */
static void connect_faces(hull_state *h, const int16_t *made, int count) {
    for (int i = 0; i < count; i++)
        for (int k = 0; k < count; k++)
            if (h->f[made[k]].v[0] == h->f[made[i]].v[1]) {
                h->f[made[i]].neighbour[1] = made[k];
                h->f[made[k]].neighbour[2] = made[i];
            }
}

/* Replaces the visible faces by a fan around point p. False if memory for faces is exhausted. */
static bool add_point(hull_state *h, int p) {
    int16_t made[MAX_FACES];
    int count = 0;
    for (int i = 0; i < MAX_FACES; i++) {
        const face *f = &h->f[i];
        for (int k = 0; f->is_used && f->is_visible && k < 3; k++) {
            int other = f->neighbour[k], a = f->v[k], b = f->v[(k + 1) % 3];
            if (h->f[other].is_visible) continue;
            if (h->free_count == 0) return false;
            int16_t n = h->free_face[--h->free_count];
            set_face(h, n, a, b, p);
            h->f[n].neighbour[0] = (int16_t)other;
            for (int j = 0; j < 3; j++)
                if (h->f[other].v[j] == b && h->f[other].v[(j + 1) % 3] == a)
                    h->f[other].neighbour[j] = n;
            made[count++] = n;
        }
    }
    connect_faces(h, made, count);
    for (int i = 0; i < MAX_FACES; i++)
        if (h->f[i].is_used && h->f[i].is_visible) {
            h->f[i].is_used = h->f[i].is_visible = false;
            h->free_face[h->free_count++] = (int16_t)i;
        }
    return true;
}

/* Copies the used faces, with the original coordinates of the points that they use. */
static bool copy_result(const hull_state *h, const vo_rt_vec3 *points, vo_rt_hull *hull) {
    int index[VO_RT_MAX_HULL_POINTS];
    for (int i = 0; i < h->count; i++) index[i] = -1;
    hull->vertex_count = hull->triangle_count = 0;
    for (int i = 0; i < MAX_FACES; i++) {
        if (!h->f[i].is_used) continue;
        if (hull->triangle_count == VO_RT_MAX_HULL_TRIANGLES) return false;
        for (int k = 0; k < 3; k++) {
            int v = h->f[i].v[k];
            if (index[v] < 0) {
                index[v] = hull->vertex_count;
                hull->vertex[hull->vertex_count++] = points[v];
            }
            hull->triangle[3 * hull->triangle_count + k] = index[v];
        }
        hull->triangle_count++;
    }
    return true;
}

static bool build(hull_state *h, int count, const vo_rt_vec3 *points, vo_rt_hull *hull) {
    load_points(h, count, points);
    if (!start(h)) return false;
    for (int i = 0; i < count; i++) {
        int face_index = 0, p = find_outside_point(h, &face_index);
        if (p < 0) break;
        mark_visible(h, face_index, h->p[p]);
        if (!add_point(h, p)) return false;
    }
    return copy_result(h, points, hull);
}

vo_result vo_rt_hull_build(const vo_allocator *allocator, int count, const vo_rt_vec3 *points,
                           vo_rt_hull *hull) {
    hull_state *h = allocator->allocate(allocator->user, sizeof *h, _Alignof(hull_state));
    if (!h) return VO_NO_MEMORY;
    memset(h, 0, sizeof *h);
    bool is_solid = build(h, count, points, hull);
    allocator->release(allocator->user, h, sizeof *h);
    return is_solid ? VO_OK : VO_BAD_ARGUMENT;
}
