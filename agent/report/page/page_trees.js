// What of a tree is drawn: without lines or with them, below a method, without what is hidden or
// folded, the outermost frame first or the class. All sums are of all stacks; whoever draws leaves out
// what is too narrow.
//
// how: {lines, threads, jdk: hide the JDK's frames, recursion, packages: fold runs, below: a code, -1:
// none, without: codes, only: 1 by code of what a stack must have, or null, groups}.

// Of each node of the base whether its stack is shown, as far as it ends there; null: all are.
function shownEnds(base, how) {
  if (how.below < 0 && how.without.size === 0 && !how.only) return null;
  const {size, parent, name} = base;
  const kInside = 1, kOut = 2, kFound = 4;
  const known = new Uint8Array(size);
  known[0] = (how.below < 0 ? kInside : 0) | (how.only ? 0 : kFound);
  const without = new Uint8Array(kLines);
  for (const code of how.without) without[code] = 1;
  for (let node = 1; node < size; ++node) {
    let mine = known[parent[node]];
    if (name[node] === how.below) mine |= kInside;
    if (without[name[node]]) mine |= kOut;
    if (how.only && how.only[name[node]]) mine |= kFound;
    known[node] = mine;
  }
  for (let node = 0; node < size; ++node) known[node] = known[node] === (kInside | kFound) ? 1 : 0;
  return known;
}
const packageName = (method) => packageOf(data.names[method]) || '(no package)';
// Of a code, which is a method's then.
const isInPackage = (code, name) => code < kClasses && origins[code] !== kNowhere &&
    code !== kLeftOut && packageName(code) === name;
const methodPackages = new Int32Array(data.names.length).fill(-1);
function packageCode(method) {
  if (methodPackages[method] < 0) {
    const name = packageName(method);
    if (!packageCodes.has(name)) packageCodes.set(name, kPackages + packages.push(name) - 1);
    methodPackages[method] = packageCodes.get(name);
  }
  return methodPackages[method];
}
// The code of a node of the base, or -1: no bar of its own.
function codeOf(base, node, how) {
  const name = base.name[node];
  if (name >= kThreads) return how.threads ? name : -1;
  if (name >= kClasses) return name;
  if (origins[name] !== kNowhere && name !== kLeftOut) {
    if (how.jdk && isJdk(name)) return -1;
    if (how.packages) return packageCode(name);
  }
  return how.lines ? kLines + base.frame[node] : name;
}

class RootFirst {
  constructor(base, how, own) {
    this.classFirst = false;
    this.base = base;
    this.ends = shownEnds(base, how);
    const {size, parent} = base;
    let needed = this.ends;
    if (needed) {
      needed = new Uint8Array(size);
      for (const node of base.ends) needed[node] = this.ends[node];
      for (let node = size - 1; node > 0; --node) needed[parent[node]] |= needed[node];
    }
    const to = new Int32Array(size);  // the bar of each node, which may be one above; -1: none
    const above = new Int32Array(size), codes = new Int32Array(size);
    codes[0] = -1;
    let count = 1;
    let mask = 1;
    while (mask < 2 * size) mask *= 2;
    const slots = new Int32Array(mask--);
    const child = (bar, code) => {
      let at = (Math.imul(bar, 0x9e3779b1) ^ Math.imul(code, 0x85ebca6b)) >>> 0;
      for (at = (at ^ at >>> 15) & mask; slots[at] !== 0; at = (at + 1) & mask) {
        if (above[slots[at]] === bar && codes[slots[at]] === code) return slots[at];
      }
      above[count] = bar;
      codes[count] = code;
      return (slots[at] = count++);
    };
    const inside = how.below < 0 ? null : new Uint8Array(size);
    for (let node = 1; node < size; ++node) {
      if (needed && !needed[node]) {
        to[node] = -1;
        continue;
      }
      const bar = to[parent[node]];
      to[node] = bar;
      if (inside) {
        inside[node] = inside[parent[node]] || base.name[node] === how.below ? 1 : 0;
        if (!inside[node]) continue;
      }
      const code = codeOf(base, node, how);
      if (code < 0) continue;
      if (isPackageCode(code) && codes[bar] === code) continue;
      if (how.recursion && code !== undefined && !isClassCode(code)) {
        const method = withoutLine(code);
        let same = bar;
        while (same > 0 && withoutLine(codes[same]) !== method) same = above[same];
        if (same > 0) {
          to[node] = same;
          continue;
        }
      }
      to[node] = child(bar, code);
    }
    this.to = to;
    this.size = count;
    this.parent = above.slice(0, count);
    this.code = codes.slice(0, count);
    this.fill(own);
    this.listChildren();
  }
  // Sums of the figures, which may be others than the base's own.
  fill(own) {
    const {base, size, parent, to} = this;
    this.own = {};
    this.totals = {};
    for (const key of base.keys) {
      const mine = new Float64Array(size), figures = own[key];
      for (const node of base.ends) {
        if (to[node] >= 0 && (!this.ends || this.ends[node])) mine[to[node]] += figures[node];
      }
      const sum = mine.slice();
      for (let node = size - 1; node > 0; --node) sum[parent[node]] += sum[node];
      this.own[key] = mine;
      this.totals[key] = sum;
    }
  }
  listChildren() {
    const {size, parent} = this;
    this.first = new Int32Array(size + 1);
    for (let node = 1; node < size; ++node) ++this.first[parent[node] + 1];
    for (let node = 0; node < size; ++node) this.first[node + 1] += this.first[node];
    const next = this.first.slice();
    this.list = new Int32Array(Math.max(size - 1, 0));
    for (let node = 1; node < size; ++node) this.list[next[parent[node]]++] = node;
    this.sorted = new Map();
  }
  // The largest first; what stands for the unknown last.
  children(node) {
    const by = state.by;
    const list = this.list.subarray(this.first[node], this.first[node + 1]);
    if (list.length > 1 && this.sorted.get(node) !== by) {
      this.sorted.set(node, by);
      const figures = this.totals[by], {code} = this;
      const last = (one) => (code[one] === kCut ? 1 : 0);
      list.sort((a, b) => last(a) - last(b) || figures[b] - figures[a] || a - b);
    }
    return list;
  }
  // 1 by node of the base: its stacks, as far as they end there, are below the bar.
  below(bar) {
    const {parent, size, to, base} = this;
    const inside = new Uint8Array(size);
    inside[bar] = 1;
    for (let node = bar + 1; node < size; ++node) inside[node] |= inside[parent[node]];
    const result = new Uint8Array(base.size);
    for (const node of base.ends) {
      if (to[node] >= 0 && inside[to[node]] && (!this.ends || this.ends[node])) result[node] = 1;
    }
    return result;
  }
}

