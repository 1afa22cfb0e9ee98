/* Numbers in binary files, of either byte order and at any address. */
#ifndef PLI_ASSET_BYTES_H
#define PLI_ASSET_BYTES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline uint16_t pli_bytes_u16(const uint8_t *at, bool big_endian)
{
    unsigned first = at[0], second = at[1];
    return (uint16_t)(big_endian ? first << 8 | second : second << 8 | first);
}

static inline uint32_t pli_bytes_u32(const uint8_t *at, bool big_endian)
{
    uint32_t low = pli_bytes_u16(at, big_endian), high = pli_bytes_u16(at + 2, big_endian);
    return big_endian ? low << 16 | high : high << 16 | low;
}

static inline uint64_t pli_bytes_u64(const uint8_t *at, bool big_endian)
{
    uint64_t low = pli_bytes_u32(at, big_endian), high = pli_bytes_u32(at + 4, big_endian);
    return big_endian ? low << 32 | high : high << 32 | low;
}

static inline float pli_bytes_f32(const uint8_t *at, bool big_endian)
{
    uint32_t bits = pli_bytes_u32(at, big_endian);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline double pli_bytes_f64(const uint8_t *at, bool big_endian)
{
    uint64_t bits = pli_bytes_u64(at, big_endian);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

#endif
