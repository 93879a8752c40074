/* Upsampling of a cloth: the nodes of its detail mesh from its base vertices.
 *
 *   vo_rt_upsample_begin and _end, once per world step (operator.c)
 *     sample     base vertices of this frame and of earlier ones            operator_motion.c
 *     weights    of the operators, by the motion or by the host; phases     operator_motion.c
 *     evaluate   B p + sum of w_k D_k p                                     operator_evaluate.c
 *     oscillate  modes along the normals
 *     blend      to the animated pose near attachments                      operator_blend.c
 *     push       nodes out of bodies                                        operator_push.c
 *     normals
 *
 * Operators are applied to positions relative to the mean of the base vertices: rows of residuals
 * sum to 0, so the result is the same, and rounding errors do not grow with the distance from the
 * origin. All results are independent of the number of threads and of the instruction set. */
#ifndef VO_RT_DETAIL_OPERATOR_H
#define VO_RT_DETAIL_OPERATOR_H

#include "rt/body/body_private.h"
#include "rt/detail/operator_kernels.h"
#include "rt/hierarchy/mesh.h"

/* Bodies near a cloth. */
enum { VO_RT_MAX_PUSH_BODIES = 256 };

/* Operators with less weight are left out. */
#define VO_RT_MIN_OPERATOR_WEIGHT 1e-3f

/* Part of the state that snapshots copy. */
typedef struct vo_rt_upsample_head {
    float sample_age;             /* s since the newest sample, 0 to history_s */
    float wind;                   /* m/s, smoothed */
    vo_rt_operator_motion motion; /* smoothed */
    float weight[VO_RT_MAX_OPERATORS];
    float phase[VO_RT_MAX_OPERATORS][VO_RT_MAX_OPERATOR_MODES]; /* rad, 0 to 2 pi */
    int32_t newest;       /* index of the newest sample in the ring */
    vo_rt_vec3 min, max;  /* m, bounds of the nodes in front of the push */
    uint32_t has_output;  /* something was published since the last reset */
    float still_time;     /* s for which the cloth has been asleep */
    uint32_t was_skipped; /* since the last publication */
} vo_rt_upsample_head;

/* Detail mesh of a cloth. About 52 bytes per node, and 32 + 16 history bytes per base vertex. */
typedef struct vo_rt_upsample {
    void *memory; /* one block for all arrays; host's allocator; NULL: no detail mesh */
    size_t memory_bytes;
    int padded;      /* nodes, rounded up to a multiple of VO_RT_STRIP */
    int history;     /* largest one of the operators */
    float history_s; /* s between samples */
    /* name                            size                 written by */
    vo_rt_vec4 *current, *previous; /* [padded] m, nodes    publish */
    vo_rt_vec4 *normal;             /* [padded] unit        publish */
    vo_rt_vec4 *input;   /* [(history + 1) vertex_count] m, relative to `origin`  sample */
    vo_rt_vec4 *product; /* [largest rank, padded] temporary  evaluate */
    vo_rt_vec4 *scaled;  /* [(history + 1) vertex_count] temporary  evaluate */
    vo_rt_vec4 *sample;  /* [history + 1][vertex_count] m, ring of earlier states  sample */
    vo_rt_vec4 *last;    /* [vertex_count] m, base vertices of the last call  sample */
    vo_rt_vec4 *tangent; /* [vertices of the output] temporary of vo_rt_upsample_write */
    vo_rt_vec3 origin;   /* m, mean of the base vertices */
    vo_rt_upsample_head head;
    int pushed, inside; /* nodes in the last call */
} vo_rt_upsample;

/* Input of a world step. */
typedef struct vo_rt_upsample_frame {
    const vo_rt_asset *asset;
    const vo_rt_mesh *mesh;    /* simulated, mixed with the animated pose */
    float alpha, dt;           /* as vo_rt_detail_publish */
    vo_rt_vec3 air;            /* m/s, velocity of the air at the cloth */
    const vo_rt_vec4 *pose;    /* [vertex_count] animated pose, w: attachment, negative if set by
                                  the host */
    const vo_rt_matrix *bones; /* [bone_count] */
    vo_rt_transform transform; /* of an asset without bones */
    float thickness;           /* m, kept from the shells of bodies */
    int body_count;            /* 0: nodes are not moved */
    vo_rt_body *const *body;   /* at the end of the world step */
    const bool *use_shapes;    /* [body_count] */
    const float *weights;      /* [operator_count] of the host; NULL: by the motion */
    const vo_rt_operator_kernels *kernels;
} vo_rt_upsample_frame;

