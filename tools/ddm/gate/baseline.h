// The known allocations of tests or of sites: a file that is kept in a repository, and what grew, is
// new, shrank, or is gone since. Pure.
//
//   # a comment
//   # below METHOD                  made with --below METHOD
//   NAME<TAB>OBJECTS<TAB>BYTES      sorted by name
//   [jdk 21]                        the lines below hold for this version only
//   NAME<TAB>OBJECTS<TAB>BYTES
//
// NAME is the package.Class.method of a test (followed by "[2]" for a repetition), or the "Class @
// package.Class.method" of a site, without_number(). A comment "# jdk 17" names the version with
// which the lines above all sections were measured ("unknown" where it is not known and there is no
// entry); the section of another version has the names whose figures differ; a site that it lacks
// has 0 objects.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace ddm {

struct Amount {
  std::int64_t objects = 0, bytes = 0;
  Amount& operator+=(const Amount& more) {
    objects += more.objects;
    bytes += more.bytes;
    return *this;
  }
  friend bool operator==(const Amount&, const Amount&) = default;
};

// Between the class and the method in the name of a site.
inline constexpr std::string_view kSiteAt = " @ ";
inline constexpr std::string_view kNoJavaFrame = "(no Java frame)";
// Where that is in the name of a site; npos: it is the name of a test, which may have " @ ", too.
std::size_t site_at(std::string_view name);

using Amounts = std::map<std::string, Amount>;

// Added up under the names that `name_of` makes of theirs.
Amounts added_up(const Amounts& amounts, std::string (*name_of)(const std::string&));

class Baseline {
 public:
  // The error names the line and the expected format.
  static Result<Baseline> parse(std::string_view text);

  // The figures for a version; 0 (unknown): only those above all sections.
  Amounts of(int jdk) const;
  // The version with which those were measured; 0: not stated.
  int jdk() const { return jdk_; }
  // The METHOD to which the figures are restricted; "": to none.
  const std::string& below() const { return below_; }
  // Replaces all figures of a version by measured ones. Comments are kept.
  void update(int jdk, const Amounts& measured, const std::string& below = {});

  // No entry, and nothing that says what was measured: text() of a run that allocated nothing says
  // that. A file that was cut, or never written, must not pass as one.
  bool says_nothing() const;
  bool has_entries() const;
  // Whether the entries are those of a report: each of a site, or --below is named.
  bool by_site() const;

  std::string text() const;

 private:
  // Files of earlier versions have the numbers of lambdas and the like in the names of sites.
  void drop_numbers();

  std::string comments_;  // all others, in their order
  std::string below_;
  int jdk_ = 0;
  bool has_head_ = false;  // "# jdk" or "# below"
  Amounts all_;
  std::map<int, Amounts> sections_;
};

// The growth that is tolerated.
class Tolerance {
 public:
  // "0", "0.5%", "1k" (bytes). None: not a tolerance.
  static std::optional<Tolerance> parse(std::string_view text);

  bool exceeded(const Amount& before, const Amount& now) const;

 private:
  std::int64_t bytes_ = 0;  // not 0: the number of objects is ignored
  double share_ = 0;
};

struct Changed {
  std::string name;
  Amount before, now;
};

struct Comparison {
  std::vector<Changed> grown, shrunk, added, removed;  // largest change in bytes first
  std::size_t same = 0;
};

Comparison compare(const Amounts& before, const Amounts& now, const Tolerance& tolerance);

// Whether the baseline is more than twice the measured figure, and so guards nothing any more.
bool is_far_too_high(const Changed& shrunk);

}  // namespace ddm
