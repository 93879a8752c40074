#include "rt/hierarchy/transition.h"

/* Tests compare both tables with a triangulation of the six points by brute force. */
const vo_rt_interior_triangle vo_rt_interior_triangles[VO_RT_INTERIOR_TRIANGLES] = {
    /* points    opposite edges  sides      quarters */
    {{0, 1, 3}, {3, 9, 2}, {0, 1, 0}, 2},   {{0, 3, 2}, {4, 1, 9}, {0, 0, 0}, 2},
    {{1, 2, 4}, {5, 10, 0}, {0, 1, 0}, 2},  {{1, 4, 0}, {6, 2, 10}, {0, 0, 0}, 2},
    {{2, 0, 5}, {7, 11, 1}, {0, 1, 0}, 2},  {{2, 5, 1}, {8, 0, 11}, {0, 0, 0}, 2},
    {{0, 3, 4}, {14, 6, 9}, {0, 0, 0}, 1},  {{1, 3, 4}, {14, 10, 3}, {0, 1, 0}, 1},
    {{1, 4, 5}, {12, 8, 10}, {0, 0, 0}, 1}, {{2, 4, 5}, {12, 11, 5}, {0, 1, 0}, 1},
    {{2, 5, 3}, {13, 4, 11}, {0, 0, 0}, 1}, {{0, 5, 3}, {13, 9, 7}, {0, 1, 0}, 1},
    {{0, 5, 4}, {12, 6, 7}, {1, 0, 0}, 1},  {{1, 3, 5}, {13, 8, 3}, {1, 0, 0}, 1},
    {{2, 4, 3}, {14, 4, 5}, {1, 0, 0}, 1},  {{3, 4, 5}, {12, 13, 14}, {0, 0, 0}, 1},
};

const uint8_t vo_rt_interior_edges[VO_RT_INTERIOR_EDGES][2] = {{0, 3}, {1, 4}, {2, 5},
                                                               {4, 5}, {5, 3}, {3, 4}};

const vo_rt_configuration vo_rt_configurations[VO_RT_CONFIGURATIONS] = {
    /* triangles, edges, state, mass of the six points */
    {0x0000, 0x00, 0, {4, 4, 4, 0, 0, 0}}, /* C0 */
    {0x0003, 0x01, 1, {4, 2, 2, 4, 0, 0}}, /* C1 */
    {0x000c, 0x02, 2, {2, 4, 2, 0, 4, 0}}, /* C2 */
    {0x0030, 0x04, 4, {2, 2, 4, 0, 0, 4}}, /* C3 */
    {0x4041, 0x21, 3, {3, 2, 1, 4, 2, 0}}, /* C4 */
    {0x4088, 0x22, 3, {2, 3, 1, 2, 4, 0}}, /* C5 */
    {0x1104, 0x0a, 6, {1, 3, 2, 0, 4, 2}}, /* C6 */
    {0x1220, 0x0c, 6, {1, 2, 3, 0, 2, 4}}, /* C7 */
    {0x2410, 0x14, 5, {2, 1, 3, 2, 0, 4}}, /* C8 */
    {0x2802, 0x11, 5, {3, 1, 2, 4, 0, 2}}, /* C9 */
    {0xf000, 0x38, 7, {1, 1, 1, 3, 3, 3}}, /* C10 */
};

const uint8_t vo_rt_first_configuration[8] = {0, 1, 2, 4, 3, 8, 6, 10};

int vo_rt_transition_cost(int from, int to) {
    const vo_rt_configuration *a = &vo_rt_configurations[from], *b = &vo_rt_configurations[to];
    return __builtin_popcount((unsigned)(a->triangles ^ b->triangles)) +
           __builtin_popcount((unsigned)(a->edges ^ b->edges));
}

/* The cheaper configuration of each state, -1: both cost the same; tests compare it with
 * vo_rt_transition_cost. */
const int8_t vo_rt_transition_targets[VO_RT_CONFIGURATIONS][8] = {
    {0, 1, 2, -1, 3, -1, -1, 10}, /* C0 */
    {0, 1, 2, 4, 3, 9, -1, 10},   /* C1 */
    {0, 1, 2, 5, 3, -1, 6, 10},   /* C2 */
    {0, 1, 2, -1, 3, 8, 7, 10},   /* C3 */
    {0, 1, 2, 4, 3, 9, -1, 10},   /* C4 */
    {0, 1, 2, 5, 3, -1, 6, 10},   /* C5 */
    {0, 1, 2, 5, 3, -1, 6, 10},   /* C6 */
    {0, 1, 2, -1, 3, 8, 7, 10},   /* C7 */
    {0, 1, 2, -1, 3, 8, 7, 10},   /* C8 */
    {0, 1, 2, 4, 3, 9, -1, 10},   /* C9 */
    {0, 1, 2, -1, 3, -1, -1, 10}, /* C10 */
};
