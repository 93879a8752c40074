#include "rt/base/heap.h"

#include <string.h>

bool vo_rt_heap_init(vo_rt_heap *heap, const vo_allocator *allocator, size_t bytes) {
    size_t pages = bytes / VO_RT_PAGE + (bytes % VO_RT_PAGE != 0);
    if (pages == 0) pages = 1;
    *heap = (vo_rt_heap){.allocator = *allocator, .page_count = pages};
    if (pages > SIZE_MAX / VO_RT_PAGE) return false;
    heap->memory = allocator->allocate(allocator->user, pages * VO_RT_PAGE, VO_RT_ALIGNMENT);
    heap->page_used = allocator->allocate(allocator->user, pages, VO_RT_ALIGNMENT);
    if (!heap->memory || !heap->page_used) {
        vo_rt_heap_free(heap);
        return false;
    }
    memset(heap->page_used, 0, pages);
    return true;
}

void vo_rt_heap_free(vo_rt_heap *heap) {
    const vo_allocator *a = &heap->allocator;
    if (heap->memory) a->release(a->user, heap->memory, heap->page_count * VO_RT_PAGE);
    if (heap->page_used) a->release(a->user, heap->page_used, heap->page_count);
    *heap = (vo_rt_heap){0};
}

/* Pages of an array; SIZE_MAX if its size overflows. */
static size_t pages_of(int capacity, size_t size) {
    if (capacity <= 0 || size == 0) return 0;
    if ((size_t)capacity > (SIZE_MAX - VO_RT_PAGE) / size) return SIZE_MAX;
    return ((size_t)capacity * size + VO_RT_PAGE - 1) / VO_RT_PAGE;
}

static size_t find_page(const vo_rt_heap *heap, size_t from, size_t end, int used) {
    const uint8_t *found = memchr(heap->page_used + from, used, end - from);
    return found ? (size_t)(found - heap->page_used) : end;
}

/* First run of `count` free pages at or above `from`; page_count if there is none. */
static size_t find_run(const vo_rt_heap *heap, size_t from, size_t count) {
    size_t end = heap->page_count;
    while (from < end) {
        size_t begin = find_page(heap, from, end, 0);
        if (end - begin < count) return end;
        size_t used = find_page(heap, begin, begin + count, 1);
        if (used == begin + count) return begin;
        from = used;
    }
    return end;
}

static void mark(vo_rt_heap *heap, size_t page, size_t count, bool used) {
    memset(heap->page_used + page, used, count);
    if (used) {
        heap->used += count * VO_RT_PAGE;
        if (heap->used > heap->peak) heap->peak = heap->used;
        if (heap->first_free == page) heap->first_free = page + count;
    } else {
        heap->used -= count * VO_RT_PAGE;
        if (page < heap->first_free) heap->first_free = page;
    }
}

static size_t page_of(const vo_rt_heap *heap, const void *array) {
    return (size_t)((const uint8_t *)array - heap->memory) / VO_RT_PAGE;
}

/* Extends an array in place if the pages behind it are free. */
static bool extend(vo_rt_heap *heap, void *array, size_t old_pages, size_t pages) {
    if (!array) return false;
    size_t page = page_of(heap, array);
    if (heap->page_count - page < pages) return false;
    if (find_page(heap, page + old_pages, page + pages, 1) != page + pages) return false;
    mark(heap, page + old_pages, pages - old_pages, true);
    return true;
}

/* Moves an array to a run of free pages. */
static bool move(vo_rt_heap *heap, void **array, size_t old_pages, size_t pages, size_t bytes) {
    size_t page = find_run(heap, heap->first_free, pages);
    if (page == heap->page_count) return false;
    uint8_t *memory = heap->memory + page * VO_RT_PAGE;
    mark(heap, page, pages, true);
    if (*array) {
        memcpy(memory, *array, bytes);
        mark(heap, page_of(heap, *array), old_pages, false);
    }
    *array = memory;
    return true;
}

/* Grows to exactly `count` elements, rounded up to whole pages. */
static bool grow(vo_rt_heap *heap, void **array, int *capacity, int count, size_t size) {
    size_t old_bytes = (size_t)*capacity * size, old_pages = pages_of(*capacity, size);
    size_t pages = pages_of(count, size);
    if (pages > heap->page_count) return false;
    if (!extend(heap, *array, old_pages, pages) && !move(heap, array, old_pages, pages, old_bytes))
        return false;
    size_t bytes = pages * VO_RT_PAGE, fit = bytes / size;
    memset((uint8_t *)*array + old_bytes, 0, bytes - old_bytes);
    *capacity = fit > INT32_MAX ? INT32_MAX : (int)fit;
    return true;
}

bool vo_rt_heap_reserve(vo_rt_heap *heap, void **array, int *capacity, int need, size_t size) {
    if (need <= *capacity) return true;
    if (size == 0) return false;
    int64_t wanted = (int64_t)*capacity + *capacity / 4 + 1;
    if (wanted > INT32_MAX) wanted = INT32_MAX;
    if (wanted > need && grow(heap, array, capacity, (int)wanted, size)) return true;
    return grow(heap, array, capacity, need, size);
}

void vo_rt_heap_release(vo_rt_heap *heap, void *array, int capacity, size_t size) {
    if (array) mark(heap, page_of(heap, array), pages_of(capacity, size), false);
}
