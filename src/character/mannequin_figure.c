/* Proportions of the mannequin: tables of sections, and their dependence on build and figure.
 * Metres for a height of 1.75 m; girths near those of European size tables (chest 92, waist 74,
 * hips 96 cm). */
#include "character/mannequin.h"
#include "character/mannequin_implicit.h"

#define TABLE_HEIGHT 1.75

/* Girth that scales a section. */
typedef enum girth { NECK, SHOULDERS, CHEST, WAIST, HIPS, LIMBS, EXTREMITIES, GIRTHS } girth;

/* Row of a table: sizes as in vo_section, in the frame of its bone; z up. */
typedef struct row {
    double z, x, y, width, front, back;
    girth follows;
} row;

/* From the crotch to the base of the neck; z from the ground. */
static const row TORSO[] = {
    {0.780, 0, 0.004, 0.110, 0.070, 0.080, HIPS},
    {0.860, 0, 0.004, 0.152, 0.090, 0.098, HIPS},
    {0.925, 0, 0.004, 0.170, 0.098, 0.106, HIPS},
    {1.000, 0, 0.002, 0.160, 0.098, 0.090, HIPS},
    {1.060, 0, 0.000, 0.143, 0.094, 0.078, WAIST},
    {1.110, 0, -0.002, 0.137, 0.090, 0.076, WAIST},
    {1.180, 0, 0.000, 0.146, 0.096, 0.086, WAIST},
    {1.260, 0, 0.004, 0.163, 0.106, 0.100, CHEST},
    {1.330, 0, 0.008, 0.173, 0.106, 0.104, CHEST},
    {1.380, 0, 0.012, 0.175, 0.092, 0.096, SHOULDERS},
    {1.415, 0, 0.014, 0.164, 0.074, 0.082, SHOULDERS},
    {1.442, 0, 0.016, 0.132, 0.060, 0.068, SHOULDERS},
    {1.465, 0, 0.016, 0.096, 0.052, 0.060, SHOULDERS},
    {1.520, 0, 0.014, 0.050, 0.046, 0.052, NECK},
};

/* z from the ground. */
static const row NECK_ROWS[] = {
    {1.430, 0, 0.020, 0.060, 0.056, 0.056, NECK},
    {1.490, 0, 0.012, 0.054, 0.052, 0.054, NECK},
    {1.540, 0, 0.004, 0.051, 0.050, 0.054, NECK},
    {1.600, 0, 0.000, 0.052, 0.050, 0.058, NECK},
};

/* Chin to brow; z from the ground. */
static const row FACE[] = {
    {1.514, 0, -0.046, 0.038, 0.044, 0.040, EXTREMITIES},
    {1.545, 0, -0.036, 0.047, 0.054, 0.055, EXTREMITIES},
    {1.580, 0, -0.024, 0.058, 0.066, 0.065, EXTREMITIES},
    {1.620, 0, -0.012, 0.066, 0.077, 0.075, EXTREMITIES},
    {1.655, 0, -0.006, 0.070, 0.084, 0.080, EXTREMITIES},
    {1.690, 0, 0.000, 0.068, 0.088, 0.080, EXTREMITIES},
    {1.728, 0, 0.004, 0.054, 0.070, 0.070, EXTREMITIES},
};

/* From the hand to the top of the shoulder, along the straight arm; z from the shoulder joint. */
static const row ARM[] = {
    {-0.605, 0, 0, 0.021, 0.027, 0.026, EXTREMITIES},
    {-0.565, 0, 0, 0.023, 0.027, 0.026, EXTREMITIES},
    {-0.520, 0, 0, 0.028, 0.028, 0.028, LIMBS},
    {-0.440, 0, 0, 0.037, 0.037, 0.037, LIMBS},
    {-0.375, 0, 0, 0.040, 0.042, 0.040, LIMBS},
    {-0.317, 0, 0, 0.037, 0.038, 0.040, LIMBS},
    {-0.250, 0, 0, 0.041, 0.043, 0.043, LIMBS},
    {-0.160, 0, 0, 0.046, 0.049, 0.047, LIMBS},
    {-0.080, 0.000, 0, 0.050, 0.053, 0.053, LIMBS},
    {0.000, 0.000, 0.002, 0.052, 0.056, 0.058, LIMBS},
    {0.054, 0.000, 0.004, 0.052, 0.054, 0.056, LIMBS},
};

