/* Arrays that share one count and one capacity: the columns of a table.
 *
 * A mesh keeps each property of its nodes, verts, edges and faces in an array of its own. They must
 * grow together or not at all, or a failed allocation would leave a table whose columns disagree.
 */
#ifndef VO_MESH_COLUMNS_H
#define VO_MESH_COLUMNS_H

#include "core/memory.h"

typedef struct vo_column {
    void *slot;    /* address of the array pointer */
    size_t size;   /* bytes of an element */
    bool optional; /* left alone while its pointer is NULL */
} vo_column;

#define VO_COLUMN(array)          ((vo_column){&(array), sizeof *(array), false})
#define VO_OPTIONAL_COLUMN(array) ((vo_column){&(array), sizeof *(array), true})

/* Grows every column to at least `need` elements, by half again at a time; what they held is kept,
 * the rest is cleared. False, and nothing changed, without memory. */
bool vo_columns_reserve(vo_context *ctx, const vo_column *columns, int count, int *capacity,
                        int need);

/* Gives an optional column its array, cleared. False without memory. */
bool vo_column_enable(vo_context *ctx, vo_column column, int capacity);

/* Takes rows in another order: row i becomes what row from[i] was, for `rows` of them. `scratch`
 * holds so many rows of the widest column. */
void vo_columns_gather(const vo_column *columns, int count, const int *from, int rows,
                       void *scratch);

void vo_columns_free(vo_context *ctx, const vo_column *columns, int count, int *capacity);

#endif
