/* Garment patterns: flat panels, the seams between them, and their initial placement around a body.
 *
 *         neck               A panel is a flat piece of cloth, drawn as seen from outside the
 *        o--.__ shoulder     garment, y up. Its outline is a closed loop of named edges (chains of
 *        |      o            cubic curves, pattern_curve.h). Readers make it counter-clockwise, so
 *        |     ( armhole     that the cloth is on the left of every edge and its right side faces
 *   fold |      \            outwards. Holes are further loops, clockwise.
 *        |       o
 *        |       | side      A seam joins two chains of edges, a and b. Two panels that both face
 *        o-------o           outwards meet like this:
 *           hem
 *
 *                                          panel 1  |^ v|  panel 2
 *                                                  a|| ||b
 *                                                   || ||
 *      so one chain follows its outline and the other opposes it. Any other seam would turn a panel
 *      inside out; it is kept as read, reported by vo_pattern_check, and not sewn.
 *
 * Lengths along a seam correspond by fraction, between notches of the same name on both sides. A
 * dart is represented as a gap in the outline (or a hole in the panel) and a seam that closes it. A
 * panel cut on the fold is unfolded when it is read, and a mirrored twin is an ordinary panel, so
 * later stages need not distinguish them.
 *
 * All values are in metres and radians. The memory of a pattern is one arena, because a pattern is
 * read, graded and freed as a whole. */
#ifndef VO_GARMENT_PATTERN_H
#define VO_GARMENT_PATTERN_H

#include "character/limb_axes.h"
#include "core/memory.h"
#include "garment/pattern_curve.h"
#include "math/quat.h"
#include "mesh/mesh.h"

typedef struct vo_pattern_edge {
    const char *name; /* the parts into which a dart splits an edge share its name */
    int piece_count;
    const vo_bezier *piece;
    double length; /* m */
    int loop;      /* 0: outline */
    int next;      /* the edge that begins at the end of this one */
} vo_pattern_edge;

typedef struct vo_pattern_notch {
    const char *name; /* "" if it has none */
    int edge;
    double at; /* m from the start of the edge */
} vo_pattern_notch;

/* Line inside a panel that is preserved as edges of the mesh: a crease, a pocket, a marking. */
typedef struct vo_pattern_line {
    int piece_count;
    const vo_bezier *piece;
} vo_pattern_line;

typedef enum vo_panel_placement_kind {
    VO_PLACEMENT_FLAT, /* `transform` maps (x, y, 0) */
    VO_PLACEMENT_WRAP, /* wrapped around an axis */
    VO_PLACEMENT_CONE, /* wrapped around a cone, for circular panels */
} vo_panel_placement_kind;

/* Initial placement of a panel. Wrapping preserves lengths. At `anchor` the panel touches the
 * cylinder at `angle` (0 is the front, increasing to the wearer's left) and `height` along the
 * axis. On a cone the anchor is the centre of the circles; it lies on the axis at `height`, and
 * below it the cloth spreads at the angle `slope` from the axis (at 90 degrees half a turn of cloth
 * covers half a turn); `radius` is the outward displacement of the whole panel. On a fluted cone a
 * full circle of cloth covers a full turn, and the excess length forms flutes; `height` is then
 * that of the inner edge, where the cone begins with the circumference of the cloth. */
typedef struct vo_panel_placement {
    vo_panel_placement_kind kind;
    vo_transform transform;
    const char *axis;
    double radius, angle, height, slope;
    vo_vec2 anchor;
    int flutes;   /* flutes per full turn; 0: a plain cone */
    double inner; /* m, inner radius of fluted cones */
} vo_panel_placement;

typedef struct vo_pattern_panel {
    const char *name;
    int fabric, layer; /* index into the pattern's fabrics; layer 0 is next to the skin */
    double grain;      /* rad, warp direction relative to the panel's x */
    int edge_count, edge_capacity;
    vo_pattern_edge *edge; /* loops one after another, each in its order */
    int loop_count;
    int notch_count, notch_capacity;
    vo_pattern_notch *notch;
    int line_count, line_capacity;
    vo_pattern_line *line;
    vo_panel_placement place;
    int twin;    /* panel that is its mirror image, or -1 */
    bool folded; /* it is its own mirror image: edges e and n - 1 - e of the outline correspond */
} vo_pattern_panel;

typedef struct vo_pattern_ref {
    int panel, edge;
} vo_pattern_ref;

typedef struct vo_pattern_seam {
    const char *name;
    int count[2];
    vo_pattern_ref *side[2]; /* a, then b, both from the same end of the seam */
    bool is_twisted;         /* b follows its outline as a does, which would twist the seam */
    double ease;             /* maximum relative difference in length; inf: unlimited */
} vo_pattern_seam;

/* Properties of a set of edges; node_label is its index + 1. */
typedef struct vo_pattern_label {
    const char *name;
    bool pinned;
    double elastic; /* rest length relative to the length in the pattern; 1: not elastic */
    int count;
    vo_pattern_ref *edge;
} vo_pattern_label;

/* Body measurements that patterns are drafted for. All 0: unknown. */
typedef enum vo_girth { VO_GIRTH_HIP, VO_GIRTH_WAIST, VO_GIRTH_BUST, VO_GIRTHS } vo_girth;
typedef struct vo_body_sizes {
    double height;           /* m, floor to crown */
    double crotch;           /* m, height of the crotch */
    double shoulder;         /* m, height of the shoulder joints */
    double level[VO_GIRTHS]; /* m, height at which each girth is measured */
    double girth[VO_GIRTHS]; /* m, circumference */
    double neck;             /* m, smallest circumference of the neck; 0: unknown */
} vo_body_sizes;

