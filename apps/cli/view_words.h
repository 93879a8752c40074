/* voile: words that say how to look at something, for the commands that do. */
#ifndef VOILE_CLI_VIEW_WORDS_H
#define VOILE_CLI_VIEW_WORDS_H

#include "cli.h"

/* The whole text is a finite number. */
bool view_read_real(const char *words, double *out);

/* "1280x720"; NULL leaves both as they are. Says what is wrong and returns CLI_BAD_CALL. */
int view_read_size(const char *words, int *width, int *height);

/* A camera of the scene, "none" of them, or "azimuth=30,zoom=2": how to look without one, into
 * `shot` and `fit`, and *camera is "none". NULL leaves all as they are. */
int view_read_camera(const char *words, vo_shot *shot, vo_fit_kind *fit, const char **camera);

#endif
