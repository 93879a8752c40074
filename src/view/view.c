#include "view/view.h"

#include "core/memory.h"
#include "core/parallel.h"
#include "view/camera.h"
#include "view/fringe.h"
#include "view/parcels.h"
#include "view/silhouette.h"
#include "view/view_kernel.h"

#include <string.h>

enum { CLUSTER = VO_VIEW_CLUSTER }; /* faces that are neighbours in memory, and so on the cloth */
enum { GRAIN = 4 * CLUSTER };       /* faces of a parcel */
static const double LEAST = 1e-6;   /* of the factors; metrics must stay definite */
static const double CORNERS = 1e3;  /* m between lines of sight: corners and middles of faces */

/* What was found in a parcel. */
typedef struct tally {
    int seen;        /* faces, were nothing in the way */
    int hidden;      /* of these, from all eyes */
    double longest2; /* m^2, edge of its faces that are near a frame */
} tally;

struct vo_view {
    vo_context *ctx;
    vo_view_def def;
    vo_occlusion *occlusion; /* NULL: nothing is hidden */
    vo_moment *moment;       /* of all eyes, one after the other */
    int moment_count, moment_capacity;

    vo_parcels faces;          /* of all cloths */
    double *raw;               /* [faces] factors before silhouettes */
    double *worth;             /* [nodes of all cloths] for the fringe of what is hidden */
    int *first_node;           /* [cloths] where theirs begin */
    unsigned char *asked;      /* [faces] a bit for each eye that would see it (occlusion.h) */
    unsigned char *seen;       /* [faces] and for each that does */
    tally *tally;              /* [parcels] */
    vo_occlusion_cloth *cloth; /* [cloths] whose faces they are */
    int raw_capacity, worth_capacity, first_node_capacity, asked_capacity, seen_capacity,
        tally_capacity, cloth_capacity;
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
    vo_parcels_free(view->ctx, &view->faces);
    vo_free_array(view->ctx, view->raw, view->raw_capacity);
    vo_free_array(view->ctx, view->worth, view->worth_capacity);
    vo_free_array(view->ctx, view->first_node, view->first_node_capacity);
    vo_free_array(view->ctx, view->asked, view->asked_capacity);
    vo_free_array(view->ctx, view->seen, view->seen_capacity);
    vo_free_array(view->ctx, view->tally, view->tally_capacity);
    vo_free_array(view->ctx, view->cloth, view->cloth_capacity);
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

/* Room for what is found of all faces. */
static vo_result make_room(vo_view *view, int cloth_count, const vo_view_cloth *cloth) {
    vo_context *ctx = view->ctx;
    bool room = vo_reserve(ctx, &view->cloth, &view->cloth_capacity, cloth_count + 1);
    vo_parcels_clear(&view->faces);
    for (int i = 0; i < cloth_count && room; i++)
        room = vo_parcels_add(ctx, &view->faces, i, cloth[i].mesh->face_count, GRAIN);
    if (!room || !vo_reserve(ctx, &view->raw, &view->raw_capacity, view->faces.items + 1) ||
        !vo_reserve(ctx, &view->asked, &view->asked_capacity, view->faces.items + 1) ||
        !vo_reserve(ctx, &view->seen, &view->seen_capacity, view->faces.items + 1) ||
        !vo_reserve(ctx, &view->tally, &view->tally_capacity, view->faces.count + 1))
        return vo_fail_memory(ctx, "the view");
    for (int i = 0, first = 0; i < cloth_count; first += cloth[i++].mesh->face_count)
        view->cloth[i] = (vo_occlusion_cloth){.mesh = cloth[i].mesh,
                                              .velocity = cloth[i].velocity,
                                              .two_sided = cloth[i].two_sided,
                                              .asked = view->asked + first,
                                              .seen = view->seen + first};
    return VO_OK;
}

/* ---- faces ---------------------------------------------------------------------------------- */

/* A pass over the faces of all cloths. */
typedef struct view_pass {
    vo_view *view;
    const vo_view_cloth *cloth;
    vo_view_look_fn *look;
} view_pass;

/* What it needs for the faces of one parcel. Arrays begin with the cloth's first face. */
typedef struct sheet {
    const vo_view *view;
    const vo_view_cloth *cloth;
    vo_view_rules rules;
    vo_view_look_fn *look;
    double *raw;
    unsigned char *asked, *seen;
} sheet;

static sheet sheet_of(const view_pass *p, const vo_parcel *parcel) {
    vo_view *view = p->view;
    const vo_view_cloth *cloth = &p->cloth[parcel->cloth];
    double largest = cloth->finest > 0 ? 1 / (cloth->finest * cloth->finest) : INFINITY;
    int first = parcel->first - parcel->begin;
    return (sheet){.view = view,
                   .cloth = cloth,
                   .rules = {view->def.factor, view->def.screen, largest},
                   .look = p->look,
                   .raw = view->raw + first,
                   .asked = view->asked + first,
                   .seen = view->seen + first};
}

/* Puts a face into a cluster. */
static void gather_face(const sheet *s, int index, vo_view_lanes *lanes, int i) {
    vo_view_face f = vo_view_face_make(s->cloth->mesh, index);
    vo_vec3 normal = s->cloth->two_sided && v3_is_finite(f.normal) ? v3_zero() : f.normal;
    for (int k = 0; k < 3; k++) {
        lanes->x[k][0][i] = f.x[k].x;
        lanes->x[k][1][i] = f.x[k].y;
        lanes->x[k][2][i] = f.x[k].z;
    }
    lanes->normal[0][i] = normal.x, lanes->normal[1][i] = normal.y, lanes->normal[2][i] = normal.z;
    lanes->edges[0][i] = f.edges.a, lanes->edges[1][i] = f.edges.b;
    lanes->edges[2][i] = f.edges.c, lanes->edges[3][i] = f.edges.d;
    lanes->most[i] = 1;
}

/* Writes down what is known of a face. One that is at no finite place counts as seen. No face
 * counts less than `out`, also where eyes only look later. */
static void settle(const sheet *s, int index, const vo_view_lanes *lanes, int i) {
    vo_sym2 bound = {lanes->bound[0][i], lanes->bound[1][i], lanes->bound[2][i]};
    bool somewhere = isfinite(lanes->normal[0][i] + lanes->normal[1][i] + lanes->normal[2][i]);
    bool bounded = somewhere && lanes->unbound[i] == 0 && bound.xx + bound.yy > 0;
    double factor = vo_max(lanes->factor[i], s->rules.factor.out);
    s->raw[index] = somewhere ? vo_clamp(factor, LEAST, 1) : 1;
    s->cloth->bound[index] = bounded ? bound : vo_screen_unbound();
}

/* A ball around the faces of a cluster. */
static void enclose_cluster(const vo_view_lanes *lanes, vo_vec3 *centre, double *radius) {
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

static double longest_edge2(const vo_view_lanes *lanes) {
    double most = 0;
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < lanes->count; i++) {
            double length2 = 0;
            for (int c = 0; c < 3; c++) {
                double d = lanes->x[(k + 1) % 3][c][i] - lanes->x[k][c][i];
                length2 += d * d;
            }
            most = vo_max(most, length2);
        }
    return most;
}

/* What a moment adds to a cluster of which none is near the frame. */
static void pass_by(const sheet *s, const vo_moment *m, vo_view_lanes *lanes) {
    double out = m->weight * vo_factor_out(&s->rules.factor, m);
    for (int i = 0; i < lanes->count; i++) lanes->factor[i] = vo_max(lanes->factor[i], out);
}

/* What an eye sees of faces that are hidden from it is less. */
static void cover(const sheet *s, const vo_moment *m, const unsigned char *hidden,
                  vo_view_lanes *lanes) {
    unsigned char bit = vo_occlusion_bit(m->eye);
    for (int i = 0; i < lanes->count; i++)
        lanes->most[i] = hidden[i] & bit ? s->rules.factor.hidden : 1;
}

/* Looks at a cluster from all moments; whether it may be near the frame of any. `hidden` has a bit
 * for each eye that a face is hidden from; NULL: none is. */
static bool judge_cluster(const sheet *s, const unsigned char *hidden, vo_view_lanes *lanes) {
    vo_vec3 centre;
    double radius;
    bool near = false;
    enclose_cluster(lanes, &centre, &radius);
    for (int k = 0; k < s->view->moment_count; k++) {
        const vo_moment *m = &s->view->moment[k];
        vo_ball_place place = vo_factor_place(&s->rules.factor, m, centre, radius);
        near |= place != VO_BALL_OUT;
        if (hidden) cover(s, m, hidden, lanes);
        if (place == VO_BALL_OUT) {
            pass_by(s, m, lanes);
        } else {
            s->look(&s->rules, m, place == VO_BALL_IN_FRAME, lanes);
        }
    }
    return near;
}

/* Loops over parcels have one in each chunk. */
static void judge_faces(void *arg, int index, int end, int chunk) {
    const view_pass *p = arg;
    const vo_parcel *parcel = &p->view->faces.parcel[index];
    sheet s = sheet_of(p, parcel);
    tally found = {0};
    (void)end, (void)chunk;
    for (int first = parcel->begin; first < parcel->end; first += CLUSTER) {
        vo_view_lanes lanes = {.count = vo_min_int(CLUSTER, parcel->end - first)};
        for (int i = 0; i < lanes.count; i++) gather_face(&s, first + i, &lanes, i);
        if (judge_cluster(&s, NULL, &lanes))
            found.longest2 = vo_max(found.longest2, longest_edge2(&lanes));
        for (int i = 0; i < lanes.count; i++) {
            settle(&s, first + i, &lanes, i);
            s.asked[first + i] = lanes.seen[i] != 0;
            found.seen += lanes.seen[i] != 0;
        }
    }
    p->view->tally[index] = found;
}

/* Judges faces again that are hidden from some eye. */
static void judge_hidden(void *arg, int index, int end, int chunk) {
    const view_pass *p = arg;
    const vo_parcel *parcel = &p->view->faces.parcel[index];
    sheet s = sheet_of(p, parcel);
    int all = 0;
    (void)end, (void)chunk;
    for (int next = parcel->begin; next < parcel->end;) {
        vo_view_lanes lanes = {.count = 0};
        unsigned char hidden[CLUSTER];
        int face[CLUSTER] = {0};
        for (; next < parcel->end && lanes.count < CLUSTER; next++) {
            unsigned char from = s.asked[next] & (unsigned char)~s.seen[next];
            if (!from) continue;
            all += s.seen[next] == 0;
            hidden[lanes.count] = from;
            gather_face(&s, next, &lanes, lanes.count);
            face[lanes.count++] = next;
        }
        if (lanes.count > 0) judge_cluster(&s, hidden, &lanes);
        for (int i = 0; i < lanes.count; i++) settle(&s, face[i], &lanes, i);
    }
    p->view->tally[index].hidden = all;
}

/* The bound of a face, which holds nu^2, with another nu. */
static void rescale(vo_sym2 *bound, double old, double factor) {
    double q = factor / old;
    if (factor == old || isinf(bound->xx)) return;
    *bound = (vo_sym2){q * q * bound->xx, q * q * bound->xy, q * q * bound->yy};
}

/* Of one cloth: hidden faces near seen ones count nearly as much, and their bounds with them. */
static void soften(void *arg, int index, int end, int chunk) {
    const view_pass *p = arg;
    const vo_view_cloth *cloth = &p->cloth[index];
    const vo_factor_def *factor = &p->view->def.factor;
    const vo_occlusion_cloth *judged = &p->view->cloth[index];
    int count = cloth->mesh->face_count;
    (void)end, (void)chunk;
    vo_fringe_def def = {.fall = (1 - factor->hidden) / p->view->def.fringe,
                         .asked = judged->asked,
                         .seen = judged->seen};
    double *raw = p->view->raw + (judged->asked - p->view->asked);
    memcpy(cloth->factor, raw, (size_t)count * sizeof *raw);
    vo_fringe_soften(cloth->mesh, &def, raw, p->view->worth + p->view->first_node[index]);
    for (int i = 0; i < count; i++) rescale(&cloth->bound[i], cloth->factor[i], raw[i]);
}

/* Factors across silhouettes, and bounds with them. */
static void smooth_faces(void *arg, int index, int end, int chunk) {
    const view_pass *p = arg;
    const vo_parcel *parcel = &p->view->faces.parcel[index];
    sheet s = sheet_of(p, parcel);
    (void)end, (void)chunk;
    for (int i = parcel->begin; i < parcel->end; i++) {
        double factor = vo_silhouette_factor(s.cloth->mesh, p->view->def.silhouette, s.raw, i);
        s.cloth->factor[i] = factor;
        rescale(&s.cloth->bound[i], s.raw[i], factor);
    }
}

/* ---- an update ------------------------------------------------------------------------------ */

/* Meshes that hide. */
typedef struct screens {
    int count;
    const vo_hiding *hiding;
} screens;

/* Hidden faces near seen ones of all cloths. */
static vo_result soften_all(view_pass *p, int cloth_count) {
    vo_view *view = p->view;
    int nodes = 0;
    if (!(view->def.fringe > 0) || view->def.factor.hidden >= 1) return VO_OK;
    if (!vo_reserve(view->ctx, &view->first_node, &view->first_node_capacity, cloth_count + 1))
        return vo_fail_memory(view->ctx, "the view");
    for (int i = 0; i < cloth_count; nodes += p->cloth[i++].mesh->node_count)
        view->first_node[i] = nodes;
    if (!vo_reserve(view->ctx, &view->worth, &view->worth_capacity, nodes + 1))
        return vo_fail_memory(view->ctx, "the view");
    vo_parallel_for(view->ctx, cloth_count, 1, soften, p);
    return VO_OK;
}

/* Finds what is hidden and judges it again. */
static vo_result hide(view_pass *p, int cloth_count, screens by, double longest) {
    vo_view *view = p->view;
    const vo_factor_def *factor = &view->def.factor;
    vo_hiding_span span = {factor, view->moment_count, view->moment, longest,
                           vo_max(view->def.window, 0)};
    VO_TRY(vo_occlusion_set(view->occlusion, by.count, by.hiding, &span));
    VO_TRY(vo_occlusion_judge(view->occlusion, &view->def.rays, factor, view->moment_count,
                              view->moment, cloth_count, view->cloth));
    vo_parallel_for(view->ctx, view->faces.count, 1, judge_hidden, p);
    return soften_all(p, cloth_count);
}

static vo_view_look_fn *choose_kernel(const vo_view *view) {
#ifdef VO_HAVE_AVX2_KERNELS
    if (view->ctx->use_avx2) return vo_view_look_avx2;
#endif
    (void)view;
    return vo_view_look_base;
}

static vo_view_report add_up(const vo_view *view) {
    vo_view_report report = {.moments = view->moment_count, .faces = view->faces.items};
    for (int i = 0; i < view->faces.count; i++) {
        report.seen += view->tally[i].seen - view->tally[i].hidden;
        report.hidden += view->tally[i].hidden;
    }
    return report;
}

static double longest_edge(const vo_view *view) {
    double most2 = 0;
    for (int i = 0; i < view->faces.count; i++) most2 = vo_max(most2, view->tally[i].longest2);
    return sqrt(most2);
}

/* With at least one moment. */
static vo_result view_cloths(vo_view *view, int cloth_count, const vo_view_cloth *cloth, screens by,
                             vo_view_report *report) {
    view_pass p = {view, cloth, choose_kernel(view)};
    VO_TRY(make_room(view, cloth_count, cloth));
    vo_parallel_for(view->ctx, view->faces.count, 1, judge_faces, &p);
    if (view->occlusion) VO_TRY(hide(&p, cloth_count, by, longest_edge(view)));
    vo_parallel_for(view->ctx, view->faces.count, 1, smooth_faces, &p);
    *report = add_up(view);
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
                         const vo_view_cloth *cloth, int hiding_count, const vo_hiding *hiding,
                         vo_view_report *report) {
    vo_view_report unused, *r = report ? report : &unused;
    VO_TRY(make_moments(view, eye_count, eye));
    *r = (vo_view_report){.moments = view->moment_count};
    if (view->moment_count > 0)
        return view_cloths(view, cloth_count, cloth, (screens){hiding_count, hiding}, r);
    for (int i = 0; i < cloth_count; i++) see_all(&cloth[i], r);
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

/* Whoever looks from wherever: front is back, and nothing counts that is beside the picture. */
static vo_factor_def in_frame(void) { return (vo_factor_def){.back = 1, .hidden = 1, .out = 1}; }

/* A camera's picture. */
typedef struct glance {
    const vo_view *view;
    vo_moment moment;
    const vo_view_cloth *cloth;
    unsigned char *const *watched;
} glance;

/* Faces in it, from whichever side. */
static void watch_frame(void *arg, int index, int end, int chunk) {
    const glance *g = arg;
    const vo_parcel *parcel = &g->view->faces.parcel[index];
    const vo_factor_def def = in_frame();
    (void)end, (void)chunk;
    for (int i = parcel->begin; i < parcel->end; i++) {
        vo_view_face face = vo_view_face_place(g->cloth[parcel->cloth].mesh, i);
        g->watched[parcel->cloth][i] |= vo_factor_look(&def, &g->moment, &face).near;
    }
}

/* Those of them that lines of sight reach. */
static vo_result watch_seen(vo_view *view, const glance *g, int cloth_count) {
    const vo_factor_def def = in_frame();
    vo_occlusion_def rays = view->def.rays;
    rays.spacing = CORNERS;
    rays.foresee = false;
    memset(view->asked, 1, (size_t)view->faces.items);
    for (int i = 0; i < cloth_count; i++) view->cloth[i].two_sided = true;
    VO_TRY(
        vo_occlusion_judge(view->occlusion, &rays, &def, 1, &g->moment, cloth_count, view->cloth));
    for (int i = 0; i < cloth_count; i++)
        for (int k = 0; k < g->cloth[i].mesh->face_count; k++)
            g->watched[i][k] |= view->cloth[i].seen[k] != 0;
    return VO_OK;
}

vo_result vo_view_mark_seen(vo_view *view, int camera_count, const vo_camera *camera,
                            int cloth_count, const vo_view_cloth *cloth,
                            unsigned char *const *watched) {
    VO_TRY(make_room(view, cloth_count, cloth));
    for (int i = 0; i < cloth_count; i++) memset(watched[i], 0, (size_t)cloth[i].mesh->face_count);
    for (int i = 0; i < camera_count; i++) {
        glance g = {view, moment_of(&camera[i]), cloth, watched};
        if (view->occlusion)
            VO_TRY(watch_seen(view, &g, cloth_count));
        else
            vo_parallel_for(view->ctx, view->faces.count, 1, watch_frame, &g);
    }
    return VO_OK;
}

bool vo_view_has_occlusion(const vo_view *view) { return view->occlusion != NULL; }

bool vo_view_sees(const vo_view *view, const vo_camera *camera, vo_vec3 point) {
    vo_vec2 pixel;
    if (!vo_camera_shows(camera, 0, point, &pixel)) return false;
    vo_moment moment = moment_of(camera);
    return !view->occlusion || vo_occlusion_sees(view->occlusion, &view->def.rays, &moment, point);
}
