# Read by the example scripts of the client API: as prepare.sh, for programs that are compiled
# against ddm-client.jar. Sets $jar and $ddm as well.
. "$(dirname "$0")/programs/prepare.sh"
jar=$PWD/build/release/lib/ddm-client.jar
ddm=$PWD/build/release/bin/ddm
for needed in "$jar" "$ddm"; do
    if [ ! -f "$needed" ]; then
        echo "$needed is not there: cmake --preset release && cmake --build --preset release" >&2
        exit 1
    fi
done
"${JAVA_HOME:+$JAVA_HOME/bin/}javac" -g --release 17 -cp "$jar" -d $out/client examples/programs/client/*.java