/* Mitten; the palm faces -x, the thumb -y; z from the wrist. */
static const row HAND[] = {
    {-0.190, -0.012, 0.000, 0.0155, 0.030, 0.030, EXTREMITIES},
    {-0.150, -0.008, 0.000, 0.0170, 0.036, 0.036, EXTREMITIES},
    {-0.105, -0.003, 0.000, 0.0180, 0.040, 0.040, EXTREMITIES},
    {-0.065, 0.000, 0.000, 0.0190, 0.039, 0.039, EXTREMITIES},
    {-0.025, 0.000, 0.000, 0.0200, 0.033, 0.032, EXTREMITIES},
    {0.020, 0.000, 0.000, 0.0210, 0.027, 0.026, EXTREMITIES},
};

static const row THUMB[] = {
    {-0.088, 0, 0, 0.0140, 0.0145, 0.0145, EXTREMITIES},
    {-0.045, 0, 0, 0.0145, 0.0150, 0.0150, EXTREMITIES},
    {0.010, 0, 0, 0.0155, 0.0175, 0.0175, EXTREMITIES},
};

/* From the ankle to the hip along the straight leg; z from the hip joint. */
static const row LEG[] = {
    {-0.872, 0.000, 0.004, 0.030, 0.036, 0.036, EXTREMITIES},
    {-0.830, 0.000, 0.004, 0.034, 0.036, 0.038, EXTREMITIES},
    {-0.780, 0.000, 0.004, 0.032, 0.034, 0.037, LIMBS},
    {-0.700, 0.000, 0.006, 0.039, 0.038, 0.044, LIMBS},
    {-0.610, 0.001, 0.008, 0.050, 0.044, 0.058, LIMBS},
    {-0.535, 0.001, 0.008, 0.054, 0.048, 0.062, LIMBS},
    {-0.465, 0.000, 0.002, 0.051, 0.050, 0.052, LIMBS},
    {-0.415, 0.000, -0.002, 0.052, 0.055, 0.050, LIMBS},
    {-0.360, 0.000, -0.002, 0.056, 0.059, 0.055, LIMBS},
    {-0.280, 0.000, 0.000, 0.065, 0.070, 0.067, LIMBS},
    {-0.180, 0.000, 0.002, 0.075, 0.081, 0.080, HIPS},
    {-0.090, 0.002, 0.004, 0.082, 0.087, 0.090, HIPS},
    {0.000, 0.002, 0.004, 0.072, 0.080, 0.086, HIPS},
    {0.060, 0.000, 0.004, 0.056, 0.066, 0.070, HIPS},
};

/* From heel to toes; here z points forwards from the ankle, front is the sole and y is up. */
static const row FOOT[] = {
    {-0.062, 0.000, -0.046, 0.032, 0.028, 0.034, EXTREMITIES},
    {-0.030, 0.000, -0.048, 0.034, 0.027, 0.046, EXTREMITIES},
    {0.020, 0.001, -0.048, 0.037, 0.027, 0.060, EXTREMITIES},
    {0.070, 0.003, -0.050, 0.042, 0.025, 0.042, EXTREMITIES},
    {0.120, 0.004, -0.051, 0.047, 0.024, 0.027, EXTREMITIES},
    {0.160, 0.002, -0.052, 0.047, 0.023, 0.021, EXTREMITIES},
    {0.208, -0.002, -0.052, 0.043, 0.023, 0.018, EXTREMITIES},
};

#define COUNT(table) ((int)(sizeof(table) / sizeof *(table)))

/* State of the construction. */
typedef struct builder {
    const vo_mannequin_def *def;
    vo_transform world[VO_BONE_COUNT]; /* in the rest pose */
    double unit;                       /* m per metre of the tables */
    double girth[GIRTHS];              /* factors */
    vo_implicit_body *out;
} builder;

/* Computes the girth factors of the requested sizes; the waist varies most. */
static void find_girths(builder *m) {
    const vo_mannequin_def *d = m->def;
    double heavy = vo_max(d->build, 0), slim = vo_max(-d->build, 0);
    double female = vo_max(d->figure, 0), male = vo_max(-d->figure, 0);
    m->girth[NECK] = 1 + 0.1 * heavy - 0.06 * slim - 0.06 * female + 0.08 * male;
    m->girth[SHOULDERS] =
        d->shoulders * (1 + 0.06 * heavy - 0.05 * slim - 0.05 * female + 0.07 * male);
    m->girth[CHEST] = d->chest * (1 + 0.15 * heavy - 0.07 * slim - 0.05 * female + 0.05 * male);
    m->girth[WAIST] = d->waist * (1 + 0.3 * heavy - 0.09 * slim - 0.06 * female + 0.05 * male);
    m->girth[HIPS] = d->hips * (1 + 0.14 * heavy - 0.08 * slim + 0.03 * female - 0.04 * male);
    m->girth[LIMBS] = d->limbs * (1 + 0.12 * heavy - 0.1 * slim - 0.04 * female + 0.05 * male);
    m->girth[EXTREMITIES] = 1 - 0.02 * female + 0.02 * male;
}

