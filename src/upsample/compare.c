/* Comparison of upsampled cloth with the fine simulation (voile/upsample.h). */
#include "codec/png.h"
#include "core/file.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "upsample/compare_surface.h"
#include "upsample/harmonics/harmonics.h"
#include "upsample/image.h"
#include "upsample/playback.h"
#include "upsample/simulate/simulate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BATCH = 8, MAX_OBSTACLES = 256 }; /* frames that are measured at the same time */

static const unsigned COARSE_COLOUR = 0xd9822b, LOOP_COLOUR = 0x7d9b5f, RUN_COLOUR = 0xb5404a,
                      FINE_COLOUR = 0x5d4b9c;

vo_upsample_compare_def vo_upsample_compare_def_default(void) {
    return (vo_upsample_compare_def){
        .every = 1, .test_functions = -1, .view = vo_upsample_view_default()};
}

/* A comparison in progress. */
typedef struct comparison {
    vo_context *ctx;
    const vo_upsample_compare_def *def;
    vo_vru *vru;
    vo_upsample_pairs *simulated; /* NULL: the stored pairs are compared */
    vo_upsample_pairs *repeated;  /* the scene with slightly different gravity; NULL: none */
    const vo_upsample_pairs *pairs;
    vo_upsample_meter meter;
    int surface_count;
    vo_compared_surface surface[VO_UPSAMPLE_MAX_SURFACES];
    vo_compared_surface fine; /* inside and depth only */
    vo_upsample_playback playback;
    bool has_playback;
    vo_upsample_meter_scratch scratch[BATCH];
    float *positions; /* [BATCH][N][3] m, of one surface */
    float *run;       /* [BATCH][N][3] m, output of the real-time library */
    double coarse_s, fine_s;
    int timed_frames;
} comparison;

static size_t frame_size(const comparison *c) { return 3 * (size_t)c->pairs->fine.vertex_count; }

/* ---- surfaces ------------------------------------------------------------------------------- */

static vo_compared_surface *add_surface(comparison *c, vo_compared_kind kind, const char *name) {
    vo_compared_surface *s = &c->surface[c->surface_count++];
    *s = (vo_compared_surface){.kind = kind, .name = name, .inside = -1, .rows.ctx = c->ctx};
    return s;
}

static vo_result add_base(comparison *c, const char *name, vo_upsample_base base) {
    vo_compared_surface *s = add_surface(c, VO_COMPARED_BASE, name);
    return vo_base_operator_create(c->ctx, &c->pairs->coarse, &c->pairs->fine, base, &s->rows);
}

/* Loop and barycentric interpolation, all operators, the run. */
static vo_result add_surfaces(comparison *c) {
    VO_TRY(add_base(c, "barycentric", VO_UPSAMPLE_BARYCENTRIC));
    VO_TRY(add_base(c, "loop", VO_UPSAMPLE_LOOP));
    VO_REQUIRE(c->ctx, c->vru->operator_count + 4 <= VO_UPSAMPLE_MAX_SURFACES);
    for (int i = 0; i < c->vru->operator_count; i++) {
        const vo_vru_operator *named = &c->vru->operators[i];
        add_surface(c, VO_COMPARED_OPERATOR, named->name)->op = named->op;
    }
    if (c->vru->operator_count) add_surface(c, VO_COMPARED_RUN, "run");
    if (c->repeated) add_surface(c, VO_COMPARED_REPEAT, "repeat")->pairs = c->repeated;
    return VO_OK;
}

static vo_compared_surface *find_surface(comparison *c, vo_compared_kind kind, const char *name) {
    for (int i = 0; i < c->surface_count; i++)
        if (c->surface[i].kind == kind && (!name || strcmp(c->surface[i].name, name) == 0))
            return &c->surface[i];
    return NULL;
}

/* True for a name of def->image_surfaces that a panel can have. */
static bool is_panel(const comparison *c, const char *name) {
    static const char *const fixed[] = {"coarse", "fine", "run", "barycentric", "loop"};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        if (strcmp(name, fixed[i]) == 0) return true;
    return vo_vru_find_operator(c->vru, name) != NULL;
}

