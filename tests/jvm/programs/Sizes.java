import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.ManagementFactory;

/**
 * How large objects are, which hangs on how large the VM makes their headers. Loads classes when it is first
 * asked: for a program's last words.
 */
final class Sizes {
    private static final boolean COMPACT = isOn("UseCompactObjectHeaders");

    private Sizes() {
    }

    private static boolean isOn(String flag) {
        try {
            return Boolean.parseBoolean(ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
                .getVMOption(flag).getValue());
        } catch (IllegalArgumentException e) {
            return false;  // a VM that has no such option
        }
    }

    /** Of an object with so many bytes of fields, none of which is a long or a double. */
    static long object(long fields) {
        return aligned((COMPACT ? 8 : 12) + fields);
    }

    /** Of an array with so many bytes of elements, up to four each. */
    static long array(long elements) {
        return aligned((COMPACT ? 12 : 16) + elements);
    }

    private static long aligned(long bytes) {
        return (bytes + 7) / 8 * 8;
    }
}
