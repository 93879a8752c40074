/* Bodies of all kinds: made, moved, put into the world, asked. */
#include "core/memory.h"
#include "core/parallel.h"
#include "math/bounds.h"
#include "scene/body_private.h"

#include <string.h>

vo_motion_def vo_motion_def_default(void) { return (vo_motion_def){.speed = 1}; }

/* ---- making --------------------------------------------------------------------------------- */

/* A body that is nothing yet. */
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

/* The body if all went well. */
static vo_result finish(vo_body *body, vo_result result, vo_body **out) {
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
    return finish(body, vo_mannequin_create(ctx, def, &body->mannequin), out);
}

vo_result vo_body_create_bones(vo_context *ctx, const vo_mannequin_def *def, vo_body **out) {
    *out = NULL;
    vo_body *body = new_body(ctx, VO_BODY_MANNEQUIN, NULL);
    if (!body) return vo_fail_memory(ctx, "the bones of a mannequin");
    body->sizes = *def;
    return finish(body, vo_mannequin_create_bones(ctx, def, &body->mannequin), out);
}

vo_result vo_body_copy_mannequin(const vo_body *from, vo_body **out) {
    vo_context *ctx = from->ctx;
    *out = NULL;
    vo_body *body = new_body(ctx, VO_BODY_MANNEQUIN, NULL);
    if (!body) return vo_fail_memory(ctx, "a mannequin");
    body->sizes = from->sizes;
    return finish(body, vo_mannequin_copy(ctx, &from->mannequin, &body->mannequin), out);
}

bool vo_body_is_mannequin(const vo_body *body, const vo_mannequin_def *def) {
    const vo_mannequin_def *s = &body->sizes;
    return body->kind == VO_BODY_MANNEQUIN && s->height == def->height && s->build == def->build &&
           s->figure == def->figure && s->shoulders == def->shoulders && s->chest == def->chest &&
           s->waist == def->waist && s->hips == def->hips && s->limbs == def->limbs &&
           s->faces == def->faces;
}

/* The first frame is the rest pose. */
static bool same_start(const vo_mesh_sequence *a, const vo_mesh_sequence *b) {
    return a->node_count == b->node_count &&
           memcmp(a->frame[0], b->frame[0], (size_t)a->node_count * sizeof *a->frame[0]) == 0;
}

bool vo_body_is_alike(const vo_body *a, const vo_body *b) {
    if (a == b) return true;
    if (a->kind != b->kind || a->placement.scale != b->placement.scale) return false;
    if (a->kind == VO_BODY_MANNEQUIN) return vo_body_is_mannequin(a, &b->sizes);
    if (!a->path || !b->path || strcmp(a->path, b->path) != 0 ||
        a->options.units != b->options.units || a->options.up_axis != b->options.up_axis)
        return false;
    return a->kind == VO_BODY_CHARACTER || same_start(&a->sequence, &b->sequence);
}

static vo_result read_character(vo_body *body, const char *path) {
    body->path = vo_copy_string(body->ctx, path);
    if (!body->path) return vo_fail_memory(body->ctx, path);
    VO_TRY(vo_import_character(body->ctx, path, &body->options, &body->character));
    if (body->character.face_count == 0)
        return vo_fail(body->ctx, VO_BAD_DATA,
                       "%s: has no surface, so it is no body; name it as a motion", path);
    return vo_body_character_bind(body);
}

vo_result vo_body_create_file(vo_context *ctx, const char *path, const vo_import_options *options,
                              vo_body **out) {
    *out = NULL;
    vo_body *body = new_body(ctx, VO_BODY_CHARACTER, options);
    if (!body) return vo_fail_memory(ctx, path);
    return finish(body, read_character(body, path), out);
}

/* A sequence plays by itself, in its own time. */
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
    return finish(body, result, out);
}

