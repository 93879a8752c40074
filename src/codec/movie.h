/* Movies: H.264 in MP4 or QuickTime files, through libavcodec and libavformat, which only movie.c
 * knows.
 *
 * 4:2:0 at 8 bits, as every player and browser shows it; colours are BT.709, named in the stream.
 * The index stands before the pictures, so a browser starts at once. The file is written under
 * another name and renamed at the end. The same pictures make the same file, since the encoder gets
 * one thread. */
#ifndef VO_CODEC_MOVIE_H
#define VO_CODEC_MOVIE_H

#include "codec/image.h"

typedef struct vo_movie vo_movie;

/* Whether this build can; whether there is an encoder shows on opening. */
bool vo_movie_available(void);

/* Whether the path names a kind of movie file that can be written (.mp4, .mov). */
bool vo_movie_knows(const char *path);

typedef struct vo_movie_def {
    const char *path;  /* not copied */
    int width, height; /* even */
    double frame_time; /* s */
    int frame_count;   /* at most so many; there is room in the index for them */
} vo_movie_def;

vo_result vo_movie_open(vo_context *ctx, const vo_movie_def *def, vo_movie **out);

/* The next picture; of the size that was said. */
vo_result vo_movie_add(vo_movie *movie, const vo_image *image);

/* Completes the file, and closes in any case. */
vo_result vo_movie_finish(vo_movie *movie);

/* Closes without a file. NULL is allowed. */
void vo_movie_abandon(vo_movie *movie);

/* movie_yuv.c: pictures to planes of brightness and, at half the resolution, of colour; `stride` is
 * in bytes. Sizes are even. */
typedef struct vo_planes {
    uint8_t *data[3];
    int stride[3];
} vo_planes;
void vo_image_to_yuv420(const vo_image *image, const vo_planes *out);

#endif
