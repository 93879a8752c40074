/* Validation of the definition of a detail mesh; messages name its members. */
#include "rt/asset/asset_private.h"

static bool in_range(float x, float low, float high) { return x >= low && x <= high; }

static vo_result fail_count(const char *name, int count, int low, int high,
                            vo_rt_message *message) {
    return vo_rt_fail(message, VO_BAD_ARGUMENT, "%s is %d; set it to %d to %d", name, count, low,
                      high);
}

static vo_result check_count(const char *name, int count, int low, int high,
                             vo_rt_message *message) {
    return count >= low && count <= high ? VO_OK : fail_count(name, count, low, high, message);
}

static vo_result check_present(const char *name, const void *array, vo_rt_message *message) {
    if (array) return VO_OK;
    return vo_rt_fail(message, VO_BAD_ARGUMENT, "%s is NULL; set it to an array", name);
}

static vo_result check_indices(const char *name, const int32_t *index, int count, int end,
                               vo_rt_message *message) {
    for (int i = 0; i < count; i++)
        if (index[i] < 0 || index[i] >= end)
            return vo_rt_fail(message, VO_BAD_ARGUMENT, "%s[%d] is %d; indices are 0 to %d", name,
                              i, (int)index[i], end - 1);
    return VO_OK;
}

static vo_result check_numbers(const char *name, const float *values, size_t count, float low,
                               float high, vo_rt_message *message) {
    for (size_t i = 0; i < count; i++)
        if (!in_range(values[i], low, high))
            return vo_rt_fail(message, VO_BAD_ARGUMENT, "%s[%u] is %g; set it to %g to %g", name,
                              (unsigned)i, (double)values[i], (double)low, (double)high);
    return VO_OK;
}

/* First elements of rows: from 0, ascending, at most `most` in all; at least `least` per row. */
static vo_result check_rows(const char *name, const int32_t *first, int rows, int least,
                            vo_rt_message *message) {
    vo_result result = check_present(name, first, message);
    if (result != VO_OK) return result;
    for (int i = 0; i <= rows; i++) {
        int64_t low = i == 0 ? 0 : (int64_t)first[i - 1] + least;
        if (first[i] >= low && (i > 0 || first[i] == 0) && first[i] <= VO_RT_MAX_OPERATOR_NUMBERS)
            continue;
        return vo_rt_fail(message, VO_BAD_ARGUMENT,
                          "%s[%d] is %d; rows start at 0, are in ascending order and have at least "
                          "%d elements",
                          name, i, (int)first[i], least);
    }
    return VO_OK;
}

/* --- Mesh ----------------------------------------------------------------------------------- */

static vo_result check_mesh(const vo_rt_detail_def *def, vo_rt_message *message) {
    const struct {
        const char *name;
        const void *array;
    } arrays[] = {{"positions", def->positions},
                  {"triangles", def->triangles},
                  {"base_columns", def->base_columns},
                  {"base_weights", def->base_weights}};
    vo_result result =
        check_count("node_count", def->node_count, 3, VO_RT_MAX_DETAIL_NODES, message);
    if (result == VO_OK)
        result = check_count("vertex_count", def->vertex_count, def->node_count,
                             def->nodes ? VO_RT_MAX_DETAIL_VERTICES : def->node_count, message);
    if (result == VO_OK)
        result = check_count("triangle_count", def->triangle_count, 1, VO_RT_MAX_DETAIL_TRIANGLES,
                             message);
    for (int i = 0; i < 4 && result == VO_OK; i++)
        result = check_present(arrays[i].name, arrays[i].array, message);
    if (result == VO_OK)
        result = vo_rt_check_positions("positions", def->positions, def->node_count, message);
    if (result == VO_OK && def->nodes)
        result = check_indices("nodes", def->nodes, def->vertex_count, def->node_count, message);
    if (result == VO_OK)
        result = check_indices("triangles", def->triangles, 3 * def->triangle_count,
                               def->vertex_count, message);
    if (result == VO_OK && def->uv)
        result = check_numbers("uv", &def->uv->x, 2 * (size_t)def->vertex_count, -VO_RT_MAX_EXTENT,
                               VO_RT_MAX_EXTENT, message);
    return result;
}

