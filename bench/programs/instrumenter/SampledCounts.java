import com.google.monitoring.runtime.instrumentation.AllocationRecorder;
import com.google.monitoring.runtime.instrumentation.Sampler;
import java.util.concurrent.ConcurrentHashMap;

/** What java-allocation-instrumenter tells of, by class: for Truth. */
public final class SampledCounts implements Runnable, Sampler {
    private static final class Sum {
        long objects;
        long bytes;

        synchronized void add(long size) {
            ++objects;
            bytes += size;
        }
    }

    private final ConcurrentHashMap<Class<?>, Sum> sums = new ConcurrentHashMap<>();

    @Override
    public void run() {
        AllocationRecorder.addSampler(this);
    }

    @Override
    public void sampleAllocation(int count, String desc, Object made, long size) {
        Class<?> type = made.getClass();
        Sum sum = sums.get(type);
        if (sum == null) {
            Sum fresh = new Sum();
            sum = sums.putIfAbsent(type, fresh);
            sum = sum == null ? fresh : sum;
        }
        sum.add(size);
    }

    @Override
    public String toString() {
        AllocationRecorder.removeSampler(this);
        StringBuilder text = new StringBuilder();
        sums.forEach((type, sum) -> text.append(type.getTypeName()).append(' ').append(sum.objects).append(' ')
                .append(sum.bytes).append('\n'));
        return text.toString();
    }
}