typedef struct vo_pattern {
    vo_context *ctx;
    vo_arena arena;
    const char *file, *description;
    int fabric_count, fabric_capacity;
    const char **fabric; /* names of files in assets/fabrics, or paths */
    int panel_count, panel_capacity;
    vo_pattern_panel *panel;
    int seam_count, seam_capacity;
    vo_pattern_seam *seam;
    int label_count, label_capacity;
    vo_pattern_label *label;
    int axis_count, axis_capacity;
    vo_limb_axis *axis; /* axes of the file, in addition to vo_default_limb_axes */
    vo_body_sizes body; /* body that it was drafted for; height 0: not specified */
    bool is_graded;     /* vo_pattern_fit changed it */
} vo_pattern;

/* Reads Voile's format (docs/patterns.md) or GarmentCode's, distinguished by their content. */
vo_result vo_pattern_parse(vo_context *ctx, const char *file, const char *text, size_t size,
                           vo_pattern **out);
vo_result vo_pattern_load(vo_context *ctx, const char *path, vo_pattern **out);
void vo_pattern_destroy(vo_pattern *pattern); /* NULL is allowed */

double vo_pattern_panel_area(const vo_pattern_panel *panel); /* m^2, exact for the curves */
double vo_pattern_side_length(const vo_pattern *pattern, const vo_pattern_seam *seam, int side);
/* Returns the length of the longer side relative to the shorter one, minus 1. */
double vo_pattern_seam_excess(const vo_pattern *pattern, const vo_pattern_seam *seam);
int vo_pattern_find_panel(const vo_pattern *pattern, const char *name); /* -1: none */

/* Fails on the first seam that cannot be sewn: sides whose lengths differ by more than the ease, or
 * a twisted seam. VO_BAD_DATA with file, seam and lengths. */
vo_result vo_pattern_check(const vo_pattern *pattern);

/* pattern_measure.c: measures a body at rest in its own frame: z up, facing -y, standing on z = 0.
 * `shoulder` is the height of its shoulder joints, m. VO_BAD_DATA if its proportions are not
 * human. */
vo_result vo_body_measure(const vo_mesh *body, double shoulder, vo_body_sizes *out);
/* Sets sizes->neck of a measured body whose neck begins at `base`. */
vo_result vo_body_measure_neck(const vo_mesh *body, vo_vec3 base, vo_body_sizes *sizes);

/* pattern_fit.c: grades the pattern to another body than it was drafted for. Panels around the
 * trunk get wider by the ratio of the girths at their height and are stretched between the levels;
 * rings around the waist or the neck keep their angle; sleeves and collars get as wide as the edges
 * to which they are sewn. The ease of seams grows by the differences in length that grading adds.
 * Patterns that do not specify a body remain unchanged. */
vo_result vo_pattern_fit(vo_pattern *pattern, const vo_body_sizes *body);

/* Draws the flat panels: seams coloured in pairs, grain, notches, names. */
vo_result vo_pattern_save_svg(const vo_pattern *pattern, const char *path);

/* Stitch: two nodes that sewing merges. */
typedef struct vo_stitch {
    int node[2];
    int seam;
} vo_stitch;

typedef struct vo_panel_mesh_def {
    double edge_length; /* [0] m; 0: derived from face_target */
    int face_target;    /* [300] */
    int axis_count;     /* [0] axes of the body; they take precedence over those of the file and the
                           defaults */
    const vo_limb_axis *axis;
} vo_panel_mesh_def;
vo_panel_mesh_def vo_panel_mesh_def_default(void);

/* Mesh of a pattern before sewing. Node i and vert i are the same point; vert_patch is the panel,
 * face_label the fabric, node_label the label, and edge_label 1 on interior lines. */
typedef struct vo_garment {
    vo_context *ctx;
    vo_mesh *mesh;
    double edge_length; /* m, target edge length */
    int stitch_count, stitch_capacity;
    vo_stitch *stitch; /* by seam, and along each seam from its start */
    int *node_group;   /* [node_count] lowest node of the group that sewing merges */
} vo_garment;

/* Samples, triangulates and places every panel. Both sides of a seam have the same number of points
 * at the same fractions, and closing the seams creates no duplicate triangles. */
vo_result vo_garment_create(const vo_pattern *pattern, const vo_panel_mesh_def *def,
                            vo_garment **out);
void vo_garment_destroy(vo_garment *garment); /* NULL is allowed */

/* pattern_elastic.c: shortens the cloth along elastic edges in material space, fully near the edge
 * and decreasing with the distance. */
void vo_garment_apply_elastic(vo_garment *garment, const vo_pattern *pattern);

/* Finds seams whose sides are crossed as placed: each start is nearer to the other side's end.
 * Returns their number; `seam` receives the first `capacity`. */
int vo_garment_find_twists(const vo_garment *garment, const vo_pattern *pattern, int capacity,
                           int *seam);

/* Merges stitched nodes at the mean of their positions and velocities; verts are kept. */
vo_result vo_pattern_merge(const vo_mesh *mesh, int link_count, const vo_stitch *link,
                           vo_mesh **out);
/* Merges boundary nodes closer than `distance` in the world, as ARCSim does. */
vo_result vo_pattern_merge_near(const vo_mesh *mesh, double distance, vo_mesh **out);

#endif