static vo_result check_base(const vo_rt_asset *asset, const vo_rt_detail_def *def,
                            vo_rt_message *message) {
    vo_result result = check_rows("base_first", def->base_first, def->node_count, 1, message);
    if (result != VO_OK) return result;
    int entries = def->base_first[def->node_count];
    result =
        check_indices("base_columns", def->base_columns, entries, asset->vertex_count, message);
    if (result == VO_OK)
        result =
            check_numbers("base_weights", def->base_weights, (size_t)entries, -1e3f, 1e3f, message);
    for (int i = 0; i < def->node_count && result == VO_OK; i++) {
        double sum = 0;
        for (int k = def->base_first[i]; k < def->base_first[i + 1]; k++)
            sum += (double)def->base_weights[k];
        if (fabs(sum - 1) > VO_RT_ROW_SUM_TOLERANCE)
            result = vo_rt_fail(message, VO_BAD_ARGUMENT,
                                "base_weights: row %d sums to %g; normalise it to 1", i, sum);
    }
    return result;
}

static vo_result check_skin_sums(const vo_rt_detail_def *def, vo_rt_message *message) {
    for (int i = 0; i < def->node_count; i++) {
        const float *w = def->skin_weights + VO_RT_BONES_PER_VERTEX * i;
        float sum = w[0] + w[1] + w[2] + w[3];
        if (!in_range(sum, 0.999f, 1.001f))
            return vo_rt_fail(message, VO_BAD_ARGUMENT,
                              "skin_weights: those of node %d sum to %g; normalise them to 1", i,
                              (double)sum);
    }
    return VO_OK;
}

static vo_result check_skin(const vo_rt_asset *asset, const vo_rt_detail_def *def,
                            vo_rt_message *message) {
    size_t count = VO_RT_BONES_PER_VERTEX * (size_t)def->node_count;
    vo_result result = VO_OK;
    if (def->attachment)
        result =
            check_numbers("attachment", def->attachment, (size_t)def->node_count, 0, 1, message);
    if (result == VO_OK)
        result =
            check_numbers("blend_distance", &def->blend_distance, 1, 0, VO_RT_MAX_EXTENT, message);
    if (result != VO_OK || asset->bone_count == 0 || !def->skin_bones) return result;
    result = check_present("skin_weights", def->skin_weights, message);
    if (result == VO_OK)
        result = check_numbers("skin_weights", def->skin_weights, count, 0, 1.001f, message);
    for (size_t i = 0; i < count && result == VO_OK; i++)
        if (def->skin_bones[i] >= asset->bone_count)
            result = vo_rt_fail(message, VO_BAD_ARGUMENT, "skin_bones[%u] is %d; bones are 0 to %d",
                                (unsigned)i, (int)def->skin_bones[i], asset->bone_count - 1);
    return result == VO_OK ? check_skin_sums(def, message) : result;
}

/* --- Operators ------------------------------------------------------------------------------ */

/* Rows of a dense matrix: finite numbers whose sums over each frame are 0. */
static vo_result check_matrix(const char *name, const float *matrix, int rows, int frames,
                              int vertices, vo_rt_message *message) {
    vo_result result = check_present(name, matrix, message);
    size_t count = (size_t)rows * (size_t)frames * (size_t)vertices;
    if (result == VO_OK)
        result = check_numbers(name, matrix, count, -VO_RT_MAX_OPERATOR_NUMBER,
                               VO_RT_MAX_OPERATOR_NUMBER, message);
    if (result != VO_OK) return result;
    for (int i = 0; i < rows * frames; i++) {
        double sum = 0, size = 1;
        for (int j = 0; j < vertices; j++) {
            double x = (double)matrix[(size_t)i * (size_t)vertices + (size_t)j];
            sum += x;
            size += fabs(x);
        }
        if (fabs(sum) > VO_RT_ROW_SUM_TOLERANCE * size)
            return vo_rt_fail(message, VO_BAD_ARGUMENT,
                              "%s: row %d sums to %g over frame %d; constrain the fit to sums of 0",
                              name, i / frames, sum, i % frames);
    }
    return VO_OK;
}

