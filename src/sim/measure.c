/* Measures of the current state: sizes, strains, energies, hash. */
#include "codec/hash.h"
#include "material/bend.h"
#include "material/stretch_limit.h"
#include "sim/sim.h"

#include <voile/check.h>

/* Numbers of elements, and the largest node speed. */
static void measure_size(const vo_sim *sim, vo_stats *stats) {
    stats->cloths = sim->cloth_count;
    stats->faces = stats->edges = stats->nodes = stats->verts = 0;
    for (int c = 0; c < sim->cloth_count; c++) {
        const vo_mesh *mesh = sim->cloth[c].mesh;
        stats->faces += mesh->face_count;
        stats->edges += mesh->edge_count;
        stats->nodes += mesh->node_count;
        stats->verts += mesh->vert_count;
        for (int i = 0; i < mesh->node_count; i++)
            stats->max_speed = vo_max(stats->max_speed, v3_length(mesh->node_v[i]));
    }
}

/* Excess over its limits above which a face is counted. */
static const double BEYOND = 0.01;

/* Excess of the geometric stretches, without offsets. */
static void measure_limits(const vo_sim *sim, vo_stats *stats) {
    stats->limit_excess = 0;
    stats->beyond_limits = 0;
    if (sim->scene->def.disable & VO_DISABLE_STRAIN_LIMITING) return;
    for (int c = 0; c < sim->cloth_count; c++) {
        const vo_mesh *mesh = sim->cloth[c].mesh;
        for (int f = 0; f < mesh->face_count; f++) {
            const vo_material *m = &sim->cloth[c].material[mesh->face_label[f]];
            if (!vo_material_is_limited(m)) continue;
            vo_vec3 x[3];
            vo_stretch_face face = vo_mesh_stretch_face(mesh, f, x);
            double min2 =
                vo_stretch_min2_with_slack(vo_material_min2(m), vo_sim_slack_target(sim, c, f));
            vo_stretch_limit limit = {min2, vo_material_max2(m), 0};
            double excess = vo_stretch_excess(&face, &limit, x);
            stats->limit_excess = vo_max(stats->limit_excess, excess);
            stats->beyond_limits += excess > BEYOND;
        }
    }
}

void vo_sim_measure(const vo_sim *sim, vo_stats *stats) {
    measure_size(sim, stats);
    for (int c = 0; c < sim->cloth_count; c++)
        vo_mesh_strain(sim->cloth[c].mesh, &stats->max_strain, &stats->min_strain);
    measure_limits(sim, stats);
}

vo_result vo_sim_measure_frame(const vo_sim *sim, vo_stats *stats) {
    vo_inspection inspection;
    VO_TRY(vo_sim_inspect(sim, &inspection));
    measure_size(sim, stats);
    stats->max_strain = inspection.max_strain;
    stats->min_strain = inspection.min_strain;
    measure_limits(sim, stats);
    stats->intersections = vo_inspection_intersections(&inspection);
    stats->inside_nodes = inspection.inside_nodes;
    return VO_OK;
}

static void add_node_energy(const vo_sim *sim, int c, vo_energy *e) {
    const vo_mesh *mesh = sim->cloth[c].mesh;
    const vo_system *system = &sim->implicit.system;
    for (int i = 0; i < mesh->node_count; i++) {
        double mass = system->mass[system->row_of[sim->cloth[c].first_node + i]];
        e->kinetic += 0.5 * mass * v3_length2(mesh->node_v[i]);
        e->gravity -= mass * v3_dot(sim->environment.gravity, mesh->node_x[i]);
    }
}

static void add_stretch_energy(const vo_sim *sim, int c, vo_energy *e) {
    const vo_mesh *mesh = sim->cloth[c].mesh;
    for (int f = 0; f < mesh->face_count; f++) {
        vo_vec3 x[3];
        vo_stretch_face face = vo_mesh_stretch_face(mesh, f, x);
        vo_strain_offset offset =
            vo_pop_filter_offset(&sim->implicit, sim->system_cloth[c].first_face + f);
        face.offset = (vo_sym2){offset.strain[0], offset.strain[1], offset.strain[2]};
        const vo_material *m = &sim->cloth[c].material[mesh->face_label[f]];
        face.slack = vo_implicit_get_slack(&sim->implicit, sim->system_cloth[c].first_face + f);
        vo_sym2 seen = vo_buckle_strain(vo_green_strain(&face, x), face.slack);
        vo_stiffness k = vo_fabric_stiffness(m->fabric, seen);
        e->stretch += m->stretching_mult * vo_stretch_energy(&face, &k, x);
    }
}

static void add_bend_energy(const vo_sim *sim, int c, vo_energy *e) {
    const vo_mesh *mesh = sim->cloth[c].mesh;
    for (int f = 0; f < mesh->face_count; f++) {
        const vo_material *m = &sim->cloth[c].material[mesh->face_label[f]];
        double bent[3];
        vo_bend_face face = vo_mesh_bend_face(mesh, f);
        vo_strain_offset offset =
            vo_pop_filter_offset(&sim->implicit, sim->system_cloth[c].first_face + f);
        for (int k = 0; k < 3; k++) {
            bent[k] = vo_mesh_bend_angle(mesh, mesh->face_edge[f][k]);
            face.offset[k] = offset.curvature[k];
        }
        vo_plate plate = vo_fabric_plate(m->fabric, vo_bend_curvature(&face, bent));
        e->bend += m->bending_mult * vo_bend_energy(&face, &plate, bent);
    }
}

vo_energy vo_sim_get_energy(const vo_sim *sim) {
    vo_energy e = {0};
    for (int c = 0; c < sim->cloth_count; c++) {
        add_node_energy(sim, c, &e);
        add_stretch_energy(sim, c, &e);
        add_bend_energy(sim, c, &e);
    }
    return e;
}

uint64_t vo_sim_hash(const vo_sim *sim) {
    int when[2] = {sim->frame, sim->substep};
    uint64_t hash = vo_hash(when, sizeof when);
    for (int c = 0; c < sim->cloth_count; c++) {
        const vo_mesh *mesh = sim->cloth[c].mesh;
        size_t bytes = (size_t)mesh->node_count * sizeof(vo_vec3);
        hash = vo_hash_more(hash, mesh->node_x, bytes);
        hash = vo_hash_more(hash, mesh->node_v, bytes);
        hash = vo_hash_more(hash, mesh->face_vert, (size_t)mesh->face_count * sizeof(int[3]));
    }
    return hash;
}
