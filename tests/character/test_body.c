/* Bodies of all kinds: positions are functions of time alone, motions and placements, errors. */
#include "support.h"

#include "character/body_private.h"
#include "codec/pc2.h"
#include "core/file.h"
#include "mannequin_mesh.h"
#include "pose_measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOTIONS VOILE_SOURCE_DIR "/assets/motions/"

/* ---- fixtures ------------------------------------------------------------------------------ */

static vo_body_placement_def default_placement(double preroll) {
    return (vo_body_placement_def){.placement = xf_identity(), .preroll = preroll};
}

/* Creates a coarse mannequin that moves by a file; NULL: without motion. */
static vo_body *mannequin_of(vo_context *ctx, double build, const char *file,
                             const vo_body_placement_def *where) {
    vo_mannequin_def def = vo_mannequin_def_default();
    vo_motion_def motion = vo_motion_def_default();
    vo_body *body;
    def.faces = VO_MANNEQUIN_MIN_LATTICE_FACES;
    def.build = def.figure = build;
    motion.file = file;
    assert_ok(ctx, vo_body_create_mannequin(ctx, &def, &body));
    if (file) assert_ok(ctx, vo_body_set_motion(body, &motion, 25));
    assert_ok(ctx, vo_body_set_placement(body, where));
    return body;
}

static vo_body *mannequin(vo_context *ctx, const char *file, const vo_body_placement_def *where) {
    return mannequin_of(ctx, 0, file, where);
}

/* Path of a file in the folder of characters; false with a message where it is absent. */
static bool character_path(const char *name, char *path, size_t size) {
    if (!vo_import_has_assimp() || !test_data()) return false;
    snprintf(path, size, "%s/characters/%s", test_data(), name);
    if (vo_file_exists(path)) return true;
    print_message("%s is not there: set VOILE_DATA\n", name);
    return false;
}

static vo_body *character(vo_context *ctx, const char *path, const vo_motion_def *motion,
                          const vo_body_placement_def *where) {
    vo_body *body;
    assert_ok(ctx, vo_body_create_file(ctx, path, NULL, &body));
    if (motion) assert_ok(ctx, vo_body_set_motion(body, motion, 25));
    assert_ok(ctx, vo_body_set_placement(body, where));
    return body;
}

typedef struct evaluation {
    vo_body_evaluator follower;
    int count;
    vo_vec3 *x;
} evaluation;

static evaluation begin_evaluation(vo_context *ctx, const vo_body *body) {
    evaluation a = {.count = vo_body_rest_mesh(body)->node_count};
    assert_ok(ctx, vo_body_evaluator_init(ctx, body, &a.follower));
    a.x = test_malloc((size_t)a.count * sizeof *a.x);
    return a;
}

static const vo_vec3 *eval_at(evaluation *a, double t) {
    vo_body_eval_positions(&a->follower, t, a->x);
    return a->x;
}

static void end_evaluation(evaluation *a) {
    test_free(a->x);
    vo_body_evaluator_free(&a->follower);
}

static double max_distance(int count, const vo_vec3 *a, const vo_vec3 *b) {
    double far = 0;
    for (int n = 0; n < count; n++) far = vo_max(far, v3_distance(a[n], b[n]));
    return far;
}

/* OBJ frame k: rises along z, (x, y, z + k). */
static const char frame_text[] = "v 0 0 %d\nv 1 0 %d\nv 0 1 %d\nv 0 0 %d\nf 1 3 2\nf 1 2 4\n"
                                 "f 2 3 4\nf 3 1 4\n";

static void write_frames(vo_context *ctx, char *folder, size_t size) {
    snprintf(folder, size, "%s", test_folder());
    for (int k = 1; k <= 3; k++) {
        char path[640], text[256];
        snprintf(path, sizeof path, "%s/body_%02d.obj", folder, k);
        int length = snprintf(text, sizeof text, frame_text, k, k, k, k + 1);
        assert_ok(ctx, vo_file_write(ctx, path, text, (size_t)length));
    }
}

