# Real meshes that packages bring, used where they are installed.
find_file(PLIANT_BUNNY bunny.obj PATHS /usr/share /usr/local/share PATH_SUFFIXES glmark2/models
    DOC "the bunny of glmark2-data")
mark_as_advanced(PLIANT_BUNNY)
