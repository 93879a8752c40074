/* Simulation of training pairs. */
#include "upsample/simulate/simulate.h"

#include "codec/hash.h"
#include "codec/json.h"
#include "core/file.h"
#include "core/memory.h"
#include "core/timer.h"
#include "upsample/harmonics/harmonics.h"
#include "upsample/simulate/clusters.h"
#include "upsample/simulate/interpolate.h"
#include "upsample/simulate/states.h"
#include "upsample/source_hash.h"

#include <math.h>
#include <string.h>

/* A scene in simulation. */
typedef struct session {
    vo_context *ctx;
    const vo_upsample_simulate_def *def;
    const char *path;
    int scene, scene_count; /* index of the scene and number of all */
    int cloth, test_functions;
    const char **changes; /* [change_count] of the fine scene: those of the call, then its own */
    int change_count;
    vo_upsample_engine coarse, fine;
    vo_upsample_rows base;      /* B */
    vo_upsample_follow *follow; /* NULL: the cloths have only the bodies in common */
    vo_upsample_pairs *pairs;
    vo_upsample_states states;
    int frame_count;
    float *interpolated;     /* [N][3] m, B p_c */
    double coarse_s, fine_s; /* computing time of the frame */
} session;

vo_upsample_simulate_def vo_upsample_simulate_def_default(void) {
    return (vo_upsample_simulate_def){.test_functions = -1, .save_interval = 100};
}

/* ---- the scene ------------------------------------------------------------------------------ */

/* Changes of the fine scene; strings belong to the coarse one. */
static vo_result list_changes(session *s, vo_json_cursor fine) {
    int given = s->def->override_count, own = vo_json_length(fine);
    int more = s->def->fine_override_count;
    s->change_count = given + own + more;
    s->changes = vo_alloc_zero(s->ctx, ((size_t)s->change_count + 1) * sizeof *s->changes);
    if (!s->changes) return vo_fail_memory(s->ctx, "a scene");
    for (int i = 0; i < given; i++) s->changes[i] = s->def->overrides[i];
    for (int i = 0; i < own; i++)
        VO_TRY(vo_json_read_string(vo_json_item(&fine, i), &s->changes[given + i]));
    for (int i = 0; i < more; i++) s->changes[given + own + i] = s->def->fine_overrides[i];
    return VO_OK;
}

/* Opens the coarse scene and reads the key `upsampling`. */
static vo_result open_coarse(session *s) {
    VO_TRY(vo_upsample_engine_open(s->ctx, s->path, s->def->override_count, s->def->overrides, 0,
                                   &s->coarse));
    vo_json_cursor root = vo_json_root(&s->coarse.scene->resolved);
    vo_json_cursor at = vo_json_get(&root, "upsampling");
    VO_TRY(vo_json_read_int(vo_json_get(&at, "cloth"), &s->cloth));
    VO_TRY(vo_json_read_int(vo_json_get(&at, "test_functions"), &s->test_functions));
    if (s->def->test_functions >= 0) s->test_functions = s->def->test_functions;
    if (s->def->test_kind == VO_UPSAMPLE_TEST_NONE) s->test_functions = 0;
    vo_json_cursor fine = vo_json_get(&at, "fine");
    if (vo_json_length(fine) == 0)
        return vo_json_fail(fine, "is empty; list the changes of the scene that make the cloth "
                                  "fine, for example \"cloths[0].grid.columns=60\"");
    if (s->cloth >= s->coarse.scene->cloth_count)
        return vo_json_fail(vo_json_get(&at, "cloth"), "is %d; the scene has cloths 0 to %d",
                            s->cloth, s->coarse.scene->cloth_count - 1);
    s->coarse.cloth = s->cloth;
    return list_changes(s, fine);
}

/* Number of frames, from frame 0 on. */
static vo_result count_frames(session *s) {
    int last = vo_scene_last_frame(&s->coarse.scene->def), most = s->def->max_frames;
    if (last < 0 && most <= 0)
        return vo_fail(s->ctx, VO_BAD_DATA,
                       "%s: end_frame: the scene has no end; set end_frame or end_time", s->path);
    s->frame_count = last < 0 || (most > 0 && most <= last) ? most : last + 1;
    return VO_OK;
}

