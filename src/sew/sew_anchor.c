/* Anchor check of sewing: pinned labels, such as a neck edge or a waistband, must end near the
 * place that the pattern gives them. */
#include "sew/sew.h"

/* Permitted difference in height, relative to the body: about the length of a neck. Horizontal
 * distances are not compared, since open panels are not centred before they are sewn. */
static const double MAX_OFFSET = 1.0 / 16;

/* Computes the mean position of the nodes with a label; false if there is none. */
static bool label_position(const vo_mesh *mesh, int label, vo_vec3 *out) {
    vo_vec3 sum = v3_zero();
    int count = 0;
    for (int n = 0; n < mesh->node_count; n++) {
        if (mesh->node_label[n] != label) continue;
        sum = v3_add(sum, mesh->node_x[n]);
        count++;
    }
    *out = v3_scale(count > 0 ? 1.0 / count : 0, sum);
    return count > 0;
}

static void check_label(const vo_sewing *s, int piece, int label) {
    const vo_sew_piece *p = &s->task->piece[piece];
    vo_vec3 intended, now;
    if (!label_position(p->garment->mesh, label + 1, &intended) ||
        !label_position(s->sewn[piece], label + 1, &now))
        return;
    double above = now.z - intended.z;
    if (!(fabs(above) > MAX_OFFSET * vo_mesh_size(s->task->body).z)) return;
    vo_log_line(s->task->ctx, VO_LOG_WARNING,
                "%s: its label %s ended %.2f m %s its place on %s, at (%.2f, %.2f, %.2f) m; remove "
                "hair, hats or bags that hold it there from the body, or widen or narrow the "
                "garment at that label",
                p->pattern->file, p->pattern->label[label].name, fabs(above),
                above > 0 ? "above" : "below", s->task->body_name, now.x, now.y, now.z);
}

void vo_sew_check_anchors(const vo_sewing *s) {
    if (!s->task->body) return;
    for (int i = 0; i < s->task->piece_count; i++) {
        const vo_pattern *pattern = s->task->piece[i].pattern;
        for (int k = 0; k < pattern->label_count; k++)
            if (pattern->label[k].pinned) check_label(s, i, k);
    }
}
