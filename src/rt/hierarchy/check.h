/* Checks of a mesh in memory or in a snapshot, without scratch memory. */
#ifndef VO_RT_HIERARCHY_CHECK_H
#define VO_RT_HIERARCHY_CHECK_H

#include "rt/hierarchy/mesh_private.h"

#include <string.h>

/* The saved arrays of a mesh as bytes of any alignment, and its counts. */
typedef struct vo_rt_mesh_image {
    const vo_rt_mesh *mesh; /* counts and heads of lists; its arrays are not read */
    const uint8_t *edge, *triangle, *vertex_flags, *vertex_level, *vertex_edge, *stiffness;
    const uint8_t *triangle_source, *spring_edge, *bend_edge;
    const vo_rt_triangle *base_triangle; /* [asset->triangle_count] for their rest areas */
} vo_rt_mesh_image;

static inline vo_rt_edge vo_rt_edge_at(const vo_rt_mesh_image *image, int i) {
    vo_rt_edge e;
    memcpy(&e, image->edge + (size_t)i * sizeof e, sizeof e);
    return e;
}
static inline vo_rt_triangle vo_rt_triangle_at(const vo_rt_mesh_image *image, int i) {
    vo_rt_triangle t;
    memcpy(&t, image->triangle + (size_t)i * sizeof t, sizeof t);
    return t;
}
static inline int32_t vo_rt_index_at(const uint8_t *array, int i) {
    int32_t value;
    memcpy(&value, array + (size_t)i * sizeof value, sizeof value);
    return value;
}
/* True if an edge or triangle of this index exists. */
static inline bool vo_rt_has_edge(const vo_rt_mesh_image *image, int i) {
    return i >= 0 && i < image->mesh->edge_end &&
           (vo_rt_edge_at(image, i).flags & VO_RT_EDGE_USED) != 0;
}
static inline bool vo_rt_has_triangle(const vo_rt_mesh_image *image, int i) {
    return i >= 0 && i < image->mesh->triangle_end && vo_rt_triangle_at(image, i).is_used == 1;
}
static inline bool vo_rt_has_vertex(const vo_rt_mesh_image *image, int i) {
    return i > 0 && i < image->mesh->front.vertex_end &&
           (image->vertex_flags[i] & VO_RT_VERTEX_USED) != 0;
}

/* NULL if the tree is consistent, otherwise the violated rule. Every index is in range
 * afterwards. */
const char *vo_rt_check_tree(const vo_rt_mesh_image *image);
/* The same for free lists, counts and leaf lists; the tree must be consistent. */
const char *vo_rt_check_lists(const vo_rt_mesh_image *image);

#endif