/* Adds a primitive to a group, with its frame and blend radius (in metres of the table). */
static vo_implicit_primitive *add_primitive(builder *m, vo_implicit_group group, vo_transform place,
                                            double blend_radius) {
    vo_implicit_primitive *form = &m->out->primitive[m->out->count++];
    *form = (vo_implicit_primitive){
        .group = group, .shape = {.placement = place, .blend_radius = blend_radius * m->unit}};
    return form;
}

/* Returns the frame of a bone with its origin at p, in metres of the table. */
static vo_transform at_bone(const builder *m, vo_bone bone, vo_vec3 p) {
    vo_transform t = m->world[bone];
    t.translation = xf_point(t, v3_scale(m->unit, p));
    return t;
}

/* Returns a frame at a position above the ground in the zero pose; in the rest pose the trunk is
 * lower but not rotated. */
static vo_transform on_trunk(const builder *m, vo_vec3 p) {
    vo_transform t = xf_identity();
    double hips = 0.545 * TABLE_HEIGHT;
    t.translation =
        v3_add_scaled(m->world[VO_BONE_HIPS].translation, m->unit, v3(p.x, p.y, p.z - hips));
    return t;
}

/* Returns the girth factor of a row, smoothed with those of its neighbours, so that changing one
 * girth leaves no ring. */
static double girth_at(const builder *m, const row *rows, int count, int i) {
    static const double weight[5] = {1, 2, 3, 2, 1};
    double sum = 0;
    for (int k = 0; k < 5; k++) {
        int at = vo_min_int(vo_max_int(i + k - 2, 0), count - 1);
        sum += weight[k] / 9 * m->girth[rows[at].follows];
    }
    return sum;
}

static vo_implicit_primitive *add_loft(builder *m, vo_implicit_group group, vo_transform place,
                                       double blend_radius, const row *rows, int count) {
    vo_implicit_primitive *form = add_primitive(m, group, place, blend_radius);
    form->shape.section_count = count;
    for (int i = 0; i < count; i++) {
        const row *r = &rows[i];
        double u = m->unit, g = u * girth_at(m, rows, count, i);
        form->shape.section[i] =
            (vo_section){u * r->z, g * r->x, g * r->y, g * r->width, g * r->front, g * r->back};
    }
    return form;
}

static vo_implicit_primitive *add_ellipsoid(builder *m, vo_transform place, double blend_radius,
                                            vo_vec3 radii) {
    vo_implicit_primitive *form = add_primitive(m, VO_GROUP_TRUNK, place, blend_radius);
    form->shape.radii = v3_scale(m->unit, radii);
    return form;
}

/* Assigns the skin beyond `from` along z (in metres of the table) to this bone. */
static void assign_bone(const builder *m, vo_implicit_primitive *form, vo_bone bone, double from,
                        double blend) {
    form->span[form->span_count++] = (vo_implicit_span){bone, m->unit * from, m->unit * blend};
}

static void add_torso(builder *m) {
    vo_implicit_primitive *torso =
        add_loft(m, VO_GROUP_TRUNK, on_trunk(m, v3_zero()), 0, TORSO, COUNT(TORSO));
    torso->shape.square = 0.3;
    torso->shape.cap = 0.06 * m->unit;
    torso->shoulders = true;
    assign_bone(m, torso, VO_BONE_HIPS, 0, 0);
    assign_bone(m, torso, VO_BONE_SPINE, 1.04, 0.07);
    assign_bone(m, torso, VO_BONE_CHEST, 1.2, 0.08);
    assign_bone(m, torso, VO_BONE_NECK, 1.48, 0.04);
}

/* Adds a pair of ellipsoids to the trunk, specified on the left; radii scale with the girth. */
static vo_implicit_primitive *add_pair(builder *m, girth follows, vo_vec3 place,
                                       double blend_radius, vo_vec3 radii) {
    double g = m->girth[follows];
    vo_implicit_primitive *form =
        add_ellipsoid(m, on_trunk(m, v3(g * place.x, g * place.y, place.z)), blend_radius,
                      v3(g * radii.x, g * radii.y, radii.z));
    form->paired = true;
    return form;
}

