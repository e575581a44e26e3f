#pragma once

// The parts of the image attention page that do not depend on what it shows.

#include <string_view>

namespace zoo {

inline constexpr std::string_view kImageAttentionStyle = R"css(
img{display:block;max-width:100%;height:auto;image-rendering:pixelated;border-radius:2px}
.soft,figcaption{color:var(--soft);font-size:.8rem;line-height:1.4}
.input{display:flex;flex-wrap:wrap;gap:1rem;margin:.8rem 0 1rem;align-items:flex-start}
.input div{flex:1 1 14rem;max-width:34rem}.input p{margin-bottom:.7rem}
.legend{display:flex;gap:.5rem;align-items:center}
.legend img{flex:1;min-width:0;height:.75rem;image-rendering:auto}
section{margin-top:.8rem}
.heads{display:flex;flex-wrap:wrap;gap:.8rem;margin-top:.5rem}
figure{margin:0;min-width:7rem;max-width:100%}
.cell{position:relative;width:fit-content;max-width:100%}
.mark{position:absolute;pointer-events:none;outline:2px solid #fff;box-shadow:inset 0 0 0 1px #000}
figcaption{width:0;min-width:100%;margin-top:.25rem;font-size:.75rem;font-variant-numeric:tabular-nums}
figcaption span,output{display:block;white-space:nowrap}
figcaption b{color:var(--ink);font-size:.8rem}
@media (max-width:30rem){section{padding:.5rem}.heads{gap:.5rem}}
)css";

inline constexpr std::string_view kImageAttentionScript = R"js('use strict';
const {rows, columns} = document.querySelector('main').dataset;
const mark = document.createElement('div');
mark.className = 'mark';
mark.style.width = `${100 / columns}%`;
mark.style.height = `${100 / rows}%`;
for (const figure of document.querySelectorAll('figure[data-weights]')) {
  const cell = figure.querySelector('.cell');
  const output = figure.querySelector('output');
  const largest = output.textContent;
  const weights = figure.dataset.weights.split(' ');
  const show = event => {
    const box = cell.getBoundingClientRect();
    const place = (part, count) => Math.max(0, Math.min(count - 1, Math.floor(part * count)));
    const row = place((event.clientY - box.top) / box.height, rows);
    const column = place((event.clientX - box.left) / box.width, columns);
    const weight = weights[row * columns + column];
    output.textContent = `${(weight / 100).toFixed(weight < 1000 ? 2 : 1)} % (${row + 1}, ${column + 1})`;
    mark.style.left = `${100 * column / columns}%`;
    mark.style.top = `${100 * row / rows}%`;
    cell.append(mark);
  };
  cell.addEventListener('pointermove', show);
  cell.addEventListener('pointerdown', show);
  cell.addEventListener('pointerleave', () => {
    mark.remove();
    output.textContent = largest;
  });
}
)js";

inline constexpr std::string_view kImageAttentionIntroduction =
    R"html(<p class="soft">What each head looks at: the brighter a patch, the more of the attention it gets. Each head
has its own scale, up to its largest weight (or twice an even share, if that is more). Below it: the
share that went to [CLS], and the largest weight with its patch (row, column), or the weight under
the pointer.</p>
)html";

}  // namespace zoo
