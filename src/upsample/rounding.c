#include "upsample/rounding.h"

#include "rt/base/half.h"

#include <math.h>

static double sum_floats(int count, const float *row) {
    double sum = 0;
    for (int i = 0; i < count; i++) sum += (double)row[i];
    return sum;
}

static int find_smallest(int count, const float *row) {
    int at = 0;
    for (int i = 1; i < count; i++)
        if (fabsf(row[i]) < fabsf(row[at])) at = i;
    return at;
}

void vo_round_row(int count, const double *row, double sum, float *out) {
    double error = sum;
    if (count == 0) return;
    for (int i = 0; i < count; i++) error -= row[i];
    for (int i = 0; i < count; i++) out[i] = (float)(row[i] + error / count);
    int smallest = find_smallest(count, out);
    out[smallest] = (float)((double)out[smallest] + (sum - sum_floats(count, out)));
}

void vo_round_row_half(int count, const double *row, double sum, uint16_t *out) {
    double error = sum, rest = sum;
    int smallest = 0;
    if (count == 0) return;
    for (int i = 0; i < count; i++) error -= row[i];
    for (int i = 0; i < count; i++) {
        out[i] = vo_rt_half_from_float((float)(row[i] + error / count));
        rest -= (double)vo_rt_half_to_float(out[i]);
        if ((out[i] & 0x7fff) < (out[smallest] & 0x7fff)) smallest = i;
    }
    out[smallest] =
        vo_rt_half_from_float((float)((double)vo_rt_half_to_float(out[smallest]) + rest));
}
