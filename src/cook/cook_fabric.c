/* Parameters of the real-time solver from measured or linear fabrics. */
#include "cook/cook.h"

/* Young's moduli at zero strain from the stiffness c: the stress along one axis per strain along it
 * while the other axis is free of stress. */
static double mean_young(const vo_fabric *fabric) {
    vo_stiffness k = vo_fabric_stiffness(fabric, (vo_sym2){0, 0, 0});
    double warp = k.c[2] > 0 ? k.c[0] - k.c[1] * k.c[1] / k.c[2] : k.c[0];
    double weft = k.c[0] > 0 ? k.c[2] - k.c[1] * k.c[1] / k.c[0] : k.c[2];
    return (vo_max(warp, 0) + vo_max(weft, 0)) / 2;
}

/* Mean of d0 cos^4 + d1 sin^4 + d2 sin^2 cos^2 over the circle. */
static double mean_rigidity(const vo_fabric *fabric) {
    vo_plate plate = vo_fabric_plate(fabric, 0);
    return 3.0 / 8 * (plate.d[0] + plate.d[1]) + 1.0 / 8 * plate.d[2];
}

/* The range that the real-time library accepts. */
static float clamp_to(double value, double low, double high) {
    return (float)vo_clamp(value, low, high);
}

static vo_rt_fabric convert(double density, double young, double rigidity) {
    vo_rt_fabric out = vo_rt_fabric_default();
    out.density = clamp_to(density, 1e-4, 1e3);
    out.stretch_compliance = young > 1e-3 ? (float)(1 / young) : 1e3f;
    out.bend_stiffness = clamp_to(rigidity, 0, 1e3);
    return out;
}

vo_rt_fabric vo_cook_fabric(const vo_fabric *fabric) {
    return convert(fabric->density, mean_young(fabric), mean_rigidity(fabric));
}

double vo_cook_area(const vo_mesh *mesh) {
    double area = 0;
    for (int f = 0; f < mesh->face_count; f++) area += vo_mesh_face_area(mesh, f);
    return area;
}

vo_rt_fabric vo_cook_materials(const vo_mesh *mesh, int count, const vo_material *material) {
    double total = 0, density = 0, young = 0, rigidity = 0;
    for (int f = 0; f < mesh->face_count; f++) {
        int label = mesh->face_label[f];
        const vo_material *m = &material[label < 0 ? 0 : label < count ? label : count - 1];
        double area = vo_mesh_face_area(mesh, f);
        total += area;
        density += area * m->density_mult * m->fabric->density;
        young += area * m->stretching_mult * mean_young(m->fabric);
        rigidity += area * m->bending_mult * mean_rigidity(m->fabric);
    }
    if (!(total > 0)) return vo_rt_fabric_default();
    return convert(density / total, young / total, rigidity / total);
}
