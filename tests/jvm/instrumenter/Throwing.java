import com.google.monitoring.runtime.instrumentation.AllocationRecorder;
import com.google.monitoring.runtime.instrumentation.ConstructorInstrumenter;
import com.google.monitoring.runtime.instrumentation.Sampler;

/** Listeners that throw stand before, between and behind others; prints what each was called for. */
public class Throwing {
    static class Node { }

    static final int MADE = 1000;
    static final int[] heard = new int[5];
    static Node sink;

    static Sampler throwing(int number, Throwable thrown) {
        return (count, name, object, size) -> {
            if (object instanceof Node) {
                heard[number]++;
                Throwing.<RuntimeException>throwIt(thrown);
            }
        };
    }

    @SuppressWarnings("unchecked")
    static <T extends Throwable> void throwIt(Throwable thrown) throws T {
        throw (T) thrown;
    }

    public static void main(String[] args) throws Exception {
        Sampler counting = (count, name, object, size) -> {
            if (object instanceof Node) {
                heard[1]++;
            }
        };
        AllocationRecorder.addSampler(throwing(0, new IllegalStateException("asked")));
        AllocationRecorder.addSampler(counting);
        AllocationRecorder.addSampler(throwing(2, new java.io.IOException("asked")));
        ConstructorInstrumenter.instrumentClass(Node.class, (Node made) -> {
            heard[3]++;
            throw new AssertionError("asked");
        });
        ConstructorInstrumenter.instrumentClass(Node.class, (Node made) -> heard[4]++);
        int thrown = 0;
        for (int i = 0; i < MADE; i++) {
            try {
                sink = new Node();
            } catch (Throwable passedOn) {
                thrown++;
            }
        }
        AllocationRecorder.removeSampler(counting);
        sink = new Node();
        System.out.println(thrown + " thrown");
        for (int i = 0; i < heard.length; i++) {
            System.out.println(heard[i]);
        }
    }
}