/* Adds the seat and the chest, which varies from flat to a bust with the figure. */
static void add_seat_and_chest(builder *m) {
    vo_implicit_primitive *seat =
        add_pair(m, HIPS, v3(0.072, 0.048, 0.895), 0.05, v3(0.082, 0.080, 0.088));
    assign_bone(m, seat, VO_BONE_HIPS, 0, 0);
    double bust = vo_max(m->def->figure, 0);
    vo_vec3 place = v3_lerp(v3(0.076, -0.056, 1.325), v3(0.074, -0.078, 1.285), bust);
    vo_vec3 radii = v3_lerp(v3(0.080, 0.048, 0.062), v3(0.060, 0.062, 0.064), bust);
    vo_implicit_primitive *chest = add_pair(m, CHEST, place, 0.05 - 0.015 * bust, radii);
    assign_bone(m, chest, VO_BONE_CHEST, 0, 0);
}

static void add_head(builder *m) {
    vo_implicit_primitive *neck =
        add_loft(m, VO_GROUP_TRUNK, on_trunk(m, v3_zero()), 0.05, NECK_ROWS, COUNT(NECK_ROWS));
    neck->shape.cap = 0.04 * m->unit;
    assign_bone(m, neck, VO_BONE_CHEST, 0, 0);
    assign_bone(m, neck, VO_BONE_NECK, 1.475, 0.035);
    assign_bone(m, neck, VO_BONE_HEAD, 1.555, 0.03);
    vo_implicit_primitive *skull =
        add_ellipsoid(m, on_trunk(m, v3(0, 0.008, 1.655)), 0.02, v3(0.076, 0.096, 0.095));
    assign_bone(m, skull, VO_BONE_HEAD, 0, 0);
    vo_implicit_primitive *face =
        add_loft(m, VO_GROUP_TRUNK, on_trunk(m, v3_zero()), 0.025, FACE, COUNT(FACE));
    face->shape.square = 0.25;
    face->shape.cap = 0.036 * m->unit;
    assign_bone(m, face, VO_BONE_HEAD, 0, 0);
    vo_transform slant = on_trunk(m, v3(0, -0.087, 1.622));
    slant.rotation = q_axis_angle(v3(1, 0, 0), -0.22);
    vo_implicit_primitive *nose = add_ellipsoid(m, slant, 0.018, v3(0.012, 0.016, 0.032));
    assign_bone(m, nose, VO_BONE_HEAD, 0, 0);
}

static void add_arm(builder *m) {
    vo_implicit_primitive *arm =
        add_loft(m, VO_GROUP_ARM, m->world[VO_BONE_LEFT_UPPER_ARM], 0, ARM, COUNT(ARM));
    arm->shape.cap = 0.055 * m->unit;
    assign_bone(m, arm, VO_BONE_LEFT_HAND, 0, 0);
    assign_bone(m, arm, VO_BONE_LEFT_FOREARM, -0.574, 0.03);
    assign_bone(m, arm, VO_BONE_LEFT_UPPER_ARM, -0.317, 0.06);
    assign_bone(m, arm, VO_BONE_LEFT_CLAVICLE, -0.005, 0.055);
    vo_implicit_primitive *hand =
        add_loft(m, VO_GROUP_ARM, m->world[VO_BONE_LEFT_HAND], 0.012, HAND, COUNT(HAND));
    hand->shape.square = 0.7;
    hand->shape.cap = 0.03 * m->unit;
    assign_bone(m, hand, VO_BONE_LEFT_HAND, 0, 0);
    assign_bone(m, hand, VO_BONE_LEFT_FOREARM, 0, 0.03);
    vo_transform root = at_bone(m, VO_BONE_LEFT_HAND, v3(-0.004, -0.020, -0.030));
    root.rotation = q_mul(root.rotation, q_axis_angle(v3(1, 0.25, 0), -0.62));
    vo_implicit_primitive *thumb = add_loft(m, VO_GROUP_ARM, root, 0.014, THUMB, COUNT(THUMB));
    thumb->shape.cap = 0.016 * m->unit;
    assign_bone(m, thumb, VO_BONE_LEFT_HAND, 0, 0);
}

