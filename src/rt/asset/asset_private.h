/* Stages of vo_rt_asset_create and vo_rt_asset_load.
 *
 *   definition -> check_def -> edges -> rest shape -> tethers -> colours -> output topology ->
 * block block      -> check_layout (header, sections, checksums) -> check_content (every element)
 *
 * Messages of the first row name members of vo_rt_asset_def; those of the second name sections. */
#ifndef VO_RT_ASSET_PRIVATE_H
#define VO_RT_ASSET_PRIVATE_H

#include "rt/asset/asset.h"
#include "rt/base/text.h"

enum {
    VO_RT_MAX_BASE_TRIANGLES = 65535,
    VO_RT_MAX_BASE_VERTICES = 3 * VO_RT_MAX_BASE_TRIANGLES,
    VO_RT_MAX_RENDER_VERTICES = 1 << 23,
    VO_RT_MAX_RENDER_TRIANGLES = 1 << 22,
    VO_RT_MAX_BONES = 65535,
    VO_RT_MAX_FINE_POINTS = 1 << 23,
    VO_RT_MAX_COLOURS = 65535,   /* of a palette */
    VO_RT_MAX_COLOURED = 1 << 19 /* triangles of all levels whose colours are stored */
};

#define VO_RT_MAX_EXTENT          1e6f /* m, bound of all coordinates */
#define VO_RT_MIN_TRIANGLE_HEIGHT 1e-5 /* of a rest triangle, relative to its longest edge */
#define VO_RT_MIN_TRIANGLE_SIZE   1e-6 /* m, of its longest edge */

/* --- Scratch memory ------------------------------------------------------------------------- */

enum { VO_RT_MAX_SCRATCH = 32 };
/* Zeroed blocks that are released together. After a failed allocation every further one fails. */
typedef struct vo_rt_scratch {
    const vo_allocator *allocator;
    int count;
    bool failed;
    void *block[VO_RT_MAX_SCRATCH];
    size_t bytes[VO_RT_MAX_SCRATCH];
} vo_rt_scratch;

/* At least one element is allocated. NULL on failure. */
void *vo_rt_scratch_alloc(vo_rt_scratch *scratch, size_t count, size_t size);
#define vo_rt_scratch_array(scratch, type, count) \
    ((type *)vo_rt_scratch_alloc((scratch), (size_t)(count), sizeof(type)))
void vo_rt_scratch_free(vo_rt_scratch *scratch);

/* --- Stages of creation --------------------------------------------------------------------- */

/* True if the triangle is smaller or flatter than VO_RT_MIN_TRIANGLE_... */
bool vo_rt_is_degenerate(const vo_rt_vec2 p[3]);

/* Everything that is computed from a definition; arrays are scratch memory or the caller's.
 * Half-edge 3 t + i is the edge of triangle t opposite its corner i, from corner i + 1 to i + 2. */
typedef struct vo_rt_cook {
    const vo_rt_asset_def *def; /* topology and pose; coordinates may be NULL */
    /* The shape from which triangles are flattened and rest angles are measured, and in which the
     * render mesh is bound: the definition's own mesh, before seams are merged. */
    const vo_rt_vec3 *shape_positions;
    const int32_t *shape_triangles;
    int shape_vertex_count;
    const uint8_t *controls; /* [3 triangle_count] 1: this half-edge controls its seam; or NULL */
    const vo_rt_link *link;  /* [link_count] */
    int link_count;

    vo_rt_scratch scratch;
    vo_rt_vec2 *coordinates; /* [3 triangle_count] of corners, positive areas */
    vo_rt_vec2 *uv;          /* [3 triangle_count] of corners, as in the definition */
    vo_rt_base_triangle *triangle;
    vo_rt_base_edge *edge;
    int edge_count;
    vo_rt_vertex_maps *maps;
    float *stiffness_factor;
    vo_rt_tether *tether;
    int tether_count;
    int render_vertex_count, render_triangle_count;
    vo_rt_render_vertex *render_vertex;
    uint32_t *render_triangle;
    vo_rt_vec2 *render_uv;
    vo_rt_fine_point *fine; /* [triangle_count vo_rt_fine_points(max_level)] or NULL */
    uint16_t *colour; /* [colour_count] levels 0 to vo_rt_coloured_levels, one after the other */
    int colour_count;
} vo_rt_cook;

