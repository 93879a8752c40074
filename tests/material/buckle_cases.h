/* Random fabrics, strains and faces for the tests of buckling compensation. */
#ifndef VOILE_TESTS_BUCKLE_CASES_H
#define VOILE_TESTS_BUCKLE_CASES_H

#include "support.h"

#include "core/random.h"
#include "material/stretch.h"

#include <math.h>

static inline double draw(vo_random *r, double size) { return vo_random_real(r, -size, size); }

/* Random stiffness of any proportions, some without shear, coupling or weft. */
static inline vo_stiffness draw_stiffness(vo_random *r) {
    double c0 = exp(draw(r, 3)), c2 = vo_random_int(r, 16) ? exp(draw(r, 3)) : 0;
    double both = sqrt(c0 * c2);
    double coupling = vo_random_int(r, 4) ? draw(r, 0.999) : 0;
    double shear = vo_random_int(r, 8) ? both * exp(draw(r, 4)) : 0;
    return (vo_stiffness){{c0, coupling * both, c2, shear}};
}

/* Random stiffness of cloth, within the limits of the law. */
static inline vo_stiffness draw_cloth_stiffness(vo_random *r) {
    double c0 = exp(draw(r, 1)), c2 = exp(draw(r, 1)), both = sqrt(c0 * c2);
    return (vo_stiffness){{c0, draw(r, 0.8) * both, c2, both * exp(vo_random_real(r, -3, 0.5))}};
}

static inline vo_sym2 draw_strain(vo_random *r) {
    double size = exp(vo_random_real(r, -8, 0));
    double xx = draw(r, size), xy = draw(r, size);
    return (vo_sym2){xx, xy, draw(r, size)};
}

static inline double *coordinate(vo_vec3 *x, int k) {
    double *c[3] = {&x[k / 3].x, &x[k / 3].y, &x[k / 3].z};
    return c[k % 3];
}

/* A random face and positions, compressed in some direction. */
static inline vo_stretch_face draw_face(vo_random *r, vo_vec3 x[3]) {
    vo_mat2 dm;
    do {
        dm = (vo_mat2){draw(r, 1), draw(r, 1), draw(r, 1), draw(r, 1)};
    } while (m2_det(dm) < 0.2);
    vo_vec3 u = v3_normalize(test_random_vec3(r, 1)),
            v = v3_normalize(v3_cross(test_random_vec3(r, 1), u));
    u = v3_scale(vo_random_real(r, 0.4, 1.2), v3_add(u, test_random_vec3(r, 0.2)));
    v = v3_scale(vo_random_real(r, 0.4, 1.2), v3_add(v, test_random_vec3(r, 0.2)));
    x[0] = test_random_vec3(r, 1);
    x[1] = v3_add(x[0], v3_add(v3_scale(dm.a, u), v3_scale(dm.c, v)));
    x[2] = v3_add(x[0], v3_add(v3_scale(dm.b, u), v3_scale(dm.d, v)));
    return (vo_stretch_face){
        .inverse = m2_inverse(dm), .area = 0.5 * m2_det(dm), .slack = vo_random_real(r, 0, 1)};
}

#endif
