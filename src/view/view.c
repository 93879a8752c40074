#include "view/view.h"

#include "core/memory.h"
#include "core/parallel.h"
#include "view/silhouette.h"
#include "view/view_kernel.h"

#include <string.h>

enum { CLUSTER = VO_VIEW_CLUSTER }; /* faces that are neighbours in memory, and so on the cloth */
enum { GRAIN = 4 * CLUSTER };       /* faces of a chunk */
static const double LEAST = 1e-6;   /* of the factors; metrics must stay definite */
static const double CORNERS = 1e3;  /* m between lines of sight: corners and middles of faces */

struct vo_view {
    vo_context *ctx;
    vo_view_def def;
    vo_occlusion *occlusion; /* NULL: nothing is hidden */
    vo_moment *moment;       /* of all eyes, one after the other */
    int moment_count, moment_capacity;
    double *raw;           /* [face_count] factors before silhouettes */
    unsigned char *hidden; /* [face_count] */
    int *seen;             /* [chunks] faces seen in each */
    int raw_capacity, hidden_capacity, seen_capacity;
};

vo_view_def vo_view_def_default(void) {
    return (vo_view_def){.factor = vo_factor_def_default(),
                         .screen = vo_screen_def_default(),
                         .window = 0.2,
                         .silhouette = 0.25,
                         .rays = vo_occlusion_def_default()};
}

vo_result vo_view_create(vo_context *ctx, const vo_view_def *def, vo_view **out) {
    vo_view *view = vo_new(ctx, vo_view);
    *out = NULL;
    if (!view) return vo_fail_memory(ctx, "the view");
    view->ctx = ctx;
    view->def = *def;
    if (def->occlusion && !vo_rays_available())
        vo_log_line(ctx, VO_LOG_WARNING, "this build has no Embree: nothing counts as hidden");
    if (def->occlusion && vo_rays_available()) {
        vo_result result = vo_occlusion_create(ctx, &view->occlusion);
        if (result != VO_OK) {
            vo_view_destroy(view);
            return result;
        }
    }
    *out = view;
    return VO_OK;
}

void vo_view_destroy(vo_view *view) {
    if (!view) return;
    vo_occlusion_destroy(view->occlusion);
    vo_free_array(view->ctx, view->moment, view->moment_capacity);
    vo_free_array(view->ctx, view->raw, view->raw_capacity);
    vo_free_array(view->ctx, view->hidden, view->hidden_capacity);
    vo_free_array(view->ctx, view->seen, view->seen_capacity);
    vo_delete(view->ctx, view);
}

void vo_view_set_pixels(vo_view *view, double pixels) { view->def.screen.pixels = pixels; }

/* ---- moments -------------------------------------------------------------------------------- */

static vo_result make_moments(vo_view *view, int eye_count, const vo_view_eye *eye) {
    int need = 0;
    for (int i = 0; i < eye_count; i++) need += eye[i].sample_count;
    if (!vo_reserve(view->ctx, &view->moment, &view->moment_capacity, need + 1))
        return vo_fail_memory(view->ctx, "the view");
    view->moment_count = 0;
    for (int i = 0; i < eye_count; i++) {
        if (!(eye[i].front > 0)) continue;
        view->moment_count +=
            vo_moments_make(&eye[i], i, view->def.window, &view->moment[view->moment_count]);
    }
    return VO_OK;
}

static vo_result make_room(vo_view *view, const vo_mesh *mesh) {
    int faces = mesh->face_count + 1, chunks = vo_chunk_count(faces, GRAIN);
    if (!vo_reserve(view->ctx, &view->raw, &view->raw_capacity, faces) ||
        !vo_reserve(view->ctx, &view->hidden, &view->hidden_capacity, faces) ||
        !vo_reserve(view->ctx, &view->seen, &view->seen_capacity, chunks))
        return vo_fail_memory(view->ctx, "the view");
    return VO_OK;
}

/* ---- faces ---------------------------------------------------------------------------------- */

