#include <catch2/catch.hpp>

#include "adapters/dyper/documents/xml_reader.h"
#include "adapters/dyper/documents/xml_writer.h"

namespace ddm {

TEST_CASE("elements, attributes, text, CDATA, comments and entities are read") {
  const auto read = read_xml(
      "<!-- a --><A B='1 &lt; 2 &#65;' C=\"x\"> <D>text &amp; more</D><![CDATA[<raw>]]></A>\n");
  REQUIRE(read);
  const pugi::xml_node root = (*read)->document_element();
  CHECK(attribute_of(root, "B") == "1 < 2 A");
  CHECK(attribute_of(root, "C") == "x");
  CHECK(attribute_of(root, "E").empty());
  CHECK(text_in(root.child("D")) == "text & more");
  CHECK(text_in(root) == "<raw>");
}

TEST_CASE("what is no document of one element is refused with a sentence") {
  std::string nested;
  for (int i = 0; i <= kMaxNesting; ++i) nested += "<a>";
  nested += "<b/>";
  for (int i = 0; i <= kMaxNesting; ++i) nested += "</a>";
  const std::string bad[] = {"",
                             " \n",
                             "junk",
                             "junk <a/>",
                             "<a/> junk",
                             "<a>",
                             "<a></b>",
                             "<a/><a/>",
                             "<!-- only -->",
                             "<a b='&nope;'/>",
                             "<a>b & c</a>",
                             "<a>&#x;</a>",
                             "<a>&#12</a>",
                             "<!DOCTYPE a><a/>",
                             "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>",
                             std::string("<a b='\0'/>", 10),
                             nested,
                             "<a b='" + std::string(kMaxDocument, 'x') + "'/>"};
  for (const std::string& text : bad) {
    INFO(text.substr(0, 60));
    const auto read = read_xml(text);
    REQUIRE_FALSE(read);
    CHECK_FALSE(read.message().empty());
  }
  CHECK(read_xml("<a><b><c/></b><b/></a>"));
  CHECK(read_xml("<?x &?><!-- & --><a b='&apos;&#x4A;'><![CDATA[&nope;]]>&gt;<!-- &a; --></a>"));
}

TEST_CASE("flags are false by their first letter alone") {
  const auto read = read_xml("<a t='true' one='1' none='' odd='x' f='False' zero='0' n='no'/>");
  REQUIRE(read);
  const pugi::xml_node node = (*read)->document_element();
  for (const char* name : {"t", "one", "none", "odd"}) CHECK(flag_of(node, name, false));
  for (const char* name : {"f", "zero", "n"}) CHECK_FALSE(flag_of(node, name, true));
  CHECK(flag_of(node, "missing", true));
  CHECK_FALSE(flag_of(node, "missing", false));
}

TEST_CASE("whatever is written is read back, and no value makes a line of its own") {
  const std::string values[] = {"plain", "a<b>&\"'c", "x\nENDDYPERMSG\ny\r\tz",
                                "\xc3\xa4\xe2\x82\xac \xf0\x9f\x98\x80"};
  for (const std::string& value : values) {
    XmlWriter xml;
    xml.open("A").attribute("V", value).element("T", value).open("E").close().close();
    const std::string text = xml.take();
    CHECK(text.find("\nENDDYPERMSG\n") == std::string::npos);
    const auto read = read_xml(text);
    REQUIRE(read);
    CHECK(attribute_of((*read)->document_element(), "V") == value);
    CHECK((*read)->document_element().child("T").text().get() == value);
  }
}

TEST_CASE("what XML forbids and what is no UTF-8 is replaced") {
  XmlWriter xml;
  xml.open("A")
      .attribute("V", std::string("a\x01"
                                  "b\xff"
                                  "c\0d",
                                  7))
      .close();
  CHECK(xml.take() ==
        "<A V='a\xef\xbf\xbd"
        "b\xef\xbf\xbd"
        "c\xef\xbf\xbd"
        "d' />\n");
}

TEST_CASE("numbers are written as clients expect them") {
  CHECK(decimal(250) == "250.0");
  CHECK(decimal(0.025) == "0.025");
  CHECK(decimal(0.0 / 0.0) == "0.0");
  XmlWriter xml;
  xml.open("A").attribute("N", -2).attribute("B", true).attribute("D", 1.5).close();
  CHECK(xml.take() == "<A N='-2' B='true' D='1.5' />\n");
}

TEST_CASE("a boolean is one of ten words in any case") {
  for (const char* yes : {"true", "T", "yes", "Y", "1"}) CHECK(boolean_of(yes) == true);
  for (const char* no : {"False", "f", "NO", "n", "0"}) CHECK(boolean_of(no) == false);
  for (const char* bad : {"", "maybe", "10", "tru", " 1"}) CHECK_FALSE(boolean_of(bad));
}

}  // namespace ddm
