/* voile: parses the options --size and --camera. */
#ifndef VOILE_CLI_VIEW_WORDS_H
#define VOILE_CLI_VIEW_WORDS_H

#include "cli.h"

/* Parses a finite number; false if the text is anything else. */
bool view_read_real(const char *words, double *out);

/* Parses "1280x720"; NULL leaves both unchanged. Prints a message and returns CLI_USAGE_ERROR if it
 * is invalid. */
int view_read_size(const char *words, int *width, int *height);

/* Parses the name of a camera of the scene, "none", or "azimuth=30,zoom=2", which sets `shot` and
 * `fit` and *camera to "none". NULL leaves all unchanged. */
int view_read_camera(const char *words, vo_render_options *shot, vo_framing_mode *fit,
                     const char **camera);

#endif
