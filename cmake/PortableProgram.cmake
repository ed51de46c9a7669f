# The program as WebAssembly for Node.js, which the wheel for any system has (tools/portable): the commands
# that start no other program and follow none. tools/web/build.sh builds it beside the page.
set(portable_commands advise capacity complete conform convert diff explain generate help info
    manual merge pack page policies ranks replay report sample snapshot steps streams sweep table top
    verify)
set(portable_rooms ${portable_commands})
list(REMOVE_ITEM portable_rooms merge)
list(TRANSFORM portable_rooms PREPEND tools/cli/commands/)

vramlab_program(vramlab_portable FOLDER tools/cli
                ROOMS ${portable_rooms} tools/cli/kit tools/cli/printers tools/preload/names
                      tools/portable tools/web/page
                USES vramlab_replay vramlab_streams vramlab_traces vramlab_allocator CLI11::CLI11)
get_target_property(sources vramlab_portable SOURCES)
list(FILTER sources EXCLUDE REGEX
     "/tools/cli/kit/(preloaded_program|own_processes|own_folder|numbered_folder|interrupts|logging)[.]cpp$")
list(FILTER sources EXCLUDE REGEX "/(tools/web/page/kept_file|tools/cli/commands/page/browser)[.]cpp$")
set_target_properties(vramlab_portable PROPERTIES SOURCES "${sources}" OUTPUT_NAME vramlab)
target_compile_definitions(vramlab_portable PRIVATE
  VRAMLAB_VERSION="${PROJECT_VERSION}" VRAMLAB_DATA_PLACE="../share/vramlab")
vramlab_build_fast(vramlab_portable TOGETHER tools/cli/commands)
vramlab_embed_file(vramlab_portable "${PROJECT_SOURCE_DIR}/tools/web/report/report_page.html"
                   report_template)
vramlab_embed_rule_texts(vramlab_portable)
vramlab_embed_file(vramlab_portable "${PROJECT_SOURCE_DIR}/tools/web/page/tour/stations.json" tour_stations)
vramlab_collect_commands(vramlab_portable ${portable_rooms})
target_link_options(vramlab_portable PRIVATE
  -O2 -flto -sENVIRONMENT=node -sNODERAWFS=1 -sEXIT_RUNTIME=1 -sALLOW_MEMORY_GROWTH=1
  -sMAXIMUM_MEMORY=4294967296 -sSTACK_SIZE=8388608
  "SHELL:--pre-js ${PROJECT_SOURCE_DIR}/tools/portable/begin.js")

# As much of an installed program as this one finds (Install has the rest): the samples and the schemas.
include(GNUInstallDirs)
include(Samples)
install(FILES "${PROJECT_BINARY_DIR}/vramlab.js" "${PROJECT_BINARY_DIR}/vramlab.wasm" DESTINATION bin)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/docs/reference/schemas" DESTINATION share/vramlab
        FILES_MATCHING PATTERN "*.json" PATTERN "*.xsd")
