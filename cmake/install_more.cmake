# Install rules beside those of the libraries: completions, and archives.
if(TARGET pliant_tool)
    set(completion ${PROJECT_SOURCE_DIR}/packaging/completion)
    install(FILES ${completion}/pliant.bash RENAME pliant
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT tool)
    install(FILES ${completion}/_pliant DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions
        COMPONENT tool)
    install(FILES ${completion}/pliant.fish
        DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT tool)
endif()

# `cpack --config build/CPackConfig.cmake`: one archive with all that is installed.
set(CPACK_GENERATOR TGZ)
set(CPACK_PACKAGE_VENDOR "Pliant developers")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Which triangles of deforming bodies touch, exactly")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_RESOURCE_FILE_README ${PROJECT_SOURCE_DIR}/README.md)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_MONOLITHIC_INSTALL ON)
set(CPACK_STRIP_FILES ON)
include(CPack)
