/* Assembly of one chunk, four elements at a time; see system.h. */
#include "integrate/assemble_lanes.h"
#include "material/bend_lanes.h"
#include "material/buckle_lanes.h"

/* Initialises the rows of a chunk: masses on the diagonal, gravity on the right-hand side. */
static void init_rows(const vo_assembly *a, const vo_chunk *chunk) {
    const vo_block_pattern *pattern = &a->system->pattern;
    int first = pattern->row_start[chunk->row_begin], last = pattern->row_start[chunk->row_end];
    memset(a->block + (size_t)first * VO_BLOCK_FLOATS, 0,
           (size_t)(last - first) * VO_BLOCK_FLOATS * sizeof(float));
    for (int row = chunk->row_begin; row < chunk->row_end; row++) {
        double mass = a->system->mass[row], impulse = a->dt * mass;
        float *block = a->block + (size_t)pattern->diagonal[row] * VO_BLOCK_FLOATS;
        block[0] = block[5] = block[10] = (float)mass;
        a->b[row] =
            (vo_vec4){impulse * a->gravity.x, impulse * a->gravity.y, impulse * a->gravity.z, 0};
    }
}

VO_INLINE void add_force(const vo_assembly *a, const vo_chunk *chunk, const int row[VO_LANES],
                         vo_p4 force) {
    add_impulse(a->b, a->dt, chunk, row, force);
}

/* Adds the wind on four faces: a third of the force and of its lumped derivative to each corner. */
VO_INLINE void add_wind(const vo_assembly *a, const vo_chunk *chunk, const vo_face_packet *f,
                        const vo_p4 x[3], const vo_p4 v[3]) {
    vo_wind4 w = vo_wind4_eval(&a->wind, d4_load(f->area), x, v);
    vo_d4 third = d4_set(1.0 / 3), scale = d4_set(a->dt / 3),
          n[3] = {w.normal.x, w.normal.y, w.normal.z};
    vo_d4 h[9];
    for (int c = 0; c < 3; c++)
        for (int r = 0; r < 3; r++)
            h[3 * c + r] = w.across * n[r] * n[c] + (r == c ? w.along : d4_set(0));
    for (int i = 0; i < 3; i++) {
        add_force(a, chunk, f->row[i], p4_scale(third, w.force));
        add_blocks(a->block, f->target[i], h, scale);
    }
}

/* Adds stretching and wind. `has_slack` is constant at each call site, so that faces without slack
 * skip the buckling code. */
VO_INLINE void add_faces(const vo_assembly *a, const vo_chunk *chunk, const vo_face_packet *f,
                         bool wind, bool has_slack) {
    vo_p4 x[3], v[3];
    for (int i = 0; i < 3; i++) {
        x[i] = gather(a->x, f->row[i]);
        v[i] = gather(a->v, f->row[i]);
    }
    vo_stretch4 in;
    load_faces(f, a->offset, a->fade, &in);
    const vo_fabric *fabric[VO_LANES];
    vo_d4 mult, damping;
    for (int i = 0; i < VO_LANES; i++) {
        fabric[i] = f->material[i]->fabric;
        mult[i] = f->material[i]->stretching_mult;
        damping[i] = f->material[i]->damping;
    }
    in.tau = d4_set(a->dt) + damping;
    vo_d4 strain[3], slack = has_slack ? load_slack(a->slack, f->number) : d4_set(0);
    vo_stretch4_strain(&in, x, strain);
    if (has_slack) vo_buckle4_strain(slack, strain);
    vo_stretch4_lookup(fabric, mult, strain, in.c);
    vo_stretch4_out out;
    if (has_slack)
        vo_buckle4_eval(&in, slack, x, v, &out);
    else
        vo_stretch4_eval(&in, x, v, &out);
    vo_d4 scale = d4_set(a->dt) * in.tau;
    for (int i = 0; i < 3; i++) add_force(a, chunk, f->row[i], out.force[i]);
    for (int i = 0; i < VO_FACE_BLOCKS; i++)
        add_blocks(a->block, f->target[i], out.hessian[i], scale);
    if (wind) add_wind(a, chunk, f, x, v);
}

VO_INLINE bool is_loose(const vo_assembly *a, const vo_face_packet *f) {
    if (!a->slack) return false;
    vo_d4 slack = load_slack(a->slack, f->number);
    return slack[0] > 0 || slack[1] > 0 || slack[2] > 0 || slack[3] > 0;
}

/* Not inlined, to keep the loop over faces without slack small. */
static __attribute__((noinline)) void add_faces_with_slack(const vo_assembly *a,
                                                           const vo_chunk *chunk,
                                                           const vo_face_packet *f, bool wind) {
    add_faces(a, chunk, f, wind, true);
}

static const unsigned char hinge_pair[VO_HINGE_BLOCKS][2] = VO_HINGE_PAIRS;

/* Adds H = weight g g^T without forming it: each block is the outer product of two rows of g. */
VO_INLINE void add_hinge_blocks(const vo_assembly *a, const vo_hinge_packet *h, int lane,
                                vo_f4 g[4][VO_LANES]) {
    for (int i = 0; i < VO_HINGE_BLOCKS; i++) {
        if (h->target[i][lane] < 0) continue;
        float *block = a->block + (size_t)h->target[i][lane] * VO_BLOCK_FLOATS;
        vo_f4 low = g[h->sorted[lane][hinge_pair[i][0]]][lane];
        vo_f4 high = g[h->sorted[lane][hinge_pair[i][1]]][lane];
        for (int c = 0; c < 3; c++)
            add_f4(block + 4 * c, low * (vo_f4){high[c], high[c], high[c], high[c]});
    }
}