/* ---- functions of time ---------------------------------------------------------------------- */

/* Evaluates forwards, backwards and with another evaluator and more threads: the bits are equal. */
static void check_function_of_time(vo_context *ctx, const vo_body *body, double from, double to) {
    enum { TIMES = 9 };
    vo_context *other = test_context(2);
    evaluation a = begin_evaluation(ctx, body), b = begin_evaluation(other, body);
    size_t bytes = (size_t)a.count * sizeof *a.x;
    vo_vec3 *first = test_malloc(TIMES * bytes);
    for (int i = 0; i < TIMES; i++)
        memcpy(first + (size_t)i * (size_t)a.count,
               eval_at(&a, from + (to - from) * i / (TIMES - 1)), bytes);
    for (int i = TIMES - 1; i >= 0; i--) {
        double t = from + (to - from) * i / (TIMES - 1);
        const vo_vec3 *was = first + (size_t)i * (size_t)a.count;
        assert_memory_equal(eval_at(&a, t), was, bytes);
        assert_memory_equal(eval_at(&b, t), was, bytes);
        for (int n = 0; n < a.count; n++) assert_true(v3_is_finite(was[n]));
    }
    test_free(first);
    end_evaluation(&a);
    end_evaluation(&b);
    vo_context_destroy(other);
}

/* At the beginning of the preroll the body is at rest in its rest pose; positions are
 * continuous. */
static void check_smooth_start(vo_context *ctx, const vo_body *body, double preroll) {
    evaluation a = begin_evaluation(ctx, body);
    const vo_vec3 *rest = vo_body_rest_mesh(body)->node_x;
    assert_true(max_distance(a.count, eval_at(&a, -preroll), rest) < 1e-12);
    assert_true(max_distance(a.count, eval_at(&a, -preroll - 1), rest) < 1e-12);
    assert_true(max_distance(a.count, eval_at(&a, -preroll + 1e-4), rest) < 1e-5);
    vo_vec3 *before = test_malloc((size_t)a.count * sizeof *before);
    memcpy(before, eval_at(&a, -1e-6), (size_t)a.count * sizeof *before);
    assert_true(max_distance(a.count, eval_at(&a, 0), before) < 1e-4);
    test_free(before);
    end_evaluation(&a);
}

/* Returns the largest displacement of a node within 5 ms of the preroll, m. */
static double max_preroll_step(vo_context *ctx, const vo_body *body, double preroll) {
    evaluation a = begin_evaluation(ctx, body);
    vo_vec3 *before = test_malloc((size_t)a.count * sizeof *before);
    double far = 0;
    for (double t = -preroll; t < 0.02; t += 0.005) {
        memcpy(before, eval_at(&a, t), (size_t)a.count * sizeof *before);
        far = vo_max(far, max_distance(a.count, eval_at(&a, t + 0.005), before));
    }
    test_free(before);
    end_evaluation(&a);
    return far;
}

/* From any start time in a dance with turns, the preroll is continuous. */
static void preroll_from_any_start_is_smooth(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_mannequin_def def = vo_mannequin_def_default();
    vo_body_placement_def where = default_placement(1);
    vo_body *first;
    def.faces = VO_MANNEQUIN_MIN_LATTICE_FACES;
    assert_ok(ctx, vo_body_create_mannequin(ctx, &def, &first));
    for (int i = 0; i < 20; i++) {
        vo_motion_def motion = vo_motion_def_default();
        vo_body *body;
        motion.file = MOTIONS "dance.json";
        motion.start = 0.5 * i;
        assert_ok(ctx, vo_body_copy_mannequin(first, &body));
        assert_ok(ctx, vo_body_set_motion(body, &motion, 25));
        assert_ok(ctx, vo_body_set_placement(body, &where));
        assert_true(max_preroll_step(ctx, body, 1) < 0.06); /* 12 m/s */
        check_smooth_start(ctx, body, 1);
        vo_body_destroy(body);
    }
    vo_body_destroy(first);
    vo_context_destroy(ctx);
}

