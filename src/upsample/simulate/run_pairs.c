/* Training pairs from two runs. */
#include "upsample/simulate/run_pairs.h"

#include "codec/json.h"
#include "core/memory.h"
#include "run/folder.h"
#include "upsample/simulate/engine.h"
#include "upsample/simulate/interpolate.h"

#include <voile/run_reader.h>

#include <string.h>

/* A run: its frames, and its garment in the real-time engine, which gives mesh and asset. */
typedef struct source {
    const char *folder;
    vo_run_reader *reader;
    vo_upsample_engine engine;
    vo_vec3 *sample;  /* [node_count] m, the current frame */
    float *positions; /* [node_count][4] the same */
    int node_count;
} source;

typedef struct session {
    vo_context *ctx;
    source coarse, fine;
    int first_frame, frame_count;
    vo_upsample_rows base; /* B */
    float *interpolated;   /* [N][3] m, B p_c */
    vo_upsample_pairs *pairs;
} session;

/* ---- sources -------------------------------------------------------------------------------- */

/* Reads the key `upsampling.cloth`. */
static vo_result read_cloth(const vo_scene *scene, int *cloth) {
    vo_json_cursor root = vo_json_root(&scene->resolved);
    vo_json_cursor at = vo_json_get(&root, "upsampling");
    return vo_json_read_int(vo_json_get(&at, "cloth"), cloth);
}

/* The scene of the run's first frame; changes of resumed runs do not matter for the rest shape. */
static vo_result open_engine(vo_context *ctx, source *s, int cloth) {
    char path[VO_PATH_SIZE];
    vo_folder_scene(path, sizeof path, s->folder);
    return vo_upsample_engine_open(ctx, path, 0, NULL, cloth, &s->engine);
}

static vo_result open_source(vo_context *ctx, const char *folder, int *cloth, source *s) {
    const vo_scene *scene;
    int triangles;
    s->folder = folder;
    VO_TRY(vo_folder_need_run(ctx, folder));
    VO_TRY(vo_run_reader_open(ctx, folder, &s->reader));
    VO_TRY(vo_run_reader_load_scene(s->reader, vo_run_reader_start_frame(s->reader), &scene));
    if (*cloth < 0) VO_TRY(read_cloth(scene, cloth));
    VO_TRY(open_engine(ctx, s, *cloth));
    vo_upsample_engine_count(&s->engine, &s->node_count, &triangles);
    s->sample = vo_new_array(ctx, vo_vec3, s->node_count);
    s->positions = vo_new_array(ctx, float, 4 * s->node_count);
    return s->sample && s->positions ? VO_OK : vo_fail_memory(ctx, "training pairs");
}

static void close_source(vo_context *ctx, source *s) {
    vo_free_array(ctx, s->sample, s->node_count);
    vo_free_array(ctx, s->positions, 4 * s->node_count);
    vo_upsample_engine_close(&s->engine);
    vo_run_reader_close(s->reader);
}

static vo_result sample_frame(source *s, int frame) {
    VO_TRY(vo_run_reader_read_frame(s->reader, frame));
    VO_TRY(vo_run_reader_sample_input_mesh(s->reader, s->engine.cloth, VO_SURFACE_FLAT,
                                           s->node_count, s->sample, NULL));
    for (int i = 0; i < s->node_count; i++) {
        float *x = s->positions + 4 * i;
        x[0] = (float)s->sample[i].x, x[1] = (float)s->sample[i].y, x[2] = (float)s->sample[i].z;
    }
    return VO_OK;
}

static void copy_frame(const source *s, float *out) {
    for (int i = 0; i < s->node_count; i++)
        memcpy(out + 3 * i, s->positions + 4 * i, 3 * sizeof *out);
}

/* ---- frames --------------------------------------------------------------------------------- */

static bool have_frame(const session *s, int frame) {
    return vo_run_reader_find_frame(s->coarse.reader, frame) >= 0 &&
           vo_run_reader_find_frame(s->fine.reader, frame) >= 0;
}

/* First frame from 0 on that both runs have; -1 if there is none. */
static int find_first_frame(const session *s) {
    int count = vo_run_reader_frame_count(s->coarse.reader);
    for (int i = 0; i < count; i++) {
        int frame = vo_run_reader_frame_number(s->coarse.reader, i);
        if (frame >= 0 && have_frame(s, frame)) return frame;
    }
    return -1;
}

