"""A VM inside another program, which has opened libjvm for itself alone (RTLD_LOCAL)."""
import copy
import glob
import os
import stat

from ddm_client import Target
from harness import PRESET, ROOT, test
from heap_map import Shape, draw

LAUNCHER = os.path.join(ROOT, "build", PRESET, "bin", "embedding_launcher")


def embed(t):
    """From now on `java` is the launcher."""
    library, = glob.glob(os.path.join(t.jdk.home, "lib", "server", "libjvm.so"))
    t.jdk = copy.copy(t.jdk)
    t.jdk.java = t.path("java")
    with open(t.jdk.java, "w", encoding="utf-8") as f:
        f.write(f'#!/bin/sh\nLIBJVM="{library}" exec "{LAUNCHER}" "$@"\n')
    os.chmod(t.jdk.java, stat.S_IRWXU)


@test(gc=("serial", "parallel", "g1"))
def an_embedded_vm_has_heap_maps_with_true_addresses(t):
    embed(t)
    with Shape(t, 10_000, ["-Xmx256m"]) as p, p.client() as ddm:
        m = draw(ddm, strict=False)
        assert "made up" not in p.stderr(), p.stderr()
        assert m.objects["object"] > 10_000 and m.objects["class"] > 300, m.objects


@test()
def an_embedded_vm_tells_its_heap_and_native_stacks(t):
    embed(t)
    with Target(t, agent="native=2k", flags=["-Xmx256m"]) as p, p.client() as ddm:
        assert ddm.heap_info()[1].max > 200 << 20
        p.tell("gc")
        assert b"[java]" in ddm.request("NHGT")
