#include "view/view.h"

#include "core/memory.h"
#include "core/parallel.h"
#include "view/camera.h"
#include "view/occlusion_falloff.h"
#include "view/silhouette.h"
#include "view/view_kernel.h"
#include "view/work_range.h"

#include <string.h>

enum { CLUSTER = VO_VIEW_CLUSTER };    /* faces adjacent in memory, and mostly on the cloth */
enum { GRAIN = 4 * CLUSTER };          /* faces per range */
static const double MIN_FACTOR = 1e-6; /* minimum factor; metrics must stay positive definite */
static const double CORNERS_ONLY =
    1e3; /* m, lattice spacing that leaves only corners and centroids */

/* Statistics of a range. */
typedef struct range_stats {
    int visible;      /* faces visible if nothing occludes them */
    int occluded;     /* faces occluded from all viewpoints */
    double max_edge2; /* m^2, squared length of the max_edge edge near a frustum */
} range_stats;

struct vo_view {
    vo_context *ctx;
    vo_view_def def;
    vo_occlusion *occlusion;   /* NULL: disabled */
    vo_frustum_sample *sample; /* samples of all viewpoints, concatenated */
    int sample_count, sample_capacity;

    vo_work_ranges faces;      /* of all cloths */
    double *raw;               /* [faces] factors before silhouettes */
    double *node_factor;       /* [nodes of all cloths] scratch of the occlusion falloff */
    int *first_node;           /* [cloths] first index of each cloth's nodes */
    unsigned char *candidate;  /* [faces] bits of viewpoints (occlusion.h) */
    unsigned char *visible;    /* [faces] bits of viewpoints that see the face */
    range_stats *range_stats;  /* [ranges] */
    vo_occlusion_cloth *cloth; /* [cloths] views of the arrays above */
    int raw_capacity, node_factor_capacity, first_node_capacity, candidate_capacity,
        visible_capacity, stats_capacity, cloth_capacity;
};

vo_view_def vo_view_def_default(void) {
    return (vo_view_def){.factor = vo_factor_def_default(),
                         .screen = vo_screen_def_default(),
                         .window = 0.2,
                         .silhouette_threshold = 0.25,
                         .rays = vo_occlusion_def_default()};
}

vo_result vo_view_create(vo_context *ctx, const vo_view_def *def, vo_view **out) {
    vo_view *view = vo_new(ctx, vo_view);
    *out = NULL;
    if (!view) return vo_fail_memory(ctx, "the view");
    view->ctx = ctx;
    view->def = *def;
    if (def->occlusion && !vo_rays_available())
        vo_log_line(ctx, VO_LOG_WARNING, "this build has no Embree: occlusion is disabled");
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
    vo_free_array(view->ctx, view->sample, view->sample_capacity);
    vo_work_ranges_free(view->ctx, &view->faces);
    vo_free_array(view->ctx, view->raw, view->raw_capacity);
    vo_free_array(view->ctx, view->node_factor, view->node_factor_capacity);
    vo_free_array(view->ctx, view->first_node, view->first_node_capacity);
    vo_free_array(view->ctx, view->candidate, view->candidate_capacity);
    vo_free_array(view->ctx, view->visible, view->visible_capacity);
    vo_free_array(view->ctx, view->range_stats, view->stats_capacity);
    vo_free_array(view->ctx, view->cloth, view->cloth_capacity);
    vo_delete(view->ctx, view);
}

void vo_view_set_min_edge_pixels(vo_view *view, double pixels) {
    view->def.screen.min_edge_pixels = pixels;
}

/* ---- buffers -------------------------------------------------------------------------------- */

static vo_result make_samples(vo_view *view, int viewpoint_count, const vo_viewpoint *viewpoint) {
    int need = 0;
    for (int i = 0; i < viewpoint_count; i++) need += viewpoint[i].sample_count;
    if (!vo_reserve(view->ctx, &view->sample, &view->sample_capacity, need + 1))
        return vo_fail_memory(view->ctx, "the view");
    view->sample_count = 0;
    for (int i = 0; i < viewpoint_count; i++) {
        if (!(viewpoint[i].front_factor > 0)) continue;
        view->sample_count += vo_frustum_samples_make(&viewpoint[i], i, view->def.window,
                                                      &view->sample[view->sample_count]);
    }
    return VO_OK;
}

