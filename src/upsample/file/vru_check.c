/* Validation of training pairs from a file: a correct checksum does not exclude wrong contents. */
#include "upsample/file/vru_private.h"

#include <math.h>
#include <stdio.h>

/* Positions and lengths are below this, m. */
static const float MAX_POSITION = 1e6f;

static bool are_bounded(const float *value, size_t count, float low, float high, size_t *at) {
    for (*at = 0; *at < count; ++*at)
        if (!(value[*at] >= low && value[*at] <= high)) return false;
    return true;
}

static bool check_numbers(const char *tag, int index, const float *value, size_t count, float low,
                          float high, char defect[VRU_DEFECT]) {
    size_t at;
    if (are_bounded(value, count, low, high, &at)) return true;
    snprintf(defect, VRU_DEFECT, "section %s[%d]: number %zu is %g", tag, index, at,
             (double)value[at]);
    return false;
}

static bool check_mesh(const vo_upsample_mesh *m, int index, char defect[VRU_DEFECT]) {
    size_t vertices = (size_t)m->vertex_count, corners = 3 * (size_t)m->triangle_count;
    for (size_t i = 0; i < corners; i++)
        if (m->triangle[i] < 0 || m->triangle[i] >= m->vertex_count) {
            snprintf(defect, VRU_DEFECT, "section triangle[%d]: row %zu has the vertex %ld", index,
                     i / 3, (long)m->triangle[i]);
            return false;
        }
    return check_numbers("position", index, &m->position[0].x, 3 * vertices, -MAX_POSITION,
                         MAX_POSITION, defect) &&
           check_numbers("coord", index, &m->coordinate[0].x, 2 * corners, -MAX_POSITION,
                         MAX_POSITION, defect) &&
           check_numbers("mass", index, m->mass, vertices, 0, MAX_POSITION, defect) &&
           check_numbers("attach", index, m->attachment, vertices, 0, 1, defect);
}

/* Sequences cover all frames in order. */
static bool check_sequences(const vo_upsample_pairs *p, char defect[VRU_DEFECT]) {
    bool ok = p->first_frame[0] == 0 && p->first_frame[p->sequence_count] == p->frame_count;
    for (int s = 0; s < p->sequence_count; s++)
        ok = ok && p->first_frame[s] <= p->first_frame[s + 1];
    if (!ok) snprintf(defect, VRU_DEFECT, "section first does not list the sequences in order");
    return ok;
}

static bool check_frames(const vo_upsample_pairs *p, char defect[VRU_DEFECT]) {
    size_t coarse = 3 * (size_t)p->coarse.vertex_count, fine = 3 * (size_t)p->fine.vertex_count;
    for (int f = 0; f < p->frame_count; f++)
        if (!check_numbers("coarse_x", f, p->coarse_frames + (size_t)f * coarse, coarse,
                           -MAX_POSITION, MAX_POSITION, defect) ||
            !check_numbers("fine_x", f, p->fine_frames + (size_t)f * fine, fine, -MAX_POSITION,
                           MAX_POSITION, defect))
            return false;
    const int measures = (int)(sizeof(vo_upsample_frame_stats) / sizeof(float));
    if (!check_numbers("stats", 0, (const float *)p->stats,
                       (size_t)measures * (size_t)p->frame_count, 0, 1e9f, defect))
        return false;
    return check_numbers("wind", 0, p->wind, 3 * (size_t)p->frame_count, -MAX_POSITION,
                         MAX_POSITION, defect);
}

bool vru_check_pairs(const vo_upsample_pairs *p, char defect[VRU_DEFECT]) {
    if (p->coarse.vertex_count < 1 || p->fine.vertex_count < 1) {
        snprintf(defect, VRU_DEFECT, "section size: a mesh has no vertices");
        return false;
    }
    if (!(p->frame_s > 0 && p->frame_s < 1e6f)) {
        snprintf(defect, VRU_DEFECT, "the duration of a frame is %g s", (double)p->frame_s);
        return false;
    }
    return check_mesh(&p->coarse, 0, defect) && check_mesh(&p->fine, 1, defect) &&
           check_sequences(p, defect) && check_frames(p, defect);
}
