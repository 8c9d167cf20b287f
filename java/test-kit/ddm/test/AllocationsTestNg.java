package ddm.test;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.testng.IExecutionListener;
import org.testng.IHookCallBack;
import org.testng.IHookable;
import org.testng.IInvokedMethod;
import org.testng.IInvokedMethodListener;
import org.testng.ITestNGMethod;
import org.testng.ITestResult;
import org.testng.annotations.Test;

/**
 * Holds the tests of TestNG to their limits, and writes the allocations of each. TestNG finds it by
 * the ServiceLoader.
 */
public final class AllocationsTestNg
        implements IHookable, IInvokedMethodListener, IExecutionListener {
    /** The attribute of a result whose limits were looked at. */
    private static final String HELD = "ddm.held";

    private final Ledger ledger = Ledger.instance();

    /** For the ServiceLoader. */
    public AllocationsTestNg() {
    }

    @Override
    public void onExecutionStart() {
        AgentLink.require();
        if (ledger.wanted() && !AgentLink.counts()) {
            AgentLink.tell(AgentLink.problem());
        }
    }

    @Override
    public void onExecutionFinish() {
        ledger.write();
        RoomyLimits.tell();
    }

    @Override
    public void run(IHookCallBack callBack, ITestResult result) {
        ITestNGMethod test = result.getMethod();
        Method method = test.getConstructorOrMethod().getMethod();
        List<Class<?>> classes = classes(test);
        String name = TestNames.of(classes, method);
        boolean counted = ledger.wanted() && AgentLink.counts();
        long scope = counted ? AgentLink.begin(AgentLink.BELOW_METHOD,
                method.getDeclaringClass().getName(), method.getName(), false) : 0;
        // TestNG, too, takes the class's only if the method has none.
        Test annotation = method.isAnnotationPresent(Test.class)
                ? method.getAnnotation(Test.class) : classes.get(0).getAnnotation(Test.class);
        LimitedTest.Pass pass = () -> pass(callBack, result, annotation);
        try {
            LimitedTest.run(method, classes, name, pass, pass);
        } catch (Throwable thrown) {
            if (counted) {
                AgentLink.drop(scope);
            }
            // TestNG takes the cause of what a method with a timeout throws, as reflection does.
            AllocationsTestNg.<RuntimeException>throwIt(thrown instanceof InvocationTargetException
                    ? thrown : new InvocationTargetException(thrown));
        }
        result.setAttribute(HELD, true);
        if (counted) {
            AgentLink.end(scope);
            ledger.add(name, scope);
        }
    }

    @Override
    public void beforeInvocation(IInvokedMethod invoked, ITestResult result) {
    }

    /** TestNG calls one IHookable for each test, which may be another one. */
    @Override
    public void afterInvocation(IInvokedMethod invoked, ITestResult result) {
        if (!invoked.isTestMethod() || !result.isSuccess() || result.getAttribute(HELD) != null) {
            return;
        }
        ITestNGMethod test = result.getMethod();
        Method method = test.getConstructorOrMethod().getMethod();
        Limits limits = Limits.of(method, classes(test));
        if (limits != null && limits.limited && AgentLink.counts()) {
            result.setStatus(ITestResult.FAILURE);
            result.setThrowable(new AssertionError(TestNames.of(classes(test), method)
                    + " is not held to its limits: it has thrown, and that was caught or expected,"
                    + " or another IHookable has run it"));
        }
    }

    /** A test that is inherited is one of each class that inherits it. */
    private static List<Class<?>> classes(ITestNGMethod test) {
        return List.of(test.getTestClass().getRealClass());
    }

    /** TestNG takes any exception as the test's failure, although the interface declares none. */
    @SuppressWarnings("unchecked")
    private static <T extends Throwable> void throwIt(Throwable thrown) throws T {
        throw (T) thrown;
    }

    private static void pass(IHookCallBack callBack, ITestResult result, Test annotation)
            throws Throwable {
        callBack.runTestMethod(result);
        Throwable thrown = result.getThrowable();
        if (thrown != null && !isExpected(annotation, thrown)) {
            throw thrown;
        }
    }

    /** A test passes by what it expects; TestNG itself looks at that after this listener only. */
    private static boolean isExpected(Test test, Throwable thrown) {
        Throwable cause = thrown instanceof InvocationTargetException made ? made.getCause() : thrown;
        if (test == null || Stream.of(test.expectedExceptions()).noneMatch(of -> of.isInstance(cause))) {
            return false;
        }
        String pattern = test.expectedExceptionsMessageRegExp();
        return pattern.equals(".*") || (cause.getMessage() != null
                && Pattern.compile(pattern, Pattern.DOTALL).matcher(cause.getMessage()).matches());
    }
}
