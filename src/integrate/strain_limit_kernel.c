/* Strain limiting of one chunk, four faces at a time; see strain_limit.h. */
#include "integrate/assemble_lanes.h"
#include "integrate/strain_limit.h"
#include "material/stretch_limit_lanes.h"

#include <math.h>

/* Ratio of K_all to K_beyond. */
static const double SOFTNESS = 0.01;
/* Blocks are floats: beyond this multiple of a node's mass, the mass would be lost to rounding. */
static const double MAX_MASS_RATIO = 2e5;

VO_INLINE bool any_limited(const vo_face_packet *f) {
    bool limited = false;
    for (int i = 0; i < VO_LANES; i++) limited = limited || vo_material_is_limited(f->material[i]);
    return limited;
}

/* Loads shapes, limits and violations of four faces; returns their current deformation gradients.
 */
VO_INLINE vo_map4 load_limits(const vo_strain_limit_pass *p, const vo_face_packet *f,
                              vo_stretch4 *in, vo_limit4 *limit, vo_violation4 violation[2]) {
    double low[VO_LANES], high[VO_LANES], stiffness[VO_LANES];
    for (int i = 0; i < VO_LANES; i++) {
        const vo_material *m = f->material[i];
        double wave_distance2 = fmin(p->wave_distance2, MAX_MASS_RATIO * f->area[i]);
        low[i] =
            vo_stretch_min2_with_slack(vo_material_min2(m), p->slack ? p->slack[f->number[i]] : 0);
        high[i] = vo_material_max2(m);
        stiffness[i] = vo_material_is_limited(m)
                           ? m->fabric->density * m->density_mult * wave_distance2 / (p->dt * p->dt)
                           : 0;
    }
    *limit = (vo_limit4){d4_load(low), d4_load(high), d4_load(stiffness)};
    load_faces(f, p->offset, p->fade, in);
    vo_p4 x[3], before[3];
    for (int i = 0; i < 3; i++) {
        x[i] = gather(p->x, f->row[i]);
        before[i] = p4_sub(x[i], p4_scale(d4_set(p->dt), gather(p->v, f->row[i])));
    }
    vo_limit4_widen(in, vo_stretch4_map(in, before), d4_set(p->grace), limit);
    vo_map4 map = vo_stretch4_map(in, x);
    vo_limit4_find(in, limit, map, violation);
    return map;
}

static void measure_chunk(const vo_strain_limit_pass *p, int index) {
    const vo_chunk *chunk = &p->system->chunk[index];
    vo_d4 largest = d4_set(0);
    for (int i = chunk->face_begin; i < chunk->face_end; i++) {
        const vo_face_packet *f = &p->system->face[i];
        if (!any_limited(f)) continue;
        vo_stretch4 in;
        vo_limit4 limit;
        vo_violation4 violation[2];
        load_limits(p, f, &in, &limit, violation);
        largest = d4_max(largest, d4_select(in.area > 0, vo_limit4_excess(violation), d4_set(0)));
    }
    p->excess[index] = fmax(fmax(largest[0], largest[1]), fmax(largest[2], largest[3]));
}

/* Evaluates K_all: isotropic stress proportional to strain. */
VO_INLINE void eval_resistance(const vo_strain_limit_pass *p, vo_stretch4 *in,
                               const vo_limit4 *limit, vo_map4 map, vo_stretch4_out *out) {
    const vo_d4 zero = d4_set(0);
    vo_d4 k = p->add_resistance ? SOFTNESS * limit->stiffness : zero;
    in->c[0] = in->c[2] = k;
    in->c[1] = zero;
    in->c[3] = 0.5 * k;
    vo_stretch4_hessian(in, map, (vo_sym24){zero, zero, zero}, out->hessian);
    for (int i = 0; i < 3; i++) out->force[i] = (vo_p4){zero, zero, zero};
}

VO_INLINE bool any_violation(const vo_violation4 violation[2]) {
    vo_d4 excess = vo_limit4_excess(violation);
    return excess[0] > 0 || excess[1] > 0 || excess[2] > 0 || excess[3] > 0;
}

static void correct_chunk(const vo_strain_limit_pass *p, int index) {
    const vo_chunk *chunk = &p->system->chunk[index];
    for (int row = chunk->row_begin; row < chunk->row_end; row++) p->b[row] = (vo_vec4){0};
    for (int i = chunk->face_begin; i < chunk->face_end; i++) {
        const vo_face_packet *f = &p->system->face[i];
        if (!any_limited(f)) continue;
        vo_stretch4 in;
        vo_limit4 limit;
        vo_violation4 violation[2];
        vo_map4 map = load_limits(p, f, &in, &limit, violation);
        if (!p->add_resistance && !any_violation(violation)) continue;
        vo_stretch4_out out;
        eval_resistance(p, &in, &limit, map, &out);
        for (int k = 0; k < 2; k++) vo_limit4_add(&in, &limit, &violation[k], &out);
        vo_stretch4_complete(out.hessian);
        for (int k = 0; k < 3; k++) add_impulse(p->b, p->dt, chunk, f->row[k], out.force[k]);
        for (int k = 0; k < VO_FACE_BLOCKS; k++)
            add_blocks(p->block, f->target[k], out.hessian[k], d4_set(p->dt * p->dt));
    }
}

const vo_strain_limit_kernels VO_KERNEL(vo_strain_limit_kernels) = {measure_chunk, correct_chunk};