static void add_leg(builder *m) {
    vo_implicit_primitive *leg =
        add_loft(m, VO_GROUP_LEG, m->world[VO_BONE_LEFT_THIGH], 0, LEG, COUNT(LEG));
    leg->shape.cap = 0.06 * m->unit;
    assign_bone(m, leg, VO_BONE_LEFT_FOOT, 0, 0);
    assign_bone(m, leg, VO_BONE_LEFT_SHIN, -0.832, 0.035);
    assign_bone(m, leg, VO_BONE_LEFT_THIGH, -0.415, 0.07);
    assign_bone(m, leg, VO_BONE_HIPS, -0.02, 0.09);
    vo_transform forwards = m->world[VO_BONE_LEFT_FOOT];
    forwards.rotation = q_mul(forwards.rotation, q_axis_angle(v3(1, 0, 0), VO_PI / 2));
    vo_implicit_primitive *foot = add_loft(m, VO_GROUP_LEG, forwards, 0.03, FOOT, COUNT(FOOT));
    foot->shape.square = 0.3;
    foot->shape.cap = 0.035 * m->unit;
    assign_bone(m, foot, VO_BONE_LEFT_FOOT, 0, 0);
    assign_bone(m, foot, VO_BONE_LEFT_TOES, 0.137, 0.025);
}

/* Adds details, where shorter edges are needed: hands, thumbs, toes and nose look faceted at the
 * edge length of the back, and so do forearms and shins, which few edges surround. */
static void add_details(builder *m) {
    const vo_bone bone[VO_MAX_DETAILS] = {VO_BONE_LEFT_HAND,    VO_BONE_LEFT_FOOT,
                                          VO_BONE_LEFT_FOOT,    VO_BONE_HEAD,
                                          VO_BONE_LEFT_FOREARM, VO_BONE_LEFT_SHIN};
    const vo_vec3 place[VO_MAX_DETAILS] = {{0, 0, -0.08},    {0.002, -0.14, -0.06},
                                           {0, 0.02, -0.06}, {0, -0.087, 1.615},
                                           {0, 0, -0.15},    {0, 0, -0.3}};
    const double radius[VO_MAX_DETAILS] = {0.11, 0.08, 0.05, 0.025, 0.1, 0.1};
    const double edge[VO_MAX_DETAILS] = {0.0085, 0.0105, 0.0115, 0.0085, 0.014, 0.016};
    const double least[VO_MAX_DETAILS] = {0.38, 0.55, 0.6, 0.38, 0.7, 0.75};
    for (int i = 0; i < VO_MAX_DETAILS; i++) {
        bool head =
            bone[i] == VO_BONE_HEAD; /* the rows of the head are measured from the ground, too */
        vo_transform at = head ? on_trunk(m, place[i]) : at_bone(m, bone[i], place[i]);
        m->out->detail[i] =
            (vo_detail){at.translation, radius[i] * m->unit, edge[i] * m->unit, least[i]};
    }
}

/* Computes a box around the bounding spheres of all primitives and their mirror images. */
static void find_box(vo_implicit_body *body) {
    body->low = v3(0, INFINITY, 0);
    body->high = v3(0, -INFINITY, -INFINITY);
    for (int i = 0; i < body->count; i++) {
        const vo_implicit_form *f = &body->primitive[i].shape;
        vo_vec3 r = v3(f->bound_radius, f->bound_radius, f->bound_radius);
        body->low = v3_min(body->low, v3_sub(f->bound_centre, r));
        body->high = v3_max(body->high, v3_add(f->bound_centre, r));
    }
    body->high.x = vo_max(body->high.x, -body->low.x);
    body->low.x = -body->high.x;
    body->low.z = 0;
}

void vo_implicit_body_make(const vo_mannequin_def *def, const vo_skeleton *skeleton,
                           vo_implicit_body *out) {
    builder m = {.def = def, .unit = skeleton->height / TABLE_HEIGHT, .out = out};
    vo_body_pose rest = vo_body_pose_rest(skeleton);
    vo_skeleton_world(skeleton, &rest, m.world);
    find_girths(&m);
    *out = (vo_implicit_body){.height = skeleton->height,
                              .limb_blend_radius = {0, 0.06 * m.unit, 0.045 * m.unit},
                              .mirror_blend_radius = 0.02 * m.unit,
                              .sole = 0.01 * m.unit};
    add_torso(&m);
    add_seat_and_chest(&m);
    add_head(&m);
    add_arm(&m);
    add_leg(&m);
    add_details(&m);
    vo_implicit_body_finish(out);
    find_box(out);
}
