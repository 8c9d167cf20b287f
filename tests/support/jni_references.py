"""How many references of JNI a program has, by the VM's own count."""
import re


def jni_references(t, pid):
    """(global ones, weak ones)"""
    found = re.search(r"JNI global refs: (\d+), weak refs: (\d+)", t.jcmd(pid, "Thread.print"))
    return int(found[1]), int(found[2])
