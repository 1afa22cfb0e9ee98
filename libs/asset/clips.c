#include "clips.h"

#include <math.h>

/* Times are float32: what is meant as a multiple of a step is off by a little. */
#define TIME_TOLERANCE 1e-4
#define LEAST_STEP     1e-3

/* The longest step that leads to both, by Euclid's way; what is left within the tolerance is 0. */
static double common_step(double a, double b)
{
    while (b > TIME_TOLERANCE) {
        double rest = a - b * floor(a / b + TIME_TOLERANCE / b);
        a = b;
        b = fabs(rest) > TIME_TOLERANCE ? rest : 0.0;
    }
    return a;
}

void pli_clip_measure_keys(const pliant_asset *asset, pli_asset_clip *clip)
{
    double step = 0.0, last = 0.0;
    clip->shown.key_count = 0;
    for (uint32_t c = 0; c < clip->channel_count; c++) {
        const pli_asset_channel *channel = &asset->channels[clip->first_channel + c];
        if (channel->key_count > clip->shown.key_count) {
            clip->shown.key_count = channel->key_count;
        }
        for (uint32_t i = 0; i < channel->key_count; i++) {
            double time = (double)channel->times[i];
            step = time > TIME_TOLERANCE && step != -1.0
                       ? common_step(fmax(time, step), fmin(time, step))
                       : step;
            last = fmax(last, time);
            step = step > 0.0 && step < LEAST_STEP ? -1.0 : step;
        }
    }
    /* The last key says most exactly how long a step is. */
    double steps = step > 0.0 ? floor(last / step + 0.5) : 0.0;
    clip->shown.key_step = steps > 0.0 ? last / steps : 0.0;
}

/* Channels of clips that follow each other do so too. */
void pli_clips_join(pliant_asset *asset, size_t first, const char *name)
{
    if (first >= asset->clip_count) {
        return;
    }
    pli_asset_clip *joined = &asset->clips[first];
    for (size_t i = first + 1; i < asset->clip_count; i++) {
        joined->channel_count += asset->clips[i].channel_count;
        joined->shown.duration = fmax(joined->shown.duration, asset->clips[i].shown.duration);
    }
    joined->shown.name = name;
    asset->clip_count = first + 1;
    pli_clip_measure_keys(asset, joined);
}
