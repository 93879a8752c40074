/* Movie files: H.264 in MP4 or QuickTime, through libavcodec and libavformat, which only movie.c
 * includes.
 *
 * The format is 8-bit 4:2:0, which every player and browser supports, with BT.709 colours tagged in
 * the stream. The index precedes the images, so that browsers can start playing at once. The file
 * is written under a temporary name and renamed at the end. The encoder uses one thread, so that
 * the file is deterministic. */
#ifndef VO_CODEC_MOVIE_H
#define VO_CODEC_MOVIE_H

#include "codec/image.h"

typedef struct vo_movie vo_movie;

/* True if the build includes libav. vo_movie_open fails if libav has no H.264 encoder. */
bool vo_movie_available(void);

/* True if the file name extension is a supported movie format (.mp4, .mov). */
bool vo_movie_supports_path(const char *path);

typedef struct vo_movie_def {
    const char *path;  /* not copied */
    int width, height; /* even */
    double frame_time; /* s */
    int frame_count;   /* maximum; the index is reserved for them */
} vo_movie_def;

vo_result vo_movie_open(vo_context *ctx, const vo_movie_def *def, vo_movie **out);

/* Appends an image of the size of the definition. */
vo_result vo_movie_add(vo_movie *movie, const vo_image *image);

/* Completes the file and destroys the movie, also on failure. */
vo_result vo_movie_finish(vo_movie *movie);

/* Deletes the unfinished file and destroys the movie. NULL is allowed. */
void vo_movie_discard(vo_movie *movie);

/* movie_yuv.c: converts an image of even size to Y'CbCr 4:2:0: a luma plane and two chroma planes
 * at half the resolution; `stride` is in bytes. */
typedef struct vo_planes {
    uint8_t *data[3];
    int stride[3];
} vo_planes;
void vo_image_to_yuv420(const vo_image *image, const vo_planes *out);

#endif
