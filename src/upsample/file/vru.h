/* Files of learned upsampling (.vru): training pairs, the coarse garment and the operators fitted
 * to the pairs.
 *
 * The container is that of frame files (codec/vof.h) with its own tags: vru_private.h lists them,
 * docs/vru-format.md is the reference. Positions are stored without loss, so that a fit of stored
 * pairs gives the same bits as one after training. Reading validates sizes, indices and numbers;
 * damaged files are rejected with a message that names file, section and element. */
#ifndef VO_UPSAMPLE_FILE_VRU_H
#define VO_UPSAMPLE_FILE_VRU_H

#include "upsample/operator.h"
#include "upsample/pairs.h"

enum {
    VO_VRU_MAX_OPERATORS = VO_RT_MAX_OPERATORS, /* what an asset may have */
    VO_VRU_MAX_SCENES = 1024,
    VO_VRU_MAX_NAME = 4096, /* bytes of the name of a scene or operator */
};

/* An operator with the name under which it is blended and listed. */
typedef struct vo_vru_operator {
    char *name;
    vo_upsample_operator *op;
    int first_sequence, sequence_count; /* of the pairs, to which it was fitted */
} vo_vru_operator;

/* Contents of a file. Owns everything. */
typedef struct vo_vru {
    vo_context *ctx;
    vo_upsample_pairs *pairs; /* the .vrt file of the coarse garment included */
    int scene_count;
    char **scene; /* [scene_count] files of the training scenes, one per sequence */
    int operator_count;
    vo_vru_operator *operators; /* [operator_count] */
} vo_vru;

/* Creates contents without operators. Takes ownership of the pairs, also on failure. `scenes` are
 * copied. */
vo_result vo_vru_create(vo_context *ctx, vo_upsample_pairs *pairs, int scene_count,
                        const char *const *scenes, vo_vru **out);
void vo_vru_destroy(vo_vru *vru); /* NULL is allowed */

/* Adds an operator that was fitted to all sequences, or replaces the one of that name. Takes
 * ownership, also on failure. VO_BAD_ARGUMENT if its sizes are not those of the pairs. */
vo_result vo_vru_set_operator(vo_vru *vru, const char *name, vo_upsample_operator *op);
/* The same for an operator of some sequences; VO_BAD_ARGUMENT if they do not exist. */
vo_result vo_vru_set_operator_of(vo_vru *vru, const char *name, int first_sequence,
                                 int sequence_count, vo_upsample_operator *op);
/* The operator of this name, or the first one if `name` is NULL; NULL if there is none. */
const vo_upsample_operator *vo_vru_find_operator(const vo_vru *vru, const char *name);

/* Writes a file atomically. The same contents give the same bytes for any number of threads. */
vo_result vo_vru_save(const vo_vru *vru, const char *path);
/* Reads and validates a file. On failure *out is NULL. */
vo_result vo_vru_load(vo_context *ctx, const char *path, vo_vru **out);
/* Reads from memory; `name` is the file name in messages. */
vo_result vo_vru_parse(vo_context *ctx, const char *name, const void *bytes, size_t size,
                       vo_vru **out);

#endif
