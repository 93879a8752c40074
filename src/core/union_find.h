/* Union-find: disjoint sets as a forest of parent links; a root is its own parent. */
#ifndef VO_CORE_UNION_FIND_H
#define VO_CORE_UNION_FIND_H

/* Root of an element's tree, with path halving. */
static inline int vo_union_find_root(int *parent, int i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

/* Merges two trees; the smaller root index remains the root. */
static inline void vo_union_find_join(int *parent, int a, int b) {
    a = vo_union_find_root(parent, a);
    b = vo_union_find_root(parent, b);
    parent[a > b ? a : b] = a < b ? a : b;
}

#endif
