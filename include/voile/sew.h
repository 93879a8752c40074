/* Voile: sewing of patterns into garments around a body (docs/patterns.md). */
#ifndef VOILE_SEW_H
#define VOILE_SEW_H

#include <voile/character.h>
#include <voile/mesh.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum vo_sew_phase {
    VO_SEW_PULLING,  /* seams pull the panels together */
    VO_SEW_RELAXING, /* the sewn garment comes to rest */
} vo_sew_phase;

typedef struct vo_sew_progress {
    vo_sew_phase phase;
    int garment, garments; /* index of the current garment, number of garments */
    const char *pattern;   /* file of the current garment */
    int step;              /* number of steps in this phase */
    double done;           /* fraction of the whole call, 0 to 1; estimate, non-decreasing */
    double gap;            /* m, largest distance between points that a seam joins */
    double speed;          /* m/s, of the fastest node */
    double elapsed_s;      /* s, since sewing began */
} vo_sew_progress;

/* Called after each step, in the thread of the caller. Returns false to cancel: the call then ends
 * with VO_CANCELLED. */
typedef bool vo_sew_progress_fn(void *user, const vo_sew_progress *progress);

/* Defaults of vo_sew_def_default in square brackets. */
typedef struct vo_sew_def {
    const char *pattern;        /* [NULL] pattern file; required */
    const char *body;           /* [NULL] file of a body in its rest pose: .obj, .glb, .fbx or .dae.
                                   NULL: the mannequin below */
    double body_units;          /* [0] m, unit of length of that file; 0: the file's own */
    vo_up_axis body_up;         /* [VO_UP_FILE] up axis of that file */
    vo_mannequin_def mannequin; /* [vo_mannequin_def_default with 12,000 faces] */
    bool no_body;               /* [false] sew without a body */
    bool fit;           /* [true] a pattern that names the sizes it was drawn for is graded to
                           the body */
    double edge_length; /* [0.03] m, of the garment's mesh; 0: chosen by face_target */
    int face_target;    /* [0] approximate number of faces, if edge_length is 0 */
    const char *fabric; /* [NULL] fabric of all panels: a file, or a name in assets/fabrics. NULL:
                           the fabrics of the pattern */
    double thickness;   /* [0.002] m, distance that contacts maintain */
    vo_sew_progress_fn *progress; /* [NULL] */
    void *user;                   /* [NULL] for progress */
} vo_sew_def;

typedef struct vo_sew_report {
    int faces, nodes, seams, stitches;
    double gap;        /* m, largest distance of two points when they were merged into one node */
    double max_strain; /* largest principal stretch minus one, at the end */
    double speed;      /* m/s, of the fastest node at the end */
    int steps;         /* simulated steps of 10 ms */
    double wall_s;     /* s, elapsed time */
    bool was_stored;   /* read from the cache; `steps` are those of the first time */
} vo_sew_report;

VO_API vo_sew_def vo_sew_def_default(void);

/* Sews one garment, which is then at rest, closed at all seams and free of intersections. *garment
 * is a mesh for vo_scene_add_cloth; its face labels are indices of the pattern's fabrics. *body
 * (`body` may be NULL) receives a mesh of the body, NULL without one. The caller destroys both.
 * `report` may be NULL. Garments are kept in the cache of the context (vo_context_def): the same
 * pattern, body and fabrics are sewn once. The result has the same bits for any number of threads,
 * and from the cache. If a seam cannot be
 * closed: VO_BAD_DATA with a message that names the seam, its gap and the remedy. */
VO_API vo_result vo_sew(vo_context *ctx, const vo_sew_def *def, vo_mesh **garment, vo_mesh **body,
                        vo_sew_report *report);

/* Writes a drawing of the flat panels of a pattern file as SVG. */
VO_API vo_result vo_sew_save_svg(vo_context *ctx, const char *pattern, const char *svg);

/* Merges panels as ARCSim's `merge` does: combines the material coordinates and faces of the OBJ
 * file `material` with the positions of the OBJ file `world`, which has the same vertices, and
 * merges border nodes of panels that are closer than `distance` (m). The caller destroys *out. */
VO_API vo_result vo_sew_merge(vo_context *ctx, const char *material, const char *world,
                              double distance, vo_mesh **out);

#ifdef __cplusplus
}
#endif
#endif
