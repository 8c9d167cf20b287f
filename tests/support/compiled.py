"""Folders of classes that several cases share, compiled when their sources have changed."""
import fcntl
import hashlib
import os
import shutil
import subprocess


def compiled_once(out, jdk, release, sources, *options):
    """The folder `out` with these sources' classes: one process compiles it, others wait for it."""
    stamp, wanted = os.path.join(out, "sources.sha256"), _stamp(sources)
    os.makedirs(os.path.dirname(out), exist_ok=True)
    with open(out + ".lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            with open(stamp, encoding="utf-8") as f:
                if f.read() == wanted:
                    return out
        except OSError:
            pass
        shutil.rmtree(out, ignore_errors=True)
        subprocess.run([os.path.join(jdk.home, "bin", "javac"), "-g", "-nowarn", "-Xlint:none", "--release", release,
                        *options, "-d", out, *sources], check=True)
        with open(stamp, "w", encoding="utf-8") as f:
            f.write(wanted)
    return out


def _stamp(files):
    digest = hashlib.sha256()
    for path in files:
        with open(path, "rb") as f:
            digest.update(path.encode() + f.read())
    return digest.hexdigest()
