// What stands around the graph, and what is clicked and typed: tips, crumbs, chips, the menu of a bar,
// the list of matches, keys.

// ---- tips --------------------------------------------------------------------------------

// The lines that most of a bar's bytes came through: each stack counts once, at its innermost frame of
// the bar.
function linesOf(node) {
  if (tree.classFirst || node === 0 || isThreadCode(tree.code[node])) return [];
  const {to, ends} = tree, own = figuresShown()[state.by], sums = new Map();
  const code = tree.code[node], method = withoutLine(code);
  const within = new Uint8Array(tree.size);  // this bar and those above it
  within[node] = 1;
  for (let bar = node + 1; bar < tree.size; ++bar) within[bar] = within[tree.parent[bar]];
  const isOfBar = (at) => to[at] === node &&
      (isPackageCode(code) ? methodPackages[base.name[at]] === code : base.name[at] === method);
  const frames = new Int32Array(base.size).fill(-1);
  for (let at = 1; at < base.size; ++at) {
    if (to[at] < 0 || !within[to[at]]) continue;
    if (!isOfBar(at)) {
      frames[at] = frames[base.parent[at]];
    } else {
      frames[at] = isClass(node) ? innermostFrame(at) : base.frame[at];
    }
  }
  for (const end of base.ends) {
    if (frames[end] < 0 || (ends && !ends[end])) continue;
    sums.set(frames[end], (sums.get(frames[end]) || 0) + own[end]);
  }
  return [...sums].sort((a, b) => b[1] - a[1]).map(([frame, sum]) => [placeOf(frame), sum]);
}
function tipLines(bar) {
  const {node} = bar, whole = totals[state.by];
  const lines = kind.tip ?
      kind.tip(node) :
      kind.measures.map(
          ({key, all, exact}) => `${aboutShown()}${exact(totals[key][node])}, ${
              percent(totals[key][node], totals[key][0])} of all ${all}`);
  const {all, exact} = measure(), own = tree.own[state.by][node];
  if (own && own < whole[node] && node !== 0 && !tree.classFirst && !kind.tip) {
    lines.push(`${exact(own)}, ${percent(own, whole[0])} of all ${all}, in itself`);
  }
  if (totals.bytes && totals.count[node] > 0 && !kind.tip) {
    lines.push(`${humanBytes(Math.round(totals.bytes[node] / totals.count[node]))} each on average`);
  }
  if (state.zoom && !bar.dimmed) {
    lines.push(`${percent(whole[node], whole[state.zoom])} of what is shown`);
  }
  const places = linesOf(node);
  if (places.length) {
    const words = places.slice(0, 3).map(
        ([place, sum]) => (places.length > 1 ? `${place} ${percent(sum, whole[node])}` : place));
    const more = places.length > 3 ? `, and ${places.length - 3} more lines` : '';
    lines.push(`at ${words.join(', ')}${more}`);
  }
  return lines;
}
function showTip(where, bar) {
  const tip = byId('tip');
  tip.hidden = !bar;
  if (!bar) return;
  const {node, rest} = bar;
  if (rest) {
    tip.replaceChildren(
        element('b', {}, `${grouped(rest)} bars too narrow to draw`),
        element(
            'div', {},
            `${percent(bar.width, canvas.clientWidth)} of what is shown. Zoom into ${
                nameOf(node)}, or search.`));
    return placeTip(where, tip);
  }
  const code = tree.code[node];
  const what = node === 0             ? scopeOf(state.of)[2] :
      isGroup(node)                   ? `waited ${kind.groups[nameOf(node)]}` :
      isThreadCode(code)              ? 'thread' :
      isPackageCode(code)             ? 'frames of one package, one after the other' :
      withoutLine(code) === kCut      ? 'these stacks had more frames than are kept' :
      isClass(node)                   ? kind.leaf :
      tree.classFirst                 ? 'method, called by what is below it' :
                                        'method';
  tip.replaceChildren(
      element('b', {}, nameOf(node)), element('div', {class: 'quiet'}, what),
      ...tipLines(bar).map((line) => element('div', {}, line)));
  placeTip(where, tip);
}
function placeTip({clientX, clientY}, tip) {
  const left = Math.min(clientX + 14, innerWidth - tip.offsetWidth - 8);
  const below = clientY + 18;
  const top = below + tip.offsetHeight > innerHeight ? clientY - tip.offsetHeight - 12 : below;
  tip.style.left = `${Math.max(left, 4)}px`;
  tip.style.top = `${Math.max(top, 4)}px`;
}
const pointOf = (bar) => {
  const box = canvas.getBoundingClientRect();
  return {
    clientX: box.left + Math.min(bar.x + 20, bar.x + bar.width / 2),
    clientY: box.top + topOf(bar) - byId('graph').scrollTop + kRow / 2,
  };
};

