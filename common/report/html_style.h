// The style sheet of the HTML view: system fonts, tabular figures, light and dark, one column on a phone. The file follows
// the reader's own setting; the tab follows Spark's page around it, and its rules reach nothing outside `.sparkmemprof`.
#pragma once

#include <string>
#include <string_view>

namespace memprof {

std::string FileStyle();  // of the file that stands alone
std::string TabStyle();   // of the page inside Spark's

inline constexpr std::string_view kLightColours = R"css(
  --ground: #f7f7f5; --card: #ffffff; --ink: #1d2024; --soft: #666b72; --faint: #9aa0a7;
  --line: #e7e7e3; --track: #efefeb; --python: #3574b5; --python2: #6b9dcd; --jvm: #d08a2e; --native: #7555ad; --other: #c4c7cb;
  --row0: #3f7f76; --row1: #6fa79b; --row2: #9cc4b9; --row3: #c2dbd4; --warm: #a86400; --hot: #bf3427; --shadow: 0 1px 2px rgb(0 0 0 / .05);
)css";
inline constexpr std::string_view kDarkColours = R"css(
  --ground: #131518; --card: #1b1e22; --ink: #e3e6ea; --soft: #a0a6ae; --faint: #6d737b;
  --line: #2a2e34; --track: #262a2f; --python: #5d9ad6; --python2: #3f74aa; --jvm: #d69a4a; --native: #b39bdf; --other: #4b5159;
  --row0: #5fa398; --row1: #47837a; --row2: #35665f; --row3: #2b4f4a; --warm: #e2a650; --hot: #f0776b; --shadow: none;
)css";

// What both set on their outermost element.
inline constexpr std::string_view kGround = R"css(
  color: var(--ink); font-size: 15px; line-height: 1.45; font-variant-numeric: tabular-nums;
  font-family: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif;
)css";

inline constexpr std::string_view kParts = R"css(
* { box-sizing: border-box; }
h1, h2, h3, h4, p, dl, dd, ul, ol { margin: 0; padding: 0; }
h1 { font-size: 26px; line-height: 1.2; font-weight: 650; letter-spacing: -.015em; overflow-wrap: anywhere; }
h2 { font-size: 18px; font-weight: 650; margin: 44px 0 12px; letter-spacing: -.005em; }
h3 { font-size: 16px; font-weight: 650; overflow-wrap: anywhere; }
h3 .soft { font-weight: 400; margin-left: 6px; }
h4 { font-size: 13px; font-weight: 650; margin: 22px 0 4px; }
code, .code { font-family: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", "Liberation Mono", monospace;
  font-size: 13px; overflow-wrap: anywhere; }
.soft { color: var(--soft); } .warm { color: var(--warm); } .hot { color: var(--hot); } .none { color: var(--faint); }
.strong { font-weight: 650; }
.unit { color: var(--soft); font-size: .86em; }
.brand { color: var(--soft); font-size: 13px; margin-bottom: 6px; letter-spacing: .01em; }
.facts { color: var(--soft); margin-top: 8px; font-size: 14px; display: flex; flex-wrap: wrap; gap: 2px 18px; }
.facts span { overflow-wrap: anywhere; }
.banner { margin-top: 14px; padding: 8px 12px; border-left: 3px solid var(--warm); background: var(--card); color: var(--warm); font-size: 14px; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(260px, 1fr)); gap: 14px; margin-top: 26px; }
.tile, .card { background: var(--card); border: 1px solid var(--line); border-radius: 10px; box-shadow: var(--shadow); }
.tile { padding: 16px 18px; min-width: 0; }
.tile .what { color: var(--soft); font-size: 13px; }
.tile .much { font-size: 30px; font-weight: 650; letter-spacing: -.02em; line-height: 1.25; margin: 2px 0 4px; }
.tile .much .unit { font-size: 17px; font-weight: 500; letter-spacing: 0; }
.tile .where { overflow-wrap: anywhere; }
.tile .where:not(.code) { font-size: 14px; }
.tile .native { color: var(--native); }
.tile .context { color: var(--soft); font-size: 13px; margin-top: 4px; overflow-wrap: anywhere; }
.card { padding: 18px 20px; margin-bottom: 14px; }
.card > header { display: flex; flex-wrap: wrap; justify-content: space-between; align-items: baseline; gap: 2px 24px; margin-bottom: 10px; }
.use { font-size: 14px; }
.percent { font-weight: 650; margin-right: 6px; }
.removed { color: var(--hot); font-size: 14px; margin-top: 8px; overflow-wrap: anywhere; }
.note { color: var(--soft); font-size: 13px; margin-top: 8px; }
.legend { font-size: 13px; color: var(--soft); margin: -4px 0 12px; }
.key { display: inline-block; margin-right: 16px; white-space: nowrap; }
.dot, .tick { display: inline-block; width: 9px; height: 9px; border-radius: 2px; margin-right: 6px; }
.tick { width: 2px; height: 12px; background: var(--ink); vertical-align: -2px; border-radius: 0; }
.dot.jvm { background: var(--jvm); } .dot.python { background: var(--python); } .dot.other { background: var(--other); }
.dot.row0 { background: var(--row0); } .dot.row1 { background: var(--row1); } .dot.row2 { background: var(--row2); } .dot.row3 { background: var(--row3); }
svg.bar { display: block; width: 100%; border-radius: 3px; overflow: hidden; }
svg.tall { height: 18px; border-radius: 4px; } svg.thin { height: 7px; }
.track { fill: var(--track); } .bar .fill { fill: var(--row0); } .bar .python { fill: var(--python); } .bar .alternate { fill: var(--python2); } .bar .jvm { fill: var(--jvm); }
.bar .other { fill: var(--other); } .bar .over { fill: var(--hot); } .bar .beyond { fill: var(--warm); } .bar .mark { fill: var(--ink); }
.bar .row0 { fill: var(--row0); } .bar .row1 { fill: var(--row1); } .bar .row2 { fill: var(--row2); } .bar .row3 { fill: var(--row3); }
details > summary { cursor: pointer; color: var(--soft); font-size: 13px; width: fit-content; }
details > summary:hover { color: var(--ink); }
.card > details { margin-top: 12px; }
.columns { display: grid; grid-template-columns: minmax(0, 5fr) minmax(0, 6fr); gap: 0 40px; }
.columns h4 { margin-top: 14px; }
table { width: 100%; border-collapse: collapse; font-size: 14px; }
th { text-align: left; font-weight: 500; font-size: 12px; color: var(--soft); padding: 4px 0 5px; border-bottom: 1px solid var(--line); white-space: nowrap; }
td { padding: 6px 0; border-bottom: 1px solid var(--line); vertical-align: top; }
tbody tr:last-child td { border-bottom: 0; }
.number { text-align: right; white-space: nowrap; padding-left: 20px; }
td.graph { padding: 13px 0 0 16px; }
.regions td.graph { width: 30%; } .processes td.graph { width: 42%; }
.sites { table-layout: fixed; } .sites th:nth-child(2) { width: 17%; } .sites th.number { width: 11.5%; }
td.error { color: var(--soft); font-size: 13px; }
.regions .name, .processes .name { white-space: nowrap; }
.processes tr:has(+ .rows) td { border-bottom: 0; padding-bottom: 0; }
.processes .rows td { padding: 2px 0 8px; font-size: 12.5px; color: var(--soft); }
.totals { display: grid; grid-template-columns: repeat(auto-fit, minmax(210px, 1fr)); gap: 8px 28px; font-size: 14px; margin-top: 2px; }
.totals dt { color: var(--soft); font-size: 12px; }
.udf code { font-size: 14px; } .udf .soft { font-weight: 400; margin-left: 4px; }
.chip { font-weight: 500; font-size: 11px; color: var(--soft); border: 1px solid var(--line); border-radius: 9px; padding: 1px 8px; margin-left: 6px;
  white-space: normal; overflow-wrap: anywhere; }
