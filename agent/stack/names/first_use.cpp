#include "stack/names/first_use.h"

#include <algorithm>
#include <iterator>
#include <span>

namespace ddm {
namespace {

// Methods of a class, by the beginnings of their names; none: all. A name ending in '.' is a package.
struct JdkMethods {
  std::string_view of;
  std::string_view methods[9] = {};
  ByTiming waiting = ByTiming::kInwards;
};

constexpr JdkMethods kOnce[] = {
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
    {"java.lang.invoke.VarHandle", {"accessModeType", "getTypesAndInvokers"}},
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
    {"java.lang.ModuleLayer", {"getServicesCatalog"}},
    // Methods that look into a cache first, and allocate only to fill it: once for a locale, a
    // provider, a protocol that there is.
    {"java.util.ResourceBundle", {"findBundle", "loadBundle"}},
    {"java.util.ListResourceBundle", {"loadLookup"}},
    {"sun.util.resources.Bundles", {"findBundleOf"}},
    {"sun.util.resources.OpenListResourceBundle", {"loadLookup"}},
    {"sun.util.resources.ParallelListResourceBundle", {"loadLookupTablesIfNecessary"}},
    {"sun.util.locale.provider.LocaleProviderAdapter", {"getAdapter", "forType"}},
    {"sun.util.locale.provider.JRELocaleProviderAdapter", {"getLocaleResources"}},
    {"sun.util.locale.provider.LocaleServiceProviderPool", {"getPool", "findProviders"}},
    {"sun.util.locale.provider.LocaleResources",
     {"getNumberPatterns", "getDecimalFormatSymbolsData"}},
    {"sun.util.locale.provider.CollatorProviderImpl", {"getInstance"}},
    {"java.time.format.DateTimeTextProvider", {"createStore"}},
    {"java.time.zone.TzdbZoneRulesProvider", {"provideRules"}},
    {"java.util.Calendar", {"setWeekCountData"}},
    {"java.util.TimeZone", {"setDefaultZone"}},
    {"sun.security.jca.ProviderConfig", {"getProvider"}},
    {"java.security.Provider$Service",
     {"getDefaultConstructor", "getImplClass", "hasKeyAttributes"}},
    {"sun.security.util.CryptoAlgorithmConstraints", {"cachedCheckAlgorithm"}},
    {"sun.security.provider.NativePRNG$RandomIO", {"getMixRandom"}},
    {"javax.crypto.JceSecurity", {"verify", "getCodeBase"}},
    {"java.net.URL", {"getURLStreamHandler"}},
};

constexpr JdkMethods kWaiting[] = {
    {"java.util.concurrent.locks.AbstractQueuedSynchronizer"},
    {"java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject"},
    {"java.util.concurrent.locks.AbstractQueuedLongSynchronizer"},
    {"java.util.concurrent.locks.AbstractQueuedLongSynchronizer$ConditionObject"},
    {"java.util.concurrent.locks.StampedLock"},
    {"java.util.concurrent.FutureTask", {"awaitDone"}},
    {"java.lang.VirtualThread",
     {"getTermination", "runContinuation", "submit", "lazySubmit", "externalSubmit", "afterYield",
      "schedule", "unpark", "createDefaultScheduler"}},
    // With the result there already uni, bi, or and andTree make less, and call the function at once.
    {"java.util.concurrent.CompletableFuture",
     {"waitingGet", "timedGet", "uni", "bi", "or", "andTree", "anyOf"},
     ByTiming::kHere},
    {"java.util.concurrent.CompletableFuture$UniCompose", {"tryFire"}, ByTiming::kHere},
    {"java.util.concurrent.Exchanger"},
    {"java.util.concurrent.Phaser"},
    {"java.util.concurrent.SynchronousQueue$TransferStack"},
    {"java.util.concurrent.SynchronousQueue$TransferQueue"},
    {"java.util.concurrent.SynchronousQueue$Transferer"},
    {"java.util.concurrent.ThreadPoolExecutor", {"addWorker", "tryTerminate", "getTask"}},
    {"java.util.concurrent.ForkJoinPool",
     {"signalWork", "createWorker", "registerWorker", "deregisterWorker", "submissionQueue",
      "externalQueue", "tryCompensate", "awaitWork", "awaitTermination"}},
    {"java.util.concurrent.ForkJoinPool$WorkQueue", {"growArray"}},
    {"java.util.concurrent.ForkJoinTask", {"awaitDone"}, ByTiming::kHere},
    {"java.util.concurrent.ForkJoinTask", {"doExec"}, ByTiming::kOver},
    {"java.util.concurrent.ForkJoinWorkerThread", {"<init>"}},
    // These keep what is running or due now, so tables that grow with how much of it there is at once.
    {"java.util.concurrent.DelayScheduler", {"loop"}},
    {"java.util.concurrent.ThreadPerTaskExecutor", {"start", "taskComplete"}},
    {"java.util.concurrent.ThreadPerTaskExecutor", {"newThread"}, ByTiming::kOver},
    {"jdk.internal.vm.ThreadContainers$RootContainer$TrackingRootContainer", {"onStart"}},
    {"java.util.concurrent.ConcurrentHashMap", {"fullAddCount"}},
    {"java.util.concurrent.atomic.Striped64"},
    {"java.lang.ThreadGroup", {"add"}},
    // From 25 on C2 has code of its own in its place, which makes no arrays.
    {"java.util.DualPivotQuicksort", {"partition"}},
    // Who may do what: as many domains as the runner's frames have.
    {"java.security.AccessController", {"getContext"}},
    {"jdk.internal.misc.CarrierThread"},
};

// Null: no row has the method.
const JdkMethods* row_in(std::span<const JdkMethods> list, std::string_view class_name,
                         std::string_view method) {
  // Both lists name classes of the JDK alone; most that are asked for are not.
  if (!class_name.starts_with("java") && !class_name.starts_with("jdk.") &&
      !class_name.starts_with("sun.")) {
    return nullptr;
  }
  const auto row = std::ranges::find_if(list, [&](const JdkMethods& one) {
    const bool same = one.of.ends_with('.') ? class_name.starts_with(one.of) : class_name == one.of;
    if (!same || one.methods[0].empty()) return same;
    return std::any_of(std::begin(one.methods), std::end(one.methods), [&](auto beginning) {
      return !beginning.empty() && method.starts_with(beginning);
    });
  });
  return row != list.end() ? &*row : nullptr;
}

}  // namespace

bool is_first_use(std::string_view class_name, std::string_view method) {
  return method == "<clinit>" || row_in(kOnce, class_name, method) != nullptr;
}

ByTiming waiting_of(std::string_view class_name, std::string_view method) {
  const JdkMethods* const row = row_in(kWaiting, class_name, method);
  return row != nullptr ? row->waiting : ByTiming::kNo;
}

}  // namespace ddm
