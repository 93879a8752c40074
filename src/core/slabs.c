#include "core/slabs.h"

#include "core/memory.h"

#include <pthread.h>
#include <string.h>

enum { SLAB = 8 << 20, UNIT = VO_ALIGNMENT * 257, UNITS = SLAB / UNIT };

/* Head of a slab; slabs are aligned to their size. */
typedef struct slab {
    struct slab *next;
    int used;                   /* allocated units, the head excluded */
    unsigned char taken[UNITS]; /* 1 or 0; the first unit is the head */
} slab;
_Static_assert(sizeof(slab) <= UNIT, "the head must fit one unit");

struct vo_slabs {
    vo_allocator allocator;
    pthread_mutex_t mutex;
    slab *first;
    int empty; /* slabs without blocks */
};

vo_slabs *vo_slabs_create(const vo_allocator *allocator) {
    vo_slabs *s = allocator->allocate(allocator->user, sizeof *s, VO_ALIGNMENT);
    if (!s) return NULL;
    *s = (vo_slabs){.allocator = *allocator};
    pthread_mutex_init(&s->mutex, NULL);
    return s;
}

static void release_slab(vo_slabs *s, slab *old) {
    s->allocator.release(s->allocator.user, old, SLAB);
}

void vo_slabs_destroy(vo_slabs *s) {
    if (!s) return;
    for (slab *k = s->first, *next; k; k = next) {
        next = k->next;
        release_slab(s, k);
    }
    pthread_mutex_destroy(&s->mutex);
    s->allocator.release(s->allocator.user, s, sizeof *s);
}

static int units_for(size_t bytes) { return (int)((bytes + UNIT - 1) / UNIT); }

/* Index of the first of `need` consecutive free units, or 0. */
static int find_gap(const slab *k, int need) {
    if (UNITS - 1 - k->used < need) return 0;
    for (int i = 1, length = 0; i < UNITS; i++) {
        length = k->taken[i] ? 0 : length + 1;
        if (length == need) return i + 1 - need;
    }
    return 0;
}

/* Appends an empty slab to the list; NULL on failure. */
static slab *add_slab(vo_slabs *s) {
    slab *k = s->allocator.allocate(s->allocator.user, SLAB, SLAB), **end = &s->first;
    if (!k) return NULL;
    *k = (slab){.taken = {1}};
    while (*end) end = &(*end)->next;
    *end = k;
    s->empty++;
    return k;
}

static void *take_units(vo_slabs *s, slab *k, int first, int need) {
    s->empty -= k->used == 0;
    k->used += need;
    memset(k->taken + first, 1, (size_t)need);
    return (char *)k + (size_t)first * UNIT;
}

void *vo_slabs_allocate(vo_slabs *s, size_t bytes) {
    int need = units_for(bytes), first = 0;
    pthread_mutex_lock(&s->mutex);
    slab *k = s->first;
    while (k && !(first = find_gap(k, need))) k = k->next;
    if (!k && (k = add_slab(s))) first = 1;
    void *memory = k ? take_units(s, k, first, need) : NULL;
    pthread_mutex_unlock(&s->mutex);
    return memory;
}

static void unlink_slab(vo_slabs *s, slab *old) {
    slab **at = &s->first;
    while (*at != old) at = &(*at)->next;
    *at = old->next;
    s->empty--;
}

void vo_slabs_release(vo_slabs *s, void *memory, size_t bytes) {
    uintptr_t address = (uintptr_t)memory, offset = address % SLAB;
    slab *k = (slab *)(void *)((char *)memory - offset);
    int count = units_for(bytes);
    pthread_mutex_lock(&s->mutex);
    memset(k->taken + offset / UNIT, 0, (size_t)count);
    k->used -= count;
    s->empty += k->used == 0;
    bool is_surplus = k->used == 0 && s->empty > 1;
    if (is_surplus) unlink_slab(s, k);
    pthread_mutex_unlock(&s->mutex);
    if (is_surplus) release_slab(s, k);
}

void vo_slabs_count(vo_slabs *s, int *slab_count, int *unit_count) {
    *slab_count = *unit_count = 0;
    pthread_mutex_lock(&s->mutex);
    for (const slab *k = s->first; k; k = k->next) {
        ++*slab_count;
        *unit_count += k->used;
    }
    pthread_mutex_unlock(&s->mutex);
}

size_t vo_slabs_unused_bytes(vo_slabs *s) {
    int slab_count, unit_count;
    vo_slabs_count(s, &slab_count, &unit_count);
    return (size_t)slab_count * SLAB - (size_t)unit_count * UNIT;
}
