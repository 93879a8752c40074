/* Voile: cooking of assets for the real-time library (docs/cooking.md).
 *
 * Converts a garment pattern on a body, or a triangle mesh with texture coordinates, to an asset of
 * <voile/rt.h>: a coarse base mesh with material coordinates, fabric, attachments, painted maps,
 * tethers, skin weights and a render mesh. Cooking is slow and runs in tools; the result is a .vrt
 * file that a game loads in milliseconds. The same input gives the same bytes for any number of
 * threads. */
#ifndef VOILE_COOK_H
#define VOILE_COOK_H

#include <voile/fabric.h>
#include <voile/mesh.h>
#include <voile/rt.h>
#include <voile/sew.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Defaults of vo_cook_def_default in square brackets. Strings are read during the call only. */
typedef struct vo_cook_def {
    const char *input; /* [NULL] required: a pattern (.json, Voile's or GarmentCode's) or a mesh
                          (.obj with vt) in its rest pose, m, z up */
    int face_count;    /* [0] approximate number of base triangles. 0: 316 for a pattern, all faces
                          for a mesh. A mesh with more faces is coarsened, and the original becomes
                          the render mesh unless `render` is set */
    int max_level;     /* [3] levels of refinement, 0 to VO_RT_MAX_LEVEL */
    double tolerance;  /* [0] m. Above 0, the levels of a mesh follow it: its base mesh and the
                          points of the finest level are chosen so that the distance between that
                          level and the mesh is at most this. A mesh with subdivision connectivity
                          is used as it is; any other one is remeshed, with about face_count base
                          triangles, or more if the tolerance needs them. 0: finer levels are
                          midpoints of the base mesh */
    /* [vo_sew_def_default] body and fabric; how a pattern is sewn: with edges of sew.edge_length,
     * from which the base mesh is then sampled. sew.pattern is ignored. A mesh uses the body for
     * skin weights only, see mesh_on_body. */
    vo_sew_def sew;
    bool mesh_on_body; /* [false] the input mesh is worn by the body of `sew` in its rest pose,
                          which gives it skin weights */
    bool skin;         /* [true] transfer skin weights from a body with bones */
    double uv_scale;   /* [0] m per unit of vt; 0: the total area matches that of the mesh in 3D */
    double friction;   /* [0.4] Coulomb coefficient against bodies */
    double thickness;  /* [0.001] m, distance from body surfaces besides their offset */
    int attachment_count; /* [0] labels whose vertices follow the animated pose, in addition to
                             pinned labels of a pattern */
    const char *const *attachments; /* [NULL] names of a pattern's labels, or numbers of node labels
                                       (nl) of a mesh, with an optional weight: "hem=0.5" */
    const char *maps;    /* [NULL] JSON file of painted maps, one value per base vertex */
    const char *links;   /* [NULL] links file of a mesh of several pieces (vo_rt_seaming_read) */
    const char *render;  /* [NULL] OBJ file of the render mesh, in the pose of the base mesh; NULL:
                            the base mesh refined to max_level */
    bool tethers;        /* [true] limit geodesic distances from attached vertices */
    double tether_scale; /* [1.02] of the geodesic distance, 0.01 to 100 */
} vo_cook_def;

typedef struct vo_cook_report {
    vo_sew_report sew;   /* zero for a mesh */
    int input_faces;     /* of the mesh before it was coarsened; of the sewn garment */
    double area;         /* m^2, of the base mesh in material space */
    int detected_levels; /* with a tolerance: times that the mesh could be coarsened, 0: remeshed */
    /* With a tolerance: distances between a level and the input mesh, m, in both directions. */
    double level_max_error[VO_RT_MAX_LEVEL + 1], level_rms_error[VO_RT_MAX_LEVEL + 1];
    double uv_scale;     /* m per unit of vt; 1 for a pattern */
    vo_rt_fabric fabric; /* of the asset */
    int bone_count;      /* bones of the skin, 0: none */
    char **bone_names;   /* [bone_count] order of the matrices of vo_rt_cloth_set_bones */
    double wall_s;       /* s, elapsed time */
} vo_cook_report;

VO_API vo_cook_def vo_cook_def_default(void);

/* Cooks an asset. Memory comes from the context's allocator, which must outlive *out; the caller
 * destroys it with vo_rt_asset_destroy. `report` may be NULL; otherwise the caller frees it after
 * success. On failure *out is NULL and the message names file, element, reason and remedy. Progress
 * is reported as "cooking a garment". Takes about as long as vo_sew with def->sew. */
VO_API vo_result vo_cook(vo_context *ctx, const vo_cook_def *def, vo_rt_asset **out,
                         vo_cook_report *report);
VO_API void vo_cook_report_free(vo_context *ctx, vo_cook_report *report);

/* Converts a mesh for cloth to an asset; vertices of the asset are nodes of the mesh. `options`
 * supplies everything except the base mesh: its arrays per vertex have one element per node, its
 * members for positions, triangles and coordinates are ignored. NULL: the defaults. */
VO_API vo_result vo_cook_mesh(vo_context *ctx, const vo_mesh *mesh, const vo_rt_asset_def *options,
                              vo_rt_asset **out);

/* Real-time parameters of a fabric:
 *
 *     density              as it is
 *     stretch_compliance   2 / (E_warp + E_weft), Young's moduli at zero strain, N/m:
 *                          E_warp = c0 - c1^2 / c2, E_weft = c2 - c1^2 / c0
 *     bend_stiffness       3/8 (d0 + d1) + 1/8 d2, the mean flexural rigidity over all directions
 *                          of a cylinder, d0 cos^4 + d1 sin^4 + d2 sin^2 cos^2, at zero curvature
 *
 * Other members have the values of vo_rt_fabric_default. */
VO_API vo_rt_fabric vo_cook_fabric(const vo_fabric *fabric);

/* Writes the .vrt file of an asset; the file is complete or absent. */
VO_API vo_result vo_cook_save(vo_context *ctx, const vo_rt_asset *asset, const char *path);
/* Writes the base mesh of an asset as an OBJ file, vertices in the order of the asset and of
 * painted maps. */
VO_API vo_result vo_cook_save_base(vo_context *ctx, const vo_rt_asset *asset, const char *path);
/* Writes a level of the rest shape of an asset, 0 to its max_level, with its material coordinates
 * as vt; level 0 is the base mesh. */
VO_API vo_result vo_cook_save_level(vo_context *ctx, const vo_rt_asset *asset, int level,
                                    const char *path);
/* Reads and validates a .vrt file. */
VO_API vo_result vo_cook_load(vo_context *ctx, const char *path, vo_rt_asset **out);

#ifdef __cplusplus
}
#endif
#endif
