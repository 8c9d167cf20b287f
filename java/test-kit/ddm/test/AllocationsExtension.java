package ddm.test;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;

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

    private static void run(Invocation<Void> invocation, ReflectiveInvocationContext<Method> of,
            ExtensionContext context) throws Throwable {
        Method method = of.getExecutable();
        String name = TestNames.of(of.getTargetClass().getName(), method.getName(),
                context.getUniqueId());
        LimitedTest.run(method, of.getTargetClass(), name, () -> invoke(of), invocation::proceed);
    }

    private static void invoke(ReflectiveInvocationContext<Method> of) throws Throwable {
        Method method = of.getExecutable();
        method.setAccessible(true);
        try {
            method.invoke(of.getTarget().orElse(null), of.getArguments().toArray());
        } catch (InvocationTargetException thrown) {
            throw thrown.getCause();
        }
    }
}
