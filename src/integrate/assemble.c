#include "integrate/assemble.h"

#include "core/parallel.h"

enum { PACKET_GRAIN = 256 }; /* packets per chunk of the angle and moment passes */

typedef struct assemble_job {
    const vo_assembly *assembly;
    const vo_assemble_kernels *kernels;
} assemble_job;

static void angles(void *arg, int begin, int end, int chunk) {
    (void)chunk;
    const assemble_job *job = arg;
    job->kernels->angles(job->assembly, begin, end);
}

static void moments(void *arg, int begin, int end, int chunk) {
    (void)chunk;
    const assemble_job *job = arg;
    job->kernels->moments(job->assembly, begin, end);
}

static void chunks(void *arg, int begin, int end, int chunk) {
    (void)chunk;
    const assemble_job *job = arg;
    for (int i = begin; i < end; i++) job->kernels->chunk(job->assembly, i);
}

void vo_assemble(vo_context *ctx, const vo_assembly *assembly) {
    const vo_system *s = assembly->system;
    assemble_job job = {assembly, &vo_assemble_kernels_base};
#ifdef VO_HAVE_AVX2_KERNELS
    if (ctx->use_avx2) job.kernels = &vo_assemble_kernels_avx2;
#endif
    assembly->angle[s->hinge_count] = assembly->rate[s->hinge_count] = 0;
    vo_parallel_for(ctx, s->angle_packet_count, PACKET_GRAIN, angles, &job);
    vo_parallel_for(ctx, s->bend_packet_count, PACKET_GRAIN, moments, &job);
    vo_parallel_for(ctx, s->chunk_count, 1, chunks, &job);
}

/* Array sizes include the unused lanes of the last packet, because the passes write whole packets.
 */
static size_t hinge_capacity(const vo_system *s) {
    return (size_t)s->angle_packet_count * VO_LANES + VO_LANES;
}

static size_t side_room(const vo_system *s) { return (size_t)s->bend_packet_count * VO_LANES * 3; }

size_t vo_assembly_scratch(const vo_system *s) { return 2 * hinge_capacity(s) + 2 * side_room(s); }

void vo_assembly_set_scratch(vo_assembly *a, double *scratch) {
    a->angle = scratch;
    a->rate = a->angle + hinge_capacity(a->system);
    a->moment = a->rate + hinge_capacity(a->system);
    a->weight = a->moment + side_room(a->system);
}
