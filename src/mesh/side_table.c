#include "mesh/side_table.h"

#include "core/memory.h"

#include <string.h>

void vo_sort_by_key(int count, int *order, const int *key, int key_count, int *scratch,
                    int *start) {
    if (count == 0) return;
    memset(start, 0, ((size_t)key_count + 1) * sizeof *start);
    for (int i = 0; i < count; i++) start[key[order[i]] + 1]++;
    for (int k = 0; k < key_count; k++) start[k + 1] += start[k];
    for (int i = 0; i < count; i++) scratch[start[key[order[i]]]++] = order[i];
    memcpy(order, scratch, (size_t)count * sizeof *order);
}

void vo_side_table_nodes(const vo_mesh_data *data, int side, int node[2]) {
    int face_sides = 3 * data->face_count;
    if (side >= face_sides) {
        node[0] = data->edge_node[side - face_sides][0];
        node[1] = data->edge_node[side - face_sides][1];
        return;
    }
    const int *vert = data->face_vert[side / 3];
    node[0] = data->vert_node[vert[side % 3]];
    node[1] = data->vert_node[vert[(side + 1) % 3]];
}

static bool is_left_out(const vo_side_table *s, const vo_mesh_data *data, const uint8_t *skip,
                        int side) {
    if (side < s->face_sides) return skip && skip[side / 3];
    const int *node = data->edge_node[side - s->face_sides];
    return node[0] < 0 || node[0] >= data->node_count || node[1] < 0 || node[1] >= data->node_count;
}

/* Lists the sides that are not skipped, with their nodes. */
static void collect(vo_side_table *s, const vo_mesh_data *data, const uint8_t *skip) {
    s->count = 0;
    for (int side = 0; side < s->total; side++) {
        if (is_left_out(s, data, skip, side)) continue;
        int node[2];
        vo_side_table_nodes(data, side, node);
        s->low[side] = vo_min_int(node[0], node[1]);
        s->high[side] = vo_max_int(node[0], node[1]);
        s->order[s->count++] = side;
    }
}

/* Stable sort by the second key, then by the first. */
static bool sort(vo_side_table *s, int node_count) {
    int *scratch = vo_new_array(s->ctx, int, s->total);
    int *start = vo_new_array(s->ctx, int, node_count + 1);
    if (scratch && start) {
        vo_sort_by_key(s->count, s->order, s->high, node_count, scratch, start);
        vo_sort_by_key(s->count, s->order, s->low, node_count, scratch, start);
    }
    bool ok = scratch && start;
    vo_free_array(s->ctx, scratch, s->total);
    vo_free_array(s->ctx, start, node_count + 1);
    return ok;
}

vo_result vo_side_table_create(vo_context *ctx, const vo_mesh_data *data, const uint8_t *skip,
                               vo_side_table *out) {
    int total = 3 * data->face_count + data->edge_count;
    *out = (vo_side_table){.ctx = ctx, .face_sides = 3 * data->face_count, .total = total};
    if (total == 0) return VO_OK;
    out->low = vo_new_array(ctx, int, total);
    out->high = vo_new_array(ctx, int, total);
    out->order = vo_new_array(ctx, int, total);
    if (out->low && out->high && out->order) {
        collect(out, data, skip);
        if (sort(out, data->node_count)) return VO_OK;
    }
    vo_side_table_free(out);
    return vo_fail_memory(ctx, "the edges of a mesh");
}

void vo_side_table_free(vo_side_table *s) {
    vo_free_array(s->ctx, s->low, s->total);
    vo_free_array(s->ctx, s->high, s->total);
    vo_free_array(s->ctx, s->order, s->total);
    *s = (vo_side_table){.ctx = s->ctx};
}

int vo_side_table_group_end(const vo_side_table *s, int begin) {
    int first = s->order[begin], end = begin + 1;
    while (end < s->count && s->low[s->order[end]] == s->low[first] &&
           s->high[s->order[end]] == s->high[first])
        end++;
    return end;
}
