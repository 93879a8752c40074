#include "sim/input_mesh.h"

#include "core/memory.h"
#include "core/parallel.h"
#include "mesh/smooth.h"
#include "sim/input_mesh_filter.h"
#include "sim/sim.h"

#include <string.h>

/* ---- the same mesh --------------------------------------------------------------------------- */

static bool is_same_array(const void *a, const void *b, int count, size_t size) {
    return count == 0 || memcmp(a, b, (size_t)count * size) == 0;
}

/* Returns true if both meshes have the same faces, verts and material positions. */
static bool is_same_mesh(const vo_mesh *a, const vo_mesh *b) {
    return a->node_count == b->node_count && a->vert_count == b->vert_count &&
           a->face_count == b->face_count &&
           is_same_array(a->face_vert, b->face_vert, a->face_count, sizeof *a->face_vert) &&
           is_same_array(a->vert_node, b->vert_node, a->vert_count, sizeof *a->vert_node) &&
           is_same_array(a->vert_u, b->vert_u, a->vert_count, sizeof *a->vert_u);
}

static void copy_nodes(const vo_mesh *now, vo_vec3 *x, vo_vec3 *v) {
    size_t bytes = (size_t)now->node_count * sizeof *x;
    memcpy(x, now->node_x, bytes);
    if (v) memcpy(v, now->node_v, bytes);
}

/* ---- verts ----------------------------------------------------------------------------------- */

typedef struct evaluation {
    const vo_mesh *input, *now;
    vo_surface_kind surface;
    const unsigned char *held; /* [input nodes] NULL: none */
    vo_locator locator;
    vo_smooth smooth; /* unless the surface is flat */
    int *vert_face;   /* [input verts] a face of the input that has it; -1 */
    vo_vec3 *vert_x;  /* [input verts] */
    vo_vec3 *vert_v;  /* [input verts] */
    int *count;       /* [input nodes] verts so far */
} evaluation;

static int count_patches(const vo_mesh *m) {
    int count = 0;
    for (int v = 0; v < m->vert_count; v++) count = vo_max_int(count, m->vert_patch[v] + 1);
    return count;
}

static void find_vert_faces(evaluation *e) {
    const vo_mesh *m = e->input;
    for (int v = 0; v < m->vert_count; v++) e->vert_face[v] = -1;
    for (int f = m->face_count - 1; f >= 0; f--)
        for (int i = 0; i < 3; i++) e->vert_face[m->face_vert[f][i]] = f;
}

/* A point in material space near a vert, on its side of any slit: a quarter of the distance to the
 * centre of one of its faces. */
static vo_vec2 point_inside(const evaluation *e, int vert) {
    const vo_mesh *m = e->input;
    const int *corner = m->face_vert[e->vert_face[vert]];
    vo_vec2 sum = v2_add(v2_add(m->vert_u[corner[0]], m->vert_u[corner[1]]), m->vert_u[corner[2]]);
    vo_vec2 way = v2_sub(v2_scale(1.0 / 3, sum), m->vert_u[vert]);
    return v2_add(m->vert_u[vert], v2_scale(0.25, way));
}

static void evaluate_vert(evaluation *e, int vert) {
    vo_face_location spot = vo_locate(&e->locator, e->input->vert_patch[vert],
                                      e->input->vert_u[vert], point_inside(e, vert));
    vo_vec3 x = e->surface == VO_SURFACE_SMOOTH
                    ? vo_smooth_point(&e->smooth, &spot)
                    : vo_face_location_point(e->now, &spot, e->now->node_x);
    e->vert_x[vert] = v3_add(x, vo_face_location_extrapolate(e->now, &spot));
    e->vert_v[vert] = vo_face_location_point(e->now, &spot, e->now->node_v);
}

static void evaluate_verts(void *arg, int begin, int end, int chunk) {
    evaluation *e = arg;
    (void)chunk;
    for (int v = begin; v < end; v++)
        if (e->vert_face[v] >= 0) evaluate_vert(e, v);
}

/* ---- nodes ----------------------------------------------------------------------------------- */

/* Running mean with one more value; exact for equal values. */
static vo_vec3 join_mean(vo_vec3 mean, vo_vec3 x, int count) {
    return v3_add_scaled(mean, 1.0 / count, v3_sub(x, mean));
}

static void gather_nodes(evaluation *e, vo_vec3 *x, vo_vec3 *v) {
    const vo_mesh *m = e->input;
    memcpy(x, m->node_x, (size_t)m->node_count * sizeof *x);
    if (v) memset(v, 0, (size_t)m->node_count * sizeof *v);
    memset(e->count, 0, (size_t)m->node_count * sizeof *e->count);
    for (int i = 0; i < m->vert_count; i++) {
        if (e->vert_face[i] < 0) continue;
        int n = m->vert_node[i], count = ++e->count[n];
        x[n] = count == 1 ? e->vert_x[i] : join_mean(x[n], e->vert_x[i], count);
        if (v) v[n] = count == 1 ? e->vert_v[i] : join_mean(v[n], e->vert_v[i], count);
    }
}

/* ---- all of it ------------------------------------------------------------------------------- */

static vo_result allocate(vo_context *ctx, evaluation *e) {
    e->vert_face = vo_new_array(ctx, int, e->input->vert_count);
    e->vert_x = vo_new_array(ctx, vo_vec3, e->input->vert_count);
    e->vert_v = vo_new_array(ctx, vo_vec3, e->input->vert_count);
    e->count = vo_new_array(ctx, int, e->input->node_count);
    if (e->vert_face && e->vert_x && e->vert_v && e->count) return VO_OK;
    return vo_fail_memory(ctx, "the original mesh");
}

