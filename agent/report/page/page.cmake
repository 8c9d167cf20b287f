# The page is edited as a document, a style sheet and a script in parts, and becomes one string:
# DDM_PAGE_SOURCE.
set(_page ${CMAKE_CURRENT_LIST_DIR})
file(READ ${_page}/page.css PAGE_CSS)
set(PAGE_JS "")
foreach(_part page_words.js page_data.js page_trees.js page_state.js page_picture.js page_tables.js
              page_allocations.js page_changes.js page_kinds.js page_band.js page_controls.js page_start.js)
  file(READ ${_page}/${_part} _text)
  string(APPEND PAGE_JS "${_text}")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${_page}/${_part})
endforeach()
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${_page}/page.css)
configure_file(${_page}/page.html page.html @ONLY)
file(READ ${CMAKE_CURRENT_BINARY_DIR}/page.html PAGE_TEXT)
configure_file(${_page}/page_template.cpp.in page_template.cpp @ONLY)
set(DDM_PAGE_SOURCE ${CMAKE_CURRENT_BINARY_DIR}/page_template.cpp)