static vo_result check_scenes(const session *s) {
    const vo_scene_def *a = &s->coarse.scene->def, *b = &s->fine.scene->def;
    if (a->frame_time == b->frame_time &&
        vo_realtime_pose_count(s->coarse.realtime) == vo_realtime_pose_count(s->fine.realtime) &&
        s->coarse.sim->frame == s->fine.sim->frame)
        return VO_OK;
    return vo_fail(s->ctx, VO_BAD_DATA,
                   "%s: upsampling.fine: changes the length of frames or of the preroll; both "
                   "simulations need the same",
                   s->path);
}

/* ---- meshes and test functions -------------------------------------------------------------- */

static vo_result create_pairs(session *s) {
    VO_TRY(
        vo_upsample_engine_create_pairs(&s->coarse, &s->fine, s->path, s->frame_count, &s->pairs));
    s->pairs->test_function_count = s->test_functions;
    s->interpolated = vo_new_array(s->ctx, float, 3 * s->pairs->fine.vertex_count);
    if (!s->interpolated) return vo_fail_memory(s->ctx, "training pairs");
    return vo_upsample_interpolate(s->ctx, s->coarse.sim->cloth[s->cloth].mesh,
                                   s->fine.sim->cloth[s->cloth].mesh, &s->base);
}

/* Rows of the harmonics: V phi = V^1/2 q for the modes q of the symmetrised Laplacian, which are
 * orthonormal; the masses are a multiple of the areas V. */
static vo_result fill_harmonic_rows(const session *s, float *rows) {
    vo_harmonics_def def = vo_harmonics_def_default();
    vo_harmonics *h;
    int n = s->pairs->fine.vertex_count;
    def.count = s->test_functions;
    VO_TRY(vo_harmonics_create(s->ctx, &s->pairs->fine, &def, &h));
    for (int k = 0; k < s->test_functions; k++)
        for (int i = 0; i < n; i++) {
            size_t at = (size_t)k * (size_t)n + (size_t)i;
            rows[at] = (float)(sqrt(h->area[i]) * h->mode[at]);
        }
    vo_harmonics_destroy(h);
    return VO_OK;
}

static vo_result fill_rows(const session *s, float *rows) {
    if (s->def->test_kind == VO_UPSAMPLE_TEST_HARMONIC) return fill_harmonic_rows(s, rows);
    return vo_upsample_clusters_rows(s->ctx, &s->pairs->fine, s->test_functions, rows);
}

static vo_result create_follow(session *s) {
    int count = s->test_functions, n = s->pairs->fine.vertex_count;
    if (count == 0 || s->def->coarse_only) return VO_OK;
    if (count > n)
        return vo_fail(s->ctx, VO_BAD_DATA,
                       "%s: upsampling.test_functions: is %d, but the fine cloth has %d vertices",
                       s->path, count, n);
    if (s->def->test_rows)
        return vo_upsample_follow_create(s->ctx, count, s->def->test_rows, &s->base, &s->follow);
    size_t bytes = vo_array_bytes((size_t)count * (size_t)n, sizeof(float));
    float *rows = vo_alloc(s->ctx, bytes);
    if (!rows) return vo_fail_memory(s->ctx, "test functions");
    vo_result result = fill_rows(s, rows);
    if (result == VO_OK)
        result = vo_upsample_follow_create(s->ctx, count, rows, &s->base, &s->follow);
    vo_free(s->ctx, rows, bytes);
    return result;
}

/* ---- frames --------------------------------------------------------------------------------- */

static void set_target(session *s) {
    if (!s->follow) return;
    vo_upsample_follow_set(s->follow, vo_upsample_engine_positions(&s->coarse),
                           vo_upsample_engine_velocities(&s->coarse));
}

