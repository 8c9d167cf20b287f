#!/bin/sh
# Tests whose allocations are counted: with Maven, Ant or JUnit's console. A baseline is made, a second run is
# the same, with one more `new` in a helper the gate fails and says where, and `--update` takes that as it is.
#   examples/allocation-tests.sh [maven|ant|console]
. "$(dirname "$0")/programs/prepare.sh"

how=${1:-maven}
case $how in
    maven) needs="maven junit5 libsurefire-java libmaven-resources-plugin-java libmaven-compiler-plugin-java" ;;
    ant) needs="ant ant-optional junit5" ;;
    console) needs="junit5" ;;
    *) echo "usage: $0 [maven|ant|console]" >&2; exit 2 ;;
esac
# shellcheck disable=SC2086  # a list of names
./cmake/install_packages.sh $needs

jar=$PWD/build/release/lib/ddm-test.jar
project=$PWD/$out/allocation-tests-$how
rm -rf "$project"
cp -r examples/allocation-tests "$project"
cd "$project"

java_home=$(dirname "$(dirname "$(readlink -f "$(command -v "$java")")")")
run_tests() {
    case $how in
        maven) JAVA_HOME=$java_home mvn -q -s debian-settings.xml "-Dddm.agent=$agent" "-Dddm.jar=$jar" test ;;
        # Debian's script of Ant allows a security manager, which no JVM from 24 on starts with. The parser of
        # the JDK: libraries on Ant's path may bring others (nekohtml reads build.xml as HTML).
        ant) "$java" -cp /usr/share/ant/lib/ant-launcher.jar -Dant.home=/usr/share/ant \
                 -Djavax.xml.parsers.SAXParserFactory=com.sun.org.apache.xerces.internal.jaxp.SAXParserFactoryImpl \
                 org.apache.tools.ant.launch.Launcher -q "-Dddm.agent=$agent" "-Dddm.jar=$jar" test ;;
        console)
            j=/usr/share/java
            path=$jar:$j/junit-platform-console.jar:$j/junit-platform-reporting.jar:$j/junit-platform-launcher.jar
            path=$path:$j/junit-platform-engine.jar:$j/junit-platform-commons.jar:$j/junit-jupiter-api.jar
            path=$path:$j/junit-jupiter-engine.jar:$j/opentest4j.jar:$j/apiguardian-api.jar
            path=$path:$j/opentest4j-reporting-events.jar:$j/univocity-parsers.jar
            mkdir -p target/classes
            "$java_home/bin/javac" -g --release 17 -cp "$path" -d target/classes \
                src/main/java/shop/*.java src/test/java/shop/*.java
            "$java" -agentpath:"$agent"=address=none,dump=none,engine=bci,sites=512k,track=y \
                -Dddm.allocations=target/allocations.txt -cp "$path:target/classes" \
                org.junit.platform.console.ConsoleLauncher --disable-banner --details=summary \
                --select-package shop ;;
    esac
}

run_tests
$ddm gate target/allocations.txt --baseline allocations.txt --update
cat allocations.txt
run_tests
$ddm gate target/allocations.txt --baseline allocations.txt

echo "and now pad() makes an array, once a line"
sed -i 's/for (int i = item.length/char[] blanks = new char[20];\n        &/' src/main/java/shop/Receipts.java
sed -i 's/bytes = 5000/bytes = 50_000_000/' src/test/java/shop/ReceiptsTest.java
run_tests
$ddm gate target/allocations.txt --baseline allocations.txt --annotations || echo "exit code $?"
$ddm gate target/allocations.txt --baseline allocations.txt --update
$ddm gate target/allocations.txt --baseline allocations.txt
