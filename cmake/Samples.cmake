# The recordings that `vramlab sample` gives, under the names of tools/cli/commands/sample: in the build
# folder, and where the program is installed.
foreach(sample IN ITEMS traces/samples/gpt_training.pickle.gz traces/samples/leak.vtrace
                        traces/samples/missing_record_stream.vtrace.jsonl)
  cmake_path(GET sample FILENAME name)
  list(APPEND samples "${sample}" "${name}")
endforeach()
list(APPEND samples tools/web/page/example.pickle.gz out_of_memory.pickle.gz)
file(GLOB stations CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}"
     "${PROJECT_SOURCE_DIR}/tools/web/page/tour/*.vtrace.py")
foreach(station IN LISTS stations)
  cmake_path(GET station FILENAME name)
  list(APPEND samples "${station}" "${name}")
endforeach()
while(samples)
  list(POP_FRONT samples file name)
  set(copy "${PROJECT_BINARY_DIR}/share/vramlab/samples/${name}")
  configure_file("${PROJECT_SOURCE_DIR}/${file}" "${copy}" COPYONLY)
  install(FILES "${copy}" DESTINATION "${CMAKE_INSTALL_DATADIR}/vramlab/samples")
endwhile()
