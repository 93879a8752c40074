/* Placeholder removed below. */
#include "realtime/bench.h"
vo_result vo_bench_walkers(vo_bench *b) {
    (void)b;
    return VO_OK;
}
vo_result vo_bench_parade(vo_bench *b) {
    (void)b;
    return VO_OK;
}
