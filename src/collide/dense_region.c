#include "collide/dense_region.h"

#include "spatial/aabb.h"

enum { SAMPLES = 256 };

/* m; smallest reported radius */
static const double MIN_RADIUS = 0.001;

static vo_box face_box(const int face[3], const vo_vec3 *x) {
    return box_triangle(x[face[0]], x[face[1]], x[face[2]]);
}

static int count_overlaps(int face_count, const int (*face)[3], vo_box box, const vo_vec3 *x) {
    int count = 0;
    for (int f = 0; f < face_count; f++) count += box_overlaps(box, face_box(face[f], x));
    return count;
}

static bool is_within(const int face[3], const vo_vec3 *x, vo_vec3 centre, double radius) {
    return v3_distance(x[face[0]], centre) <= radius && v3_distance(x[face[1]], centre) <= radius &&
           v3_distance(x[face[2]], centre) <= radius;
}

static int count_adjacent_faces(int face_count, const int (*face)[3], int node) {
    int count = 0;
    for (int f = 0; f < face_count; f++)
        count += face[f][0] == node || face[f][1] == node || face[f][2] == node;
    return count;
}

vo_dense_region vo_dense_region_around(int face_count, const int (*face)[3], int which,
                                       const vo_vec3 *x) {
    vo_box box = face_box(face[which], x);
    vo_dense_region region = {.face = which, .position = v3_lerp(box.min, box.max, 0.5)};
    region.radius = vo_max(v3_distance(box.min, box.max), MIN_RADIUS);
    for (int f = 0; f < face_count; f++)
        region.face_count += is_within(face[f], x, region.position, region.radius);
    for (int k = 0; k < 3; k++)
        region.max_valence =
            vo_max_int(region.max_valence, count_adjacent_faces(face_count, face, face[which][k]));
    return region;
}

vo_dense_region vo_dense_region_find(int face_count, const int (*face)[3], int searched,
                                     const vo_vec3 *x) {
    int best = -1, max_count = 0;
    for (int i = 0; i < vo_min_int(SAMPLES, searched); i++) {
        int f = (int)((int64_t)i * searched / vo_min_int(SAMPLES, searched));
        int count = count_overlaps(face_count, face, face_box(face[f], x), x);
        if (count > max_count) max_count = count, best = f;
    }
    return best < 0 ? (vo_dense_region){.face = -1}
                    : vo_dense_region_around(face_count, face, best, x);
}
