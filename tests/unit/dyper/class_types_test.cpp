#include "adapters/dyper/documents/class_types.h"

#include <catch2/catch.hpp>

#include "adapters/dyper/documents/thread_choice.h"
#include "adapters/dyper/documents/xml_reader.h"

namespace ddm {
namespace {

std::vector<DyperError> change(ClassTypes& types, std::string_view xml) {
  const auto read = read_xml(xml);
  REQUIRE(read);
  std::vector<DyperError> errors;
  types.change((*read)->document_element(), errors);
  return errors;
}

std::string type(const ClassTypes& types, std::string_view name) {
  return std::string(name_of(types.of(name)));
}

}  // namespace

TEST_CASE("a class beats packages, and a longer package a shorter one") {
  ClassTypes types;
  CHECK(type(types, "java.lang.String") == "SYSTEM");
  CHECK(type(types, "java.io.File") == "SYSTEM_IO");
  CHECK(type(types, "java.util.HashMap") == "SYSTEM_COLLECTION");
  CHECK(type(types, "shop.Cart") == "NORMAL");
  CHECK(type(types, "javafx.Scene") == "NORMAL");
  CHECK(type(types, "Top") == "NORMAL");
  CHECK(change(types,
               "<CLASSES><PACKAGE NAME='shop' TYPE='SYSTEM'/><PACKAGE NAME='shop.db.' "
               "TYPE='IO'/><CLASS NAME='shop.db.Cache' TYPE='NORMAL'/></CLASSES>")
            .empty());
  CHECK(type(types, "shop.Cart") == "SYSTEM");
  CHECK(type(types, "shop.db.Driver") == "IO");
  CHECK(type(types, "shop.db.deep.Driver") == "IO");
  CHECK(type(types, "shop.db.Cache") == "NORMAL");
  change(types, "<CLASSES><PACKAGE NAME='shop.db' TYPE='SYSTEM_IO'/></CLASSES>");
  CHECK(type(types, "shop.db.Cache") == "SYSTEM_IO");  // a package forgets its classes
}

TEST_CASE("types are taken away by their kind or all at once") {
  ClassTypes types;
  const auto before = types.version();
  change(types, "<CLASSES CLEARIO='true'/>");
  CHECK(types.version() != before);
  CHECK(type(types, "java.io.File") == "SYSTEM");
  change(types, "<CLASSES CLEARSYSTEM='1'/>");
  CHECK(type(types, "java.io.File") == "NORMAL");
  CHECK(type(types, "java.util.HashMap") == "COLLECTION");
  change(types, "<CLASSES CLEAR='true'/>");
  CHECK(type(types, "java.util.HashMap") == "NORMAL");
}

TEST_CASE("an unknown type is an error of its own, and the rest is applied") {
  ClassTypes types;
  const auto errors = change(types,
                             "<CLASSES><CLASS NAME='a.B' TYPE='ODD'/><CLASS TYPE='IO'/>"
                             "<CLASS NAME='a.C' TYPE='IO'/></CLASSES>");
  CHECK(errors.size() == 2);
  CHECK(type(types, "a.B") == "NORMAL");
  CHECK(type(types, "a.C") == "IO");
}

TEST_CASE("a choice can be taken back when its thread has ended") {
  ThreadChoice choice;
  std::vector<DyperError> errors;
  const auto ignore = read_xml("<THREADS><THREAD ID='7' IGNORE='true'/></THREADS>");
  const auto neither = read_xml("<THREADS><THREAD ID='7'/></THREADS>");
  choice.change((*ignore)->document_element(), {7}, errors);
  choice.change((*neither)->document_element(), {1}, errors);
  CHECK(errors.empty());
  CHECK(choice.uses(7, true));
  choice.change((*ignore)->document_element(), {1}, errors);
  CHECK(errors.size() == 1);
  choice.change((*ignore)->document_element(), {}, errors);  // nobody knows who lives
  CHECK(errors.size() == 1);
}

TEST_CASE("classes of a type that there is not are an error, not none") {
  const ClassTypes types;
  const auto match = read_xml("<MATCH TYPE='ODD'/>");
  XmlWriter xml;
  std::vector<DyperError> errors;
  types.write((*match)->document_element(), xml, errors);
  REQUIRE(errors.size() == 1);
  CHECK(errors[0].attribute == "TYPE");
  CHECK(errors[0].value == "ODD");
}

TEST_CASE("threads are ignored, used, or as the others") {
  const auto read = read_xml(
      "<THREADS><THREAD ID='1' IGNORE='true' USE='true'/><THREAD ID='2' USE='1'/>"
      "<THREAD ID='x' USE='1'/><THREAD ID='4' USE='1'/></THREADS>");
  REQUIRE(read);
  ThreadChoice choice;
  std::vector<DyperError> errors;
  choice.change((*read)->document_element(), {{1, 2, 3}}, errors);
  REQUIRE(errors.size() == 2);
  CHECK(errors[1].value == "4");  // lives no more, or never did
  for (const bool by_default : {false, true}) {
    CHECK_FALSE(choice.uses(1, by_default));
    CHECK(choice.uses(2, by_default));
    CHECK(choice.uses(3, by_default) == by_default);
    const ChosenThreads chosen = choice.chosen(by_default);
    CHECK(chosen.all_but_these == by_default);
    CHECK(chosen.ids == std::vector<std::int64_t>{by_default ? 1 : 2});
  }
}

}  // namespace ddm
