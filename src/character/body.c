/* Creates bodies of all kinds, sets their motion and places them in the world. */
#include "character/body_private.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "math/bounds.h"
#include "mesh/validate.h"

#include <string.h>

vo_motion_def vo_motion_def_default(void) { return (vo_motion_def){.speed = 1}; }

/* ---- creation -------------------------------------------------------------------------------- */

/* Allocates a body of a kind, without content; NULL without memory. */
static vo_body *new_body(vo_context *ctx, vo_body_kind kind, const vo_import_options *options) {
    vo_body *body = vo_new(ctx, vo_body);
    if (!body) return NULL;
    body->ctx = ctx;
    body->kind = kind;
    body->options = options ? *options : vo_import_options_default();
    body->placement = xf_identity();
    vo_arena_init(&body->memory, ctx);
    return body;
}

/* Returns the body through *out on success and destroys it otherwise. */
static vo_result return_body(vo_body *body, vo_result result, vo_body **out) {
    if (result == VO_OK)
        *out = body;
    else
        vo_body_destroy(body);
    return result;
}

vo_result vo_body_create_mannequin(vo_context *ctx, const vo_mannequin_def *def, vo_body **out) {
    *out = NULL;
    vo_body *body = new_body(ctx, VO_BODY_MANNEQUIN, NULL);
    if (!body) return vo_fail_memory(ctx, "a mannequin");
    body->sizes = *def;
    return return_body(body, vo_mannequin_create(ctx, def, &body->mannequin), out);
}

vo_result vo_body_create_skeleton(vo_context *ctx, const vo_mannequin_def *def, vo_body **out) {
    *out = NULL;
    vo_body *body = new_body(ctx, VO_BODY_MANNEQUIN, NULL);
    if (!body) return vo_fail_memory(ctx, "the bones of a mannequin");
    body->sizes = *def;
    return return_body(body, vo_mannequin_create_skeleton(ctx, def, &body->mannequin), out);
}

vo_result vo_body_copy_mannequin(const vo_body *from, vo_body **out) {
    vo_context *ctx = from->ctx;
    *out = NULL;
    vo_body *body = new_body(ctx, VO_BODY_MANNEQUIN, NULL);
    if (!body) return vo_fail_memory(ctx, "a mannequin");
    body->sizes = from->sizes;
    return return_body(body, vo_mannequin_copy(ctx, &from->mannequin, &body->mannequin), out);
}

bool vo_body_is_mannequin(const vo_body *body, const vo_mannequin_def *def) {
    const vo_mannequin_def *s = &body->sizes;
    return body->kind == VO_BODY_MANNEQUIN && s->height == def->height && s->build == def->build &&
           s->figure == def->figure && s->shoulders == def->shoulders && s->chest == def->chest &&
           s->waist == def->waist && s->hips == def->hips && s->limbs == def->limbs &&
           s->faces == def->faces;
}

/* Returns true if both have the same first frame, which is the rest pose. */
static bool has_equal_first_frame(const vo_mesh_sequence *a, const vo_mesh_sequence *b) {
    return a->node_count == b->node_count &&
           memcmp(a->frame[0], b->frame[0], (size_t)a->node_count * sizeof *a->frame[0]) == 0;
}

bool vo_body_has_equal_rest(const vo_body *a, const vo_body *b) {
    if (a == b) return true;
    if (a->kind != b->kind || a->placement.scale != b->placement.scale) return false;
    if (a->kind == VO_BODY_MANNEQUIN) return vo_body_is_mannequin(a, &b->sizes);
    if (!a->path || !b->path || strcmp(a->path, b->path) != 0 ||
        a->options.metres_per_unit != b->options.metres_per_unit ||
        a->options.up_axis != b->options.up_axis)
        return false;
    return a->kind == VO_BODY_CHARACTER || has_equal_first_frame(&a->sequence, &b->sequence);
}

static vo_result read_character(vo_body *body, const char *path) {
    body->path = vo_copy_string(body->ctx, path);
    if (!body->path) return vo_fail_memory(body->ctx, path);
    VO_TRY(vo_import_character(body->ctx, path, &body->options, &body->character));
    if (body->character.face_count == 0)
        return vo_fail(body->ctx, VO_BAD_DATA,
                       "%s: has no surface (triangle mesh); use it as a motion, or export the "
                       "character with its skin",
                       path);
    return vo_body_character_bind(body);
}

