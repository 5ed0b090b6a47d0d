// The style of a report's page.
#pragma once

namespace cornu::cli {

/// CSS for the page around the drawings: light and dark, one column on phones.
constexpr const char* page_style = R"css(
:root{color-scheme:light dark;--page:#f6f5f1;--card:#fcfcfb;--ink:#0b0b0b;--soft:#52514e;--line:#e1e0d9;--bar:#2a78d6;
--warn:#fdf3dc;--warn-line:#e5b94a}
@media (prefers-color-scheme:dark){:root{--page:#111110;--card:#1a1a19;--ink:#fff;--soft:#c3c2b7;--line:#2f2f2c;
--bar:#3987e5;--warn:#2b2414;--warn-line:#8a6a1d}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:15px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,
'Helvetica Neue',Arial,sans-serif}
main{max-width:1240px;margin:0 auto;padding:28px 20px 48px}
h1{font-size:26px;line-height:1.2;margin:0}
h2{font-size:18px;margin:36px 0 12px}
h3{font-size:14px;margin:0 0 10px;overflow-wrap:anywhere}
p{margin:6px 0}
.soft{color:var(--soft)}
.runs{display:flex;flex-wrap:wrap;gap:6px 18px;margin-top:14px;padding:0;list-style:none}
.runs li{overflow-wrap:anywhere}
.runs svg{width:22px;height:10px;margin-right:6px}
.warnings{background:var(--warn);border-left:4px solid var(--warn-line);border-radius:6px;margin:22px 0 0;padding:12px 16px}
.warnings ul{margin:6px 0 0;padding-left:18px}
.warnings li{margin:4px 0;overflow-wrap:anywhere}
.grid{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,360px),1fr));gap:16px}
.pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,480px),1fr));gap:16px;align-items:start}
.pair+.pair{margin-top:16px}
.card{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:14px;min-width:0}
.chart>svg{display:block;width:100%;height:auto}
.scroll{overflow:auto;max-height:640px}
.picture{text-align:center}
.table{overflow-x:auto;padding:4px 14px}
table{border-collapse:collapse;width:100%;font-size:14px}
th,td{padding:8px 14px 8px 0;text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums;
border-bottom:1px solid var(--line)}
tr:last-child td,tr:last-child th{border-bottom:0}
th{font-weight:600;color:var(--soft)}
th:first-child,td:first-child{text-align:left;position:sticky;left:0;background:var(--card)}
tbody th{color:var(--ink);max-width:46vw;overflow:hidden;text-overflow:ellipsis}
.facts td{text-align:left;white-space:normal;overflow-wrap:anywhere;min-width:120px}
.facts thead th{text-align:left}
.facts tbody th{vertical-align:top;color:var(--soft)}
.layers{display:grid;grid-template-columns:minmax(0,1fr) auto auto;gap:4px 14px;font-size:14px;align-items:center}
.layers .path{overflow:hidden;text-overflow:ellipsis;white-space:nowrap;direction:rtl;text-align:left}
.layers .number{text-align:right;font-variant-numeric:tabular-nums}
.layers i{grid-column:1/-1;height:4px;border-radius:2px;background:var(--line);margin-bottom:8px;display:block}
.layers i b{display:block;height:4px;border-radius:2px;background:var(--bar)}
.layers .soft{font-size:13px}
@media (max-width:480px){main{padding:20px 14px 36px}.card{padding:12px}}
@media print{body{background:#fff}.scroll{max-height:none;overflow:visible}.card{break-inside:avoid}}
)css";

}  // namespace cornu::cli
