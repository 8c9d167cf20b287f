// What there is to say of allocations: tables, cards, words.

const bytesColumn = (key, title) =>
    figureColumn(key, title, humanBytes, (bytes) => `${grouped(bytes)} bytes`);
const allocationColumns = (rows) =>
    [shareColumn(sumOf(rows, state.by)), bytesColumn('bytes', 'bytes'),
     figureColumn('count', 'count', grouped)];
// Ages, in collections survived, come in classes: 0, 1, 2-3, 4-7, ..., 1,024 and more.
const kOldest = kAges - 1;
const ageWords = (at) => at < 2 ? `${at}` :
    at === kOldest ? `${grouped(2 ** (at - 1))}+` :
                     `${grouped(2 ** (at - 1))}-${grouped(2 ** at - 1)}`;
// Half of the objects are in this class or in older ones.
function middleAge(ages) {
  const all = ages.reduce((sum, n) => sum + n, 0);
  let at = kOldest;
  for (let older = ages[at]; at > 0 && (older === 0 || 2 * older < all);) older += ages[--at];
  return at;
}
const survivedColumn = {
  title: 'survived',
  key: 'age',
  number: true,
  cell: (row) => ageWords(row.age),
  tip: (row) => 'collections survived: objects\n' +
      row.ages.map((n, at) => (n ? `${ageWords(at)}: ${grouped(n)}` : ''))
          .filter(Boolean)
          .join('\n'),
};
const agesOf = (end) => base.ages.subarray(end * kAges, (end + 1) * kAges);
// The rows with what has survived how many collections, where that is known.
function withAges(chosen, keyOf, first, each) {
  if (!base.ages) return rowsBy(chosen, keyOf, first, each);
  const rows = rowsBy(
      chosen, keyOf, (end) => ({...first(end), ages: Array(kAges).fill(0)}), (row, end) => {
        agesOf(end).forEach((n, at) => (row.ages[at] += n));
        if (each) each(row, end);
      });
  for (const row of rows) row.age = middleAge(row.ages);
  return rows;
}

// A site by all its names: the class, who allocates, and for whom.
function siteCell(row) {
  const lines = [searchLink(row.type)];
  if (row.frame) lines.push(frameLine('at', row.frame, row.place));
  if (row.app && (row.app !== row.frame || row.appPlace !== row.place)) {
    const part = row.appPart < 1 ? `, ${percent(row.appPart, 1)} of it` : '';
    lines.push(frameLine('from', row.app, row.appPlace, part));
  }
  if (!row.frame && !row.app) lines.push(element('div', {class: 'at'}, '(no Java frame)'));
  return lines;
}
// By class and by the frame that allocates; with the program's frame that most of it came through.
function siteRows(chosen) {
  const own = figuresShown()[base.keys[0]], apps = new Map();
  const rows = withAges(
      chosen, (end) => classOf(end) * kMostFrames + innermostFrame(end) + 1,
      (end) => {
        const frame = innermostFrame(end);
        return {type: textOf(classOf(end)), frame: methodName(frame), place: framePlace(frame)};
      },
      (row, end) => {
        let mine = apps.get(row);
        if (!mine) apps.set(row, (mine = new Map()));
        const app = appFrame(end);
        mine.set(app, (mine.get(app) || 0) + own[end]);
      });
  for (const row of rows) {
    let app = -1, most = -1, all = 0;
    for (const [frame, bytes] of apps.get(row)) {
      all += bytes;
      if (bytes > most) app = frame, most = bytes;
    }
    Object.assign(
        row, {app: methodName(app), appPlace: framePlace(app), appPart: all ? most / all : 1});
  }
  return rows;
}
const appRows = (chosen) => withAges(
    chosen, (end) => classOf(end) * kMostFrames + appFrame(end) + 1, (end) => {
      const app = appFrame(end);
      return {
        type: textOf(classOf(end)), frame: '', place: '', app: methodName(app),
        appPlace: framePlace(app), appPart: 1,
      };
    });
