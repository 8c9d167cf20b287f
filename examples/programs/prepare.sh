# Read by the example scripts (`.`): sets $agent, $ddm and the commands of the JDK (JAVA_HOME, else PATH),
# and compiles the example programs to build/examples/classes.
set -eu
cd "$(dirname "$0")/.."
agent=$PWD/build/release/lib/libddmagent.so
ddm=$PWD/build/release/bin/ddm
if [ ! -f "$agent" ]; then
    echo "$agent is not there: ./examples/quickstart.sh builds it" >&2
    exit 1
fi
java=${JAVA_HOME:+$JAVA_HOME/bin/}java
jcmd=${JAVA_HOME:+$JAVA_HOME/bin/}jcmd
out=build/examples
mkdir -p $out
"${JAVA_HOME:+$JAVA_HOME/bin/}javac" -g --release 17 -d $out/classes examples/programs/*.java
