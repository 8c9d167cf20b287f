package ddm.test;

import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Where a test's annotations may stand, as JUnit Jupiter looks for them; the nearest come first. */
final class Places {
    /** What is wrong with the limits of methods that are no tests; "": nothing. */
    private static final ClassValue<String> MISPLACED = new ClassValue<>() {
        @Override
        protected String computeValue(Class<?> testClass) {
            return misplacedIn(testClass);
        }
    };

    private Places() {
    }

    /**
     * The method, its class with superclasses and interfaces, and then the same of the classes that
     * this one is {@code @Nested} in: it may be inherited by those.
     */
    static List<AnnotatedElement> of(Method method, List<Class<?>> classes) {
        List<AnnotatedElement> places = new ArrayList<>();
        places.add(method);
        classes.forEach(one -> addTypes(one, places));
        return places;
    }

    private static void addTypes(Class<?> type, List<AnnotatedElement> places) {
        if (type == null) {
            return;
        }
        places.add(type);
        addTypes(type.getSuperclass(), places);
        for (Class<?> face : type.getInterfaces()) {
            addTypes(face, places);
        }
    }

    /** Also from an annotation that has it itself; null: the place has none. */
    static <A extends Annotation> A find(AnnotatedElement place, Class<A> kind) {
        return find(place, kind, new HashSet<>());
    }

    private static <A extends Annotation> A find(AnnotatedElement place, Class<A> kind,
            Set<AnnotatedElement> seen) {
        A found = place.getDeclaredAnnotation(kind);
        if (found != null || !seen.add(place)) {
            return found;
        }
        for (Annotation other : place.getDeclaredAnnotations()) {
            found = find(other.annotationType(), kind, seen);
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    private static boolean hasLimit(AnnotatedElement place) {
        return find(place, MaxAllocated.class) != null || find(place, NoAllocation.class) != null
                || find(place, MaxLive.class) != null;
    }

    /** A sentence about limits of what runs around the tests of a class; "": there are none. */
    static String misplaced(Class<?> testClass) {
        return MISPLACED.get(testClass);
    }

    private static String misplacedIn(Class<?> testClass) {
        for (Method method : TestMethods.all(testClass)) {
            if (hasLimit(method) && runsAroundTests(method)) {
                return "the limit of " + method.getDeclaringClass().getName() + "." + method.getName()
                        + " limits nothing: the method is no test";
            }
        }
        return "";
    }

    /** All frameworks name the annotations of such methods alike: BeforeEach, AfterClass, ... */
    private static boolean runsAroundTests(Method method) {
        for (Annotation one : method.getDeclaredAnnotations()) {
            String name = one.annotationType().getSimpleName();
            if (name.startsWith("Before") || name.startsWith("After")) {
                return true;
            }
        }
        return false;
    }
}