vo_result vo_body_create_pattern(vo_context *ctx, const char *pattern, double fps,
                                 const vo_import_options *options, vo_body **out) {
    *out = NULL;
    vo_body *body = new_body(ctx, VO_BODY_SEQUENCE, options);
    if (!body) return vo_fail_memory(ctx, pattern);
    vo_result result =
        vo_sequence_load_obj(ctx, pattern, -1, -1, fps, &body->options, &body->sequence);
    if (result == VO_OK) result = start_sequence(body, pattern);
    return finish(body, result, out);
}

void vo_body_destroy(vo_body *body) {
    if (!body) return;
    vo_context *ctx = body->ctx;
    vo_mesh_destroy(body->rest);
    vo_mannequin_free(ctx, &body->mannequin);
    vo_clip_destroy(body->clip);
    vo_free_array(ctx, body->bound, body->character.joint_count);
    if (body->character.ctx) vo_character_free(&body->character);
    vo_arena_free(&body->memory);
    vo_sequence_free(&body->sequence);
    vo_free_string(ctx, body->path);
    vo_delete(ctx, body);
}

/* ---- motion --------------------------------------------------------------------------------- */

static vo_result check_motion(vo_context *ctx, const vo_motion_def *def) {
    if (!vo_is_nonnegative(def->start))
        return vo_fail(ctx, VO_BAD_CALL, "start must be at least 0, up to " VO_LARGEST_TEXT " s");
    if (!vo_is_nonnegative(def->speed))
        return vo_fail(ctx, VO_BAD_CALL, "speed must be at least 0, up to " VO_LARGEST_TEXT);
    if (!vo_is_nonnegative(def->fps))
        return vo_fail(ctx, VO_BAD_CALL, "fps must be at least 0, up to " VO_LARGEST_TEXT);
    if (def->end != VO_END_FILE && def->end != VO_END_HOLD && def->end != VO_END_LOOP)
        return vo_fail(ctx, VO_BAD_CALL, "end is not one of vo_motion_end");
    return VO_OK;
}

static vo_result set_motion(vo_body *body, const vo_motion_def *def, double fps) {
    switch (body->kind) {
    case VO_BODY_MANNEQUIN:
        return vo_body_mannequin_moves(body, def);
    case VO_BODY_CHARACTER:
        if (def->file && vo_body_file_is(def->file, ".pc2"))
            return vo_body_cache_moves(body, def, fps);
        return vo_body_character_moves(body, def);
    case VO_BODY_SEQUENCE:
        return vo_body_sequence_moves(body, def, fps);
    }
    return VO_OK;
}

/* The largest angle between the first two keys of a joint, degrees, and when the second one is. */
static double first_turn(const vo_joint_clip *clip, double *second) {
    double least = 1;
    for (int i = 0; i < clip->track_count; i++) {
        const vo_joint_track *track = &clip->track[i];
        if (track->turn_count < 3) continue;
        double cosine = fabs(q_dot(track->turn[0].value, track->turn[1].value));
        if (!(cosine < least)) continue;
        least = cosine;
        *second = track->turn[1].time;
    }
    return 2 * acos(vo_min(least, 1)) * (180 / VO_PI);
}

/* Many recordings begin with one frame of a T-pose, from which nothing leads to the next. */
static void leave_out_first_pose(vo_body *body, const char *file) {
    const double apart = 40, soon = 0.05; /* degrees, s */
    double second = 0, turn = first_turn(&body->follow, &second);
    body->time.lead = 0;
    if (!(turn > apart && second <= soon && second < body->time.length)) return;
    body->time.lead = second;
    vo_log_line(body->ctx, VO_LOG_INFO,
                "%s: the first frame is a pose apart, %.0f degrees from the second; the motion "
                "begins with the second, after %.3g s",
                file ? file : "the motion", turn, second);
}