static vo_result find_frames(session *s, int most) {
    double coarse = s->coarse.engine.scene->def.frame_time;
    double fine = s->fine.engine.scene->def.frame_time;
    if (coarse != fine)
        return vo_fail(s->ctx, VO_BAD_DATA,
                       "%s: its frames last %g s, those of %s %g s; use runs with the same fps",
                       s->fine.folder, fine, s->coarse.folder, coarse);
    s->first_frame = find_first_frame(s);
    if (s->first_frame < 0)
        return vo_fail(s->ctx, VO_BAD_DATA,
                       "%s: has no frame in common with %s; simulate both runs over the same time",
                       s->fine.folder, s->coarse.folder);
    while ((most <= 0 || s->frame_count < most) && have_frame(s, s->first_frame + s->frame_count))
        s->frame_count++;
    return VO_OK;
}

static vo_result record_frame(session *s, int i) {
    vo_upsample_pairs *p = s->pairs;
    const vo_scene *scene;
    float *w = p->wind + 3 * (size_t)i;
    VO_TRY(vo_check_cancel(s->ctx));
    VO_TRY(sample_frame(&s->coarse, s->first_frame + i));
    VO_TRY(sample_frame(&s->fine, s->first_frame + i));
    copy_frame(&s->coarse, p->coarse_frames + 3 * (size_t)i * (size_t)p->coarse.vertex_count);
    copy_frame(&s->fine, p->fine_frames + 3 * (size_t)i * (size_t)p->fine.vertex_count);
    VO_TRY(vo_run_reader_load_scene(s->coarse.reader, s->first_frame + i, &scene));
    vo_vec3 wind = scene->def.wind_velocity;
    w[0] = (float)wind.x, w[1] = (float)wind.y, w[2] = (float)wind.z;
    vo_upsample_engine_measure_strain(&s->fine.engine, s->fine.positions, &p->stats[i]);
    p->stats[i].distance = vo_upsample_rows_distance(&s->base, s->coarse.positions,
                                                     s->fine.positions, s->interpolated);
    return VO_OK;
}

/* ---- sequences ------------------------------------------------------------------------------ */

static const vo_mesh *mesh_of(const source *s) {
    return s->engine.sim->cloth[s->engine.cloth].mesh;
}

static vo_result read_sequence(session *s, const char *const runs[2], int most) {
    int cloth = -1;
    VO_TRY(open_source(s->ctx, runs[0], &cloth, &s->coarse));
    VO_TRY(open_source(s->ctx, runs[1], &cloth, &s->fine));
    VO_TRY(find_frames(s, most));
    VO_TRY(vo_upsample_engine_create_pairs(&s->coarse.engine, &s->fine.engine, s->fine.folder,
                                           s->frame_count, &s->pairs));
    VO_TRY(vo_upsample_interpolate(s->ctx, mesh_of(&s->coarse), mesh_of(&s->fine), &s->base));
    s->interpolated = vo_new_array(s->ctx, float, 3 * s->fine.node_count);
    if (!s->interpolated) return vo_fail_memory(s->ctx, "training pairs");
    for (int i = 0; i < s->frame_count; i++) VO_TRY(record_frame(s, i));
    return VO_OK;
}

static void close_session(session *s) {
    vo_free_array(s->ctx, s->interpolated, 3 * s->fine.node_count);
    vo_upsample_rows_free(s->ctx, &s->base);
    close_source(s->ctx, &s->coarse);
    close_source(s->ctx, &s->fine);
}

/* Reads a sequence and appends it to *all, or starts it. */
static vo_result add_sequence(vo_context *ctx, const char *const runs[2], int most,
                              vo_upsample_pairs **all) {
    session s = {.ctx = ctx};
    vo_result result = read_sequence(&s, runs, most);
    close_session(&s);
    if (result == VO_OK && !*all) {
        *all = s.pairs;
        return VO_OK;
    }
    if (result == VO_OK) result = vo_upsample_pairs_append(*all, s.pairs);
    vo_upsample_pairs_destroy(s.pairs);
    return result;
}

vo_result vo_upsample_read_runs(vo_context *ctx, const vo_upsample_run_pairs_def *def,
                                vo_upsample_pairs **out) {
    vo_result result = VO_OK;
    *out = NULL;
    if (def->run_count < 2 || def->run_count % 2)
        return vo_fail(ctx, VO_BAD_ARGUMENT,
                       "there are %d runs; give a coarse and a fine run for each sequence",
                       def->run_count);
    for (int i = 0; result == VO_OK && i < def->run_count; i += 2)
        result = add_sequence(ctx, def->runs + i, def->max_frames, out);
    if (result == VO_OK) return VO_OK;
    vo_upsample_pairs_destroy(*out);
    *out = NULL;
    return result;
}