/* Rows of a sparse operator sum to 0 over the columns of every frame. */
static vo_result check_sparse_sums(const vo_rt_operator_def *op, int rows, int vertices,
                                   vo_rt_message *message) {
    for (int i = 0; i < rows; i++) {
        double sum[1 + VO_RT_MAX_OPERATOR_HISTORY] = {0}, size = 1;
        for (int k = op->row_first[i]; k < op->row_first[i + 1]; k++) {
            sum[op->columns[k] / vertices] += (double)op->weights[k];
            size += fabs((double)op->weights[k]);
        }
        for (int f = 0; f <= op->history; f++)
            if (fabs(sum[f]) > VO_RT_ROW_SUM_TOLERANCE * size)
                return vo_rt_fail(message, VO_BAD_ARGUMENT,
                                  "weights: row %d sums to %g over frame %d; constrain the fit to "
                                  "sums of 0",
                                  i, sum[f], f);
    }
    return VO_OK;
}

static vo_result check_sparse(const vo_rt_operator_def *op, int rows, int vertices,
                              vo_rt_message *message) {
    int columns = (1 + op->history) * vertices;
    vo_result result = check_rows("row_first", op->row_first, rows, 0, message);
    if (result == VO_OK) result = check_present("columns", op->columns, message);
    if (result == VO_OK) result = check_present("weights", op->weights, message);
    if (result != VO_OK) return result;
    int entries = op->row_first[rows];
    result = check_indices("columns", op->columns, entries, columns, message);
    if (result == VO_OK)
        result = check_numbers("weights", op->weights, (size_t)entries, -VO_RT_MAX_OPERATOR_NUMBER,
                               VO_RT_MAX_OPERATOR_NUMBER, message);
    return result == VO_OK ? check_sparse_sums(op, rows, vertices, message) : result;
}

static vo_result check_form(const vo_rt_operator_def *op, int nodes, int vertices,
                            vo_rt_message *message) {
    int frames = 1 + op->history;
    vo_result result;
    switch (op->form) {
    case VO_RT_OPERATOR_DENSE:
        return check_matrix("residual", op->residual, nodes, frames, vertices, message);
    case VO_RT_OPERATOR_LOW_RANK:
        result = check_count("rank", op->rank, 1, frames * vertices, message);
        if (result == VO_OK) result = check_present("left", op->left, message);
        if (result == VO_OK)
            result = check_numbers("left", op->left, (size_t)nodes * (size_t)op->rank,
                                   -VO_RT_MAX_OPERATOR_NUMBER, VO_RT_MAX_OPERATOR_NUMBER, message);
        return result == VO_OK
                   ? check_matrix("right", op->right, op->rank, frames, vertices, message)
                   : result;
    case VO_RT_OPERATOR_SPARSE:
        return check_sparse(op, nodes, vertices, message);
    }
    return vo_rt_fail(message, VO_BAD_ARGUMENT, "form is %d; use a vo_rt_operator_form",
                      (int)op->form);
}

static vo_result check_modes(const vo_rt_operator_def *op, int nodes, vo_rt_message *message) {
    size_t count = (size_t)nodes * (size_t)op->mode_count;
    if (op->mode_count == 0) return VO_OK;
    vo_result result = check_present("mode_rate", op->mode_rate, message);
    if (result == VO_OK) result = check_present("mode_sine", op->mode_sine, message);
    if (result == VO_OK) result = check_present("mode_cosine", op->mode_cosine, message);
    if (result == VO_OK)
        result =
            check_numbers("mode_rate", op->mode_rate, (size_t)op->mode_count, 1e-6f, 1e4f, message);
    if (result == VO_OK)
        result = check_numbers("mode_sine", op->mode_sine, count, -VO_RT_MAX_EXTENT,
                               VO_RT_MAX_EXTENT, message);
    if (result == VO_OK)
        result = check_numbers("mode_cosine", op->mode_cosine, count, -VO_RT_MAX_EXTENT,
                               VO_RT_MAX_EXTENT, message);
    return result;
}