/* A pass over the faces of a cloth. */
typedef struct view_pass {
    vo_view *view;
    const vo_view_cloth *cloth;
    vo_view_rules rules;
    vo_view_look_fn *look;
} view_pass;

/* Puts a face into a cluster. */
static void gather_face(const view_pass *p, int index, double most, vo_view_lanes *lanes, int i) {
    const vo_mesh *mesh = p->cloth->mesh;
    vo_view_face f = vo_view_face_make(mesh, index);
    vo_vec3 normal = p->cloth->two_sided && v3_is_finite(f.normal) ? v3_zero() : f.normal;
    for (int k = 0; k < 3; k++) {
        lanes->x[k][0][i] = f.x[k].x;
        lanes->x[k][1][i] = f.x[k].y;
        lanes->x[k][2][i] = f.x[k].z;
    }
    lanes->normal[0][i] = normal.x, lanes->normal[1][i] = normal.y, lanes->normal[2][i] = normal.z;
    lanes->edges[0][i] = f.edges.a, lanes->edges[1][i] = f.edges.b;
    lanes->edges[2][i] = f.edges.c, lanes->edges[3][i] = f.edges.d;
    lanes->most[i] = most;
}

/* Writes down what is known of a face. One that is nowhere counts as seen; where nobody looks now,
 * a face is out of frame for now. */
static void settle(const view_pass *p, int index, const vo_view_lanes *lanes, int i) {
    vo_sym2 bound = {lanes->bound[0][i], lanes->bound[1][i], lanes->bound[2][i]};
    bool somewhere = isfinite(lanes->normal[0][i] + lanes->normal[1][i] + lanes->normal[2][i]);
    bool bounded = somewhere && lanes->unbound[i] == 0 && bound.xx + bound.yy > 0;
    double factor = vo_max(lanes->factor[i], p->rules.factor.out);
    p->view->raw[index] = somewhere ? vo_clamp(factor, LEAST, 1) : 1;
    p->cloth->bound[index] = bounded ? bound : vo_screen_unbound();
}

/* A ball around the faces of a cluster. */
static void enclose(const vo_view_lanes *lanes, vo_vec3 *centre, double *radius) {
    double least[3], most[3], radius2 = 0;
    for (int c = 0; c < 3; c++) {
        least[c] = most[c] = lanes->x[0][c][0];
        for (int k = 0; k < 3; k++)
            for (int i = 0; i < lanes->count; i++) {
                least[c] = vo_min(least[c], lanes->x[k][c][i]);
                most[c] = vo_max(most[c], lanes->x[k][c][i]);
            }
    }
    *centre =
        v3(0.5 * (least[0] + most[0]), 0.5 * (least[1] + most[1]), 0.5 * (least[2] + most[2]));
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < lanes->count; i++) {
            vo_vec3 x = v3(lanes->x[k][0][i], lanes->x[k][1][i], lanes->x[k][2][i]);
            radius2 = vo_max(radius2, v3_length2(v3_sub(x, *centre)));
        }
    *radius = sqrt(radius2) * (1 + 1e-12);
}

/* What a moment adds to a cluster of which none is near the frame. */
static void pass_by(const view_pass *p, const vo_moment *m, vo_view_lanes *lanes) {
    double out = m->weight * vo_factor_out(&p->rules.factor, m);
    for (int i = 0; i < lanes->count; i++) lanes->factor[i] = vo_max(lanes->factor[i], out);
}

/* Looks at a cluster from all moments. */
static void judge_cluster(const view_pass *p, vo_view_lanes *lanes) {
    vo_vec3 centre;
    double radius;
    enclose(lanes, &centre, &radius);
    for (int k = 0; k < p->view->moment_count; k++) {
        const vo_moment *m = &p->view->moment[k];
        vo_ball_place place = vo_factor_place(&p->rules.factor, m, centre, radius);
        if (place == VO_BALL_OUT) {
            pass_by(p, m, lanes);
        } else {
            p->look(&p->rules, m, place == VO_BALL_IN_FRAME, lanes);
        }
    }
}

