# VRAMLAB_CUDA_HEADERS    where the CUDA Toolkit's headers are, of version 12.0 or newer; empty without
# VRAMLAB_NO_CUDA_REASON  why it is empty
#
# The live parts, the preload shim and the PyTorch plug-in need the headers and nothing else of the
# toolkit: the driver's functions are found at run time.
set(VRAMLAB_CUDA_HEADERS "")
set(VRAMLAB_NO_CUDA_REASON "")
option(VRAMLAB_WITH_CUDA "Build what runs on a GPU, where the CUDA Toolkit's headers are" ON)

if(NOT VRAMLAB_WITH_CUDA)
  set(VRAMLAB_NO_CUDA_REASON "VRAMLAB_WITH_CUDA is off")
else()
  find_package(CUDAToolkit QUIET)
  find_path(VRAMLAB_CUDA_INCLUDE_DIR cudaTypedefs.h
            HINTS ${CUDAToolkit_INCLUDE_DIRS} /usr/local/cuda/include)
  mark_as_advanced(VRAMLAB_CUDA_INCLUDE_DIR)
  if(NOT VRAMLAB_CUDA_INCLUDE_DIR)
    set(VRAMLAB_NO_CUDA_REASON "no headers of a CUDA Toolkit")
  else()
    file(STRINGS "${VRAMLAB_CUDA_INCLUDE_DIR}/cuda.h" version_line
         REGEX "^#define CUDA_VERSION [0-9]+")
    string(REGEX MATCH "[0-9]+$" cuda_header_version "${version_line}")
    if(NOT cuda_header_version GREATER_EQUAL 12000)
      set(VRAMLAB_NO_CUDA_REASON "the CUDA Toolkit's headers are older than 12.0")
    else()
      set(VRAMLAB_CUDA_HEADERS "${VRAMLAB_CUDA_INCLUDE_DIR}")
    endif()
  endif()
endif()

if(VRAMLAB_CUDA_HEADERS)
  message(STATUS "Live parts and preload shim: with the headers of ${VRAMLAB_CUDA_HEADERS}")
else()
  message(STATUS "Live parts and preload shim NOT BUILT: ${VRAMLAB_NO_CUDA_REASON}")
endif()
