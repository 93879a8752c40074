#include "integrate/contacts.h"

/* Block normal_mass n nt + drag (I - n nt - s st); symmetric. */
static void contact_block(const vo_contact *c, double scale, float block[VO_BLOCK_FLOATS]) {
    const double n[3] = {c->normal.x, c->normal.y, c->normal.z};
    const double s[3] = {c->slide.x, c->slide.y, c->slide.z};
    double along = scale * (c->normal_mass - c->drag), across = scale * c->drag;
    for (int k = 0; k < 3; k++) {
        for (int r = 0; r < 3; r++)
            block[4 * k + r] = (float)(along * n[r] * n[k] + across * ((r == k) - s[r] * s[k]));
        block[4 * k + 3] = 0;
    }
}

/* Adds `scale` times the contact's block at rows (low, high). Blocks within one side (the corners
 * of a face or the ends of an edge) are in the pattern. All blocks between the sides go to the
 * couplings, even if the pattern has them, so that the matrix alone stays positive definite. */
static vo_result add_pair(vo_implicit *s, const vo_contact *c, double scale, int low, int high) {
    float block[VO_BLOCK_FLOATS];
    contact_block(c, scale, block);
    if (scale < 0) return vo_couplings_add(s->ctx, &s->couplings, low, high, block);
    int at = vo_block_pattern_find(&s->system.pattern, low, high);
    float *target = s->matrix.block + (size_t)at * VO_BLOCK_FLOATS;
    for (int k = 0; k < VO_BLOCK_FLOATS; k++) target[k] += block[k];
    return VO_OK;
}

/* Finds the rows of a contact's nodes; -1 for nodes that cannot move or have zero weight. */
static void find_rows(const vo_implicit *s, const vo_contact *c, int row[4]) {
    for (int i = 0; i < 4; i++) {
        int node = c->node[i];
        bool movable = node < s->system.row_count && c->weight[i] != 0;
        row[i] = movable ? s->system.row_of[node] : -1;
        if (row[i] >= 0 && s->fixed[row[i]]) row[i] = -1;
    }
}

static void add_to_right_side(vo_implicit *s, const vo_contact *c, const int row[4]) {
    vo_vec3 push = v3_scale(c->impulse, c->normal);
    push = v3_add_scaled(push, -c->drag, c->slip);
    for (int i = 0; i < 4; i++) {
        if (row[i] < 0) continue;
        vo_vec4 *b = &s->b[row[i]];
        *b = (vo_vec4){b->x + c->weight[i] * push.x, b->y + c->weight[i] * push.y,
                       b->z + c->weight[i] * push.z, 0};
    }
}

static vo_result add_contact(vo_implicit *s, const vo_contact *c) {
    int row[4];
    find_rows(s, c, row);
    add_to_right_side(s, c, row);
    for (int i = 0; i < 4; i++) {
        for (int j = i; j < 4; j++) {
            if (row[i] < 0 || row[j] < 0) continue;
            int low = vo_min_int(row[i], row[j]), high = vo_max_int(row[i], row[j]);
            VO_TRY(add_pair(s, c, c->weight[i] * c->weight[j], low, high));
        }
    }
    return VO_OK;
}

vo_result vo_contacts_add(vo_implicit *s, int count, const vo_contact *contact) {
    vo_couplings_begin(&s->couplings, s->system.row_count);
    for (int i = 0; i < count; i++) VO_TRY(add_contact(s, &contact[i]));
    return vo_couplings_finish(s->ctx, &s->couplings);
}
