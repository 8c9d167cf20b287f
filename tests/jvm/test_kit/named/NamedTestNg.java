package named;

import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

public class NamedTestNg {
    @DataProvider
    public static Object[][] numbers() {
        return new Object[][] {{30}, {20}};
    }

    @Test(dataProvider = "numbers")
    public void put(int times) {
        NamedJupiter.make(times);
    }

    @Test
    public void put() {
        NamedJupiter.make(1);
    }
}
