#include "command_examples.h"

#include <algorithm>
#include <iterator>

namespace ddm {
namespace {

constexpr std::string_view kExamples[] = {
    "ddm ps",
    "ddm ps --all  # and why the others cannot be inspected",
    "ddm top",
    "ddm top 4711 --by app --sort objects",
    "ddm info 4711",
    "ddm threads 4711 -d 2  # what uses the CPU now",
    "ddm stack 4711 1",
    "ddm stack 4711  # of all, with locks and deadlocks",
    "ddm attach 4711 track=y,live=y",
    "ddm attach 4711 help  # all options of the agent",
    "ddm allocs 4711 --by app --top 10",
    "ddm allocs 4711 --mark before; ddm allocs 4711 --since before",
    "ddm allocs --diff old.jsonl new.jsonl -o difference.html",
    "ddm live 4711 --gc",
    "ddm live 4711 --gc --survived 8  # what stays",
    "ddm leaks 4711 -d 2m",
    "ddm record 4711 -d 60 -o shop.html",
    "ddm record 4711 --wall --below shop.Cart.total -o cart.html",
    "ddm record 4711 --interval 512k -o shop.pb.gz  # sampled: at less cost",
    "ddm track 4711 on",
    "ddm recover  # which ring files there are",
    "ddm recover shop.ring -o last.html",
    "ddm gate run.sites.jsonl --baseline allocations.txt --update",
    "ddm gate run.sites.jsonl --baseline allocations.txt --tolerance 5%",
    "ddm trace 4711 --methods 'shop.*' -o shop.html",
    "ddm trace 4711 --sample 10ms -d 5",
    "ddm probe 4711 shop.Cart.total --time --args --return",
    "ddm probe 4711 'shop.*' --when 'took > 100ms' --stack -d 30",
    "ddm probe 4711 shop.Cart.add --line 42 --args --depth 2",
    "ddm locks 4711",
    "ddm heap 4711 --live -o heap.html",
    "ddm gc 4711",
    "ddm dump 4711 -o shop.hprof --sites",
    "ddm sites shop.hprof --retained",
    "ddm paths 4711 shop.Session",
    "ddm paths shop.hprof 'byte[]'",
    "ddm native 4711 on; ddm native 4711 --mark before",
    "ddm native 4711 --since before",
    "ddm serve",
    "ddm serve --address 127.0.0.1:9100 --token-file token",
    "ddm bridge  # then `adb connect`, as it says",
    "ddm dyper 4711 \"<DYPER COMMAND='SHOWSTACK' />\"",
    "ddm send 4711 HELO 00000001",
};

}  // namespace

std::vector<std::string_view> examples_of(std::string_view command) {
  std::vector<std::string_view> examples;
  std::ranges::copy_if(kExamples, std::back_inserter(examples), [&](std::string_view line) {
    line.remove_prefix(line.find(' ') + 1);
    return line.substr(0, line.find(' ')) == command;
  });
  return examples;
}

}  // namespace ddm
