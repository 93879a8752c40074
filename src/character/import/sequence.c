#include "character/import/sequence.h"

#include "character/import/build.h"
#include "codec/pc2.h"
#include "core/file.h"
#include "core/memory.h"

#include <stdio.h>
#include <string.h>

static vo_result check_fps(vo_context *ctx, const char *name, double fps) {
    if (fps > 0 && fps <= 1e6) return VO_OK;
    return vo_fail(ctx, VO_BAD_ARGUMENT, "%s: fps is %g; it must be positive", name, fps);
}

/* Adds a frame; returns its positions, or NULL without memory. */
static vo_vec3 *add_frame(vo_mesh_sequence *s) {
    if (!vo_reserve(s->ctx, &s->frame, &s->frame_capacity, s->frame_count + 1)) return NULL;
    vo_vec3 *x = vo_new_array(s->ctx, vo_vec3, s->node_count);
    if (x != NULL) s->frame[s->frame_count++] = x;
    return x;
}

/* Takes nodes and faces of the sequence from the first mesh. */
static vo_result begin_sequence(vo_mesh_sequence *s, const char *name, const vo_character *body) {
    s->node_count = body->node_count;
    s->face = vo_alloc(s->ctx, vo_array_bytes((size_t)body->face_count, sizeof *s->face));
    if (s->face == NULL) return vo_fail_memory(s->ctx, name);
    s->face_count = body->face_count;
    memcpy(s->face, body->face, (size_t)body->face_count * sizeof *s->face);
    return VO_OK;
}

static vo_result compare(const vo_mesh_sequence *s, const char *name, const vo_character *body) {
    if (body->node_count != s->node_count || body->face_count != s->face_count) {
        return vo_fail(s->ctx, VO_BAD_DATA,
                       "%s: has %d vertices and %d triangles where the first frame has %d and %d; "
                       "all frames must be the same mesh",
                       name, body->node_count, body->face_count, s->node_count, s->face_count);
    }
    for (int f = 0; f < s->face_count; f++) {
        if (memcmp(s->face[f], body->face[f], sizeof s->face[f]) == 0) continue;
        return vo_fail(s->ctx, VO_BAD_DATA,
                       "%s: triangle %d joins other vertices than in the first frame; export all "
                       "frames with the vertex order kept",
                       name, f + 1);
    }
    return VO_OK;
}

static vo_result take_body(vo_mesh_sequence *s, const char *name, const vo_character *body) {
    VO_TRY(s->frame_count == 0 ? begin_sequence(s, name, body) : compare(s, name, body));
    vo_vec3 *x = add_frame(s);
    if (x == NULL) return vo_fail_memory(s->ctx, name);
    memcpy(x, body->node_x, (size_t)s->node_count * sizeof *x);
    return VO_OK;
}

/* Loads a frame. Only the import of the first one is logged. */
static vo_result load_frame(vo_mesh_sequence *s, const char *path, const vo_import_options *options,
                            vo_affine *world) {
    vo_character body = {.ctx = s->ctx, .world = *world};
    vo_import_counts counts = {0};
    vo_arena_init(&body.memory, s->ctx);
    vo_result result = s->frame_count == 0 ? vo_import_character(s->ctx, path, options, &body)
                                           : vo_import_obj(path, &body, &counts);
    if (result == VO_OK) result = take_body(s, path, &body);
    *world = body.world;
    vo_character_free(&body);
    return result;
}

/* File name pattern, split at its number. */
typedef struct file_pattern {
    int before;        /* length of the text in front of the number */
    const char *after; /* text behind the number */
    int width;
    bool zeros;
} file_pattern;

/* Splits a pattern at its one %d; the pattern is never passed to printf. */
static bool split_pattern(const char *pattern, file_pattern *out) {
    const char *at = strchr(pattern, '%');
    if (at == NULL || at - pattern > 4000) return false;
    *out = (file_pattern){.before = (int)(at - pattern)};
    at++;
    out->zeros = *at == '0';
    while (*at >= '0' && *at <= '9' && out->width < 20) out->width = out->width * 10 + *at++ - '0';
    out->after = at + 1;
    return *at == 'd' && out->width <= 20 && strchr(at, '%') == NULL;
}

