/* Voile: patterns sewn into garments around a body (docs/patterns.md). */
#ifndef VOILE_SEW_H
#define VOILE_SEW_H

#include <voile/character.h>
#include <voile/mesh.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum vo_sew_stage {
    VO_SEW_PULLING,  /* panels are drawn together */
    VO_SEW_RELAXING, /* what is sewn comes to rest */
} vo_sew_stage;

typedef struct vo_sew_progress {
    vo_sew_stage stage;
    int garment, garments; /* the one in hand, and how many there are */
    const char *pattern;   /* its file */
    int step;              /* since the stage began */
    double done;           /* 0 to 1, of everything; a guess that only grows */
    double gap;            /* m, largest distance of what is to be sewn together */
    double speed;          /* m/s, of the fastest node */
    double elapsed_s;
} vo_sew_progress;

/* Called after each step. False stops it (VO_STOPPED). */
typedef bool vo_sew_progress_fn(void *user, const vo_sew_progress *progress);

/* In square brackets what vo_sew_def_default sets. */
typedef struct vo_sew_def {
    const char *pattern; /* [NULL] file; must be given */
    const char *body;    /* [NULL] file of a body at rest: .obj, .glb, .fbx or .dae. NULL: the
                            mannequin below */
    double body_units;   /* [0] m in a unit of that file; 0: as it says */
    vo_up_axis body_up;  /* [VO_UP_FILE] */
    vo_mannequin_def mannequin; /* [the default, with 12,000 faces] */
    bool alone;                 /* [false] nobody is there to sew it around */
    bool fit;                   /* [true] a pattern that says for what body it was drawn is redrawn
                                   for this one */
    double edge_length;         /* [0.03] m, of the garment's mesh; 0: by face_target */
    int face_target;            /* [0] */
    const char *fabric; /* [NULL] for all panels, in place of the pattern's own: a file, or the
                           name of one in assets/fabrics */
    double thickness;   /* [0.002] m, distance that contact keeps */
    vo_sew_progress_fn *progress; /* [NULL] */
    void *user;
} vo_sew_def;

typedef struct vo_sew_report {
    int faces, nodes, seams, links;
    double gap; /* m, largest distance of two points when they were joined; they are one now */
    double max_strain; /* largest principal stretch minus one, at rest */
    double speed;      /* m/s, of the fastest node then */
    int steps;         /* of 10 ms */
    double wall_s;
} vo_sew_report;

VO_API vo_sew_def vo_sew_def_default(void);

/* Sews one garment. It ends at rest, without intersections, its seams closed; else with VO_BAD_DATA
 * and a sentence that names what is in the way: a seam, by how much it stays open, and why. The
 * same input gives the same bits for any number of threads. *garment is for vo_scene_add_cloth, its
 * face labels number the pattern's fabrics. `body` may be NULL; it gets a mesh of what the garment
 * was sewn around, to be destroyed by the caller. `report` may be NULL. */
VO_API vo_result vo_sew(vo_context *ctx, const vo_sew_def *def, vo_mesh **garment, vo_mesh **body,
                        vo_sew_report *report);

/* A drawing of the flat panels, as SVG. */
VO_API vo_result vo_sew_draw(vo_context *ctx, const char *pattern, const char *svg);

/* ARCSim's `merge`: the material coordinates and faces of one OBJ, the positions of another with
 * the same vertices; nodes on the border of panels that are nearer than `distance` (m) become one.
 */
VO_API vo_result vo_sew_merge(vo_context *ctx, const char *material, const char *world,
                              double distance, vo_mesh **out);

#ifdef __cplusplus
}
#endif
#endif
