/** The edges of a trie: one table with open addressing, because alphabets range from 30 letters to thousands of ideographs. */
interface TrieEdges {
  parents: Int32Array;
  children: Int32Array;
  /** By node, the unit that leads to it from its parent. */
  units: Uint16Array;
  /** The number of low bits of a hash to drop; the remaining bits are the number of a slot. */
  shift: number;
}

/** The units of patterns as paths from a root, which is node 0. */
export class Trie {
  nodes = 1;
  /** By node, its first child and its next sibling, or 0. */
  readonly firstChild: Int32Array;
  readonly nextSibling: Int32Array;
  /** By node, 1 plus the number of the pattern that ends there; 0 if no pattern ends there. */
  readonly terminal: Int32Array;
  readonly edges: TrieEdges;

  /** @param patterns not empty, without duplicates */
  constructor(patterns: readonly Uint16Array[]) {
    const most = 1 + patterns.reduce((sum, { length }) => sum + length, 0);
    const bits = Math.ceil(Math.log2(2 * most));
    this.edges = {
      parents: new Int32Array(2 ** bits),
      children: new Int32Array(2 ** bits),
      units: new Uint16Array(most),
      shift: 32 - bits,
    };
    this.firstChild = new Int32Array(most);
    this.nextSibling = new Int32Array(most);
    this.terminal = new Int32Array(most);
    for (const [number, pattern] of patterns.entries()) this.terminal[this.#add(pattern)] = number + 1;
  }

  /** Returns the child of a node by `unit`, or 0. */
  child(node: number, unit: number): number {
    return childOf(this.edges, node, unit);
  }

  #add(pattern: Uint16Array): number {
    const { parents, children, units } = this.edges;
    let node = 0;
    for (const unit of pattern) {
      const slot = slotOf(this.edges, node, unit);
      if (children[slot] === 0) {
        const child = this.nodes++;
        parents[slot] = node;
        children[slot] = child;
        units[child] = unit;
        this.nextSibling[child] = this.firstChild[node]!;
        this.firstChild[node] = child;
      }
      node = children[slot]!;
    }
    return node;
  }
}

/** Returns the child of a node by `unit`, or 0. */
function childOf(edges: TrieEdges, node: number, unit: number): number {
  return edges.children[slotOf(edges, node, unit)]!;
}

/** Returns the slot of an edge, or the free slot for it. */
function slotOf({ parents, children, units, shift }: TrieEdges, parent: number, unit: number): number {
  const mask = children.length - 1;
  let slot = Math.imul(Math.imul(parent, 0x9e3779b1) ^ unit, 0x85ebca6b) >>> shift;
  for (let child = children[slot]!; child !== 0; child = children[slot]!) {
    if (parents[slot] === parent && units[child] === unit) break;
    slot = (slot + 1) & mask;
  }
  return slot;
}

/** An automaton as plain data, which another thread can read. All arrays except `first` are by node. */
export interface AutomatonTables {
  edges: TrieEdges;
  /** The children of the root by unit. Most units of a text are read from the root. */
  first: Int32Array;
  /** The node of the longest proper suffix of the node's path that is also in the trie. */
  fail: Int32Array;
  /** The nearest node along `fail` at which a pattern ends. */
  suffix: Int32Array;
  /** 1 plus the number of the pattern that ends there; 0 if no pattern ends there. */
  terminal: Int32Array;
}

/** @param patterns not empty, without duplicates */
export function buildAutomaton(patterns: readonly Uint16Array[]): AutomatonTables {
  const trie = new Trie(patterns);
  const { nodes, edges, firstChild, nextSibling } = trie;
  const terminal = trie.terminal.slice(0, nodes);
  const first = new Int32Array(0x10000);
  const fail = new Int32Array(nodes);
  const suffix = new Int32Array(nodes);
  for (let child = firstChild[0]!; child !== 0; child = nextSibling[child]!)
    first[edges.units[child]!] = child;
  const tables = { edges, first, fail, suffix, terminal };
  const automaton = new Automaton(tables);
  // Breadth first, because a suffix is shorter than the path that it ends.
  const queue = new Int32Array(nodes);
  let queued = 1;
  for (let head = 0; head < queued; head++) {
    const node = queue[head]!;
    for (let child = firstChild[node]!; child !== 0; child = nextSibling[child]!) {
      const shorter = node === 0 ? 0 : automaton.next(fail[node]!, edges.units[child]!);
      fail[child] = shorter;
      suffix[child] = terminal[shorter] === 0 ? suffix[shorter]! : shorter;
      queue[queued++] = child;
    }
  }
  return tables;
}

/**
 * Finds all patterns in one pass (Aho and Corasick, 1975): a trie of their units and, for each node, the node of the longest
 * proper suffix of its path that is also in the trie. Reading a text takes time linear in the text.
 */
export class Automaton {
  readonly #edges: TrieEdges;
  readonly #first: Int32Array;
  readonly #fail: Int32Array;
  readonly #suffix: Int32Array;
  readonly #terminal: Int32Array;

  constructor({ edges, first, fail, suffix, terminal }: AutomatonTables) {
    this.#edges = edges;
    this.#first = first;
    this.#fail = fail;
    this.#suffix = suffix;
    this.#terminal = terminal;
  }

  /** Returns the node to which `unit` leads from `node`; 0 is the root. */
  next(node: number, unit: number): number {
    for (let from = node; from !== 0; from = this.#fail[from]!) {
      const to = childOf(this.#edges, from, unit);
      if (to !== 0) return to;
    }
    return this.#first[unit]!;
  }

  /**
   * Returns the node of the longest pattern that ends at the current position of the text, given the node of that position, or
   * 0. `shorter` then returns the next shorter one.
   */
  longest(node: number): number {
    return this.#terminal[node] === 0 ? this.#suffix[node]! : node;
  }

  shorter(node: number): number {
    return this.#suffix[node]!;
  }

  /** Returns the pattern that ends at a node returned by `longest` or `shorter`. */
  pattern(node: number): number {
    return this.#terminal[node]! - 1;
  }
}
