/* Strain limits of one chunk, four faces at a time. See strain_limit.h for the idea. */
#include "integrate/assemble_lanes.h"
#include "integrate/strain_limit.h"
#include "material/stretch_limit_lanes.h"

#include <math.h>

/* K_all is this much weaker than K_beyond. */
static const double SOFTNESS = 0.01;
/* Blocks are floats: beyond this many times a node's mass, the mass would drown in their rounding.
 */
static const double LARGEST_RATIO = 2e5;

VO_INLINE bool any_limited(const vo_face_packet *f) {
    bool limited = false;
    for (int i = 0; i < VO_LANES; i++) limited = limited || vo_material_is_limited(f->material[i]);
    return limited;
}

/* Shapes and limits of four faces, and how far beyond these they are; returns where they are now.
 */
VO_INLINE vo_map4 load(const vo_limit_pass *p, const vo_face_packet *f, vo_stretch4 *in,
                       vo_limit4 *limit, vo_beyond4 beyond[2]) {
    double low[VO_LANES], high[VO_LANES], stiffness[VO_LANES];
    for (int i = 0; i < VO_LANES; i++) {
        const vo_material *m = f->material[i];
        double reach2 = fmin(p->reach2, LARGEST_RATIO * f->area[i]);
        low[i] = vo_stretch_min2_with(vo_material_min2(m), p->slack ? p->slack[f->number[i]] : 0);
        high[i] = vo_material_max2(m);
        stiffness[i] = vo_material_is_limited(m)
                           ? m->fabric->density * m->density_mult * reach2 / (p->dt * p->dt)
                           : 0;
    }
    *limit = (vo_limit4){d4_load(low), d4_load(high), d4_load(stiffness)};
    load_faces(f, p->offset, p->fade, in);
    vo_p4 x[3], before[3];
    for (int i = 0; i < 3; i++) {
        x[i] = gather(p->x, f->row[i]);
        before[i] = p4_sub(x[i], p4_scale(d4_set(p->dt), gather(p->v, f->row[i])));
    }
    vo_limit4_widen(in, vo_stretch4_map(in, before), d4_set(p->keep), limit);
    vo_map4 map = vo_stretch4_map(in, x);
    vo_limit4_find(in, limit, map, beyond);
    return map;
}

static void measure_chunk(const vo_limit_pass *p, int index) {
    const vo_chunk *chunk = &p->system->chunk[index];
    vo_d4 largest = d4_set(0);
    for (int i = chunk->face_begin; i < chunk->face_end; i++) {
        const vo_face_packet *f = &p->system->face[i];
        if (!any_limited(f)) continue;
        vo_stretch4 in;
        vo_limit4 limit;
        vo_beyond4 beyond[2];
        load(p, f, &in, &limit, beyond);
        largest = d4_max(largest, d4_select(in.area > 0, vo_limit4_excess(beyond), d4_set(0)));
    }
    p->excess[index] = fmax(fmax(largest[0], largest[1]), fmax(largest[2], largest[3]));
}

/* K_all: stress in proportion to strain, the same in all directions. */
VO_INLINE void begin_blocks(const vo_limit_pass *p, vo_stretch4 *in, const vo_limit4 *limit,
                            vo_map4 map, vo_stretch4_out *out) {
    const vo_d4 zero = d4_set(0);
    vo_d4 k = p->all ? SOFTNESS * limit->stiffness : zero;
    in->c[0] = in->c[2] = k;
    in->c[1] = zero;
    in->c[3] = 0.5 * k;
    vo_stretch4_hessian(in, map, (vo_sym24){zero, zero, zero}, out->hessian);
    for (int i = 0; i < 3; i++) out->force[i] = (vo_p4){zero, zero, zero};
}

VO_INLINE bool any_beyond(const vo_beyond4 beyond[2]) {
    vo_d4 excess = vo_limit4_excess(beyond);
    return excess[0] > 0 || excess[1] > 0 || excess[2] > 0 || excess[3] > 0;
}

static void correct_chunk(const vo_limit_pass *p, int index) {
    const vo_chunk *chunk = &p->system->chunk[index];
    for (int row = chunk->row_begin; row < chunk->row_end; row++) p->b[row] = (vo_vec4){0};
    for (int i = chunk->face_begin; i < chunk->face_end; i++) {
        const vo_face_packet *f = &p->system->face[i];
        if (!any_limited(f)) continue;
        vo_stretch4 in;
        vo_limit4 limit;
        vo_beyond4 beyond[2];
        vo_map4 map = load(p, f, &in, &limit, beyond);
        if (!p->all && !any_beyond(beyond)) continue;
        vo_stretch4_out out;
        begin_blocks(p, &in, &limit, map, &out);
        for (int k = 0; k < 2; k++) vo_limit4_add(&in, &limit, &beyond[k], &out);
        vo_stretch4_complete(out.hessian);
        for (int k = 0; k < 3; k++) add_impulse(p->b, p->dt, chunk, f->row[k], out.force[k]);
        for (int k = 0; k < VO_FACE_BLOCKS; k++)
            add_blocks(p->block, f->target[k], out.hessian[k], d4_set(p->dt * p->dt));
    }
}

const vo_limit_kernels VO_KERNEL(vo_limit_kernels) = {measure_chunk, correct_chunk};
