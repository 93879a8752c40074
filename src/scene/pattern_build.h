/* Putting a pattern together: what the readers of both formats share. */
#ifndef VO_SCENE_PATTERN_BUILD_H
#define VO_SCENE_PATTERN_BUILD_H

#include "codec/json.h"
#include "scene/pattern.h"

enum { VO_PATTERN_PIECES = 64 }; /* curve pieces of an edge, at most */
#define VO_PATTERN_LIMIT 1000.0  /* m; coordinates and sizes are smaller */

/* Room for one more element of an array in the pattern's arena; the element is cleared. */
bool vo_pattern_grow(vo_pattern *p, void **array, int count, int *capacity, size_t size);
#define vo_pattern_more(p, array, count, capacity) \
    vo_pattern_grow((p), (void **)(array), (count), (capacity), sizeof **(array))

/* Copies of a text and of curve pieces; NULL without memory. */
const char *vo_pattern_text(vo_pattern *p, const char *text);

/* Takes over what the file says in `doc`; the two formats. */
vo_result vo_pattern_read(vo_pattern *p, vo_json_at root);
bool vo_garmentcode_detect(vo_json_at root);
vo_result vo_garmentcode_read(vo_pattern *p, vo_json_at root);

vo_result vo_pattern_add_panel(vo_pattern *p, const char *name, vo_pattern_panel **out);
vo_result vo_pattern_add_edge(vo_pattern *p, vo_pattern_panel *panel, const char *name, int loop,
                              int count, const vo_bezier *piece);
vo_result vo_pattern_add_fabric(vo_pattern *p, const char *name, int *out);
/* Lengths, neighbours, direction: to be called when all edges are there. NULL if the panel is fine,
 * or what is wrong with it. */
const char *vo_pattern_finish_panel(vo_pattern_panel *panel);
/* m from the anchor of its place to the nearest corner. */
double vo_pattern_inner_radius(const vo_pattern_panel *panel);
/* Area with sign of one loop. */
double vo_pattern_loop_area(const vo_pattern_panel *panel, int loop);

/* All edges of a name; count is 0 if there are none. A folded edge's other half ends in ".m". */
int vo_pattern_find_edges(const vo_pattern_panel *panel, const char *name, int *first);

/* Unfolds a panel over a straight edge. */
vo_result vo_pattern_unfold(vo_pattern *p, vo_pattern_panel *panel, int edge);
/* A mirrored copy under another name, on the other side of the body. */
vo_result vo_pattern_add_twin(vo_pattern *p, int panel, const char *name);

/* Cuts a gap of `width` around `at` (m) into an edge, its tip `depth` inwards, and sews it. */
vo_result vo_pattern_cut_dart(vo_pattern *p, int panel, int edge, const char *name, double at,
                              double width, double depth);
/* A hole in the shape of a diamond, sewn from tip to tip; up and down are lengths. */
vo_result vo_pattern_cut_diamond(vo_pattern *p, int panel, const char *name, vo_vec2 centre,
                                 double width, double up, double down);

/* The mirror image of an edge; false if it has none. */
bool vo_pattern_mirror_ref(const vo_pattern *p, vo_pattern_ref *ref);
/* The same seam on the other side of the body. */
vo_result vo_pattern_mirror_seam(vo_pattern *p, int seam, const char *name);

/* A new seam with room for so many edges a side. */
vo_result vo_pattern_add_seam(vo_pattern *p, const char *name, int a, int b, vo_pattern_seam **out);

#endif
