#include "report/views/report_file_writer.h"

#include <new>
#include <utility>

#include "report/json.h"
#include "report/views/html.h"
#include "report/views/model_element.h"
#include "report/views/views.h"

namespace memprof {
namespace {

// Writes to `to`, and to an element for as long as there is memory for it.
class WithElement : public TextSink {
 public:
  WithElement(TextSink& to, ModelElement& element) : to_(to), element_(element) {}

  void Write(std::string_view piece) override {
    to_.Write(piece);
    ToElement([&] { element_.Write(piece); });
  }
  bool End() {
    ToElement([&] { element_.End(); });
    return whole_;
  }

 private:
  template <typename Step>
  void ToElement(Step step) {
    if (!whole_) return;
    try {
      step();
    } catch (const std::bad_alloc&) {
      whole_ = false;
    }
  }

  TextSink& to_;
  ModelElement& element_;
  bool whole_ = true;
};

}  // namespace

void ReportFileWriter::WriteJson(TextSink& to) {
  StringSink made;
  ModelElement element(kModelId, made);
  WithElement both(to, element);
  WriteReportJson(report_, both);
  if (both.End()) element_ = std::move(made.text);
}

void ReportFileWriter::WriteHtml(TextSink& to) {
  if (element_.empty()) return RenderHtml(report_, to);
  RenderHtmlAround(element_, report_, to);
}

}  // namespace memprof
