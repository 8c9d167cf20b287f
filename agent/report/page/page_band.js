// When bytes were allocated, where that is known: a band of moments, each with its figures by stack. Dragging over
// it chooses a span, which graph and tables are about from then on.

// Of a source with moments: {step (ms), starts: of each moment its first entry, ends: which of the base's
// ends an entry is of, bytes, count}.
function momentsOf(source) {
  const encoded = source.moments;
  if (!encoded || encoded.made) return encoded && encoded.made;
  const numbers = new Numbers(encoded.text);
  const starts = [0], ends = [], bytes = [], count = [];
  while (numbers.more) {
    let end = -1;
    for (let entries = numbers.next(); entries > 0; --entries) {
      end += 1 + numbers.next();
      ends.push(end);
      bytes.push(numbers.next());
      count.push(numbers.next());
    }
    starts.push(ends.length);
  }
  return (encoded.made = {step: encoded.step_ms, starts, ends, bytes, count});
}
const momentCount = () => momentsOf(source).starts.length - 1;

// By node of the base: what was allocated from one moment to another.
let lastSpan = {};
function spanFigures(base, from, to) {
  if (lastSpan.base === base && lastSpan.from === from && lastSpan.to === to) return lastSpan.own;
  const {step, starts, ends, bytes, count} = momentsOf(base.source);
  const own = {bytes: new Float64Array(base.size), count: new Float64Array(base.size)};
  const first = Math.round(from / step), last = Math.min(Math.round(to / step), starts.length - 1);
  for (let i = starts[Math.min(first, last)]; i < starts[last]; ++i) {
    own.bytes[base.ends[ends[i]]] += bytes[i];
    own.count[base.ends[ends[i]]] += count[i];
  }
  lastSpan = {base, from, to, own};
  return own;
}
const seconds = (ms) => {
  const {step} = momentsOf(source);
  return `${(ms / 1000).toFixed(step < 10 ? 3 : step < 100 ? 2 : step < 1000 ? 1 : 0)} s`;
};
const spanWords = () => `from ${seconds(state.from)} to ${seconds(state.to)}`;

const band = byId('bandcanvas');
let dragged;  // [ms, ms] while the mouse goes over the band
// Bytes or counts by moment; `chosen`: of these stacks alone.
function figuresByMoment(chosen) {
  const {starts, ends, ...figures} = momentsOf(source);
  const sums = new Float64Array(starts.length - 1), mine = figures[state.by];
  for (let at = 0; at + 1 < starts.length; ++at) {
    for (let i = starts[at]; i < starts[at + 1]; ++i) {
      if (!chosen || chosen[base.ends[ends[i]]]) sums[at] += mine[i];
    }
  }
  return sums;
}
function showBand() {
  byId('band').hidden = !momentsOf(source) || momentCount() < 2;
  if (byId('band').hidden) return;
  const ratio = window.devicePixelRatio || 1, width = band.clientWidth, height = band.clientHeight;
  band.width = Math.round(width * ratio);
  band.height = Math.round(height * ratio);
  const draw = band.getContext('2d', {alpha: false});
  draw.setTransform(ratio, 0, 0, ratio, 0, 0);
  draw.fillStyle = themeColour('--soft');
  draw.fillRect(0, 0, width, height);
  const {step} = momentsOf(source), moments = momentCount();
  const all = figuresByMoment(null), most = Math.max(...all, 1);
  const chosen = selection();
  const bars = (sums, colour) => {
    draw.fillStyle = colour;
    sums.forEach((sum, at) => {
      const x = (width * at) / moments, tall = (sum / most) * (height - 4);
      draw.fillRect(x, height - tall, Math.max(width / moments - (width > 4 * moments ? 1 : 0), 0.5), tall);
    });
  };
  bars(all, themeColour('--bar'));
  if (chosen) bars(figuresByMoment(chosen), themeColour(matches ? '--match' : '--class'));
  const [from, to] = dragged || [state.from, state.to];
  if (from >= 0) {
    const left = (width * from) / (moments * step), right = (width * to) / (moments * step);
    draw.strokeStyle = themeColour('--accent');
    draw.lineWidth = 2;
    draw.strokeRect(left + 1, 1, Math.max(right - left - 2, 1), height - 2);
    draw.globalAlpha = 0.55;
    draw.fillStyle = themeColour('--paper');
    draw.fillRect(0, 0, left, height);
    draw.fillRect(right, 0, width - right, height);
    draw.globalAlpha = 1;
  }
  const perSecond = (most * 1000) / step, sum = all.reduce((before, one) => before + one, 0);
  const timeless = source[state.by] - sum;  // of the smallest stacks
  byId('bandwords').textContent = `${humanDuration(step)} a bar, at most ${
      measure().words(Math.round(perSecond))} a second over ${humanDuration(step * moments)}` +
      (timeless * 200 > source[state.by] ?
           `; without ${percent(timeless, source[state.by])}, of small stacks whose times are not told` :
           '') +
      (from >= 0 ? `; shown: ${seconds(from)} to ${seconds(to)}` : '; drag to see a span');
  Object.assign(band.dataset, {moments, step, sum});
}
function chooseSpan(from, to) {
  const {step} = momentsOf(source), moments = momentCount();
  const first = Math.max(Math.floor(Math.min(from, to) / step), 0);
  const last = Math.min(Math.ceil(Math.max(from, to) / step), moments);
  change(last > first ? {from: first * step, to: last * step} : {from: -1, to: -1});
}
function listenToBand() {
  const msAt = (event) => {
    const box = band.getBoundingClientRect();
    const part = Math.min(Math.max((event.clientX - box.left) / box.width, 0), 1);
    return part * momentCount() * momentsOf(source).step;
  };
  let begun;
  band.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return;
    band.setPointerCapture(event.pointerId);
    begun = msAt(event);
  });
  band.addEventListener('pointermove', (event) => {
    if (begun === undefined) return;
    const now = msAt(event);
    dragged = [Math.min(begun, now), Math.max(begun, now)];
    showBand();
  });
  band.addEventListener('pointerup', (event) => {
    if (begun === undefined) return;
    const from = begun, to = msAt(event);
    begun = dragged = undefined;
    const {step} = momentsOf(source);
    // A click shows that moment, and a click on the span the whole run again.
    const click = Math.abs(to - from) < (3 * momentCount() * step) / band.clientWidth;
    if (click && state.from >= 0 && from >= state.from && from < state.to)
      change({from: -1, to: -1});
    else
      chooseSpan(from, to);
  });
  band.addEventListener('keydown', (event) => {
    const {step} = momentsOf(source), moments = momentCount();
    const move = {ArrowRight: step, ArrowLeft: -step}[event.key];
    if (!move) return;
    event.preventDefault();
    event.stopPropagation();
    const [from, to] = state.from < 0 ? [0, step] : [state.from, state.to];
    if (state.from < 0) return chooseSpan(from, to);
    if (event.shiftKey) {
      if (to + move > from && to + move <= moments * step) chooseSpan(from, to + move);
    } else if (from + move >= 0 && to + move <= moments * step) {
      chooseSpan(from + move, to + move);
    }
  });
}