/* Fails if a patch of the input has no face left. */
static vo_result check_patches(vo_context *ctx, const evaluation *e) {
    for (int v = 0; v < e->input->vert_count; v++)
        if (e->vert_face[v] >= 0 && !vo_locator_has_patch(&e->locator, e->input->vert_patch[v]))
            return vo_fail(ctx, VO_BAD_DATA, "patch %d of the cloth has no face left",
                           e->input->vert_patch[v]);
    return VO_OK;
}

static vo_result evaluate(vo_context *ctx, evaluation *e, vo_vec3 *x, vo_vec3 *v) {
    enum { GRAIN = 256 };
    VO_TRY(allocate(ctx, e));
    find_vert_faces(e);
    VO_TRY(vo_locator_create(ctx, e->now, count_patches(e->input), &e->locator));
    VO_TRY(check_patches(ctx, e));
    if (e->surface == VO_SURFACE_SMOOTH) VO_TRY(vo_smooth_create(ctx, e->now, &e->smooth));
    vo_parallel_for(ctx, e->input->vert_count, GRAIN, evaluate_verts, e);
    gather_nodes(e, x, v);
    if (e->surface != VO_SURFACE_SMOOTH) return VO_OK;
    vo_simulated_surface surface = {e->now, &e->locator, &e->smooth};
    return vo_input_mesh_filter(ctx, e->input, &surface, e->held, x, v);
}

vo_result vo_input_mesh_evaluate(vo_context *ctx, const vo_mesh *input, const vo_mesh *now,
                                 vo_surface_kind surface, const unsigned char *held, vo_vec3 *x,
                                 vo_vec3 *v) {
    if (is_same_mesh(input, now)) {
        copy_nodes(now, x, v);
        return VO_OK;
    }
    evaluation e = {.input = input,
                    .now = now,
                    .surface = surface,
                    .held = held,
                    .locator = {.ctx = ctx},
                    .smooth = {.ctx = ctx}};
    vo_result result = evaluate(ctx, &e, x, v);
    vo_smooth_free(&e.smooth);
    vo_locator_free(&e.locator);
    vo_free_array(ctx, e.vert_face, input->vert_count);
    vo_free_array(ctx, e.vert_x, input->vert_count);
    vo_free_array(ctx, e.vert_v, input->vert_count);
    vo_free_array(ctx, e.count, input->node_count);
    return result;
}

/* Marks the nodes that handles hold by name, with whatever strength they have left. */
static void mark_held(const vo_sim *sim, int cloth, unsigned char *held) {
    for (int i = 0; i < sim->handle_count; i++) {
        const vo_handle_def *def = &sim->scene->handle[i].def;
        if (def->cloth != cloth || def->kind == VO_HANDLE_SOFT) continue;
        if (!(vo_sim_handle_strength(sim, i, vo_sim_now(sim)) > 0)) continue;
        for (int k = 0; k < def->node_count; k++) held[def->nodes[k]] = 1;
    }
}

/* Evaluates all nodes of the scene's cloth and hands over the first `count`. */
static vo_result evaluate_first(const vo_sim *sim, int cloth, vo_surface_kind surface, int count,
                                vo_vec3 *x, vo_vec3 *v) {
    const vo_mesh *input = sim->scene->cloth[cloth].mesh;
    vo_context *ctx = sim->ctx;
    size_t nodes = (size_t)input->node_count;
    vo_vec3 *all = vo_new_array(ctx, vo_vec3, 2 * nodes);
    unsigned char *held = vo_alloc_zero(ctx, nodes);
    vo_result result = all && held ? VO_OK : vo_fail_memory(ctx, "the original mesh");
    if (result == VO_OK) {
        mark_held(sim, cloth, held);
        result = vo_input_mesh_evaluate(ctx, input, sim->cloth[cloth].mesh, surface, held, all,
                                        all + nodes);
    }
    if (result == VO_OK) {
        if (x && count) memcpy(x, all, (size_t)count * sizeof *x);
        if (v && count) memcpy(v, all + nodes, (size_t)count * sizeof *v);
    }
    vo_free_array(ctx, all, 2 * nodes);
    vo_free_array(ctx, held, nodes);
    return result;
}

vo_result vo_sim_sample_input_mesh(const vo_sim *sim, int cloth, vo_surface_kind surface, int count,
                                   vo_vec3 *positions, vo_vec3 *velocities) {
    if (cloth < 0 || cloth >= sim->cloth_count)
        return vo_fail(sim->ctx, VO_BAD_ARGUMENT, "there is no cloth %d; the simulation has %d",
                       cloth, sim->cloth_count);
    int nodes = sim->scene->cloth[cloth].mesh->node_count;
    if (count < 0 || count > nodes)
        return vo_fail(sim->ctx, VO_BAD_ARGUMENT, "%d nodes were requested, but cloth %d has %d",
                       count, cloth, nodes);
    if (surface != VO_SURFACE_SMOOTH && surface != VO_SURFACE_FLAT)
        return vo_fail(sim->ctx, VO_BAD_ARGUMENT, "surface: %d is not one of vo_surface_kind",
                       (int)surface);
    return evaluate_first(sim, cloth, surface, count, positions, velocities);
}
