/* Sections of .vru files, shared by writer and reader. Little-endian, in the container of
 * codec/vof.h with the magic "VOILEVRU"; its frame number is the number of frames, its time the
 * duration of a frame in seconds.
 *
 *     size              numbers of elements, VRU_SIZES
 *     position ...      meshes: index 0 coarse, 1 fine
 *     first wind stats  sequences and frames
 *     asset             .vrt file of the coarse garment
 *     scene[i]          name of scene i, without a zero
 *     coarse_x[f]       positions of frame f, as differences
 *     fine_x[f]
 *     op_name[k] ...    operators
 *
 * Frames. Consecutive frames are similar, so each one is stored as the difference to the frame
 * before, of the bit patterns taken as integers, which is exact and reversible; the first frame of
 * a sequence is the difference to the rest shape. Neighbouring vertices move alike, so the
 * differences of these differences along the vertices (the container's filter for integers) are
 * small. A quantised position was rejected: a fit of stored pairs would differ from the fit of
 * the simulated ones. */
#ifndef VO_UPSAMPLE_FILE_VRU_PRIVATE_H
#define VO_UPSAMPLE_FILE_VRU_PRIVATE_H

#include "codec/vof.h"
#include "upsample/file/vru.h"

extern const vo_vof_format vru_format;

/* Rows of the section "size", i32: X(name, maximum). */
#define VRU_SIZES(X)                   \
    X(coarse_vertices, 1 << 16)        \
    X(coarse_triangles, 1 << 17)       \
    X(fine_vertices, 1 << 20)          \
    X(fine_triangles, 1 << 21)         \
    X(sequences, 1 << 16)              \
    X(frames, VO_VOF_MAX_SECTIONS / 4) \
    X(test_functions, 1 << 16)         \
    X(asset_bytes, 1 << 30)            \
    X(scenes, VO_VRU_MAX_SCENES)       \
    X(operators, VO_VRU_MAX_OPERATORS)

typedef struct vru_sizes {
#define X(name, maximum) int32_t name;
    VRU_SIZES(X)
#undef X
} vru_sizes;

/* Rows of the section "op_size", i32: N, M, elements of the base operator, previous states,
 * oscillatory modes, first sequence and number of sequences. */
enum { VRU_OPERATOR_SIZES = 7 };

/* Rows of the section "op_param", f64: X(member of vo_upsample_operator, type). Files may have
 * fewer rows, whose members then have their defaults, or more, which are ignored. */
#define VRU_PARAMETERS(X)                                    \
    X(history_s, float)                                      \
    X(mode_wind, float)                                      \
    X(frame_count, int)                                      \
    X(error.rms, float)                                      \
    X(error.max, float)                                      \
    X(error.base_rms, float)                                 \
    X(error.mode_rms, float)                                 \
    X(parameters.regularisation, vo_upsample_regularisation) \
    X(parameters.base, vo_upsample_base)                     \
    X(parameters.area_weighted, bool)                        \
    X(parameters.harmonic_count, int)                        \
    X(parameters.gamma_first, double)                        \
    X(parameters.gamma_last, double)                         \
    X(parameters.exponent, double)                           \
    X(parameters.alpha, double)                              \
    X(parameters.beta, double)                               \
    X(parameters.cutoff, int)                                \
    X(parameters.history, int)                               \
    X(parameters.history_step, int)                          \
    X(parameters.mode_count, int)                            \
    X(parameters.mode_threshold, double)

/* A section and the array that it stores. */
typedef struct vru_array {
    const char *tag;
    int index;
    vo_vof_type type;
    int columns;
    int64_t count;
    void *data;
} vru_array;

enum { VRU_MAX_ARRAYS = 16 };

/* Lists the arrays of the pairs, without the frames, or of an operator; returns their number. Their
 * counts follow from the sizes of the object; the data may be NULL. */
int vru_list_pairs(const vo_upsample_pairs *pairs, vru_array arrays[VRU_MAX_ARRAYS]);
int vru_list_operator(const vo_upsample_operator *op, int index, vru_array arrays[VRU_MAX_ARRAYS]);

/* Encodes `count` floats as differences of bit patterns to `before`, and back. */
void vru_encode_frame(const float *x, const float *before, size_t count, int32_t *out);
void vru_decode_frame(const int32_t *in, const float *before, size_t count, float *x);

/* Positions from which frame f is predicted. */
const float *vru_frame_before(const vo_upsample_pairs *pairs, bool fine, int frame);

/* Checks indices and numbers of pairs that were read; writes the defect and returns false. */
enum { VRU_DEFECT = 200 };
bool vru_check_pairs(const vo_upsample_pairs *pairs, char defect[VRU_DEFECT]);

#endif
