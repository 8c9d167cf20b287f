package limits;

import ddm.test.AllocationsRunListener;
import org.junit.runner.JUnitCore;
import org.junit.runner.Result;

/** Runs tests as a runner without the Platform does; prints the failures. */
public class ListenedJunit4 {
    public static void main(String[] classes) throws Exception {
        JUnitCore runner = new JUnitCore();
        runner.addListener(new AllocationsRunListener());
        for (String name : classes) {
            Result result = runner.run(Class.forName(name));
            result.getFailures().forEach(failure -> System.out.println(failure));
        }
    }
}
