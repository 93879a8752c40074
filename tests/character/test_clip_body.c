/* Motions on the mannequin's surface: forearms, hands, shins and feet leave space for cloth to all
 * other parts, and soles stay above the floor. */
#include "support.h"

#include "character/clip.h"
#include "character/mannequin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Limb as a capsule; surface nodes of its own chain are ignored. */
typedef struct limb {
    vo_bone bone;
    double radius; /* relative to the height: core that nothing else may enter */
} limb;

static const limb LIMB[] = {{VO_BONE_LEFT_FOREARM, 0.02},
                            {VO_BONE_LEFT_HAND, 0.012},
                            {VO_BONE_LEFT_SHIN, 0.024},
                            {VO_BONE_LEFT_FOOT, 0.016}};

/* Returns true for bones whose surface blends with the limb: the arm or leg of the same side. */
static bool same_chain(vo_bone a, vo_bone b) {
    bool left_a = a < VO_BONE_RIGHT_CLAVICLE, left_b = b < VO_BONE_RIGHT_CLAVICLE;
    if (b < VO_BONE_LEFT_CLAVICLE) return false; /* the trunk */
    vo_bone one = left_a ? a : vo_bone_mirror(a), two = left_b ? b : vo_bone_mirror(b);
    bool leg_a = one >= VO_BONE_LEFT_THIGH, leg_b = two >= VO_BONE_LEFT_THIGH;
    return left_a == left_b && leg_a == leg_b;
}

static double to_segment(vo_vec3 p, vo_vec3 a, vo_vec3 d, double length2) {
    double t = vo_clamp(v3_dot(v3_sub(p, a), d) / length2, 0, 1);
    return v3_distance(p, v3_add(a, v3_scale(t, d)));
}

typedef struct nearest {
    double gap;
    vo_bone limb, other;
    double time;
    double lowest, lowest_time; /* m, over all nodes */
} nearest;

#define MIN_GAP    0.02   /* m, space for cloth */
#define MIN_HEIGHT -0.005 /* m */

/* Measures the gap between one limb and the surface of all other parts. */
static void check_limb(const vo_mannequin *m, const vo_vec3 *x, const vo_transform *world,
                       vo_bone bone, double radius, double time, nearest *worst) {
    vo_vec3 a = world[bone].translation, d = xf_vector(world[bone], m->skeleton.tip[bone]);
    double length2 = v3_length2(d);
    for (int i = 0; i < m->skin.node_count; i++) {
        vo_bone other = (vo_bone)m->skin.bone[i][0];
        if (same_chain(bone, other)) continue;
        double gap = to_segment(x[i], a, d, length2) - radius * m->skeleton.height;
        if (gap >= worst->gap) continue;
        worst->gap = gap;
        worst->limb = bone, worst->other = other, worst->time = time;
    }
}

static void check_pose(vo_context *ctx, const vo_mannequin *m, const vo_clip *clip, double time,
                       vo_vec3 *x, nearest *worst) {
    vo_transform world[VO_BONE_COUNT], motion[VO_BONE_COUNT];
    vo_body_pose pose = vo_clip_pose(clip, &m->skeleton, time, NULL);
    vo_skeleton_world(&m->skeleton, &pose, world);
    vo_skeleton_motion(&m->skeleton, &pose, motion);
    vo_skin_eval(ctx, &m->skin, motion, x);
    for (int i = 0; i < m->skin.node_count; i++)
        if (x[i].z < worst->lowest) worst->lowest = x[i].z, worst->lowest_time = time;
    for (size_t i = 0; i < sizeof LIMB / sizeof *LIMB; i++) {
        check_limb(m, x, world, LIMB[i].bone, LIMB[i].radius, time, worst);
        check_limb(m, x, world, vo_bone_mirror(LIMB[i].bone), LIMB[i].radius, time, worst);
    }
}

static void check_clip(vo_context *ctx, const vo_mannequin *m, const char *name, vo_vec3 *x) {
    char path[512];
    vo_clip *clip;
    snprintf(path, sizeof path, "%s/assets/motions/%s.json", VOILE_SOURCE_DIR, name);
    assert_ok(ctx, vo_clip_load(ctx, path, &clip));
    nearest worst = {.gap = 1e9};
    for (double t = 0; t < clip->duration; t += 0.04) check_pose(ctx, m, clip, t, x, &worst);
    if (worst.gap < MIN_GAP)
        fail_msg("%s: %.1f mm between %s and %s at %.2f s", name, 1e3 * worst.gap,
                 vo_bone_name(worst.limb), vo_bone_name(worst.other), worst.time);
    if (worst.lowest < MIN_HEIGHT)
        fail_msg("%s: %.1f mm below the floor at %.2f s", name, -1e3 * worst.lowest,
                 worst.lowest_time);
    vo_clip_destroy(clip);
}

static void check_build(double build, double figure) {
    static const char *const clips[] = {"idle",   "walk",  "run",        "dance",         "karate",
                                        "boxing", "squat", "squat-jump", "jumping-jacks", NULL};
    vo_context *ctx = test_context(1);
    vo_mannequin_def def = vo_mannequin_def_default();
    def.build = build;
    def.figure = figure;
    def.faces = VO_MANNEQUIN_MIN_LATTICE_FACES;
    vo_mannequin m;
    assert_ok(ctx, vo_mannequin_create(ctx, &def, &m));
    vo_vec3 *x = calloc((size_t)m.skin.node_count, sizeof *x);
    assert_non_null(x);
    for (int c = 0; clips[c]; c++) check_clip(ctx, &m, clips[c], x);
    free(x);
    vo_mannequin_free(ctx, &m);
    vo_context_destroy(ctx);
}

static void limbs_stay_out_of_an_average_body(void **state) {
    (void)state;
    check_build(0, 0);
}

static void limbs_stay_out_of_a_slim_body(void **state) {
    (void)state;
    check_build(-1, -1);
}

static void limbs_stay_out_of_a_heavy_body(void **state) {
    (void)state;
    check_build(1, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limbs_stay_out_of_an_average_body),
        cmocka_unit_test(limbs_stay_out_of_a_slim_body),
        cmocka_unit_test(limbs_stay_out_of_a_heavy_body),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
