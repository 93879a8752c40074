/* A cooked garment: constant arrays in one relocatable block (.vrt).
 *
 * The block starts with a header (magic, version, byte order mark, size, checksum, counts) and a
 * table of sections; every reference is an index or an offset, so it is valid at any address.
 * Numbers are little-endian; a loader on a big-endian machine swaps them in its copy. The pointers
 * below refer into the block. Documented in docs/vrt-format.md. */
#ifndef VO_RT_ASSET_ASSET_H
#define VO_RT_ASSET_ASSET_H

#include "rt/base/vec.h"

/* Painted maps of a vertex; the mesh copies them to new vertices, interpolated. */
typedef struct vo_rt_vertex_maps {
    float attachment;      /* 0 to 1 */
    float max_distance;    /* m; FLT_MAX: no limit */
    float backstop;        /* m; -FLT_MAX: no backstop */
    float backstop_radius; /* m */
} vo_rt_vertex_maps;

/* Base edge, in the order in which the triangles first use them. Side 0 is the triangle in which
 * the edge runs from vertex[0] to vertex[1] and always exists; side 1 is the one in which it runs
 * back, -1: boundary. Material coordinates are stored per side (Simnett et al. 2010, 4.1):
 * coordinate[side][end]. Those of all edges of a triangle agree at its corners and enclose a
 * positive area; mirrored input is mirrored back (x is negated) for this reason. */
typedef struct vo_rt_base_edge {
    int32_t vertex[2];
    int32_t triangle[2];
    vo_rt_vec2 coordinate[2][2]; /* m; zero where there is no triangle */
    int32_t control;             /* side whose rest length applies to both; never a missing side */
    float rest_angle;            /* rad, -pi to pi: atan2(dot(cross(n1, n0), e), dot(n0, n1)) of
                                    the unit normals of side 0 and 1 and the unit direction e from
                                    vertex[0] to vertex[1]; 0 flat, positive in a valley, as in
                                    solve/bend_kernel.c */
} vo_rt_base_edge;

/* edge[i] is opposite vertex[i]: it joins vertex[i + 1] and vertex[i + 2] (indices modulo 3). */
typedef struct vo_rt_base_triangle {
    int32_t vertex[3];
    int32_t edge[3];
} vo_rt_base_triangle;

/* Limits the distance of a vertex from an attached one to length (geodesic rest distance times the
 * scale of the definition). A vertex has at most VO_RT_MAX_TETHERS of them: one for the nearest
 * anchor of each of the nearest groups of adjacent attached vertices. */
enum { VO_RT_MAX_TETHERS = 4 };
typedef struct vo_rt_tether {
    int32_t vertex, anchor;
    float length; /* m */
} vo_rt_tether;

/* Output vertex: a point of a base triangle with an offset along the interpolated normal. */
typedef struct vo_rt_render_vertex {
    int32_t triangle;
    float weight[3]; /* barycentric */
    float offset;    /* m */
} vo_rt_render_vertex;

/* Vertices that a seam pulls together, in a merged asset none. */
typedef struct vo_rt_link {
    int32_t a, b;
} vo_rt_link;

/* Point of a finer level of a remeshed garment. The n + 1 rows of a base triangle, n = 2^max_level,
 * are numbered like inner points of the refined base (below), here with the points of its edges:
 * point (i, j) has the weights (n - i - j, i, j) / n and the index vo_rt_fine_index. The points of
 * a triangle have the material coordinates of its own side of seams. */
typedef struct vo_rt_fine_point {
    vo_rt_vec3 position;   /* m, rest pose */
    vo_rt_vec2 coordinate; /* m */
} vo_rt_fine_point;

/* --- Detail mesh (detail.c) ------------------------------------------------------------------- */

/* Rows of operators are stored in strips of VO_RT_STRIP rows, one column of a strip after the
 * other, so that a kernel reads one stream; rows beyond the last node are 0. */
enum { VO_RT_STRIP = 32 };
static inline size_t vo_rt_strips(int rows) {
    return ((size_t)rows + VO_RT_STRIP - 1) / VO_RT_STRIP;
}

/* Node that follows the animated pose to a fraction. */
typedef struct vo_rt_detail_skin {
    int32_t node;        /* ascending */
    int32_t anchor;      /* base vertex: its current attachment scales the weight */
    float weight;        /* above 0, to 1 */
    vo_rt_vec3 position; /* m, rest pose */
    int32_t bone[VO_RT_BONES_PER_VERTEX]; /* 0 if the asset has no bones */
    float bone_weight[VO_RT_BONES_PER_VERTEX];
} vo_rt_detail_skin;

/* An operator; offsets are elements of the arrays of vo_rt_asset_detail and multiples of 32. */
typedef struct vo_rt_operator_record {
    int32_t form, history, rank, mode_count;
    float history_s, mode_wind;
    vo_rt_operator_motion motion;
    uint32_t numbers; /* dense: residual [strips][C][32]; low rank: right [strips(rank)][C][32];
                         sparse: weights */
    uint32_t halves;  /* low rank: left [strips][rank][32] */
    uint32_t indices; /* sparse: first element of each row, [N + 1] */
    uint32_t columns; /* sparse */
    uint32_t modes;   /* of numbers: rates [32], then sine and cosine of each mode [strips][32] */
} vo_rt_operator_record;

