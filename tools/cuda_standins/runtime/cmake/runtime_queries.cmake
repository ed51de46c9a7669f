# Run in the build: writes OUTPUT, the list of what the stand-in for CUDA's runtime asks the driver for,
# of what INPUT (driver_functions.txt) knows. As many queries as CUDA 13.0's runtime makes after its
# first four: 362 without flags and 74 for per-thread streams.
set(plain_count 362)
set(per_thread_count 74)
# The stand-in calls these, in the versions that the real one asks for.
set(plain
  "cuGetErrorString, 6000" "cuGetErrorName, 6000" "cuDriverGetVersion, 2020"
  "cuDeviceGetCount, 2000" "cuDeviceGet, 2000" "cuDevicePrimaryCtxRetain, 7000"
  "cuDevicePrimaryCtxRelease, 7000" "cuDevicePrimaryCtxReset, 7000" "cuCtxSetCurrent, 4000"
  "cuCtxGetCurrent, 4000" "cuMemAlloc, 3020" "cuMemFree, 3020" "cuMemGetInfo, 3020"
  "cuMemAllocPitch, 3020" "cuMemGetAddressRange, 3020" "cuMemAllocManaged, 6000"
  "cuMemHostAlloc, 2020" "cuMemFreeHost, 2000" "cuIpcGetMemHandle, 4010"
  "cuIpcOpenMemHandle, 4010" "cuIpcOpenMemHandle, 11000" "cuPointerGetAttribute, 4000"
  "cuPointerGetAttributes, 7000" "cuCtxSynchronize, 2000" "cuStreamCreate, 2000"
  "cuStreamDestroy, 4000" "cuEventCreate, 2000" "cuEventDestroy, 4000" "cuEventQuery, 2000"
  "cuEventSynchronize, 2000" "cuEventElapsedTime, 2000" "cuModuleLoadData, 2000"
  "cuModuleGetFunction, 2000" "cuThreadExchangeStreamCaptureMode, 10010"
  "cuGraphInstantiateWithFlags, 11040" "cuStreamBeginCapture, 10000"
  "cuStreamBeginCapture, 10010" "cuStreamEndCapture, 10000" "cuStreamIsCapturing, 10000"
  "cuGraphLaunch, 10000" "cuStreamQuery, 2000" "cuStreamSynchronize, 2000"
  "cuStreamWaitEvent, 3020" "cuEventRecord, 2000" "cuMemcpy, 4000" "cuMemcpyAsync, 4000"
  "cuMemsetD8, 3020" "cuMemsetD8Async, 3020" "cuMemAllocAsync, 11020" "cuMemFreeAsync, 11020"
  "cuMemAllocFromPoolAsync, 11020" "cuLaunchKernel, 4000")
set(per_thread "")
set(never "^cu(Mem(Create|Map|Unmap|SetAccess|Release|Address.*|AllocHost)|GreenCtx.*|CtxRecordEvent|Init|GetProcAddress)$")

# The others: the newest version that 13.0 knows, and every version for per-thread streams.
file(STRINGS "${INPUT}" lines REGEX "^cu")
foreach(line IN LISTS lines)
  string(REPLACE " " ";" versions "${line}")
  list(POP_FRONT versions name)
  if(name MATCHES "${never}")
    continue()
  endif()
  set(newest_plain "")
  foreach(version IN LISTS versions)
    string(REGEX MATCH "^[0-9]+" number "${version}")
    if(number GREATER 13000)
      continue()
    elseif(version MATCHES "_(ptsz|ptds)$")
      list(APPEND per_thread "${name}, ${number}")
    else()
      set(newest_plain "${name}, ${number}")
    endif()
  endforeach()
  list(APPEND plain ${newest_plain})
endforeach()
list(REMOVE_DUPLICATES plain)
# What the stand-in calls comes first of what is kept.
set(needed "")
set(rest "")
foreach(query IN LISTS per_thread)
  if(query MATCHES "^cu(Stream(Query|Synchronize|WaitEvent|BeginCapture|EndCapture)|EventRecord|Memcpy|MemcpyAsync|MemsetD8|MemsetD8Async|Mem(Alloc|Free)Async|MemAllocFromPoolAsync|LaunchKernel|GraphLaunch),")
    list(APPEND needed "${query}")
  else()
    list(APPEND rest "${query}")
  endif()
endforeach()
set(per_thread ${needed} ${rest})
list(SUBLIST plain 0 ${plain_count} plain)
list(SUBLIST per_thread 0 ${per_thread_count} per_thread)

set(text "// Made in the build by runtime_queries.cmake.\n")
foreach(query IN LISTS plain)
  string(REPLACE ", " "\", " query "${query}")
  string(APPEND text "{\"${query}, 0},\n")
endforeach()
foreach(query IN LISTS per_thread)
  string(REPLACE ", " "\", " query "${query}")
  string(APPEND text "{\"${query}, 2},\n")
endforeach()
file(WRITE "${OUTPUT}" "${text}")
