/**
 * All patterns at once (Aho and Corasick, 1975): a trie of their units, and for each node where the longest proper
 * suffix of its path stands that the trie holds as well. Reading a text takes time linear in the text.
 */
export interface Automaton {
  /** The node that `unit` leads to from `node`; 0 is the root. */
  next(node: number, unit: number): number;
  /**
   * The node of the longest pattern that ends where the text is at `node`, and from there of the next shorter one; 0
   * where there is none.
   */
  longest(node: number): number;
  shorter(node: number): number;
  /** Which pattern ends at a node that `longest` or `shorter` answered. */
  pattern(node: number): number;
}

/** @param patterns not empty, each once */
export function buildAutomaton(patterns: readonly Uint16Array[]): Automaton {
  const trie = buildTrie(patterns);
  const { terminal } = trie;
  const fail = new Int32Array(trie.nodes);
  const suffix = new Int32Array(trie.nodes);
  const first = new Int32Array(0x10000);
  for (let child = trie.firstChild[0]!; child !== 0; child = trie.nextSibling[child]!)
    first[trie.unit[child]!] = child;

  const next = (node: number, unit: number): number => {
    for (let from = node; from !== 0; from = fail[from]!) {
      const to = trie.child(from, unit);
      if (to !== 0) return to;
    }
    return first[unit]!;
  };

  const queue = new Int32Array(trie.nodes);
  let queued = 1;
  for (let head = 0; head < queued; head++) {
    const node = queue[head]!;
    for (let child = trie.firstChild[node]!; child !== 0; child = trie.nextSibling[child]!) {
      fail[child] = node === 0 ? 0 : next(fail[node]!, trie.unit[child]!);
      suffix[child] = terminal[fail[child]!] ? fail[child]! : suffix[fail[child]!]!;
      queue[queued++] = child;
    }
  }

  return {
    next,
    longest: (node) => (terminal[node] ? node : suffix[node]!),
    shorter: (node) => suffix[node]!,
    pattern: (node) => terminal[node]! - 1,
  };
}

export interface Trie {
  nodes: number;
  child(node: number, unit: number): number;
  unit: Uint16Array;
  firstChild: Int32Array;
  nextSibling: Int32Array;
  /** 1 and the number of the pattern that ends at a node; 0 for none. */
  terminal: Int32Array;
}

/** Edges are one table with open addressing: alphabets run from 30 letters to thousands of ideographs. */
export function buildTrie(patterns: readonly Uint16Array[]): Trie {
  const most = 1 + patterns.reduce((sum, { length }) => sum + length, 0);
  const slots = 2 ** Math.ceil(Math.log2(2 * most));
  const shift = 32 - Math.log2(slots);
  const slotParent = new Int32Array(slots);
  const slotChild = new Int32Array(slots);
  const unit = new Uint16Array(most);
  const firstChild = new Int32Array(most);
  const nextSibling = new Int32Array(most);
  const terminal = new Int32Array(most);

  /** The slot of an edge, or the free one where it belongs. A child of the root has 0 for its parent, so its slot is told by the child. */
  const slotOf = (parent: number, letter: number): number => {
    let slot = (Math.imul(Math.imul(parent, 0x9e3779b1) ^ letter, 0x85ebca6b) >>> shift) & (slots - 1);
    while (slotChild[slot] !== 0 && (slotParent[slot] !== parent || unit[slotChild[slot]!] !== letter))
      slot = (slot + 1) & (slots - 1);
    return slot;
  };

  let nodes = 1;
  for (const [number, pattern] of patterns.entries()) {
    let node = 0;
    for (const letter of pattern) {
      const slot = slotOf(node, letter);
      if (slotChild[slot] === 0) {
        slotParent[slot] = node;
        slotChild[slot] = nodes;
        unit[nodes] = letter;
        nextSibling[nodes] = firstChild[node]!;
        firstChild[node] = nodes;
        nodes++;
      }
      node = slotChild[slot]!;
    }
    terminal[node] = number + 1;
  }
  return {
    nodes,
    child: (node, letter) => slotChild[slotOf(node, letter)]!,
    unit,
    firstChild,
    nextSibling,
    terminal,
  };
}
