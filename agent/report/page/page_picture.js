// The graph: colours, lay-out, bars. Only what is in view is painted, so that deep graphs cost no
// more than shallow ones.

const kRow = 20, kLeastWidth = 0.5;
const kFont = '12px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif';
const canvas = byId('canvas');
const pen = canvas.getContext('2d', {alpha: false});
const dark = matchMedia('(prefers-color-scheme: dark)');
// Bars by row: {node, x, width, depth}; dimmed: above the zoomed one; rest > 0: not the node itself
// but that many of its children together, each too narrow to draw.
let lines = [];
let drawnWidth = 0;
let rows = 1;

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
const colours = new Map(), codeColours = new Map();
function themeColour(variable) {
  if (!colours.has(variable)) {
    colours.set(
        variable, getComputedStyle(document.documentElement).getPropertyValue(variable).trim());
  }
  return colours.get(variable);
}
function forgetColours() {
  colours.clear();
  codeColours.clear();
}
// The packages with the widest bars have colours of their own, all others share a few by their
// name. One that had a colour keeps it whatever is shown next.
const kHues = [30, 95, 168, 52, 355, 262, 130, 12];
const hues = new Map();
const everHued = new Map();
function choosePackages() {
  const area = new Map(), own = base.own[kind.measures[0].key];
  const sums = Float64Array.from(own);
  for (let node = base.size - 1; node > 0; --node) {
    sums[base.parent[node]] += sums[node];
    const name = base.name[node];
    if (base.frame[node] < 0 || isJdk(name) || origins[name] === kNowhere || name === kLeftOut) continue;
    const code = packageCode(name);
    area.set(code, (area.get(code) || 0) + sums[node]);
  }
  hues.clear();
  const largest = [...area].sort((a, b) => b[1] - a[1]).slice(0, kHues.length);
  const kept = largest.map(([code]) => everHued.get(code));
  const free = kHues.filter((hue) => !kept.includes(hue));
  largest.forEach(([code], i) => {
    const twice = kept.indexOf(kept[i]) < i;
    if (kept[i] === undefined || twice) everHued.set(code, free.shift());
    hues.set(code, everHued.get(code));
  });
  codeColours.clear();
}
function colourOfCode(code) {
  let colour = codeColours.get(code);
  if (colour) return colour;
  const method = withoutLine(code);
  if (isClassCode(code)) {
    colour = themeColour('--class');
  } else if (isThreadCode(code)) {
    colour = themeColour('--bar');
  } else if (isPackageCode(code)) {
    const name = packages[code - kPackages];
    colour = hues.has(code)                                         ? shade(hues.get(code)) :
        /^(java|javax|jdk|sun|com\.sun(?!\.tools))(\.|$)/.test(name) ? themeColour('--jdk') :
                                                                     shade(hueOf(name), 0.45);
  } else if (origins[method] === kNowhere || method === kLeftOut) {
    colour = themeColour('--rest');
  } else if (isJdk(method)) {
    colour = themeColour('--jdk');
  } else {
    const home = packageCode(method);
    colour = hues.has(home) ? shade(hues.get(home)) : shade(hueOf(packages[home - kPackages]), 0.45);
  }
  codeColours.set(code, colour);
  return colour;
}
function colourOf({node, rest}) {
  if (rest) return themeColour('--rest');
  if (isMatch(node)) return themeColour('--match');
  if (node === 0) return themeColour('--soft');
  if (isGroup(node)) return themeColour('--bar');
  return kind.colour ? kind.colour(node) : colourOfCode(tree.code[node]);
}

function layOut(width) {
  drawn = [];
  lines = [];
  drawnWidth = width;
  const size = totals[state.by], own = tree.own[state.by];
  const put = (bar) => {
    drawn.push(bar);
    (lines[bar.depth] ??= []).push(bar);
  };
  const above = [0, ...pathTo(state.zoom)].slice(0, -1);
  above.forEach((node, depth) => put({node, x: 0, width, depth, dimmed: true}));
  const whole = size[state.zoom];
  let row = [{node: state.zoom, x: 0, width, depth: above.length}];
  while (row.length) {
    const next = [];
    for (const bar of row) {
      put(bar);
      let x = bar.x, narrow = 0;
      const list = tree.children(bar.node), depth = bar.depth + 1;
      for (const child of list) {
        const childWidth = whole ? (width * size[child]) / whole : 0;
        if (childWidth < kLeastWidth) {
          ++narrow;
          continue;
        }
        next.push({node: child, x, width: childWidth, depth});
        x += childWidth;
      }
      // What ends in the bar itself is no child's.
      const ends = whole ? (width * own[bar.node]) / whole : 0;
      const left = bar.x + bar.width - ends - x;
      if (narrow && left > 2 * kLeastWidth) {
        put({node: bar.node, x, width: left, depth, rest: narrow});
      }
    }
    row = next;
  }
  // Bars and what is narrow came one after the other: by their place now.
  for (const line of lines) line.sort((a, b) => a.x - b.x);
  rows = lines.length;
}

