#include "core/memory.h"
#include "sim/compare.h"

/* Below this power of the reference there are no wrinkles to compare with: normals that differ by a
 * hundredth of a degree. */
static const double LEAST_POWER = 3e-8;

vo_result vo_compare_eye_open(vo_context *ctx, const vo_shot *shot, vo_compare_eye *eye) {
    *eye = (vo_compare_eye){.ctx = ctx};
    VO_TRY(vo_stage_create(ctx, shot, &eye->stage));
    return vo_observer_create(ctx, &eye->observer);
}

void vo_compare_eye_close(vo_compare_eye *eye) {
    if (!eye->ctx) return;
    vo_free_array(eye->ctx, eye->edges.pixels, eye->edges.capacity);
    vo_observer_free(&eye->observer);
    vo_stage_free(&eye->stage);
    vo_epoch_leave(&eye->epoch);
    *eye = (vo_compare_eye){0};
}

vo_vec3 vo_compare_middle(const vo_compare_eye *eye) {
    const vo_sim *sim = eye->epoch.sim;
    vo_vec3 low = v3_zero(), high = v3_zero();
    bool any = false;
    for (int c = 0; c < sim->cloth_count; c++)
        for (int i = 0; i < sim->cloth[c].mesh->node_count; i++) {
            vo_vec3 x = sim->cloth[c].mesh->node_x[i];
            low = any ? v3_min(low, x) : x;
            high = any ? v3_max(high, x) : x;
            any = true;
        }
    return v3_lerp(low, high, 0.5);
}

vo_result vo_compare_eye_look(vo_compare_eye *eye, const vo_compare_view *view) {
    vo_stage *stage = &eye->stage;
    VO_TRY(vo_stage_fill(stage, &(vo_subject){.sim = eye->epoch.sim}, view->origin));
    vo_observer_def def = {.model = &stage->model,
                           .cloth_nodes = stage->cloth_nodes,
                           .cloth_faces = stage->cloth_faces,
                           .camera = view->camera,
                           .frame = view->frame,
                           .flat = stage->shot->surface == VO_SURFACE_FLAT,
                           .everything = view->everything};
    def.camera.position = v3_sub(def.camera.position, view->origin);
    return vo_observer_look(&eye->observer, &def);
}

/* Root of the mean square over the fabric: sqrt(sum a v^2 / sum a), each corner with its face. */
static double speed_of(const vo_sim *sim) {
    double area = 0, sum = 0;
    for (int c = 0; c < sim->cloth_count; c++) {
        const vo_mesh *mesh = sim->cloth[c].mesh;
        for (int f = 0; f < mesh->face_count; f++) {
            double a = vo_mesh_face_area(mesh, f);
            area += 3 * a;
            for (int k = 0; k < 3; k++)
                sum += a * v3_length2(mesh->node_v[vo_mesh_face_node(mesh, f, k)]);
        }
    }
    return area > 0 ? sqrt(sum / area) : NAN;
}

vo_result vo_compare_measure_own(vo_compare_eye *eye, double popping, vo_compared_frame *out) {
    const vo_sim *sim = eye->epoch.sim;
    vo_lengths *edges = &eye->edges;
    edges->count = 0;
    edges->faces = 0;
    for (int c = 0; c < sim->cloth_count; c++)
        VO_TRY(vo_observer_edges(&eye->observer, sim->cloth[c].mesh, edges));
    vo_measure_sort(edges->count, edges->pixels);
    out->seen_faces = edges->faces;
    out->speed = speed_of(sim);
    out->edge_5 = vo_measure_quantile(edges->count, edges->pixels, 0.05);
    out->edge_25 = vo_measure_quantile(edges->count, edges->pixels, 0.25);
    out->edge_50 = vo_measure_quantile(edges->count, edges->pixels, 0.50);
    out->edge_75 = vo_measure_quantile(edges->count, edges->pixels, 0.75);
    out->edge_95 = vo_measure_quantile(edges->count, edges->pixels, 0.95);
    const vo_shown *shown = &eye->observer.shown;
    out->cloth_pixels = (double)vo_measure_likeness(eye->ctx, shown, shown).both;
    out->popping_bound = isfinite(popping) ? vo_observer_shift(&eye->observer, popping) : NAN;
    return VO_OK;
}

vo_result vo_compare_measure_pair(const vo_compare_eye *eye, const vo_compare_eye *reference,
                                  double wavelength, vo_compared_frame *out) {
    const vo_shown *a = &eye->observer.shown, *b = &reference->observer.shown;
    double power[2];
    vo_likeness likeness = vo_measure_likeness(eye->ctx, a, b);
    VO_TRY(vo_measure_wrinkles(eye->ctx, a, b, wavelength, power));
    out->overlap = likeness.overlap;
    out->normal_angle = likeness.angle * 180 / VO_PI;
    out->depth_difference = likeness.depth;
    out->wrinkle_power = power[0];
    out->wrinkle_ratio = power[1] >= LEAST_POWER ? power[0] / power[1] : NAN;
    return VO_OK;
}
