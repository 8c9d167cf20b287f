package limits;

import ddm.test.MaxAllocated;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

public class RoomyTestNg {
    @DataProvider
    public Object[][] rows() {
        return new Object[][] {{5}, {7}, {6}};
    }

    @Test(dataProvider = "rows")
    @MaxAllocated(objects = 1_000)
    public void roomy(int times) {
        LimitedJupiter.make(times);
    }
}
