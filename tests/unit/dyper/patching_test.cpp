// DYPATCH's documents as plans.
#include <catch2/catch.hpp>

#include "adapters/dyper/documents/xml_reader.h"
#include "adapters/dyper/patching/java_names.h"
#include "adapters/dyper/patching/patch_models.h"

namespace ddm {
namespace {

struct Patching {
  PatchModels models;

  std::vector<std::string> change(const std::string& inside) {
    const auto read = read_xml("<MODEL NAME='M'>" + inside + "</MODEL>");
    REQUIRE(read);
    std::vector<DyperError> errors;
    models.change((*read)->document_element(), errors);
    std::vector<std::string> codes;
    for (const DyperError& error : errors) codes.emplace_back(name_of(error.code));
    return codes;
  }
  std::vector<bci::MethodPatches> methods() const { return models.plan("M").methods; }
};

std::string for_method(const std::string& name, const std::string& update,
                       const std::string& patches) {
  return "<FOR CLASS='shop.Cart' METHOD='" + name + "' UPDATE='" + update + "'>" + patches +
         "</FOR>";
}

const std::string kEnter = "<PATCH WHAT='ENTER' MODE='COUNT_METHOD'/>";
const std::string kBlock = "<PATCH WHAT='BLOCK' MODE='COUNT_BLOCK'/>";

std::string coded(const std::string& code) {
  return for_method(
      "total", "NEW",
      "<PATCH WHAT='EXIT'><MODE NAME='X' CONTEXT='shop.Sink'>" + code + "</MODE></PATCH>");
}

}  // namespace

TEST_CASE("signatures are lists of Java's types") {
  CHECK(method_descriptor_of("()") == "()V");
  CHECK(method_descriptor_of("(int,java.lang.Object,long[])") == "(ILjava/lang/Object;[J)V");
  CHECK(method_descriptor_of(" ( a.B[][] , boolean ) double ") == "([[La/B;Z)D");
  for (const char* bad : {"", "int", "(", "(int", "(int,)", "(,int)", "(void)", "(void[])", "()x y",
                          "(a..b)", "(.a)", "(a/b)", "(int)void[]"}) {
    INFO(bad);
    CHECK_FALSE(method_descriptor_of(bad));
  }
  CHECK(signature_of("(ILjava/lang/Object;[[J)V") == "(int,java.lang.Object,long[][])");
  CHECK(signature_of("()V") == "()");
  CHECK(member_name("java.lang.Math.sqrt").owner == "java/lang/Math");
  CHECK(member_name("sqrt").owner.empty());
}

TEST_CASE("FOR chooses a method by its name, or by its parameters as well") {
  const auto choice = [](std::string_view given) {
    const auto made = method_choice(given);
    return made ? made->name + " " + made->descriptor : "none";
  };
  CHECK(choice("total") == "total ");
  CHECK(choice("") == "* ");
  CHECK(choice("total(int, a.B[])") == "total (I[La/B;)*");
  CHECK(choice("total()") == "total ()*");
  CHECK(choice("total(int)double") == "total (I)D");
  CHECK(choice("total(I[La/B;)D") == "total (I[La/B;)D");
  CHECK(choice("total(int") == "none");
  CHECK(choice("total(int))") == "none");
}

TEST_CASE("WHEN names what is allocated as Java does, an array by its element") {
  CHECK(allocated_type("shop.Cart") == "shop/Cart");
  CHECK(allocated_type("shop.Cart[]") == "shop/Cart");
  CHECK(allocated_type("int") == "I");
  CHECK(allocated_type("int[][]") == "I");
  CHECK(allocated_type("a b") == "a b");
}

TEST_CASE("a model says where its modes go") {
  Patching patching;
  CHECK(patching
            .change(for_method("total", "NEW",
                               kEnter +
                                   "<PATCH WHAT='CALL' MODE='COUNT_METHOD'><WHEN CASE='METHOD' "
                                   "ARG='java.lang.Math.sqrt'/><WHEN CASE='LINE' ARG='7'/></PATCH>"
                                   "<PATCH WHAT='BLOCK_START' MODE='COUNT_BLOCK'><WHEN "
                                   "CASE='BLOCK' ARG='13'/></PATCH>"))
            .empty());
  const auto methods = patching.methods();
  REQUIRE(methods.size() == 1);
  CHECK(methods[0].class_name == "shop/Cart");
  CHECK(methods[0].method == "total");
  REQUIRE(methods[0].patches.size() == 3);
  const bci::Patch& enter = methods[0].patches[0];
  CHECK(enter.site == bci::SiteKind::kEnter);
  REQUIRE(enter.before.size() == 1);
  CHECK(enter.before[0].sink.owner == kSinksClass);
  CHECK(enter.before[0].sink.name == "count");
  CHECK(enter.before[0].arguments[0].kind == bci::ArgumentKind::kMethodId);
  const bci::Patch& call = methods[0].patches[1];
  REQUIRE(call.when.size() == 2);
  CHECK(call.when[0].owner == "java/lang/Math");
  CHECK(call.when[0].name == "sqrt");
  CHECK(call.when[1].kind == bci::WhenKind::kLine);
  CHECK(methods[0].patches[2].when[0].number == 13);
}

TEST_CASE("NEW forgets, ADD keeps what is put elsewhere, and * is any") {
  Patching patching;
  patching.change(for_method("a", "NEW", kEnter + kBlock) + for_method("b", "NEW", kEnter));
  CHECK(patching.methods().size() == 2);
  patching.change(for_method("a", "ADD", "<PATCH WHAT='EXIT' MODE='COUNT_METHOD'/>"));
  CHECK(patching.methods()[0].patches.size() == 3);
  patching.change(for_method("a", "ADD", "<PATCH WHAT='ENTER' MODE='COUNT_CLASS'/>"));
  CHECK(patching.methods()[0].patches.size() == 3);
  patching.change(for_method("a", "NEW", kEnter));
  REQUIRE(patching.methods().size() == 2);
  CHECK(patching.methods()[1].patches.size() == 1);
  patching.change(for_method("*", "NEW", ""));
  CHECK(patching.methods().empty());
  patching.change(for_method("a", "NEW", kEnter));
  patching.change("<FOR CLASS='*' METHOD='*' UPDATE='NEW'/>");
  CHECK(patching.methods().empty());
}

TEST_CASE("an update is NEW, ADD or not said; with any other nothing changes") {
  Patching patching;
  CHECK(patching.change("<FOR CLASS='shop.Cart' METHOD='a'>" + kEnter + "</FOR>").empty());
  for (const char* bad : {"REPLACE", "new", "NEW "}) {
    INFO(bad);
    CHECK(patching.change(for_method("a", bad, kBlock)) == std::vector<std::string>{"BAD_VALUE"});
    REQUIRE(patching.methods().size() == 1);
    CHECK(patching.methods()[0].patches.size() == 1);
  }
}

TEST_CASE("code around INSTRUCTION, arguments and conditions become calls") {
  Patching patching;
  CHECK(patching
            .change(coded("<CODE TYPE='CALL' METHOD='in' SIGNATURE='(int,int,java.lang.Object)'>"
                          "<ARG TYPE='INTEGER' VALUE='100000'/><ARG TYPE='ARG' VALUE='2'/>"
                          "<ARG TYPE='FIELD' VALUE='sum'/></CODE><INSTRUCTION/>"
                          "<CODE TYPE='CALL' CLASS='ddm.Tracker' METHOD='monCountItem' "
                          "SIGNATURE='(int)'><CONDITION TYPE='LOCAL' LVALUE='x' RVALUE='NONNULL'/>"
                          "<CONDITION TYPE='RETURN' RVALUE='-3'/><ARG TYPE='BLOCKID'/></CODE>"))
            .empty());
  const auto methods = patching.methods();
  REQUIRE(methods.size() == 1);
  const bci::Patch& patch = methods[0].patches.at(0);
  REQUIRE(patch.before.size() == 1);
  REQUIRE(patch.after.size() == 1);
  CHECK(patch.before[0].sink.owner == "shop/Sink");
  CHECK(patch.before[0].arguments[0].number == 100000);
  CHECK(patch.before[0].arguments[1].number == 2);
  CHECK(patch.before[0].arguments[2].name == "sum");
  CHECK(patch.after[0].sink.descriptor == "(IZ)V");
  CHECK(patch.after[0].arguments[0].cell == bci::CellKind::kCounter);
  CHECK(patch.before[0].arguments[0].cell == bci::CellKind::kNone);
  REQUIRE(patch.after[0].conditions.size() == 2);
  CHECK(patch.after[0].conditions[0].relation == bci::Relation::kNotEqual);
  CHECK(std::holds_alternative<std::nullptr_t>(patch.after[0].conditions[0].right));
  CHECK(std::get<std::int64_t>(patch.after[0].conditions[1].right) == -3);
  CHECK(patch.after[0].conditions[1].left.kind == bci::ArgumentKind::kReturn);
}

TEST_CASE("what is wrong with one patch is said, and the others are taken") {
  using Codes = std::vector<std::string>;
  Patching patching;
  CHECK(patching.change(for_method("a", "NEW", "<PATCH WHAT='ENTER' MODE='NOBODY'/>" + kBlock)) ==
        Codes{"NO_MODE"});
  CHECK(patching.methods()[0].patches.size() == 1);
  CHECK(patching.change(for_method("a", "NEW", "<PATCH WHAT='NOWHERE' MODE='COUNT_METHOD'/>")) ==
        Codes{"BAD_VALUE"});
  CHECK(patching.change("<FOR METHOD='m'/>") == Codes{"BAD_VALUE"});
  CHECK(patching.change("<DYPATCH_EXTERNAL NAME='X' JAR='x.jar'/>") == Codes{"UNSUPPORTED"});
  CHECK(patching.change(for_method("a", "NEW",
                                   "<PATCH WHAT='CALL' MODE='COUNT_METHOD'><WHEN "
                                   "CASE='BLOCK' ARG='x'/></PATCH>")) == Codes{"BAD_VALUE"});
  for (const auto& [what, when] : {std::pair{"ENTER", "CLASS"},
                                   {"CALL", "FIELD"},
                                   {"FIELD_WRITE", "METHOD"},
                                   {"OBJECT_ALLOC", "METHOD"}}) {
    INFO(what);  // it could never hold
    CHECK(patching.change(for_method("a", "NEW",
                                     "<PATCH WHAT='" + std::string(what) +
                                         "' MODE='COUNT_METHOD'><WHEN CASE='" + when +
                                         "' ARG='a.B'/></PATCH>")) == Codes{"BAD_VALUE"});
  }
  const std::string call = "<CODE TYPE='CALL' METHOD='m' SIGNATURE=";
  const std::pair<std::string, std::string> codes[] = {
      {call + "'(int'/>", "BAD_VALUE"},
      {call + "'(int)'><ARG TYPE='CONTEXT'/></CODE>", "UNSUPPORTED"},
      {call + "'(int)'><ARG TYPE='REFBLOCKID'/></CODE>", "UNSUPPORTED"},
      {call + "'(int)'><ARG TYPE='ODD'/></CODE>", "BAD_VALUE"},
      {call + "'(int)'><ARG TYPE='ARG' VALUE='0'/></CODE>", "BAD_VALUE"},
      {call + "'(int)'><CONDITION TYPE='CONTEXT'/></CODE>", "UNSUPPORTED"},
      {call + "'(int)'><CONDITION TYPE='ARG' LVALUE='1' RVALUE='x'/></CODE>", "BAD_VALUE"},
      {call + "'(int)'><RETURN TYPE='CONTEXT'/></CODE>", "UNSUPPORTED"},
      {"<CODE TYPE='CALL' CLASS='ddm.Tracker' METHOD='no' SIGNATURE='()'/>", "UNSUPPORTED"},
      {"<CODE TYPE='CALL' CLASS='ddm.Tracker' METHOD='monCountItem' SIGNATURE='(long)'/>",
       "UNSUPPORTED"},
      {"<CODE TYPE='CALL' CLASS='ddm.Tracker' METHOD='monCountItem' SIGNATURE='(int)'>"
       "<ARG TYPE='ARG' VALUE='1'/></CODE>",
       "BAD_VALUE"},
      {"<CODE TYPE='CALL' CLASS='ddm.Tracker' METHOD='monMethodEnter' SIGNATURE='(int)'>"
       "<ARG TYPE='METHODID'/></CODE>",
       "BAD_VALUE"},
      {"<CODE TYPE='CALL' CLASS='ddm.Tracker' METHOD='monMethodEnter' SIGNATURE='(int)int'>"
       "<ARG TYPE='METHODID'/><RETURN TYPE='NEWLOCAL' VALUE='t'/></CODE>",
       "UNSUPPORTED"},
      {"<CODE TYPE='CALL' CLASS='ddm.Tracker' METHOD='monMethodExit' SIGNATURE='(int,long)'>"
       "<CONDITION TYPE='ARG' LVALUE='1' RVALUE='NULL'/><ARG TYPE='METHODID'/>"
       "<ARG TYPE='NEWLOCAL' VALUE='t'/></CODE>",
       "UNSUPPORTED"},
      {"<CODE TYPE='JUMP'/>", "BAD_VALUE"}};
  for (const auto& [code, expected] : codes) {
    INFO(code);
    CHECK(patching.change(coded(code)) == Codes{expected});
  }
}

TEST_CASE("methods are timed from monMethodEnter to monMethodExit") {
  Patching patching;
  CHECK(patching
            .change(for_method("total", "NEW",
                               "<PATCH WHAT='ENTER' MODE='TIME_ENTER'/>"
                               "<PATCH WHAT='EXIT' MODE='TIME_EXIT'/>"))
            .empty());
  const auto methods = patching.methods();
  REQUIRE(methods.size() == 1);
  const bci::PatchCall& enter = methods[0].patches.at(0).before.at(0);
  const bci::PatchCall& exit = methods[0].patches.at(1).before.at(0);
  CHECK(enter.sink.name == "begin");
  CHECK(enter.sink.descriptor == "(I)J");
  CHECK(enter.result_local == "entered");
  CHECK(exit.sink.name == "end");
  CHECK(exit.sink.descriptor == "(IJ)V");
  CHECK(exit.arguments.at(1).name == "entered");
  CHECK(enter.arguments.at(0).cell == bci::CellKind::kTimer);
  CHECK(exit.arguments.at(0).cell == bci::CellKind::kTimer);
}

TEST_CASE("a mode of a built-in's name takes its place") {
  Patching patching;
  CHECK(patching
            .change("<DYPATCH_MODE NAME='COUNT_METHOD'><CODE TYPE='CALL' CLASS='a.B' METHOD='m' "
                    "SIGNATURE='()'/></DYPATCH_MODE>" +
                    for_method("total", "NEW", kEnter))
            .empty());
  CHECK(patching.methods()[0].patches[0].before[0].sink.owner == "a/B");
}

}  // namespace ddm