/* Both worlds advance from one pose of the bodies to the next. */
static vo_result step_pose(session *s, int pose) {
    double start = vo_now();
    VO_TRY(vo_realtime_step_pose(s->coarse.realtime, pose));
    double middle = vo_now();
    s->coarse_s += middle - start;
    if (s->def->coarse_only) return VO_OK;
    int poses = vo_realtime_pose_count(s->fine.realtime);
    double duration = s->fine.scene->def.frame_time / poses;
    set_target(s);
    if (s->follow)
        vo_upsample_follow_begin(
            s->follow, vo_rt_world_time(vo_realtime_get_world(s->fine.realtime)), duration);
    VO_TRY(vo_realtime_step_pose(s->fine.realtime, pose));
    s->fine_s += vo_now() - middle;
    return VO_OK;
}

static vo_result step_frame(session *s) {
    VO_TRY(vo_check_cancel(s->ctx));
    s->coarse_s = s->fine_s = 0;
    vo_realtime_begin_frame(s->coarse.realtime);
    vo_realtime_begin_frame(s->fine.realtime);
    for (int i = 0; i < vo_realtime_pose_count(s->coarse.realtime); i++) VO_TRY(step_pose(s, i));
    vo_realtime_end_frame(s->coarse.realtime);
    vo_realtime_end_frame(s->fine.realtime);
    vo_upsample_progress progress = {s->scene,       s->scene_count, s->coarse.sim->frame,
                                     s->frame_count, s->coarse_s,    s->fine_s};
    if (s->def->progress && !s->def->progress(s->def->user, &progress))
        return vo_fail(s->ctx, VO_CANCELLED, "%s: cancelled after frame %d", s->path,
                       progress.frame);
    return VO_OK;
}

static void measure(const session *s, vo_upsample_frame_stats *stats) {
    double size = (double)vo_upsample_mesh_size(&s->pairs->fine);
    vo_upsample_engine_measure(&s->fine, stats);
    stats->distance =
        vo_upsample_rows_distance(&s->base, vo_upsample_engine_positions(&s->coarse),
                                  vo_upsample_engine_positions(&s->fine), s->interpolated);
    if (!s->follow) return;
    const float *x = vo_upsample_engine_positions(&s->fine);
    stats->tracking_error =
        (float)(vo_upsample_tracking_error(s->follow->tracking, x, s->follow->target) / size);
}

/* Appends the current frame. */
static vo_result record_frame(session *s, int frame) {
    vo_upsample_pairs *p = s->pairs;
    size_t at = (size_t)frame * 3;
    vo_vec3 wind = s->coarse.scene->def.wind_velocity;
    vo_upsample_engine_copy_frame(&s->coarse,
                                  p->coarse_frames + at * (size_t)p->coarse.vertex_count);
    float *w = p->wind + at;
    w[0] = (float)wind.x, w[1] = (float)wind.y, w[2] = (float)wind.z;
    if (!s->def->coarse_only) {
        vo_upsample_engine_copy_frame(&s->fine, p->fine_frames + at * (size_t)p->fine.vertex_count);
        measure(s, &p->stats[frame]);
    }
    return vo_upsample_states_save(&s->states, p, frame, &s->coarse,
                                   s->def->coarse_only ? NULL : &s->fine);
}

/* ---- saved states --------------------------------------------------------------------------- */

/* Adds the contents of the files that a scene refers to. */
static vo_result hash_inputs(const vo_upsample_engine *e, uint64_t *key) {
    for (int i = 0; i < e->scene->input_count; i++) {
        vo_bytes file;
        VO_TRY(vo_file_read(e->ctx, e->scene->input[i].path, &file));
        *key = vo_hash_more(*key, file.data, file.size);
        vo_bytes_free(e->ctx, &file);
    }
    return VO_OK;
}

static vo_result hash_scene(const vo_upsample_engine *e, uint64_t *key) {
    char *text;
    size_t size;
    VO_TRY(vo_json_print(&e->scene->resolved, &text, &size));
    *key = vo_hash_more(*key, text, strlen(text));
    vo_free(e->ctx, text, size + 1);
    return hash_inputs(e, key);
}

