# Settings shared by every target, and one function per kind of target.

add_library(zoo_settings INTERFACE)
target_compile_features(zoo_settings INTERFACE cxx_std_20)
target_include_directories(zoo_settings INTERFACE "${CMAKE_SOURCE_DIR}")
target_compile_options(zoo_settings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # g++ 12 warns falsely where text is joined with operator+ (GCC bugs 105329 and 105651).
  target_compile_options(zoo_settings INTERFACE -Wno-restrict -Wno-stringop-overflow)
endif()
if(ZOO_SANITIZE)
  add_compile_options(-fsanitize=${ZOO_SANITIZE} -fno-omit-frame-pointer -g1)
  add_link_options(-fsanitize=${ZOO_SANITIZE})
endif()

set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)  # one precompiled header serves libraries and programs
find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER
    ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros "${CCACHE_PROGRAM}")
  add_compile_options(-fpch-preprocess)
endif()
find_program(MOLD_PROGRAM mold)
if(MOLD_PROGRAM)
  add_link_options(-fuse-ld=mold)
endif()

# zoo_library(NAME LINK ...): the static library zoo_NAME from every source below the folder NAME.
function(zoo_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LINK")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/${name}/*.cpp")
  add_library(zoo_${name} STATIC ${sources})
  target_link_libraries(zoo_${name} PUBLIC ${arg_LINK} PRIVATE zoo_settings)
  target_include_directories(zoo_${name} PUBLIC "${CMAKE_SOURCE_DIR}")
  target_compile_features(zoo_${name} PUBLIC cxx_std_20)
endfunction()

# One precompiled header for all, of those parts of LibTorch that most units use: all of torch/torch.h
# would cost every unit some five seconds more.
file(WRITE "${CMAKE_BINARY_DIR}/torch_header.cpp" "")
add_library(zoo_torch_header OBJECT "${CMAKE_BINARY_DIR}/torch_header.cpp")
target_link_libraries(zoo_torch_header PRIVATE LibTorch::LibTorch nlohmann_json::nlohmann_json zoo_settings)
target_precompile_headers(zoo_torch_header PRIVATE
  <torch/autograd.h> <torch/cuda.h> <torch/nn/init.h> <torch/nn/module.h>
  <torch/nn/modules/embedding.h> <torch/nn/modules/linear.h> <torch/types.h> <torch/utils.h>
  <nlohmann/json.hpp>)

# zoo_includes_torch(RESULT FILE): whether the file includes LibTorch, itself or through ours.
function(zoo_includes_torch result file)
  get_property(answer GLOBAL PROPERTY "zoo_includes_torch ${file}")
  if("${answer}" STREQUAL "")
    set(answer OFF)
    set_property(GLOBAL PROPERTY "zoo_includes_torch ${file}" OFF)  # of files that include each other
    file(STRINGS "${file}" includes REGEX "^#include [<\"]")
    foreach(include IN LISTS includes)
      if(include MATCHES "<(torch|ATen|c10)/")
        set(answer ON)
      elseif(NOT answer AND include MATCHES "\"(.+)\"")
        zoo_includes_torch(answer "${CMAKE_SOURCE_DIR}/${CMAKE_MATCH_1}")
      endif()
    endforeach()
    set_property(GLOBAL PROPERTY "zoo_includes_torch ${file}" ${answer})
  endif()
  set(${result} ${answer} PARENT_SCOPE)
endfunction()

# zoo_reuse_torch_header(TARGET ...): these use it, but for their sources that do without LibTorch:
# g++ makes the header's pending templates again in each unit, which takes ten seconds. Programs
# need the libraries' -fPIC for that, where CMake would say -fPIE.
function(zoo_reuse_torch_header)
  foreach(target IN LISTS ARGN)
    target_precompile_headers(${target} REUSE_FROM zoo_torch_header)
    get_target_property(sources ${target} SOURCES)
    foreach(source IN LISTS sources)
      cmake_path(ABSOLUTE_PATH source)
      zoo_includes_torch(needed "${source}")
      if(NOT needed)
        set_source_files_properties("${source}" PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
      endif()
    endforeach()
    get_target_property(type ${target} TYPE)
    if(type STREQUAL "EXECUTABLE")
      set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
      target_compile_options(${target} PRIVATE -fPIC)
    endif()
  endforeach()
endfunction()

# zoo_test(NAME SOURCES ... LINK ...): a Catch2 program and its ctest entry.
function(zoo_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LINK")
  add_executable(zoo_${name}_test ${arg_SOURCES})
  target_link_libraries(zoo_${name}_test PRIVATE ${arg_LINK} zoo_catch zoo_settings)
  # Compiling a test takes longer than running it. (At this level g++ 12 warns falsely of optional values.)
  target_compile_options(zoo_${name}_test PRIVATE "$<$<CONFIG:Release>:-Og;-Wno-maybe-uninitialized>")
  add_test(NAME ${name} COMMAND zoo_${name}_test "~[slow]~[python]" WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}")
endfunction()
