# The program as WebAssembly, for vramlab.html: the commands that need no process, no GPU and no
# terminal, from the same sources. tools/web/build.sh puts it into the page.
set(page_commands advise capacity complete diff explain info pack replay report snapshot
    steps sweep top verify)
list(TRANSFORM page_commands PREPEND tools/cli/commands/)

vramlab_program(vramlab_page FOLDER tools/cli
                ROOMS ${page_commands} tools/cli/kit tools/cli/printers tools/preload/names tools/web/page
                USES vramlab_replay vramlab_streams vramlab_traces vramlab_allocator CLI11::CLI11)
# A page starts no program and has no Ctrl-C: one that does not want to wait ends its worker.
get_target_property(sources vramlab_page SOURCES)
list(FILTER sources EXCLUDE REGEX
     "/tools/cli/kit/(preloaded_program|own_processes|numbered_folder|interrupts|logging|kept_file|shared_files)[.]cpp$")
list(FILTER sources EXCLUDE REGEX "/(merge|pack)_command[.]cpp$")
set_target_properties(vramlab_page PROPERTIES SOURCES "${sources}")
target_compile_definitions(vramlab_page PRIVATE VRAMLAB_VERSION="${PROJECT_VERSION}")
vramlab_build_fast(vramlab_page TOGETHER tools/cli/commands)
vramlab_embed_file(vramlab_page "${PROJECT_SOURCE_DIR}/tools/web/report/report_page.html"
                   report_template)
vramlab_embed_rule_texts(vramlab_page)
# Others of these rooms need the printers of these two; the page itself asks neither.
vramlab_collect_commands(vramlab_page ${page_commands} WITHOUT merge pack)
# Most time goes into these sources; all others are compiled for their size.
target_compile_options(vramlab_allocator PRIVATE -O2)
get_target_property(page_traces vramlab_traces SOURCES)
get_target_property(page_replay vramlab_replaying SOURCES)
list(FILTER page_traces INCLUDE REGEX "/traces/(io|pickle)/")
list(FILTER page_replay INCLUDE REGEX "/replay/(recording|replayer)/")
set_property(SOURCE ${page_traces} ${page_replay} APPEND PROPERTY COMPILE_OPTIONS -O2)
target_link_options(vramlab_page PRIVATE
  -Oz -flto -sMODULARIZE=1 -sEXPORT_NAME=vramlabProgram -sENVIRONMENT=worker,node
  -sINVOKE_RUN=0 -sEXIT_RUNTIME=0 -sALLOW_MEMORY_GROWTH=1 -sMAXIMUM_MEMORY=4294967296
  -sSTACK_SIZE=8388608 -sFORCE_FILESYSTEM=1 -lworkerfs.js
  "-sEXPORTED_RUNTIME_METHODS=['callMain','ENV','FS','HEAPU8','WORKERFS']")