/* Hash of everything that the frames depend on, this code included. */
static vo_result make_key(const session *s, uint64_t *key) {
    const vo_upsample_simulate_def *d = s->def;
    int64_t numbers[] = {(int64_t)d->test_kind, s->test_functions, d->coarse_only,
                         d->save_interval};
    *key = vo_hash_more(VO_SOURCE_HASH, numbers, sizeof numbers);
    if (d->test_rows)
        *key = vo_hash_more(*key, d->test_rows,
                            (size_t)s->test_functions * (size_t)s->pairs->fine.vertex_count *
                                sizeof *d->test_rows);
    VO_TRY(hash_scene(&s->coarse, key));
    return hash_scene(&s->fine, key);
}

static vo_result restore_states(session *s, int *frame) {
    uint64_t key;
    const vo_upsample_simulate_def *d = s->def;
    VO_TRY(make_key(s, &key));
    VO_TRY(vo_upsample_states_open(s->ctx, d->folder, s->scene, d->save_interval, key, &s->states));
    return vo_upsample_states_restore(&s->states, s->pairs, s->frame_count, &s->coarse,
                                      d->coarse_only ? NULL : &s->fine, frame);
}

/* ---- the session ---------------------------------------------------------------------------- */

static vo_result prepare(session *s) {
    VO_TRY(open_coarse(s));
    VO_TRY(
        vo_upsample_engine_open(s->ctx, s->path, s->change_count, s->changes, s->cloth, &s->fine));
    VO_TRY(count_frames(s));
    VO_TRY(check_scenes(s));
    VO_TRY(create_pairs(s));
    return create_follow(s);
}

static vo_result run_frames(session *s) {
    int frame = -1;
    VO_TRY(restore_states(s, &frame));
    if (s->follow)
        vo_rt_cloth_set_constraint(vo_realtime_get_cloth(s->fine.realtime, s->cloth),
                                   vo_upsample_follow_project, s->follow);
    set_target(s);
    while (s->coarse.sim->frame < 0) VO_TRY(step_frame(s));
    if (frame < 0) VO_TRY(record_frame(s, frame = 0));
    while (frame + 1 < s->frame_count) {
        VO_TRY(step_frame(s));
        VO_TRY(record_frame(s, ++frame));
    }
    return VO_OK;
}

static void close_session(session *s) {
    vo_upsample_states_close(&s->states);
    vo_upsample_engine_close(&s->fine);
    vo_upsample_engine_close(&s->coarse);
    vo_upsample_follow_destroy(s->follow);
    vo_upsample_rows_free(s->ctx, &s->base);
    if (s->pairs) vo_free_array(s->ctx, s->interpolated, 3 * s->pairs->fine.vertex_count);
    vo_free_array(s->ctx, s->changes, s->change_count + 1);
}

static vo_result simulate_scene(session *s, vo_upsample_pairs **out) {
    vo_result result = prepare(s);
    if (result == VO_OK) result = run_frames(s);
    close_session(s);
    if (result != VO_OK) {
        vo_upsample_pairs_destroy(s->pairs);
        s->pairs = NULL;
    }
    *out = s->pairs;
    return result;
}

/* Simulates scene i and appends it to *all, or starts it. */
static vo_result add_scene(session *s, vo_upsample_pairs **all) {
    vo_upsample_pairs *pairs;
    VO_TRY(simulate_scene(s, &pairs));
    if (!*all) {
        *all = pairs;
        return VO_OK;
    }
    vo_result result = vo_upsample_pairs_append(*all, pairs);
    vo_upsample_pairs_destroy(pairs);
    return result;
}

vo_result vo_upsample_simulate(vo_context *ctx, int scene_count, const char *const *scenes,
                               const vo_upsample_simulate_def *def, vo_upsample_pairs **out) {
    vo_result result = VO_OK;
    *out = NULL;
    if (def->save_interval < 1)
        return vo_fail(ctx, VO_BAD_ARGUMENT, "save_interval is %d; use at least 1",
                       def->save_interval);
    for (int i = 0; result == VO_OK && i < scene_count; i++) {
        session s = {
            .ctx = ctx, .def = def, .path = scenes[i], .scene = i, .scene_count = scene_count};
        result = add_scene(&s, out);
    }
    if (result == VO_OK) return VO_OK;
    vo_upsample_pairs_destroy(*out);
    *out = NULL;
    return result;
}
