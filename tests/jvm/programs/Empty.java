/** Nothing: for start-up times. */
public class Empty {
    public static void main(String[] args) { }
}
