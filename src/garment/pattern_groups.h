/* Groups of nodes that sewing merges: a union-find forest whose roots are the lowest nodes. */
#ifndef VO_GARMENT_PATTERN_GROUPS_H
#define VO_GARMENT_PATTERN_GROUPS_H

#include "core/union_find.h"

/* Makes each node a group of its own. */
static inline void vo_groups_init(int count, int *group) {
    for (int i = 0; i < count; i++) group[i] = i;
}

/* Sets group[i] to the root of i, the lowest node of its group. */
static inline void vo_groups_flatten(int count, int *group) {
    for (int i = 0; i < count; i++) group[i] = vo_union_find_root(group, i);
}

#endif
