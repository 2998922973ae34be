// The style sheet of the HTML view.
#pragma once

#include <string_view>

namespace memprof {

inline constexpr std::string_view kHtmlStyle = R"css(
:root { color-scheme: light dark; --ground: #fbfbfa; --card: #ffffff; --ink: #1c1e21; --soft: #63686f; --faint: #8b9097;
  --line: #e6e6e3; --track: #eeeeeb; --accent: #2f6fb2; --accent-soft: #a9c8e6; --native: #7a5bb5; --warm: #b26a00; --hot: #c0392b; --good: #2e7d57; }
@media (prefers-color-scheme: dark) { :root { --ground: #15171a; --card: #1c1f23; --ink: #e4e6e9; --soft: #a2a8b0; --faint: #7b8189;
  --line: #2b2f35; --track: #272b30; --accent: #6aa5e0; --accent-soft: #2f5c88; --native: #b39ddb; --warm: #e0a04a; --hot: #ef6f61; --good: #6fbf97; } }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--ground); color: var(--ink); line-height: 1.45; font-size: 15px;
  font-family: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif; font-variant-numeric: tabular-nums; }
main { max-width: 1120px; margin: 0 auto; padding: 32px 24px 64px; }
h1 { font-size: 24px; line-height: 1.25; margin: 0 0 4px; font-weight: 650; letter-spacing: -0.01em; overflow-wrap: anywhere; }
h2 { font-size: 17px; margin: 40px 0 12px; font-weight: 650; }
h3 { font-size: 15px; margin: 0; font-weight: 650; overflow-wrap: anywhere; }
p { margin: 0; }
code, .code { font-family: ui-monospace, "SF Mono", "Cascadia Mono", "DejaVu Sans Mono", Menlo, Consolas, monospace; font-size: 13px; }
)css";

}  // namespace memprof
