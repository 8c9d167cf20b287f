#include "stack/names/first_use.h"

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
    {"java.lang.invoke.VarForm", ""},
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

constexpr Once kWaiting[] = {
    {"java.util.concurrent.locks.AbstractQueuedSynchronizer", ""},
    {"java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject", ""},
    {"java.util.concurrent.locks.AbstractQueuedLongSynchronizer", ""},
    {"java.util.concurrent.locks.AbstractQueuedLongSynchronizer$ConditionObject", ""},
    {"java.util.concurrent.locks.StampedLock", ""},
    {"java.util.concurrent.FutureTask", "awaitDone"},
    {"java.lang.VirtualThread", "getTermination"},
    {"java.util.concurrent.CompletableFuture", "waitingGet"},
    {"java.util.concurrent.CompletableFuture", "timedGet"},
    // With the result there already they make less.
    {"java.util.concurrent.CompletableFuture", "uni"},
    {"java.util.concurrent.CompletableFuture", "bi"},
    {"java.util.concurrent.CompletableFuture", "or"},
    {"java.util.concurrent.CompletableFuture", "andTree"},
    {"java.util.concurrent.Exchanger", ""},
    {"java.util.concurrent.Phaser", ""},
    {"java.util.concurrent.SynchronousQueue$TransferStack", ""},
    {"java.util.concurrent.SynchronousQueue$TransferQueue", ""},
    {"java.util.concurrent.SynchronousQueue$Transferer", ""},
    {"java.util.concurrent.ThreadPoolExecutor", "addWorker"},
    {"java.util.concurrent.ThreadPoolExecutor", "tryTerminate"},
    {"java.util.concurrent.ThreadPoolExecutor", "getTask"},
    {"java.util.concurrent.ForkJoinPool", "signalWork"},
    {"java.util.concurrent.ForkJoinPool", "createWorker"},
    {"java.util.concurrent.ForkJoinPool", "registerWorker"},
    {"java.util.concurrent.ForkJoinPool", "deregisterWorker"},
    {"java.util.concurrent.ForkJoinPool", "submissionQueue"},
    {"java.util.concurrent.ForkJoinPool", "externalQueue"},
    {"java.util.concurrent.ForkJoinPool", "tryCompensate"},
    {"java.util.concurrent.ForkJoinPool", "awaitWork"},
    {"java.util.concurrent.ForkJoinPool$WorkQueue", "growArray"},
    {"java.util.concurrent.ForkJoinWorkerThread", "<init>"},
    {"java.util.concurrent.ConcurrentHashMap", "fullAddCount"},
    {"java.util.concurrent.atomic.Striped64", ""},
    {"java.lang.ThreadGroup", "add"},
    // Who may do what: as many domains as the runner's frames have.
    {"java.security.AccessController", "getContext"},
    {"java.lang.VirtualThread", "runContinuation"},
    {"java.lang.VirtualThread", "submit"},
    {"java.lang.VirtualThread", "lazySubmit"},
    {"java.lang.VirtualThread", "externalSubmit"},
    {"java.lang.VirtualThread", "afterYield"},
    {"java.lang.VirtualThread", "schedule"},
    {"java.lang.VirtualThread", "unpark"},
    {"java.lang.VirtualThread", "createDefaultScheduler"},
    {"jdk.internal.misc.CarrierThread", ""},
};

template <std::size_t kCount>
bool is_one_of(const Once (&list)[kCount], std::string_view class_name, std::string_view method) {
  // Both lists name classes of the JDK alone; most that are asked for are not.
  if (!class_name.starts_with("java.") && !class_name.starts_with("jdk.")) return false;
  return std::any_of(std::begin(list), std::end(list), [&](const Once& once) {
    const bool same =
        once.of.ends_with('.') ? class_name.starts_with(once.of) : class_name == once.of;
    return same && method.starts_with(once.method);
  });
}

}  // namespace

bool is_first_use(std::string_view class_name, std::string_view method) {
  if (method == "<clinit>") return true;
  return is_one_of(kOnce, class_name, method);
}

bool is_contention(std::string_view class_name, std::string_view method) {
  return is_one_of(kWaiting, class_name, method);
}

}  // namespace ddm
