/* Walkers and parade: dressed characters that walk towards the camera.
 *
 *     walkers  12 characters in T-shirts, bodies of 6,000 faces, one thread
 *     parade   1,000 characters in four garments on a grid; the camera moves through it at head
 *              height. All have capsules, the nearest 32 also a mesh of 6,000 faces. Two threads
 *
 * A frame is 1/60 s: poses of bodies and cloths are set, the world is stepped. Poses are sampled in
 * advance from one clip. Output to render meshes is not included. */
#include "realtime/bench.h"

#include "core/memory.h"
#include "core/timer.h"
#include "rt/world/world.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    CROWD_BODY_FACES = 6000,
    GARMENT_FACES = 316, /* base triangles of a garment */
    PHASES = 4,          /* of the clip, by character */
    CROWD_WARM_UP = 66,
    CROWD_FRAMES = 12,
    CROWD_GARMENTS = 4,
    NEAR_BODIES = 32,
    WALKERS = 12,
    PARADE = 1000,
    PARADE_COLUMNS = 25,
    CROWD_RATE = 60, /* steps per second, one per frame */
    CROWD_SUBSTEPS = 12,
};

/* Levels of detail of the parade, each character in one of them. */
#define CROWD_LEVELS(X)                                 \
    X(NEAR, "near", "visible, on skinned meshes")       \
    X(MID, "mid", "visible, beyond 5.5 m, on capsules") \
    X(FAR, "far", "beyond 12 m, every other frame")     \
    X(POSED, "posed", "beyond 30 m, animated pose")     \
    X(OFF_SCREEN, "off-screen", "not visible, parked")

/* Distances of the levels, m, and the shortest edge on screen that splits, pixels. */
static const float MESH_DISTANCE = 5.5f, FAR_DISTANCE = 12, POSE_DISTANCE = 30, EDGE_PIXELS = 20;

typedef enum crowd_level {
#define X(name, word, text) CROWD_##name,
    CROWD_LEVELS(X)
#undef X
        CROWD_LEVEL_COUNT
} crowd_level;

typedef struct person {
    vo_rt_body *body;
    vo_rt_cloth *cloth;
    vo_vec3 place;
    double distance; /* m, from the camera at the first frame */
    vo_rt_matrix bones[VO_BONE_COUNT];
} person;

/* Sums over a frame. */
typedef struct level_figures {
    int count, triangles, stretched; /* stretched: 99th percentile of springs above 5 % */
    double stretch;                  /* sum of 99th percentiles */
    double seconds, adapt_s, solve_s, collide_s; /* sum and parts */
} level_figures;

typedef struct crowd {
    vo_bench_character character;
    int garment_count;
    vo_rt_asset *garment[CROWD_GARMENTS];
    vo_rt_world *world;
    int count, columns;
    float spacing; /* m */
    bool camera_moves;
    person *people; /* [count] */
    vo_rt_matrix clip[PHASES][CROWD_WARM_UP + CROWD_FRAMES][VO_BONE_COUNT];
    level_figures level[CROWD_FRAMES][CROWD_LEVEL_COUNT]; /* of the fastest repetition */
    double pose_s[CROWD_FRAMES];
    double process_start, process_s[CROWD_FRAMES]; /* processor time of all threads */
    double triangles, stretch;                     /* sums over timed frames */
    int frames;
} crowd;

/* --- Inputs of a frame ------------------------------------------------------------------------ */

/* Characters walk along -y, towards the camera, which looks along y. */
static vo_rt_camera camera_at(const crowd *c, int frame) {
    double y = c->camera_moves ? 20 + 0.02 * frame : -4;
    return (vo_rt_camera){.position = {0.5f * c->spacing, (float)y, 1.6f},
                          .rotation = {0.70710678f, 0, 0, 0.70710678f},
                          .fov_y = 0.8f,
                          .aspect = 16.0f / 9,
                          .height_pixels = 1080};
}

static void place_bones(const crowd *c, int frame) {
    for (int i = 0; i < c->count; i++) {
        person *p = &c->people[i];
        for (int k = 0; k < VO_BONE_COUNT; k++) {
            vo_rt_matrix m = c->clip[i % PHASES][frame][k];
            m.m[3] += (float)p->place.x, m.m[7] += (float)p->place.y;
            p->bones[k] = m;
        }
    }
}

