/* Garment patterns: flat panels, what is sewn to what, and where the panels start around a body.
 *
 *         neck                         A panel is a flat piece of cloth, drawn as it is seen from
 *        o--.__ shoulder               outside the garment, y up. Its outline is a ring of named
 *        |      o                      edges (chains of cubic curves, pattern_curve.h), always
 *        |     ( armhole               counter-clockwise here whatever way the file draws it, so
 *   fold |      \                      that the cloth is on the left of every edge and its right
 *        |       o                     side looks out. Holes are further rings, clockwise.
 *        |       | side
 *        o-------o                     A seam joins two chains of edges, a and b. Two pieces that
 *          hem                         both look out meet like this:
 *
 *                                          panel 1  |^ v|  panel 2
 *                                                  a|| ||b
 *                                                   || ||
 *      so the one chain runs with its outline and the other against it. A seam that says otherwise
 *      would turn a panel inside out; it is kept as read, named by the check, and not sewn.
 *
 * Lengths along a seam correspond by fraction, between notches of the same name on both sides. A
 * dart is no thing of its own: it is a gap cut into the outline (or a hole in the panel) and a seam
 * that closes it. A panel cut on the fold is unfolded when it is read, and a mirrored twin is a
 * panel like any other, so what follows knows neither.
 *
 * Everything is in metres and radians. All memory of a pattern lies in one arena: a pattern is read
 * whole, never edited, and freed whole. */
#ifndef VO_SCENE_PATTERN_H
#define VO_SCENE_PATTERN_H

#include "core/memory.h"
#include "math/quat.h"
#include "mesh/mesh.h"
#include "scene/pattern_curve.h"

typedef struct vo_pattern_edge {
    const char *name; /* the parts that a dart leaves of an edge share its name */
    int piece_count;
    const vo_bezier *piece;
    double length; /* m */
    int loop;      /* 0: the outline */
    int next;      /* the edge that starts where this one ends */
} vo_pattern_edge;

typedef struct vo_pattern_notch {
    const char *name; /* "" if it has none */
    int edge;
    double at; /* m from the start of the edge */
} vo_pattern_notch;

/* A line inside a panel that is kept as edges of the mesh: a crease, a pocket, a marking. */
typedef struct vo_pattern_line {
    int piece_count;
    const vo_bezier *piece;
} vo_pattern_line;

typedef enum vo_place_kind {
    VO_PLACE_FLAT, /* where `transform` takes (x, y, 0) */
    VO_PLACE_WRAP, /* rolled around an axis */
    VO_PLACE_CONE, /* the same, around a cone: for what is cut from a circle */
} vo_place_kind;

/* Rolled panels keep their lengths. At `anchor` the panel touches the cylinder at `angle` (0 is the
 * front, growing to the wearer's left) and `height` along the axis. On a cone the anchor is the
 * point its circles are drawn around; it sits on the axis at `height`, and below it the cloth
 * spreads by `slope` from the axis (half a turn of cloth makes half a turn where that is 90
 * degrees); `radius` is how far the panel is moved outwards as a whole. On a fluted cone a turn of
 * cloth makes a turn; what is too much for the cone lies in flutes. There `height` is that of the
 * inner edge, where the cone begins with the circle the cloth has. */
typedef struct vo_pattern_place {
    vo_place_kind kind;
    vo_transform transform;
    const char *axis;
    double radius, angle, height, slope;
    vo_vec2 anchor;
    int flutes;   /* of a whole turn; 0: a plain cone */
    double inner; /* m, of fluted cones: radius at which they begin */
} vo_pattern_place;

typedef struct vo_pattern_panel {
    const char *name;
    int fabric, layer; /* index into the pattern's fabrics; 0 is next to the skin */
    double grain;      /* rad, direction of the warp from the panel's x */
    int edge_count, edge_capacity;
    vo_pattern_edge *edge; /* loop after loop, each in its order */
    int loop_count;
    int notch_count, notch_capacity;
    vo_pattern_notch *notch;
    int line_count, line_capacity;
    vo_pattern_line *line;
    vo_pattern_place place;
    int twin;    /* the panel that is its mirror image, or -1 */
    bool folded; /* it is its own mirror image: edge e of the outline is that of edge n - 1 - e */
} vo_pattern_panel;

typedef struct vo_pattern_ref {
    int panel, edge;
} vo_pattern_ref;

typedef struct vo_pattern_seam {
    const char *name;
    int count[2];
    vo_pattern_ref *side[2]; /* a, then b, both from the same end of the seam */
    bool same_way;           /* b runs with its outline as a does: twisted */
    double ease;             /* how much longer one side may be; inf: as much as it likes */
} vo_pattern_seam;

/* What is special about a set of edges; node_label is its index + 1. */
typedef struct vo_pattern_label {
    const char *name;
    bool pinned;
    double elastic; /* length at rest over length in the pattern; 1: plain cloth */
    int count;
    vo_pattern_ref *edge;
} vo_pattern_label;

/* What panels are rolled around. Angle 0 is towards `front`, height 0 at the origin. */
typedef struct vo_pattern_axis {
    const char *name;
    vo_vec3 origin, direction, front; /* the last two unit and perpendicular once read */
} vo_pattern_axis;

/* A body in the numbers that garments are drafted by: where it is widest and narrowest, and how far
 * it is around there. All 0: unknown. */
