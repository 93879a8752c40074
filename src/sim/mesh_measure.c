/* Measures of single meshes: the inputs of the stretching and bending formulas, and strain. */
#include "core/parallel.h"
#include "sim/sim.h"

vo_stretch_face vo_mesh_stretch_face(const vo_mesh *mesh, int face, vo_vec3 x[3]) {
    for (int i = 0; i < 3; i++) x[i] = mesh->node_x[vo_mesh_face_node(mesh, face, i)];
    return (vo_stretch_face){m2_inverse(vo_mesh_face_dm(mesh, face)),
                             vo_mesh_face_area(mesh, face)};
}

/* Faces are divided into at most this number of parts, with the extremes of each. */
enum { STRAIN_PARTS = 64 };
typedef struct strain_job {
    const vo_mesh *mesh;
    double max[STRAIN_PARTS], min[STRAIN_PARTS];
} strain_job;

static void strain_of_part(void *arg, int begin, int end, int part) {
    strain_job *job = arg;
    double max = -INFINITY, min = INFINITY;
    for (int f = begin; f < end; f++) {
        vo_vec3 x[3];
        vo_stretch_face face = vo_mesh_stretch_face(job->mesh, f, x);
        vo_mat32 gradient = m32_mul_m2(v3_sub(x[1], x[0]), v3_sub(x[2], x[0]), face.inverse);
        vo_svd32 s = vo_mat32_svd(gradient);
        if (s.stretch[0] - 1 > max) max = s.stretch[0] - 1;
        if (s.stretch[1] - 1 < min) min = s.stretch[1] - 1;
    }
    job->max[part] = max;
    job->min[part] = min;
}

void vo_mesh_strain(const vo_mesh *mesh, double *max, double *min) {
    strain_job job = {.mesh = mesh};
    int grain = mesh->face_count / STRAIN_PARTS + 1;
    vo_parallel_for(mesh->ctx, mesh->face_count, grain, strain_of_part, &job);
    for (int part = 0; part < vo_chunk_count(mesh->face_count, grain); part++) {
        if (job.max[part] > *max) *max = job.max[part];
        if (job.min[part] < *min) *min = job.min[part];
    }
}

double vo_mesh_bend_angle(const vo_mesh *mesh, int edge) {
    if (mesh->edge_face[edge][1] < 0) return 0;
    vo_vec3 x[4];
    for (int i = 0; i < 2; i++) {
        x[i] = mesh->node_x[mesh->edge_node[edge][i]];
        x[2 + i] = mesh->node_x[mesh->vert_node[vo_mesh_edge_opposite(mesh, edge, i)]];
    }
    return vo_hinge_angle(x) - mesh->edge_rest_angle[edge];
}

vo_bend_face vo_mesh_bend_face(const vo_mesh *mesh, int face) {
    vo_vec2 corner[3];
    for (int k = 0; k < 3; k++) corner[k] = mesh->vert_u[mesh->face_vert[face][k]];
    return vo_bend_face_make(corner);
}