vo_result vo_body_set_motion(vo_body *body, const vo_motion_def *def, double fps) {
    VO_TRY(check_motion(body->ctx, def));
    VO_TRY(set_motion(body, def, def->fps > 0 ? def->fps : fps));
    if (body->follow.name) leave_out_first_pose(body, def->file);
    body->time.start = def->start;
    body->time.speed = def->speed;
    body->time.repeats = def->end == VO_END_LOOP;
    if (def->end == VO_END_HOLD) body->time.endless = false;
    body->moves = true;
    return VO_OK;
}

/* A motion that has no past stands still before it begins. */
static double motion_time(const vo_body_time *m, double t) {
    double s = m->start + m->speed * t, length = m->length - m->lead;
    if (m->endless) return s;
    if (s <= 0 || !(length > 0)) return m->lead;
    return m->lead + (m->repeats ? fmod(s, length) : vo_min(s, length));
}

/* What comes before 0 is the way from rest to where the motion is at 0, and a swing of the motion
 * itself that gives it its velocity there:
 *
 *      g = p (u^3 - u^2),   u = 1 + t / p:   g = g' = 0 at -p,   g = 0 and g' = 1 at 0
 *
 * The way has one beginning and one end, so nothing turns over, however far the motion turns. Were
 * it towards a motion that runs, the shorter way round would change sides amidst a spin. */
static double swing(double t, double preroll) {
    double u = vo_max(1 + t / preroll, 0);
    return preroll * (u - 1) * u * u;
}

vo_vec3 vo_body_hips(const vo_body *body, double start, double t) {
    const vo_skeleton *skeleton = &body->mannequin.skeleton;
    vo_body_time time = body->time;
    time.start = start;
    vo_body_pose pose = body->moves ? vo_body_mannequin_pose(body, motion_time(&time, t))
                                    : vo_body_pose_rest(skeleton);
    return v3_add(skeleton->offset[VO_BONE_HIPS], pose.translation);
}

vo_body_moment vo_body_moment_at(const vo_body *body, double t) {
    double preroll = body->time.preroll;
    if (!body->moves) return (vo_body_moment){0, 0, 0};
    if (t >= 0 || !(preroll > 0)) return (vo_body_moment){motion_time(&body->time, t), 1, 0};
    return (vo_body_moment){motion_time(&body->time, swing(t, preroll)), vo_ease(1 + t / preroll),
                            motion_time(&body->time, 0)};
}

/* ---- places --------------------------------------------------------------------------------- */

int vo_body_node_count(const vo_body *body) {
    return body->kind == VO_BODY_MANNEQUIN   ? body->mannequin.skin.node_count
           : body->kind == VO_BODY_CHARACTER ? body->character.node_count
                                             : body->sequence.node_count;
}

/* Room for joints. */
static vo_result follow_character(vo_body_follower *f) {
    if (f->body->kind != VO_BODY_CHARACTER) return VO_OK;
    f->joint = vo_new_array(f->ctx, vo_affine, 2 * f->body->character.joint_count + 1);
    f->motion = vo_new_array(f->ctx, vo_affine, f->body->character.bind_count + 1);
    return f->joint && f->motion ? VO_OK : vo_fail_memory(f->ctx, "a moving body");
}

vo_result vo_body_follow(vo_context *ctx, const vo_body *body, vo_body_follower *out) {
    *out = (vo_body_follower){.ctx = ctx, .body = body};
    vo_result result = follow_character(out);
    if (result == VO_OK) result = vo_body_press_follow(out);
    if (result != VO_OK) vo_body_follower_free(out);
    return result;
}

void vo_body_follower_free(vo_body_follower *f) {
    if (!f->ctx) return;
    vo_body_press_free(f);
    vo_free_array(f->ctx, f->joint, 2 * f->body->character.joint_count + 1);
    vo_free_array(f->ctx, f->motion, f->body->character.bind_count + 1);
    *f = (vo_body_follower){0};
}

