// Writes all reports of a made-up web service into a directory, to be looked at:
//   report_demo DIRECTORY [RECORDS]
// The numbers come from a fixed seed, so two runs write the same files.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>

#include "report/report.h"

namespace {

class WebService {
 public:
  explicit WebService(std::size_t records) : records_(records) {}

  ddm::ReportData run() {
    const auto run = m("java.lang.Thread", "run", 1583);
    const auto worker = m("java.util.concurrent.ThreadPoolExecutor$Worker", "run", 642);
    const auto serve = m("com.example.shop.http.RequestLoop", "serve", 88);
    const auto dispatch = m("com.example.shop.http.Router", "dispatch", 131);
    const auto list = m("com.example.shop.catalog.CatalogController", "listProducts", 57);
    const auto cart = m("com.example.shop.cart.CartController", "addToCart", 74);
    const auto find = m("com.example.shop.catalog.ProductRepository", "findByCategory", 203);
    const auto row =
        m("com.example.shop.catalog.ProductRepository", "lambda$findByCategory$0", 207);
    const auto json = m("com.fasterxml.jackson.databind.ObjectMapper", "writeValueAsString", 3964);
    const auto bean =
        m("com.fasterxml.jackson.databind.ser.std.BeanSerializerBase", "serializeFields", 774);
    const auto escape =
        m("com.fasterxml.jackson.core.json.WriterBasedJsonGenerator", "writeString", 448);
    const auto sql = m("org.postgresql.jdbc.PgResultSet", "getString", 2411);
    const auto builder = m("java.lang.StringBuilder", "append", 179);
    const auto grow = m("java.lang.AbstractStringBuilder", "ensureCapacityInternal", 245);
    const auto copy = m("java.util.Arrays", "copyOf", 3537);
    const auto new_string = m("java.lang.String", "<init>", 574);
    const auto list_grow = m("java.util.ArrayList", "grow", 237);
    const auto map_put = m("java.util.HashMap", "putVal", 636);
    const auto resize = m("java.util.HashMap", "resize", 699);
    const auto stream = m("java.util.stream.ReferencePipeline$3$1", "accept", 197);
    const auto clock = m("com.example.shop.metrics.Clock", "tick", 22);
    const auto clone = m("java.lang.Object", "clone", -2);

    const std::vector<Shape> shapes = {
        {22,
         "byte[]",
         16,
         512,
         {copy, grow, builder, escape, bean, json, list, dispatch, serve, worker, run}},
        {12,
         "java.lang.String",
         24,
         24,
         {new_string, sql, row, stream, find, list, dispatch, serve, worker, run}},
        {11,
         "byte[]",
         24,
         96,
         {copy, new_string, sql, row, stream, find, list, dispatch, serve, worker, run}},
        {9,
         "com.example.shop.catalog.Product",
         48,
         48,
         {row, stream, find, list, dispatch, serve, worker, run}},
        {6, "java.lang.Object[]", 56, 1200, {list_grow, find, list, dispatch, serve, worker, run}},
        {7, "java.util.HashMap$Node", 32, 32, {map_put, cart, dispatch, serve, worker, run}},
        {2,
         "java.util.HashMap$Node[]",
         80,
         4112,
         {resize, map_put, cart, dispatch, serve, worker, run}},
        {8, "char[]", 128, 8016, {escape, bean, json, cart, dispatch, serve, worker, run}},
        {3, "com.example.shop.cart.CartLine", 40, 40, {cart, dispatch, serve, worker, run}},
        {2, "int[][]", 32, 256, {clone, cart, dispatch, serve, worker, run}},
        {5, "com.example.shop.http.Request", 64, 64, {serve, worker, run}},
        {2,
         "com.example.shop.http.Router$$Lambda/0x00007f1c2c0a1c00",
         16,
         16,
         {dispatch, serve, worker, run}},
        {1, "java.lang.Long", 24, 24, {clock, run}},
    };
    std::vector<double> weights;
    for (const Shape& shape : shapes) weights.push_back(shape.weight);
    std::discrete_distribution<std::size_t> pick(weights.begin(), weights.end());

    for (int i = 1; i <= 8; ++i) data_.thread_names[20 + i] = fmt::format("http-worker-{}", i);
    data_.thread_names[1] = "main";
    data_.records.reserve(records_, records_ * 12);
    std::int64_t bytes = 0;
    for (std::uint64_t seq = 1; seq <= records_; ++seq) {
      const Shape& shape = shapes[pick(random_)];
      std::uniform_int_distribution<std::int64_t> size(shape.least / 8, shape.most / 8);
      std::vector<ddm::Frame> frames = shape.stack;
      // Many shops have a tail of rare paths.
      if (random_() % 4 == 0) frames.insert(frames.begin() + 1, rare_path());
      ddm::AllocRecord record{kSeen - records_ + seq,
                              1'714'560'000'000 + static_cast<std::int64_t>(seq / 48),
                              size(random_) * 8,
                              shape.weight == 1 ? 1 : 21 + static_cast<std::int64_t>(random_() % 8),
                              names_.add_class(shape.type),
                              0,
                              frames.size() >= 12 ? ddm::kStackTruncated : std::uint16_t{0}};
      bytes += record.size;
      data_.records.append_newer(record, frames);
    }
    summary(bytes);
    data_.names = &names_;
    return std::move(data_);
  }

