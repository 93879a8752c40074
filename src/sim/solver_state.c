/* Gathers the state of all cloths from their meshes into solver rows, and scatters it back. */
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

static void over_rows(vo_sim *sim, vo_loop_fn *body) {
    for (int c = 0; c < sim->cloth_count; c++) {
        const vo_cloth_state *cloth = &sim->cloth[c];
        row_job job = {&sim->implicit, cloth->mesh,
                       sim->implicit.system.row_of + cloth->first_node};
        vo_parallel_for(sim->ctx, cloth->mesh->node_count, VO_LIGHT_GRAIN, body, &job);
    }
}

void vo_sim_gather_state(vo_sim *sim) {
    over_rows(sim, load_range);
    sim->rows_current = true;
}

void vo_sim_scatter_state(vo_sim *sim) {
    over_rows(sim, store_range);
    sim->rows_current = true;
}