static void set_frame(void *user, int frame) {
    crowd *c = user;
    vo_rt_camera camera = camera_at(c, frame);
    place_bones(c, frame);
    vo_rt_world_set_cameras(c->world, 1, &camera);
}

/* Moves everybody from the bind pose to their places. */
static void teleport(crowd *c) {
    for (int i = 0; i < c->count; i++) {
        vo_rt_body_teleport(c->people[i].body);
        vo_rt_cloth_teleport(c->people[i].cloth);
    }
}

static void take_frame(void *user, int frame) {
    crowd *c = user;
    c->process_start = vo_bench_process_time();
    if (frame == 0) teleport(c);
    for (int i = 0; i < c->count; i++) {
        vo_rt_body_set_bones(c->people[i].body, VO_BONE_COUNT, c->people[i].bones);
        vo_rt_cloth_set_bones(c->people[i].cloth, VO_BONE_COUNT, c->people[i].bones);
    }
}

/* --- Figures -----------------------------------------------------------------------------------
 */

static crowd_level level_of(const person *p) {
    if (!p->cloth->state.is_visible) return CROWD_OFF_SCREEN;
    if (p->cloth->state.follows_pose) return CROWD_POSED;
    if (p->cloth->state.is_far) return CROWD_FAR;
    return p->cloth->state.uses_shapes ? CROWD_MID : CROWD_NEAR;
}

static void inspect_frame(void *user, int frame) {
    crowd *c = user;
    level_figures now[CROWD_LEVEL_COUNT] = {{0}};
    c->process_s[frame] = fmin(c->process_s[frame], vo_bench_process_time() - c->process_start);
    vo_rt_stats stats = vo_rt_world_get_stats(c->world);
    for (int i = 0; i < c->count; i++) {
        const vo_rt_cloth *cloth = c->people[i].cloth;
        level_figures *f = &now[level_of(&c->people[i])];
        f->count++;
        f->triangles += cloth->mesh.front.triangle_count;
        f->stretch += (double)cloth->max_stretch;
        f->stretched += cloth->max_stretch > 0.05f;
        f->adapt_s += cloth->stats.adapt_s;
        f->solve_s += cloth->stats.solve_s;
        f->collide_s += cloth->stats.collide_s;
        f->seconds = f->adapt_s + f->solve_s + f->collide_s;
    }
    for (int i = 0; i < CROWD_LEVEL_COUNT; i++)
        if (now[i].seconds <= c->level[frame][i].seconds) c->level[frame][i] = now[i];
    c->pose_s[frame] = fmin(c->pose_s[frame], stats.pose_s);
    c->triangles += (double)stats.triangles;
    c->stretch += (double)stats.max_stretch;
    c->frames++;
}

/* --- Creation ----------------------------------------------------------------------------------
 */

static void place_people(crowd *c) {
    vo_rt_vec3 eye = camera_at(c, CROWD_WARM_UP).position;
    for (int i = 0; i < c->count; i++) {
        person *p = &c->people[i];
        int column = i % c->columns, row = i / c->columns;
        p->place =
            (vo_vec3){(double)c->spacing * (column - c->columns / 2), (double)c->spacing * row, 0};
        p->distance = hypot(p->place.x - (double)eye.x, p->place.y - (double)eye.y);
        if (p->place.y < (double)eye.y) p->distance += 1000; /* behind the camera */
    }
}

static int compare_distance(const void *a, const void *b) {
    const person *p = a, *q = b;
    if (p->distance != q->distance) return p->distance < q->distance ? -1 : 1;
    return p->place.x < q->place.x ? -1 : p->place.x > q->place.x;
}

static vo_result create_person(vo_bench *b, crowd *c, int index) {
    person *p = &c->people[index];
    bool has_mesh = index < NEAR_BODIES;
    vo_rt_body_def body = vo_bench_character_body(&c->character, has_mesh, true);
    body.offset = 0.003f; /* garments fit closely */
    vo_rt_cloth_def cloth = vo_rt_cloth_def_default();
    cloth.asset = c->garment[index % c->garment_count];
    body.layer = cloth.collision_mask = 1u << index % 32; /* a garment touches its wearer */
    vo_result result = vo_rt_body_create(c->world, &body, &p->body);
    if (result == VO_OK) result = vo_rt_cloth_create(c->world, &cloth, &p->cloth);
    return result == VO_OK ? VO_OK : vo_bench_fail(b, result, vo_rt_world_message(c->world));
}