vo_result vo_body_create_file(vo_context *ctx, const char *path, const vo_import_options *options,
                              vo_body **out) {
    *out = NULL;
    vo_body *body = new_body(ctx, VO_BODY_CHARACTER, options);
    if (!body) return vo_fail_memory(ctx, path);
    return return_body(body, read_character(body, path), out);
}

/* Sets the path and the default motion: a sequence plays at its own frame rate. */
static vo_result start_sequence(vo_body *body, const char *path) {
    body->path = vo_copy_string(body->ctx, path);
    if (!body->path) return vo_fail_memory(body->ctx, path);
    vo_motion_def def = vo_motion_def_default();
    return vo_body_set_motion(body, &def, 1 / body->sequence.step);
}

vo_result vo_body_create_frames(vo_context *ctx, int count, const char *const *paths, double fps,
                                const vo_import_options *options, vo_body **out) {
    *out = NULL;
    vo_body *body = new_body(ctx, VO_BODY_SEQUENCE, options);
    if (!body) return vo_fail_memory(ctx, "a sequence of meshes");
    vo_result result =
        vo_sequence_load_files(ctx, count, paths, fps, &body->options, &body->sequence);
    if (result == VO_OK) result = start_sequence(body, paths[0]);
    return return_body(body, result, out);
}

vo_result vo_body_create_sequence(vo_context *ctx, const char *pattern, double fps,
                                  const vo_import_options *options, vo_body **out) {
    *out = NULL;
    vo_body *body = new_body(ctx, VO_BODY_SEQUENCE, options);
    if (!body) return vo_fail_memory(ctx, pattern);
    vo_result result =
        vo_sequence_load_obj(ctx, pattern, -1, -1, fps, &body->options, &body->sequence);
    if (result == VO_OK) result = start_sequence(body, pattern);
    return return_body(body, result, out);
}

void vo_body_destroy(vo_body *body) {
    if (!body) return;
    vo_context *ctx = body->ctx;
    vo_mesh_destroy(body->rest);
    vo_mannequin_free(ctx, &body->mannequin);
    vo_clip_destroy(body->clip);
    vo_free_array(ctx, body->bind_local, body->character.joint_count);
    if (body->character.ctx) vo_character_free(&body->character);
    vo_arena_free(&body->memory);
    vo_sequence_free(&body->sequence);
    vo_free_string(ctx, body->path);
    vo_delete(ctx, body);
}

/* ---- motion --------------------------------------------------------------------------------- */

static vo_result check_motion(vo_context *ctx, const vo_motion_def *def) {
    if (!vo_is_nonnegative(def->start))
        return vo_fail(ctx, VO_BAD_ARGUMENT,
                       "start must be at least 0, up to " VO_MAX_NUMBER_TEXT " s");
    if (!vo_is_nonnegative(def->speed))
        return vo_fail(ctx, VO_BAD_ARGUMENT, "speed must be at least 0, up to " VO_MAX_NUMBER_TEXT);
    if (!vo_is_nonnegative(def->fps))
        return vo_fail(ctx, VO_BAD_ARGUMENT, "fps must be at least 0, up to " VO_MAX_NUMBER_TEXT);
    if (def->end != VO_END_FILE && def->end != VO_END_HOLD && def->end != VO_END_LOOP)
        return vo_fail(ctx, VO_BAD_ARGUMENT, "end is not a vo_motion_end");
    return VO_OK;
}

static vo_result set_motion(vo_body *body, const vo_motion_def *def, double fps) {
    switch (body->kind) {
    case VO_BODY_MANNEQUIN:
        return vo_body_mannequin_set_motion(body, def);
    case VO_BODY_CHARACTER:
        if (def->file && vo_body_file_has_extension(def->file, ".pc2"))
            return vo_body_cache_set_motion(body, def, fps);
        return vo_body_character_set_motion(body, def);
    case VO_BODY_SEQUENCE:
        return vo_body_sequence_set_motion(body, def, fps);
    }
    return VO_OK;
}

/* Returns the largest angle between the first two keys of a joint, degrees; *second receives the
 * time of the second key, s. */
static double first_rotation_step(const vo_joint_clip *clip, double *second) {
    double min_cosine = 1;
    for (int i = 0; i < clip->track_count; i++) {
        const vo_joint_track *track = &clip->track[i];
        if (track->rotation_count < 3) continue;
        double cosine = fabs(q_dot(track->rotation[0].value, track->rotation[1].value));
        if (!(cosine < min_cosine)) continue;
        min_cosine = cosine;
        *second = track->rotation[1].time;
    }
    return 2 * acos(vo_min(min_cosine, 1)) * (180 / VO_PI);
}

