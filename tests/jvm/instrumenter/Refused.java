import com.google.monitoring.runtime.instrumentation.AllocationRecorder;
import com.google.monitoring.runtime.instrumentation.ConstructorInstrumenter;
import com.google.monitoring.runtime.instrumentation.Sampler;
import java.lang.reflect.Field;
import java.util.Map;

/** What is registered after a refusal: "samplers 0 callbacks 0". */
public class Refused {
    static Object field(String name) throws Exception {
        Class<?> listeners = Class.forName("com.google.monitoring.runtime.instrumentation.Listeners");
        Field field = listeners.getDeclaredField(name);
        field.setAccessible(true);
        return field.get(null);
    }

    public static void main(String[] args) throws Exception {
        try {
            AllocationRecorder.addSampler((count, name, object, size) -> { });
            throw new AssertionError("not refused");
        } catch (IllegalStateException refused) {
            System.err.println(refused.getMessage());
        }
        try {
            ConstructorInstrumenter.instrumentClass(Refused.class, (Refused made) -> { });
            throw new AssertionError("not refused");
        } catch (IllegalStateException refused) {
            System.err.println(refused.getMessage());
        }
        System.out.println("samplers " + ((Sampler[]) field("samplers")).length
                + " callbacks " + ((Map<?, ?>) field("callbacks")).size());
    }
}