/* Detail mesh of an asset; vertex_count 0: none. */
typedef struct vo_rt_asset_detail {
    int node_count, vertex_count, triangle_count, skin_count, operator_count;
    const int32_t *base_first;              /* [node_count + 1] rows of the base operator */
    const uint16_t *base_column;            /* base vertices */
    const float *base_weight;               /* rows sum to 1 */
    const int32_t *node;                    /* [vertex_count] node of each output vertex */
    const vo_rt_vec2 *uv;                   /* [vertex_count] */
    const uint32_t *triangle;               /* [3 triangle_count] output vertices */
    const vo_rt_detail_skin *skin;          /* [skin_count] */
    const vo_rt_operator_record *operators; /* [operator_count] */
    const float *number;                    /* data of the operators */
    const uint16_t *half;                   /* half floats */
    const int32_t *index;
    const uint16_t *column;
    uint32_t base_count; /* elements of the base operator */
    uint32_t number_count, half_count, index_count, column_count;
} vo_rt_asset_detail;

struct vo_rt_asset {
    vo_allocator allocator;
    void *data; /* the block; 64-byte aligned, as are its sections */
    size_t bytes;
    void *native; /* `data`, or on a big-endian machine a swapped copy; the arrays refer to it */

    int vertex_count, triangle_count, edge_count, tether_count, link_count, bone_count;
    int render_vertex_count, render_triangle_count, max_level;
    bool output_is_refined_base; /* no render mesh: the output is the base refined to max_level */
    vo_rt_fabric fabric;
    float mass;                               /* kg, of the rest area */
    vo_rt_vec3 min, max;                      /* m, bounds of the rest pose */
    int seam_edge_count;                      /* edges with discontinuous material coordinates */
    int attached_count;                       /* vertices with attachment 1 */
    const vo_rt_vec3 *position;               /* [vertex_count] m, rest pose */
    const vo_rt_base_triangle *triangle;      /* [triangle_count] */
    const vo_rt_base_edge *edge;              /* [edge_count] */
    const vo_rt_vertex_maps *maps;            /* [vertex_count] */
    const float *stiffness_factor;            /* [vertex_count] */
    const vo_rt_tether *tether;               /* [tether_count] sorted by vertex */
    const vo_rt_link *link;                   /* [link_count] */
    const uint16_t *skin_bone;                /* [4 vertex_count], if bone_count > 0 */
    const float *skin_weight;                 /* [4 vertex_count] */
    const vo_rt_render_vertex *render_vertex; /* [render_vertex_count] */
    const uint32_t *render_triangle;          /* [3 render_triangle_count] */
    const vo_rt_vec2 *render_uv;              /* [render_vertex_count] */
    const vo_rt_fine_point *fine;             /* [triangle_count vo_rt_fine_points(max_level)];
                                                 NULL: midpoints are those of the edges */
    int colour_count, coloured_levels;        /* finest level of `colour`; -1: no colours */
    int palette[2];                           /* stored colours of even and odd levels */
    const uint16_t *colour;                   /* [colour_count] see vo_rt_asset_colour */
    vo_rt_asset_detail detail;
};

/* Material coordinates of the midpoints of the edges of a triangle; the asset must have fine points
 * (fine.c). Level below max_level; address as below. */
void vo_rt_asset_fine_middles(const vo_rt_asset *asset, int level, int address, vo_rt_vec2 out[3]);

/* --- Colours (colour.c) ------------------------------------------------------------------------
 *
 * A triangle of level k has an address, base triangle * 4^k + path: its children 0 to 2 are at its
 * corners, 3 is in the middle, and child i of address a has the address 4 a + i. Colours are
 * numbered over all levels; even and odd levels have separate ones. On a valid front they satisfy
 * constraints 1 and 2 of Jain et al. 2005: adjacent leaves (those that share a vertex) and leaves
 * with a common neighbour have different colours. */

/* Leaves of a triangle that differ in their slot: an ordinary leaf is 0, the transitional ones of
 * configurations C1 to C9 are 0 to 2 by their position in vo_rt_triangle.child. */
enum { VO_RT_COLOUR_SLOTS = 3 };
/* Colour of a leaf, 0 to vo_rt_asset_colour_sets - 1. The asset must have colours. `address` is
 * that of the ordinary triangle that is the leaf or contains it. */
int vo_rt_asset_colour(const vo_rt_asset *asset, int level, int address, int slot);
/* Number of colours including slots. Levels that are too large to be stored derive their colours
 * from the finest stored level, which takes four times as many per level. */
int vo_rt_asset_colour_sets(const vo_rt_asset *asset);

/* Numbering of the output if it is the refined base. Let n = 2^max_level, V, E and T the numbers of
 * base vertices, edges and triangles. Vertices on shared edges appear once:
 *
 *   v                                base vertex v
 *   V + e (n - 1) + k - 1            point k / n (k = 1 to n - 1) of edge e, from vertex[0]
 *   V + E (n - 1) + t I + inner      inner point of triangle t, I = (n - 1)(n - 2) / 2
 *
 * An inner point has the weights (n - i - j, i, j) / n, i >= 1, j >= 1, i + j < n; they are
 * numbered by rising j, then i. Triangle t is divided into n^2 triangles, at indices t n^2 and
 * up. Texture coordinates are the material coordinates; those of a vertex on a seam are taken from
 * the triangle to which it is bound, side 0 of the edge. */
static inline int vo_rt_refined_segments(int max_level) { return 1 << max_level; }

/* Points of a base triangle in vo_rt_asset.fine, and the index of one of them. */
static inline int vo_rt_fine_points(int max_level) {
    int n = vo_rt_refined_segments(max_level);
    return (n + 1) * (n + 2) / 2;
}
static inline int vo_rt_fine_index(int n, int i, int j) {
    return j * (n + 1) - j * (j - 1) / 2 + i;
}

#endif