static void mannequins_with_clips_of_ours(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_body_placement_def where = default_placement(1);
    vo_body *body = mannequin(ctx, MOTIONS "karate.json", &where);
    check_function_of_time(ctx, body, -1.2, 3);
    check_smooth_start(ctx, body, 1);
    /* equal to the pose of the clip itself */
    vo_clip *clip;
    assert_ok(ctx, vo_clip_load(ctx, MOTIONS "karate.json", &clip));
    vo_body_pose pose = vo_clip_pose(clip, &body->mannequin.skeleton, 1.7, NULL);
    vo_mesh *mesh;
    assert_ok(ctx, mannequin_mesh(ctx, &body->mannequin, &pose, &mesh));
    evaluation a = begin_evaluation(ctx, body);
    assert_true(max_distance(a.count, eval_at(&a, 1.7), mesh->node_x) < 1e-12);
    end_evaluation(&a);
    vo_mesh_destroy(mesh);
    vo_clip_destroy(clip);
    vo_body_destroy(body);
    vo_context_destroy(ctx);
}

static void bodies_without_a_motion_stay(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_body_placement_def where = default_placement(1);
    vo_body *body = mannequin(ctx, NULL, &where);
    evaluation a = begin_evaluation(ctx, body);
    for (int i = -2; i < 3; i++)
        assert_memory_equal(eval_at(&a, i), vo_body_rest_mesh(body)->node_x,
                            (size_t)a.count * sizeof *a.x);
    end_evaluation(&a);
    vo_body_destroy(body);
    vo_context_destroy(ctx);
}

/* Start, speed, end and repetition of a motion map simulation time to motion time. */
static void motion_times_follow_definition(void **state) {
    (void)state;
    vo_body body = {.has_motion = true, .time = {.start = 2, .speed = 0.5, .length = 3}};
    assert_near(vo_body_sample_motion(&body, 0).time, 2, 0);
    assert_near(vo_body_sample_motion(&body, 1).time, 2.5, 0);
    assert_near(vo_body_sample_motion(&body, 9).time, 3, 0); /* held */
    assert_near(vo_body_sample_motion(&body, -9).time, 0, 0);
    assert_near(vo_body_sample_motion(&body, -0.1).weight, 1, 0); /* no preroll */
    body.time.repeats = true;
    assert_near(vo_body_sample_motion(&body, 9).time, 0.5, 1e-15);
    body.time.endless = true;
    assert_near(vo_body_sample_motion(&body, 9).time, 6.5, 0);
    assert_near(vo_body_sample_motion(&body, -9).time, -2.5, 0);
    body.time.preroll = 2;
    assert_near(vo_body_sample_motion(&body, -2).weight, 0, 0);
    assert_near(vo_body_sample_motion(&body, -1).weight, 0.5, 1e-15);
    assert_near(vo_body_sample_motion(&body, 0).weight, 1, 0);
    assert_near(vo_body_sample_motion(&body, -2).time, 2, 0);
    assert_near(vo_body_sample_motion(&body, -1).time, 2 - 0.5 * 0.25, 1e-15);
    assert_near(vo_body_sample_motion(&body, -1).start, 2, 0);
    body.has_motion = false;
    assert_near(vo_body_sample_motion(&body, 0).weight, 0, 0);
    body = (vo_body){.has_motion = true, .time = {.start = 2, .speed = 1, .repeats = true}};
    assert_near(vo_body_sample_motion(&body, 1).time, 0, 0); /* a motion without length */
}