static void frame_path(char *out, size_t size, const char *pattern, const file_pattern *n,
                       int frame) {
    char number[32];
    snprintf(number, sizeof number, n->zeros ? "%0*d" : "%*d", n->width, frame);
    snprintf(out, size, "%.*s%s%s", n->before, pattern, number, n->after);
}

/* Returns the number of the first file: 0 or 1. */
static int find_first(const char *pattern, const file_pattern *n) {
    char path[8192];
    frame_path(path, sizeof path, pattern, n, 0);
    if (vo_file_exists(path)) return 0;
    frame_path(path, sizeof path, pattern, n, 1);
    return vo_file_exists(path);
}

static vo_result load_frames(vo_mesh_sequence *s, const char *pattern, const file_pattern *n,
                             int first, int last, const vo_import_options *options) {
    vo_affine world = vo_affine_identity();
    for (int i = 0; i < VO_SEQUENCE_MAX_FRAMES && (last < 0 || first + i <= last); i++) {
        char path[8192];
        frame_path(path, sizeof path, pattern, n, first + i);
        if (i > 0 && last < 0 && !vo_file_exists(path)) break;
        VO_TRY(load_frame(s, path, options, &world));
    }
    return VO_OK;
}

vo_result vo_sequence_load_obj(vo_context *ctx, const char *pattern, int first, int last,
                               double fps, const vo_import_options *options,
                               vo_mesh_sequence *out) {
    file_pattern n;
    size_t length = strlen(pattern);
    *out = (vo_mesh_sequence){.ctx = ctx};
    VO_TRY(check_fps(ctx, pattern, fps));
    if (!split_pattern(pattern, &n) || length < 4 || strcmp(pattern + length - 4, ".obj") != 0) {
        return vo_fail(ctx, VO_BAD_ARGUMENT,
                       "%s: must be one number in the name of OBJ files, as in body_%%04d.obj",
                       pattern);
    }
    if (first < 0) first = find_first(pattern, &n);
    if (first > INT32_MAX - VO_SEQUENCE_MAX_FRAMES || (last >= 0 && last < first)) {
        return vo_fail(ctx, VO_BAD_ARGUMENT, "%s: there are no frames from %d to %d", pattern,
                       first, last);
    }
    out->step = 1 / fps;
    vo_result result = load_frames(out, pattern, &n, first, last, options);
    if (result != VO_OK) vo_sequence_free(out);
    return result;
}

vo_result vo_sequence_load_files(vo_context *ctx, int count, const char *const *paths, double fps,
                                 const vo_import_options *options, vo_mesh_sequence *out) {
    *out = (vo_mesh_sequence){.ctx = ctx};
    VO_TRY(check_fps(ctx, paths[0], fps));
    out->step = 1 / fps;
    vo_affine world = vo_affine_identity();
    vo_result result = VO_OK;
    for (int i = 0; i < count && result == VO_OK; i++)
        result = load_frame(out, paths[i], options, &world);
    if (result != VO_OK) vo_sequence_free(out);
    return result;
}

static vo_result take_samples(vo_mesh_sequence *s, const char *name, const vo_pc2 *pc2,
                              const vo_character *body) {
    if (pc2->point_count != body->node_count) {
        return vo_fail(s->ctx, VO_BAD_DATA,
                       "%s: has %d points where its OBJ has %d vertices; export both from the same "
                       "mesh",
                       name, pc2->point_count, body->node_count);
    }
    if (pc2->sample_count > VO_SEQUENCE_MAX_FRAMES) {
        return vo_fail(s->ctx, VO_BAD_DATA, "%s: %d samples are too many; export %d at most", name,
                       pc2->sample_count, VO_SEQUENCE_MAX_FRAMES);
    }
    VO_TRY(begin_sequence(s, name, body));
    for (int i = 0; i < pc2->sample_count; i++) {
        vo_vec3 *x = add_frame(s);
        if (x == NULL) return vo_fail_memory(s->ctx, name);
        for (int n = 0; n < s->node_count; n++) {
            x[n] = vo_affine_point(body->world, vo_pc2_point(pc2, i, n));
        }
    }
    return VO_OK;
}

