/* Output on the stable render topology: positions, normals, tangents, motion vectors.
 *
 * Each output vertex is bound to a leaf triangle. After a change of the front only the vertices of
 * those base triangles are bound again whose subtree changed: a hash of its configurations and
 * vertex slots is compared. Rejected: testing whether the leaf of each vertex still exists, because
 * indices of triangles and slots are reused. */
#ifndef VO_RT_DETAIL_OUTPUT_H
#define VO_RT_DETAIL_OUTPUT_H

#include "rt/hierarchy/mesh.h"

/* Leaf vertices and weights of an output vertex, updated after each change of the front. */
typedef struct vo_rt_binding {
    int32_t slot[3];
    float weight[3];
} vo_rt_binding;

/* About 100 bytes per output vertex. */
typedef struct vo_rt_detail {
    void *memory; /* one block for all arrays; host's allocator, made at creation */
    size_t memory_bytes;
    vo_rt_binding *binding;         /* [render_vertex_count] */
    vo_rt_vec3 *current, *previous; /* [render_vertex_count] m, last two published positions */
    vo_rt_vec3
        *blend; /* [render_vertex_count] m, offset that hides a change of the front; decays */
    vo_rt_vec4 *tangent; /* [render_vertex_count] temporary of vo_rt_detail_write */
    int32_t *order;      /* [render_vertex_count] output vertices sorted by base triangle
                            and position in it */
    int32_t *first;      /* [triangle_count + 1] begin of each base triangle in `order` */
    uint64_t *base_hash; /* [triangle_count] of the subtree for which the bindings hold */
    uint64_t topology;   /* of the front for which the bindings hold */
    float alpha;         /* of the last vo_rt_detail_publish */
    bool has_output;     /* something was published since the last reset */
    bool has_blend;      /* some element of `blend` may not be 0 */
} vo_rt_detail;

bool vo_rt_detail_init(vo_rt_detail *detail, const vo_allocator *allocator,
                       const vo_rt_asset *asset);
/* A detail that is zero is allowed. */
void vo_rt_detail_free(vo_rt_detail *detail, const vo_allocator *allocator,
                       const vo_rt_asset *asset);
/* After a major step: new bindings; `blend` takes up the difference of the shown positions, so that
 * nothing moves at the moment of a change. Must be called before front.shown and front.position are
 * changed by the next step, since it evaluates them as the last vo_rt_detail_publish did. Returns
 * at once if the topology is unchanged. Cost: about 5 ns per triangle of the tree and 60 ns per
 * vertex that is bound again. */
void vo_rt_detail_rebind(vo_rt_detail *detail, const vo_rt_mesh *mesh);
/* The same if the front differs from that of the bindings by these edits only, which were made by
 * one vo_rt_mesh_apply. Cost: 5 ns per triangle below the base triangles beside the edits. */
void vo_rt_detail_rebind_edits(vo_rt_detail *detail, const vo_rt_mesh *mesh,
                               const vo_rt_edits *edits);
/* Publishes the positions of a world step that lasted `dt`: interpolates between front.shown and
 * front.position by `alpha`, 0 to 2, adds the decaying blend. Above 1 the motion is extrapolated.
 */
void vo_rt_detail_publish(vo_rt_detail *detail, const vo_rt_mesh *mesh, float alpha, float dt);
/* The next publication starts anew: no blend, and its positions are the previous ones as well.
 * For teleports and resets. */
void vo_rt_detail_reset(vo_rt_detail *detail);
/* Subtracts an offset from the published positions (vo_rt_world_shift_origin). */
void vo_rt_detail_shift(vo_rt_detail *detail, const vo_rt_asset *asset, vo_rt_vec3 offset);
/* Writes into the host's buffers: the published positions, normals interpolated from the leaves,
 * tangents of the texture coordinates with their handedness. A stride of 0 means packed. */
void vo_rt_detail_write(const vo_rt_detail *detail, const vo_rt_mesh *mesh,
                        const vo_rt_output *output);

/* State for snapshots: published positions and blends. Returns the bytes; writes if `data` is not
 * NULL. */
size_t vo_rt_detail_save(const vo_rt_detail *detail, const vo_rt_asset *asset, void *data);
/* Restores a state whose size and checksum have been validated, and binds to the restored mesh.
 * False: the size does not match. */
bool vo_rt_detail_restore(vo_rt_detail *detail, const vo_rt_mesh *mesh, const void *data,
                          size_t bytes);

#endif
