package ddm.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A test that allocates more fails. First uses (class initialisers, linkage and the like) do not
 * count. On a class, the limit holds for each of its tests, nested ones too; on a factory, for
 * each dynamic test.
 *
 * <p>JUnit Jupiter needs nothing else; JUnit 4 needs an {@link AllocationsRule}, TestNG finds its
 * listener by itself.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE})
@ExtendWith(AllocationsExtension.class)
public @interface MaxAllocated {
    /** The sum of shallow sizes; negative: no limit. */
    long bytes() default -1;

    /** Negative: no limit. */
    long objects() default -1;

    /** Only objects of these classes; none: all. */
    Class<?>[] types() default {};

    /**
     * Only what these packages, classes or {@code Class.method}s and their callees allocate; none:
     * all.
     */
    String[] from() default {};

    Threads threads() default Threads.STARTED;
}
