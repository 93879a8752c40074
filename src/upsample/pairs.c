/* Memory of training pairs. */
#include "upsample/pairs.h"

#include "core/memory.h"

#include <math.h>
#include <string.h>

static bool allocate_mesh(vo_context *ctx, int vertices, int triangles, vo_upsample_mesh *m) {
    m->vertex_count = vertices;
    m->triangle_count = triangles;
    m->position = vo_alloc_zero(ctx, (size_t)vertices * sizeof *m->position);
    m->triangle = vo_alloc_zero(ctx, (size_t)triangles * 3 * sizeof *m->triangle);
    m->coordinate = vo_alloc_zero(ctx, (size_t)triangles * 3 * sizeof *m->coordinate);
    m->mass = vo_alloc_zero(ctx, (size_t)vertices * sizeof *m->mass);
    m->attachment = vo_alloc_zero(ctx, (size_t)vertices * sizeof *m->attachment);
    return (!vertices || (m->position && m->mass && m->attachment)) &&
           (!triangles || (m->triangle && m->coordinate));
}

static void free_mesh(vo_context *ctx, vo_upsample_mesh *m) {
    vo_free_array(ctx, m->position, m->vertex_count);
    vo_free_array(ctx, m->triangle, 3 * m->triangle_count);
    vo_free_array(ctx, m->coordinate, 3 * m->triangle_count);
    vo_free_array(ctx, m->mass, m->vertex_count);
    vo_free_array(ctx, m->attachment, m->vertex_count);
}

static size_t frame_bytes(const vo_upsample_mesh *m, int frames) {
    return vo_array_bytes(vo_array_bytes((size_t)frames, (size_t)m->vertex_count),
                          3 * sizeof(float));
}

/* Allocates the arrays over frames; false without memory. */
static bool allocate_frames(vo_upsample_pairs *p, int sequences, int frames) {
    p->sequence_count = sequences;
    p->frame_count = frames;
    p->first_frame = vo_alloc_zero(p->ctx, ((size_t)sequences + 1) * sizeof *p->first_frame);
    p->coarse_frames = vo_alloc_zero(p->ctx, frame_bytes(&p->coarse, frames));
    p->fine_frames = vo_alloc_zero(p->ctx, frame_bytes(&p->fine, frames));
    p->wind = vo_alloc_zero(p->ctx, (size_t)frames * 3 * sizeof *p->wind);
    p->stats = vo_alloc_zero(p->ctx, (size_t)frames * sizeof *p->stats);
    if (!p->first_frame) return false;
    p->first_frame[sequences] = frames;
    return !frames || ((p->coarse_frames || !p->coarse.vertex_count) &&
                       (p->fine_frames || !p->fine.vertex_count) && p->wind && p->stats);
}

static void free_frames(vo_upsample_pairs *p) {
    vo_free_array(p->ctx, p->first_frame, p->sequence_count + 1);
    vo_free(p->ctx, p->coarse_frames, frame_bytes(&p->coarse, p->frame_count));
    vo_free(p->ctx, p->fine_frames, frame_bytes(&p->fine, p->frame_count));
    vo_free_array(p->ctx, p->wind, 3 * p->frame_count);
    vo_free_array(p->ctx, p->stats, p->frame_count);
}

static bool allocate(vo_upsample_pairs *p, const vo_upsample_pairs_size *size) {
    bool ok = allocate_mesh(p->ctx, size->coarse_vertices, size->coarse_triangles, &p->coarse);
    ok = allocate_mesh(p->ctx, size->fine_vertices, size->fine_triangles, &p->fine) && ok;
    ok = allocate_frames(p, size->sequences, size->frames) && ok;
    p->asset_bytes = size->asset_bytes;
    p->asset = vo_alloc_zero(p->ctx, size->asset_bytes);
    return ok && (p->asset || !size->asset_bytes);
}

