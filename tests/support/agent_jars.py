"""Java agents as jars."""
import os
import re
import zipfile


def agent_jar(t, name, classes, more_manifest=""):
    """A jar with the class files of a Java agent."""
    path = t.path(name + ".jar")
    with zipfile.ZipFile(path, "w") as jar:
        jar.writestr("META-INF/MANIFEST.MF",
                     f"Manifest-Version: 1.0\nPremain-Class: {name}\nCan-Retransform-Classes: true\n"
                     f"Can-Redefine-Classes: true\n{more_manifest}")
        for file in os.listdir(classes):
            if re.match(rf"{name}(\$.*)?\.class$", file):
                jar.write(os.path.join(classes, file), file)
    return path
