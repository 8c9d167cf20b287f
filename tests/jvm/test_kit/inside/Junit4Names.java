package ddm.test;

import org.junit.runner.Description;

/** The methods that JUnit 4's names of tests are of, a line each. */
public final class Junit4Names {
    private Junit4Names() {
    }

    public void adds(int one, int other) {
    }

    public static void main(String[] names) {
        for (String name : names) {
            Description test = Description.createTestDescription(Junit4Names.class, name);
            System.out.println(AllocationsRule.method(test));
        }
    }
}
