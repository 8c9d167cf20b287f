#include "stack/names/jdk_classes.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

using namespace ddm;

namespace {

// The class that a row of this stack, the innermost class first, is named after.
std::string told(const std::vector<std::string>& stack) {
  return stack[representative_frame(stack.size(), [&](std::size_t i) { return stack[i]; })];
}

}  // namespace

TEST_CASE("The tools of the JDK are programs of their own") {
  CHECK(is_jdk_class("com.sun.net.httpserver.HttpServer"));
  CHECK(!is_jdk_class("com.sun.tools.javac.main.Main"));
  CHECK(is_jdk_class("java.lang.Object"));
  CHECK(!is_jdk_class("javassist.ClassPool"));
  CHECK(!is_jdk_class("javax"));
}

TEST_CASE("A row is named after the innermost frame outside the JDK") {
  CHECK(told({"java.util.HashMap", "shop.Cart", "shop.Main", "java.lang.Thread"}) == "shop.Cart");
}

TEST_CASE("A row is not named after frames that are left out") {
  CHECK(told({"java.util.HashMap", "", "shop.Cart", "java.lang.Thread"}) == "shop.Cart");
  CHECK(told({"java.util.HashMap", "", "java.util.TimSort", "java.lang.Thread"}) ==
        "java.util.TimSort");
}

TEST_CASE("Where only the JDK ran, a row tells what of it, and not how the thread began") {
  // What the JDK brings along before its libraries, these before java.base.
  CHECK(told({"java.util.HashMap", "sun.net.httpserver.ServerImpl",
              "com.sun.net.httpserver.Filter$Chain", "java.lang.Thread"}) ==
        "com.sun.net.httpserver.Filter$Chain");
  CHECK(told({"java.util.TimSort", "java.awt.Component", "javax.swing.RepaintManager",
              "java.awt.EventDispatchThread"}) == "java.awt.Component");
  CHECK(told({"java.util.ArrayList", "java.util.logging.LogManager", "java.lang.Thread"}) ==
        "java.util.logging.LogManager");
  CHECK(told({"java.util.ArrayList", "javax.crypto.Cipher", "com.sun.crypto.provider.AESCipher",
              "java.net.http.HttpClient", "java.lang.Thread"}) == "java.net.http.HttpClient");
}

TEST_CASE("In java.base alone a row is named after the outermost that is not a thread's start") {
  CHECK(told({"jdk.internal.misc.Unsafe", "java.util.concurrent.locks.LockSupport",
              "java.util.concurrent.ThreadPoolExecutor",
              "java.util.concurrent.ThreadPoolExecutor$Worker", "java.lang.Thread",
              "java.lang.Thread"}) == "java.util.concurrent.ThreadPoolExecutor$Worker");
  CHECK(told({"java.lang.ref.ReferenceQueue", "jdk.internal.ref.CleanerImpl", "java.lang.Thread",
              "jdk.internal.misc.InnocuousThread"}) == "jdk.internal.ref.CleanerImpl");
  CHECK(told({"java.util.HashMap", "sun.launcher.LauncherHelper"}) ==
        "sun.launcher.LauncherHelper");
  CHECK(told({"java.lang.Thread"}) == "java.lang.Thread");
}

TEST_CASE("A row of native memory is named after the program's Java frame") {
  CHECK(told({"libz.so.1.2.13", "libzip.so", "java.util.zip.Deflater", "shop.Archive"}) ==
        "shop.Archive");
  CHECK(told({"libz.so.1", "java.util.zip.Deflater", "java.lang.Thread"}) ==
        "java.util.zip.Deflater");
  CHECK(told({"libjvm.so", "libc.so.6"}) == "libjvm.so");
  CHECK(told({"java.util.HashMap", "library.so1.Shelf"}) == "library.so1.Shelf");
}