// ---- crumbs, chips, matches --------------------------------------------------------------

function showCrumbs() {
  const path = [0, ...pathTo(state.zoom)];
  byId('crumbs').replaceChildren(...path.map(
      (node) => element(
          'li', {},
          element(
              'button', {type: 'button', title: nameOf(node), onclick: () => change({zoom: node})},
              node === 0 ? 'all' : withoutPackage(nameOf(node), isClass(node))))));
}
// What is left out of the graph stands above it, each with a way back.
function showChips() {
  const chips = [];
  const chip = (words, title, wanted) => chips.push(element(
      'button', {type: 'button', class: 'chip', title, onclick: () => change(wanted)}, words,
      element('span', {'aria-hidden': 'true'}, ' \u00d7')));
  if (state.below >= 0) {
    const name = textOf(state.below);
    chip(`below ${withoutPackage(name, isClassCode(state.below))}`, `only below ${name}: show all`, {below: -1});
  }
  for (const code of state.without) {
    const rest = new Set(state.without);
    rest.delete(code);
    const name = textOf(code);
    chip(`without ${withoutPackage(name, isClassCode(code))}`, `stacks with ${name} are left out: show them`, {without: rest});
  }
  if (state.only && state.q) chip('only matches', 'show other stacks too', {only: false});
  if (state.from >= 0) chip(spanWords(), 'show the whole run', {from: -1, to: -1});
  byId('chips').replaceChildren(...chips);
  byId('chips').hidden = chips.length === 0;
}
// The widest bar around a match in which it is wide enough to be read.
function showMatch(step) {
  const bars = matchedBars();
  if (!bars.length) return;
  const count = bars.length;
  matches.bars.at = step === 0 ? 0 : (matches.bars.at + step + count) % count;
  goTo(bars[matches.bars.at]);
}
function goTo(node) {
  lastMatch = {q: state.q, tree, node};
  const size = totals[state.by], kReadable = 40;
  const bar = barOf(node);
  if (!bar || bar.width < Math.min(kReadable, drawnWidth) || bar.dimmed) {
    let zoom = node;
    for (const above of [0, ...pathTo(node)]) {
      if ((drawnWidth * size[node]) / size[above] < kReadable) continue;
      zoom = above;
      break;
    }
    change({zoom});
  }
  focusBar(barOf(node), false);
  showFound();
}
function showFound() {
  if (!matches) return;
  const bars = matchedBars();
  byId('foundat').textContent =
      bars.length ? `${matches.bars.at >= 0 ? `${grouped(matches.bars.at + 1)} of ` : ''}${many(bars.length, 'bar')}` : '';
  for (const id of ['previous', 'next', 'list', 'only']) byId(id).disabled = bars.length === 0;
  byId('only').setAttribute('aria-pressed', state.only);
  byId('match').dataset.at = matches.bars.at + 1;
  if (!byId('matchlist').hidden) listMatches();
}
const kListed = 100;
function listMatches() {
  const bars = matchedBars(), size = totals[state.by];
  const figures = (node) => kind.said ?
      kind.said(state.by, totalsAt(node)) :
      `${measure().words(size[node])}, ${percent(size[node], size[0])}`;
  const items = bars.slice(0, kListed).map((node, at) => {
    const above = tree.parent[node];
    return element(
        'li', {},
        element(
            'button', {
              type: 'button', title: pathTo(node).map(nameOf).join('\n'),
              onclick: () => {
                matches.bars.at = at;
                goTo(node);
              },
            },
            nameOf(node)),
        element('small', {}, ` ${figures(node)}` +
            (above ? `, in ${withoutPackage(nameOf(above), false)}` : '')));
  });
  if (bars.length > kListed) items.push(element('li', {class: 'quiet'}, `and ${grouped(bars.length - kListed)} more`));
  byId('matchlist').replaceChildren(...items);
}