// What was allocated, or took the time, first; then who called it. A bar's callers are found when it
// is drawn: all of them would be as many as all stacks have frames.
class ClassFirst {
  constructor(base, how, own) {
    this.classFirst = true;
    this.base = base;
    this.how = how;
    this.figures = own;
    const ends = shownEnds(base, how);
    this.stacks = ends ? base.ends.filter((node) => ends[node]) : base.ends.slice();
    this.at = this.stacks.slice();  // of each the node that comes next; 0: none
    this.begin = [0], this.end = [this.stacks.length];
    this.parent = [0], this.code = [-1], this.kids = [null];
    this.own = {}, this.totals = {};
    for (const key of base.keys) {
      this.own[key] = [0];
      this.totals[key] = [this.stacks.reduce((sum, node) => sum + own[key][node], 0)];
    }
    if (how.groups) {
      this.group = new Int32Array(base.size);
      for (let node = 1; node < base.size; ++node) {
        this.group[node] = base.parent[node] === 0 ? node : this.group[base.parent[node]];
      }
    }
  }
  get size() {
    return this.code.length;
  }
  // Of a stack whose next node is `node`: the one that has a bar, or 0.
  next(node, bar) {
    const {base, how} = this;
    for (; node > 0; node = this.after(node)) {
      if (this.group && base.parent[node] === 0 && bar !== 0) return 0;
      const code = codeOf(base, node, how);
      if (code < 0) continue;
      if (isPackageCode(code) && this.code[bar] === code) continue;
      if (how.recursion && !isClassCode(code)) {
        let same = bar;
        while (same > 0 && withoutLine(this.code[same]) !== withoutLine(code)) same = this.parent[same];
        if (same > 0) continue;
      }
      return node;
    }
    return 0;
  }
  after(node) {
    const {base, how} = this;
    return how.below >= 0 && this.isTop(node) ? 0 : base.parent[node];
  }
  isTop(node) {
    const {parent, name} = this.base, {below} = this.how;
    if (name[node] !== below) return false;
    for (node = parent[node]; node > 0; node = parent[node]) {
      if (name[node] === below) return false;
    }
    return true;
  }
  children(bar) {
    if (!this.kids[bar]) this.expand(bar);
    const {by, list} = this.kids[bar];
    if (by !== state.by) {
      this.kids[bar].by = state.by;
      const figures = this.totals[state.by];
      list.sort((a, b) => figures[b] - figures[a] || a - b);
    }
    return list;
  }
  expand(bar) {
    const {stacks, at, base, how} = this;
    const byCode = new Map(), list = [];
    for (let i = this.begin[bar]; i < this.end[bar]; ++i) {
      let node, after;
      if (this.group && bar === 0) {
        node = this.group[stacks[i]];
        after = at[i];
      } else {
        node = this.next(at[i], bar);
        after = node > 0 ? this.after(node) : 0;
      }
      const code = node > 0 ? codeOf(base, node, how) : -1;
      if (!byCode.has(code)) byCode.set(code, {stacks: [], after: []});
      const mine = byCode.get(code);
      mine.stacks.push(stacks[i]);
      mine.after.push(after);
    }
    let place = this.begin[bar];
    for (const [code, mine] of byCode) {
      const begin = place;
      for (let i = 0; i < mine.stacks.length; ++i, ++place) {
        stacks[place] = mine.stacks[i];
        at[place] = mine.after[i];
      }
      const made = code < 0 ? bar : this.code.length;
      if (made !== bar) {
        list.push(made);
        this.begin.push(begin);
        this.end.push(place);
        this.parent.push(bar);
        this.code.push(code);
        this.kids.push(null);
      }
      for (const key of base.keys) {
        let sum = 0;
        for (const node of mine.stacks) sum += this.figures[key][node];
        if (made === bar) {
          this.own[key][bar] = sum;
        } else {
          this.totals[key].push(sum);
          this.own[key].push(0);
        }
      }
    }
    this.kids[bar] = {by: '', list};
  }
  below(bar) {
    const result = new Uint8Array(this.base.size);
    for (let i = this.begin[bar]; i < this.end[bar]; ++i) result[this.stacks[i]] = 1;
    return result;
  }
}
