/* Cooking: patterns and meshes to assets of the real-time library.
 *
 *     pattern  cook_pattern.c  sewn finely around the body; the coarse base mesh is sampled from it
 *     mesh     cook_obj.c      read, scaled to metres; cook_coarsen.c reduces it to the size
 *     fabric   cook_fabric.c   parameters of the real-time solver
 *     maps     cook_maps.c     attachments by label, painted maps
 *     skin     cook_skin.c     bones and weights of the nearest point of the body
 *     asset    cook_asset.c    definition and render mesh; cook_mesh.c fills its arrays
 *     seams    cook_seam.c     links of a mesh pull its pieces together
 *     levels   levels.h        base mesh and finer levels of an arbitrary mesh, within a tolerance
 *
 * The base mesh is not sewn itself: a mesh of a few hundred faces cannot follow a body, so that its
 * seams do not close or its faces are stretched. Both meshes are of the same fabric, so the
 * position of a base vertex is that of the finely sewn garment at its material coordinates. */
#ifndef VO_COOK_COOK_H
#define VO_COOK_COOK_H

#include "character/body.h"
#include "garment/wear.h"
#include "material/material.h"
#include "mesh/mesh.h"

#include <voile/cook.h>

/* Painted maps: X(member of vo_rt_asset_def and key, smallest and largest value, value of null). */
#define VO_COOK_MAPS(X)                \
    X(attachment, 0, 1, 0)             \
    X(max_distance, 0, 1e6f, FLT_MAX)  \
    X(backstop, -1e6f, 1e6f, -FLT_MAX) \
    X(backstop_radius, 0, 1e6f, 0.2f)  \
    X(stiffness_factor, 0, 1e6f, 1)

typedef enum vo_cook_map {
#define X(name, low, high, none) VO_COOK_MAP_##name,
    VO_COOK_MAPS(X)
#undef X
        VO_COOK_MAP_COUNT
} vo_cook_map;

/* A garment on its way to an asset; all pointers are owned except ctx and def. */
typedef struct vo_cooking {
    vo_context *ctx;
    const vo_cook_def *def;
    bool is_pattern;
    vo_body *body;                 /* NULL: none */
    vo_mesh *base;                 /* in the frame of the body's file */
    vo_mesh *render;               /* NULL: the refined base mesh */
    struct vo_cook_levels *levels; /* cook/levels.h; its base is `base`. NULL: none */
    int label_count;
    char **label; /* [label_count] names of the labels of a pattern; node_label is index + 1 */
    bool *pinned; /* [label_count] */
    float *map[VO_COOK_MAP_COUNT]; /* [node_count] or NULL */
    uint16_t *bones;               /* [4 node_count] or NULL */
    float *weights;
    vo_cook_report report;
} vo_cooking;

/* cook_pattern.c: sets body, base, labels, and the fabric of the report. */
vo_result vo_cook_pattern(vo_cooking *c);
/* Creates a base mesh of about `faces` faces, 0: the default number, of a garment that was sewn on
 * a body, at its positions. */
vo_result vo_cook_sample_base(vo_context *ctx, const vo_fitted_pattern *cut, int faces,
                              const vo_mesh *sewn, vo_mesh **out);
/* cook_obj.c: the same from an OBJ file. */
vo_result vo_cook_obj(vo_cooking *c);
/* cook_coarsen.c: replaces the mesh by one of about `faces` faces, with the same outline, seams and
 * labelled nodes. Does nothing if it has no more faces. */
vo_result vo_cook_coarsen(vo_context *ctx, int faces, vo_mesh **mesh);
/* cook_maps.c */
vo_result vo_cook_read_maps(vo_cooking *c);
/* Checks the weights and, of a pattern, the names of the attachments; the mesh is not needed. */
vo_result vo_cook_check_attachments(const vo_cooking *c);
vo_result vo_cook_attach(vo_cooking *c);
/* cook_skin.c: sets bones, weights and the bones of the report; nothing without bones. */
vo_result vo_cook_transfer_skin(vo_cooking *c);
/* cook_asset.c */
vo_result vo_cook_create_asset(const vo_cooking *c, vo_rt_asset **out);

/* cook_seam.c: reads the links, pulls the pieces together and merges them. */
vo_result vo_cook_seam(const vo_cooking *c, vo_rt_seaming *seaming, vo_rt_asset **out);

/* cook_fabric.c: mean parameters of several materials, weighted by the area of their faces in
 * material space. Face labels beyond the last material use the last one. */
vo_rt_fabric vo_cook_materials(const vo_mesh *mesh, int count, const vo_material *material);
double vo_cook_area(const vo_mesh *mesh); /* m^2, in material space */

/* cook_mesh.c: base mesh of a definition; the arrays belong to the caller. */
typedef struct vo_cook_arrays {
    int vertex_count, triangle_count;
    vo_rt_vec3 *positions;
    int32_t *triangles;
    vo_rt_vec2 *coordinates;
} vo_cook_arrays;
/* On failure *out is cleared. */
vo_result vo_cook_arrays_create(vo_context *ctx, const vo_mesh *mesh, vo_cook_arrays *out);
void vo_cook_arrays_free(vo_context *ctx, vo_cook_arrays *arrays);
/* Sets the message of a failed call of the real-time library after "file: ". `file` may be NULL. */
vo_result vo_cook_fail(vo_context *ctx, const char *file, vo_result result,
                       const vo_rt_message *message);

#endif
