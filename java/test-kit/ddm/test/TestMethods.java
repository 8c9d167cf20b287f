package ddm.test;

import java.lang.reflect.Method;

/**
 * Finds the class that declares a test's method: frames name that class, test reports the one that
 * is run.
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

    /** The first method of that name; null: there is none. */
    static Method find(Class<?> testClass, String name) {
        for (Class<?> type = testClass; type != null; type = type.getSuperclass()) {
            Method found = declared(type, name);
            if (found != null) {
                return found;
            }
            for (Class<?> face : type.getInterfaces()) {
                found = find(face, name);
                if (found != null) {
                    return found;
                }
            }
        }
        return null;
    }

    private static Method declared(Class<?> type, String name) {
        for (Method method : DECLARED.get(type)) {
            if (method.getName().equals(name) && !method.isSynthetic()) {
                return method;
            }
        }
        return null;
    }

    /** The name of the declaring class; the class itself if it is not found. */
    static String declaringClass(String testClass, String name) {
        ClassLoader loader = Thread.currentThread().getContextClassLoader();
        try {
            Method found = find(Class.forName(testClass, false, loader), name);
            return found == null ? testClass : found.getDeclaringClass().getName();
        } catch (ClassNotFoundException | LinkageError unknown) {
            return testClass;
        }
    }
}
