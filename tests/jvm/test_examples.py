"""Scripts of examples/ end with the answer to the question that they stand for."""
import os
import re
import subprocess

from harness import ROOT, test


def example(t, name, *words):
    """What it says, colours and progress aside."""
    done = subprocess.run(["sh", os.path.join(ROOT, "examples", f"{name}.sh"), *words], check=False, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120, cwd=t.dir,
                          env={**os.environ, "JAVA_HOME": t.jdk.home})
    assert done.returncode == 0, done.stdout
    return done.stdout


@test(queue=True, every_days=5)
def a_leak_is_told_with_its_holder_and_who_made_it(t):
    said = example(t, "leak", "6")
    assert re.search(r"static shop\.Leak\.SESSIONS", said), said
    assert re.search(r"by shop\.Leak\.(login|main)\(Leak\.java:\d+\)|at shop\.Leak\.login\(Leak\.java:\d+\)", said), said


@test(queue=True, every_days=5)
def what_one_method_makes_is_told_by_the_first_frame_of_the_programs(t):
    said = example(t, "churn-of-a-method")
    assert re.search(r"[\d,]+ allocations, [\d.]+ MiB below shop\.Shop\.receipt in 3\.\d s; report written", said), said
    assert re.search(r"byte\[\]\n    from shop\.Shop\.receipt\(Shop\.java:32\)", said), said
    assert "came below shop.Shop.order" in said, said


@test(queue=True, every_days=5, machines_libc=True)
def native_memory_that_grows_is_told_with_the_java_line(t):
    said = example(t, "native-growth")
    assert re.search(r"\+[\d.]+ MiB, \+[\d,]+ blocks\n    at libz\S* deflateInit2_", said), said
    assert "by shop.Archive.pack(Archive.java:12)" in said, said


@test(queue=True, every_days=5)
def waiting_for_a_lock_is_told_with_who_held_it(t):
    said = example(t, "latency")
    assert re.search(r"enter  java\.lang\.Object\n    at shop\.Queue\.print\(Queue\.java:12\)\n    held by till \d", said), said
    assert "latency.html#of=samples" in said and "latency.html#of=locks" in said, said


@test(queue=True, every_days=5)
def a_program_in_a_container_is_found_by_its_name(t):
    said = example(t, "in-a-container")
    assert re.search(r"[\d,]+ allocations, [\d.]+ MiB in 2\.\d s; report written to", said), said
    assert re.search(r"in a container  OpenJDK \S+ +shop\.Shop", said), said


@test(queue=True, every_days=5)
def a_program_that_is_killed_has_left_what_it_did(t):
    said = example(t, "survives-a-kill")
    assert re.search(r"shop\.Shop\.receipt\(Shop\.java:32\)", said), said


@test(queue=True, every_days=5)
def a_change_that_allocates_more_fails_with_its_line(t):
    said = example(t, "allocations-in-ci")
    assert re.search(r"^::error file=\S*Invoices\.java,line=\d+", said, re.M), said
    assert "exit code 1" in said, said


@test(queue=True, every_days=5)
def dyper_documents_tell_where_a_program_is_hot(t):
    said = example(t, "dyper")
    assert "PONG" in said and re.search(r"serves DYPER on 127\.0\.0\.1:\d+", said), said
    assert re.search(r"where it is hot:\n<ITEM NAME='shop\.Hot(?s:.*)<ITEM NAME='shop\.Hot@work' TOTAL='\d+'", said), said
    assert re.search(r"the main thread:\n.*NAME='main'.*<STACK CLASS='shop\.Hot' METHOD='(work|main)'", said), said
