/* Output on the stable render topology: positions, normals, tangents, motion vectors. */
#ifndef VO_RT_DETAIL_OUTPUT_H
#define VO_RT_DETAIL_OUTPUT_H

#include "rt/hierarchy/mesh.h"

/* Leaf vertices and weights of an output vertex, updated after each change of the front. */
typedef struct vo_rt_binding {
    int32_t slot[3];
    float weight[3];
} vo_rt_binding;

typedef struct vo_rt_detail {
    vo_rt_binding *binding;         /* [render_vertex_count]; host's allocator, made at creation */
    vo_rt_vec3 *current, *previous; /* [render_vertex_count] m, last two published positions */
    vo_rt_vec3
        *blend; /* [render_vertex_count] m, offset that hides a change of the front; decays */
    uint64_t topology; /* of the front for which the bindings hold */
} vo_rt_detail;

bool vo_rt_detail_init(vo_rt_detail *detail, const vo_allocator *allocator,
                       const vo_rt_asset *asset);
void vo_rt_detail_free(vo_rt_detail *detail, const vo_allocator *allocator,
                       const vo_rt_asset *asset);
/* After a major step: new bindings; `blend` takes up the difference of the shown positions, so that
 * nothing moves at the moment of a change. */
void vo_rt_detail_rebind(vo_rt_detail *detail, const vo_rt_mesh *mesh);
/* Publishes the positions of a world step that lasted `dt`: interpolates between front.shown and
 * front.position by `alpha`, adds the decaying blend. */
void vo_rt_detail_publish(vo_rt_detail *detail, const vo_rt_mesh *mesh, float alpha, float dt);
/* Writes into the host's buffers. */
void vo_rt_detail_write(const vo_rt_detail *detail, const vo_rt_mesh *mesh, float alpha,
                        const vo_rt_output *output);

#endif
