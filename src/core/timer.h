/* Monotonic wall-clock time, s. */
#ifndef VO_CORE_TIMER_H
#define VO_CORE_TIMER_H

double vo_now(void);

#endif
