// ModelElement: the element of an HTML file that holds a report's model, written piece by piece. It is packed once its text reaches
// 1 MiB; a smaller one can be read in the file as it is. Not thread-safe; throws what `to` throws, and std::bad_alloc.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/text_sink.h"
#include "report/packed_text.h"

namespace memprof {

class ModelElement : public TextSink {
 public:
  ModelElement(std::string_view id, TextSink& to) : id_(id), to_(to) {}

  void Write(std::string_view piece) override;
  void End();  // once, after the last piece

 private:
  void Begin(std::string_view type);

  std::string_view id_;
  TextSink& to_;
  std::string start_;
  std::optional<TextPacker> packer_;
};

}  // namespace memprof
