/* A sitting rabbit: the smooth union of ellipsoids and lofts (mesh/implicit.h), symmetric in x,
 * facing -y, with a flat base on z = 0. Lengths in the tables are in units of
 * 1 / TABLE_HEIGHT of its height. */
#include "mesh/implicit.h"
#include "mesh/polygonise.h"
#include "mesh/primitives.h"

/* Smallest number of edges along the height: ears and paws are about two edges thick. */
#define MIN_EDGES 32.0

/* Height of the tables. */
#define TABLE_HEIGHT 0.8373

/* Radius with which the base is rounded off. */
#define BASE_RADIUS 0.01

typedef struct ellipsoid {
    vo_vec3 centre;
    vo_vec3 radii;
    double tilt;         /* rad, about x: negative raises the front */
    double blend_radius; /* of the smooth union with the previous parts */
} ellipsoid;

/* Parts with a centre off the plane of symmetry exist on both sides. */
static const ellipsoid ELLIPSOIDS[] = {
    {{0, 0.09, 0.255}, {0.195, 0.285, 0.235}, -0.35, 0},      /* trunk */
    {{0, -0.10, 0.34}, {0.135, 0.135, 0.20}, 0.12, 0.12},     /* chest */
    {{0, 0.01, 0.06}, {0.16, 0.23, 0.085}, 0, 0.05},          /* belly */
    {{0.150, 0.16, 0.185}, {0.088, 0.175, 0.175}, 0.1, 0.03}, /* haunches */
    {{0, -0.175, 0.585}, {0.108, 0.135, 0.115}, 0.35, 0.07},  /* head */
    {{0.052, -0.225, 0.55}, {0.062, 0.07, 0.06}, 0, 0.035},   /* cheeks */
    {{0, -0.29, 0.548}, {0.052, 0.055, 0.05}, 0, 0.04},       /* muzzle */
    {{0.072, -0.19, 0.04}, {0.044, 0.08, 0.042}, 0, 0.03},    /* fore paws */
    {{0.178, 0.02, 0.04}, {0.052, 0.14, 0.042}, 0, 0.025},    /* hind paws */
    {{0, 0.385, 0.17}, {0.072, 0.07, 0.072}, 0, 0.025},       /* tail */
};

/* z from the root, along the ear. */
static const vo_section EAR[] = {
    {-0.04, 0, 0, 0.036, 0.033, 0.033}, {0.04, 0, 0, 0.041, 0.033, 0.033},
    {0.14, 0, 0, 0.050, 0.034, 0.034},  {0.23, 0, 0, 0.050, 0.034, 0.034},
    {0.33, 0, 0, 0.038, 0.031, 0.031},
};

/* z from the ground. */
static const vo_section FORELEG[] = {
    {0.03, 0, 0.02, 0.040, 0.045, 0.045},
    {0.16, 0, 0.01, 0.043, 0.046, 0.046},
    {0.30, 0, 0, 0.055, 0.06, 0.06},
};

#define COUNT(table) ((int)(sizeof(table) / sizeof *(table)))
enum { PARTS = COUNT(ELLIPSOIDS) + 2 };

typedef struct rabbit {
    vo_implicit_form part[PARTS];
    double unit; /* m, of the tables */
} rabbit;

static vo_implicit_form scaled_ellipsoid(double unit, const ellipsoid *e) {
    vo_implicit_form form = {.placement = xf_identity(),
                             .blend_radius = unit * e->blend_radius,
                             .radii = v3_scale(unit, e->radii)};
    form.placement.translation = v3_scale(unit, e->centre);
    form.placement.rotation = q_axis_angle(v3(1, 0, 0), e->tilt);
    return form;
}

static vo_implicit_form scaled_loft(double unit, vo_vec3 root, double blend_radius,
                                    const vo_section *row, int count) {
    vo_implicit_form form = {.placement = xf_identity(),
                             .blend_radius = unit * blend_radius,
                             .section_count = count,
                             .cap = 0.04 * unit};
    form.placement.translation = v3_scale(unit, root);
    for (int i = 0; i < count; i++)
        form.section[i] =
            (vo_section){unit * row[i].z,     unit * row[i].x,     unit * row[i].y,
                         unit * row[i].width, unit * row[i].front, unit * row[i].back};
    return form;
}

/* Returns the left ear, which leans backwards and outwards and opens to the front and the side. */
static vo_implicit_form left_ear(double unit) {
    vo_implicit_form ear = scaled_loft(unit, v3(0.058, -0.125, 0.675), 0.03, EAR, COUNT(EAR));
    vo_quat back = q_axis_angle(v3(1, 0, 0), -1.1), out = q_axis_angle(v3(0, 1, 0), 0.27),
            turn = q_axis_angle(v3(0, 0, 1), 0.25);
    ear.placement.rotation = q_mul(q_mul(out, back), turn);
    return ear;
}

static void make_parts(double unit, rabbit *r) {
    int n = 0;
    r->unit = unit;
    for (int i = 0; i < COUNT(ELLIPSOIDS); i++)
        r->part[n++] = scaled_ellipsoid(unit, &ELLIPSOIDS[i]);
    r->part[n++] = scaled_loft(unit, v3(0.07, -0.15, 0), 0.05, FORELEG, COUNT(FORELEG));
    r->part[n++] = left_ear(unit);
    for (int i = 0; i < PARTS; i++) vo_implicit_form_finish(&r->part[i]);
}

/* Union of the left parts and their mirror images, above the ground; a vo_field_fn. Evaluated for
 * |x|, so that the rabbit is exactly symmetric. */
static double rabbit_value(const void *arg, vo_vec3 p) {
    const rabbit *r = arg;
    double value = INFINITY;
    p.x = fabs(p.x);
    vo_vec3 mirrored = v3(-p.x, p.y, p.z);
    for (int i = 0; i < PARTS; i++) {
        const vo_implicit_form *part = &r->part[i];
        value = vo_implicit_form_blend(part, p, INFINITY, value);
        if (part->placement.translation.x > 0)
            value = vo_implicit_form_blend(part, mirrored, INFINITY, value);
    }
    return vo_smooth_max(value, -p.z, BASE_RADIUS * r->unit);
}

/* Box around the bounding spheres of all parts, with lattice corners on x = 0, which make left and
 * right equal. */
static void set_box(const rabbit *r, vo_polygonise_def *def) {
    double margin = 3 * def->cell, x = 0;
    def->low = v3(0, INFINITY, 0);
    def->high = v3(0, -INFINITY, -INFINITY);
    for (int i = 0; i < PARTS; i++) {
        vo_vec3 c = r->part[i].bound_centre;
        double radius = r->part[i].bound_radius;
        x = vo_max(x, c.x + radius);
        def->low.y = vo_min(def->low.y, c.y - radius);
        def->high.y = vo_max(def->high.y, c.y + radius);
        def->high.z = vo_max(def->high.z, c.z + radius);
    }
    def->low = v3(-def->cell * ceil((x + margin) / def->cell), def->low.y - margin, -margin);
    def->high = v3(x + margin, def->high.y + margin, def->high.z + margin);
}

vo_result vo_make_rabbit(const vo_shape_def *shape, vo_surface_parts *out) {
    rabbit r;
    vo_polygonise_def def = vo_polygonise_def_default();
    make_parts(shape->height / TABLE_HEIGHT, &r);
    def.cell = vo_min(shape->edge_length, shape->height / MIN_EDGES);
    set_box(&r, &def);
    return vo_polygonise(out->ctx, &def, (vo_field){rabbit_value, &r}, out);
}
