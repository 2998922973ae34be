// JsonWriter: makes a JSON object from a struct of the report model by its field list (fields/README.md lists the kinds).
// Not thread-safe; each writer makes one object.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/fields/stages.h"
#include "report/json_null.h"
#include "report/model.h"

namespace memprof {

class JsonWriter {
 public:
  using Json = nlohmann::ordered_json;

  JsonWriter() { Members().reserve(kMembers); }
  virtual ~JsonWriter() = default;
  // A field list names each key once, so it isn't looked for among those before.
  virtual void Put(std::string_view key, Json value) { Members().emplace_back(std::string(key), std::move(value)); }
  Json Take() && { return std::move(json_); }

  template <typename T>
  static Json Of(const T& value, const auto&... form) {
    JsonWriter writer;
    Fields(value, writer, form...);
    return std::move(writer).Take();
  }

  template <typename T>
  void Value(std::string_view key, const T& value) {
    Put(key, Json(value));
  }
  template <typename T>
  void ValueIf(bool known, std::string_view key, const T& value) {
    Put(key, known ? Json(value) : Json(nullptr));
  }
  void OrNull(std::string_view key, const std::string& text) { Put(key, TextOrNull(text)); }
  template <typename T>
  void OrNull(std::string_view key, const std::optional<T>& value) {
    Put(key, memprof::OrNull(value));
  }
  void LineOrNull(std::string_view key, uint32_t line) { Put(key, line != 0 ? Json(line) : Json(nullptr)); }
  void OrAbsent(std::string_view key, const std::string& text) {
    if (!text.empty()) Value(key, text);
  }
  template <typename T>
  void OrAbsent(std::string_view key, const std::optional<T>& value) {
    if (value) Value(key, *value);
  }
  void TrueOrAbsent(std::string_view key, bool flag) {
    if (flag) Value(key, flag);
  }
  void IndexOrAbsent(std::string_view key, const std::optional<uint32_t>& index, size_t /*size*/) { OrAbsent(key, index); }
  void Word(std::string_view key, auto value, auto to_word, auto /*of_word*/) { Put(key, Json(to_word(value))); }
  void WordIf(bool known, std::string_view key, auto value, auto to_word, auto /*of_word*/) { ValueIf(known, key, to_word(value)); }
  void WordOrNoRow(std::string_view key, auto value, auto to_word, auto of_word) { Word(key, value, to_word, of_word); }
  void Rounded(std::string_view key, const std::optional<double>& ratio);

  template <typename T>
  void Object(std::string_view key, const T& value, const auto&... form) {
    Put(key, Of(value, form...));
  }
  template <typename T>
  void ObjectOrNull(std::string_view key, const std::optional<T>& value) {
    Put(key, value ? Of(*value) : Json(nullptr));
  }
  template <typename T>
  void List(std::string_view key, const std::vector<T>& rows, const auto&... form) {
    Json list = Json::array();
    for (const T& row : rows) list.push_back(Of(row, form...));
    Put(key, std::move(list));
  }
  template <typename T>
  void Entries(std::string_view key, const std::vector<T>& rows) {
    List(key, rows);
  }
  template <typename T>
  void Ids(std::string_view key, const std::vector<T>& ids) {
    Put(key, Json(ids));
  }
  void Indexes(std::string_view key, const std::vector<uint32_t>& indexes, size_t /*size*/) { Ids(key, indexes); }
  template <typename T>
  void Flat(const std::optional<T>& value) {
    static const T none;
    Fields(value ? *value : none, *this);
  }
  void Derived(std::string_view key, auto make) { Put(key, Json(make())); }
  bool Shows(bool condition) const { return condition; }

  void TaskRows(std::string_view key, const ReportStage& stage, size_t most);
  void TimeLine(std::string_view key, const std::optional<ReportTimeLine>& line);
  void Counters(std::string_view key, const std::vector<std::pair<std::string, uint64_t>>& counters);

 protected:
  Json::object_t& Members() { return json_.get_ref<Json::object_t&>(); }

 private:
  static constexpr size_t kMembers = 8;  // of a frame, of which there are most; growing copies the keys

  Json json_ = Json::object();
};

}  // namespace memprof
