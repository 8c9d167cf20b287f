package ddm.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A test fails that allocates more. First uses (class initialisers, linkage and the like) do not
 * count. On a class it holds for each of its tests.
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
    /** Shallow sizes of all objects together; negative: no limit. */
    long bytes() default -1;

    /** Negative: no limit. */
    long objects() default -1;

    /** Of these classes only; none: of all. */
    Class<?>[] types() default {};

    /** Of what these packages, classes or {@code Class.method}s allocate, or what they call; none: all. */
    String[] from() default {};

    Threads threads() default Threads.STARTED;
}