/* Sums a per-side value over the two faces of a hinge. */
VO_INLINE vo_d4 sum_sides(const double *value, const int side[2][VO_LANES]) {
    vo_d4 sum;
    for (int i = 0; i < VO_LANES; i++) sum[i] = value[side[0][i]] + value[side[1][i]];
    return sum;
}

VO_INLINE void add_hinges(const vo_assembly *a, const vo_chunk *chunk, const vo_hinge_packet *h) {
    vo_p4 x[4], gradient[4];
    for (int i = 0; i < 4; i++) x[i] = gather(a->x, h->row[i]);
    vo_bend4_angle(x, gradient);
    vo_d4 moment = sum_sides(a->moment, h->side), scale = d4_sqrt(sum_sides(a->weight, h->side));
    vo_f4 g[4][VO_LANES];
    for (int i = 0; i < 4; i++) {
        add_force(a, chunk, h->row[i], p4_scale(-moment, gradient[i]));
        vo_d4 lane[VO_LANES];
        transpose_to_rows(p4_scale(scale, gradient[i]), lane);
        for (int k = 0; k < VO_LANES; k++) g[i][k] = d4_to_f4(lane[k]);
    }
    for (int k = 0; k < VO_LANES; k++) add_hinge_blocks(a, h, k, g);
}

static void assemble_chunk(const vo_assembly *a, int index) {
    const vo_chunk *chunk = &a->system->chunk[index];
    bool wind = vo_wind_is_active(&a->wind);
    init_rows(a, chunk);
    for (int i = chunk->face_begin; i < chunk->face_end; i++) {
        const vo_face_packet *f = &a->system->face[i];
        if (is_loose(a, f))
            add_faces_with_slack(a, chunk, f, wind);
        else
            add_faces(a, chunk, f, wind, false);
    }
    for (int i = chunk->hinge_begin; i < chunk->hinge_end; i++)
        add_hinges(a, chunk, &a->system->hinge[i]);
}

/* ---- bending: angles and moments ------------------------------------------------------------ */

static void compute_angles(const vo_assembly *a, int begin, int end) {
    for (int i = begin; i < end; i++) {
        const vo_angle_packet *p = &a->system->angle[i];
        vo_p4 x[4], v[4], gradient[4];
        for (int k = 0; k < 4; k++) {
            x[k] = gather(a->x, p->row[k]);
            v[k] = gather(a->v, p->row[k]);
        }
        vo_d4 angle = vo_bend4_angle(x, gradient);
        d4_store(a->angle + VO_LANES * i, angle - d4_load(p->rest_angle));
        d4_store(a->rate + VO_LANES * i, vo_bend4_rate(gradient, v));
    }
}

/* Rigidities of four faces at their current curvature. */
VO_INLINE void lookup_plates(const vo_bend_packet *p, const vo_d4 k[3], vo_d4 d[3]) {
    vo_d4 size = d4_sqrt(k[0] * k[0] + k[1] * k[1] + d4_set(2) * (k[2] * k[2]));
    for (int i = 0; i < VO_LANES; i++) {
        vo_plate plate = vo_fabric_plate(p->material[i]->fabric, size[i]);
        for (int c = 0; c < 3; c++) d[c][i] = p->material[i]->bending_mult * plate.d[c];
    }
}

static void find_moments_of(const vo_assembly *a, int index) {
    const vo_bend_packet *p = &a->system->bend[index];
    vo_d4 basis[3][3], bent[3], moving[3], tau, area = d4_load(p->area);
    for (int i = 0; i < VO_LANES; i++) tau[i] = a->dt + p->material[i]->damping;
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < VO_LANES; i++) {
            bent[k][i] = a->angle[p->hinge[k][i]];
            moving[k][i] = a->rate[p->hinge[k][i]];
        }
        moving[k] = bent[k] + tau * moving[k];
        for (int c = 0; c < 3; c++) basis[k][c] = d4_load(p->basis[k][c]);
    }
    vo_d4 now[3], then[3], d[3], moment[3], weight[3];
    vo_bend4_curvature((const vo_d4(*)[3])basis, bent, now);
    vo_bend4_curvature((const vo_d4(*)[3])basis, moving, then);
    if (a->offset) {
        int number[VO_LANES];
        for (int i = 0; i < VO_LANES; i++)
            number[i] = vo_min_int(VO_LANES * index + i, a->system->face_count - 1);
        for (int c = 0; c < 3; c++) {
            vo_d4 offset = load_offset(a->fade, &a->offset->curvature[c], number);
            now[c] -= offset;
            then[c] -= offset;
        }
    }
    lookup_plates(p, now, d);
    vo_bend4_moments(area, (const vo_d4(*)[3])basis, d, then, moment);
    vo_bend4_weights(area, (const vo_d4(*)[3])basis, d, weight);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < VO_LANES; i++) {
            int side = 3 * (VO_LANES * index + i) + k;
            a->moment[side] = moment[k][i];
            a->weight[side] = a->dt * tau[i] * weight[k][i];
        }
}

static void find_moments(const vo_assembly *a, int begin, int end) {
    for (int i = begin; i < end; i++) find_moments_of(a, i);
}

const vo_assemble_kernels VO_KERNEL(vo_assemble_kernels) = {compute_angles, find_moments,
                                                            assemble_chunk};
