/* What keeps remeshing from being felt as a jerk.
 *
 * A new face is not stretched and bent as the old ones were where it lies: a chord is shorter than
 * its arc, a fold over two faces is another over four. Left alone, the cloth would jump to the
 * shape that the new mesh is at rest in, within a substep. Instead every face goes on with the
 * strain and curvature that the old mesh had there; the difference from its own is an offset that
 * forces do not feel (integrate/assemble.h), and that fades.
 *
 *      felt = own - offset,   offset = own - what was felt there before,   offset -> 0
 *
 * So it goes on with the slack that was there (buckling compensation, material/buckle.h), which
 * then becomes what the new face is to have: the same strain would else be another stress.
 *
 * Halves of a face go on with what it had, so a split changes no force. A face turned by a flip
 * goes on with the mean of the two, which has at most their energy.
 *
 * Customary is to move the nodes at once, by Newton steps, to where their accelerations are those
 * of before (Narain, Samii, O'Brien 2012, section 4.5). It costs as much as a substep or several,
 * and moves visible points; offsets cost two looks at each face and move nothing. Forces at nodes
 * that make up for the difference were rejected: they do not turn with the cloth, and push it
 * around when it does. */
#include "material/bend.h"
#include "material/stretch.h"
#include "sim/sim.h"

#include <math.h>

/* s, in which offsets, and slack that is off its goal, fade to a third of what they were. */
static const double FADE_TIME = 0.05;
/* Less is no offset: strain, and curvature in 1/m. */
static const double LEAST_STRAIN = 1e-7, LEAST_CURVATURE = 1e-5;

/* ---- one face ------------------------------------------------------------------------------- */

static int global_face(const vo_sim *sim, int cloth, int face) {
    return sim->system_cloth[cloth].first_face + face;
}

static int number_of(const vo_sim *sim, int cloth, int face) {
    return sim->implicit.system.face_number[global_face(sim, cloth, face)];
}

vo_offset vo_sim_offset(const vo_sim *sim, int cloth, int face) {
    vo_offset offset = {0};
    if (!(sim->implicit.fade > 0)) return offset;
    const vo_offset *whole = &sim->implicit.offset[number_of(sim, cloth, face)];
    for (int i = 0; i < 3; i++) {
        offset.strain[i] = sim->implicit.fade * whole->strain[i];
        offset.curvature[i] = sim->implicit.fade * whole->curvature[i];
    }
    return offset;
}

/* The face's own strain and curvature. */
static vo_offset shape_of(const vo_mesh *mesh, const double *angle, int face) {
    vo_vec3 x[3];
    vo_offset shape;
    vo_stretch_face stretch = vo_mesh_stretch_face(mesh, face, x);
    vo_sym2 strain = vo_green_strain(&stretch, x);
    shape.strain[0] = strain.xx, shape.strain[1] = strain.xy, shape.strain[2] = strain.yy;
    double bent[3];
    for (int k = 0; k < 3; k++) bent[k] = angle[mesh->face_edge[face][k]];
    vo_bend_face bend = vo_mesh_bend_face(mesh, face);
    vo_bend_tensor(&bend, bent, shape.curvature);
    return shape;
}

static vo_offset difference(const vo_offset *a, const vo_offset *b) {
    vo_offset d;
    for (int i = 0; i < 3; i++) {
        d.strain[i] = a->strain[i] - b->strain[i];
        d.curvature[i] = a->curvature[i] - b->curvature[i];
    }
    return d;
}

/* What is only rounding, or too little to be felt, is nothing. */
static vo_offset without_dust(vo_offset o) {
    bool strained = false, bent = false;
    for (int i = 0; i < 3; i++) {
        strained = strained || !(fabs(o.strain[i]) < LEAST_STRAIN);
        bent = bent || !(fabs(o.curvature[i]) < LEAST_CURVATURE);
    }
    vo_offset clean = {0};
    for (int i = 0; i < 3; i++) {
        if (strained) clean.strain[i] = o.strain[i];
        if (bent) clean.curvature[i] = o.curvature[i];
    }
    return clean;
}

/* ---- all faces ------------------------------------------------------------------------------ */

static void measure_angles(const vo_mesh *mesh, double *angle) {
    for (int e = 0; e < mesh->edge_count; e++) angle[e] = vo_mesh_bent_angle(mesh, e);
}

void vo_sim_settle_measure(const vo_sim *sim, int cloth, double *angle, vo_felt *out) {
    const vo_mesh *mesh = sim->cloth[cloth].mesh;
    measure_angles(mesh, angle);
    for (int f = 0; f < mesh->face_count; f++) {
        vo_offset own = shape_of(mesh, angle, f), offset = vo_sim_offset(sim, cloth, f);
        out[f] = (vo_felt){difference(&own, &offset),
                           vo_implicit_get_slack(&sim->implicit, global_face(sim, cloth, f))};
    }
}

void vo_sim_settle_begin(vo_sim *sim, int cloth, double *angle, const vo_felt *was) {
    const vo_mesh *mesh = sim->cloth[cloth].mesh;
    measure_angles(mesh, angle);
    for (int f = 0; f < mesh->face_count; f++) {
        vo_offset own = shape_of(mesh, angle, f);
        vo_offset *offset = &sim->implicit.offset[number_of(sim, cloth, f)];
        *offset = without_dust(difference(&own, &was[f].shape));
        vo_implicit_set_slack(&sim->implicit, global_face(sim, cloth, f), was[f].slack);
    }
    sim->implicit.fade = 1;
}

void vo_sim_settle_fade(vo_sim *sim, double dt) {
    vo_implicit *s = &sim->implicit;
    double left = exp(-dt / FADE_TIME);
    s->fade *= left;
    if (s->fade < 1e-3) s->fade = 0;
    vo_implicit_fade_slack(s, left);
}