/* Sizes the buffers for all faces. */
static vo_result reserve_buffers(vo_view *view, int cloth_count, const vo_view_cloth *cloth) {
    vo_context *ctx = view->ctx;
    bool ok = vo_reserve(ctx, &view->cloth, &view->cloth_capacity, cloth_count + 1);
    vo_work_ranges_clear(&view->faces);
    for (int i = 0; i < cloth_count && ok; i++)
        ok = vo_work_ranges_add(ctx, &view->faces, i, cloth[i].mesh->face_count, GRAIN);
    if (!ok || !vo_reserve(ctx, &view->raw, &view->raw_capacity, view->faces.items + 1) ||
        !vo_reserve(ctx, &view->candidate, &view->candidate_capacity, view->faces.items + 1) ||
        !vo_reserve(ctx, &view->visible, &view->visible_capacity, view->faces.items + 1) ||
        !vo_reserve(ctx, &view->range_stats, &view->stats_capacity, view->faces.count + 1))
        return vo_fail_memory(ctx, "the view");
    for (int i = 0, first = 0; i < cloth_count; first += cloth[i++].mesh->face_count)
        view->cloth[i] = (vo_occlusion_cloth){.mesh = cloth[i].mesh,
                                              .velocity = cloth[i].velocity,
                                              .two_sided = cloth[i].two_sided,
                                              .candidate = view->candidate + first,
                                              .visible = view->visible + first};
    return VO_OK;
}

/* ---- faces ---------------------------------------------------------------------------------- */

/* Arguments of a pass over the faces of all cloths. */
typedef struct view_pass {
    vo_view *view;
    const vo_view_cloth *cloth;
    vo_view_eval_fn *eval;
} view_pass;

/* Data of one range; arrays begin at the cloth's first face. */
typedef struct range_view {
    const vo_view *view;
    const vo_view_cloth *cloth;
    vo_view_params rules;
    vo_view_eval_fn *eval;
    double *raw;
    unsigned char *candidate, *visible;
} range_view;

static range_view get_range_view(const view_pass *p, const vo_work_range *range) {
    vo_view *view = p->view;
    const vo_view_cloth *cloth = &p->cloth[range->cloth];
    double largest = cloth->min_edge > 0 ? 1 / (cloth->min_edge * cloth->min_edge) : INFINITY;
    int first = range->first - range->begin;
    return (range_view){.view = view,
                        .cloth = cloth,
                        .rules = {view->def.factor, view->def.screen, largest},
                        .eval = p->eval,
                        .raw = view->raw + first,
                        .candidate = view->candidate + first,
                        .visible = view->visible + first};
}

/* Loads a face into lane i of a cluster. */
static void gather_face(const range_view *s, int index, vo_view_lanes *lanes, int i) {
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
    lanes->max_front[i] = 1;
}

/* Stores factor and bound of a face. A face with positions that are not finite gets factor 1. The
 * factor is at least `off_screen`, also if no viewpoint is active yet. */
static void store_face(const range_view *s, int index, const vo_view_lanes *lanes, int i) {
    vo_sym2 bound = {lanes->bound[0][i], lanes->bound[1][i], lanes->bound[2][i]};
    bool is_finite = isfinite(lanes->normal[0][i] + lanes->normal[1][i] + lanes->normal[2][i]);
    bool bounded = is_finite && lanes->unbounded[i] == 0 && bound.xx + bound.yy > 0;
    double factor = vo_max(lanes->factor[i], s->rules.factor.off_screen);
    s->raw[index] = is_finite ? vo_clamp(factor, MIN_FACTOR, 1) : 1;
    s->cloth->bound[index] = bounded ? bound : vo_screen_no_bound();
}

