/* Pop filter: keeps remeshing from changing the forces abruptly.
 *
 * A new face differs in strain and curvature from the old faces at the same place: a chord is
 * shorter than its arc, and a fold over two faces differs from one over four. Without correction
 * the cloth would move to the equilibrium of the new mesh within a substep. Instead every new face
 * keeps the effective strain and curvature of the old mesh; the subtract_offsets from its geometric
 * strain is an offset that the forces subtract (integrate/assemble.h) and that decays.
 *
 *      effective = geometric - offset,   offset = geometric - previous effective,   offset -> 0
 *
 * The slack of the buckling compensation (material/buckle.h) is carried over in the same way and
 * then approaches the target of the new face; otherwise equal strain would yield another stress.
 *
 * The halves of a split face keep its values, so a split changes no force. A flipped face takes the
 * mean of the two old faces, whose energy is at most theirs.
 *
 * Narain, Samii, O'Brien 2012, section 4.5, instead move the nodes by Newton steps until their
 * accelerations equal those before the edit. That costs at least a substep and moves visible
 * points; offsets cost two evaluations of each face and move nothing. Compensating forces at nodes
 * were rejected: they do not rotate with the cloth and push it when it turns. */
#include "material/bend.h"
#include "material/stretch.h"
#include "sim/sim.h"

#include <math.h>

/* s, time constant of the decay of offsets and of slack towards its target. */
static const double FADE_TIME = 0.05;
/* Smaller offsets are flushed to zero: strain, and curvature in 1/m. */
static const double MIN_STRAIN = 1e-7, MIN_CURVATURE = 1e-5;

/* ---- one face ------------------------------------------------------------------------------- */

vo_strain_offset vo_pop_filter_offset(const vo_implicit *solver, int global_face) {
    vo_strain_offset offset = {0};
    if (!(solver->fade > 0)) return offset;
    const vo_strain_offset *whole = &solver->offset[solver->system.face_number[global_face]];
    for (int i = 0; i < 3; i++) {
        offset.strain[i] = solver->fade * whole->strain[i];
        offset.curvature[i] = solver->fade * whole->curvature[i];
    }
    return offset;
}

/* Geometric strain and curvature of a face. */
static vo_strain_offset measure_shape(const vo_mesh *mesh, const double *angle, int face) {
    vo_vec3 x[3];
    vo_strain_offset shape;
    vo_stretch_face stretch = vo_mesh_stretch_face(mesh, face, x);
    vo_sym2 strain = vo_green_strain(&stretch, x);
    shape.strain[0] = strain.xx, shape.strain[1] = strain.xy, shape.strain[2] = strain.yy;
    double bent[3];
    for (int k = 0; k < 3; k++) bent[k] = angle[mesh->face_edge[face][k]];
    vo_bend_face bend = vo_mesh_bend_face(mesh, face);
    vo_bend_tensor(&bend, bent, shape.curvature);
    return shape;
}

static vo_strain_offset subtract_offsets(const vo_strain_offset *a, const vo_strain_offset *b) {
    vo_strain_offset d;
    for (int i = 0; i < 3; i++) {
        d.strain[i] = a->strain[i] - b->strain[i];
        d.curvature[i] = a->curvature[i] - b->curvature[i];
    }
    return d;
}

/* Flushes offsets below MIN_STRAIN and MIN_CURVATURE to zero. */
static vo_strain_offset flush_small_offsets(vo_strain_offset o) {
    bool strained = false, bent = false;
    for (int i = 0; i < 3; i++) {
        strained = strained || !(fabs(o.strain[i]) < MIN_STRAIN);
        bent = bent || !(fabs(o.curvature[i]) < MIN_CURVATURE);
    }
    vo_strain_offset clean = {0};
    for (int i = 0; i < 3; i++) {
        if (strained) clean.strain[i] = o.strain[i];
        if (bent) clean.curvature[i] = o.curvature[i];
    }
    return clean;
}

/* ---- all faces ------------------------------------------------------------------------------ */

static void measure_angles(const vo_mesh *mesh, double *angle) {
    for (int e = 0; e < mesh->edge_count; e++) angle[e] = vo_mesh_bend_angle(mesh, e);
}

void vo_pop_filter_measure(const vo_implicit *solver, const vo_mesh *mesh, int first_face,
                           double *angle, vo_effective_strain *out) {
    measure_angles(mesh, angle);
    for (int f = 0; f < mesh->face_count; f++) {
        vo_strain_offset geometric = measure_shape(mesh, angle, f);
        vo_strain_offset offset = vo_pop_filter_offset(solver, first_face + f);
        out[f] = (vo_effective_strain){subtract_offsets(&geometric, &offset),
                                       vo_implicit_get_slack(solver, first_face + f)};
    }
}

void vo_pop_filter_begin(vo_implicit *solver, const vo_mesh *mesh, int first_face, double *angle,
                         const vo_effective_strain *previous) {
    measure_angles(mesh, angle);
    for (int f = 0; f < mesh->face_count; f++) {
        vo_strain_offset geometric = measure_shape(mesh, angle, f);
        vo_strain_offset *offset = &solver->offset[solver->system.face_number[first_face + f]];
        *offset = flush_small_offsets(subtract_offsets(&geometric, &previous[f].shape));
        vo_implicit_set_slack(solver, first_face + f, previous[f].slack);
    }
    solver->fade = 1;
}

void vo_pop_filter_fade(vo_implicit *solver, double dt) {
    double left = exp(-dt / FADE_TIME);
    solver->fade *= left;
    if (solver->fade < 1e-3) solver->fade = 0;
    vo_implicit_fade_slack(solver, left);
}
