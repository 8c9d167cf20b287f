"""Runtimes of one module, and programs packed with one, as jlink and jpackage make them."""
import copy
import os


def linked(t):
    """The directory of a runtime with java.base alone."""
    home = t.path("runtime")
    done = t.command([os.path.join(t.jdk.home, "bin", "jlink"), "--add-modules", "java.base", "--output", home])
    assert done.code == 0, done
    return home


def run_on(t, home):
    """What the test starts from now on, it starts there."""
    t.jdk = copy.copy(t.jdk)
    t.jdk.java = os.path.join(home, "bin", "java")


def packed(t, name, main):
    """The program as an image with a launcher of its own, which loads the VM into its own process."""
    tools = os.path.join(t.jdk.home, "bin")
    os.makedirs(t.path("in"))
    files = [f for f in os.listdir(t.classes()) if f.split(".")[0].split("$")[0] == main]
    sources = [word for f in files for word in ("-C", t.classes(), f)]
    for line in (["jar", "cf", t.path("in/program.jar"), *sources],
                 ["jpackage", "--type", "app-image", "--name", name, "--input", t.path("in"), "--main-jar",
                  "program.jar", "--main-class", main, "--runtime-image", linked(t), "--dest", t.path("image")]):
        done = t.command([os.path.join(tools, line[0]), *line[1:]])
        assert done.code == 0, done
    return t.path(os.path.join("image", name, "bin", name))