/* A placement moves the body and its motion as a whole. */
static void placement_moves_whole_motion(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_body_placement_def home = default_placement(0.5), away = home;
    away.placement = (vo_transform){{3, -2, 1}, 1.1, q_axis_angle(v3(0.1, 0.2, 1), 2)};
    vo_body *a = mannequin(ctx, MOTIONS "walk.json", &home);
    vo_body *b = mannequin(ctx, MOTIONS "walk.json", &away);
    evaluation p = begin_evaluation(ctx, a), q = begin_evaluation(ctx, b);
    for (int i = -2; i < 4; i++) {
        double far = 0;
        const vo_vec3 *x = eval_at(&p, 0.3 * i), *y = eval_at(&q, 0.3 * i);
        for (int n = 0; n < p.count; n++)
            far = vo_max(far, v3_distance(xf_point(away.placement, x[n]), y[n]));
        assert_true(far < 1e-9);
    }
    vo_transform t = vo_body_placement(b);
    assert_near(t.translation.x, 3, 0);
    end_evaluation(&p);
    end_evaluation(&q);
    vo_body_destroy(a);
    vo_body_destroy(b);
    vo_context_destroy(ctx);
}

/* Knees and groin of a heavy body in a squat are inset at frame times; positions still depend on
 * time alone, change continuously, and equal those without the gap where nothing overlaps. */
static void overlapping_parts_are_inset(void **state) {
    (void)state;
    vo_context *ctx = test_context(2);
    vo_body_placement_def where = default_placement(0.5), pressed = where;
    pressed.self_gap = 0.005;
    pressed.sample_interval = 0.04;
    vo_body *a = mannequin_of(ctx, 1, MOTIONS "squat.json", &where);
    vo_body *b = mannequin_of(ctx, 1, MOTIONS "squat.json", &pressed);
    check_function_of_time(ctx, b, -0.1, 1.3);
    evaluation p = begin_evaluation(ctx, a), q = begin_evaluation(ctx, b);
    assert_memory_equal(eval_at(&q, -0.5), vo_body_rest_mesh(b)->node_x,
                        (size_t)q.count * sizeof *q.x);
    double drawn = 0, fastest = 0, bare = 0;
    vo_vec3 *before = test_malloc(2 * (size_t)p.count * sizeof *before);
    for (int i = 0; i < 24; i++) {
        double t = 0.05 * i;
        memcpy(before, eval_at(&p, t), (size_t)p.count * sizeof *before);
        memcpy(before + p.count, eval_at(&q, t), (size_t)p.count * sizeof *before);
        drawn = vo_max(drawn, max_distance(p.count, before, before + p.count));
        bare = vo_max(bare, max_distance(p.count, before, eval_at(&p, t + 1e-4)));
        fastest = vo_max(fastest, max_distance(p.count, before + p.count, eval_at(&q, t + 1e-4)));
    }
    print_message("inset by %.3f m, %.2f m/s beside %.2f m/s\n", drawn, 1e4 * fastest, 1e4 * bare);
    assert_true(drawn > 0.002 && drawn < 0.1);
    assert_true(fastest < bare + 1e-4); /* at most 1 m/s faster */
    test_free(before);
    end_evaluation(&p);
    end_evaluation(&q);
    vo_body_destroy(a);
    vo_body_destroy(b);
    vo_context_destroy(ctx);
}

/* ---- sequences ------------------------------------------------------------------------------ */

