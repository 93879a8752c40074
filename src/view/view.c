#include "view/view.h"

#include "core/memory.h"
#include "core/parallel.h"
#include "view/silhouette.h"

#include <string.h>

enum { CLUSTER = 32 };            /* faces that are neighbours in memory, and so on the cloth */
enum { GRAIN = 4 * CLUSTER };     /* faces of a chunk */
static const double LEAST = 1e-6; /* of the factors; metrics must stay definite */

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
    double largest; /* 1/m^2, eigenvalue that the cloth's sizing never exceeds */
} view_pass;

/* What is known of a face so far. */
typedef struct verdict {
    double factor;
    vo_sym2 bound; /* zero while nobody asked for anything */
    bool bounded;  /* somebody did */
    bool seen;     /* its front, in frame */
} verdict;

/* What a moment adds. */
static void look(const view_pass *p, const vo_moment *m, const vo_view_face *face,
                 vo_view_place place, verdict *v) {
    const vo_view_def *def = &p->view->def;
    if (!(def->screen.pixels > 0) && v->factor >= m->weight * m->front) return;
    vo_sight sight = vo_factor_look(&def->factor, m, face, place);
    double factor = m->weight * sight.factor;
    v->factor = vo_max(v->factor, factor); /* eq. 4 */
    v->seen = v->seen || (sight.front && sight.near);
    if (!sight.near || !(factor > 0)) return;
    vo_sym2 b = vo_screen_bound(&def->screen, m, face, &sight);
    double s = factor / m->front;
    b = vo_screen_limit(b, p->largest);
    b = (vo_sym2){s * s * b.xx, s * s * b.xy, s * s * b.yy};
    v->bound = v->bounded ? vo_screen_join(v->bound, b) : b;
    v->bounded = true;
}

/* Writes down a verdict. A face that is nowhere counts as seen. */
static void settle(const view_pass *p, int index, const vo_view_face *face, const verdict *v) {
    bool somewhere = v3_is_finite(face->normal);
    p->view->raw[index] = somewhere ? vo_clamp(v->factor, LEAST, 1) : 1;
    p->cloth->bound[index] = somewhere && v->bounded ? v->bound : vo_screen_unbound();
}

/* A ball around the faces of a cluster. */
static void enclose(const vo_view_face *face, int count, vo_vec3 *centre, double *radius) {
    vo_vec3 least = face[0].x[0], most = least;
    double radius2 = 0;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 3; k++) {
            least = v3_min(least, face[i].x[k]);
            most = v3_max(most, face[i].x[k]);
        }
    *centre = v3_scale(0.5, v3_add(least, most));
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 3; k++)
            radius2 = vo_max(radius2, v3_length2(v3_sub(face[i].x[k], *centre)));
    *radius = sqrt(radius2) * (1 + 1e-12);
}

/* What a moment adds to a cluster. */
static void look_at_cluster(const view_pass *p, const vo_moment *m, const vo_view_face *face,
                            int count, vo_ball_place ball, verdict *v) {
    double out = m->weight * vo_factor_out(&p->view->def.factor, m);
    vo_view_place place = ball == VO_BALL_IN_FRAME ? VO_PLACE_IN_FRAME : VO_PLACE_UNKNOWN;
    for (int i = 0; i < count; i++) {
        if (ball == VO_BALL_OUT) {
            v[i].factor = vo_max(v[i].factor, out);
        } else {
            look(p, m, &face[i], place, &v[i]);
        }
    }
}

/* Judges a cluster of faces, and returns how many are seen. */
static int judge_cluster(const view_pass *p, int begin, int count) {
    const vo_mesh *mesh = p->cloth->mesh;
    vo_view_face face[CLUSTER];
    verdict v[CLUSTER];
    vo_vec3 centre;
    double radius;
    int seen = 0;
    memset(v, 0, sizeof v);
    for (int i = 0; i < count; i++) {
        face[i] = vo_view_face_make(mesh, mesh->node_x, begin + i);
        face[i].two_sided = p->cloth->two_sided;
    }
    enclose(face, count, &centre, &radius);
    for (int k = 0; k < p->view->moment_count; k++) {
        const vo_moment *m = &p->view->moment[k];
        vo_ball_place ball = vo_factor_place(&p->view->def.factor, m, centre, radius);
        look_at_cluster(p, m, face, count, ball, v);
    }
    for (int i = 0; i < count; i++) {
        settle(p, begin + i, &face[i], &v[i]);
        p->view->hidden[begin + i] = v[i].seen;
        seen += v[i].seen;
    }
    return seen;
}

static void judge_faces(void *arg, int begin, int end, int chunk) {
    const view_pass *p = arg;
    int seen = 0;
    for (int i = begin; i < end; i += CLUSTER)
        seen += judge_cluster(p, i, vo_min_int(CLUSTER, end - i));
    p->view->seen[chunk] = seen;
}

/* Judges hidden faces again. */
static void judge_hidden(void *arg, int begin, int end, int chunk) {
    const view_pass *p = arg;
    const vo_mesh *mesh = p->cloth->mesh;
    (void)chunk;
    for (int i = begin; i < end; i++) {
        if (!p->view->hidden[i]) continue;
        vo_view_face face = vo_view_face_make(mesh, mesh->node_x, i);
        verdict v = {0};
        face.two_sided = p->cloth->two_sided;
        face.hidden = true;
        for (int k = 0; k < p->view->moment_count; k++)
            look(p, &p->view->moment[k], &face, VO_PLACE_UNKNOWN, &v);
        settle(p, i, &face, &v);
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

static vo_result view_cloth(vo_view *view, const vo_view_cloth *cloth, vo_view_report *report) {
    int faces = cloth->mesh->face_count;
    view_pass p = {view, cloth, INFINITY};
    if (cloth->finest > 0) p.largest = 1 / (cloth->finest * cloth->finest);
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