static void place(vo_body_follower *f, vo_body_moment at, vo_vec3 *x) {
    switch (f->body->kind) {
    case VO_BODY_MANNEQUIN:
        vo_body_mannequin_place(f->ctx, f->body, at, x);
        break;
    case VO_BODY_CHARACTER:
        vo_body_character_place(f, at, x);
        break;
    case VO_BODY_SEQUENCE:
        vo_body_sequence_place(f->ctx, f->body, at, x);
        break;
    }
}

void vo_body_place_bare(vo_body_follower *follower, double t, vo_vec3 *x) {
    place(follower, vo_body_moment_at(follower->body, t), x);
}

void vo_body_place(vo_body_follower *follower, double t, vo_vec3 *x) {
    vo_body_place_bare(follower, t, x);
    vo_body_press(follower, t, x);
}

/* ---- in the world --------------------------------------------------------------------------- */

vo_body_face *vo_body_faces(const vo_body *body, int *count) {
    if (body->kind == VO_BODY_CHARACTER) {
        *count = body->character.face_count;
        return (vo_body_face *)body->character.face;
    }
    if (body->kind == VO_BODY_SEQUENCE) {
        *count = body->sequence.face_count;
        return (vo_body_face *)body->sequence.face;
    }
    *count = body->mannequin.face_count;
    return (vo_body_face *)body->mannequin.face;
}

static vo_result make_mesh(vo_body *body, const vo_vec3 *x) {
    int nodes = vo_body_node_count(body), faces;
    vo_body_face *face = vo_body_faces(body, &faces);
    return vo_mesh_create(body->ctx, nodes, x, 0, NULL, NULL, faces, face, VO_MESH_FOR_OBSTACLE,
                          &body->rest);
}

static vo_result check_bounds(vo_context *ctx, int count, const vo_vec3 *x) {
    for (int n = 0; n < count; n++)
        if (!v3_is_bounded(x[n]))
            return vo_fail(ctx, VO_BAD_CALL, "the pose takes node %d out of all bounds", n);
    return VO_OK;
}

/* Whoever lets a motion repeat that does not close hears of the jump. */
static void tell_jump(vo_body_follower *f, vo_vec3 *a, vo_vec3 *b) {
    const vo_body *body = f->body;
    if (!body->moves || !body->time.repeats || body->time.endless) return;
    double far = 0;
    place(f, (vo_body_moment){0, 1, 0}, a);
    place(f, (vo_body_moment){body->time.length, 1, 0}, b);
    for (int n = 0; n < vo_body_node_count(body); n++) far = vo_max(far, v3_distance(a[n], b[n]));
    if (far > 0.02)
        vo_log_line(body->ctx, VO_LOG_WARNING,
                    "%s: the motion does not end as it began; where it repeats the body jumps by "
                    "up to %.2g m, and cloth with it",
                    body->path ? body->path : "the mannequin", far);
}

static vo_result put(vo_body *body, vo_body_follower *f, vo_vec3 *x) {
    int count = vo_body_node_count(body);
    tell_jump(f, x, x + count);
    place(f, (vo_body_moment){0, 0, 0}, x);
    VO_TRY(check_bounds(body->ctx, count, x));
    return make_mesh(body, x);
}

vo_result vo_body_put(vo_body *body, const vo_body_place_def *def) {
    body->placement = def->placement;
    body->time.preroll = def->preroll;
    body->gap = def->gap;
    body->step = def->step;
    body->own = vo_body_own_frame(body);
    vo_body_follower follower;
    VO_TRY(vo_body_follow(body->ctx, body, &follower));
    int count = 2 * vo_body_node_count(body);
    vo_vec3 *x = vo_new_array(body->ctx, vo_vec3, count);
    vo_result result = x ? put(body, &follower, x) : vo_fail_memory(body->ctx, "a body");
    vo_free_array(body->ctx, x, count);
    vo_body_follower_free(&follower);
    return result;
}

const vo_mesh *vo_body_rest(const vo_body *body) { return body->rest; }

vo_transform vo_body_placement(const vo_body *body) { return xf_mul(body->placement, body->own); }
