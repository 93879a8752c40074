#include "core/memory.h"
#include "run/compare.h"

/* Wrinkle power below which the reference has no wrinkles: normals differ by 0.01 degrees. */
static const double MIN_WRINKLE_POWER = 3e-8;

vo_result vo_compare_run_open(vo_context *ctx, const vo_render_options *options,
                              vo_compare_run *run) {
    run->ctx = ctx;
    VO_TRY(vo_render_session_create(ctx, options, &run->session));
    return vo_gbuffer_pass_create(ctx, &run->pass);
}

void vo_compare_run_close(vo_compare_run *run) {
    if (!run->ctx) return;
    vo_free_array(run->ctx, run->edges.pixels, run->edges.capacity);
    vo_gbuffer_pass_free(&run->pass);
    vo_render_session_free(&run->session);
    vo_frame_list_free(run->ctx, &run->frames);
    vo_run_reader_close(run->reader);
    *run = (vo_compare_run){0};
}

vo_vec3 vo_compare_centre(const vo_compare_run *run) {
    const vo_sim *sim = vo_run_reader_sim(run->reader);
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

vo_result vo_compare_run_render(vo_compare_run *run, const vo_compare_view *view) {
    vo_render_session *session = &run->session;
    VO_TRY(vo_render_session_fill(session, &(vo_subject){.sim = vo_run_reader_sim(run->reader)},
                                  view->origin, view->camera.position));
    vo_gbuffer_pass_def def = {.model = &session->model,
                               .cloth_nodes = session->cloth_nodes,
                               .cloth_faces = session->cloth_faces,
                               .camera = view->camera,
                               .frame = view->frame,
                               .flat = session->options->surface == VO_SURFACE_FLAT,
                               .include_obstacles = view->everything};
    def.camera.position = v3_sub(def.camera.position, view->origin);
    return vo_gbuffer_render(&run->pass, &def);
}

/* RMS speed over the fabric: sqrt(sum a v^2 / sum a) over face corners, a: area of the face. */
static double rms_speed(const vo_sim *sim) {
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

vo_result vo_compare_measure_own(vo_compare_run *run, double popping, vo_frame_comparison *out) {
    const vo_sim *sim = vo_run_reader_sim(run->reader);
    vo_edge_lengths *edges = &run->edges;
    edges->count = 0;
    edges->faces = 0;
    for (int c = 0; c < sim->cloth_count; c++)
        VO_TRY(vo_gbuffer_pass_measure_edges(&run->pass, sim->cloth[c].mesh, edges));
    vo_sort_values(edges->count, edges->pixels);
    out->visible_faces = edges->faces;
    out->speed = rms_speed(sim);
    out->edge_5 = vo_quantile(edges->count, edges->pixels, 0.05);
    out->edge_25 = vo_quantile(edges->count, edges->pixels, 0.25);
    out->edge_50 = vo_quantile(edges->count, edges->pixels, 0.50);
    out->edge_75 = vo_quantile(edges->count, edges->pixels, 0.75);
    out->edge_95 = vo_quantile(edges->count, edges->pixels, 0.95);
    const vo_gbuffer *shown = &run->pass.gbuffer;
    out->cloth_pixels = (double)vo_similarity_measure(run->ctx, shown, shown).both;
    out->popping_bound = isfinite(popping) ? vo_gbuffer_pass_max_shift(&run->pass, popping) : NAN;
    return VO_OK;
}

vo_result vo_compare_measure_pair(const vo_compare_run *run, const vo_compare_run *reference,
                                  double wavelength, vo_frame_comparison *out) {
    const vo_gbuffer *a = &run->pass.gbuffer, *b = &reference->pass.gbuffer;
    double power[2];
    vo_similarity similarity = vo_similarity_measure(run->ctx, a, b);
    VO_TRY(vo_similarity_measure_wrinkles(run->ctx, a, b, wavelength, power));
    out->silhouette_iou = similarity.silhouette_iou;
    out->normal_angle = similarity.angle * 180 / VO_PI;
    out->depth_difference = similarity.depth;
    out->wrinkle_power = power[0];
    out->wrinkle_ratio = power[1] >= MIN_WRINKLE_POWER ? power[0] / power[1] : NAN;
    return VO_OK;
}
