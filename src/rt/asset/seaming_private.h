/* Links between the pieces of a definition. Simnett et al. 2010, section 4.
 *
 * A group of linked vertices is a ring: next[v] is the next member. Exchanging the successors of
 * two members of different rings unites them; doing it again separates them. Uniting relabels the
 * smaller ring, so that n links cost O(n log n). */
#ifndef VO_RT_ASSET_SEAMING_PRIVATE_H
#define VO_RT_ASSET_SEAMING_PRIVATE_H

#include "rt/asset/asset_private.h"

/* Boundary edges that become one: a0 with b0, a1 with b1. */
typedef struct vo_rt_edge_link {
    int32_t a0, a1, b0, b1;
    int32_t half_edge[2]; /* of a and b */
    bool second_controls;
} vo_rt_edge_link;

struct vo_rt_seaming {
    vo_allocator allocator;
    vo_rt_asset_def def; /* refers to `memory` */
    uint8_t *memory;     /* copies of the definition's arrays, then the arrays below */
    size_t memory_bytes;
    int32_t *next;       /* [vertex_count] ring of each vertex */
    int32_t *group;      /* [vertex_count] some member of the ring, equal for all of them */
    int32_t *size;       /* [vertex_count] members, at index group[v] */
    int32_t *fan_offset; /* [vertex_count + 1] triangles of each vertex */
    int32_t *fan;        /* [3 triangle_count] */
    vo_rt_edge_link *edge;
    int edge_count, edge_capacity;
};

/* Copy of the links, for undoing a call that fails halfway. */
typedef struct vo_rt_seaming_backup {
    vo_rt_scratch scratch;
    int32_t *next, *group, *size;
    vo_rt_edge_link *edge;
    int edge_count;
} vo_rt_seaming_backup;
/* False if memory is exhausted. */
bool vo_rt_seaming_save(const vo_rt_seaming *seaming, vo_rt_seaming_backup *backup);
/* Restores the links if `result` is a failure, and releases the backup. Returns `result`. */
vo_result vo_rt_seaming_finish(vo_rt_seaming *seaming, vo_rt_seaming_backup *backup,
                               vo_result result);

/* Links a group; on failure some of the links may have been made. */
vo_result vo_rt_seaming_link_group(vo_rt_seaming *seaming, int count, const int32_t *vertices,
                                   vo_rt_message *message);
/* Smallest member of the group of a vertex. Cost: its size. */
int32_t vo_rt_seaming_first_member(const vo_rt_seaming *seaming, int32_t vertex);

#endif
