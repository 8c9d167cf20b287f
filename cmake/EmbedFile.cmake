# cmake -DIN=file -DOUT=x.cpp -DNAME=kName -P EmbedFile.cmake
# Writes the file's bytes as ddm::NAME, an array of unsigned char, and their number as ddm::NAMESize.
file(READ ${IN} _hex HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," _bytes "${_hex}")
file(WRITE ${OUT}
  "#include <cstddef>\n\nnamespace ddm {\n"
  "extern const unsigned char ${NAME}[];\n"
  "extern const std::size_t ${NAME}Size;\n"
  "const unsigned char ${NAME}[] = {${_bytes}};\n"
  "const std::size_t ${NAME}Size = sizeof ${NAME};\n"
  "}  // namespace ddm\n")