vo_result vo_sequence_load_pc2(vo_context *ctx, const char *obj, const char *pc2, double fps,
                               const vo_import_options *options, vo_mesh_sequence *out) {
    vo_pc2 cache;
    vo_character body;
    *out = (vo_mesh_sequence){.ctx = ctx};
    VO_TRY(check_fps(ctx, pc2, fps));
    VO_TRY(vo_pc2_load(ctx, pc2, &cache));
    out->start = cache.start / fps;
    out->step = cache.rate / fps;
    vo_result result = vo_import_character(ctx, obj, options, &body);
    if (result == VO_OK) {
        result = take_samples(out, pc2, &cache, &body);
        vo_character_free(&body);
    }
    vo_pc2_free(ctx, &cache);
    if (result != VO_OK) vo_sequence_free(out);
    return result;
}

void vo_sequence_free(vo_mesh_sequence *sequence) {
    vo_context *ctx = sequence->ctx;
    if (ctx == NULL) return;
    for (int i = 0; i < sequence->frame_count; i++) {
        vo_free_array(ctx, sequence->frame[i], sequence->node_count);
    }
    vo_free_array(ctx, sequence->frame, sequence->frame_capacity);
    vo_free_array(ctx, sequence->face, sequence->face_count);
    *sequence = (vo_mesh_sequence){0};
}

/* Central difference per frame; zero at both ends. */
static vo_vec3 slope(const vo_mesh_sequence *s, int frame, int node) {
    if (frame == 0 || frame == s->frame_count - 1) return v3_zero();
    return v3_scale(0.5, v3_sub(s->frame[frame + 1][node], s->frame[frame - 1][node]));
}

/* Cubic Hermite curve from p to q with slopes a and b, and its derivative. */
static vo_vec3 curve(vo_vec3 p, vo_vec3 q, vo_vec3 a, vo_vec3 b, double t) {
    double t2 = t * t, t3 = t2 * t;
    vo_vec3 x = v3_add(v3_scale(2 * t3 - 3 * t2 + 1, p), v3_scale(3 * t2 - 2 * t3, q));
    return v3_add(x, v3_add(v3_scale(t3 - 2 * t2 + t, a), v3_scale(t3 - t2, b)));
}

static vo_vec3 curve_rate(vo_vec3 p, vo_vec3 q, vo_vec3 a, vo_vec3 b, double t) {
    vo_vec3 x = v3_scale(6 * t - 6 * t * t, v3_sub(q, p));
    return v3_add(x, v3_add(v3_scale(3 * t * t - 4 * t + 1, a), v3_scale(3 * t * t - 2 * t, b)));
}

void vo_sequence_at(const vo_mesh_sequence *sequence, double time, vo_vec3 *x, vo_vec3 *v) {
    int last = sequence->frame_count - 1;
    double at = isfinite(time) ? (time - sequence->start) / sequence->step : 0;
    at = vo_clamp(at, 0, last);
    int k = vo_max_int(vo_min_int((int)at, last - 1), 0);
    for (int n = 0; n < sequence->node_count; n++) {
        vo_vec3 p = sequence->frame[k][n], q = sequence->frame[last > 0 ? k + 1 : k][n];
        vo_vec3 a = slope(sequence, k, n), b = last > 0 ? slope(sequence, k + 1, n) : v3_zero();
        x[n] = curve(p, q, a, b, at - k);
        if (v != NULL) v[n] = v3_scale(1 / sequence->step, curve_rate(p, q, a, b, at - k));
    }
}
