package named;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Tests that several classes inherit. */
abstract class NamedBase {
    abstract int times();

    @Test
    void inherited() {
        NamedJupiter.make(times());
    }

    @Nested
    class Inside {
        @Test
        void inherited() {
            NamedJupiter.make(10 * times());
        }
    }
}

class NamedFirst extends NamedBase {
    /** As containers of applications do. */
    @BeforeAll
    static void changeLoader() {
        Thread.currentThread().setContextClassLoader(null);
    }

    @Override
    int times() {
        return 1;
    }
}

class NamedSecond extends NamedBase {
    @Override
    int times() {
        return 2;
    }
}
