/* Construction of patterns, shared by the readers of both formats. */
#ifndef VO_GARMENT_PATTERN_BUILD_H
#define VO_GARMENT_PATTERN_BUILD_H

#include "codec/json.h"
#include "garment/pattern.h"

enum { VO_PATTERN_PIECES = 64 }; /* maximum number of curve pieces of an edge */
#define VO_PATTERN_LIMIT 1000.0  /* m; bound of coordinates and sizes */

/* Reserves one more element of an array in the pattern's arena; the element is cleared. */
bool vo_pattern_grow(vo_pattern *p, void **array, int count, int *capacity, size_t size);
#define vo_pattern_more(p, array, count, capacity) \
    vo_pattern_grow((p), (void **)(array), (count), (capacity), sizeof **(array))

/* Copies a string to the pattern's arena; NULL without memory. */
const char *vo_pattern_text(vo_pattern *p, const char *text);

/* Readers of the two formats. On failure the caller destroys the pattern. */
vo_result vo_pattern_read(vo_pattern *p, vo_json_cursor root);
bool vo_garmentcode_detect(vo_json_cursor root);
vo_result vo_garmentcode_read(vo_pattern *p, vo_json_cursor root);

vo_result vo_pattern_add_panel(vo_pattern *p, const char *name, vo_pattern_panel **out);
vo_result vo_pattern_add_edge(vo_pattern *p, vo_pattern_panel *panel, const char *name, int loop,
                              int count, const vo_bezier *piece);
vo_result vo_pattern_add_fabric(vo_pattern *p, const char *name, int *out);
/* Computes lengths, neighbours and orientation; call it after the last edge was added. Returns NULL
 * or a description of the error. */
const char *vo_pattern_finish_panel(vo_pattern_panel *panel);
/* Returns the distance from the anchor of the placement to the nearest corner, m. */
double vo_pattern_inner_radius(const vo_pattern_panel *panel);
/* Returns the signed area of one loop, m^2. */
double vo_pattern_loop_area(const vo_pattern_panel *panel, int loop);

/* Finds all edges of a name; returns their number. The mirrored half of a folded edge has the
 * suffix ".m". */
int vo_pattern_find_edges(const vo_pattern_panel *panel, const char *name, int *first);

/* Unfolds a panel at a straight edge. */
vo_result vo_pattern_unfold(vo_pattern *p, vo_pattern_panel *panel, int edge);
/* Adds a mirrored copy under another name, on the other side of the body. */
vo_result vo_pattern_add_twin(vo_pattern *p, int panel, const char *name);

/* Cuts a gap of `width` at `at` (m) into an edge, its tip `depth` inwards, and adds the seam. */
vo_result vo_pattern_cut_dart(vo_pattern *p, int panel, int edge, const char *name, double at,
                              double width, double depth);
/* Cuts a diamond-shaped hole, sewn from tip to tip; up and down are lengths, m. */
vo_result vo_pattern_cut_diamond(vo_pattern *p, int panel, const char *name, vo_vec2 centre,
                                 double width, double up, double down);

/* Adds the same seam on the other side of the body. */
vo_result vo_pattern_mirror_seam(vo_pattern *p, int seam, const char *name);

/* Adds a seam with space for `a` and `b` edges on its sides. */
vo_result vo_pattern_add_seam(vo_pattern *p, const char *name, int a, int b, vo_pattern_seam **out);

#endif
