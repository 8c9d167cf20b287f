// What there is to say of a difference: a bar is as wide as the larger of what was there before and
// after, added up stack by stack, and red as far as it grew, blue as far as it shrank. That sum is
// in neither report, so it is drawn and not told.

const changeOf = (figures, key) => figures[`${key}After`] - figures[`${key}Before`];
const changeAt = (node) => totals[`${state.by}After`][node] - totals[`${state.by}Before`][node];
// A part of what there was at most, in steps, so that there are few colours.
function changeColour(node) {
  const most = Math.max(totals[`${state.by}After`][node], totals[`${state.by}Before`][node]);
  const part = most ? changeAt(node) / most : 0;
  const step = Math.round(Math.min(Math.abs(part), 1) * 8) / 8;
  if (step === 0) return themeColour('--rest');
  const hue = part > 0 ? 8 : 214;
  return dark.matches ? `hsl(${hue} ${20 + 45 * step}% ${28 + 10 * step}%)` :
                        `hsl(${hue} ${40 + 45 * step}% ${88 - 20 * step}%)`;
}
const figureWords = (key) => (key === 'bytes' ? humanBytes : grouped);
const changeWords = (key, n) => signed(figureWords(key), n);
function changesColumns() {
  const change = (key, title) => ({
    title,
    key: `${key}Change`,
    number: true,
    size: (row) => Math.abs(changeOf(row, key)),
    cell: (row) => changeWords(key, changeOf(row, key)),
    tip: (row) => `${signed(grouped, changeOf(row, key))} ${key === 'bytes' ? 'bytes' : `${oneOf}s`}`,
    paint: (row) => (changeOf(row, key) > 0 ? 'grown' : changeOf(row, key) < 0 ? 'shrunk' : ''),
  });
  const side = (title, which) => ({
    title,
    key: `${state.by}${which}`,
    number: true,
    cell: (row) => figureWords(state.by)(row[`${state.by}${which}`]),
  });
  const [first, other] = state.by === 'bytes' ? ['bytes', 'count'] : ['count', 'bytes'];
  return [change(first, 'change'), side('before', 'Before'), side('after', 'After'),
          change(other, other === 'count' ? `${oneOf}s` : 'bytes')];
}
function changesCards() {
  let grown = 0, shrunk = 0;
  for (const end of base.ends) {
    const change = base.own.bytesAfter[end] - base.own.bytesBefore[end];
    if (change > 0) grown += change;
    else shrunk -= change;
  }
  return [
    card('Before', humanBytes(source.bytes_before), times(source.count_before)),
    card('After', humanBytes(source.bytes), times(source.count)),
    card(
        'Change', changeWords('bytes', source.bytes - source.bytes_before),
        `${changeWords('count', source.count - source.count_before)} ${oneOf}s`),
    card('Grown', humanBytes(grown), 'more at stacks that have more than before'),
    card('Shrunk', humanBytes(shrunk), 'less at stacks that have less than before'),
  ];
}
function changeSaid(key, figures) {
  const before = figures[`${key}Before`], after = figures[`${key}After`];
  const words = figureWords(key);
  return `${changeWords(key, after - before)} ${key === 'bytes' ? '' : `${oneOf}s `}(${
      words(before)} \u2192 ${words(after)}${
      before ? `, ${signed((n) => `${n.toFixed(1)}%`, (100 * (after - before)) / before)}` : ''})`;
}
const changesTip = (node) => kind.measures.map(({key}) => changeSaid(key, totalsAt(node)));
const changesLegend = (item) => [
  item(dark.matches ? 'hsl(8 65% 38%)' : 'hsl(8 85% 68%)', 'grown', 'more than before'),
  item(dark.matches ? 'hsl(214 65% 38%)' : 'hsl(214 85% 68%)', 'shrunk', 'less than before'),
  item(themeColour('--rest'), 'the same', 'as much as before'),
  item(themeColour('--match'), 'search match', ''),
];
function changesPart(chosen) {
  let sum = 0;
  for (const end of base.ends) {
    if (!chosen || chosen[end]) sum += base.own[`${state.by}After`][end] - base.own[`${state.by}Before`][end];
  }
  return changeWords(state.by, sum);
}
