# Finds LibTorch and links its libraries directly, so that a CUDA build needs no CUDA toolkit here.
#
# Looked for in this order, first hit wins:
#   ZOO_LIBTORCH (cache or environment), CMAKE_PREFIX_PATH, the `torch` package of the active Python,
#   the project's own virtual environment, the system (Debian's libtorch-dev).
#
# Defines the target LibTorch::LibTorch and the variables LIBTORCH_ROOT, LIBTORCH_VERSION, LIBTORCH_CUDA.

set(LIBTORCH_MINIMUM 2.6)

function(_libtorch_of_python python result)
  set(${result} "" PARENT_SCOPE)
  if(python)
    execute_process(
      COMMAND "${python}" -c "import importlib.util as u; s = u.find_spec('torch'); print(s.submodule_search_locations[0] if s else '')"
      OUTPUT_VARIABLE found OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    set(${result} "${found}" PARENT_SCOPE)
  endif()
endfunction()

set(_libtorch_candidates "${ZOO_LIBTORCH}" "$ENV{ZOO_LIBTORCH}")
foreach(prefix IN LISTS CMAKE_PREFIX_PATH)
  # Python's torch.utils.cmake_prefix_path is <torch>/share/cmake.
  list(APPEND _libtorch_candidates "${prefix}" "${prefix}/../..")
endforeach()
if(_libtorch_candidates MATCHES "[^;]")
  list(REMOVE_ITEM _libtorch_candidates "")
endif()
find_program(ZOO_PYTHON NAMES python3 python)
mark_as_advanced(ZOO_PYTHON)
_libtorch_of_python("${ZOO_PYTHON}" _libtorch_active)
_libtorch_of_python("${CMAKE_SOURCE_DIR}/.venv/bin/python" _libtorch_venv)
list(APPEND _libtorch_candidates ${_libtorch_active} ${_libtorch_venv} /usr /usr/local)

set(LIBTORCH_ROOT "")
foreach(candidate IN LISTS _libtorch_candidates)
  if(EXISTS "${candidate}/include/torch/csrc/api/include/torch/torch.h")
    get_filename_component(LIBTORCH_ROOT "${candidate}" REALPATH)
    break()
  endif()
endforeach()

set(_libtorch_cure "run scripts/setup, or set ZOO_LIBTORCH to a LibTorch >= ${LIBTORCH_MINIMUM} folder")
if(NOT LIBTORCH_ROOT)
  message(FATAL_ERROR "LibTorch not found; ${_libtorch_cure}")
endif()

foreach(header torch/headeronly/version.h torch/csrc/api/include/torch/version.h)
  if(EXISTS "${LIBTORCH_ROOT}/include/${header}")
    file(STRINGS "${LIBTORCH_ROOT}/include/${header}" _lines REGEX "define TORCH_VERSION_(MAJOR|MINOR|PATCH) ")
    if(_lines)
      string(REGEX REPLACE "[^0-9;]" "" LIBTORCH_VERSION "${_lines}")
      string(REPLACE ";" "." LIBTORCH_VERSION "${LIBTORCH_VERSION}")
      break()
    endif()
  endif()
endforeach()
if(LIBTORCH_VERSION VERSION_LESS LIBTORCH_MINIMUM)
  message(FATAL_ERROR "LibTorch ${LIBTORCH_VERSION} in ${LIBTORCH_ROOT} is older than ${LIBTORCH_MINIMUM}; ${_libtorch_cure}")
endif()

set(_libtorch_places "${LIBTORCH_ROOT}/lib" "${LIBTORCH_ROOT}/lib/${CMAKE_LIBRARY_ARCHITECTURE}")
foreach(name c10 torch_cpu torch)
  find_library(LIBTORCH_${name} NAMES ${name} PATHS ${_libtorch_places} NO_DEFAULT_PATH NO_CACHE)
  if(NOT LIBTORCH_${name})
    message(FATAL_ERROR "lib${name} is missing from ${LIBTORCH_ROOT}; ${_libtorch_cure}")
  endif()
endforeach()
foreach(name torch_cuda c10_cuda)
  find_library(LIBTORCH_${name} NAMES ${name} PATHS ${_libtorch_places} NO_DEFAULT_PATH NO_CACHE)
endforeach()

add_library(LibTorch::LibTorch INTERFACE IMPORTED)
target_include_directories(LibTorch::LibTorch SYSTEM INTERFACE
  "${LIBTORCH_ROOT}/include" "${LIBTORCH_ROOT}/include/torch/csrc/api/include")
# The wheel was built with NDEBUG and its headers change with it; a build without it asserts wrongly.
target_compile_definitions(LibTorch::LibTorch INTERFACE NDEBUG)
# Nothing refers to a symbol of libtorch_cuda: --no-as-needed keeps it, so that its devices register.
# Its own dependencies are found at run time, not by the linker.
target_link_libraries(LibTorch::LibTorch INTERFACE
  -Wl,--no-as-needed "${LIBTORCH_torch_cpu}" "${LIBTORCH_c10}" "${LIBTORCH_torch}")
set(LIBTORCH_CUDA OFF)
if(LIBTORCH_torch_cuda AND LIBTORCH_c10_cuda)
  set(LIBTORCH_CUDA ON)
  target_link_libraries(LibTorch::LibTorch INTERFACE
    -Wl,--allow-shlib-undefined "${LIBTORCH_torch_cuda}" "${LIBTORCH_c10_cuda}")
endif()
target_link_libraries(LibTorch::LibTorch INTERFACE -Wl,--as-needed)

if(NOT LibTorch_FIND_QUIETLY)
  message(STATUS "LibTorch ${LIBTORCH_VERSION} (CUDA ${LIBTORCH_CUDA}): ${LIBTORCH_ROOT}")
endif()
set(LibTorch_FOUND TRUE)
