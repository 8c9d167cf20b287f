# The flame graph is edited as a page, a style sheet and a script in parts, and becomes one string:
# DDM_PAGE_SOURCE.
set(_page ${CMAKE_CURRENT_LIST_DIR})
file(READ ${_page}/flame_graph.css FLAME_GRAPH_CSS)
set(FLAME_GRAPH_JS "")
foreach(_part flame_graph.js flame_graph_picture.js flame_graph_allocations.js
              flame_graph_kinds.js flame_graph_page.js)
  file(READ ${_page}/${_part} _text)
  string(APPEND FLAME_GRAPH_JS "${_text}")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${_page}/${_part})
endforeach()
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${_page}/flame_graph.css)
configure_file(${_page}/flame_graph.html flame_graph.html @ONLY)
file(READ ${CMAKE_CURRENT_BINARY_DIR}/flame_graph.html FLAME_GRAPH_PAGE)
configure_file(${_page}/flame_graph.cpp.in flame_graph.cpp @ONLY)
set(DDM_PAGE_SOURCE ${CMAKE_CURRENT_BINARY_DIR}/flame_graph.cpp)
