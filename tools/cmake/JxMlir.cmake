# MLIR and LLVM 22 of the distribution: headers, static archives by path, TableGen, one precompiled header.
# The imported MLIR targets are not used: they bring in libLLVM.so beside the archives, and the tool dies at start.
set(JX_LLVM_ROOT /usr/lib/llvm-22 CACHE PATH "Folder of LLVM 22 and MLIR 22")
set(JX_LLVM_INCLUDE ${JX_LLVM_ROOT}/include)
file(GLOB JX_MLIR_ARCHIVES ${JX_LLVM_ROOT}/lib/libMLIR*.a)
list(FILTER JX_MLIR_ARCHIVES EXCLUDE REGEX "(CAPI|Test|libMLIR\\.a)")
file(GLOB JX_LLVM_ARCHIVES ${JX_LLVM_ROOT}/lib/libLLVM*.a)
set(JX_MLIR_TBLGEN ${JX_LLVM_ROOT}/bin/mlir-tblgen)

# The precompiled header is compiled once, in the library jx_pch, and reused by every MLIR target.
function(jx_use_mlir name)
  target_include_directories(${name} SYSTEM PRIVATE ${JX_LLVM_INCLUDE})
  target_compile_options(${name} PRIVATE -Xclang -fno-pch-timestamp)
  target_compile_definitions(${name} PRIVATE _GNU_SOURCE __STDC_CONSTANT_MACROS __STDC_FORMAT_MACROS __STDC_LIMIT_MACROS)
  if(NOT name STREQUAL jx_pch)
    target_precompile_headers(${name} REUSE_FROM jx_pch)
    add_dependencies(${name} jx_tablegen_outputs)
  endif()
endfunction()

function(jx_link_mlir name)
  target_link_libraries(${name} PRIVATE -Wl,--start-group ${JX_MLIR_ARCHIVES} ${JX_LLVM_ARCHIVES} -Wl,--end-group
                        z zstd dl pthread m)
endfunction()

# jx_tablegen(OUTPUT FLAG INPUT DEPENDS...): runs mlir-tblgen into the build folder, at the same relative place.
function(jx_tablegen output input)
  set(flags ${ARGN})
  set(out ${CMAKE_CURRENT_BINARY_DIR}/${output})
  add_custom_command(
    OUTPUT ${out}
    COMMAND ${JX_MLIR_TBLGEN} ${flags} -I ${JX_LLVM_INCLUDE} -I ${CMAKE_SOURCE_DIR}
            ${CMAKE_CURRENT_SOURCE_DIR}/${input} -o ${out}
    DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${input} ${JX_TD_FILES}
    COMMENT "tablegen ${output}")
endfunction()