typedef enum vo_girth { VO_GIRTH_HIP, VO_GIRTH_WAIST, VO_GIRTH_BUST, VO_GIRTHS } vo_girth;
typedef struct vo_body_sizes {
    double height;           /* m, floor to crown */
    double crotch;           /* m, height at which the legs part */
    double shoulder;         /* m, height of the shoulder joints */
    double level[VO_GIRTHS]; /* m, height of each girth */
    double girth[VO_GIRTHS]; /* m, around it, as a tape goes */
    double neck;             /* m, around it where it is narrowest; 0: unknown */
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
    vo_pattern_axis *axis; /* the file's own; vo_pattern_axes has the usual ones */
    vo_body_sizes body;    /* it was drafted for; height 0: the file does not say */
} vo_pattern;

/* Reads our format (docs/patterns.md) or GarmentCode's, told apart by what is in it. */
vo_result vo_pattern_parse(vo_context *ctx, const char *file, const char *text, size_t size,
                           vo_pattern **out);
vo_result vo_pattern_load(vo_context *ctx, const char *path, vo_pattern **out);
void vo_pattern_destroy(vo_pattern *pattern); /* NULL is allowed */

/* Trunk, arms and legs of a body of 1.72 m in its rest pose: z up, the face towards -y. */
enum { VO_PATTERN_AXES = 6 };
extern const vo_pattern_axis vo_pattern_axes[VO_PATTERN_AXES];

double vo_pattern_panel_area(const vo_pattern_panel *panel); /* m^2, exact for the curves */
double vo_pattern_side_length(const vo_pattern *pattern, const vo_pattern_seam *seam, int side);
/* The longer side over the shorter one, less 1. */
double vo_pattern_seam_excess(const vo_pattern *pattern, const vo_pattern_seam *seam);
int vo_pattern_find_panel(const vo_pattern *pattern, const char *name); /* -1: none */

/* The first seam that cannot be sewn as it is drawn: a side longer than its ease allows, or both
 * running the same way. VO_BAD_DATA naming file, seam, lengths. */
vo_result vo_pattern_check(const vo_pattern *pattern);

/* pattern_measure.c: measures a body at rest, in its own frame: z up, facing -y, standing on z = 0.
 * `shoulder` is the height of its shoulder joints. VO_BAD_DATA if it is not like a person. */
vo_result vo_body_measure(const vo_mesh *body, double shoulder, vo_body_sizes *out);
/* Sets sizes->neck of a body measured so, whose neck begins at `base`. */
vo_result vo_body_measure_neck(const vo_mesh *body, vo_vec3 base, vo_body_sizes *sizes);

/* pattern_fit.c: redraws the pattern for another body than it was drafted for, as a tailor grades
 * one: panels around the trunk get wider by the ratio of the girths at their height, and reach from
 * one level to the other; rings around the waist or the neck keep their angle; sleeves and collars
 * get as wide as what they are sewn to. Seams may then differ a little more in length than before;
 * their ease grows with that. Nothing happens to a pattern that does not say what body it is for.
 */
vo_result vo_pattern_fit(vo_pattern *pattern, const vo_body_sizes *body);

/* A drawing of the flat panels: seams coloured in pairs, grain, notches, names. */
vo_result vo_pattern_save_svg(const vo_pattern *pattern, const char *path);

/* Two nodes of different (or the same) panels that sewing brings together. */
typedef struct vo_pattern_link {
    int node[2];
    int seam;
} vo_pattern_link;

typedef struct vo_garment_def {
    double edge_length; /* [0] m; 0: so that there are about face_target faces */
    int face_target;    /* [300] */
    int axis_count;     /* [0] axes of the body at hand; they come before the file's and ours */
    const vo_pattern_axis *axis;
} vo_garment_def;
vo_garment_def vo_garment_def_default(void);

/* A pattern as a mesh that is not sewn yet. Node i and vert i are the same point;
 * vert_patch is the panel, face_label the fabric, node_label the label, and edge_label
 * 1 on the lines inside. */
typedef struct vo_garment {
    vo_context *ctx;
    vo_mesh *mesh;
    double edge_length; /* m, that was aimed at */
    int link_count, link_capacity;
    vo_pattern_link *link; /* by seam, and along each seam from its start */
    int *node_group; /* [node_count] nodes that become one have the same; the lowest of them */
} vo_garment;

/* Samples, triangulates and places every panel. Both sides of a seam have the same number of points
 * at the same fractions, and no two triangles become one when it is closed. */
vo_result vo_garment_create(const vo_pattern *pattern, const vo_garment_def *def, vo_garment **out);
void vo_garment_destroy(vo_garment *garment); /* NULL is allowed */

/* pattern_elastic.c: the cloth along elastic edges gets narrower in material space, all of it up to
 * a hand's breadth away and then less. */
void vo_garment_tighten(vo_garment *garment, const vo_pattern *pattern);

/* Seams whose sides lie crosswise as placed: each start is nearer to the other side's end. Returns
 * their number; the first `capacity` of them are in `seam`. */
int vo_garment_find_twists(const vo_garment *garment, const vo_pattern *pattern, int capacity,
                           int *seam);

/* Linked nodes become one, at the mean of their places and velocities; verts stay. */
vo_result vo_pattern_merge(const vo_mesh *mesh, int link_count, const vo_pattern_link *link,
                           vo_mesh **out);
/* The same for nodes on the border that are nearer than `distance` in the world, as ARCSim does. */
vo_result vo_pattern_merge_near(const vo_mesh *mesh, double distance, vo_mesh **out);

#endif