// ---- the menu of a bar -------------------------------------------------------------------

function copy(text) {
  const plainly = () => {
    const bar = focused;
    const field = element('textarea', {class: 'away'});
    field.value = text;
    document.body.append(field);
    field.select();
    document.execCommand('copy');
    field.remove();
    canvas.focus({preventScroll: true});
    if (bar) focusBar(bar, false);
  };
  document.documentElement.dataset.copied = text;
  if (navigator.clipboard && isSecureContext) navigator.clipboard.writeText(text).catch(plainly);
  else plainly();
}
// As a stack trace: the innermost frame first.
function stackText(node) {
  const names = pathTo(node).map(nameOf);
  if (!tree.classFirst) names.reverse();
  return names.join('\n') + '\n';
}
function closeMenu() {
  if (byId('menu').hidden) return;
  byId('menu').hidden = true;
  canvas.focus({preventScroll: true});
}
function openMenu(where, bar) {
  const menu = byId('menu');
  if (!bar || bar.rest) return;
  showTip(where, null);
  const {node} = bar, code = node === 0 ? -1 : withoutLine(tree.code[node]);
  const known = code >= 0 && !isPackageCode(code);
  const item = (words, run, able = true) =>
      element('button', {
        type: 'button', role: 'menuitem', ...(able ? {} : {disabled: ''}),
        onclick: () => {
          closeMenu();
          run();
        },
      }, words);
  menu.replaceChildren(
      element('b', {}, node === 0 ? 'all' : withoutPackage(nameOf(node), isClass(node))),
      item('Zoom in', () => change({zoom: node})),
      item('Copy name', () => copy(nameOf(node))),
      item('Copy stack', () => copy(stackText(node)), node !== 0),
      item('Search this name', () => change({q: exactly(textOf(code))}), known),
      item('Only below this method', () => change({below: code, zoom: 0}), known && !isClassCode(code)),
      item('Leave out stacks with it', () => change({without: new Set([...state.without, code]), zoom: 0}), known));
  menu.hidden = false;
  menu.style.left = `${Math.max(Math.min(where.clientX, innerWidth - menu.offsetWidth - 8), 4)}px`;
  menu.style.top = `${Math.max(Math.min(where.clientY, innerHeight - menu.offsetHeight - 8), 4)}px`;
  menu.querySelector('button').focus();
}
let dismissed = false;  // a menu, by the press whose click is still to come
function listenToMenu() {
  const menu = byId('menu'), options = byId('options');
  menu.addEventListener('keydown', (event) => {
    const items = [...menu.querySelectorAll('button:enabled')];
    const step = {ArrowDown: 1, ArrowUp: -1}[event.key];
    if (event.key === 'Escape' || event.key === 'Tab') {
      event.preventDefault();
      event.stopPropagation();
      closeMenu();
    } else if (step) {
      event.preventDefault();
      event.stopPropagation();
      items[(items.indexOf(document.activeElement) + step + items.length) % items.length].focus();
    }
  });
  // A press elsewhere closes what is open.
  addEventListener('pointerdown', ({target}) => {
    const leftMenu = !menu.hidden && !menu.contains(target);
    const leftOptions = options.open && !options.contains(target);
    dismissed = leftMenu || leftOptions;
    if (leftOptions) options.open = false;
    if (!leftMenu) return;
    menu.hidden = true;
    loseFocus();
  });
}

// ---- keys and the mouse ------------------------------------------------------------------

