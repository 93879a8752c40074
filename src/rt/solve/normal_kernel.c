/* Area-weighted vertex normals, and bend angles. */
#include "rt/solve/face_kernel.h"
#include "rt/solve/kernels.h"

#include <string.h>

static void add_face_normals(vo_rt_front *front, const vo_rt_vec4 *position) {
    const vo_f8 one[3] = {f8_set(1), f8_set(1), f8_set(1)};
    VO_RT_FOR_GROUPS(i, (front->triangle_count + VO_F8_LANES - 1) / VO_F8_LANES) {
        face_lanes f;
        load_faces(&f, front, i * VO_F8_LANES);
        vo_f8 w;
        vo_v8 a = v8_gather(position, f.vertex[0], &w);
        vo_v8 b = v8_gather(position, f.vertex[1], &w), c = v8_gather(position, f.vertex[2], &w);
        add_to_corners(front->normal, &f, v8_cross(v8_sub(b, a), v8_sub(c, a)), one);
    }
}

static void normalize(vo_rt_vec4 *normal, int count) {
    for (int first = 0; first < count; first += VO_F8_LANES) {
        int32_t index[VO_F8_LANES]; /* the last element repeats */
        for (int k = 0; k < VO_F8_LANES; k++) index[k] = first + k < count ? first + k : count - 1;
        vo_f8 w;
        vo_v8 n = v8_gather(normal, index, &w);
        /* Scaled first, so that the squares of tiny areas do not underflow. */
        vo_f8 size = f8_max(f8_max(f8_abs(n.x), f8_abs(n.y)), f8_abs(n.z));
        n = v8_scale(f8_divide(f8_set(1), size, 1e-35f), n);
        vo_f8 inverse = f8_divide(f8_set(1), f8_sqrt(v8_dot(n, n)), 0);
        v8_scatter(normal, index, v8_scale(inverse, n), f8_set(0));
    }
}

void VO_KERNEL(vo_rt_compute_normals)(vo_rt_front *front, const vo_rt_vec4 *position) {
    memset(front->normal, 0, sizeof *front->normal * (size_t)front->vertex_end);
    add_face_normals(front, position);
    normalize(front->normal, front->vertex_end);
}

void VO_KERNEL(vo_rt_measure_bends)(vo_rt_front *front) {
    for (int i = 0; i < front->bend_group_count; i++) {
        const vo_rt_bend_group *g = &front->bends[i];
        vo_f8 w;
        vo_v8 a = v8_gather(front->position, g->a, &w), b = v8_gather(front->position, g->b, &w);
        vo_v8 c = v8_gather(front->position, g->c, &w), d = v8_gather(front->position, g->d, &w);
        vo_v8 e = v8_sub(b, a);
        vo_v8 m = v8_cross(e, v8_sub(c, a)), n = v8_cross(v8_sub(d, a), e);
        vo_f8 size = f8_sqrt(v8_dot(m, m) * v8_dot(n, n));
        vo_f8 cosine = f8_select(size > f8_set(0), f8_divide(v8_dot(m, n), size, 0), f8_set(1));
        f8_store(&front->bend_cosine[i * VO_F8_LANES], cosine);
    }
}