static void sequences_by_pattern_and_by_name(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    char folder[512], pattern[640], path[3][640];
    write_frames(ctx, folder, sizeof folder);
    snprintf(pattern, sizeof pattern, "%s/body_%%02d.obj", folder);
    const char *paths[3];
    for (int k = 0; k < 3; k++) {
        snprintf(path[k], sizeof path[k], "%s/body_%02d.obj", folder, k + 1);
        paths[k] = path[k];
    }
    vo_body *a, *b;
    vo_body_placement_def where = default_placement(0.5);
    assert_ok(
        ctx, vo_body_create_sequence(ctx, pattern, 10, NULL, &a)); /* the first file has number 1 */
    assert_ok(ctx, vo_body_create_frames(ctx, 3, paths, 10, NULL, &b));
    assert_ok(ctx, vo_body_set_placement(a, &where));
    assert_ok(ctx, vo_body_set_placement(b, &where));
    check_function_of_time(ctx, a, -0.6, 0.4);
    evaluation p = begin_evaluation(ctx, a), q = begin_evaluation(ctx, b);
    for (int i = -2; i < 6; i++) {
        eval_at(&q, 0.06 * i);
        assert_memory_equal(eval_at(&p, 0.06 * i), q.x, (size_t)p.count * sizeof *p.x);
    }
    assert_near(eval_at(&p, 0.1)[0].z, 2, 1e-12);
    assert_near(eval_at(&p, 7)[0].z, 3, 1e-12);
    end_evaluation(&p);
    end_evaluation(&q);
    vo_body_destroy(a);
    vo_body_destroy(b);
    vo_context_destroy(ctx);
}

