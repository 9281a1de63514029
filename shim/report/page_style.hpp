// How a report's page looks, on a screen and on paper.
#pragma once

#include <string_view>

namespace switchyard::shim::report {

inline constexpr std::string_view page_style = R"(
:root{color-scheme:light}
*{box-sizing:border-box}
body{margin:0;background:#f6f8fa;color:#1b1f24;
  font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Liberation Sans",Arial,sans-serif}
main{max-width:1200px;margin:0 auto;padding:36px 28px 64px}
header{margin-bottom:24px}
.kind{margin:0;color:#5b6570;font-size:12px;letter-spacing:.08em;text-transform:uppercase}
h1{margin:2px 0 0;font-size:32px;line-height:1.2;font-weight:650;overflow-wrap:anywhere}
h2{margin:0 0 6px;font-size:19px;font-weight:650}
.sub{margin:6px 0 0;color:#5b6570}
section{background:#fff;border:1px solid #dde3e9;border-radius:10px;padding:22px 26px;margin:0 0 20px}
section p{margin:0 0 14px;color:#3d4650;max-width:110ch}
.cards{display:grid;grid-template-columns:repeat(4,1fr);gap:16px;background:none;border:0;padding:0}
.card{background:#fff;border:1px solid #dde3e9;border-radius:10px;padding:16px 20px}
.card b{display:block;font-size:28px;line-height:1.2;font-weight:650;font-variant-numeric:tabular-nums}
.card span{display:block}
.card small{color:#5b6570;font-size:13px}
.warning{background:#fff6e0;border:1px solid #e69f00;border-radius:10px;padding:12px 18px;margin:0 0 16px}
.note{color:#5b6570;font-size:13px;margin:10px 0 0}
.table{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:13px;font-variant-numeric:tabular-nums}
th{color:#5b6570;font-weight:600;border-bottom:1px solid #c5ced6;vertical-align:bottom}
th,td{padding:5px 8px;text-align:right;white-space:nowrap}
td{border-bottom:1px solid #eef1f4;vertical-align:top}
th.w,td.w{text-align:left}
td.w{white-space:normal;overflow-wrap:anywhere}
td.a{overflow-wrap:break-word;min-width:200px}
th:first-child,td:first-child{padding-left:0}
th:last-child,td:last-child{padding-right:0}
td b{font-weight:600}
em{font-style:normal;background:#fdf0d5;border-radius:4px;padding:0 5px;font-size:12px}
.bar{display:inline-block;width:56px;height:9px;background:#eef1f4;border-radius:2px;margin-right:8px}
.bar i{display:block;height:9px;background:#0072b2;border-radius:2px}
td.w:has(.bar){white-space:nowrap}
figure{margin:10px 0 0}
figure+.table{margin-top:16px}
figure svg{max-width:100%;height:auto;display:block}
figcaption{color:#5b6570;font-size:13px;margin-top:6px;max-width:110ch}
.legend{list-style:none;margin:8px 0 0;padding:0;display:flex;flex-wrap:wrap;gap:4px 20px;font-size:13px}
.legend li{display:flex;align-items:center;gap:6px}
.legend i{width:12px;height:12px;border-radius:2px}
dl{display:grid;grid-template-columns:max-content 1fr;gap:4px 18px;margin:8px 0 0;font-size:14px}
dt{color:#5b6570}
dd{margin:0;overflow-wrap:anywhere}
code{font:13px ui-monospace,"DejaVu Sans Mono",monospace}
@media (max-width:720px){.cards{grid-template-columns:repeat(2,1fr)}main{padding:20px 12px}}
@media print{
  @page{size:A4;margin:14mm}
  *{-webkit-print-color-adjust:exact;print-color-adjust:exact}
  body{background:#fff;font-size:11px}
  main{max-width:none;padding:0}
  section,.card{border-color:#c5ced6;border-radius:0;padding:12px 14px}
  .cards{padding:0}
  figure,tr,.card{break-inside:avoid}
  h2{break-after:avoid}
  table{font-size:9px}
  th,td{padding:3px 4px}
  td.a{min-width:110px}
  .bar{width:28px;margin-right:4px}
  .table{overflow:visible}
}
)";

} // namespace switchyard::shim::report
