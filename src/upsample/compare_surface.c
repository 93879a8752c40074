#include "upsample/compare_surface.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void apply_rows(const vo_sparse_rows *rows, const float *coarse, float *out) {
    for (int i = 0; i < rows->row_count; i++) {
        double sum[3] = {0};
        for (int k = rows->first[i]; k < rows->first[i + 1]; k++)
            for (int axis = 0; axis < 3; axis++)
                sum[axis] += rows->weight[k] * (double)coarse[3 * rows->column[k] + axis];
        for (int axis = 0; axis < 3; axis++) out[3 * i + axis] = (float)sum[axis];
    }
}

/* Frames between the states of an operator. */
static int history_step(const vo_upsample_operator *op, const vo_upsample_pairs *pairs) {
    long step = lround((double)op->history_s / (double)pairs->frame_s);
    return step > 1 ? (int)step : 1;
}

static void apply_operator(const vo_upsample_operator *op, const vo_upsample_pairs *p,
                           int first_frame, int frame, float *out) {
    enum { MAX_STATES = 64 };
    const float *states[MAX_STATES];
    int step = history_step(op, p);
    size_t size = 3 * (size_t)p->coarse.vertex_count;
    for (int k = 0; k <= op->history && k < MAX_STATES; k++) {
        int at = frame - k * step;
        states[k] = p->coarse_frames + size * (size_t)(at > first_frame ? at : first_frame);
    }
    vo_upsample_operator_apply(op, states, out);
}

static void copy_fine(const vo_upsample_pairs *p, int frame, float *out) {
    size_t size = 3 * (size_t)p->fine.vertex_count;
    memcpy(out, p->fine_frames + (size_t)frame * size, size * sizeof *out);
}

void vo_compared_surface_evaluate(const vo_compared_surface *s, const vo_upsample_pairs *pairs,
                                  int sequence, int frame, float *positions) {
    const float *coarse =
        pairs->coarse_frames + 3 * (size_t)frame * (size_t)pairs->coarse.vertex_count;
    if (s->kind == VO_COMPARED_BASE)
        apply_rows(&s->rows, coarse, positions);
    else if (s->kind == VO_COMPARED_OPERATOR)
        apply_operator(s->op, pairs, pairs->first_frame[sequence], frame, positions);
    else if (s->kind == VO_COMPARED_REPEAT)
        copy_fine(s->pairs, frame, positions);
}

void vo_compared_surface_add(vo_compared_surface *s, const vo_upsample_frame_difference *frame) {
    s->frames++;
    s->position_square += frame->position_square;
    s->position_max = fmax(s->position_max, frame->position_max);
    s->normal_angle += frame->normal_angle;
    s->energy += frame->wrinkle_energy;
    s->reference_energy += frame->reference_wrinkle_energy;
    s->energy_error += fabs(frame->wrinkle_energy - frame->reference_wrinkle_energy);
    s->difference += frame->wrinkle_difference;
}

void vo_compared_surface_add_inside(vo_compared_surface *s, int inside, double depth) {
    if (inside > s->inside) s->inside = inside;
    s->depth = fmax(s->depth, depth);
}

vo_upsample_surface_result vo_compared_surface_result(const vo_compared_surface *s) {
    vo_upsample_surface_result r = {.position_max = s->position_max};
    double frames = s->frames, reference = s->reference_energy;
    snprintf(r.name, sizeof r.name, "%s", s->name);
    r.position_rms = frames > 0 ? sqrt(s->position_square / frames) : NAN;
    r.normal_angle = frames > 0 ? s->normal_angle / frames : NAN;
    r.wrinkle_ratio = reference > 0 ? s->energy / reference : NAN;
    r.wrinkle_error = reference > 0 ? s->energy_error / reference : NAN;
    r.wrinkle_difference = reference > 0 ? s->difference / reference : NAN;
    r.inside_vertices = s->inside >= 0 ? s->inside : NAN;
    r.max_depth = s->inside >= 0 ? s->depth : NAN;
    return r;
}
