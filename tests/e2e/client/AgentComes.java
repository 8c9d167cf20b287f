import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.function.Supplier;

/**
 * Calls that do not find the agent, without one and with one that comes before the call has told so. Prints the
 * answers; "none" is that of a call without an agent.
 */
public class AgentComes {
    static Class<?> link;

    static Method method(String name, Class<?>... parameters) throws Exception {
        Method method = link.getDeclaredMethod(name, parameters);
        method.setAccessible(true);
        return method;
    }

    static Object call(Supplier<Object> work) throws Exception {
        Class<?> type = Class.forName(link.getName() + "$Native");
        Object proxy = Proxy.newProxyInstance(link.getClassLoader(), new Class<?>[] {type},
                (self, method, arguments) -> work.get());
        return method("call", type, Object.class).invoke(null, proxy, "none");
    }

    static void arrive() {
        try {
            method("arrived").invoke(null);
        } catch (Exception impossible) {
            throw new AssertionError(impossible);
        }
    }

    static Object fail() {
        throw new UnsatisfiedLinkError("of this test");
    }

    public static void main(String[] arguments) throws Exception {
        link = Class.forName("org.apache.harmony.dalvik.ddmc.AgentLink");
        Object late = call(() -> {
            arrive();
            return fail();
        });
        System.out.println(late + " " + call(() -> "there"));
        System.out.println(call(AgentComes::fail) + " " + call(() -> "not looked for again"));
        arrive();
        System.out.println(call(() -> "there"));
    }
}
