package ddm.test;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Finds the methods of tests: frames name the class that declares a method, test reports the one
 * that is run.
 */
final class TestMethods {
    /** A cache: Class copies all of its methods in each call. */
    private static final ClassValue<Method[]> DECLARED = new ClassValue<>() {
        @Override
        protected Method[] computeValue(Class<?> type) {
            return type.getDeclaredMethods();
        }
    };

    private TestMethods() {
    }

    /** Null: there is none of that name. Tests may have changed the thread's class loader. */
    static Class<?> classOf(String name) {
        Class<?> found = classOf(name, Thread.currentThread().getContextClassLoader());
        return found != null ? found : classOf(name, TestMethods.class.getClassLoader());
    }

    private static Class<?> classOf(String name, ClassLoader loader) {
        try {
            return Class.forName(name, false, loader);
        } catch (ClassNotFoundException | LinkageError unknown) {
            return null;
        }
    }

    /**
     * The method of that name whose parameters have these types, {@code "int, [J"}; else, or if they
     * are unknown (null), the one without parameters; else any; null: there is none.
     */
    static Method find(Class<?> testClass, String name, String parameters) {
        List<Method> named = named(testClass, name);
        for (String wanted : new String[] {parameters, ""}) {
            for (Method method : named) {
                if (parameters(method).equals(wanted)) {
                    return method;
                }
            }
        }
        return named.isEmpty() ? null : named.get(0);
    }

    /** Whether the class has or inherits a method of the same name with other parameters. */
    static boolean isOverloaded(Class<?> testClass, Method method) {
        for (Method other : named(testClass, method.getName())) {
            if (!Arrays.equals(other.getParameterTypes(), method.getParameterTypes())) {
                return true;
            }
        }
        return false;
    }

    /** All methods of the class and its superclasses, those of the class first. */
    static List<Method> all(Class<?> testClass) {
        List<Method> found = new ArrayList<>();
        for (Class<?> type = testClass; type != null; type = type.getSuperclass()) {
            found.addAll(Arrays.asList(DECLARED.get(type)));
        }
        return found;
    }

    /** Of the classes around a test, its own first: that one, and those that it is nested in. */
    static List<Class<?>> nest(List<Class<?>> around) {
        List<Class<?>> nest = new ArrayList<>();
        for (Class<?> type : around) {
            if (!nest.contains(type)) {
                nest.add(type);
            }
            if (type.getEnclosingClass() == null || Modifier.isStatic(type.getModifiers())) {
                break;
            }
        }
        return nest;
    }

    /** Whether there may be frames of such a method: those of inherited ones have another class. */
    static boolean hasCode(Class<?> type, String name) {
        if (name.equals("<init>") || name.equals("<clinit>")) {
            return true;
        }
        try {
            return Arrays.stream(DECLARED.get(type)).anyMatch(one -> one.getName().equals(name)
                    && !Modifier.isAbstract(one.getModifiers()));
        } catch (LinkageError unknown) {
            return true;
        }
    }

    private static String parameters(Method method) {
        return Arrays.stream(method.getParameterTypes()).map(Class::getName)
                .collect(Collectors.joining(", "));
    }

    private static List<Method> named(Class<?> testClass, String name) {
        List<Method> found = new ArrayList<>();
        addNamed(testClass, name, found);
        return found;
    }

    /** The class's own first, then those of its superclasses, then those of its interfaces. */
    private static void addNamed(Class<?> type, String name, List<Method> found) {
        if (type == null) {
            return;
        }
        for (Method method : DECLARED.get(type)) {
            if (method.getName().equals(name) && !method.isSynthetic()) {
                found.add(method);
            }
        }
        addNamed(type.getSuperclass(), name, found);
        for (Class<?> face : type.getInterfaces()) {
            addNamed(face, name, found);
        }
    }
}