const classRows = (chosen) => withAges(chosen, classOf, (end) => ({type: textOf(classOf(end))}));
const packageRows = (chosen) => {
  const names = new Map();  // by method
  const nameAt = (end) => {
    const app = appFrame(end), method = app < 0 ? -1 : frameMethods[app];
    if (!names.has(method)) {
      names.set(method, method < 0 ? '(no Java frame)' : packageOf(data.names[method]) || '(no package)');
    }
    return names.get(method);
  };
  return withAges(chosen, nameAt, (end) => ({type: nameAt(end)}));
};
const threads = asRows(
    data.threads, 'id', 'name', 'recordedBytes', 'recordedCount', 'allocated', 'seen', 'seenCount');
const threadRows = (chosen) =>
    rowsBy(chosen, outermost, (end) => ({name: textOf(outermost(end)), books: null}));
// Of the whole run the books tell, of what is recorded the tree.
function threadTab() {
  const booked = threads.some(({allocated}) => allocated !== null);
  const counted = (title, value) => ({
    title,
    number: true,
    cell: (row) => (row.books && row.books.allocated !== null ? grouped(value(row.books)) : ''),
  });
  const columns = (rows) => [
    ...allocationColumns(rows),
    ...(booked ? [counted('allocated (VM)', (books) => books.allocated)] : []),
    ...(booked && !sampled ? [counted('unattributed', (books) => books.allocated - books.seen)] :
                             []),
    {title: 'thread', key: 'name', cell: (row) => row.name},
  ];
  const make = (chosen) => {
    const byName = new Map(threads.map((books) => [threadText([books.id, books.name]), books]));
    const rows = hasThreads() ?
        threadRows(chosen).map((row) => ({...row, books: byName.get(row.name) || null})) :
        threads.map((books) => ({
                      name: threadText([books.id, books.name]), books, bytes: books.seen || 0,
                      count: books.seenCount || 0,
                    }));
    return {rows, columns: columns(rows)};
  };
  return {id: 'threads', short: 'Thread', title: 'By thread', whole: !hasThreads(), make};
}
// Oldest first: what is not given back is at the top. The bytes of an age are known of all together
// alone.
function ageRows(chosen) {
  if (!chosen) {
    return summary.live_ages.map(
        ({survived, count, bytes}) => ({survived: survived ? Math.log2(survived) + 1 : 0, count, bytes}));
  }
  const rows = Array.from({length: kAges}, (_, at) => ({survived: at, count: 0}));
  for (const end of base.ends) {
    if (chosen[end]) agesOf(end).forEach((n, at) => (rows[at].count += n));
  }
  return rows.filter(({count}) => count > 0);
}
const ageTab = () => tab('ages', 'Age', 'How many collections objects have survived', (chosen) => {
  const rows = ageRows(chosen), key = chosen ? 'count' : state.by;
  return {
    rows,
    columns: [
      {title: 'share', part: true, cell: (row) => percent(row[key], sumOf(rows, key))},
      ...(chosen ? [] : [bytesColumn('bytes', 'bytes')]),
      figureColumn('count', 'count', grouped),
      {title: 'survived', key: 'survived', number: true, cell: (row) => ageWords(row.survived)},
    ],
    sort: 'survived',
  };
});
function allocationTabs() {
  const table = (rows, last) => ({
    rows,
    columns: [...kind.columns(rows), ...(base.ages ? [survivedColumn] : []), last],
    ...(kind.sort ? {sort: kind.sort()} : {}),
  });
  const by = (id, short, title, rowsOf, head, cell) =>
      tab(id, short, title, (chosen) => table(rowsOf(chosen), {title: head, key: 'type', cell}));
  return [
    by('appsites', 'App', 'By the first frame outside the JDK', appRows,
       'class, first frame outside the JDK', siteCell),
    by('sites', 'Site', 'By class and the frame that allocates', siteRows,
       'class, allocated at, from', siteCell),
    by('classes', 'Class', 'By class', classRows, 'class', (row) => searchLink(row.type)),
    ...(kind === kinds.changes || ofMalloc || (base.ages && !hasThreads()) ? [] : [threadTab()]),
    by('packages', 'Package', 'By the package of the first frame outside the JDK', packageRows,
       'package', (row) => breakable(row.type)),
    ...(base.ages ? [ageTab()] : []),
  ];
}

// ---- cards and words ---------------------------------------------------------------------