/* Checks everything except the connectivity. */
vo_result vo_rt_check_def(const vo_rt_asset_def *def, vo_rt_message *message);
vo_result vo_rt_check_positions(const char *name, const vo_rt_vec3 *positions, int count,
                                vo_rt_message *message);
vo_result vo_rt_check_fabric(const vo_rt_fabric *fabric, vo_result code, const char *where,
                             vo_rt_message *message);

/* Ends of half-edge h. */
static inline int32_t vo_rt_half_edge_from(const int32_t *triangles, int h) {
    return triangles[h - h % 3 + (h + 1) % 3];
}
static inline int32_t vo_rt_half_edge_to(const int32_t *triangles, int h) {
    return triangles[h - h % 3 + (h + 2) % 3];
}

/* Two or three half-edges that cannot be one edge. */
typedef struct vo_rt_edge_conflict {
    int half_edge[3]; /* the third is -1 if two triangles run along the edge in one direction */
} vo_rt_edge_conflict;
/* Pairs half-edges: twin[h] is the opposite half-edge, or -1 on a boundary. `table` has
 * vo_rt_edge_table_size elements. False if some edge is not manifold or not consistently oriented.
 * Cost: linear (open hashing). */
bool vo_rt_pair_edges(const int32_t *triangles, int triangle_count, int32_t *table, int32_t *twin,
                      vo_rt_edge_conflict *conflict);
int vo_rt_edge_table_size(int triangle_count);

/* Fills coordinates and uv: the definition's, or each triangle of the shape flattened. Fails on
 * degenerate triangles. */
vo_result vo_rt_cook_coordinates(vo_rt_cook *cook, vo_rt_message *message);
/* Fills triangle and edge: connectivity, coordinates per side, control sides, rest angles. */
vo_result vo_rt_cook_edges(vo_rt_cook *cook, vo_rt_message *message);
void vo_rt_cook_rest_angles(vo_rt_cook *cook);
/* Fills maps and stiffness_factor. */
vo_result vo_rt_cook_maps(vo_rt_cook *cook, vo_rt_message *message);
/* Fills tether: geodesic distances from attached vertices. */
vo_result vo_rt_cook_tethers(vo_rt_cook *cook, vo_rt_message *message);
/* Fills the output topology from the render mesh, or by refining the base mesh. */
vo_result vo_rt_cook_render_mesh(vo_rt_cook *cook, vo_rt_message *message);
vo_result vo_rt_cook_refined_base(vo_rt_cook *cook, vo_rt_message *message);

/* Fills fine, if the definition has finer levels. */
vo_result vo_rt_cook_fine(vo_rt_cook *cook, vo_rt_message *message);
/* Checks the points of a base triangle with these material coordinates. Returns the index of an
 * invalid point, the number of points if a triangle of some level has almost no area or is
 * mirrored, or -1. */
int vo_rt_find_invalid_fine(const vo_rt_fine_point *points, const vo_rt_vec2 corner[3],
                            int max_level);
/* Fills colour. */
vo_result vo_rt_cook_colours(vo_rt_cook *cook, vo_rt_message *message);

/* Checks a definition completely, without creating anything. */
vo_result vo_rt_asset_check_mesh(const vo_allocator *allocator, const vo_rt_asset_def *def,
                                 vo_rt_message *message);
/* Runs the stages and writes the block. `cook` has def, shape and seams set. Releases the scratch
 * memory in any case. */
vo_result vo_rt_cook_asset(const vo_allocator *allocator, vo_rt_cook *cook, vo_rt_asset **out,
                           vo_rt_message *message);

