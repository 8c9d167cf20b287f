package ddm.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Has a test method run before it is measured, until it has allocated the same twice in a row, and
 * so many times at most. Jupiter and TestNG repeat the method alone, JUnit 4 repeats what is around
 * it too.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE})
@ExtendWith(AllocationsExtension.class)
public @interface Warmup {
    int value() default 10;
}