/* Bounding ball of a cluster. */
static void enclose_cluster(const vo_view_lanes *lanes, vo_vec3 *centre, double *radius) {
    double low[3], max_length2[3], radius2 = 0;
    for (int c = 0; c < 3; c++) {
        low[c] = max_length2[c] = lanes->x[0][c][0];
        for (int k = 0; k < 3; k++)
            for (int i = 0; i < lanes->count; i++) {
                low[c] = vo_min(low[c], lanes->x[k][c][i]);
                max_length2[c] = vo_max(max_length2[c], lanes->x[k][c][i]);
            }
    }
    *centre = v3(0.5 * (low[0] + max_length2[0]), 0.5 * (low[1] + max_length2[1]),
                 0.5 * (low[2] + max_length2[2]));
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < lanes->count; i++) {
            vo_vec3 x = v3(lanes->x[k][0][i], lanes->x[k][1][i], lanes->x[k][2][i]);
            radius2 = vo_max(radius2, v3_length2(v3_sub(x, *centre)));
        }
    *radius = sqrt(radius2) * (1 + 1e-12);
}

static double max_edge2(const vo_view_lanes *lanes) {
    double max_length2 = 0;
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < lanes->count; i++) {
            double length2 = 0;
            for (int c = 0; c < 3; c++) {
                double d = lanes->x[(k + 1) % 3][c][i] - lanes->x[k][c][i];
                length2 += d * d;
            }
            max_length2 = vo_max(max_length2, length2);
        }
    return max_length2;
}

/* Adds a sample to a cluster that is outside its frustum. */
static void add_outside(const range_view *s, const vo_frustum_sample *m, vo_view_lanes *lanes) {
    double out = m->weight * vo_factor_off_screen(&s->rules.factor, m);
    for (int i = 0; i < lanes->count; i++) lanes->factor[i] = vo_max(lanes->factor[i], out);
}

/* Limits the factor of faces that are occluded from the sample's viewpoint. */
static void limit_occluded(const range_view *s, const vo_frustum_sample *m,
                           const unsigned char *occluded, vo_view_lanes *lanes) {
    unsigned char bit = vo_occlusion_bit(m->viewpoint);
    for (int i = 0; i < lanes->count; i++)
        lanes->max_front[i] = occluded[i] & bit ? s->rules.factor.occluded : 1;
}

/* Evaluates a cluster for all samples; returns true if it may be near one of the frusta. `occluded`
 * holds bits of the viewpoints from which a face is occluded; NULL: none. */
static bool eval_cluster(const range_view *s, const unsigned char *occluded, vo_view_lanes *lanes) {
    vo_vec3 centre;
    double radius;
    bool near_frustum = false;
    enclose_cluster(lanes, &centre, &radius);
    for (int k = 0; k < s->view->sample_count; k++) {
        const vo_frustum_sample *m = &s->view->sample[k];
        vo_ball_class class = vo_factor_classify_ball(&s->rules.factor, m, centre, radius);
        near_frustum |= class != VO_BALL_OUTSIDE;
        if (occluded) limit_occluded(s, m, occluded, lanes);
        if (class == VO_BALL_OUTSIDE) {
            add_outside(s, m, lanes);
        } else {
            s->eval(&s->rules, m, class == VO_BALL_INSIDE, lanes);
        }
    }
    return near_frustum;
}

/* Evaluates the faces of one range, without occlusion. Loops over ranges have one per chunk. */
static void eval_faces(void *arg, int index, int end, int chunk) {
    const view_pass *p = arg;
    const vo_work_range *range = &p->view->faces.range[index];
    range_view s = get_range_view(p, range);
    range_stats found = {0};
    (void)end, (void)chunk;
    for (int first = range->begin; first < range->end; first += CLUSTER) {
        vo_view_lanes lanes = {.count = vo_min_int(CLUSTER, range->end - first)};
        for (int i = 0; i < lanes.count; i++) gather_face(&s, first + i, &lanes, i);
        if (eval_cluster(&s, NULL, &lanes))
            found.max_edge2 = vo_max(found.max_edge2, max_edge2(&lanes));
        for (int i = 0; i < lanes.count; i++) {
            store_face(&s, first + i, &lanes, i);
            s.candidate[first + i] = lanes.visible[i] != 0;
            found.visible += lanes.visible[i] != 0;
        }
    }
    p->view->range_stats[index] = found;
}