const widths = new Map();
function textWidth(text) {
  let width = widths.get(text);
  if (width === undefined) widths.set(text, (width = pen.measureText(text).width));
  return width;
}
function labelFor({node, rest}, room) {
  if (room < 16) return '';
  if (rest) {
    const words = `${grouped(rest)} narrow ones`;
    return textWidth(words) <= room ? words : '';
  }
  const name = node === 0 ? `all: ${kind.whole ? kind.whole() : inWords(totalsAt(0))}` : nameOf(node);
  const more = kind.label && node !== 0 ? ` ${kind.label(node)}` : '';
  if (more && textWidth(name + more) <= room) return name + more;
  if (textWidth(name) <= room) return name;
  const short = node === 0 ? 'all' : withoutPackage(name, isClass(node));
  if (more && textWidth(short + more) <= room) return short + more;
  const full = textWidth(short);
  if (full <= room) return short;
  // About as many letters as there is room for, then one less until they fit.
  let length = Math.floor(short.length * (room - 8) / full) + 1;
  while (length >= 2 && textWidth(short.slice(0, length)) + 8 > room) --length;
  return length < 2 ? '' : short.slice(0, length) + '\u2026';
}
const topOf = (bar) => (state.view === 'flame' ? rows - 1 - bar.depth : bar.depth) * kRow;

// Of the whole height the part that is in view.
function paint() {
  const graph = byId('graph');
  const width = drawnWidth, ratio = window.devicePixelRatio || 1;
  byId('sheet').style.height = `${rows * kRow}px`;
  const height = Math.max(Math.min(graph.clientHeight - 8, rows * kRow), kRow);
  const from = graph.scrollTop;
  canvas.style.height = `${height}px`;
  const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== w) canvas.width = w;
  if (canvas.height !== h) canvas.height = h;
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.fillStyle = themeColour('--paper');
  pen.fillRect(0, 0, width, height);
  pen.font = kFont;
  pen.textBaseline = 'middle';
  const ink = themeColour('--ink');
  for (const line of lines) {
    const top = topOf(line[0]) - from;
    if (top + kRow < 0 || top > height) continue;
    for (const bar of line) {
      const gap = bar.width > 3 ? 1 : 0;
      pen.globalAlpha = bar.dimmed ? 0.5 : 1;
      pen.fillStyle = colourOf(bar);
      pen.fillRect(bar.x, top, bar.width - gap, kRow - 1);
      const label = labelFor(bar, bar.width - 8);
      if (label) {
        pen.fillStyle = ink;
        pen.fillText(label, bar.x + 4, top + kRow / 2);
      }
    }
  }
  pen.globalAlpha = 1;
  for (const [bar, thick] of [[hovered, 1], [focused, 2]]) {
    if (!bar) continue;
    pen.lineWidth = thick;
    pen.strokeStyle = thick > 1 ? themeColour('--accent') : ink;
    pen.strokeRect(
        bar.x + thick / 2, topOf(bar) - from + thick / 2, Math.max(bar.width - thick - 1, 1),
        kRow - 1 - thick);
  }
}

function barAt(event) {
  const box = canvas.getBoundingClientRect();
  const x = event.clientX - box.left, y = event.clientY - box.top + byId('graph').scrollTop;
  const row = Math.floor(y / kRow);
  const line = lines[state.view === 'flame' ? rows - 1 - row : row] || [];
  let low = 0, high = line.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1, bar = line[middle];
    if (x < bar.x)
      high = middle - 1;
    else if (x >= bar.x + bar.width)
      low = middle + 1;
    else
      return bar;
  }
  return undefined;
}
const barOf = (node) => drawn.find((bar) => bar.node === node && !bar.rest);
function bringIntoView(bar) {
  const graph = byId('graph'), top = topOf(bar), room = graph.clientHeight - kRow - 8;
  if (top < graph.scrollTop || top > graph.scrollTop + room) {
    graph.scrollTop = Math.max(top - room / 2, 0);
  }
}
