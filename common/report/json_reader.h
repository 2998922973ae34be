// JsonReader: fills a struct of the report model from a JSON object by its field list (fields/README.md lists the kinds).
// A file may be damaged: a key that is missing or of another type counts as absent; the struct's other fields are read as usual.
// Not thread-safe; the JSON must outlive it.
#pragma once

#include <concepts>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/model.h"

namespace memprof {

class JsonReader {
 public:
  using Json = nlohmann::ordered_json;

  explicit JsonReader(const Json& object) : object_(object) {}
  virtual ~JsonReader() = default;

  // The value of a key; null where it is missing.
  virtual const Json& At(std::string_view key) const;

  // A whole number that T can have; nothing for any other value.
  template <std::integral T>
  static std::optional<T> IntegerOf(const Json& value);

  std::string Text(std::string_view key) const;

  template <std::integral T>
  void Value(std::string_view key, T& value) {
    value = IntegerOf<T>(At(key)).value_or(value);
  }
  void Value(std::string_view key, bool& flag);
  void Value(std::string_view key, std::string& text) { text = Text(key); }
  void ValueIf(bool /*known*/, std::string_view key, auto& value) { Value(key, value); }
  void OrNull(std::string_view key, std::string& text) { Value(key, text); }
  template <typename T>
  void OrNull(std::string_view key, std::optional<T>& value) {
    value = IntegerOf<T>(At(key));
  }
  void LineOrNull(std::string_view key, uint32_t& line) { Value(key, line); }
  void OrAbsent(std::string_view key, auto& value) { OrNull(key, value); }
  void TrueOrAbsent(std::string_view key, bool& flag) { Value(key, flag); }
  void IndexOrAbsent(std::string_view key, std::optional<uint32_t>& index, size_t size);
  void Word(std::string_view key, auto& value, auto /*to_word*/, auto of_word) { value = of_word(Text(key)); }
  void WordIf(bool /*known*/, std::string_view key, auto& value, auto to_word, auto of_word) { Word(key, value, to_word, of_word); }
  void WordOrNoRow(std::string_view key, auto& value, auto /*to_word*/, auto of_word) {
    const auto known = of_word(Text(key));
    is_row_ = known.has_value();
    value = known.value_or(value);
  }
  void Rounded(std::string_view key, std::optional<double>& ratio);

  template <typename T>
  void Object(std::string_view key, T& value, const auto&... form) {
    Fill(At(key), value, form...);
  }
  template <typename T>
  void ObjectOrNull(std::string_view key, std::optional<T>& value) {
    if (const Json& json = At(key); json.is_object()) Fill(json, value.emplace());
  }
  template <typename T>
  void List(std::string_view key, std::vector<T>& rows, const auto&... form) {
    if (At(key).is_array()) Entries(key, rows, form...);
  }
  template <typename T>
  void Entries(std::string_view key, std::vector<T>& rows, const auto&... form) {
    const Json& list = At(key);
    rows.reserve(list.size());
    for (const Json& entry : list) {
      if (entry.is_object() && !Fill(entry, rows.emplace_back(), form...)) rows.pop_back();
    }
  }
  void Ids(std::string_view key, std::vector<int32_t>& ids);
  void Ids(std::string_view key, std::vector<int64_t>& ids);
  void Indexes(std::string_view key, std::vector<uint32_t>& indexes, size_t size);
  template <typename T>
  void Flat(std::optional<T>& value) {
    T flat;
    Fields(flat, *this);
    if (flat != T()) value = std::move(flat);
  }
  void Derived(std::string_view /*key*/, auto /*make*/) {}
  bool Shows(bool /*condition*/) const { return true; }

  void TaskRows(std::string_view key, ReportStage& stage, size_t most);
  void TimeLine(std::string_view key, std::optional<ReportTimeLine>& line);
  void Counters(std::string_view key, std::vector<std::pair<std::string, uint64_t>>& counters);
  void Stages(std::string_view key, std::vector<ReportStage>& stages);

 private:
  // Whether it is a row at all.
  template <typename T>
  static bool Fill(const Json& json, T& value, const auto&... form) {
    JsonReader reader(json);
    Fields(value, reader, form...);
    return reader.is_row_;
  }

  const Json& object_;
  bool is_row_ = true;
};

}  // namespace memprof
