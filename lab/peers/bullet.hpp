/* The name and version of Bullet, of which its headers know only a number: 324 is 3.24. */
#ifndef BENCH_PEERS_BULLET_HPP
#define BENCH_PEERS_BULLET_HPP

#include <LinearMath/btScalar.h>

constexpr char peer_bullet[] = {'B',
                                'u',
                                'l',
                                'l',
                                'e',
                                't',
                                ' ',
                                char('0' + BT_BULLET_VERSION / 100),
                                '.',
                                char('0' + BT_BULLET_VERSION / 10 % 10),
                                char('0' + BT_BULLET_VERSION % 10),
                                '\0'};

#endif