/* Triangles around each vertex (CSR): those of v are fan[offset[v]] to fan[offset[v + 1] - 1], in
 * ascending order. `offset` has vertex_count + 1 zeros, `fan` 3 triangle_count elements. */
void vo_rt_build_fans(const int32_t *triangles, int triangle_count, int vertex_count,
                      int32_t *offset, int32_t *fan);
static inline bool vo_rt_is_allocator(const vo_allocator *allocator) {
    return allocator && allocator->allocate && allocator->release;
}

/* --- Levels (subdivide.c) ------------------------------------------------------------------- */

/* Connectivity of one level. Triangle t has the children 4 t to 4 t + 3 in the next level: at its
 * corners 0 to 2, and in the middle. Vertices keep their index in the next level, where
 * vertex_count
 * + e is the middle of edge e; edge e becomes 2 e, at its first end, and 2 e + 1. */
typedef struct vo_rt_level {
    int vertex_count, triangle_count, edge_count;
    int32_t *vertex, *edge;     /* [3 triangle_count] corners, edges opposite them */
    int32_t *edge_vertex;       /* [2 edge_count] ends */
    int32_t *edge_triangle;     /* [2 edge_count] adjacent triangles; -1: none */
    int32_t *star_begin, *star; /* triangles around each vertex (CSR) */
} vo_rt_level;

/* Number of triangles of a level. */
int64_t vo_rt_level_triangles(int base_triangles, int level);
/* The base mesh; false if memory is exhausted. */
bool vo_rt_level_init(vo_rt_level *level, vo_rt_scratch *scratch, int vertex_count,
                      int triangle_count, const vo_rt_base_triangle *triangle, int edge_count,
                      const vo_rt_base_edge *edge);
/* The next level; false if memory is exhausted. */
bool vo_rt_level_divide(const vo_rt_level *coarse, vo_rt_level *fine, vo_rt_scratch *scratch);

/* --- Colours (colour.c) --------------------------------------------------------------------- */

/* Finest level whose colours are stored. */
int vo_rt_coloured_levels(int triangle_count, int max_level);
/* Index of the first colour of a level. */
int64_t vo_rt_colour_offset(int triangle_count, int level);
/* Sets coloured_levels and palette from the array. */
void vo_rt_asset_count_colours(vo_rt_asset *asset);

/* --- Nearest triangle ----------------------------------------------------------------------- */

/* Triangles in Morton order under a complete binary tree of boxes. */
typedef struct vo_rt_triangle_tree {
    const vo_rt_vec3 *positions;
    const int32_t *triangles;
    int leaf_count;  /* a power of two */
    int32_t *order;  /* [leaf_count] triangle or -1 */
    vo_rt_vec3 *min; /* [2 leaf_count] node i has the children 2 i and 2 i + 1; the root is 1 */
    vo_rt_vec3 *max;
} vo_rt_triangle_tree;

/* False if memory is exhausted. */
bool vo_rt_triangle_tree_build(vo_rt_triangle_tree *tree, vo_rt_scratch *scratch,
                               const vo_rt_vec3 *positions, const int32_t *triangles, int count);
/* Nearest triangle; ties go to the smaller index. Writes the weights of the nearest point. */
int vo_rt_triangle_tree_nearest(const vo_rt_triangle_tree *tree, vo_rt_vec3 point, float weight[3]);
/* Squared distance of the point from the triangle. Writes the weights of its nearest point. */
float vo_rt_nearest_on_triangle(vo_rt_vec3 p, vo_rt_vec3 a, vo_rt_vec3 b, vo_rt_vec3 c,
                                float weight[3]);

/* --- Block ---------------------------------------------------------------------------------- */

/* Layout of a .vrt file, docs/vrt-format.md: byte offsets in the header and in an entry of the
 * section table, which follows the header. */