const notTold = summary.engine === 'unknown';  // a DDM server's answer has fewer facts
const neverTracked = summary.engine === '' && summary.seen === 0;
const ofMalloc = summary.engine === 'malloc';   // blocks have no times, and no count beside them
// What the figures lack stands as large as they do: bytes that nobody saw, stacks without their
// outer frames, stacks that were shortened.
function lackCards() {
  const cards = [];
  const missing = summary.unattributed_bytes, counted = summary.allocated_bytes;
  const stacks = summary.virtual_thread_stack_bytes;
  // The VM counts what all methods allocate together.
  const orNotKnown = (bytes) => (bytes === null ? 'not known' : humanBytes(bytes));
  if (!summary.below && sampled) {
    cards.push(card(
        'Allocated', orNotKnown(counted), 'the VM\'s own count, to hold the estimate against'));
  } else if (!summary.below) {
    const words = missing === null ?
        'this VM keeps no allocation counter' :
        `${percent(missing, missing + summary.seen_bytes)} of what the VM counted was not seen` +
            (stacks ? `; virtual thread stacks: at most ${humanBytes(stacks)}` : '');
    cards.push(card('Unattributed', orNotKnown(missing), words));
  }
  if (!data.run) return cards;
  const run = baseOf('run');
  let unrooted = 0;
  for (const end of run.ends) {
    if (outermost(end, run) === kCut) unrooted += run.own.bytes[end];
  }
  const unplaced = summary.sites_unplaced;
  const shortened = summary.sites_shortened || 0;
  cards.push(
      card('Unrooted', percent(unrooted, summary.seen_bytes),
           (unrooted ? `${humanBytes(unrooted)} do not stand below their thread's first frame` :
                       'every stack begins with its thread\'s first frame') +
               (unplaced ? `; ${times(unplaced)} are counted by class alone` : ''),
           unrooted && kCut >= 0 ? exactly(data.names[kCut]) : ''),
      card('Shortened', percent(shortened, summary.seen),
           shortened ? `${times(shortened)} of stacks that came up seldom: frames in the middle are left out` :
                       'every stack has all its frames',
           shortened ? exactly('[frames left out]') : ''));
  return cards;
}
function allocationCards() {
  if (neverTracked) return [];
  // Under sampling a record stands for many allocations.
  const recordedOnes = `${times(data.recorded_count)}, ${sampled ? 'from samples' : 'one by one'}`;
  const bytes = about + humanBytes(data.recorded_bytes);
  if (ofMalloc) return [card('Not freed', bytes, `${times(data.recorded_count)} of malloc`)];
  const recorded = card('Recent', bytes, !notTold && data.recorded_count < summary.seen ?
      `the most recent ${recordedOnes}` : recordedOnes);
  if (notTold) {
    const elsewhere = 'see the reports that the program writes itself';
    return [recorded, card('Completeness', 'not known', elsewhere)];
  }
  return [
    card('Whole run', about + humanBytes(summary.seen_bytes),
         `${summary.seen_at_least ? 'at least ' : ''}${times(summary.seen)} seen since tracking began`),
    recorded,
    ...lackCards(),
    card('Dropped', grouped(summary.dropped), summary.dropped ?
        (sampled ? 'samples' : 'allocations') + ' seen but not recorded' :
        `every ${sampled ? 'sample' : 'allocation seen'} went into the record`),
  ];
}
function allocationSpan() {
  let span = '';
  if (summary.recorded > 0) {
    const clock = (ms) => new Date(ms).toLocaleTimeString();
    const [from, to] = [clock(data.oldest_ms), clock(data.newest_ms)];
    span = (data.run ? 'Recent are the allocations recorded last' :
                ofMalloc ? 'This page shows what malloc gave and nobody has freed' :
                           'This page shows the recorded allocations') +
        (notTold || !data.newest_ms ?
             '.' :
             `: ${humanDuration(Math.max(data.newest_ms - data.oldest_ms, 0))}, ` +
                 (from === to ? `at ${to}.` : `from ${from} to ${to}.`));
  }
  if (data.live) {
    // Nobody has looked at these yet.
    const fresh = summary.live_ages.find(({survived}) => survived === 0);
    span += ` Live is what collection ${summary.gc} has not found dead` +
        (fresh ? `, and ${humanBytes(fresh.bytes)} that were allocated since` : '') +
        (summary.live_one_in > 1 ? `; estimated from one object in ${summary.live_one_in}.` : '.');
  }
  return span;
}