/* The first frame twice, then 1 m higher. */
static void write_cache(const char *path) {
    static const float at[3][4][3] = {{{0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {0, 0, 2}},
                                      {{0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {0, 0, 2}},
                                      {{0, 0, 2}, {1, 0, 2}, {0, 1, 2}, {0, 0, 3}}};
    FILE *file = fopen(path, "wb");
    int32_t head[] = {1, 4}, samples = 3;
    float start = 0, rate = 1;
    assert_non_null(file);
    fwrite("POINTCACHE2\0", 1, 12, file);
    fwrite(head, sizeof head, 1, file);
    fwrite(&start, sizeof start, 1, file);
    fwrite(&rate, sizeof rate, 1, file);
    fwrite(&samples, sizeof samples, 1, file);
    fwrite(at, sizeof at, 1, file);
    assert_int_equal(fclose(file), 0);
}

static void caches_on_a_surface(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    char folder[512], obj[640], pc2[640];
    write_frames(ctx, folder, sizeof folder);
    snprintf(obj, sizeof obj, "%s/body_01.obj", folder);
    snprintf(pc2, sizeof pc2, "%s/body.pc2", folder);
    write_cache(pc2);
    vo_motion_def motion = vo_motion_def_default();
    vo_body_placement_def where = default_placement(0.5);
    motion.file = pc2;
    motion.fps = 10;
    vo_body *body = character(ctx, obj, &motion, &where);
    evaluation a = begin_evaluation(ctx, body);
    assert_near(eval_at(&a, 0)[3].z, 2, 1e-6);
    assert_near(eval_at(&a, 0.2)[3].z, 3, 1e-6);
    end_evaluation(&a);
    vo_body_destroy(body);
    vo_context_destroy(ctx);
}

/* ---- characters from files ------------------------------------------------------------------ */

typedef struct extent {
    vo_vec3 low, high;
} extent;

static extent extent_of(int count, const vo_vec3 *x) {
    extent e = {x[0], x[0]};
    for (int n = 0; n < count; n++) {
        e.low = v3(vo_min(e.low.x, x[n].x), vo_min(e.low.y, x[n].y), vo_min(e.low.z, x[n].z));
        e.high = v3(vo_max(e.high.x, x[n].x), vo_max(e.high.y, x[n].y), vo_max(e.high.z, x[n].z));
    }
    return e;
}

static void characters_of_files(void **state) {
    (void)state;
    static const struct {
        const char *file, *clip;
    } cases[] = {{"CesiumMan.glb", NULL}, {"Soldier.glb", "Run"}};
    vo_context *ctx = test_context(1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char path[1024];
        if (!character_path(cases[i].file, path, sizeof path)) skip();
        vo_motion_def motion = vo_motion_def_default();
        vo_body_placement_def where = default_placement(1);
        motion.clip = cases[i].clip;
        motion.end = VO_END_LOOP;
        vo_body *body = character(ctx, path, &motion, &where);
        check_function_of_time(ctx, body, -1.1, 2);
        check_smooth_start(ctx, body, 1);
        evaluation a = begin_evaluation(ctx, body);
        for (int k = -10; k < 20; k++) { /* the body stays upright, on the floor or just above */
            extent e = extent_of(a.count, eval_at(&a, 0.1 * k));
            assert_true(e.high.z - e.low.z > 1.2 && e.high.z - e.low.z < 2.2);
            assert_true(e.low.z > -0.15 && e.low.z < 0.4);
        }
        end_evaluation(&a);
        vo_body_destroy(body);
    }
    vo_context_destroy(ctx);
}

/* A retargeted recording keeps joints near their limits and feet near the floor. */
static void retargeted_recordings_stay_plausible(void **state) {
    (void)state;
    char path[1024];
    if (!character_path("pirouette.bvh", path, sizeof path)) skip();
    vo_context *ctx = test_context(1);
    vo_body_placement_def where = default_placement(1);
    vo_body *body = mannequin(ctx, path, &where);
    check_function_of_time(ctx, body, -1.1, 5);
    check_smooth_start(ctx, body, 1);
    evaluation a = begin_evaluation(ctx, body);
    double lowest = INFINITY, highest = -INFINITY, excess = 0, sum = 0;
    vo_bone worst = VO_BONE_HIPS, bone;
    int count = 0;
    for (double t = 0.5; t < body->time.length; t += 0.1) {
        extent e = extent_of(a.count, eval_at(&a, t));
        lowest = vo_min(lowest, e.low.z);
        highest = vo_max(highest, e.low.z);
        assert_true(e.high.z > 1.4 && e.high.z < 2.6); /* arms overhead */
        vo_body_pose pose = vo_body_mannequin_pose(body, t);
        double beyond = pose_excess(&pose, &bone);
        sum += beyond;
        count++;
        if (beyond > excess) excess = beyond, worst = bone;
    }
    print_message("soles between %.3f and %.3f m; beyond limits by %.0f degrees in the mean, %.0f "
                  "at most (%s)\n",
                  lowest, highest, sum / count, excess, vo_bone_name(worst));
    assert_true(lowest > -0.1 && highest < 0.35); /* the recording contains a jump */
    end_evaluation(&a);
    vo_body_destroy(body);
    vo_context_destroy(ctx);
}

static void axes_of_bodies(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_body_placement_def where = default_placement(0);
    vo_limb_axis axis[VO_LIMB_AXES];
    vo_body *body = mannequin(ctx, NULL, &where);
    vo_body_get_axes(body, axis);
    for (int i = 0; i < VO_LIMB_AXES; i++) {
        assert_string_equal(axis[i].name, vo_default_limb_axes[i].name);
        assert_near(v3_length(axis[i].direction), 1, 1e-12);
        assert_near(v3_dot(axis[i].direction, axis[i].front), 0, 1e-12);
        /* the default axes belong to a body of nearly this size */
        assert_true(v3_distance(axis[i].origin, vo_default_limb_axes[i].origin) < 0.1);
        assert_true(v3_dot(axis[i].direction, vo_default_limb_axes[i].direction) > 0.9);
    }
    vo_body_destroy(body);
    vo_context_destroy(ctx);
}

/* Regardless of facing direction and placement, a character stands on the origin of its own frame
 * and faces -y. */
static void character_own_frames_face_forward(void **state) {
    (void)state;
    static const char *const files[] = {"CesiumMan.glb", "Soldier.glb"};
    vo_context *ctx = test_context(1);
    for (int i = 0; i < 2; i++) {
        char path[1024];
        if (!character_path(files[i], path, sizeof path)) skip();
        vo_limb_axis axis[VO_LIMB_AXES];
        vo_body_placement_def where = default_placement(0);
        where.placement = (vo_transform){{1, 2, 3}, 1.5, q_axis_angle(v3(0, 0, 1), 1)};
        vo_body *body = character(ctx, path, NULL, &where);
        vo_body_get_axes(body, axis);
        assert_true(axis[2].origin.x > 0.05 && axis[3].origin.x < -0.05); /* arms */
        assert_true(axis[4].origin.x > 0.02 && axis[5].origin.x < -0.02); /* legs */
        assert_true(axis[2].origin.z > axis[4].origin.z);
        assert_near(axis[4].origin.x, -axis[5].origin.x, 1e-6);
        vo_transform back = xf_inverse(vo_body_placement(body));
        const vo_mesh *rest = vo_body_rest_mesh(body);
        double low = INFINITY, toes = INFINITY, heels = -INFINITY;
        for (int n = 0; n < rest->node_count; n++)
            low = vo_min(low, xf_point(back, rest->node_x[n]).z);
        for (int n = 0; n < rest->node_count; n++) { /* feet point forwards */
            vo_vec3 p = xf_point(back, rest->node_x[n]);
            if (p.z > 0.05) continue;
            toes = vo_min(toes, p.y);
            heels = vo_max(heels, p.y);
        }
        assert_near(low, 0, 1e-9);
        double ankle = axis[4].origin.y - axis[4].direction.y * axis[4].origin.z;
        assert_true(ankle - toes > heels - ankle);
        vo_body_destroy(body);
    }
    vo_context_destroy(ctx);
}

/* ---- errors --------------------------------------------------------------------------------- */

static void check_motion_rejected(vo_context *ctx, vo_body *body, const vo_motion_def *def,
                                  const char *message) {
    vo_result result = vo_body_set_motion(body, def, 25);
    assert_true(result == VO_BAD_ARGUMENT || result == VO_BAD_DATA || result == VO_IO_FAILED);
    assert_message_contains(ctx, message);
    vo_body_destroy(body);
}

static vo_body *bare_mannequin(vo_context *ctx) {
    vo_mannequin_def def = vo_mannequin_def_default();
    vo_body *body;
    def.faces = VO_MANNEQUIN_MIN_LATTICE_FACES;
    assert_ok(ctx, vo_body_create_mannequin(ctx, &def, &body));
    return body;
}

static void wrong_motions_are_named(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_motion_def none = vo_motion_def_default(), walk = none, gone = none, late = none;
    walk.file = MOTIONS "walk.json";
    gone.file = "gone.json";
    late.start = NAN;
    check_motion_rejected(ctx, bare_mannequin(ctx), &none, "no motion of its own");
    check_motion_rejected(ctx, bare_mannequin(ctx), &gone, "gone.json");
    check_motion_rejected(ctx, bare_mannequin(ctx), &late, "start must be");
    walk.clip = "walk";
    check_motion_rejected(ctx, bare_mannequin(ctx), &walk, "remove clip 'walk'");
    char folder[512], path[640];
    vo_body *body;
    write_frames(ctx, folder, sizeof folder);
    snprintf(path, sizeof path, "%s/body_01.obj", folder);
    assert_ok(ctx, vo_body_create_file(ctx, path, NULL, &body));
    check_motion_rejected(ctx, body, &none, "has no bones");
    if (character_path("Soldier.glb", path, sizeof path)) {
        vo_motion_def moon = none;
        moon.clip = "Moonwalk";
        assert_ok(ctx, vo_body_create_file(ctx, path, NULL, &body));
        check_motion_rejected(ctx, body, &moon, "has no clip 'Moonwalk'; it has 'Idle', 'Run'");
    }
    if (character_path("pirouette.bvh", path, sizeof path)) {
        assert_int_equal(vo_body_create_file(ctx, path, NULL, &body), VO_BAD_DATA);
        assert_null(body);
        assert_message_contains(ctx, "has no surface");
    }
    vo_context_destroy(ctx);
}

/* ---- files of other programs ---------------------------------------------------------------- */

/* Every character file loads as a body with a surface; skipped with a message where there are
 * none. */
static void character_files_load_without_motion(void **state) {
    (void)state;
    static const struct {
        const char *name;
        double height; /* m, of the bind pose */
    } file[] = {{"CesiumMan.glb", 1.5},
                {"Michelle.glb", 1.65},
                {"Samba Dancing.fbx", 1.8},
                {"Soldier.glb", 1.8},
                {"Xbot.glb", 1.8}};
    int loaded = 0;
    for (size_t i = 0; i < sizeof file / sizeof *file; i++) {
        char path[640];
        if (!character_path(file[i].name, path, sizeof path)) continue;
        vo_context *ctx = test_context(2);
        vo_body *body;
        vo_body_placement_def where = default_placement(0);
        assert_ok(ctx, vo_body_create_file(ctx, path, NULL, &body));
        assert_ok(ctx, vo_body_set_placement(body, &where));
        const vo_mesh *mesh = vo_body_rest_mesh(body);
        double low = INFINITY, high = -INFINITY;
        for (int n = 0; n < mesh->node_count; n++) {
            low = vo_min(low, mesh->node_x[n].z);
            high = vo_max(high, mesh->node_x[n].z);
        }
        if (!(fabs(high - low - file[i].height) < 0.15))
            fail_msg("%s: is %g m high, not %g m", path, high - low, file[i].height);
        vo_body_destroy(body);
        vo_context_destroy(ctx);
        loaded++;
    }
    if (loaded == 0) print_message("skipped: no character files in the data folder\n");
    if (loaded == 0) skip();
}

/* ---- memory --------------------------------------------------------------------------------- */

static vo_result use_sequence(vo_context *ctx, void *arg) {
    vo_body *body;
    vo_body_placement_def where = default_placement(1);
    VO_TRY(vo_body_create_sequence(ctx, arg, 10, NULL, &body));
    vo_result result = vo_body_set_placement(body, &where);
    vo_body_evaluator follower;
    if (result == VO_OK) result = vo_body_evaluator_init(ctx, body, &follower);
    if (result == VO_OK) vo_body_evaluator_free(&follower);
    vo_body_destroy(body);
    return result;
}

static void memory_that_runs_out(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    char folder[512], pattern[640];
    write_frames(ctx, folder, sizeof folder);
    snprintf(pattern, sizeof pattern, "%s/body_%%02d.obj", folder);
    test_every_allocation(use_sequence, pattern);
    vo_context_destroy(ctx);
}

/* Evaluation allocates nothing once the evaluator exists. */
static void evaluation_allocates_nothing(void **state) {
    (void)state;
    test_memory memory = {.fail_at = -1};
    vo_context *ctx = test_context_with(1, &memory);
    vo_body_placement_def where = default_placement(1);
    vo_body *body = mannequin(ctx, MOTIONS "dance.json", &where);
    evaluation a = begin_evaluation(ctx, body);
    long calls = memory.calls;
    for (int i = -5; i < 5; i++) eval_at(&a, 0.17 * i);
    assert_int_equal(memory.calls, calls);
    end_evaluation(&a);
    vo_body_destroy(body);
    vo_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(character_files_load_without_motion),
        cmocka_unit_test(preroll_from_any_start_is_smooth),
        cmocka_unit_test(mannequins_with_clips_of_ours),
        cmocka_unit_test(bodies_without_a_motion_stay),
        cmocka_unit_test(motion_times_follow_definition),
        cmocka_unit_test(placement_moves_whole_motion),
        cmocka_unit_test(overlapping_parts_are_inset),
        cmocka_unit_test(sequences_by_pattern_and_by_name),
        cmocka_unit_test(caches_on_a_surface),
        cmocka_unit_test(characters_of_files),
        cmocka_unit_test(retargeted_recordings_stay_plausible),
        cmocka_unit_test(axes_of_bodies),
        cmocka_unit_test(character_own_frames_face_forward),
        cmocka_unit_test(wrong_motions_are_named),
        cmocka_unit_test(memory_that_runs_out),
        cmocka_unit_test(evaluation_allocates_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
