/* What is known of the build only while it is built; lab/build_info.cmake writes the source. */
#ifndef LAB_HARNESS_BUILD_INFO_H
#define LAB_HARNESS_BUILD_INFO_H

/* The commit of the sources; ends in "-dirty" if they were changed, "unknown" without git. */
extern const char build_info_commit[];

/* The flags with which C was compiled, and the adaptors of other libraries. */
extern const char build_info_flags[];

#endif
