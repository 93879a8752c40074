/* Voile: exact inspection of a state, and checks of meshes, scenes and runs.
 *
 * Intersections of faces and nodes inside obstacles are decided by the signs of exactly computed
 * determinants, without tolerance and independently of the collision code of the simulation. */
#ifndef VOILE_CHECK_H
#define VOILE_CHECK_H

#include <voile/run.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Two intersecting faces: one of a cloth, the other of a cloth or an obstacle. */
typedef struct vo_face_pair {
    int cloth, face;       /* the first face */
    bool with_obstacle;    /* the other face belongs to an obstacle, else to a cloth */
    int other, other_face; /* index of that cloth or obstacle, and its face */
    vo_vec3 position;      /* m, centre of the overlap of their bounding boxes */
} vo_face_pair;

enum { VO_INSPECTION_PAIRS = 8 };

/* Result of an inspection. Lengths in m. */
typedef struct vo_inspection {
    /* Intersecting pairs of faces: within one cloth, between two cloths, between a cloth and an
     * obstacle. Faces that touch intersect; faces that share a node or an edge intersect if they
     * have further points in common. Pairs of obstacles are not tested. */
    int self_pairs, cloth_pairs, obstacle_pairs;
    bool complete; /* false: a face has more than 128 pairs, and these numbers are lower bounds */
    int pair_count;
    vo_face_pair pair[VO_INSPECTION_PAIRS]; /* [pair_count] the first pairs, by cloth and face */

    /* Cloth nodes inside the solid of closed obstacles: those whose every edge has two consistently
     * oriented faces. The solid is on the back of the faces (winding number above 0, so parts of
     * the surface may overlap). An obstacle whose normals point inwards (negative volume) is a
     * container: its solid is everything outside. With several containers, the solid is
     * everything outside all of them. The solid of a character is always the enclosed volume,
     * whichever direction its normals have. */
    int closed_obstacles; /* number of closed obstacles that are present */
    int inside_nodes;
    double max_depth; /* m, distance of the deepest node from the surface; 0: no node is inside */
    int deepest_cloth, deepest_node, deepest_obstacle; /* -1: none */
    vo_vec3 deepest_position;
    bool deepest_outside_container; /* the obstacle is a container, and the node is outside it */

    /* Nodes of obstacles that lag behind their motions by more than 0.1 mm, because the cloth
     * between obstacles needs space. A deviation from the scene, not a defect. */
    int lagging_nodes;
    double max_lag;             /* m, largest lag; 0: none */
    int lag_obstacle, lag_node; /* node with that lag; -1: none */
    vo_vec3 lag_position;       /* its position */

    int frozen_substeps; /* substeps of this frame without a solution, in which the cloth was
                            frozen; set by vo_check from the statistics of the run. Not a
                            defect */

    double max_strain;  /* largest principal stretch minus one; 0 if none is above 1 */
    double min_strain;  /* smallest principal stretch minus one; 0 if none is below 1 */
    int inverted_faces; /* faces of zero area in the world (corners exactly on a line) or inverted
                           in material space. A face that is folded flat onto its neighbour is an
                           intersection instead */
    int inverted_cloth, inverted_face; /* the first inverted face; -1: none */
    int lost_nodes; /* nodes with a position that is not finite or beyond 1e30 m; the other numbers
                       exclude their faces */
} vo_inspection;

/* Inspects the current state. Uses the threads of the context; the result does not depend on their
 * number. Memory is kept for the next call. VO_NO_MEMORY is the only failure. */
VO_API vo_result vo_sim_inspect(const vo_sim *sim, vo_inspection *out);

/* Number of all intersecting pairs. */
VO_API int vo_inspection_intersections(const vo_inspection *inspection);
/* Returns true if there are no intersections, nodes inside obstacles, inverted faces and lost
 * nodes. */
VO_API bool vo_inspection_is_clean(const vo_inspection *inspection);

/* Receives one finding as a message with file and location; `text` is valid during the call. */
typedef void vo_finding_fn(void *user, bool fatal, const char *text);

/* Called once per inspected state: each frame of a run, the initial state of a scene, or the mesh.
 */
typedef void vo_inspection_fn(void *user, int frame, const vo_inspection *inspection);

typedef enum vo_check_kind {
    VO_CHECK_RUN, /* a folder: all bytes of every frame; intersections are fatal, strain above 1 is
                     a warning */
    VO_CHECK_SCENE, /* a scene with all its files; intersections of the initial state are warnings.
                       The PLY file shows those that untangling does not remove */
    VO_CHECK_CLOTH, /* a mesh for cloth; self-intersections are warnings */
    VO_CHECK_OBSTACLE, /* a mesh for an obstacle; self-intersections are warnings */
} vo_check_kind;

/* Defaults of vo_check_def_default in square brackets. */
typedef struct vo_check_def {
    vo_check_kind kind; /* [VO_CHECK_RUN] */
    const char *path;   /* [NULL] required */
    int first, last; /* [0, -1] frames of a run; last -1: to the end. Other frames are neither read
                        nor reported as missing */
    const char *ply; /* [NULL] PLY file to write, see vo_check */
    int ply_frame; /* [-1] frame of a run that the PLY file shows, with or without a defect; -1: the
                      first frame with a defect */
    vo_finding_fn *finding;      /* [NULL] called for each finding */
    vo_inspection_fn *inspected; /* [NULL] called for each inspected state */
    vo_progress_fn *progress; /* [NULL] called after each frame of a run; returns false to cancel */
    void *user;               /* [NULL] argument of these callbacks */
    int *unreadable_frames;   /* [NULL] out: number of frames of a run that are missing, damaged or
                                 cannot be read */
} vo_check_def;

VO_API vo_check_def vo_check_def_default(void);

/* Checks a run, scene or mesh and reports findings; VO_BAD_DATA if a finding is fatal, as for input
 * that cannot be read.
 * In a run, missing and damaged frames do not prevent the check of the others. A frame is missing
 * if a later one exists or the statistics contain it. The first message about intersections states
 * a remedy and is followed by some of the pairs; defects that recur in later frames are counted in
 * one message at the end.
 *
 * The PLY file shows all cloths and obstacles in colours: intersecting faces red, faces with a node
 * inside an obstacle orange, other cloth light grey, obstacles blue-grey. A state without defects
 * is written only if ply_frame selects it. *wrote_ply (may be NULL) is true if the file was
 * written. VO_IO_FAILED if it cannot be written.
 *
 * VO_CANCELLED if `progress` returns false, or the cancel callback of the context, which is polled
 * while the scene is set up and before each frame, returns true. */
VO_API vo_result vo_check(vo_context *ctx, const vo_check_def *def, bool *wrote_ply);

/* Call vo_check for a mesh, scene or run, with the defaults for all other members. */
VO_API vo_result vo_check_mesh(vo_context *ctx, const char *path, vo_mesh_use use,
                               vo_finding_fn *fn, void *user);
VO_API vo_result vo_check_scene(vo_context *ctx, const char *path, vo_finding_fn *fn, void *user);
VO_API vo_result vo_check_run(vo_context *ctx, const char *folder, vo_finding_fn *fn, void *user);

#ifdef __cplusplus
}
#endif
#endif
