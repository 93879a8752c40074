#include "upsample/pairs_view.h"

#include "core/memory.h"

vo_result vo_upsample_pairs_view(const vo_upsample_pairs *p, int first, int count,
                                 vo_upsample_pairs *view) {
    if (first < 0 || count < 1 || first > p->sequence_count - count)
        return vo_fail(p->ctx, VO_BAD_ARGUMENT,
                       "sequences %d to %d do not exist; the pairs have 0 to %d", first,
                       first + count - 1, p->sequence_count - 1);
    *view = *p;
    view->first_frame = vo_new_array(p->ctx, int, count + 1);
    if (!view->first_frame) return vo_fail_memory(p->ctx, "training pairs");
    size_t begin = (size_t)p->first_frame[first];
    for (int s = 0; s <= count; s++)
        view->first_frame[s] = p->first_frame[first + s] - p->first_frame[first];
    view->sequence_count = count;
    view->frame_count = view->first_frame[count];
    view->coarse_frames += 3 * begin * (size_t)p->coarse.vertex_count;
    view->fine_frames += 3 * begin * (size_t)p->fine.vertex_count;
    view->wind += 3 * begin;
    view->stats += begin;
    return VO_OK;
}

void vo_upsample_pairs_close_view(vo_upsample_pairs *view) {
    vo_free_array(view->ctx, view->first_frame, view->sequence_count + 1);
    *view = (vo_upsample_pairs){0};
}
