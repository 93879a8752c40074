/* Voile: is it sound? Exact answers about a state, and checks of meshes, scenes and runs.
 *
 * Whether two faces intersect and whether a node is inside an obstacle is decided by signs of
 * determinants that are computed without error: there is no tolerance. Nothing of the code that
 * keeps cloth apart while it is simulated takes part. */
#ifndef VOILE_CHECK_H
#define VOILE_CHECK_H

#include <voile/sim.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A face of a cloth and one of a cloth or an obstacle that have a point in common. */
typedef struct vo_face_pair {
    int cloth, face;       /* the first face */
    bool with_obstacle;    /* the other is of an obstacle, else of a cloth */
    int other, other_face; /* which cloth or obstacle, and its face */
    vo_vec3 place;         /* m, the middle of what the boxes around the two have in common */
} vo_face_pair;

enum { VO_INSPECTION_PAIRS = 8 };

/* What a state is like. Lengths in m. */
typedef struct vo_inspection {
    /* Pairs of faces that intersect: of one cloth, of two cloths, of a cloth and an obstacle.
     * Touching counts. Faces that share a node or an edge count if they have more in common than
     * that. Obstacles among each other are not looked at. */
    int self_pairs, cloth_pairs, obstacle_pairs;
    bool complete; /* false: faces with more than 128 pairs stopped counting, and these numbers are
                      lower bounds */
    int pair_count;
    vo_face_pair pair[VO_INSPECTION_PAIRS]; /* [pair_count] the first ones, by cloth and face */

    /* Nodes of cloth inside closed obstacles: those whose every edge has two faces that look to the
     * same side. Inside is where the surface winds around a point, so parts of it may overlap. */
    int closed_obstacles; /* of those that are present */
    int inside_nodes;
    double max_depth; /* distance of the deepest from the obstacle's surface; 0: none is inside */
    int deepest_cloth, deepest_node, deepest_obstacle; /* -1: none */
    vo_vec3 deepest_place;

    /* Nodes of obstacles that are not where their motions have them, by more than 0.1 mm: two
     * obstacles left the cloth between them no room, and they were dented. No defect, but no more
     * what the scene says. */
    int yielded_nodes;
    double max_behind;                /* m, the furthest; 0: none */
    int behind_obstacle, behind_node; /* which; -1: none */
    vo_vec3 behind_place;             /* where it is */

    int held_steps; /* substeps of this frame that had no solution, so that the cloth was held still
                       in them; vo_check has it from the run's statistics. No defect either */

    double max_strain;  /* largest principal stretch minus one; 0 if none is above 1 */
    double min_strain;  /* smallest principal stretch minus one; 0 if none is below 1 */
    int inverted_faces; /* without area in the world (their corners lie on a line, exactly), or
                           turned over in material space. A surface in space has no other way to be
                           inverted; a fold flat onto a neighbour is an intersection */
    int inverted_cloth, inverted_face; /* the first of them; -1: none */
    int lost_nodes; /* at no finite place, or beyond 1e30; their faces are left out above */
} vo_inspection;

/* Looks at the present state. Threads of the context are used; the result does not depend on their
 * number. Memory is kept for the next time. Fails only without memory. */
VO_API vo_result vo_sim_inspect(const vo_sim *sim, vo_inspection *out);

/* All pairs. */
VO_API int vo_inspection_intersections(const vo_inspection *inspection);
/* No intersection, no node inside, no inverted face, no lost node. */
VO_API bool vo_inspection_is_clean(const vo_inspection *inspection);

/* One thing that is wrong, as a sentence that names file and place. */
typedef void vo_finding_fn(void *user, bool fatal, const char *text);

/* What a frame came to: of a run each one, of a scene the initial state, of a mesh itself. */
typedef void vo_inspected_fn(void *user, int frame, const vo_inspection *inspection);

typedef enum vo_check_kind {
    VO_CHECK_RUN,      /* a folder: every frame, to the last byte; intersections are fatal */
    VO_CHECK_SCENE,    /* all its files; intersections of the state that it describes are warnings.
                          The picture shows what untangling leaves of them, if anything */
    VO_CHECK_CLOTH,    /* a mesh for a cloth; self-intersections are warnings */
    VO_CHECK_OBSTACLE, /* a mesh for an obstacle; the same */
} vo_check_kind;

/* In square brackets what vo_check_def_default sets. */
typedef struct vo_check_def {
    vo_check_kind kind;         /* [VO_CHECK_RUN] */
    const char *path;           /* [NULL] must be given */
    int first, last;            /* [0, -1] frames of a run; last -1: to the end. Frames outside are
                                   neither read nor reported as missing */
    const char *ply;            /* [NULL] file for a picture: see vo_check */
    int ply_frame;              /* [-1] of a run: the frame to picture, clean or not; -1: the first
                                   that is not clean */
    vo_finding_fn *finding;     /* [NULL] */
    vo_inspected_fn *inspected; /* [NULL] */
    void *user;                 /* [NULL] for both */
    int *unread;                /* [NULL] gets the number of frames of a run that should be there
                                   and are not, or cannot be read, or are damaged */
} vo_check_def;

VO_API vo_check_def vo_check_def_default(void);

/* Reports what it finds, and returns VO_BAD_DATA if any of it is fatal; what cannot be read is.
 * Of a run, frames that cannot be read, or are damaged, do not keep the others from being checked;
 * a frame that is not there is reported as missing if a later one is there, or if the statistics
 * tell of it.
 * The first sentence about intersections says what to do, and the first frame that has any gets
 * some of its pairs named; of later frames the numbers are told.
 *
 * The picture is a PLY file with colours, of all cloths and obstacles: faces that intersect red,
 * faces of nodes inside an obstacle orange, other cloth light grey, obstacles blue-grey. A state
 * that is clean is pictured only if it was asked for by number; *pictured (may be NULL) says
 * whether there is a picture. VO_IO_FAILED if it cannot be written.
 *
 * VO_STOPPED if the context's `stop` says so (see vo_stop_fn). */
VO_API vo_result vo_check(vo_context *ctx, const vo_check_def *def, bool *pictured);

/* The same in short. */
VO_API vo_result vo_check_mesh(vo_context *ctx, const char *path, vo_mesh_use use,
                               vo_finding_fn *fn, void *user);
VO_API vo_result vo_check_scene(vo_context *ctx, const char *path, vo_finding_fn *fn, void *user);
VO_API vo_result vo_check_run(vo_context *ctx, const char *folder, vo_finding_fn *fn, void *user);

#ifdef __cplusplus
}
#endif
#endif