static vo_result check_operator(const vo_rt_operator_def *op, int nodes, int vertices,
                                vo_rt_message *message) {
    const float motion[] = {op->motion.travel, op->motion.deformation, op->motion.wind};
    vo_result result = check_count("history", op->history, 0, VO_RT_MAX_OPERATOR_HISTORY, message);
    if (result == VO_OK && (int64_t)vertices * (1 + op->history) > VO_RT_MAX_OPERATOR_COLUMNS)
        result = vo_rt_fail(message, VO_BAD_ARGUMENT,
                            "%d base vertices in %d frames are more than %d columns; use a coarser "
                            "base mesh",
                            vertices, 1 + op->history, VO_RT_MAX_OPERATOR_COLUMNS);
    if (result == VO_OK) result = check_numbers("history_s", &op->history_s, 1, 1e-4f, 10, message);
    if (result == VO_OK) result = check_numbers("motion", motion, 3, 0, VO_RT_MAX_EXTENT, message);
    if (result == VO_OK)
        result = check_numbers("mode_wind", &op->mode_wind, 1, 0, VO_RT_MAX_EXTENT, message);
    if (result == VO_OK)
        result = check_count("mode_count", op->mode_count, 0, VO_RT_MAX_OPERATOR_MODES, message);
    if (result == VO_OK) result = check_form(op, nodes, vertices, message);
    return result == VO_OK ? check_modes(op, nodes, message) : result;
}

/* Prefixes the message of an operator with its index. */
static vo_result name_operator(vo_result result, int index, vo_rt_message *message) {
    if (!message) return result;
    vo_rt_message text = *message;
    return vo_rt_fail(message, result, "operators[%d].%s", index, text.text);
}

/* Operators that read earlier frames share their samples. */
static vo_result check_history(const vo_rt_detail_def *def, vo_rt_message *message) {
    float shared = 0;
    for (int k = 0; k < def->operator_count; k++) {
        const vo_rt_operator_def *op = &def->operators[k];
        if (op->history == 0) continue;
        if (shared > 0 && op->history_s != shared)
            return vo_rt_fail(message, VO_BAD_ARGUMENT,
                              "operators[%d].history_s is %g, that of another operator %g; use the "
                              "same time",
                              k, (double)op->history_s, (double)shared);
        shared = op->history_s;
    }
    return VO_OK;
}

vo_result vo_rt_check_detail_def(const vo_rt_asset *asset, const vo_rt_detail_def *def,
                                 vo_rt_message *message) {
    if (asset->vertex_count > VO_RT_MAX_OPERATOR_COLUMNS)
        return vo_rt_fail(message, VO_BAD_ARGUMENT,
                          "the asset has %d base vertices; operators read at most %d",
                          asset->vertex_count, VO_RT_MAX_OPERATOR_COLUMNS);
    vo_result result = check_mesh(def, message);
    if (result == VO_OK) result = check_base(asset, def, message);
    if (result == VO_OK) result = check_skin(asset, def, message);
    if (result == VO_OK)
        result =
            check_count("operator_count", def->operator_count, 0, VO_RT_MAX_OPERATORS, message);
    if (result == VO_OK && def->operator_count > 0)
        result = check_present("operators", def->operators, message);
    if (result == VO_OK) result = check_history(def, message);
    for (int k = 0; k < def->operator_count && result == VO_OK; k++) {
        result = check_operator(&def->operators[k], def->node_count, asset->vertex_count, message);
        if (result != VO_OK) return name_operator(result, k, message);
    }
    return result;
}