/* Checks the surfaces of images before anything is simulated. */
static vo_result check_images(const comparison *c) {
    int count = c->def->image_surface_count;
    if (!c->def->image_surfaces) return VO_OK;
    if (count < 1 || count > BATCH)
        return vo_fail(c->ctx, VO_BAD_ARGUMENT, "image_surface_count is %d; use 1 to %d", count,
                       BATCH);
    for (int i = 0; i < count; i++)
        if (!is_panel(c, c->def->image_surfaces[i]))
            return vo_fail(c->ctx, VO_BAD_ARGUMENT, "there is no surface \"%s\"",
                           c->def->image_surfaces[i]);
    return VO_OK;
}

/* ---- preparation ---------------------------------------------------------------------------- */

static bool after_frame(void *user, const vo_upsample_progress *progress) {
    comparison *c = user;
    c->coarse_s += progress->coarse_s;
    c->fine_s += progress->fine_s;
    c->timed_frames++;
    return !c->def->progress || c->def->progress(c->def->user, progress);
}

static bool has_same_triangles(const vo_upsample_mesh *a, const vo_upsample_mesh *b) {
    return a->vertex_count == b->vertex_count && a->triangle_count == b->triangle_count &&
           memcmp(a->triangle, b->triangle, 3 * (size_t)a->triangle_count * sizeof *a->triangle) ==
               0;
}

/* Simulates the scene with the tracking of the training. */
static vo_result simulate(comparison *c, int fine_change_count, const char *const *fine_changes,
                          vo_upsample_pairs **out) {
    vo_upsample_simulate_def def = vo_upsample_simulate_def_default();
    def.test_kind = c->def->test_kind;
    def.test_functions =
        c->def->test_functions >= 0 ? c->def->test_functions : c->vru->pairs->test_function_count;
    def.max_frames = c->def->max_frames;
    def.override_count = c->def->override_count;
    def.overrides = c->def->overrides;
    def.fine_override_count = fine_change_count;
    def.fine_overrides = fine_changes;
    def.progress = after_frame;
    def.user = c;
    return vo_upsample_simulate(c->ctx, 1, &c->def->scene, &def, out);
}

static vo_result simulate_scene(comparison *c) {
    const vo_upsample_pairs *stored = c->vru->pairs;
    VO_TRY(simulate(c, 0, NULL, &c->simulated));
    c->pairs = c->simulated;
    if (has_same_triangles(&stored->coarse, &c->pairs->coarse) &&
        has_same_triangles(&stored->fine, &c->pairs->fine))
        return VO_OK;
    return vo_fail(c->ctx, VO_BAD_DATA,
                   "%s: its cloth has %d to %d vertices, that of %s %d to %d; use a scene of the "
                   "same garment",
                   c->def->scene, c->pairs->coarse.vertex_count, c->pairs->fine.vertex_count,
                   c->def->input, stored->coarse.vertex_count, stored->fine.vertex_count);
}

/* Relative change of gravity of the repeated simulation: several units of a float. */
static const double GRAVITY_CHANGE = 1e-6;

static vo_result repeat_scene(comparison *c) {
    vo_scene *scene;
    char change[160];
    const char *changes[] = {change};
    VO_TRY(vo_scene_load(c->ctx, c->def->scene, c->def->override_count, c->def->overrides, &scene));
    vo_vec3 g = v3_scale(1 + GRAVITY_CHANGE, scene->def.gravity);
    vo_scene_destroy(scene);
    snprintf(change, sizeof change, "gravity=[%.17g,%.17g,%.17g]", g.x, g.y, g.z);
    return simulate(c, 1, changes, &c->repeated);
}

/* The meter with as many modes as there are coarse vertices. */
static vo_result create_meter(comparison *c) {
    vo_harmonics_def def = vo_harmonics_def_default();
    vo_harmonics *h;
    int n = c->pairs->fine.vertex_count;
    def.count = c->pairs->coarse.vertex_count;
    VO_TRY(vo_harmonics_create(c->ctx, &c->pairs->fine, &def, &h));
    size_t modes = vo_array_bytes((size_t)def.count, (size_t)n);
    float *area = vo_new_array(c->ctx, float, n), *mode = vo_new_array(c->ctx, float, modes);
    vo_result result = VO_OK;
    if (!area || !mode) result = vo_fail_memory(c->ctx, "the measures of a surface");
    for (int i = 0; i < n && result == VO_OK; i++) area[i] = (float)h->area[i];
    for (size_t k = 0; k < modes && result == VO_OK; k++)
        mode[k] = (float)(h->mode[k] / sqrt(h->area[k % (size_t)n]));
    if (result == VO_OK)
        result =
            vo_upsample_meter_create(c->ctx, &c->pairs->fine, area, def.count, mode, &c->meter);
    vo_free_array(c->ctx, area, n);
    vo_free_array(c->ctx, mode, modes);
    vo_harmonics_destroy(h);
    return result;
}

