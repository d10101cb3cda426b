# Defines the targets of libcupel, for the installed package and for add_subdirectory alike:
#
#     cupel::cupel         the shared library, or the static one where there is no shared one
#     cupel::cupel_static  the static library, where there is one

# _cupel_add_targets(SCOPE INCLUDES SHARED IMPORT ARCHIVE): SCOPE is GLOBAL or empty, INCLUDES a list of folders, the others
# are files or false.
function(_cupel_add_targets scope includes shared import archive)
  if(archive)
    add_library(cupel::cupel_static STATIC IMPORTED ${scope})
    set_target_properties(cupel::cupel_static PROPERTIES IMPORTED_LOCATION "${archive}")
    # What the Rust standard library in the archive needs of the system. The unwinder is not among it: compilers add
    # libgcc_s, or libgcc_eh with -static, by themselves.
    if(WIN32)
      set_property(TARGET cupel::cupel_static PROPERTY INTERFACE_LINK_LIBRARIES ws2_32 userenv ntdll)
    elseif(NOT APPLE)
      set_property(TARGET cupel::cupel_static PROPERTY INTERFACE_LINK_LIBRARIES pthread dl m)
    endif()
  endif()

  if(shared)
    add_library(cupel::cupel SHARED IMPORTED ${scope})
    set_target_properties(cupel::cupel PROPERTIES IMPORTED_LOCATION "${shared}")
    if(import)
      set_target_properties(cupel::cupel PROPERTIES IMPORTED_IMPLIB "${import}" INTERFACE_COMPILE_DEFINITIONS CUPEL_DLL)
    endif()
  elseif(archive)
    add_library(cupel::cupel INTERFACE IMPORTED ${scope})
    set_property(TARGET cupel::cupel PROPERTY INTERFACE_LINK_LIBRARIES cupel::cupel_static)
  endif()

  foreach(target cupel::cupel cupel::cupel_static)
    if(TARGET ${target})
      set_property(TARGET ${target} PROPERTY INTERFACE_INCLUDE_DIRECTORIES "${includes}")
      if(CMAKE_CXX_COMPILER_LOADED)
        set_property(TARGET ${target} PROPERTY INTERFACE_COMPILE_FEATURES cxx_std_17)
      endif()
    endif()
  endforeach()
endfunction()
