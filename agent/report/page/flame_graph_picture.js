// The drawing of the page: colours, lay-out, bars. Goes on where flame_graph.js ends.

// ---- drawing -----------------------------------------------------------------------------

const kRow = 20, kLeastWidth = 0.5;
const kFont = '12px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif';
const canvas = byId('canvas');
const pen = canvas.getContext('2d');
const dark = matchMedia('(prefers-color-scheme: dark)');
// {node, x, width, depth}; dimmed: below the zoomed one; rest > 0: not the node itself but that
// many of its children together, each too narrow to draw.
let drawn = [];
let drawnWidth = 0;
let rows = 1;

const jdk = /^(java|javax|jdk|sun|com\.sun(?!\.tools))\./;
function hueOf(text) {
  let hash = 2166136261;
  for (let i = 0; i < text.length; ++i) hash = Math.imul(hash ^ text.charCodeAt(i), 16777619);
  // Two arcs, yellow to green and orange to red: blue is for classes, magenta for matches.
  const step = (hash >>> 8) % 16;
  return step < 10 ? 48 + step * 12 : 6 + (step - 10) * 7;
}
const shade = (hue, full = 1) =>
    (dark.matches ? `hsl(${hue} ${38 * full}% 33%)` :
                    `hsl(${hue} ${72 * full}% ${83 - 10 * full}%)`);
const colours = new Map();
function themeColour(variable) {
  if (!colours.has(variable)) {
    colours.set(
        variable, getComputedStyle(document.documentElement).getPropertyValue(variable).trim());
  }
  return colours.get(variable);
}
// The packages with the widest bars have colours of their own, all others share a few by their
// name. One that had a colour keeps it whatever is shown next.
const kHues = [30, 95, 168, 52, 355, 262, 130, 12];
const hues = new Map();
const everHued = new Map();
function choosePackages() {
  const area = new Map();
  const {frames, tree, totals} = rootFirst;
  const size = totals[kind.measures[0].key];
  for (let node = 1; node < tree.parent.length; ++node) {
    if (tree.name[node] === 0 || tree.name[node] >= frames.length) continue;
    if (kind.groups && tree.parent[node] === 0) continue;
    const name = frames[tree.name[node]];
    if (jdk.test(name)) continue;
    area.set(packageOf(name), (area.get(packageOf(name)) || 0) + size[node]);
  }
  hues.clear();
  const largest = [...area].sort((a, b) => b[1] - a[1]).slice(0, kHues.length);
  const kept = largest.map(([name]) => everHued.get(name));
  const free = kHues.filter((hue) => !kept.includes(hue));
  largest.forEach(([name], i) => {
    const twice = kept.indexOf(kept[i]) < i;
    if (kept[i] === undefined || twice) everHued.set(name, free.shift());
    hues.set(name, everHued.get(name));
  });
}
function colourOf({node, rest}) {
  if (rest) return themeColour('--rest');
  if (matches && matches[node]) return themeColour('--match');
  if (node === 0) return themeColour('--soft');
  const name = nameOf(node);
  if (tree.name[node] === 0 || name === kSmallerOnes) return themeColour('--rest');
  if (isGroup(node)) return themeColour('--bar');
  if (isClass(node)) return themeColour('--class');
  if (jdk.test(name)) return themeColour('--jdk');
  const home = packageOf(name);
  return hues.has(home) ? shade(hues.get(home)) : shade(hueOf(home), 0.45);
}

function layOut(width) {
  drawn = [];
  drawnWidth = width;
  const size = totals[state.by];
  const ancestors = pathTo(state.zoom);
  const above = [0, ...ancestors].slice(0, -1);
  above.forEach((node, depth) => drawn.push({node, x: 0, width, depth, dimmed: true}));
  const whole = size[state.zoom];
  rows = above.length + 1;
  const pending = [{node: state.zoom, x: 0, width, depth: above.length}];
  while (pending.length) {
    const bar = pending.pop();
    drawn.push(bar);
    rows = Math.max(rows, bar.depth + 1);
    let x = bar.x;
    const list = children[bar.node], depth = bar.depth + 1;
    let narrow = 0;
    for (const child of list) {
      const childWidth = whole ? (width * size[child]) / whole : 0;
      if (childWidth < kLeastWidth) {
        ++narrow;
        continue;
      }
      pending.push({node: child, x, width: childWidth, depth});
      x += childWidth;
    }
    // What ends in the bar itself is no child's.
    const ends = whole ? (width * tree[state.by][bar.node]) / whole : 0;
    const left = bar.x + bar.width - ends - x;
    if (narrow && left > 2 * kLeastWidth) {
      drawn.push({node: bar.node, x, width: left, depth, rest: narrow});
      rows = Math.max(rows, depth + 1);
    }
  }
}

const widths = new Map();
function textWidth(text) {
  let width = widths.get(text);
  if (width === undefined) widths.set(text, (width = pen.measureText(text).width));
  return width;
}
function labelFor({node, rest}, room) {
  if (room < 16) return '';
  const name = rest ? `${grouped(rest)} narrow ones` :
      node === 0 ? `all: ${inWords(totalsAt(0))}` :
                   nameOf(node);
  if (textWidth(name) <= room) return name;
  if (rest) return '';
  const short = node === 0 ? 'all' : withoutPackage(name, isClass(node));
  if (textWidth(short) <= room) return short;
  let low = 0, high = short.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (pen.measureText(short.slice(0, middle) + '\u2026').width <= room)
      low = middle;
    else
      high = middle - 1;
  }
  return low < 2 ? '' : short.slice(0, low) + '\u2026';
}
const topOf = (bar) => (state.view === 'flame' ? rows - 1 - bar.depth : bar.depth) * kRow;

function paint() {
  const ratio = window.devicePixelRatio || 1;
  const width = canvas.clientWidth, height = rows * kRow;
  canvas.style.height = `${height}px`;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.font = kFont;
  pen.textBaseline = 'middle';
  for (const bar of drawn) {
    const top = topOf(bar);
    const gap = bar.width > 3 ? 1 : 0;
    pen.globalAlpha = bar.dimmed ? 0.5 : 1;
    pen.fillStyle = colourOf(bar);
    pen.fillRect(bar.x, top, bar.width - gap, kRow - 1);
    if (bar === hovered) {
      pen.strokeStyle = themeColour('--ink');
      pen.strokeRect(bar.x + 0.5, top + 0.5, Math.max(bar.width - gap - 1, 1), kRow - 2);
    }
    const label = labelFor(bar, bar.width - 8);
    if (label) {
      pen.fillStyle = themeColour('--ink');
      pen.fillText(label, bar.x + 4, top + kRow / 2);
    }
  }
  pen.globalAlpha = 1;
}

function barAt(event) {
  const box = canvas.getBoundingClientRect();
  const x = event.clientX - box.left, y = event.clientY - box.top;
  return drawn.find((bar) => {
    const top = topOf(bar);
    return y >= top && y < top + kRow && x >= bar.x && x < bar.x + bar.width;
  });
}
