package limits;

import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

@TestMethodOrder(MethodOrderer.MethodName.class)
class EndsTheJvm {
    @Test
    void before() {
        LimitedJupiter.make(3);
    }

    @Test
    void ends() {
        System.exit(7);
    }
}