.line .function { color: var(--soft); } .line .function.strong { color: inherit; } .line .place { color: var(--soft); } .line .place.strong { color: inherit; }
.under { padding-left: 18px; position: relative; }
.under::before { content: "└"; position: absolute; left: 4px; color: var(--faint); }
.under .function { color: var(--soft); } .under.native .function { color: var(--native); } .under .share { color: var(--soft); margin-left: 8px; }
.outside { margin-top: 10px; } .outside table { width: auto; margin-top: 6px; } .outside td { padding: 2px 0; border: 0; }
.stack summary { font-size: 12px; color: var(--faint); }
.stack ol { list-style: none; font-family: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", "Liberation Mono", monospace;
  font-size: 12px; margin: 4px 0 4px 2px; padding-left: 10px; border-left: 2px solid var(--line); }
.stack .note { margin: 8px 0 0; font-size: 12px; }
.stack li { overflow-wrap: anywhere; } .stack li .function, .stack li .place { color: inherit; } .stack li .place { color: var(--soft); }
.stack li.native .function { color: var(--native); }
.attempts { border-top: 1px solid var(--line); padding-top: 10px; }
.attempts > summary { color: var(--warm); } .attempts .totals { margin-top: 10px; }
.death { border-left: 3px solid var(--hot); } .advice { padding-left: 18px; font-size: 14px; } .advice li { margin-bottom: 6px; }
.errors { list-style: none; margin: 8px 0 0; } .errors code { font-size: 12.5px; }
.about ul { padding-left: 18px; font-size: 14px; } .about li { margin-bottom: 6px; }
.missing { font-size: 13px; } .missing dt { margin-top: 8px; overflow-wrap: anywhere; } .missing dd { color: var(--soft); }
@media (max-width: 760px) {
  h1 { font-size: 22px; } h2 { margin-top: 32px; }
  .card { padding: 14px; } .columns { grid-template-columns: minmax(0, 1fr); }
  .sites thead { display: none; } .sites, .sites tbody { display: block; } .sites tr { display: flex; flex-wrap: wrap; gap: 0 18px; padding: 8px 0; border-bottom: 1px solid var(--line); }
  .sites tbody tr:last-child { border-bottom: 0; } .sites td { border: 0; padding: 1px 0; } .sites td.line { width: 100%; }
  .sites td.graph { width: 100%; padding: 5px 0 4px; } .sites .number { text-align: left; padding-left: 0; }
  .sites .number::before { content: attr(data-label) " "; color: var(--soft); font-size: 12px; } .sites td.error::before { content: ""; }
}
@media print { .card, .tile { break-inside: avoid; box-shadow: none; } }
)css";

}  // namespace memprof