static void judge_faces(void *arg, int begin, int end, int chunk) {
    const view_pass *p = arg;
    int seen = 0;
    for (int first = begin; first < end; first += CLUSTER) {
        vo_view_lanes lanes = {.count = vo_min_int(CLUSTER, end - first)};
        for (int i = 0; i < lanes.count; i++) gather_face(p, first + i, 1, &lanes, i);
        judge_cluster(p, &lanes);
        for (int i = 0; i < lanes.count; i++) {
            settle(p, first + i, &lanes, i);
            p->view->hidden[first + i] = lanes.seen[i] != 0;
            seen += lanes.seen[i] != 0;
        }
    }
    p->view->seen[chunk] = seen;
}

/* Judges hidden faces again. */
static void judge_hidden(void *arg, int begin, int end, int chunk) {
    const view_pass *p = arg;
    (void)chunk;
    for (int next = begin; next < end;) {
        vo_view_lanes lanes = {.count = 0};
        int index[CLUSTER] = {0};
        for (; next < end && lanes.count < CLUSTER; next++) {
            if (!p->view->hidden[next]) continue;
            gather_face(p, next, p->rules.factor.hidden, &lanes, lanes.count);
            index[lanes.count++] = next;
        }
        if (lanes.count == 0) return;
        judge_cluster(p, &lanes);
        for (int i = 0; i < lanes.count; i++) settle(p, index[i], &lanes, i);
    }
}

/* Factors across silhouettes, and bounds with them. */
static void smooth_faces(void *arg, int begin, int end, int chunk) {
    const view_pass *p = arg;
    const double *raw = p->view->raw;
    (void)chunk;
    for (int i = begin; i < end; i++) {
        double factor = vo_silhouette_factor(p->cloth->mesh, p->view->def.silhouette, raw, i);
        p->cloth->factor[i] = factor;
        if (factor == raw[i] || isinf(p->cloth->bound[i].xx)) continue;
        double s = factor / raw[i];
        vo_sym2 *b = &p->cloth->bound[i];
        *b = (vo_sym2){s * s * b->xx, s * s * b->xy, s * s * b->yy};
    }
}

/* ---- a cloth -------------------------------------------------------------------------------- */

/* Finds what is hidden and judges it again. */
static vo_result hide(view_pass *p, vo_view_report *report) {
    vo_view *view = p->view;
    const vo_mesh *mesh = p->cloth->mesh;
    vo_occlusion_cloth cloth = {mesh, p->cloth->two_sided, view->hidden};
    int count;
    VO_TRY(vo_occlusion_judge(view->occlusion, &view->def.rays, &view->def.factor,
                              view->moment_count, view->moment, &cloth, &count));
    if (count) vo_parallel_for(view->ctx, mesh->face_count, GRAIN, judge_hidden, p);
    report->hidden += count;
    report->seen -= count;
    return VO_OK;
}

static vo_view_look_fn *choose_kernel(const vo_view *view) {
#ifdef VO_HAVE_AVX2_KERNELS
    if (view->ctx->use_avx2) return vo_view_look_avx2;
#endif
    (void)view;
    return vo_view_look_base;
}

static vo_result view_cloth(vo_view *view, const vo_view_cloth *cloth, vo_view_report *report) {
    int faces = cloth->mesh->face_count;
    view_pass p = {
        view, cloth, {view->def.factor, view->def.screen, INFINITY}, choose_kernel(view)};
    if (cloth->finest > 0) p.rules.largest = 1 / (cloth->finest * cloth->finest);
    VO_TRY(make_room(view, cloth->mesh));
    vo_parallel_for(view->ctx, faces, GRAIN, judge_faces, &p);
    for (int i = 0; i < vo_chunk_count(faces, GRAIN); i++) report->seen += view->seen[i];
    report->faces += faces;
    if (view->occlusion) VO_TRY(hide(&p, report));
    vo_parallel_for(view->ctx, faces, GRAIN, smooth_faces, &p);
    return VO_OK;
}

