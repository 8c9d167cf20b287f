package ddm.test;

import java.lang.reflect.Method;
import org.testng.IExecutionListener;
import org.testng.IHookCallBack;
import org.testng.IHookable;
import org.testng.ITestNGMethod;
import org.testng.ITestResult;

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
        boolean passed = false;
        try {
            LimitedTest.run(method, testClass, name, () -> pass(callBack, result),
                    () -> pass(callBack, result));
            passed = true;
        } catch (Throwable thrown) {
            AllocationsTestNg.<RuntimeException>throwIt(thrown);
        } finally {
            if (counted) {
                AgentLink.end(scope);
                finish(name, scope, passed);
            }
        }
    }

    private void finish(String name, long scope, boolean passed) {
        if (passed) {
            ledger.add(name, scope);
        } else {
            AgentLink.take(scope, 0, 0);
        }
    }

    /** TestNG takes any exception as the test's failure, although the interface declares none. */
    @SuppressWarnings("unchecked")
    private static <T extends Throwable> void throwIt(Throwable thrown) throws T {
        throw (T) thrown;
    }

    private static void pass(IHookCallBack callBack, ITestResult result) throws Throwable {
        callBack.runTestMethod(result);
        if (result.getThrowable() != null) {
            throw result.getThrowable();
        }
    }
}
