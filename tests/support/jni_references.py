"""How many references of JNI a program has, by the VM's own count."""
import os
import re
import subprocess


def jni_references(t, pid):
    """(global ones, weak ones)"""
    jcmd = os.path.join(t.jdk.home, "bin", "jcmd")
    text = subprocess.run([jcmd, str(pid), "Thread.print"], capture_output=True, text=True,
                          check=True).stdout
    found = re.search(r"JNI global refs: (\d+), weak refs: (\d+)", text)
    return int(found[1]), int(found[2])
