package ddm.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Runs a test method before it is measured, without counting that, until two consecutive runs
 * allocate the same, but at most so many times. Jupiter and TestNG repeat the method only; JUnit 4
 * repeats the rules around it, too.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE})
@ExtendWith(AllocationsExtension.class)
public @interface Warmup {
    int value() default 10;
}
