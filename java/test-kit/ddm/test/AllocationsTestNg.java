package ddm.test;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.testng.IExecutionListener;
import org.testng.IHookCallBack;
import org.testng.IHookable;
import org.testng.ITestNGMethod;
import org.testng.ITestResult;
import org.testng.annotations.Test;

/**
 * Holds the tests of TestNG to their limits, and writes the allocations of each. TestNG finds it by
 * the ServiceLoader.
 */
public final class AllocationsTestNg implements IHookable, IExecutionListener {
    private final Ledger ledger = Ledger.instance();

    /** For the ServiceLoader. */
    public AllocationsTestNg() {
    }

    @Override
    public void onExecutionStart() {
        AgentLink.require();
        if (ledger.wanted() && !AgentLink.counts()) {
            System.err.println(AgentLink.problem());
        }
    }

    @Override
    public void onExecutionFinish() {
        ledger.write();
    }

    @Override
    public void run(IHookCallBack callBack, ITestResult result) {
        ITestNGMethod test = result.getMethod();
        Method method = test.getConstructorOrMethod().getMethod();
        Class<?> testClass = test.getRealClass();
        String name = TestNames.of(testClass, method);
        boolean counted = ledger.wanted() && AgentLink.counts();
        long scope = counted ? AgentLink.begin(AgentLink.BELOW_METHOD,
                method.getDeclaringClass().getName(), method.getName(), false) : 0;
        LimitedTest.Pass pass = () -> pass(callBack, result, method);
        try {
            LimitedTest.run(method, testClass, name, pass, pass);
        } catch (Throwable thrown) {
            if (counted) {
                AgentLink.drop(scope);
            }
            AllocationsTestNg.<RuntimeException>throwIt(thrown);
        }
        if (counted) {
            AgentLink.end(scope);
            ledger.add(name, scope);
        }
    }

    /** TestNG takes any exception as the test's failure, although the interface declares none. */
    @SuppressWarnings("unchecked")
    private static <T extends Throwable> void throwIt(Throwable thrown) throws T {
        throw (T) thrown;
    }

    private static void pass(IHookCallBack callBack, ITestResult result, Method method)
            throws Throwable {
        callBack.runTestMethod(result);
        Throwable thrown = result.getThrowable();
        if (thrown != null && !isExpected(method.getAnnotation(Test.class), thrown)) {
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