 private:
  static constexpr std::uint64_t kSeen = 2'481'277;

  struct Shape {
    double weight;
    const char* type;
    std::int64_t least, most;
    std::vector<ddm::Frame> stack;
  };

  ddm::Frame m(const std::string& type, const std::string& name, int line) {
    std::string file = type.substr(type.rfind('.') + 1);
    file = file.substr(0, file.find('$')) + ".java";
    ddm::MethodName method{type, name, "()V", file, line == -2, {}};
    if (line >= 0) method.lines = {{0, static_cast<std::uint16_t>(line)}};
    return {names_.add_method(std::move(method)), line == -2 ? ddm::kNativeFrameBci : 0};
  }

  ddm::Frame rare_path() {
    const auto n = static_cast<int>(random_() % 300);
    return m(fmt::format("com.example.shop.plugin.p{}.Rule{}", n % 17, n), "apply", 10 + n);
  }

  void summary(std::int64_t bytes) {
    ddm::ReportSummary& s = data_.summary;
    s.pid = 4711;
    s.app = "shop-server.jar";
    s.vm = "OpenJDK 64-Bit Server VM 17.0.15+6";
    s.engine = "bci";
    s.walker = "jvmti";
    s.seen = records_ == 0 ? 0 : static_cast<std::int64_t>(kSeen);
    s.seen_bytes = records_ == 0 ? 0 : bytes * 37 + 4096;
    s.unattributed_bytes = 18'448;
    s.classes_rewritten = 1'812;
    s.classes_skipped = {{"class file too new", 2}, {"not modifiable", 14}};
    s.methods_skipped = {{"code would exceed 65535 bytes", 1}};
    s.tracked_ms = 73'412;
    s.written_ms = 1'714'560'002'000;
    s.reason = "exit";
    for (const auto& [id, name] : data_.thread_names) {
      const std::int64_t seen = s.seen_bytes / 9;
      s.threads.push_back({id, name, seen + id * 88, seen});
    }
  }

  std::size_t records_;
  std::mt19937 random_{17};
  ddm::NameTable names_;
  ddm::ReportData data_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: report_demo DIRECTORY [RECORDS]\n");
    return 2;
  }
  WebService service(argc > 2 ? std::strtoul(argv[2], nullptr, 10) : ddm::kDefaultRecords);
  const ddm::ReportData data = service.run();
  for (const char* ending : {".txt", ".collapsed", ".jsonl", ".html"}) {
    const std::string path = fmt::format("{}/demo{}", argv[1], ending);
    const auto begin = std::chrono::steady_clock::now();
    const auto problem = ddm::write_report_file(path, *ddm::report_format_of(path), data);
    const auto made = std::chrono::steady_clock::now();
    if (problem) {
      fmt::print(stderr, "{}\n", problem->message);
      return 1;
    }
    fmt::print(stderr, "{} written in {} ms\n", path,
               std::chrono::duration_cast<std::chrono::milliseconds>(made - begin).count());
  }
  fmt::print("{}", ddm::summary_report(data));
  return 0;
}
