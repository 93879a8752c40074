/* Columns of a table: arrays that have the same count and capacity.
 *
 * A mesh stores each property of its nodes, verts, edges and faces in an array of its own. All
 * columns grow together or not at all, so a failed allocation never leaves inconsistent capacities.
 */
#ifndef VO_MESH_COLUMNS_H
#define VO_MESH_COLUMNS_H

#include "core/memory.h"

typedef struct vo_column {
    void *slot;    /* address of the array pointer */
    size_t size;   /* bytes per element */
    bool optional; /* skipped while its pointer is NULL */
} vo_column;

#define VO_COLUMN(array)          ((vo_column){&(array), sizeof *(array), false})
#define VO_OPTIONAL_COLUMN(array) ((vo_column){&(array), sizeof *(array), true})

/* Grows every column to at least `need` elements, by half each time; existing elements are kept,
 * new ones are zero. Without memory returns false and changes nothing. */
bool vo_columns_reserve(vo_context *ctx, const vo_column *columns, int count, int *capacity,
                        int need);

/* Allocates an optional column, cleared. False without memory. */
bool vo_column_enable(vo_context *ctx, vo_column column, int capacity);

/* Permutes the first `rows` rows: row i becomes the former row from[i]. `scratch` holds `rows` rows
 * of the widest column. */
void vo_columns_permute(const vo_column *columns, int count, const int *from, int rows,
                        void *scratch);

void vo_columns_free(vo_context *ctx, const vo_column *columns, int count, int *capacity);

#endif