static vo_result allocate(comparison *c) {
    c->positions = vo_new_array(c->ctx, float, BATCH *frame_size(c));
    c->run = vo_new_array(c->ctx, float, BATCH *frame_size(c));
    bool ok = c->positions && c->run;
    for (int i = 0; i < BATCH && ok; i++)
        ok = vo_upsample_meter_scratch_create(&c->meter, &c->scratch[i]);
    return ok ? VO_OK : vo_fail_memory(c->ctx, "the measures of a surface");
}

/* ---- images --------------------------------------------------------------------------------- */

static bool has_image(const comparison *c, int frame) {
    int since = frame - c->def->first_image, every = c->def->every > 1 ? c->def->every : 1;
    return c->def->images && since >= 0 && since % every == 0;
}

static vo_result save_panels(const comparison *c, const vo_upsample_image_def *def, int frame) {
    char path[VO_PATH_SIZE], name[32];
    vo_image image;
    snprintf(name, sizeof name, "%04d.png", frame);
    vo_path_join(path, sizeof path, c->def->images, name);
    VO_TRY(vo_upsample_render_panels(c->ctx, def, &image));
    vo_result result = vo_png_save(c->ctx, &image, path);
    vo_upsample_image_free(c->ctx, &image);
    return result;
}

/* Fills the panel of a surface by its name; `x` [N][3] receives the positions of those that are
 * computed. */
static vo_result fill_panel(comparison *c, const char *name, int sequence, int frame,
                            const float *run, float *x, vo_upsample_panel *out) {
    const vo_upsample_pairs *p = c->pairs;
    *out = (vo_upsample_panel){.mesh = &p->fine, .positions = x, .colour = RUN_COLOUR};
    if (strcmp(name, "coarse") == 0) {
        size_t size = 3 * (size_t)p->coarse.vertex_count;
        *out = (vo_upsample_panel){&p->coarse, p->coarse_frames + (size_t)frame * size,
                                   COARSE_COLOUR, true, NULL};
    } else if (strcmp(name, "fine") == 0) {
        out->positions = p->fine_frames + (size_t)frame * frame_size(c);
        out->colour = FINE_COLOUR;
    } else if (strcmp(name, "run") == 0) {
        out->positions = run;
    } else {
        const vo_compared_surface *s = find_surface(c, VO_COMPARED_BASE, name);
        if (s) out->colour = LOOP_COLOUR;
        if (!s) s = find_surface(c, VO_COMPARED_OPERATOR, name);
        VO_REQUIRE(c->ctx, s); /* check_images */
        vo_compared_surface_evaluate(s, p, sequence, frame, x);
    }
    return VO_OK;
}

static vo_result fill_panels(comparison *c, int count, const char *const *names, int sequence,
                             int frame, const float *run, vo_upsample_panel *panels) {
    for (int i = 0; i < count; i++)
        VO_TRY(fill_panel(c, names[i], sequence, frame, run,
                          c->positions + (size_t)i * frame_size(c), &panels[i]));
    return VO_OK;
}

/* Draws the surfaces of the definition side by side. `run` [N][3]. */
static vo_result draw(comparison *c, int sequence, int frame, const float *run) {
    static const char *const all[] = {"coarse", "loop", "run", "fine"};
    const char *const *names = c->def->image_surfaces ? c->def->image_surfaces : all;
    int count = c->def->image_surfaces ? c->def->image_surface_count : 4;
    const vo_mesh *obstacles[MAX_OBSTACLES];
    const vo_upsample_view *view = &c->def->view;
    vo_upsample_panel panels[BATCH]; /* computed positions use the memory of a batch */
    vo_upsample_image_def def = vo_upsample_image_def_default();
    VO_TRY(fill_panels(c, count, names, sequence, frame, run, panels));
    def.panels = panels;
    def.panel_count = count;
    if (c->has_playback)
        def.obstacle_count =
            vo_upsample_playback_list_obstacles(&c->playback, MAX_OBSTACLES, obstacles);
    def.obstacles = obstacles;
    def.width = view->width;
    def.height = view->height;
    def.azimuth = view->azimuth;
    def.elevation = view->elevation;
    def.zoom = view->zoom;
    def.samples = view->samples;
    return save_panels(c, &def, frame);
}