/* Memory of a cloth; does nothing for an asset without a detail mesh. */
bool vo_rt_upsample_init(vo_rt_upsample *u, const vo_allocator *allocator,
                         const vo_rt_asset *asset);
void vo_rt_upsample_free(vo_rt_upsample *u, const vo_allocator *allocator);
/* Computes the nodes of a world step in two parts: `begin` sets head.min and head.max, by which the
 * caller selects the bodies for `end`. */
void vo_rt_upsample_begin(vo_rt_upsample *u, const vo_rt_upsample_frame *frame);
void vo_rt_upsample_end(vo_rt_upsample *u, const vo_rt_upsample_frame *frame);
/* True if a cloth that is asleep would get the same nodes again: its earlier states and weights
 * have settled and no mode oscillates. `dt`: duration of the world step; the time asleep is
 * counted. */
bool vo_rt_upsample_is_settled(vo_rt_upsample *u, const vo_rt_asset *asset, bool is_asleep,
                               float dt);
/* Keeps the nodes: there is no motion. */
void vo_rt_upsample_hold(vo_rt_upsample *u);
/* Follows the motion without computing nodes: the cloth is not visible. */
void vo_rt_upsample_skip(vo_rt_upsample *u, const vo_rt_upsample_frame *frame);
/* The next publication starts anew: earlier states are those of the first one. Phases continue. */
void vo_rt_upsample_reset(vo_rt_upsample *u);
/* Subtracts an offset from all positions (vo_rt_world_shift_origin). */
void vo_rt_upsample_shift(vo_rt_upsample *u, const vo_rt_asset *asset, vo_rt_vec3 offset);
/* Writes the output into the buffers of the host. */
void vo_rt_upsample_write(const vo_rt_upsample *u, const vo_rt_asset *asset,
                          const vo_rt_output *output);
/* State for snapshots: returns the bytes; writes if `data` is not NULL. */
size_t vo_rt_upsample_save(const vo_rt_upsample *u, const vo_rt_asset *asset, void *data);
/* Restores a state whose size and checksum have been validated; any contents are safe. */
void vo_rt_upsample_restore(vo_rt_upsample *u, const vo_rt_asset *asset, const void *data,
                            const vo_rt_operator_kernels *kernels);

/* --- Stages --------------------------------------------------------------------------------- */

/* Sets input, origin and samples, the weights of the operators and the phases of their modes. */
void vo_rt_upsample_sample(vo_rt_upsample *u, const vo_rt_upsample_frame *frame);
/* out[i] = B input + sum of weight[k] D_k input, [padded]. `product` and `scaled` are temporary
 * memory as in vo_rt_upsample. Also evaluates operators without a world. */
typedef struct vo_rt_upsample_scratch {
    vo_rt_vec4 *product; /* [largest rank, rounded up to a multiple of VO_RT_STRIP] */
    vo_rt_vec4 *scaled;  /* [columns] */
} vo_rt_upsample_scratch;
void vo_rt_upsample_evaluate(const vo_rt_operator_kernels *kernels, const vo_rt_asset *asset,
                             const float *weight, const vo_rt_vec4 *input,
                             vo_rt_upsample_scratch scratch, vo_rt_vec4 *out);
/* Blends the nodes of `out` near attachments to the animated pose, world space; after
 * vo_rt_upsample_sample. */
void vo_rt_upsample_blend(const vo_rt_upsample *u, const vo_rt_upsample_frame *frame,
                          vo_rt_vec4 *out);
/* Moves the nodes of u->current out of the bodies. */
void vo_rt_upsample_push(vo_rt_upsample *u, const vo_rt_upsample_frame *frame);

/* Largest rank of the operators, rounded up to a multiple of VO_RT_STRIP. */
int vo_rt_upsample_rank(const vo_rt_asset *asset);
/* Largest history of the operators. */
int vo_rt_upsample_history(const vo_rt_asset *asset);

#endif
