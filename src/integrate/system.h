/* The linear system of one topology: its rows, the elements that couple them, and the target blocks
 * of each element in the matrix. Built once per topology; values are assembled in every step.
 *
 * Rows are the nodes of all cloths, renumbered for locality. They are divided into chunks of
 * VO_CHUNK_ROWS; a chunk owns its rows of the matrix and right-hand side and evaluates every
 * element that touches one of them, so elements on the border between two chunks are evaluated
 * twice:
 *
 *        chunk 0        |      chunk 1
 *     ---o-----o-----o--|--o-----o-----o---      faces crossing the bar are in both lists; each
 *        | \   | \   | \|  | \   | \   |         chunk adds only to its own rows
 *     ---o-----o-----o--|--o-----o-----o---
 *
 * This costs additional arithmetic (a fifth for a square sheet) and avoids locks, colouring and a
 * second pass: one parallel loop zeroes, evaluates and adds, with the chunk's part of the matrix in
 * the cache, and each entry is summed in the same order for any number of threads. Colouring the
 * elements was rejected for its scattered memory access.
 *
 * Elements are stored in packets of four, one per SIMD lane. Unused lanes of a chunk's last packet
 * have no area and no targets. */
#ifndef VO_INTEGRATE_SYSTEM_H
#define VO_INTEGRATE_SYSTEM_H

#include "linalg/block_matrix.h"
#include "material/material.h"
#include "mesh/mesh.h"

enum { VO_CHUNK_ROWS = 512, VO_LANES = 4, VO_FACE_BLOCKS = 6, VO_HINGE_BLOCKS = 10 };

/* Pairs of an element's nodes, sorted by row, in the order of the targets below. */
#define VO_FACE_PAIRS                                    \
    {                                                    \
        {0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, { 1, 2 } \
    }
#define VO_HINGE_PAIRS                                                                   \
    {                                                                                    \
        {0, 0}, {1, 1}, {2, 2}, {3, 3}, {0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, { 2, 3 } \
    }

/* Four faces. Corners are sorted by row, so that every pair (i, j) with i < j is an upper block. */
typedef struct vo_face_packet {
    int row[3][VO_LANES];
    int target[VO_FACE_BLOCKS][VO_LANES]; /* target blocks; -1: owned by another chunk */
    int number[VO_LANES];                 /* index in the list of faces; 0 in unused lanes */
    const vo_material *material[VO_LANES];
    double inverse[4][VO_LANES]; /* of the material edge matrix, row-major, 1/m */
    double area[VO_LANES];       /* m^2 */
} vo_face_packet;

/* Four hinges. Nodes 0 and 1 are the edge, 2 and 3 opposite (material/bend.h). */
typedef struct vo_hinge_packet {
    int row[4][VO_LANES];
    int target[VO_HINGE_BLOCKS][VO_LANES]; /* target blocks; -1: owned by another chunk */
    int side[2][VO_LANES]; /* sides of the two faces: 3 face + edge; see vo_bend_packet */
    unsigned char sorted[VO_LANES][4]; /* nodes of a lane in ascending order of rows */
} vo_hinge_packet;

/* Bending takes three passes, because a face couples its three hinges (material/bend.h):
 *     angles   angle and rate of each hinge                    vo_angle_packet -> angle[], rate[]
 *     moments  curvature of each face and the moments about
 *              its three sides                                 vo_bend_packet -> moment[], weight[]
 *     hinges   sum of both sides' moments times the gradient
 *              of the angle, added to rows and blocks          vo_hinge_packet
 * The first two passes visit each hinge and face once, in the order of the lists; the third is part
 * of the chunks. */
typedef struct vo_angle_packet {
    int row[4][VO_LANES];
    double rest_angle[VO_LANES]; /* rad */
} vo_angle_packet;

typedef struct vo_bend_packet {
    int hinge[3][VO_LANES]; /* hinge of each edge; hinge_count if there is none: always flat */
    const vo_material *material[VO_LANES];
    double basis[3][3][VO_LANES]; /* vo_bend_face, 1/m */
    double area[VO_LANES];        /* m^2; 0 in unused lanes */
} vo_bend_packet;

typedef struct vo_chunk {
    int row_begin, row_end;
    int face_begin, face_end;   /* packets */
    int hinge_begin, hinge_end; /* packets */
} vo_chunk;

typedef struct vo_system {
    vo_context *ctx;
    int row_count, chunk_count, face_count, hinge_count;
    int face_packet_count, hinge_packet_count; /* more than a quarter of the counts, because of
                                                  elements in several chunks */
    int angle_packet_count, bend_packet_count; /* a quarter of the counts, rounded up */
    int *row_of;      /* [row_count] row of each global node, numbered cloth by cloth */
    int *face_number; /* [face_count] index in the list of faces, by global face */
    double *mass;     /* [row_count] kg; 0 for a node without faces */
    vo_chunk *chunk;
    vo_face_packet *face;
    vo_hinge_packet *hinge;
    vo_angle_packet *angle; /* hinge i is lane i % 4 of packet i / 4 */
    vo_bend_packet *bend;   /* face i is lane i % 4 of packet i / 4 */
    vo_block_pattern pattern;
} vo_system;

/* A cloth of the system. */
typedef struct vo_system_cloth {
    const vo_mesh *mesh;
    const vo_material *material;            /* must stay valid as long as the system */
    int first_node, first_edge, first_face; /* global numbers of its node, edge and face 0 */
} vo_system_cloth;

/* Assigns the global numbers of all cloths in order. */
void vo_system_number(int cloth_count, vo_system_cloth *cloth);

/* Builds the system. `ties` are additional coupled pairs of global nodes. */
vo_result vo_system_build(vo_context *ctx, int cloth_count, const vo_system_cloth *cloth,
                          int tie_count, const int (*ties)[2], vo_system *out);
void vo_system_free(vo_system *system);

#endif
