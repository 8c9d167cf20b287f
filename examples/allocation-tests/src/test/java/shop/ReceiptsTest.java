package shop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ddm.test.MaxAllocated;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

class ReceiptsTest {
    private final Receipts receipts = new Receipts();
    private List<String> items;

    @BeforeEach
    void fillTheShop() {
        items = Collections.nCopies(1000, "apples");
    }

    @Test
    void linesAreAsWideAsThePrinter() {
        assertEquals(20_000, receipts.write(items));
    }

    @RepeatedTest(2)
    void aCopyMayBePrinted() {
        assertEquals(20_000, receipts.write(new ArrayList<>(items)));
    }

    @Test
    @MaxAllocated(bytes = 5000, from = "shop")
    void aHundredCopiesShareTheirLines() {
        int characters = 0;
        for (int i = 0; i < 100; ++i) {
            characters += receipts.write(items);
        }
        assertEquals(2_000_000, characters);
    }
}
