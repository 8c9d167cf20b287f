// What the report says, as it stands in #data (report_html.cpp has its shape), and its trees as
// arrays. A tree is whole: every stack, by line; nodes stand in the order of a walk from the root, so a
// parent comes before its children, and what is below a node follows it at once.
//
// What a node is called is a number, its code: methods by name, then classes, threads, methods at
// lines, and, for packages that stand for runs of frames, what was made up by this script.

const data = JSON.parse(byId('data').textContent);
const {summary} = data;
const [frameMethods, frameFiles, frameLines] = data.frames;
const kClasses = data.names.length;
const kThreads = kClasses + data.classes.length;
const kLines = kThreads + data.thread_names.length;
const kPackages = kLines + frameMethods.length;
const packages = [], packageCodes = new Map();

const isClassCode = (code) => code >= kClasses && code < kThreads;
const isThreadCode = (code) => code >= kThreads && code < kLines;
const isLineCode = (code) => code >= kLines && code < kPackages;
const isPackageCode = (code) => code >= kPackages;
// The same without its line.
const withoutLine = (code) => (isLineCode(code) ? frameMethods[code - kLines] : code);
const threadText = ([id, name]) => (id ? `${name || '(no name)'} (${id})` : name || '(no name)');
function textOf(code) {
  if (code < kClasses) return data.names[code];
  if (code < kThreads) return data.classes[code - kClasses];
  if (code < kLines) return threadText(data.thread_names[code - kThreads]);
  if (code < kPackages) {
    const line = frameLines[code - kLines];
    return data.names[frameMethods[code - kLines]] + (line >= 0 ? `:${line}` : '');
  }
  return `${packages[code - kPackages]}.*`;
}
// What a stack trace shows in brackets.
function placeOf(frame) {
  const line = frameLines[frame], file = data.files[frameFiles[frame]];
  return line === -2 ? 'Native Method' : !file ? 'Unknown Source' : line >= 0 ? `${file}:${line}` : file;
}
// ClassOrigin's numbers: 0 the program's, then the JDK's; kNowhere: of no class.
const kJavaBase = 3, kThreadStart = 4, kLibrary = 5, kNowhere = 9;
const origins = Uint8Array.from(data.origins, Number);
const isJdk = (method) => origins[method] > 0 && origins[method] <= kThreadStart;
const kCut = data.names.indexOf('[deeper frames cut]');
const kLeftOut = data.names.indexOf('[frames left out]');

const oneOf = summary.engine === 'malloc' ? 'block' : 'allocation';

// What the graph and the tables may be about, as far as the page has it; the first one is shown.
const scopes = [
  ['changes', 'Changes', 'what grew and what shrank', 'changes'],
  ['run', 'Whole run', 'every allocation since tracking began', 'allocations'],
  ['live', 'Live', 'what is still alive', 'allocations'],
  summary.engine === 'malloc' ? ['recent', 'Not freed', 'what malloc gave and nobody has freed', 'allocations'] :
                                ['recent', 'Recent', 'the allocations recorded last', 'allocations'],
  ['times', 'Methods', 'what the timed methods took', 'times'],
  ['samples', 'Samples', 'where threads used the CPU', 'samples'],
  ['locks', 'Locks', 'where threads waited for locks and for each other', 'locks'],
];
const offered = scopes.filter(([name]) => data[name] && (data[name].count > 0 || data[name].count_before > 0));
const scopeOf = (name) => scopes.find((scope) => scope[0] === name);
const sampled = summary.interval > 0;  // every figure of allocations is an estimate
const about = sampled ? '\u2248 ' : '';

