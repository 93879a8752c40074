/* Pseudorandom numbers that are the same on every platform.
 * SplitMix64: Steele, Lea, Flood 2014, "Fast splittable pseudorandom number generators". */
#ifndef VO_CORE_RANDOM_H
#define VO_CORE_RANDOM_H

#include <stdint.h>

typedef struct vo_random {
    uint64_t state;
} vo_random;

static inline vo_random vo_random_seed(uint64_t seed) { return (vo_random){seed}; }

static inline uint64_t vo_random_u64(vo_random *r) {
    uint64_t z = r->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Uniform in [0, n); n > 0. */
static inline int vo_random_int(vo_random *r, int n) {
    return (int)((vo_random_u64(r) >> 33) % (uint64_t)n);
}

/* Uniform in [low, high). */
static inline double vo_random_real(vo_random *r, double low, double high) {
    return low + (high - low) * ((double)(vo_random_u64(r) >> 11) * 0x1p-53);
}

#endif
