/* The T-shirt of Simnett et al. 2010, section 8 and figure 10: two seamed pieces of about 316 base
 * triangles, refined to about 6,200 of 20,000, on a character of 67,000 faces, with a fan. A major
 * step is an adaption and four minor steps. */
#include "realtime/bench.h"

#include "core/memory.h"
#include "rt/world/world.h"

#include <stdio.h>

enum { BODY_FACES = 67000, WARM_UP = 90, STEPS = 30 };

/* Criteria with which the worn T-shirt has about 6,200 triangles. */
static vo_rt_adaption tshirt_adaption(void) {
    vo_rt_adaption a = vo_rt_adaption_default();
    a.max_angle = 0.31f;
    return a;
}

typedef struct tshirt {
    vo_bench_character character;
    vo_rt_asset *asset;
    bool walks;
    vo_rt_world *world;
    vo_rt_body *body;
    vo_rt_cloth *cloth;
    double best[STEPS], adapt[STEPS], pose[STEPS], solve[STEPS], collide[STEPS]; /* s */
    double stretch, triangles; /* sums over all timed steps */
    int steps;
    vo_rt_matrix bones[VO_BONE_COUNT];
} tshirt;

static void pose_tshirt(void *user, int step) {
    tshirt *t = user;
    if (t->walks)
        vo_bench_character_pose(&t->character, (step + 1) / 30.0, 0, (vo_vec3){0, 0, 0}, t->bones);
}

static void set_bones(void *user, int step) {
    tshirt *t = user;
    (void)step;
    if (!t->walks) return;
    vo_rt_body_set_bones(t->body, VO_BONE_COUNT, t->bones);
    vo_rt_cloth_set_bones(t->cloth, VO_BONE_COUNT, t->bones);
}

static void inspect_tshirt(void *user, int step) {
    tshirt *t = user;
    vo_rt_stats s = vo_rt_world_get_stats(t->world);
    t->adapt[step] = fmin(t->adapt[step], s.adapt_s);
    t->pose[step] = fmin(t->pose[step], s.pose_s);
    t->solve[step] = fmin(t->solve[step], s.solve_s);
    t->collide[step] = fmin(t->collide[step], s.collide_s);
    t->stretch += (double)s.max_stretch;
    t->triangles += (double)s.triangles;
    t->steps++;
}

static vo_result fill_world(vo_bench *b, tshirt *t) {
    vo_rt_message message = {{0}};
    vo_rt_world_def def = vo_bench_world_def(b, 1);
    vo_result result = vo_rt_world_create(&def, &t->world, &message);
    if (result != VO_OK) return vo_bench_fail(b, result, message.text);
    vo_rt_body_def body = vo_bench_character_body(&t->character, true, false);
    vo_rt_cloth_def cloth = vo_rt_cloth_def_default();
    cloth.asset = t->asset;
    cloth.adaption = tshirt_adaption();
    vo_rt_fan fan = {{0, -2, 1.2f}, {0, 1, 0}, 3, 0.5f, 5};
    result = vo_rt_body_create(t->world, &body, &t->body);
    if (result == VO_OK) result = vo_rt_cloth_create(t->world, &cloth, &t->cloth);
    if (result == VO_OK) result = vo_rt_world_set_fans(t->world, 1, &fan);
    return result == VO_OK ? VO_OK : vo_bench_fail(b, result, vo_rt_world_message(t->world));
}

static vo_result run_tshirt(vo_bench *b, tshirt *t) {
    VO_TRY(fill_world(b, t));
    for (int i = 0; i < STEPS; i++)
        t->adapt[i] = t->pose[i] = t->solve[i] = t->collide[i] = INFINITY;
    t->stretch = t->triangles = t->steps = 0;
    vo_bench_steps steps = {.world = t->world,
                            .warm_up = WARM_UP,
                            .count = STEPS,
                            .dt = 1.0f / 30,
                            .clock = vo_bench_thread_time,
                            .set_inputs = pose_tshirt,
                            .take_inputs = set_bones,
                            .inspect = inspect_tshirt,
                            .user = t};
    return vo_bench_run_steps(b, &steps, t->best);
}

/* --- Rows
 * ---------------------------------------------------------------------------------------*/

static void report(vo_bench *b, const tshirt *t, const char *part, const char *text, double value,
                   const char *unit, double target, double paper, const char *limit) {
    char name[48];
    snprintf(name, sizeof name, "tshirt-%s%s", t->walks ? "walking" : "static", part);
    vo_bench_report(b, (vo_bench_row){.name = name,
                                      .text = text,
                                      .value = value,
                                      .unit = unit,
                                      .target = target,
                                      .paper = paper,
                                      .limit = limit});
}