/* ---- measures ------------------------------------------------------------------------------- */

typedef struct batch {
    comparison *c;
    const vo_compared_surface *surface;
    int sequence, first, count;
    vo_upsample_frame_difference difference[BATCH];
} batch;

static void measure_frames(void *arg, int begin, int end, int chunk) {
    batch *b = arg;
    comparison *c = b->c;
    (void)chunk;
    for (int i = begin; i < end; i++) {
        size_t size = frame_size(c);
        float *x = c->positions + (size_t)i * size;
        if (b->surface->kind == VO_COMPARED_RUN)
            x = c->run + (size_t)i * size;
        else
            vo_compared_surface_evaluate(b->surface, c->pairs, b->sequence, b->first + i, x);
        b->difference[i] = vo_upsample_meter_compare(
            &c->meter, x, c->pairs->fine_frames + (size_t)(b->first + i) * size, &c->scratch[i]);
    }
}

static void measure_batch(comparison *c, int sequence, int first, int count) {
    for (int s = 0; s < c->surface_count; s++) {
        vo_compared_surface *surface = &c->surface[s];
        if (surface->kind == VO_COMPARED_RUN && !c->has_playback) continue;
        batch b = {
            .c = c, .surface = surface, .sequence = sequence, .first = first, .count = count};
        vo_parallel_for(c->ctx, count, 1, measure_frames, &b);
        for (int i = 0; i < count; i++) vo_compared_surface_add(surface, &b.difference[i]);
    }
}

static void close_playback(comparison *c) {
    if (c->has_playback) vo_upsample_playback_close(&c->playback);
    c->has_playback = false;
}

/* True if the coarse cloth is where the stored frame has it. */
static bool repeats_frame(const comparison *c, int frame) {
    int n = c->pairs->coarse.vertex_count;
    const float *stored = c->pairs->coarse_frames + 3 * (size_t)frame * (size_t)n;
    const float *x = vo_upsample_engine_positions(&c->playback.engine);
    for (int i = 0; i < n; i++)
        if (memcmp(x + 4 * i, stored + 3 * i, 3 * sizeof *x) != 0) return false;
    return true;
}

/* Output of the real-time library in a frame; without it, that of the first operator. */
static vo_result play_frame(comparison *c, int sequence, int frame, float *out) {
    const vo_compared_surface *op = find_surface(c, VO_COMPARED_OPERATOR, NULL);
    if (!c->has_playback) {
        if (op) vo_compared_surface_evaluate(op, c->pairs, sequence, frame, out);
        return VO_OK;
    }
    if (frame > c->pairs->first_frame[sequence]) VO_TRY(vo_upsample_playback_step(&c->playback));
    if (!c->simulated && !repeats_frame(c, frame)) {
        vo_log_line(c->ctx, VO_LOG_WARNING,
                    "%s: frame %d of the scene is not that of the training: the scene has changed, "
                    "or was trained with changes; \"run\" does not measure it. Give the scene and "
                    "its changes to compare",
                    c->vru->scene[sequence], frame - c->pairs->first_frame[sequence]);
        close_playback(c);
        return VO_OK;
    }
    memcpy(out, vo_upsample_playback_positions(&c->playback), frame_size(c) * sizeof *out);
    double depth;
    int inside = vo_upsample_playback_count_inside(&c->playback, out, &depth);
    vo_compared_surface_add_inside(find_surface(c, VO_COMPARED_RUN, NULL), inside, depth);
    return VO_OK;
}

