/* Loads and sums over the leaf triangles, which may share vertices: eight triangles are evaluated
 * at once, and their results are added vertex by vertex in the order of the triangles. Included by
 * kernel files only. */
#ifndef VO_RT_SOLVE_FACE_KERNEL_H
#define VO_RT_SOLVE_FACE_KERNEL_H

#include "math/simd_float.h"

#include "rt/hierarchy/front.h"

/* Vertex slots and rest areas of eight triangles; slot 0 and area 0 in lanes beyond the last. */
typedef struct face_lanes {
    int32_t vertex[3][VO_F8_LANES];
    float area[VO_F8_LANES];
    int count;
} face_lanes;

VO_INLINE void load_faces(face_lanes *f, const vo_rt_front *front, int first) {
    int left = front->triangle_count - first;
    f->count = left < VO_F8_LANES ? left : VO_F8_LANES;
    for (int k = 0; k < f->count; k++) {
        const vo_rt_leaf_triangle *t = &front->triangles[first + k];
        for (int i = 0; i < 3; i++) f->vertex[i][k] = t->vertex[i];
        f->area[k] = t->rest_area;
    }
    for (int k = f->count; k < VO_F8_LANES; k++) {
        for (int i = 0; i < 3; i++) f->vertex[i][k] = 0;
        f->area[k] = 0;
    }
}

/* Adds a vector per triangle, times scale[i], to its corner i of `to`. */
VO_INLINE void add_to_corners(vo_rt_vec4 *to, const face_lanes *f, vo_v8 v, const vo_f8 scale[3]) {
    static const int32_t identity[VO_F8_LANES] = {0, 1, 2, 3, 4, 5, 6, 7};
    vo_rt_vec4 add[3][VO_F8_LANES];
    for (int i = 0; i < 3; i++) v8_scatter(add[i], identity, v8_scale(scale[i], v), f8_set(0));
    for (int k = 0; k < f->count; k++)
        for (int i = 0; i < 3; i++) {
            vo_rt_vec4 *corner = &to[f->vertex[i][k]];
            f4_store(corner, f4_load(corner) + f4_load(&add[i][k]));
        }
}

#endif
