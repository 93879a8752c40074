/* The solver of all cloths: made from their meshes, its rows filled from them and stored there. */
#include "core/memory.h"
#include "core/parallel.h"
#include "sim/sim.h"

/* The rows of one cloth, and its mesh. */
typedef struct row_job {
    vo_implicit *s;
    vo_mesh *mesh;
    const int *row_of; /* its nodes */
} row_job;

static void load_range(void *arg, int begin, int end, int chunk) {
    (void)chunk;
    const row_job *job = arg;
    for (int i = begin; i < end; i++) {
        vo_vec3 x = job->mesh->node_x[i], v = job->mesh->node_v[i];
        job->s->x[job->row_of[i]] = (vo_vec4){x.x, x.y, x.z, 0};
        job->s->v[job->row_of[i]] = (vo_vec4){v.x, v.y, v.z, 0};
    }
}

static void store_range(void *arg, int begin, int end, int chunk) {
    (void)chunk;
    const row_job *job = arg;
    for (int i = begin; i < end; i++) {
        const vo_vec4 *x = &job->s->x[job->row_of[i]], *v = &job->s->v[job->row_of[i]];
        job->mesh->node_x[i] = v3(x->x, x->y, x->z);
        job->mesh->node_v[i] = v3(v->x, v->y, v->z);
    }
}

static void over_rows(vo_sim *sim, vo_range_fn *body) {
    for (int c = 0; c < sim->cloth_count; c++) {
        const vo_cloth_state *cloth = &sim->cloth[c];
        row_job job = {&sim->implicit, cloth->mesh,
                       sim->implicit.system.row_of + cloth->first_node};
        vo_parallel_for(sim->ctx, cloth->mesh->node_count, VO_LIGHT_GRAIN, body, &job);
    }
}

void vo_sim_load_rows(vo_sim *sim) { over_rows(sim, load_range); }

void vo_sim_store_rows(vo_sim *sim) { over_rows(sim, store_range); }

/* Side of a square that has the area of a mean face. */
static double mean_face_size(const vo_sim *sim) {
    double area = 0;
    int count = 0;
    for (int c = 0; c < sim->cloth_count; c++) {
        const vo_mesh *mesh = sim->cloth[c].mesh;
        for (int f = 0; f < mesh->face_count; f++) area += vo_mesh_face_area(mesh, f);
        count += mesh->face_count;
    }
    return count ? sqrt(area / count) : 0;
}

static void list_cloths(vo_sim *sim) {
    for (int c = 0; c < sim->cloth_count; c++)
        sim->system_cloth[c] = (vo_system_cloth){.mesh = sim->cloth[c].mesh,
                                                 .material = sim->scene->cloth[c].material};
    vo_system_number(sim->cloth_count, sim->system_cloth);
    for (int c = 0; c < sim->cloth_count; c++)
        sim->cloth[c].first_node = sim->system_cloth[c].first_node;
}

vo_result vo_sim_rebuild(vo_sim *sim) {
    vo_context *ctx = sim->ctx;
    sim->constraints = (vo_constraints){0}; /* rows of the old solver */
    VO_TRY(vo_sim_contact_drop(sim));
    vo_implicit_free(&sim->implicit);
    list_cloths(sim);
    sim->face_size = mean_face_size(sim);
    int(*ties)[2] = vo_alloc(ctx, (size_t)(sim->tie_capacity + 1) * sizeof *ties);
    if (!ties) return vo_fail_memory(ctx, "handles");
    int tie_count = vo_sim_handles_ties(sim, ties);
    vo_result result = vo_implicit_create(ctx, sim->cloth_count, sim->system_cloth, tie_count,
                                          (const int(*)[2])ties, &sim->implicit);
    vo_free(ctx, ties, (size_t)(sim->tie_capacity + 1) * sizeof *ties);
    if (result == VO_OK && sim->scene->def.solver == VO_SOLVER_DIRECT)
        result = vo_implicit_need_direct(&sim->implicit);
    VO_TRY(result);
    vo_sim_buckle_begin(sim);
    return vo_sim_contact_create(sim);
}