/* Skips the first frame of recordings that begin with a single T-pose, unrelated to the second
 * frame. */
static void skip_first_pose(vo_body *body, const char *file) {
    const double min_angle = 40, max_time = 0.05; /* degrees, s */
    double second = 0, turn = first_rotation_step(&body->joint_clip, &second);
    body->time.lead_in = 0;
    if (!(turn > min_angle && second <= max_time && second < body->time.length)) return;
    body->time.lead_in = second;
    vo_log_line(body->ctx, VO_LOG_INFO,
                "%s: the first frame, %.0f degrees from the second, is skipped; the motion "
                "begins at %.3g s",
                file ? file : "the motion", turn, second);
}

vo_result vo_body_set_motion(vo_body *body, const vo_motion_def *def, double fps) {
    VO_TRY(check_motion(body->ctx, def));
    VO_TRY(set_motion(body, def, def->fps > 0 ? def->fps : fps));
    if (body->joint_clip.name) skip_first_pose(body, def->file);
    body->time.start = def->start;
    body->time.speed = def->speed;
    body->time.repeats = def->end == VO_END_LOOP;
    if (def->end == VO_END_HOLD) body->time.endless = false;
    body->has_motion = true;
    return VO_OK;
}

/* ---- placement ------------------------------------------------------------------------------- */

static vo_result make_mesh(vo_body *body, const vo_vec3 *x) {
    int nodes = vo_body_node_count(body), faces;
    vo_body_face *face = vo_body_faces(body, &faces);
    const char *name = body->path ? body->path : "the mannequin";
    return vo_mesh_create_surface(body->ctx, name, nodes, x, faces, face, &body->rest);
}

static vo_result check_bounds(vo_context *ctx, int count, const vo_vec3 *x) {
    for (int n = 0; n < count; n++)
        if (!v3_is_bounded(x[n]))
            return vo_fail(ctx, VO_BAD_ARGUMENT,
                           "node %d of the rest pose is out of bounds; check units and placement",
                           n);
    return VO_OK;
}

/* Warns if a repeating motion does not end in the pose in which it began. */
static void warn_loop_discontinuity(vo_body_evaluator *evaluator, vo_vec3 *a, vo_vec3 *b) {
    const vo_body *body = evaluator->body;
    if (!body->has_motion || !body->time.repeats || body->time.endless) return;
    double max_distance = 0;
    vo_body_eval_sample(evaluator, (vo_motion_sample){0, 1, 0}, a);
    vo_body_eval_sample(evaluator, (vo_motion_sample){body->time.length, 1, 0}, b);
    for (int n = 0; n < vo_body_node_count(body); n++)
        max_distance = vo_max(max_distance, v3_distance(a[n], b[n]));
    if (max_distance > 0.02)
        vo_log_line(
            body->ctx, VO_LOG_WARNING,
            "%s: the motion does not end in its first pose; where it repeats the body moves "
            "by up to %.2g m at once",
            body->path ? body->path : "the mannequin", max_distance);
}

static vo_result create_rest_mesh(vo_body *body, vo_body_evaluator *evaluator, vo_vec3 *x) {
    int count = vo_body_node_count(body);
    warn_loop_discontinuity(evaluator, x, x + count);
    vo_body_eval_sample(evaluator, (vo_motion_sample){0, 0, 0}, x);
    VO_TRY(check_bounds(body->ctx, count, x));
    return make_mesh(body, x);
}

vo_result vo_body_set_placement(vo_body *body, const vo_body_placement_def *def) {
    body->placement = def->placement;
    body->time.preroll = def->preroll;
    body->self_gap = def->self_gap;
    body->sample_interval = def->sample_interval;
    body->own_frame = vo_body_find_frame(body);
    vo_body_evaluator evaluator;
    VO_TRY(vo_body_evaluator_init(body->ctx, body, &evaluator));
    int count = 2 * vo_body_node_count(body);
    vo_vec3 *x = vo_new_array(body->ctx, vo_vec3, count);
    vo_result result =
        x ? create_rest_mesh(body, &evaluator, x) : vo_fail_memory(body->ctx, "a body");
    vo_free_array(body->ctx, x, count);
    vo_body_evaluator_free(&evaluator);
    return result;
}

const vo_mesh *vo_body_rest_mesh(const vo_body *body) { return body->rest; }

vo_transform vo_body_placement(const vo_body *body) {
    return xf_mul(body->placement, body->own_frame);
}