/* Evaluates the faces again that are occluded from some viewpoint. */
static void eval_occluded(void *arg, int index, int end, int chunk) {
    const view_pass *p = arg;
    const vo_work_range *range = &p->view->faces.range[index];
    range_view s = get_range_view(p, range);
    int occluded_count = 0;
    (void)end, (void)chunk;
    for (int next = range->begin; next < range->end;) {
        vo_view_lanes lanes = {.count = 0};
        unsigned char occluded[CLUSTER];
        int face[CLUSTER] = {0};
        for (; next < range->end && lanes.count < CLUSTER; next++) {
            unsigned char occluded_from = s.candidate[next] & (unsigned char)~s.visible[next];
            if (!occluded_from) continue;
            occluded_count += s.visible[next] == 0;
            occluded[lanes.count] = occluded_from;
            gather_face(&s, next, &lanes, lanes.count);
            face[lanes.count++] = next;
        }
        if (lanes.count > 0) eval_cluster(&s, occluded, &lanes);
        for (int i = 0; i < lanes.count; i++) store_face(&s, face[i], &lanes, i);
    }
    p->view->range_stats[index].occluded = occluded_count;
}

/* Scales a bound, which is proportional to nu^2, to another nu. */
static void rescale_bound(vo_sym2 *bound, double old, double factor) {
    double q = factor / old;
    if (factor == old || isinf(bound->xx)) return;
    *bound = (vo_sym2){q * q * bound->xx, q * q * bound->xy, q * q * bound->yy};
}

/* Applies the occlusion falloff to factors and bounds of one cloth. */
static void apply_falloff(void *arg, int index, int end, int chunk) {
    const view_pass *p = arg;
    const vo_view_cloth *cloth = &p->cloth[index];
    const vo_factor_def *factor = &p->view->def.factor;
    const vo_occlusion_cloth *classified = &p->view->cloth[index];
    int count = cloth->mesh->face_count;
    (void)end, (void)chunk;
    vo_occlusion_falloff_def def = {.slope =
                                        (1 - factor->occluded) / p->view->def.occlusion_falloff,
                                    .candidate = classified->candidate,
                                    .visible = classified->visible};
    double *raw = p->view->raw + (classified->candidate - p->view->candidate);
    memcpy(cloth->factor, raw, (size_t)count * sizeof *raw);
    vo_occlusion_falloff_apply(cloth->mesh, &def, raw,
                               p->view->node_factor + p->view->first_node[index]);
    for (int i = 0; i < count; i++) rescale_bound(&cloth->bound[i], cloth->factor[i], raw[i]);
}

/* Smooths factors across silhouettes and scales the bounds. */
static void smooth_silhouettes(void *arg, int index, int end, int chunk) {
    const view_pass *p = arg;
    const vo_work_range *range = &p->view->faces.range[index];
    range_view s = get_range_view(p, range);
    (void)end, (void)chunk;
    for (int i = range->begin; i < range->end; i++) {
        double factor =
            vo_silhouette_factor(s.cloth->mesh, p->view->def.silhouette_threshold, s.raw, i);
        s.cloth->factor[i] = factor;
        rescale_bound(&s.cloth->bound[i], s.raw[i], factor);
    }
}

/* ---- update --------------------------------------------------------------------------------- */

/* Occluders of an update. */
typedef struct occluder_list {
    int count;
    const vo_occluder *occluders;
} occluder_list;

