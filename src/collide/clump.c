#include "collide/clump.h"

#include "spatial/aabb.h"

enum { SAMPLES = 256 };

/* m; a clump is told of within this distance at least. */
static const double LEAST_RADIUS = 0.001;

static vo_box face_box(const int face[3], const vo_vec3 *x) {
    return box_triangle(x[face[0]], x[face[1]], x[face[2]]);
}

static int count_overlaps(int face_count, const int (*face)[3], vo_box box, const vo_vec3 *x) {
    int count = 0;
    for (int f = 0; f < face_count; f++) count += box_overlaps(box, face_box(face[f], x));
    return count;
}

static bool is_within(const int face[3], const vo_vec3 *x, vo_vec3 place, double radius) {
    return v3_distance(x[face[0]], place) <= radius && v3_distance(x[face[1]], place) <= radius &&
           v3_distance(x[face[2]], place) <= radius;
}

static int count_star(int face_count, const int (*face)[3], int node) {
    int count = 0;
    for (int f = 0; f < face_count; f++)
        count += face[f][0] == node || face[f][1] == node || face[f][2] == node;
    return count;
}

vo_clump vo_clump_around(int face_count, const int (*face)[3], int which, const vo_vec3 *x) {
    vo_box box = face_box(face[which], x);
    vo_clump clump = {.face = which, .place = v3_lerp(box.min, box.max, 0.5)};
    clump.radius = vo_max(v3_distance(box.min, box.max), LEAST_RADIUS);
    for (int f = 0; f < face_count; f++)
        clump.faces += is_within(face[f], x, clump.place, clump.radius);
    for (int k = 0; k < 3; k++)
        clump.star = vo_max_int(clump.star, count_star(face_count, face, face[which][k]));
    return clump;
}

vo_clump vo_clump_find(int face_count, const int (*face)[3], int searched, const vo_vec3 *x) {
    int best = -1, most = 0;
    for (int i = 0; i < vo_min_int(SAMPLES, searched); i++) {
        int f = (int)((int64_t)i * searched / vo_min_int(SAMPLES, searched));
        int count = count_overlaps(face_count, face, face_box(face[f], x), x);
        if (count > most) most = count, best = f;
    }
    return best < 0 ? (vo_clump){.face = -1} : vo_clump_around(face_count, face, best, x);
}
