#include "stack/names/jdk_classes.h"

#include <algorithm>
#include <span>

namespace ddm {
namespace {

// "java.util.List" is in "java" and in "java.util", not in "javax.net".
bool is_in(std::string_view class_name, std::string_view package) {
  return class_name.size() > package.size() && class_name.starts_with(package) &&
         class_name[package.size()] == '.';
}

bool is_in_any(std::string_view class_name, std::span<const std::string_view> packages) {
  return std::ranges::any_of(packages, [&](auto package) { return is_in(class_name, package); });
}

constexpr std::string_view kLibraries[] = {"java", "javax", "jdk", "sun"};

// The packages of module java.base from 17 on, subpackages included, except those of other modules.
struct BasePackage {
  std::string_view name;
  std::string_view others[10] = {};
};
constexpr BasePackage kBase[] = {
    {"java",
     {"applet", "awt", "beans", "lang.instrument", "lang.management", "net.http", "rmi", "sql",
      "util.logging", "util.prefs"}},
    {"javax.crypto"},
    {"javax.net"},
    {"javax.security.auth", {"kerberos"}},
    {"javax.security.cert"},
    {"jdk.internal",
     {"agent", "editor", "joptsimple", "jshell", "net.http", "org.commonmark", "org.jline",
      "shellsupport"}},
    {"sun.invoke"},
    {"sun.launcher"},
    {"sun.net", {"httpserver"}},
    {"sun.nio", {"ch.sctp"}},
    {"sun.reflect"},
    {"sun.security", {"jgss", "krb5", "pkcs11", "smartcardio"}},
    {"sun.text"},
    {"sun.util"},
    {"com.sun.crypto.provider"},
    {"com.sun.security.ntlm"},
};

bool is_in_java_base(std::string_view class_name) {
  return std::ranges::any_of(kBase, [&](const BasePackage& package) {
    return is_in(class_name, package.name) &&
           !is_in_any(class_name.substr(package.name.size() + 1), package.others);
  });
}

constexpr std::string_view kThreadStarts[] = {
    "java.lang.Thread", "java.lang.VirtualThread", "java.lang.ThreadBuilders$BoundVirtualThread",
    "jdk.internal.misc.InnocuousThread", "jdk.internal.vm.Continuation"};

// Eclipse's compiler is in org.eclipse.jdt, too, and may be what is tested, as Maven's plugins are.
constexpr std::string_view kTestRunners[] = {"org.junit.",
                                             "junit.extensions.",
                                             "junit.framework.",
                                             "junit.runner.",
                                             "junit.textui.",
                                             "org.testng.",
                                             "org.opentest4j.",
                                             "org.apache.maven.surefire.",
                                             "org.apache.maven.plugin.surefire.",
                                             "ddm.test.",
                                             "org.apache.tools.ant.",
                                             "org.gradle.",
                                             "worker.org.gradle.",
                                             "com.intellij.rt.",
                                             "org.eclipse.jdt.internal.junit",
                                             "com.microsoft.java.test.",
                                             "com.google.testing.junit.",
                                             "sbt."};

// "libz.so", "libc.so.6": Java's names do not end like that.
bool is_library(std::string_view class_name) {
  if (!class_name.starts_with("lib")) return false;
  const std::string_view name =
      class_name.substr(0, class_name.find_last_not_of(".0123456789") + 1);
  return name.ends_with(".so");
}

}  // namespace

bool is_jdk_class(std::string_view class_name) {
  if (is_in(class_name, "com.sun.tools")) return false;
  return is_in_any(class_name, kLibraries) || is_in(class_name, "com.sun");
}

bool is_test_runner(std::string_view class_name) {
  return std::ranges::any_of(kTestRunners,
                             [&](auto package) { return class_name.starts_with(package); });
}

bool is_program_under_test(std::string_view class_name) {
  return !is_jdk_class(class_name) && !is_test_runner(class_name);
}

bool replaces_creator(std::string_view class_name, std::string_view method) {
  return class_name == "java.util.concurrent.ForkJoinPool" && method == "tryCompensate";
}

bool is_runner_task(std::string_view class_name) {
  return class_name ==
         "org.junit.platform.engine.support.hierarchical."
         "ForkJoinPoolHierarchicalTestExecutorService$ExclusiveTask";
}

ClassOrigin origin_of(std::string_view class_name) {
  if (class_name.empty()) return ClassOrigin::kThreadStart;
  if (!is_jdk_class(class_name)) {
    return is_library(class_name) ? ClassOrigin::kLibrary : ClassOrigin::kProgram;
  }
  if (std::ranges::count(kThreadStarts, class_name) > 0) return ClassOrigin::kThreadStart;
  if (is_in_java_base(class_name)) return ClassOrigin::kJavaBase;
  return is_in_any(class_name, kLibraries) ? ClassOrigin::kJdkModule : ClassOrigin::kJdkExtra;
}

}  // namespace ddm
