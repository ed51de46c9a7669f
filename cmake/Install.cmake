# The places that `cmake --install` gives: the program, the libraries that it and other programs load, the
# schemas of what it prints, the samples, and the pages. The program finds libvramlab_preload.so by the place of
# its own file, so an installed folder may be moved. All of it is the component `program`.
include(GNUInstallDirs)

include(Samples)
if(TARGET vramlab)
  install(TARGETS vramlab RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endif()
foreach(library vramlab_preload vramlab_torch)
  if(TARGET ${library})
    install(TARGETS ${library} LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
  endif()
endforeach()
install(DIRECTORY "${PROJECT_SOURCE_DIR}/docs/reference/schemas"
        DESTINATION "${CMAKE_INSTALL_DATADIR}/vramlab" FILES_MATCHING PATTERN "*.json"
                                                                      PATTERN "*.xsd")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/docs/" DESTINATION "${CMAKE_INSTALL_DOCDIR}"
        FILES_MATCHING PATTERN "*.md" PATTERN schemas EXCLUDE PATTERN examples EXCLUDE)
# Manual pages are what the program says of itself, and completions ask it.
if(TARGET vramlab)
  set(manual "${PROJECT_BINARY_DIR}/manual")
  add_custom_command(TARGET vramlab POST_BUILD
                     COMMAND ${CMAKE_COMMAND} -E rm -rf "${manual}"
                     COMMAND vramlab manual -o "${manual}" VERBATIM)
  install(DIRECTORY "${manual}/" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1")
endif()
set(completions "${PROJECT_SOURCE_DIR}/tools/packaging/completions")
install(FILES "${completions}/vramlab.bash" RENAME vramlab
        DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions")
install(FILES "${completions}/_vramlab" DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/site-functions")
install(FILES "${completions}/vramlab.fish"
        DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")
install(FILES "${PROJECT_SOURCE_DIR}/README.md" "${PROJECT_SOURCE_DIR}/CHANGELOG.md"
              "${PROJECT_SOURCE_DIR}/LICENSE" "${PROJECT_SOURCE_DIR}/tools/packaging/licences.txt"
        DESTINATION "${CMAKE_INSTALL_DOCDIR}")

# From the program's folder to that of the libraries, which some systems call lib64 or more.
file(RELATIVE_PATH VRAMLAB_LIBRARY_PLACE "/${CMAKE_INSTALL_BINDIR}" "/${CMAKE_INSTALL_LIBDIR}")
file(RELATIVE_PATH VRAMLAB_DATA_PLACE "/${CMAKE_INSTALL_BINDIR}" "/${CMAKE_INSTALL_DATADIR}/vramlab")
target_compile_definitions(vramlab PRIVATE VRAMLAB_LIBRARY_PLACE="${VRAMLAB_LIBRARY_PLACE}"
                                           VRAMLAB_DATA_PLACE="${VRAMLAB_DATA_PLACE}")