enum {
    VO_RT_BLOCK_VERSION = 1,
    VO_RT_BLOCK_ALIGNMENT = 64,
    VO_RT_HEADER_VERSION = 8,
    VO_RT_HEADER_ORDER = 12,
    VO_RT_HEADER_SIZE = 16,
    VO_RT_HEADER_CHECKSUM = 24,
    VO_RT_HEADER_SECTIONS = 32,
    VO_RT_HEADER_BYTES = 64,
    VO_RT_ENTRY_COUNT = 8,
    VO_RT_ENTRY_STRIDE = 12,
    VO_RT_ENTRY_OFFSET = 16,
    VO_RT_ENTRY_CHECKSUM = 24,
    VO_RT_ENTRY_BYTES = 32,
    VO_RT_MAX_SECTIONS = 64
};
extern const char vo_rt_block_magic[8];

/* Sections: X(name, tag, type, size of its numbers in bytes). Those from COLOUR on may be missing
 * in a file, which is the same as no elements; those of a detail mesh are written with one only. */
#define VO_RT_SECTIONS(X)                               \
    X(INFO, "info", vo_rt_block_info, 4)                \
    X(POSITION, "position", vo_rt_vec3, 4)              \
    X(TRIANGLE, "triangle", vo_rt_base_triangle, 4)     \
    X(EDGE, "edge", vo_rt_base_edge, 4)                 \
    X(MAPS, "maps", vo_rt_vertex_maps, 4)               \
    X(STIFFNESS, "stiff", float, 4)                     \
    X(TETHER, "tether", vo_rt_tether, 4)                \
    X(LINK, "link", vo_rt_link, 4)                      \
    X(SKIN_BONE, "skinbone", uint16_t, 2)               \
    X(SKIN_WEIGHT, "skinwght", float, 4)                \
    X(RENDER_VERTEX, "rvertex", vo_rt_render_vertex, 4) \
    X(RENDER_TRIANGLE, "rtri", uint32_t, 4)             \
    X(RENDER_UV, "ruv", vo_rt_vec2, 4)                  \
    X(COLOUR, "colour", uint16_t, 2)                    \
    X(FINE, "fine", vo_rt_fine_point, 4)                \
    X(DETAIL_FIRST, "dfirst", int32_t, 4)               \
    X(DETAIL_COLUMN, "dcolumn", uint16_t, 2)            \
    X(DETAIL_WEIGHT, "dweight", float, 4)               \
    X(DETAIL_NODE, "dnode", int32_t, 4)                 \
    X(DETAIL_UV, "duv", vo_rt_vec2, 4)                  \
    X(DETAIL_TRIANGLE, "dtri", uint32_t, 4)             \
    X(DETAIL_SKIN, "dskin", vo_rt_detail_skin, 4)       \
    X(OPERATOR, "operator", vo_rt_operator_record, 4)   \
    X(OPERATOR_NUMBER, "onumber", float, 4)             \
    X(OPERATOR_HALF, "ohalf", uint16_t, 2)              \
    X(OPERATOR_INDEX, "oindex", int32_t, 4)             \
    X(OPERATOR_COLUMN, "ocolumn", uint16_t, 2)

/* The record of section info. */
typedef struct vo_rt_block_info {
    int32_t max_level, bone_count, output_is_refined_base;
    vo_rt_fabric fabric;
} vo_rt_block_info;

typedef enum vo_rt_section {
#define VO_RT_SECTION_NAME(name, tag, type, word) VO_RT_SECTION_##name,
    VO_RT_SECTIONS(VO_RT_SECTION_NAME)
#undef VO_RT_SECTION_NAME
        VO_RT_SECTION_COUNT
} vo_rt_section;

/* Array of a section in memory, in the byte order of the machine. */
typedef struct vo_rt_section_view {
    const void *data;
    uint32_t count; /* elements */
} vo_rt_section_view;

const char *vo_rt_section_tag(vo_rt_section section);
/* Allocates asset->data, copies the sections to it and redirects `view` to the copies. False if
 * memory is exhausted. */
bool vo_rt_block_write(vo_rt_asset *asset, vo_rt_section_view view[VO_RT_SECTION_COUNT]);
/* Copies a file to asset->data after checking header, section table and checksums. */
vo_result vo_rt_block_read(vo_rt_asset *asset, const void *data, size_t bytes,
                           vo_rt_section_view view[VO_RT_SECTION_COUNT], vo_rt_message *message);