static vo_result compare_batch(comparison *c, int sequence, int first, int count) {
    VO_TRY(vo_check_cancel(c->ctx));
    for (int i = 0; i < count; i++) {
        float *run = c->run + (size_t)i * frame_size(c);
        VO_TRY(play_frame(c, sequence, first + i, run));
        if (has_image(c, first + i)) VO_TRY(draw(c, sequence, first + i, run));
        const vo_upsample_frame_stats *stats = &c->pairs->stats[first + i];
        vo_compared_surface_add_inside(&c->fine, (int)stats->inside, (double)stats->penetration);
    }
    measure_batch(c, sequence, first, count);
    return VO_OK;
}

/* Opens the scene of a sequence in the real-time library, where that is possible. */
static vo_result open_playback(comparison *c, int sequence) {
    const char *scene = c->def->scene;
    c->has_playback = false;
    if (!scene && sequence < c->vru->scene_count) scene = c->vru->scene[sequence];
    if (!c->vru->operator_count || !scene || (!c->def->scene && !vo_file_exists(scene)))
        return VO_OK;
    VO_TRY(vo_upsample_playback_open(c->vru, c->def->rank, scene, c->def->override_count,
                                     c->def->overrides, &c->playback));
    c->has_playback = true;
    return VO_OK;
}

static vo_result compare_sequence(comparison *c, int sequence) {
    int end = c->pairs->first_frame[sequence + 1];
    VO_TRY(open_playback(c, sequence));
    vo_result result = VO_OK;
    for (int f = c->pairs->first_frame[sequence]; f < end && result == VO_OK; f += BATCH)
        result = compare_batch(c, sequence, f, end - f < BATCH ? end - f : BATCH);
    close_playback(c);
    return result;
}

/* ---- result --------------------------------------------------------------------------------- */

static void report(const comparison *c, vo_upsample_comparison *out) {
    *out = (vo_upsample_comparison){.frames = c->pairs->frame_count};
    for (int i = 0; i < c->surface_count; i++)
        if (c->surface[i].frames)
            out->surface[out->surface_count++] = vo_compared_surface_result(&c->surface[i]);
    out->fine = vo_compared_surface_result(&c->fine);
    if (!c->timed_frames) return;
    out->coarse_s = c->coarse_s / c->timed_frames;
    out->fine_s = c->fine_s / c->timed_frames;
}

static vo_result run(comparison *c) {
    VO_TRY(vo_vru_load(c->ctx, c->def->input, &c->vru));
    c->pairs = c->vru->pairs;
    VO_TRY(check_images(c));
    if (c->def->noise_floor && !c->def->scene)
        return vo_fail(c->ctx, VO_BAD_ARGUMENT,
                       "the noise floor needs a scene, which is simulated twice");
    if (c->def->scene) VO_TRY(simulate_scene(c));
    if (c->def->noise_floor) VO_TRY(repeat_scene(c));
    if (c->def->images) VO_TRY(vo_folder_create(c->ctx, c->def->images));
    VO_TRY(add_surfaces(c));
    VO_TRY(create_meter(c));
    VO_TRY(allocate(c));
    for (int s = 0; s < c->pairs->sequence_count; s++) VO_TRY(compare_sequence(c, s));
    return VO_OK;
}

static void release(comparison *c) {
    for (int i = 0; i < c->surface_count; i++)
        if (c->surface[i].kind == VO_COMPARED_BASE) vo_sparse_rows_free(&c->surface[i].rows);
    for (int i = 0; i < BATCH; i++) vo_upsample_meter_scratch_free(c->ctx, &c->scratch[i]);
    if (c->pairs) {
        vo_free_array(c->ctx, c->positions, BATCH * frame_size(c));
        vo_free_array(c->ctx, c->run, BATCH * frame_size(c));
    }
    vo_upsample_meter_free(&c->meter);
    vo_upsample_pairs_destroy(c->simulated);
    vo_upsample_pairs_destroy(c->repeated);
    vo_vru_destroy(c->vru);
}

vo_result vo_upsample_compare(vo_context *ctx, const vo_upsample_compare_def *def,
                              vo_upsample_comparison *out) {
    comparison c = {.ctx = ctx, .def = def};
    *out = (vo_upsample_comparison){0};
    if (!def->input) return vo_fail(ctx, VO_BAD_ARGUMENT, "input is missing");
    c.fine = (vo_compared_surface){.name = "fine", .inside = -1};
    vo_result result = run(&c);
    if (result == VO_OK) report(&c, out);
    release(&c);
    return result;
}