/* Without an eye. */
static void see_all(const vo_view_cloth *cloth, vo_view_report *report) {
    for (int i = 0; i < cloth->mesh->face_count; i++) {
        cloth->factor[i] = 1;
        cloth->bound[i] = vo_screen_unbound();
    }
    report->faces += cloth->mesh->face_count;
    report->seen += cloth->mesh->face_count;
}

vo_result vo_view_update(vo_view *view, int eye_count, const vo_view_eye *eye, int cloth_count,
                         const vo_view_cloth *cloth, int hiding_count, const vo_mesh *const *hiding,
                         vo_view_report *report) {
    vo_view_report unused, *r = report ? report : &unused;
    VO_TRY(make_moments(view, eye_count, eye));
    *r = (vo_view_report){.moments = view->moment_count};
    bool any = view->moment_count > 0;
    if (view->occlusion && any) VO_TRY(vo_occlusion_set(view->occlusion, hiding_count, hiding));
    for (int i = 0; i < cloth_count; i++) {
        if (any) {
            VO_TRY(view_cloth(view, &cloth[i], r));
        } else {
            see_all(&cloth[i], r);
        }
    }
    return VO_OK;
}

/* ---- right now ------------------------------------------------------------------------------ */

/* A camera as it is at this moment. */
static vo_moment moment_of(const vo_camera *camera) {
    vo_view_sample sample = {.camera = *camera};
    vo_view_eye eye = {.sample_count = 1, .sample = &sample, .front = 1};
    vo_moment moment;
    vo_moments_make(&eye, 0, 0, &moment);
    return moment;
}

/* Faces in a picture, from whichever side. */
static void watch_frame(const vo_moment *moment, const vo_mesh *mesh, unsigned char *watched) {
    vo_factor_def in_frame = {.back = 1, .hidden = 1, .out = 1};
    for (int i = 0; i < mesh->face_count; i++) {
        vo_view_face face = vo_view_face_place(mesh, i);
        watched[i] |= vo_factor_look(&in_frame, moment, &face, VO_PLACE_UNKNOWN).near;
    }
}

/* Those of them that lines of sight reach. */
static vo_result watch_seen(vo_view *view, const vo_moment *moment, const vo_mesh *mesh,
                            unsigned char *watched) {
    vo_factor_def in_frame = {.back = 1, .hidden = 1, .out = 1};
    vo_occlusion_def rays = view->def.rays;
    rays.spacing = CORNERS;
    VO_TRY(make_room(view, mesh));
    vo_occlusion_cloth cloth = {mesh, true, view->hidden};
    int count;
    memset(view->hidden, 1, (size_t)mesh->face_count);
    VO_TRY(vo_occlusion_judge(view->occlusion, &rays, &in_frame, 1, moment, &cloth, &count));
    for (int i = 0; i < mesh->face_count; i++) watched[i] |= !view->hidden[i];
    return VO_OK;
}

vo_result vo_view_watch(vo_view *view, int camera_count, const vo_camera *camera,
                        const vo_mesh *mesh, unsigned char *watched) {
    memset(watched, 0, (size_t)mesh->face_count);
    for (int i = 0; i < camera_count; i++) {
        vo_moment moment = moment_of(&camera[i]);
        if (view->occlusion)
            VO_TRY(watch_seen(view, &moment, mesh, watched));
        else
            watch_frame(&moment, mesh, watched);
    }
    return VO_OK;
}

bool vo_view_has_occlusion(const vo_view *view) { return view->occlusion != NULL; }

bool vo_view_sees(const vo_view *view, const vo_camera *camera, vo_vec3 point) {
    vo_vec2 pixel;
    double depth;
    if (!vo_camera_project(camera, point, &pixel, &depth) || depth < camera->near) return false;
    if (!(pixel.x >= 0 && pixel.y >= 0 && pixel.x <= camera->width && pixel.y <= camera->height))
        return false;
    vo_moment moment = moment_of(camera);
    return !view->occlusion || vo_occlusion_sees(view->occlusion, &view->def.rays, &moment, point);
}