static void report_tshirt(vo_bench *b, const tshirt *t) {
    char text[160], limit[160];
    double ms = 1e3 * vo_bench_mean(t->best, STEPS), adapt = 1e3 * vo_bench_mean(t->adapt, STEPS);
    double pose = 1e3 * vo_bench_mean(t->pose, STEPS), solve = 1e3 * vo_bench_mean(t->solve, STEPS);
    double collide = 1e3 * vo_bench_mean(t->collide, STEPS);
    snprintf(text, sizeof text, "major step of %.0f leaf triangles on a %s body of %d faces",
             t->triangles / t->steps, t->walks ? "walking" : "static", t->character.face_count);
    /* Stages are timed by the clock, the step in processor time: compare them with each other. */
    snprintf(limit, sizeof limit,
             "by the clock: poses %.2f, adaption %.2f, solve %.2f, contacts %.2f ms", pose, adapt,
             solve, collide);
    report(b, t, "", text, ms, "ms", t->walks ? 2.5 : 1.5, t->walks ? (double)NAN : 22, limit);
    report(b, t, "-stretch", "99th percentile of the elongation of springs",
           100 * t->stretch / t->steps, "%", 5, (double)NAN, "substeps of the solver");
    report(b, t, "-adaption", "adaption as a fraction of all stages of a major step",
           100 * adapt / (pose + adapt + solve + collide), "%", 10, t->walks ? (double)NAN : 10,
           "criteria of all leaf edges, edges in collision");
}

/* --- Memory
 * -------------------------------------------------------------------------------------*/

/* Bytes of the same cloth with everything refined. */
static vo_result measure_full_tree(vo_bench *b, tshirt *t, vo_rt_cloth_info *full) {
    int level = vo_rt_asset_get_info(t->asset).max_level;
    vo_result result = vo_rt_cloth_set_levels(t->cloth, level, level);
    for (int i = 0; i < 3 * level && result == VO_OK; i++)
        result = vo_rt_world_step(t->world, 1.0f / 30);
    *full = vo_rt_cloth_get_info(t->cloth);
    return result == VO_OK ? VO_OK : vo_bench_fail(b, result, vo_rt_world_message(t->world));
}

static vo_result report_memory(vo_bench *b, tshirt *t) {
    char text[160], limit[120];
    double mesh = (double)vo_rt_mesh_bytes(&t->cloth->mesh);
    vo_rt_cloth_info info = vo_rt_cloth_get_info(t->cloth), full;
    VO_TRY(measure_full_tree(b, t, &full));
    snprintf(text, sizeof text, "pool memory of %d triangles relative to that of %d (full tree)",
             info.triangles, full.triangles);
    vo_bench_report(b, (vo_bench_row){.name = "tshirt-memory",
                                      .text = text,
                                      .value = 100 * ((double)info.bytes / (double)full.bytes - 1),
                                      .unit = "%",
                                      .target = -53,
                                      .paper = -53,
                                      .limit = "number of leaves; reserves of up to a quarter"});
    snprintf(limit, sizeof limit, "tree and leaf lists %.0f bytes, contacts and output the rest",
             mesh / info.triangles);
    vo_bench_report(b, (vo_bench_row){.name = "tshirt-bytes",
                                      .text = "pool memory per leaf triangle",
                                      .value = (double)info.bytes / info.triangles,
                                      .unit = "bytes",
                                      .target = (double)NAN,
                                      .paper = 1024,
                                      .limit = limit});
    return VO_OK;
}

static vo_result measure(vo_bench *b, tshirt *t, bool walks) {
    t->walks = walks;
    vo_result result = run_tshirt(b, t);
    if (result == VO_OK) report_tshirt(b, t);
    if (result == VO_OK && !walks) result = report_memory(b, t);
    vo_rt_world_destroy(t->world);
    t->world = NULL;
    return result;
}

vo_result vo_bench_tshirt(vo_bench *b) {
    tshirt *t = vo_new(b->ctx, tshirt);
    if (!t) return vo_fail_memory(b->ctx, "a benchmark");
    bool is_static = vo_bench_wants(b, "tshirt-static") || vo_bench_wants(b, "tshirt-memory") ||
                     vo_bench_wants(b, "tshirt-bytes");
    vo_result result = vo_bench_character_create(b, BODY_FACES, &t->character);
    if (result == VO_OK) result = vo_bench_cook(b, "tshirt.json", 0, false, &t->asset);
    if (result == VO_OK && is_static) result = measure(b, t, false);
    if (result == VO_OK && vo_bench_wants(b, "tshirt-walking")) result = measure(b, t, true);
    vo_rt_asset_destroy(t->asset);
    vo_bench_character_free(b, &t->character);
    vo_delete(b->ctx, t);
    return result;
}
