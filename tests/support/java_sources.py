"""The JDK's own sources, to be compiled."""
import os
import zipfile

FILES = 235
PACKAGES = ("java.base/java/io/", "java.base/java/net/", "java.base/java/nio/file/")


def unpack_sources(t):
    """The JDK's own sources of three packages: Debian ships those of 17 on their own."""
    archives = [os.path.join(t.jdk.home, "lib", "src.zip"), "/usr/lib/jvm/openjdk-17/lib/src.zip"]
    archive = next(a for a in archives if os.path.exists(a))
    root = t.path("src")
    with zipfile.ZipFile(archive) as zipped:
        for name in zipped.namelist():
            if name.startswith(PACKAGES) and name.endswith(".java"):
                path = os.path.join(root, name[len("java.base/"):])
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "wb") as f:
                    f.write(zipped.read(name))
    return root
