#pragma once

// The parts of the attention page that do not depend on what it shows.

#include <string_view>

namespace zoo {

inline constexpr std::string_view kStyle = R"css(
:root{--c0:#f4f6f9;--c1:#cfe0f1;--c2:#94bfe3;--c3:#4b93cc;--c4:#1b61a5;--c5:#08306b}
@media (prefers-color-scheme:dark){:root{--c0:#1d222a;--c1:#1c3f63;--c2:#1f639c;--c3:#3d92d1;--c4:#86c5f0;--c5:#eaf7ff}}
.soft,noscript p,.heads span{color:var(--soft);font-size:.85rem}
.legend{display:flex;align-items:start;gap:.6rem;margin:.6rem 0 1rem;max-width:26rem;font-size:.8rem;
color:var(--soft);line-height:.75rem}
.legend div{flex:1}.legend i{display:block;height:.75rem;border-radius:.2rem;outline:1px solid var(--line);
background:linear-gradient(to right,var(--c0),var(--c1),var(--c2),var(--c3),var(--c4),var(--c5))}
.legend p{display:flex;justify-content:space-between;margin:.3rem -.7rem 0}
.legend b{font-weight:400;width:1.8rem;text-align:center}
.columns{display:grid;gap:1rem;align-items:start;grid-template-columns:minmax(0,1fr)}
.overview{overflow-x:auto}
.layer{margin-top:.6rem}.layer h3{position:sticky;left:0;width:fit-content}
.heads{display:flex;gap:.2rem;margin-top:.15rem}
button{font:inherit;color:inherit;cursor:pointer;background:none;border:1px solid var(--line);border-radius:.3rem}
button:hover{border-color:var(--soft)}:focus-visible{outline:2px solid var(--mark);outline-offset:2px}
.heads button{flex:1 1 0;min-width:1.55rem;max-width:7rem;padding:2px;line-height:1}
.heads button[aria-pressed=true]{border-color:var(--mark);box-shadow:0 0 0 1px var(--mark)}
.heads svg{display:block;width:100%;aspect-ratio:1;background:var(--c0)}
.heads path{fill:none;stroke-width:1;stroke:none;shape-rendering:crispEdges;pointer-events:stroke}
.heads .c1{stroke:var(--c1)}.heads .c2{stroke:var(--c2)}.heads .c3{stroke:var(--c3)}
.heads .c4{stroke:var(--c4)}.heads .c5{stroke:var(--c5)}
.heads span{display:block;font-size:.7rem;padding-top:2px}
noscript p{max-width:60rem}
#bar{display:flex;gap:.6rem;justify-content:space-between;align-items:start}
#zoom{flex:none;padding:.1rem .6rem;font-size:.85rem}
#cell{display:block;min-height:3em;margin:.2rem 0 .4rem;overflow-wrap:anywhere;font-variant-numeric:tabular-nums}
#scroll{overflow:auto;scroll-padding:8.5rem 1rem 1rem 8.5rem;max-height:85vh;max-height:85dvh}
#plot{display:grid;grid-template-columns:max-content max-content;width:max-content;font:12px ui-monospace,monospace}
#plot canvas{display:block}#top{grid-column:2;position:sticky;top:0;z-index:1;background:var(--panel)}
#left{position:sticky;left:0;z-index:1;background:var(--panel)}
#corner{position:sticky;left:0;top:0;z-index:2;background:var(--panel)}
#heat{outline-offset:-2px;touch-action:pan-x pan-y}#stage{position:relative;overflow:hidden}
#row,#mark{position:absolute;pointer-events:none;box-shadow:inset 0 0 0 1px var(--mark)}
#row{left:0;right:0}#mark{box-shadow:inset 0 0 0 2px var(--mark)}
@media (min-width:62rem){.columns:has(#large:not([hidden])){grid-template-columns:minmax(0,1fr) minmax(0,1.2fr)}
#large{position:sticky;top:.5rem}}
)css";

// Whatever comes from the data reaches the page by textContent or as pixels.
inline constexpr std::string_view kScript = R"js('use strict';
const data = JSON.parse(document.getElementById('data').textContent);
const part = {};
for (const id of ['large', 'name', 'zoom', 'cell', 'scroll', 'top', 'left', 'heat', 'row', 'mark'])
  part[id] = document.getElementById(id);
const buttons = [...document.querySelectorAll('.heads button')];
const firstOf = [];  // index of a layer's first button
data.layers.reduce((sum, layer, l) => (firstOf[l] = sum, sum + layer.heads.length), 0);
const kLabel = 12;   // pixels that a label needs beside the next
const state = {layer: 0, head: 0, weights: [], cell: 1, zoomed: false, at: null};

function decode(text, columns) {
  return text.split(' ').map(line => {
    const row = new Uint16Array(columns);
    let column = 0, high = 0;
    for (const character of line) {
      const prefix = data.prefixes.indexOf(character);
      if (prefix >= 0) { high = 64 * (prefix + 1); continue; }
      row[column++] = high + data.digits.indexOf(character);
      high = 0;
    }
    return row;
  });
}

const style = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
function colours() {
  const stops = [0, 1, 2, 3, 4, 5].map(i => style('--c' + i)).map(hex =>
      [1, 3, 5].map(at => parseInt(hex.slice(at, at + 2), 16)));
  return Array.from({length: 1001}, (_, weight) => {
    const at = Math.sqrt(weight / 1000) * 5, low = Math.min(4, Math.floor(at));
    return `rgb(${stops[low].map((c, i) => Math.round(c + (stops[low + 1][i] - c) * (at - low)))})`;
  });
}

function canvas(element, width, height) {
  const scale = Math.min(devicePixelRatio || 1, 8000 / Math.max(width, height));
  element.width = Math.max(1, Math.round(width * scale));
  element.height = Math.max(1, Math.round(height * scale));
  element.style.width = width + 'px';
  element.style.height = height + 'px';
  const context = element.getContext('2d');
  context.direction = 'ltr';
  context.font = getComputedStyle(element).font;
  return {context, scale};
}

function shortened(context, label, width) {
  if (context.measureText(label).width <= width) return label;
  const characters = [...label];
  while (characters.length > 1 && context.measureText(characters.join('') + '…').width > width)
    characters.pop();
  return characters.join('') + '…';
}

function drawLabels(element, labels, chosen, side) {
  const {cell} = state, length = labels.length * cell, across = side.across;
  const {context, scale} = canvas(element, across ? length : side.size, across ? side.size : length);
  context.scale(scale, scale);
  context.textBaseline = 'middle';
  const step = Math.ceil(kLabel / cell), ink = style('--ink'), mark = style('--mark');
  labels.forEach((label, i) => {
    const near = chosen != null && i != chosen && Math.abs(i - chosen) * cell < kLabel;
    if (i != chosen && (i % step || near)) return;
    context.save();
    context.fillStyle = i == chosen ? mark : ink;
    const at = Math.min(Math.max((i + .5) * cell, 6), length - 6);
    if (across) context.translate(at, side.size - 5); else context.translate(side.size - 5, at);
    if (across && !side.upright) context.rotate(-Math.PI / 2);
    if (side.upright) context.translate(0, -6);
    context.textAlign = side.upright ? 'center' : across ? 'left' : 'right';
    context.fillText(shortened(context, label, side.upright ? cell : side.size - 8), 0, 0);
    context.restore();
  });
}

function sides(layer) {
  const context = part.heat.getContext('2d');
  context.font = getComputedStyle(part.heat).font;
  const most = Math.min(130, part.scroll.clientWidth / 4);
  const widest = labels => labels.reduce((w, l) => Math.max(w, context.measureText(l).width), 0);
  const keys = widest(layer.keys);
  const room = Math.min(most, Math.ceil(keys) + 12);
  return {keys, left: {size: Math.min(most, Math.ceil(widest(layer.queries)) + 12)},
          top: {size: room, across: true}};
}

function draw() {
  const layer = data.layers[state.layer], T = layer.queries.length, S = layer.keys.length;
  const {keys, left, top} = sides(layer);
  const width = Math.max(60, part.scroll.clientWidth - left.size - 1);
  const height = Math.max(240, innerHeight * .85 - top.size - 130);
  const fit = Math.min(width / S, height / T, 60);
  part.zoom.hidden = fit >= kLabel + 2;
  state.cell = state.zoomed && !part.zoom.hidden ? kLabel + 4 : fit;
  if (keys + 4 <= state.cell) Object.assign(top, {upright: true, size: 20});
  state.sides = {left, top};
  const {context, scale} = canvas(part.heat, S * state.cell, T * state.cell);
  const table = colours(), pixel = state.cell * scale, gap = pixel >= 9 ? 1 : 0;
  const edge = i => Math.round(i * pixel);
  for (let t = 0; t < T; ++t) for (let s = 0; s < S; ++s) {
    context.fillStyle = table[state.weights[t][s]];
    context.fillRect(edge(s), edge(t), edge(s + 1) - edge(s) - gap, edge(t + 1) - edge(t) - gap);
  }
  point(state.at);
}

function span(text) {
  const element = document.createElement('bdi');
  element.textContent = text;
  return element;
}

function point(at) {
  const layer = data.layers[state.layer], {cell} = state;
  state.at = at;
  drawLabels(part.left, layer.queries, at && at.t, state.sides.left);
  drawLabels(part.top, layer.keys, at && at.s, state.sides.top);
  part.row.hidden = part.mark.hidden = !at;
  if (!at) {
    part.cell.textContent = 'Point at a cell, or move with the arrow keys, to read its weight.';
    return;
  }
  part.row.style.top = part.mark.style.top = at.t * cell + 'px';
  part.row.style.height = part.mark.style.height = part.mark.style.width = cell + 'px';
  part.mark.style.left = at.s * cell + 'px';
  const weight = (state.weights[at.t][at.s] / 1000).toFixed(3);
  part.cell.replaceChildren(span(layer.queries[at.t]), ' → ', span(layer.keys[at.s]), ': ' + weight);
}

function choose(l, h) {
  const layer = data.layers[l];
  const kept = state.at && state.at.t < layer.queries.length && state.at.s < layer.keys.length;
  Object.assign(state, {layer: l, head: h, at: kept ? state.at : null,
                        weights: decode(layer.heads[h], layer.keys.length)});
  buttons.forEach((button, i) => {
    button.setAttribute('aria-pressed', i == firstOf[l] + h);
    button.tabIndex = i == firstOf[l] + h ? 0 : -1;
  });
  part.name.textContent = layer.name + ', head ' + (h + 1);
  part.heat.setAttribute('aria-label', 'Heat map of ' + part.name.textContent);
  draw();
}

const moves = {ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0]};
const within = (value, size) => Math.min(Math.max(value, 0), size - 1);

data.layers.forEach((layer, l) => layer.heads.forEach((_, h) => {
  const button = buttons[firstOf[l] + h];
  button.addEventListener('click', () => {
    choose(l, h);
    if (part.large.getBoundingClientRect().top > innerHeight / 2) part.large.scrollIntoView();
  });
  button.addEventListener('keydown', event => {
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    const to = within(l + move[0], data.layers.length);
    const head = within(h + move[1], data.layers[to].heads.length);
    choose(to, head);
    buttons[firstOf[to] + head].focus();
  });
}));

function underPointer(event) {
  const layer = data.layers[state.layer];
  point({t: within(Math.floor(event.offsetY / state.cell), layer.queries.length),
         s: within(Math.floor(event.offsetX / state.cell), layer.keys.length)});
}
part.heat.addEventListener('pointermove', underPointer);
part.heat.addEventListener('pointerdown', underPointer);
part.heat.addEventListener('pointerleave', event => event.pointerType == 'mouse' && point(null));
part.heat.addEventListener('keydown', event => {
  const move = moves[event.key], layer = data.layers[state.layer], at = state.at;
  if (!move) return;
  event.preventDefault();
  point(at ? {t: within(at.t + move[0], layer.queries.length),
              s: within(at.s + move[1], layer.keys.length)} : {t: 0, s: 0});
  part.mark.scrollIntoView({block: 'nearest', inline: 'nearest'});
});
part.zoom.addEventListener('click', () => {
  state.zoomed = !state.zoomed;
  part.zoom.textContent = state.zoomed ? 'whole map' : 'every label';
  draw();
});
addEventListener('resize', draw);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);
part.large.hidden = false;
choose(0, 0);
)js";

inline constexpr std::string_view kIntroduction = R"html(
<p class="soft">Each row is a token that looks; its weights over the columns, the tokens looked at,
sum to 1. Choose a head to see it large.</p>
<noscript><p>The large view needs JavaScript; the small maps and their tokens do not.</p></noscript>
<div class="legend">weight<div><i></i><p><b>0</b><b>0.04</b><b>0.16</b><b>0.36</b><b>0.64</b><b>1</b>
</p></div></div>
</header>
<div class="columns">
<section class="overview"><h2>Layers and heads</h2>
)html";

inline constexpr std::string_view kLargeView = R"html(</section>
<section id="large" hidden>
<div id="bar"><h2 id="name"></h2><button type="button" id="zoom">every label</button></div>
<output id="cell"></output>
<div id="scroll"><div id="plot"><div id="corner"></div><canvas id="top"></canvas>
<canvas id="left"></canvas><div id="stage"><canvas id="heat" tabindex="0" role="img"></canvas>
<div id="row"></div><div id="mark"></div></div></div></div>
</section></div>
</main>
)html";

}  // namespace zoo