// Numbers of 5 bits a letter, as page_tree.h says.
class Numbers {
  static digits = (() => {
    const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
    const digits = new Uint8Array(128);
    for (let i = 0; i < letters.length; ++i) digits[letters.charCodeAt(i)] = i;
    return digits;
  })();
  constructor(text) {
    this.text = text;
    this.at = 0;
  }
  get more() {
    return this.at < this.text.length;
  }
  next() {
    let digit = Numbers.digits[this.text.charCodeAt(this.at++)];
    if (digit < 32) return digit;
    let sum = digit - 32, unit = 32;
    for (;; unit *= 32) {
      digit = Numbers.digits[this.text.charCodeAt(this.at++)];
      if (digit < 32) return sum + digit * unit;
      sum += (digit - 32) * unit;
    }
  }
}

const kAges = 12;
// A tree as arrays by node: parent, name (its code without a line), frame (-1: none), own figures;
// ends: nodes with figures of their own. A figure of a difference is a change's larger side, and
// what it was before and after stands beside it.
function baseOf(name) {
  const source = data[name];
  if (source.base) return source.base;
  const {measures} = kinds[scopeOf(name)[3]];
  const size = source.nodes;
  const parent = new Int32Array(size), names = new Int32Array(size), frame = new Int32Array(size);
  const depth = new Uint16Array(size), path = [0], ends = [];
  const difference = name === 'changes';
  const keys = measures.map(({key}) => key), own = {};
  for (const key of keys) {
    own[key] = new Float64Array(size);
    if (!difference) continue;
    own[key + 'After'] = new Float64Array(size);
    own[key + 'Before'] = new Float64Array(size);
  }
  const ages = name === 'live' ? new Float64Array(size * kAges) : null;
  const numbers = new Numbers(source.tree);
  names[0] = frame[0] = -1;
  let last = 0;
  for (let node = 1; numbers.more; ++node) {
    const head = numbers.next();
    last += 1 - (head >> 2);
    depth[node] = last;
    parent[node] = path[last - 1];
    path[last] = node;
    const place = numbers.next();
    frame[node] = (head & 3) < 2 ? place : -1;
    names[node] = (head & 3) < 2 ? frameMethods[place] :
        (head & 3) === 2         ? kClasses + place :
                                   kThreads + place;
    if ((head & 3) !== 1 && (head & 3) !== 2) continue;
    ends.push(node);
    if (difference) {
      for (const key of keys) own[key + 'After'][node] = numbers.next();
      for (const key of keys) own[key + 'Before'][node] = numbers.next();
      for (const key of keys) own[key][node] = Math.max(own[key + 'After'][node], own[key + 'Before'][node]);
      continue;
    }
    for (const key of keys) own[key][node] = numbers.next();
    if (!ages) continue;
    for (let mask = numbers.next(), age = 0; mask > 0; mask >>= 1, ++age) {
      if (mask & 1) ages[node * kAges + age] = numbers.next();
    }
  }
  source.base = {size, parent, name: names, frame, depth, own, keys: Object.keys(own), ages, source,
                 ends: Int32Array.from(ends), app: null};
  return source.base;
}
// By node: the frame that tells what the program does, of the frames from the root to there
// (telling_frame() of jdk_classes.h); -1: there is none.
function appOf(base) {
  if (base.app) return base.app;
  const {size, parent, frame, name} = base;
  const best = new Int32Array(size).fill(-1), rank = new Uint8Array(size).fill(kNowhere);
  const outermost = new Int32Array(size).fill(-1), first = new Int32Array(size).fill(-1);
  const app = new Int32Array(size).fill(-1);
  for (let node = 1; node < size; ++node) {
    const above = parent[node];
    best[node] = best[above], rank[node] = rank[above];
    outermost[node] = outermost[above], first[node] = first[above];
    const origin = frame[node] < 0 ? kNowhere : origins[name[node]];
    if (origin !== kNowhere) {
      if (origin <= rank[node]) best[node] = node, rank[node] = origin;
      if (outermost[node] < 0 && origin < kThreadStart) outermost[node] = node;
      if (first[node] < 0) first[node] = node;
    }
    const tells = rank[node] < kJavaBase || rank[node] === kLibrary;
    app[node] = tells        ? best[node] :
        outermost[node] >= 0 ? outermost[node] :
                               first[node];
  }
  return (base.app = app);
}
