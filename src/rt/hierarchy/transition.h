/* Configurations of a divided triangle and the transitions between them.
 *
 * Simnett, Laycock and Day 2010, 3.1. A triangle has six local points, its corners 0 1 2 and the
 * midpoints 3 4 5 of the edges 0 1 2 (edge i is opposite corner i):
 *
 *            2
 *           / \            local edges: 0 to 2 whole edges, 3 to 8 their halves (3 + 2 i near
 *          4   3           corner i + 1, 4 + 2 i near corner i + 2), 9 to 11 medians (corner i to
 *         /     \          midpoint 3 + i), 12 to 14 midlines (12 + i cuts off corner i)
 *        0---5---1
 *
 * The eleven configurations use 16 different interior triangles and 6 interior edges, so a
 * configuration is a set of 16 + 6 bits, and the transition between two configurations is the
 * difference of their sets: common elements stay, the others are removed or created. All 104
 * ordered pairs of configurations of different states follow from the eleven rows; there is no
 * table of transitions. An element occupies the slot of vo_rt_triangle.child or .interior that
 * equals its rank in the set. */
#ifndef VO_RT_HIERARCHY_TRANSITION_H
#define VO_RT_HIERARCHY_TRANSITION_H

#include <voile/rt.h>

enum {
    VO_RT_CONFIGURATIONS = 11,
    VO_RT_ALL_SPLIT = 10, /* the configuration C10 */
    VO_RT_INTERIOR_TRIANGLES = 16,
    VO_RT_FIRST_CHILD = 12,   /* interior triangles 12 to 15 are those of C10 */
    VO_RT_INTERIOR_EDGES = 6, /* local edges 9 to 14 */
    VO_RT_LOCAL_EDGES = 15,
    VO_RT_FIRST_INTERIOR = 9
};

typedef struct vo_rt_configuration {
    uint16_t triangles; /* set of vo_rt_interior_triangle */
    uint8_t edges;      /* set of local edges 9 to 14 */
    uint8_t state;      /* bit i: edge i is split */
    uint8_t mass[6];    /* area of the interior triangles at each point, quarters of the area */
} vo_rt_configuration;

/* Interior triangle, counter-clockwise. */
typedef struct vo_rt_interior_triangle {
    uint8_t point[3];
    uint8_t edge[3];  /* local edge opposite each point */
    uint8_t side[3];  /* side of an interior edge; 0 for the others */
    uint8_t quarters; /* area, quarters of the divided triangle */
} vo_rt_interior_triangle;

extern const vo_rt_configuration vo_rt_configurations[VO_RT_CONFIGURATIONS];
extern const vo_rt_interior_triangle vo_rt_interior_triangles[VO_RT_INTERIOR_TRIANGLES];
/* Ends of the local edges 9 to 14; side 0 is the triangle in which the edge runs from [0] to [1].
 */
extern const uint8_t vo_rt_interior_edges[VO_RT_INTERIOR_EDGES][2];
/* First configuration of a state; states of two split edges have a second one behind it. */
extern const uint8_t vo_rt_first_configuration[8];

/* The difference between two configurations. */
typedef struct vo_rt_transition {
    uint16_t kept_triangles, removed_triangles, created_triangles;
    uint8_t kept_edges, removed_edges, created_edges;
} vo_rt_transition;

static inline vo_rt_transition vo_rt_transition_between(int from, int to) {
    const vo_rt_configuration *a = &vo_rt_configurations[from], *b = &vo_rt_configurations[to];
    return (vo_rt_transition){.kept_triangles = a->triangles & b->triangles,
                              .removed_triangles = (uint16_t)(a->triangles & ~b->triangles),
                              .created_triangles = (uint16_t)(b->triangles & ~a->triangles),
                              .kept_edges = a->edges & b->edges,
                              .removed_edges = (uint8_t)(a->edges & ~b->edges),
                              .created_edges = (uint8_t)(b->edges & ~a->edges)};
}

/* Number of interior triangles and edges that a transition removes or creates. */
int vo_rt_transition_cost(int from, int to);

/* Configuration of `state` with the least change; -1 on a tie between the two of the state. */
extern const int8_t vo_rt_transition_targets[VO_RT_CONFIGURATIONS][8];
static inline int vo_rt_transition_target(int from, int state) {
    return vo_rt_transition_targets[from][state];
}

static inline int vo_rt_lowest_bit(unsigned set) { return __builtin_ctz(set); }
/* Slot of element `bit` of a set. */
static inline int vo_rt_slot_of(unsigned set, int bit) {
    return __builtin_popcount(set & ((1u << bit) - 1));
}

#endif