static vo_result create_world(vo_bench *b, crowd *c, int threads) {
    vo_rt_message message = {{0}};
    vo_rt_world_def def = vo_bench_world_def(b, threads);
    def.max_bodies = def.max_cloths = c->count;
    def.pool_bytes = (size_t)(c->count > 100 ? 512 : 64) << 20;
    def.lod.shape_distance = MESH_DISTANCE;
    def.lod.far_distance = FAR_DISTANCE;
    def.lod.pose_distance = POSE_DISTANCE;
    def.lod.edge_pixels = EDGE_PIXELS;
    def.minor_rate = CROWD_RATE;
    def.minor_per_major = CROWD_RATE / 30;
    def.lod.far_rate_divisor = CROWD_RATE / 30;
    def.substeps = CROWD_SUBSTEPS;
    vo_result result = vo_rt_world_create(&def, &c->world, &message);
    if (result != VO_OK) return vo_bench_fail(b, result, message.text);
    c->people = vo_alloc_zero(b->ctx, (size_t)c->count * sizeof *c->people);
    if (!c->people) return vo_fail_memory(b->ctx, "a crowd");
    place_people(c);
    qsort(c->people, (size_t)c->count, sizeof *c->people, compare_distance);
    for (int i = 0; i < c->count; i++) VO_TRY(create_person(b, c, i));
    return VO_OK;
}

static vo_result create_crowd(vo_bench *b, crowd *c, int threads) {
    static const char *const garments[CROWD_GARMENTS] = {"tshirt.json", "dress.json",
                                                         "trousers.json", "skirt-pencil.json"};
    VO_TRY(vo_bench_character_create(b, CROWD_BODY_FACES, &c->character));
    for (int i = 0; i < c->garment_count; i++)
        VO_TRY(vo_bench_cook(b, garments[i], GARMENT_FACES, true, &c->garment[i]));
    for (int phase = 0; phase < PHASES; phase++)
        for (int frame = 0; frame < CROWD_WARM_UP + CROWD_FRAMES; frame++)
            vo_bench_character_pose(&c->character, (frame + 1) / 60.0,
                                    phase * c->character.clip->duration / PHASES,
                                    (vo_vec3){0, 0, 0}, c->clip[phase][frame]);
    return create_world(b, c, threads);
}

static void free_crowd(vo_bench *b, crowd *c) {
    vo_rt_world_destroy(c->world);
    for (int i = 0; i < c->garment_count; i++) vo_rt_asset_destroy(c->garment[i]);
    vo_free_array(b->ctx, c->people, c->count);
    vo_bench_character_free(b, &c->character);
    vo_delete(b->ctx, c);
}

/* Creates the crowd and times its frames. */
static vo_result run_crowd(vo_bench *b, crowd *c, int threads, double (*clock)(void),
                           double *best) {
    VO_TRY(create_crowd(b, c, threads));
    for (int f = 0; f < CROWD_FRAMES; f++) {
        c->pose_s[f] = c->process_s[f] = INFINITY;
        for (int i = 0; i < CROWD_LEVEL_COUNT; i++) c->level[f][i].seconds = INFINITY;
    }
    vo_bench_steps steps = {.world = c->world,
                            .warm_up = CROWD_WARM_UP,
                            .count = CROWD_FRAMES,
                            .dt = 1.0f / 60,
                            .clock = clock,
                            .set_inputs = set_frame,
                            .take_inputs = take_frame,
                            .inspect = inspect_frame,
                            .user = c};
    return vo_bench_run_steps(b, &steps, best);
}

/* --- Rows
 * ---------------------------------------------------------------------------------------*/

static void report_walkers(vo_bench *b, const crowd *c, const double *best) {
    char text[160], limit[120];
    snprintf(text, sizeof text,
             "frame of 1/60 s of %d characters in T-shirts, %.0f leaf triangles, stretch %.1f %%",
             c->count, c->triangles / c->frames, 100 * c->stretch / c->frames);
    snprintf(limit, sizeof limit, "poses %.2f ms, cloths on skinned meshes of %d faces the rest",
             1e3 * vo_bench_mean(c->pose_s, CROWD_FRAMES), c->character.face_count);
    vo_bench_report(b, (vo_bench_row){.name = "walkers",
                                      .text = text,
                                      .value = 1e3 * vo_bench_mean(best, CROWD_FRAMES),
                                      .unit = "ms",
                                      .target = 2,
                                      .paper = (double)NAN,
                                      .limit = limit});
}

