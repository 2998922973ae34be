#include "report/html_style.h"

#include <fmt/format.h>

namespace memprof {
namespace {

constexpr std::string_view kFilePage = R"css(
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--ground); }
main { max-width: 1120px; margin: 0 auto; padding: 36px 28px 72px; }
@media (max-width: 760px) { main { padding: 22px 14px 48px; } }
@media print { body { background: none; } }
)css";

// Bootstrap colours code, stretches cards and draws lines of its own.
constexpr std::string_view kAgainstBootstrap = R"css(
code { color: inherit; }
.card { display: block; }
.mark { padding: 0; background: none; }
table { color: inherit; }
a { color: inherit; text-decoration: underline; }
)css";

}  // namespace

std::string FileStyle() {
  return fmt::format(
      ":root {{ color-scheme: light dark; {} }}\n@media (prefers-color-scheme: dark) {{ :root {{ {} }} }}\nbody {{ {} }}\n{}{}",
      kLightColours, kDarkColours, kGround, kFilePage, kParts);
}

std::string TabStyle() {
  return fmt::format(
      ".sparkmemprof {{ color-scheme: light; max-width: 1120px; padding-bottom: 48px; {} {} }}\n"
      "[data-bs-theme=\"dark\"] .sparkmemprof {{ color-scheme: dark; {} }}\n"
      ".sparkmemprof {{ {} {} }}\n",
      kLightColours, kGround, kDarkColours, kAgainstBootstrap, kParts);
}

}  // namespace memprof
