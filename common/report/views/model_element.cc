#include "report/views/model_element.h"

#include <fmt/format.h>

#include <utility>

#include "report/views/html_escape.h"

namespace memprof {
namespace {

constexpr size_t kLargeModel = 1u << 20;

}  // namespace

void ModelElement::Write(std::string_view piece) {
  if (!packer_ && start_.size() + piece.size() < kLargeModel) {
    start_ += piece;
    return;
  }
  if (!packer_) {
    Begin("application/gzip");
    packer_.emplace(to_).Write(std::exchange(start_, {}));
  }
  packer_->Write(piece);
}

void ModelElement::End() {
  if (packer_) {
    packer_->End();
  } else {
    Begin("application/json");
    if (start_.ends_with('\n')) start_.pop_back();  // the element stays one line
    to_.Write(EscapeJsonInHtml(start_));
  }
  to_.Write("</script>");
}

void ModelElement::Begin(std::string_view type) { to_.Write(fmt::format("<script type=\"{}\" id=\"{}\">", type, id_)); }

}  // namespace memprof
