package ddm.test;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.extension.DynamicTestInvocationContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.junit.platform.commons.support.ReflectionSupport;

/** Holds the tests of JUnit Jupiter to their limits. The annotations register it. */
public final class AllocationsExtension implements InvocationInterceptor {
    /** For JUnit, and for {@code @ExtendWith}. */
    public AllocationsExtension() {
    }

    @Override
    public void interceptTestMethod(Invocation<Void> invocation,
            ReflectiveInvocationContext<Method> of, ExtensionContext context) throws Throwable {
        run(invocation, of, context);
    }

    @Override
    public void interceptTestTemplateMethod(Invocation<Void> invocation,
            ReflectiveInvocationContext<Method> of, ExtensionContext context) throws Throwable {
        run(invocation, of, context);
    }

    /** The limits are those of the factory, which has returned when its tests run. */
    @Override
    public void interceptDynamicTest(Invocation<Void> invocation, DynamicTestInvocationContext of,
            ExtensionContext context) throws Throwable {
        ExtensionContext factory = context;
        while (factory.getTestMethod().isEmpty()) {
            factory = factory.getParent().orElse(null);
            if (factory == null) {
                invocation.proceed();
                return;
            }
        }
        Method method = factory.getRequiredTestMethod();
        List<Class<?>> classes = classes(factory);
        LimitedTest.runDynamic(method, classes, name(method, classes, context),
                of.getExecutable()::execute, invocation::proceed);
    }

    private static void run(Invocation<Void> invocation, ReflectiveInvocationContext<Method> of,
            ExtensionContext context) throws Throwable {
        Method method = of.getExecutable();
        List<Class<?>> classes = classes(context);
        LimitedTest.run(method, classes, name(method, classes, context), () -> invoke(of),
                invocation::proceed);
    }

    private static List<Class<?>> classes(ExtensionContext context) {
        List<Class<?>> around = new ArrayList<>();
        for (ExtensionContext at = context; at != null; at = at.getParent().orElse(null)) {
            at.getTestClass().ifPresent(around::add);
        }
        return TestMethods.nest(around);
    }

    private static String name(Method method, List<Class<?>> classes, ExtensionContext context) {
        return TestNames.numbered(TestNames.of(classes, method), context.getUniqueId());
    }

    /** Through JUnit, to which the test's module is open; what the method throws passes through. */
    private static void invoke(ReflectiveInvocationContext<Method> of) {
        ReflectionSupport.invokeMethod(of.getExecutable(), of.getTarget().orElse(null),
                of.getArguments().toArray());
    }
}