function focusBar(bar, tip = true) {
  focused = bar;
  if (bar) bringIntoView(bar);
  paint();
  if (tip) showTip(bar ? pointOf(bar) : null, bar);
  byId('report').dataset.focused = bar ? nameOf(bar.node) : '';
  byId('said').textContent = bar && !bar.rest ? `${nameOf(bar.node)}: ${tipLines(bar)[0]}` : '';
}
// While the menu is open the bar that it is of keeps it.
function loseFocus() {
  if (!focused || !byId('menu').hidden) return;
  focused = undefined;
  showTip(null, null);
  paint();
}
function moveFocus(key) {
  const bar = focused || drawn.find(({node, rest}) => node === state.zoom && !rest);
  if (!focused) return focusBar(bar);
  const inward = state.view === 'flame' ? 'ArrowUp' : 'ArrowDown';
  const line = lines[bar.depth], at = line.indexOf(bar);
  let next;
  if (key === 'ArrowRight') {
    next = line[at + 1];
  } else if (key === 'ArrowLeft') {
    next = line[at - 1];
  } else if (key === inward) {
    next = (lines[bar.depth + 1] || []).find(({x, width}) => x + width > bar.x + 1e-6 && x < bar.x + bar.width);
  } else {
    next = (lines[bar.depth - 1] || []).find(({x, width}) => x <= bar.x + 1e-6 && x + width > bar.x);
  }
  focusBar(next || bar);
}
function listenToGraph() {
  canvas.addEventListener('mousemove', (event) => {
    const bar = barAt(event);
    canvas.style.cursor = bar ? 'pointer' : 'default';
    if (bar !== hovered) {
      hovered = bar;
      paint();
    }
    showTip(event, bar);
  });
  canvas.addEventListener('mouseleave', (event) => {
    hovered = undefined;
    showTip(event, null);
    paint();
  });
  canvas.addEventListener('click', (event) => {
    const bar = barAt(event);
    if (!bar || dismissed) return;
    showTip(event, null);
    change({zoom: bar.node});
  });
  canvas.addEventListener('contextmenu', (event) => {
    const bar = event.button === 2 ? barAt(event) : focused;
    if (!bar) return;
    event.preventDefault();
    openMenu(event.button === 2 ? event : pointOf(bar), bar);
  });
  canvas.addEventListener('blur', loseFocus);
  canvas.addEventListener('keydown', (event) => {
    if (event.key.startsWith('Arrow')) {
      event.preventDefault();
      moveFocus(event.key);
    } else if (event.key === 'Enter' && focused) {
      event.preventDefault();
      const {node} = focused;
      change({zoom: node});
      focusBar(barOf(node));
    } else if (event.key === 'Backspace' && state.zoom) {
      event.preventDefault();
      const {zoom} = state;
      change({zoom: tree.parent[zoom]});
      focusBar(barOf(zoom));
    } else if (event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey)) {
      event.preventDefault();
      if (focused) openMenu(pointOf(focused), focused);
    }
  });
  byId('graph').addEventListener('scroll', paint);
}
const reset = () =>
    change({q: '', zoom: 0, below: -1, without: new Set(), only: false, from: -1, to: -1});
function listenToToolbar() {
  const options = byId('options');
  byId('search').addEventListener('input', (event) => change({q: event.target.value}));
  byId('search').addEventListener('keydown', (event) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    showMatch(event.shiftKey ? -1 : 1);
  });
  byId('reset').addEventListener('click', reset);
  byId('previous').addEventListener('click', () => showMatch(-1));
  byId('next').addEventListener('click', () => showMatch(1));
  byId('only').addEventListener('click', () => change({only: !state.only, zoom: 0}));
  byId('list').addEventListener('click', () => {
    byId('matchlist').hidden = !byId('matchlist').hidden;
    byId('list').setAttribute('aria-expanded', !byId('matchlist').hidden);
    showFound();
  });
  for (const button of document.querySelectorAll('button[data-view]'))
    button.addEventListener('click', () => change({view: button.dataset.view}));
  document.addEventListener('keydown', (event) => {
    const field = byId('search');
    if (event.key === 'Escape') {
      event.preventDefault();
      if (!options.open) return reset();
      if (options.contains(document.activeElement)) byId('optionswords').focus();
      options.open = false;
    } else if (
        (event.ctrlKey || event.metaKey) && event.key === 'f' && document.activeElement !== field) {
      event.preventDefault();  // a second Ctrl-F is the browser's
      field.focus();
      field.select();
    }
  });
}
