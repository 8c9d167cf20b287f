package ddm.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A test fails of whose objects more are alive once it is over, after a garbage collection: what it
 * has left in fields, caches, threads. First uses count here: they stay.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE})
@ExtendWith(AllocationsExtension.class)
public @interface MaxLive {
    /** Shallow sizes of all objects together; negative: no limit. */
    long bytes() default -1;

    /** Negative: no limit. */
    long objects() default -1;
}
