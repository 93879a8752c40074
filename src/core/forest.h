/* Disjoint sets as a forest: each element points to its parent, roots to themselves. */
#ifndef VO_CORE_FOREST_H
#define VO_CORE_FOREST_H

/* The root of an element's tree; halves the way for those who come later. */
static inline int vo_forest_root(int *parent, int i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

/* Puts two trees together; the lower root stays. */
static inline void vo_forest_join(int *parent, int a, int b) {
    a = vo_forest_root(parent, a);
    b = vo_forest_root(parent, b);
    parent[a > b ? a : b] = a < b ? a : b;
}

#endif