vo_result vo_bench_walkers(vo_bench *b) {
    double best[CROWD_FRAMES];
    crowd *c = vo_new(b->ctx, crowd);
    if (!c) return vo_fail_memory(b->ctx, "a crowd");
    c->garment_count = 1;
    c->count = WALKERS;
    c->columns = 4;
    c->spacing = 1.4f;
    vo_result result = run_crowd(b, c, 1, vo_bench_thread_time, best);
    if (result == VO_OK) report_walkers(b, c, best);
    free_crowd(b, c);
    return result;
}

static void report_level(vo_bench *b, const crowd *c, int level) {
    static const char *const words[] = {
#define X(name, word, text) word,
        CROWD_LEVELS(X)
#undef X
    };
    static const char *const texts[] = {
#define X(name, word, text) text,
        CROWD_LEVELS(X)
#undef X
    };
    char name[32], text[160], limit[160];
    double stretch = 0, stretched = 0;
    double count = 0, triangles = 0, ms = 0, adapt = 0, solve = 0, collide = 0;
    for (int f = 0; f < CROWD_FRAMES; f++) {
        count += (double)c->level[f][level].count / CROWD_FRAMES;
        triangles += (double)c->level[f][level].triangles / CROWD_FRAMES;
        stretch += c->level[f][level].stretch / CROWD_FRAMES;
        stretched += (double)c->level[f][level].stretched / CROWD_FRAMES;
        ms += 1e3 * c->level[f][level].seconds / CROWD_FRAMES;
        adapt += 1e3 * c->level[f][level].adapt_s / CROWD_FRAMES;
        solve += 1e3 * c->level[f][level].solve_s / CROWD_FRAMES;
        collide += 1e3 * c->level[f][level].collide_s / CROWD_FRAMES;
    }
    snprintf(
        limit, sizeof limit,
        "adaption %.2f, solve %.2f, contacts %.2f ms; stretch %.1f %% (mean), above 5 %%: %.0f",
        adapt, solve, collide, 100 * stretch / fmax(count, 1), stretched);
    snprintf(name, sizeof name, "parade-%s", words[level]);
    snprintf(text, sizeof text, "%.0f characters (%s), %.0f leaf triangles, summed over threads",
             count, texts[level], triangles);
    vo_bench_report(b, (vo_bench_row){.name = name,
                                      .text = text,
                                      .value = ms,
                                      .unit = "ms",
                                      .target = (double)NAN,
                                      .paper = (double)NAN,
                                      .limit = limit});
}

static void report_parade(vo_bench *b, const crowd *c, const double *best) {
    char text[160], limit[120];
    snprintf(
        text, sizeof text,
        "frame of 1/60 s of %d characters on two threads, %.0f leaf triangles, stretch %.1f %%",
        c->count, c->triangles / c->frames, 100 * c->stretch / c->frames);
    snprintf(limit, sizeof limit, "poses of bodies %.2f ms; see the levels of detail",
             1e3 * vo_bench_mean(c->pose_s, CROWD_FRAMES));
    vo_bench_row row = {.name = "parade",
                        .text = text,
                        .value = 1e3 * vo_bench_mean(best, CROWD_FRAMES),
                        .unit = "ms",
                        .target = 16,
                        .paper = (double)NAN,
                        .limit = limit};
    vo_bench_report(b, row);
    row.name = "parade-processor";
    row.text = "half of the processor time of the same frames: a lower bound on two cores";
    row.value = 0.5e3 * vo_bench_mean(c->process_s, CROWD_FRAMES);
    row.target = (double)NAN;
    vo_bench_report(b, row);
    for (int i = 0; i < CROWD_LEVEL_COUNT; i++) report_level(b, c, i);
}

vo_result vo_bench_parade(vo_bench *b) {
    double best[CROWD_FRAMES];
    crowd *c = vo_new(b->ctx, crowd);
    if (!c) return vo_fail_memory(b->ctx, "a crowd");
    c->garment_count = CROWD_GARMENTS;
    c->count = PARADE;
    c->columns = PARADE_COLUMNS;
    c->spacing = 1.6f;
    c->camera_moves = true;
    vo_result result = run_crowd(b, c, 2, vo_now, best);
    if (result == VO_OK) report_parade(b, c, best);
    free_crowd(b, c);
    return result;
}
