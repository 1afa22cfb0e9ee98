# Read by scripts/build: a build that has nothing to do says nothing.
set_property(GLOBAL PROPERTY TARGET_MESSAGES OFF)