/* Applies the occlusion falloff to all cloths. */
static vo_result apply_falloffs(view_pass *p, int cloth_count) {
    vo_view *view = p->view;
    int nodes = 0;
    if (!(view->def.occlusion_falloff > 0) || view->def.factor.occluded >= 1) return VO_OK;
    if (!vo_reserve(view->ctx, &view->first_node, &view->first_node_capacity, cloth_count + 1))
        return vo_fail_memory(view->ctx, "the view");
    for (int i = 0; i < cloth_count; nodes += p->cloth[i++].mesh->node_count)
        view->first_node[i] = nodes;
    if (!vo_reserve(view->ctx, &view->node_factor, &view->node_factor_capacity, nodes + 1))
        return vo_fail_memory(view->ctx, "the view");
    vo_parallel_for(view->ctx, cloth_count, 1, apply_falloff, p);
    return VO_OK;
}

/* Classifies occluded faces and evaluates them again. */
static vo_result apply_occlusion(view_pass *p, int cloth_count, occluder_list by, double max_edge) {
    vo_view *view = p->view;
    const vo_factor_def *factor = &view->def.factor;
    vo_ray_region span = {factor, view->sample_count, view->sample, max_edge,
                          vo_max(view->def.window, 0)};
    VO_TRY(vo_occlusion_set_occluders(view->occlusion, by.count, by.occluders, &span));
    VO_TRY(vo_occlusion_classify(view->occlusion, &view->def.rays, factor, view->sample_count,
                                 view->sample, cloth_count, view->cloth));
    vo_parallel_for(view->ctx, view->faces.count, 1, eval_occluded, p);
    return apply_falloffs(p, cloth_count);
}

static vo_view_eval_fn *choose_kernel(const vo_view *view) {
#ifdef VO_HAVE_AVX2_KERNELS
    if (view->ctx->use_avx2) return vo_view_eval_avx2;
#endif
    (void)view;
    return vo_view_eval_base;
}

static vo_view_report sum_report(const vo_view *view) {
    vo_view_report report = {.samples = view->sample_count, .faces = view->faces.items};
    for (int i = 0; i < view->faces.count; i++) {
        report.visible += view->range_stats[i].visible - view->range_stats[i].occluded;
        report.occluded += view->range_stats[i].occluded;
    }
    return report;
}

static double max_edge(const vo_view *view) {
    double max2 = 0;
    for (int i = 0; i < view->faces.count; i++) max2 = vo_max(max2, view->range_stats[i].max_edge2);
    return sqrt(max2);
}

/* Updates all cloths; there is at least one frustum sample. */
static vo_result update_cloths(vo_view *view, int cloth_count, const vo_view_cloth *cloth,
                               occluder_list by, vo_view_report *report) {
    view_pass p = {view, cloth, choose_kernel(view)};
    VO_TRY(reserve_buffers(view, cloth_count, cloth));
    vo_parallel_for(view->ctx, view->faces.count, 1, eval_faces, &p);
    if (view->occlusion) VO_TRY(apply_occlusion(&p, cloth_count, by, max_edge(view)));
    vo_parallel_for(view->ctx, view->faces.count, 1, smooth_silhouettes, &p);
    *report = sum_report(view);
    return VO_OK;
}

/* Sets the results of one cloth without viewpoints. */
static void set_unviewed(const vo_view_cloth *cloth, vo_view_report *report) {
    for (int i = 0; i < cloth->mesh->face_count; i++) {
        cloth->factor[i] = 1;
        cloth->bound[i] = vo_screen_no_bound();
    }
    report->faces += cloth->mesh->face_count;
    report->visible += cloth->mesh->face_count;
}

vo_result vo_view_update(vo_view *view, int viewpoint_count, const vo_viewpoint *viewpoint,
                         int cloth_count, const vo_view_cloth *cloth, int occluder_count,
                         const vo_occluder *occluders, vo_view_report *report) {
    vo_view_report unused, *r = report ? report : &unused;
    VO_TRY(make_samples(view, viewpoint_count, viewpoint));
    *r = (vo_view_report){.samples = view->sample_count};
    if (view->sample_count > 0)
        return update_cloths(view, cloth_count, cloth, (occluder_list){occluder_count, occluders},
                             r);
    for (int i = 0; i < cloth_count; i++) set_unviewed(&cloth[i], r);
    return VO_OK;
}

