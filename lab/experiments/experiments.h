/* The experiments, one file each. */
#ifndef LAB_EXPERIMENTS_EXPERIMENTS_H
#define LAB_EXPERIMENTS_EXPERIMENTS_H

#include "lab/harness/bench.h"

extern const bench_experiment experiment_larsson_1;
extern const bench_experiment experiment_larsson_2;
extern const bench_experiment experiment_larsson_3_spheres;
extern const bench_experiment experiment_larsson_3_arms;
extern const bench_experiment experiment_points_root;
extern const bench_experiment experiment_points_tightness;
extern const bench_experiment experiment_points_ring;
extern const bench_experiment experiment_points_fish;
extern const bench_experiment experiment_points_idle;
extern const bench_experiment experiment_workers;
extern const bench_experiment experiment_broad;
extern const bench_experiment experiment_continuous_features;
extern const bench_experiment experiment_continuous_larsson;
extern const bench_experiment experiment_continuous_cloth;
extern const bench_experiment experiment_continuous_ring;
extern const bench_experiment experiment_exact_triangle;
extern const bench_experiment experiment_build;
extern const bench_experiment experiment_bd_curtain;
extern const bench_experiment experiment_bd_bridge;
extern const bench_experiment experiment_bd_chairs;
extern const bench_experiment experiment_bd_crowd;
extern const bench_experiment experiment_ldi_pairs;
extern const bench_experiment experiment_ldi_objects;
extern const bench_experiment experiment_ldi_particles;
extern const bench_experiment experiment_ldi_resolution;
extern const bench_experiment experiment_ldi_self;
extern const bench_experiment experiment_growth;
extern const bench_experiment experiment_check_dressed;
extern const bench_experiment experiment_contours_person;
extern const bench_experiment experiment_memory;
extern const bench_experiment experiment_distance_points;
extern const bench_experiment experiment_features_cloth;
extern const bench_experiment experiment_within_crowd;
extern const bench_experiment experiment_rays_scene;

/* Beside other libraries. */
extern const bench_experiment experiment_peers_spheres;
extern const bench_experiment experiment_peers_27;
extern const bench_experiment experiment_peers_ring;
extern const bench_experiment experiment_peers_first;
extern const bench_experiment experiment_peers_self;

/* Not in the list of all: it needs files (--motion). */
extern const bench_experiment experiment_own_motion;

#endif