void vo_rt_block_free(vo_rt_asset *asset);
/* Corrects all checksums of a block whose table is within its size; for the writer and for tests
 * of damaged files. */
void vo_rt_block_seal(uint8_t *data, size_t bytes);
/* Reverses the byte order of `count` numbers of `word` bytes. */
void vo_rt_swap_bytes(void *data, size_t count, size_t word);

/* Sets the counts and arrays of the asset from its sections. Fails if counts contradict each other
 * or exceed the limits. */
vo_result vo_rt_asset_bind(vo_rt_asset *asset, const vo_rt_section_view view[VO_RT_SECTION_COUNT],
                           vo_rt_message *message);
/* Checks every element of every array of a bound asset. */
vo_result vo_rt_check_content(const vo_rt_asset *asset, vo_rt_message *message);
/* Sets mass, bounds and counters from the arrays. */
void vo_rt_asset_measure(vo_rt_asset *asset);
/* Material coordinates of the corners of a base triangle. */
void vo_rt_corner_coordinates(const vo_rt_asset *asset, int triangle, vo_rt_vec2 out[3]);

/* --- Detail (detail_*.c) -------------------------------------------------------------------- */

enum {
    VO_RT_MAX_DETAIL_VERTICES = 1 << 20,
    VO_RT_MAX_DETAIL_TRIANGLES = 1 << 21,
    VO_RT_MAX_OPERATOR_COLUMNS = 65535,
    VO_RT_MAX_OPERATOR_NUMBERS = 1 << 28 /* of all operators */
};
/* Bound of numbers of operators, and of the deviation of the sums of their rows. */
#define VO_RT_MAX_OPERATOR_NUMBER 1e6f
#define VO_RT_ROW_SUM_TOLERANCE   1e-3

/* Arrays of a detail mesh in the form of the file; scratch memory. */
typedef struct vo_rt_detail_build {
    const vo_rt_asset *asset;
    const vo_rt_detail_def *def;
    vo_rt_scratch scratch;
    uint16_t *base_column;
    int32_t *node;
    vo_rt_vec2 *uv;
    vo_rt_detail_skin *skin;
    int skin_count;
    vo_rt_operator_record record[VO_RT_MAX_OPERATORS];
    float *number;
    uint16_t *half;
    int32_t *index;
    uint16_t *column;
    uint64_t number_count, half_count, index_count, column_count;
} vo_rt_detail_build;

/* Checks a definition completely. */
vo_result vo_rt_check_detail_def(const vo_rt_asset *asset, const vo_rt_detail_def *def,
                                 vo_rt_message *message);
/* Fills skin: the nodes that blend to the animated pose. False if memory is exhausted. */
bool vo_rt_build_detail_skin(vo_rt_detail_build *build);
/* Fills record and the data of the operators. Fails if they are too large. */
vo_result vo_rt_build_operators(vo_rt_detail_build *build, vo_rt_message *message);
/* Counts of the sections of the detail mesh; binds its arrays. */
vo_result vo_rt_bind_detail(vo_rt_asset *asset, const vo_rt_section_view *view,
                            vo_rt_message *message);
/* Checks every element of the detail mesh of a bound asset. */
vo_result vo_rt_check_detail(const vo_rt_asset *asset, vo_rt_message *message);
/* Message about an element of a section. */
vo_result vo_rt_fail_element(vo_rt_section section, int index, const char *what,
                             vo_rt_message *message);
vo_rt_asset *vo_rt_allocate_asset(const vo_allocator *allocator);
/* Bytes of the base operator and of the operators. */
size_t vo_rt_asset_detail_bytes(const vo_rt_asset *asset);

static inline vo_rt_vec3 vo_rt_triangle_normal(vo_rt_vec3 a, vo_rt_vec3 b, vo_rt_vec3 c) {
    return f3_cross(f3_sub(b, a), f3_sub(c, a));
}

#endif
