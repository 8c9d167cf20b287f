#include "stack/names/first_use.h"

#include <algorithm>
#include <iterator>
#include <span>

namespace ddm {
namespace {

// Methods of a class, by the beginnings of their names; none: all. A name ending in '.' is a package.
struct Once {
  std::string_view of;
  std::string_view methods[9] = {};
};

constexpr Once kOnce[] = {
    {"java.lang.ClassLoader", {"loadClass", "defineClass", "findClass", "checkPackageAccess"}},
    {"jdk.internal.loader."},
    {"java.net.URLClassLoader"},
    {"java.lang.invoke.MethodHandleNatives"},
    {"java.lang.invoke.LambdaForm"},
    {"java.lang.invoke.LambdaFormEditor"},
    {"java.lang.invoke.InvokerBytecodeGenerator"},
    {"java.lang.invoke.ClassSpecializer"},
    {"java.lang.invoke.Invokers"},
    {"java.lang.invoke.VarForm"},
    {"java.lang.invoke.MethodHandle", {"customize"}},
    {"java.lang.invoke.InnerClassLambdaMetafactory"},
    {"java.lang.invoke.LambdaMetafactory"},
    {"java.lang.invoke.StringConcatFactory"},
    {"java.lang.runtime.ObjectMethods", {"bootstrap"}},
    {"java.lang.runtime.SwitchBootstraps"},
    {"jdk.internal.reflect.MethodHandleAccessorFactory"},
    {"jdk.internal.reflect.MethodAccessorGenerator"},
    {"jdk.internal.reflect.ReflectionFactory", {"new", "generate"}},
    {"java.lang.reflect.Method", {"acquireMethodAccessor"}},
    {"java.lang.reflect.Constructor", {"acquireConstructorAccessor"}},
    {"java.lang.reflect.Field", {"acquireFieldAccessor", "acquireOverrideFieldAccessor"}},
    {"java.lang.Class",
     {"reflectionData", "newReflectionData", "privateGet", "getEnumConstantsShared",
      "enumConstantDirectory", "annotationData", "initClassName"}},
    {"java.lang.System", {"initPhase"}},
};

constexpr Once kWaiting[] = {
    {"java.util.concurrent.locks.AbstractQueuedSynchronizer"},
    {"java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject"},
    {"java.util.concurrent.locks.AbstractQueuedLongSynchronizer"},
    {"java.util.concurrent.locks.AbstractQueuedLongSynchronizer$ConditionObject"},
    {"java.util.concurrent.locks.StampedLock"},
    {"java.util.concurrent.FutureTask", {"awaitDone"}},
    {"java.lang.VirtualThread",
     {"getTermination", "runContinuation", "submit", "lazySubmit", "externalSubmit", "afterYield",
      "schedule", "unpark", "createDefaultScheduler"}},
    // With the result there already uni, bi, or and andTree make less.
    {"java.util.concurrent.CompletableFuture",
     {"waitingGet", "timedGet", "uni", "bi", "or", "andTree"}},
    {"java.util.concurrent.Exchanger"},
    {"java.util.concurrent.Phaser"},
    {"java.util.concurrent.SynchronousQueue$TransferStack"},
    {"java.util.concurrent.SynchronousQueue$TransferQueue"},
    {"java.util.concurrent.SynchronousQueue$Transferer"},
    {"java.util.concurrent.ThreadPoolExecutor", {"addWorker", "tryTerminate", "getTask"}},
    {"java.util.concurrent.ForkJoinPool",
     {"signalWork", "createWorker", "registerWorker", "deregisterWorker", "submissionQueue",
      "externalQueue", "tryCompensate", "awaitWork"}},
    {"java.util.concurrent.ForkJoinPool$WorkQueue", {"growArray"}},
    {"java.util.concurrent.ForkJoinWorkerThread", {"<init>"}},
    {"java.util.concurrent.ConcurrentHashMap", {"fullAddCount"}},
    {"java.util.concurrent.atomic.Striped64"},
    {"java.lang.ThreadGroup", {"add"}},
    // Who may do what: as many domains as the runner's frames have.
    {"java.security.AccessController", {"getContext"}},
    {"jdk.internal.misc.CarrierThread"},
};

bool is_one_of(std::span<const Once> list, std::string_view class_name, std::string_view method) {
  // Both lists name classes of the JDK alone; most that are asked for are not.
  if (!class_name.starts_with("java.") && !class_name.starts_with("jdk.")) return false;
  return std::ranges::any_of(list, [&](const Once& once) {
    const bool same =
        once.of.ends_with('.') ? class_name.starts_with(once.of) : class_name == once.of;
    if (!same || once.methods[0].empty()) return same;
    return std::any_of(std::begin(once.methods), std::end(once.methods), [&](auto beginning) {
      return !beginning.empty() && method.starts_with(beginning);
    });
  });
}

}  // namespace

bool is_first_use(std::string_view class_name, std::string_view method) {
  return method == "<clinit>" || is_one_of(kOnce, class_name, method);
}

bool is_contention(std::string_view class_name, std::string_view method) {
  return is_one_of(kWaiting, class_name, method);
}

}  // namespace ddm
