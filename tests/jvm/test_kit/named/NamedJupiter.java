package named;

import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that share a method's name; each makes as many objects as its name is to tell. */
@Execution(ExecutionMode.CONCURRENT)
class NamedJupiter extends Above {
    static volatile Object sink;

    static void make(int times) {
        // The first tests end last.
        for (int i = 0; i < times; ++i) {
            sink = new int[3];
        }
    }

    static IntStream numbers() {
        return IntStream.of(3000, 2000, 1000);
    }

    @ParameterizedTest
    @MethodSource("numbers")
    void put(int times) {
        make(times);
    }

    @ParameterizedTest
    @ValueSource(strings = {"four", "seven"})
    void put(String word) {
        make(word.length());
    }

    @Test
    void put() {
        make(1);
    }

    @Test
    void alone() {
        make(2);
    }
}

class Above {
    /** Declared here alone. */
    @ParameterizedTest
    @ValueSource(longs = {20, 30})
    void put(long times) {
        NamedJupiter.make((int) times);
    }
}
