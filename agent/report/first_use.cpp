#include "report/first_use.h"

#include <algorithm>
#include <iterator>

namespace ddm {
namespace {

// A method that runs once; "": all methods of the class. A name ending in '.' is a package.
struct Once {
  std::string_view of, method;
};

constexpr Once kOnce[] = {
    {"java.lang.ClassLoader", "loadClass"},
    {"java.lang.ClassLoader", "defineClass"},
    {"java.lang.ClassLoader", "findClass"},
    {"java.lang.ClassLoader", "checkPackageAccess"},
    {"jdk.internal.loader.", ""},
    {"java.net.URLClassLoader", ""},
    {"java.lang.invoke.MethodHandleNatives", ""},
    {"java.lang.invoke.LambdaForm", ""},
    {"java.lang.invoke.LambdaFormEditor", ""},
    {"java.lang.invoke.InvokerBytecodeGenerator", ""},
    {"java.lang.invoke.ClassSpecializer", ""},
    {"java.lang.invoke.Invokers", ""},
    {"java.lang.invoke.MethodHandle", "customize"},
    {"java.lang.invoke.InnerClassLambdaMetafactory", ""},
    {"java.lang.invoke.LambdaMetafactory", ""},
    {"java.lang.invoke.StringConcatFactory", ""},
    {"java.lang.runtime.ObjectMethods", "bootstrap"},
    {"java.lang.runtime.SwitchBootstraps", ""},
    {"jdk.internal.reflect.MethodHandleAccessorFactory", ""},
    {"jdk.internal.reflect.MethodAccessorGenerator", ""},
    {"jdk.internal.reflect.ReflectionFactory", "new"},
    {"jdk.internal.reflect.ReflectionFactory", "generate"},
    {"java.lang.reflect.Method", "acquireMethodAccessor"},
    {"java.lang.reflect.Constructor", "acquireConstructorAccessor"},
    {"java.lang.reflect.Field", "acquireFieldAccessor"},
    {"java.lang.reflect.Field", "acquireOverrideFieldAccessor"},
    {"java.lang.Class", "reflectionData"},
    {"java.lang.Class", "newReflectionData"},
    {"java.lang.Class", "privateGet"},
    {"java.lang.Class", "getEnumConstantsShared"},
    {"java.lang.Class", "enumConstantDirectory"},
    {"java.lang.Class", "annotationData"},
    {"java.lang.Class", "initClassName"},
    {"java.lang.System", "initPhase"},
};

}  // namespace

bool is_of_first_use(std::string_view class_name, std::string_view method) {
  if (method == "<clinit>") return true;
  return std::any_of(std::begin(kOnce), std::end(kOnce), [&](const Once& once) {
    const bool same =
        once.of.ends_with('.') ? class_name.starts_with(once.of) : class_name == once.of;
    return same && method.starts_with(once.method);
  });
}

}  // namespace ddm
