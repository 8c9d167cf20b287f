package ddm.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A test fails if more of its objects are alive after its end and a garbage collection: those that
 * it has left in fields, caches and threads. First uses do not count: they stay alive once, whatever
 * the test leaves. Of each class and stack, what was alive before the test is subtracted.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE})
@ExtendWith(AllocationsExtension.class)
public @interface MaxLive {
    /** The sum of shallow sizes; negative: no limit. */
    long bytes() default -1;

    /** Negative: no limit. */
    long objects() default -1;
}
