#!/bin/sh
# From a fresh Debian 12 to an allocation flame graph of a real program: javac, compiling a part
# of the JDK. As root or with sudo. May be run again: what is there already is not done anew.
set -eu
cd "$(dirname "$0")/.."

step() { printf '\n== %s\n' "$*"; }
agent=$PWD/build/release/lib/libddmagent.so
out=build/quickstart
begin=$(date +%s)

step "Debian packages"
# One name a word.
# shellcheck disable=SC2046
./cmake/install_packages.sh $(cat cmake/build_packages.txt) openjdk-17-source

step "Building the agent, the ddm command and the client API (cmake --preset release)"
mkdir -p "$out"
build() {
    # What is written last: a configuration that failed is tried again.
    [ -f build/release/build.ninja ] || [ -f build/release/Makefile ] ||
        CMAKE_GENERATOR=Ninja cmake --preset release || return
    cmake --build --preset release --target ddmagent ddm ddm_client
}
if ! build >$out/build.log 2>&1; then
    tail -n 30 $out/build.log >&2
    echo "quickstart: the build failed; all of its output is in $out/build.log" >&2
    exit 1
fi
echo "$agent, build/release/bin/ddm, build/release/lib/ddm-client.jar, ddm-test.jar"

# java.base is compiled with the JDK that its sources belong to, whatever JAVA_HOME says.
jdk=/usr/lib/jvm/java-17-openjdk-$(dpkg --print-architecture)
if [ ! -f $out/files ]; then
    (cd $out && "$jdk/bin/jar" xf /usr/lib/jvm/openjdk-17/lib/src.zip \
        java.base/java/util/function java.base/java/nio/file \
        java.base/java/security/spec java.base/java/security/interfaces)
    find $out/java.base -name '*.java' ! -name package-info.java | sort >$out/files.new
    mv $out/files.new $out/files
fi
step "Running javac on $(wc -l <$out/files) files of the JDK, under the agent"
# javac's stacks are deep: 64 frames of each show all of most. Fewer records than the default keep
# recent.jsonl, which spells each frame out, at a size to look into.
options=records=16384,depth=64
for ending in html txt jsonl collapsed; do
    options="$options,dump=$out/recent.$ending"
done
# The command, as it is typed.
line="javac '-J-agentpath:$agent=$options' \\
      -nowarn -proc:none -XDignore.symbol.file \\
      --patch-module java.base=$out/java.base -d $out/classes @$out/files"
echo "$line"
rm -rf $out/classes $out/recent.*
start=$(date +%s)
PATH=$jdk/bin:$PATH sh -c "$line"
echo "javac took $(($(date +%s) - start)) s"

step "What came out (from $out/recent.txt)"
sed '/^Top .* by count/Q' $out/recent.txt | head -n 40
ls -sh $out/recent.html $out/recent.txt $out/recent.jsonl $out/recent.collapsed

step "The flame graph"
echo "file://$PWD/$out/recent.html"

step "The same for your own program"
cat <<END
java -agentpath:$agent=dump=recent.html -jar your.jar

writes recent.html when the program ends; any JVM from version 17 on will do.
The options: java -agentpath:$agent=help -version
In words: README.md, docs/options.md, docs/reports.md. More examples: examples/*.sh
END
echo
echo "quickstart took $(($(date +%s) - begin)) s"
