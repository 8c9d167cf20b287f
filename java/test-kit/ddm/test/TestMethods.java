package ddm.test;

import java.lang.reflect.Method;

/** Where a test's method is declared: frames name that class, reports of tests the one that runs. */
final class TestMethods {
    /** Class makes copies of all of them each time that it is asked. */
    private static final ClassValue<Method[]> DECLARED = new ClassValue<>() {
        @Override
        protected Method[] computeValue(Class<?> type) {
            return type.getDeclaredMethods();
        }
    };

    private TestMethods() {
    }

    /** Null: it has none of that name. Of several the first. */
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

    /** The same by name; the class itself where it cannot be found. */
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
