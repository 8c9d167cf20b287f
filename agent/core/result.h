// A value, or a sentence that says why there is none. Errors are values: no exception crosses a
// component boundary. Pure data, any thread.
#pragma once

#include <string>
#include <utility>
#include <variant>

namespace ddm {

// Names what was wrong, the value, and what would be right; fits a one-line message.
struct Error {
  std::string message;
};

// Functions without a result return std::optional<Error> instead.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT: implicit
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT: implicit

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  // Only when ok().
  T& operator*() { return *std::get_if<0>(&state_); }
  const T& operator*() const { return *std::get_if<0>(&state_); }
  T* operator->() { return std::get_if<0>(&state_); }
  const T* operator->() const { return std::get_if<0>(&state_); }

  T value_or(T other) && { return ok() ? std::move(**this) : std::move(other); }

  // Only when not ok().
  const Error& error() const { return *std::get_if<1>(&state_); }
  const std::string& message() const { return error().message; }

 private:
  std::variant<T, Error> state_;
};

}  // namespace ddm