/* ---- queries -------------------------------------------------------------------------------- */

/* Returns the frustum sample of a camera at the current time. */
static vo_frustum_sample sample_of_camera(const vo_camera *camera) {
    vo_view_sample pose = {.camera = *camera};
    vo_viewpoint viewpoint = {.sample_count = 1, .sample = &pose, .front_factor = 1};
    vo_frustum_sample sample;
    vo_frustum_samples_make(&viewpoint, 0, 0, &sample);
    return sample;
}

/* Factors that select all faces in the frustum from either side, without a margin. */
static vo_factor_def frustum_only(void) {
    return (vo_factor_def){.back_facing = 1, .occluded = 1, .off_screen = 1};
}

/* Arguments of marking visible faces for one camera. */
typedef struct mark_pass {
    const vo_view *view;
    vo_frustum_sample sample;
    const vo_view_cloth *cloth;
    unsigned char *const *visible;
} mark_pass;

/* Marks the faces in the frustum. */
static void mark_in_frustum(void *arg, int index, int end, int chunk) {
    const mark_pass *g = arg;
    const vo_work_range *range = &g->view->faces.range[index];
    const vo_factor_def def = frustum_only();
    (void)end, (void)chunk;
    for (int i = range->begin; i < range->end; i++) {
        vo_view_face face = vo_view_face_make_spatial(g->cloth[range->cloth].mesh, i);
        g->visible[range->cloth][i] |= vo_factor_eval_face(&def, &g->sample, &face).near_frame;
    }
}

/* Marks the faces that visibility rays reach. */
static vo_result mark_unoccluded(vo_view *view, const mark_pass *g, int cloth_count) {
    const vo_factor_def def = frustum_only();
    vo_occlusion_def rays = view->def.rays;
    rays.spacing = CORNERS_ONLY;
    rays.predict = false;
    memset(view->candidate, 1, (size_t)view->faces.items);
    for (int i = 0; i < cloth_count; i++) view->cloth[i].two_sided = true;
    VO_TRY(vo_occlusion_classify(view->occlusion, &rays, &def, 1, &g->sample, cloth_count,
                                 view->cloth));
    for (int i = 0; i < cloth_count; i++)
        for (int k = 0; k < g->cloth[i].mesh->face_count; k++)
            g->visible[i][k] |= view->cloth[i].visible[k] != 0;
    return VO_OK;
}

vo_result vo_view_mark_visible(vo_view *view, int camera_count, const vo_camera *camera,
                               int cloth_count, const vo_view_cloth *cloth,
                               unsigned char *const *visible) {
    VO_TRY(reserve_buffers(view, cloth_count, cloth));
    for (int i = 0; i < cloth_count; i++) memset(visible[i], 0, (size_t)cloth[i].mesh->face_count);
    for (int i = 0; i < camera_count; i++) {
        mark_pass g = {view, sample_of_camera(&camera[i]), cloth, visible};
        if (view->occlusion)
            VO_TRY(mark_unoccluded(view, &g, cloth_count));
        else
            vo_parallel_for(view->ctx, view->faces.count, 1, mark_in_frustum, &g);
    }
    return VO_OK;
}

bool vo_view_has_occlusion(const vo_view *view) { return view->occlusion != NULL; }

bool vo_view_point_is_visible(const vo_view *view, const vo_camera *camera, vo_vec3 point) {
    vo_vec2 pixel;
    if (!vo_camera_contains(camera, 0, point, &pixel)) return false;
    vo_frustum_sample sample = sample_of_camera(camera);
    return !view->occlusion ||
           vo_occlusion_point_is_visible(view->occlusion, &view->def.rays, &sample, point);
}