vo_result vo_upsample_pairs_create(vo_context *ctx, const vo_upsample_pairs_size *size,
                                   vo_upsample_pairs **out) {
    vo_upsample_pairs *p = *out = vo_new(ctx, vo_upsample_pairs);
    if (!p) return vo_fail_memory(ctx, "training pairs");
    p->ctx = ctx;
    if (allocate(p, size)) return VO_OK;
    vo_upsample_pairs_destroy(p);
    *out = NULL;
    return vo_fail_memory(ctx, "training pairs");
}

void vo_upsample_pairs_destroy(vo_upsample_pairs *p) {
    if (!p) return;
    free_mesh(p->ctx, &p->coarse);
    free_mesh(p->ctx, &p->fine);
    free_frames(p);
    vo_free(p->ctx, p->asset, p->asset_bytes);
    vo_delete(p->ctx, p);
}

float vo_upsample_mesh_size(const vo_upsample_mesh *mesh) {
    double low[3] = {0}, high[3] = {0}, sum = 0;
    for (int i = 0; i < mesh->vertex_count; i++) {
        const float x[3] = {mesh->position[i].x, mesh->position[i].y, mesh->position[i].z};
        for (int k = 0; k < 3; k++) {
            low[k] = i == 0 || (double)x[k] < low[k] ? (double)x[k] : low[k];
            high[k] = i == 0 || (double)x[k] > high[k] ? (double)x[k] : high[k];
        }
    }
    for (int k = 0; k < 3; k++) sum += (high[k] - low[k]) * (high[k] - low[k]);
    return (float)sqrt(sum);
}

/* ---- several sequences ---------------------------------------------------------------------- */

static bool is_same_mesh(const vo_upsample_mesh *a, const vo_upsample_mesh *b) {
    return a->vertex_count == b->vertex_count && a->triangle_count == b->triangle_count &&
           memcmp(a->triangle, b->triangle, (size_t)a->triangle_count * 3 * sizeof *a->triangle) ==
               0;
}

/* Copies the frames of `from` to those of `to` from frame `first` on. */
static void copy_frames(vo_upsample_pairs *to, int first, const vo_upsample_pairs *from) {
    size_t coarse = (size_t)from->coarse.vertex_count * 3, fine = (size_t)from->fine.vertex_count;
    size_t at = (size_t)first, count = (size_t)from->frame_count;
    if (!count) return;
    fine *= 3;
    if (coarse)
        memcpy(to->coarse_frames + at * coarse, from->coarse_frames,
               count * coarse * sizeof(float));
    if (fine) memcpy(to->fine_frames + at * fine, from->fine_frames, count * fine * sizeof(float));
    memcpy(to->wind + 3 * at, from->wind, count * 3 * sizeof *to->wind);
    memcpy(to->stats + at, from->stats, count * sizeof *to->stats);
}

vo_result vo_upsample_pairs_append(vo_upsample_pairs *p, const vo_upsample_pairs *more) {
    if (!is_same_mesh(&p->coarse, &more->coarse) || !is_same_mesh(&p->fine, &more->fine))
        return vo_fail(p->ctx, VO_BAD_ARGUMENT,
                       "training pairs have different meshes: %d to %d and %d to %d vertices; use "
                       "scenes of the same garment",
                       p->coarse.vertex_count, p->fine.vertex_count, more->coarse.vertex_count,
                       more->fine.vertex_count);
    if (p->frame_s != more->frame_s)
        return vo_fail(p->ctx, VO_BAD_ARGUMENT,
                       "training pairs have frames of %g s and of %g s; use equal frames",
                       (double)p->frame_s, (double)more->frame_s);
    vo_upsample_pairs all = *p;
    if (!allocate_frames(&all, p->sequence_count + more->sequence_count,
                         p->frame_count + more->frame_count)) {
        free_frames(&all);
        return vo_fail_memory(p->ctx, "training pairs");
    }
    for (int i = 0; i < p->sequence_count; i++) all.first_frame[i] = p->first_frame[i];
    for (int i = 0; i < more->sequence_count; i++)
        all.first_frame[p->sequence_count + i] = p->frame_count + more->first_frame[i];
    copy_frames(&all, 0, p);
    copy_frames(&all, p->frame_count, more);
    free_frames(p);
    *p = all;
    return VO_OK;
}
