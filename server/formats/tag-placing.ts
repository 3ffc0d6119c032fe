import {
  type InlineContent,
  type InlineTag,
  isInsideWord,
  joinStrings,
  memoryText,
  onlyPositionOf,
  place,
  plainText,
} from './inline-content.ts';

/*
 * Translations without tags, such as those of a translation memory, get the tags of their source. A link around the
 * wrong words misleads, so a position is either proven by the two texts, or reported as a guess.
 */

/** Words of a source and their possible translations, such as a term of a glossary. */
interface KnownWords {
  source: string;
  targets: readonly string[];
}

/** A translation with tags. */
export interface Placed {
  content: InlineContent;
  /** Whether the position of a tag is a guess. Formatting is never guessed: it is left out. */
  isGuessed: boolean;
}

/** A tag, or a pair with its content; `start` and `end` are its offsets in the plain text of the source. */
interface Element {
  /** The tags of the element: one, or the two of a pair. */
  tags: readonly [InlineTag, ...InlineTag[]];
  start: number;
  end: number;
  inside: Element[];
}

interface Range {
  start: number;
  end: number;
}

/**
 * Inserts the tags of a source into a translation that has none. These positions are certain:
 *
 * - all of the text
 * - words that both texts have once, such as a name, or whose translation is known and there once
 * - what stands between two marks, such as a colon or a bracket, if both texts have the same marks in the same order
 * - for a line break or tab, this character, if both texts have it equally often
 *
 * A pair of formatting without a certain position is left out. If another tag has none, all tags are inserted in the order
 * of the source, at the word boundaries that are nearest to their relative positions.
 */
export function placeTags(text: string, source: InlineContent, known: readonly KnownWords[] = []): Placed {
  const isShort = source.length <= 2 * most.tags;
  const proof = new Proof(plainText(source), text, known);
  const content = isShort && write(text, elementsOf(source), { start: 0, end: text.length }, proof);
  if (content) return { content: joinStrings(content), isGuessed: false };
  const total = Math.max(1, plainText(source).length);
  const nearest = sharedPositions(plainText(source), text);
  const guessed = place(text, source, (offset) => {
    if (offset >= total) return { near: text.length, exact: true };
    return { near: nearest(offset), exact: false };
  });
  return { content: guessed, isGuessed: true };
}

/**
 * Returns a function from an offset in a source to the one in its translation at the same relative position: of the line,
 * if both texts have the same number of lines, otherwise of the text.
 */
function sharedPositions(source: string, text: string): (offset: number) => number {
  const [of, to] = [source, text].map((one) => [...one.matchAll(/\n/g)].map(({ index }) => index));
  const breaks = of!.length === to!.length ? of!.map((at, line) => [at, to![line]!] as const) : [];
  const anchors = [[0, 0] as const, ...breaks, [source.length, text.length] as const];
  let line = 1;
  return (offset) => {
    if (anchors[line - 1]![0] > offset) line = 1;
    while (anchors[line]![0] < offset) line += 1;
    const [[from, start], [until, end]] = [anchors[line - 1]!, anchors[line]!];
    return start + Math.round(((offset - from) / Math.max(1, until - from)) * (end - start));
  };
}

/** Surrounds the number of a code in a text. A noncharacter of Unicode, which texts do not contain. */
const codeEdge = '\uffff';

/** Returns the words of a tag that a translation must have: code, or a placeholder; undefined for other tags. */
function wordsOf({ code, text }: InlineTag): string | undefined {
  return code ?? (text?.trim() ? text : undefined);
}

/**
 * Inserts the tags of a source into a translation from the translation memory, which has the code and the placeholders of
 * the source as text. Each of them becomes its tag; all other tags are inserted as in `placeTags`.
 *
 * @returns null if the translation has code of the source more or less often: its tag would have no certain position
 */
export function placeCodes(
  text: string,
  source: InlineContent,
  known: readonly KnownWords[] = [],
): Placed | null {
  const all = memoryText(source);
  const found: { at: number; words: string; slot: InlineTag; tag: InlineTag }[] = [];
  let seen = 0;
  const slots: InlineContent = [];
  for (const item of source) {
    const start = seen;
    seen += memoryText([item]).length;
    const words = typeof item === 'string' ? undefined : wordsOf(item);
    if (typeof item === 'string' || words === undefined) {
      slots.push(item);
      continue;
    }
    const inSource = positionsOf(all, words);
    const inText = positionsOf(text, words);
    const at = inText[inSource.indexOf(start)];
    if (at === undefined || inSource.length !== inText.length) return null;
    const slot = { ...item, text: `${codeEdge}${found.length}${codeEdge}` };
    slots.push(slot);
    found.push({ at, words, slot, tag: item });
  }
  if (found.length === 0) return placeTags(text, source, known);
  let end = 0;
  let marked = '';
  for (const { at, words, slot } of found.toSorted((one, other) => one.at - other.at)) {
    if (at < end) return null;
    marked += text.slice(end, at) + slot.text;
    end = at + words.length;
  }
  const { content, isGuessed } = placeTags(marked + text.slice(end), slots, known);
  // Another tag stands behind the position of a code.
  if (content.some((item) => typeof item === 'string' && item.includes(codeEdge))) return null;
  const tags = new Map<InlineContent[number], InlineTag>(found.map(({ slot, tag }) => [slot, tag]));
  return { content: content.map((item) => tags.get(item) ?? item), isGuessed };
}

/**
 * Inserts the tags of a source into a translation whose sentences are known: those of each sentence into its translation,
 * unless a pair of tags spans several sentences.
 *
 * @param parts in order, of all of `memoryText`
 */
export function placeInParts(
  parts: readonly { source: string; text: string; isSpace: boolean }[],
  source: InlineContent,
  known: readonly KnownWords[] = [],
): Placed | null {
  const whole = placeCodes(parts.map(({ text }) => text).join(''), source, known);
  const pieces = divide(
    source,
    parts.map((part) => part.source),
  );
  const content: InlineContent = [];
  let isGuessed = false;
  for (const [index, piece] of (pieces ?? []).entries()) {
    const { source: space, text, isSpace } = parts[index]!;
    const hasTags = piece.some((item) => typeof item !== 'string');
    if (isSpace && hasTags && text !== space) return whole;
    const placed = isSpace
      ? { content: hasTags ? piece : [text], isGuessed: false }
      : placeCodes(text, piece, known);
    if (!placed) return whole;
    content.push(...placed.content);
    isGuessed ||= placed.isGuessed;
  }
  if (!pieces || (isGuessed && whole?.isGuessed === false)) return whole;
  return { content: joinStrings(content), isGuessed };
}

/**
 * Divides a content into the parts of its `memoryText`. A tag between two parts belongs to the first one, but an opening tag to
 * the second one.
 * @returns null if a pair of tags, or the text of a tag, is in several parts
 */
function divide(source: InlineContent, parts: readonly string[]): InlineContent[] | null {
  if (parts.join('') !== memoryText(source)) return null;
  const pieces = parts.map((): InlineContent => []);
  const depths = parts.map(() => 0);
  let [at, left] = [0, parts[0]?.length ?? 0];
  const next = () => {
    at += 1;
    left = parts[at]!.length;
  };
  for (const item of source) {
    for (let rest = memoryText([item]); ; ) {
      const isText = typeof item === 'string';
      while (left === 0 && at < parts.length - 1 && (rest !== '' || (!isText && item.type === 'open')))
        next();
      const taken = rest.slice(0, left);
      if (isText) pieces[at]!.push(taken);
      else if (taken !== rest) return null;
      else pieces[at]!.push(item);
      if (!isText && item.type !== 'void') depths[at]! += item.type === 'open' ? 1 : -1;
      if (depths[at]! < 0) return null;
      left -= taken.length;
      rest = rest.slice(taken.length);
      if (rest === '') break;
    }
  }
  return depths.every((depth) => depth === 0) ? pieces : null;
}

/**
 * Inserts the tags of a source into a translation, at the places that they have in an approved translation of this text.
 *
 * @param approved translations of sources with the same text and tags, whatever the tags stand for and their numbers are
 * @returns null if no approved translation has this text, with all tags of the source except formatting
 */
export function placeAsApproved(
  text: string,
  source: InlineContent,
  approved: readonly { source: InlineContent; target: InlineContent }[],
): InlineContent | null {
  const same = approved.find(({ target }) => memoryText(target) === text);
  if (!same) return null;
  const tags = source.filter((item) => typeof item !== 'string');
  const former = same.source.filter((item) => typeof item !== 'string');
  if (!former.every((tag, at) => memoryText([tag]) === memoryText([tags[at] ?? '']))) return null;
  const left = new Map(former.map(({ type, tag }, at) => [`${type} ${tag}`, tags[at]]));
  const content = same.target.map((item) => {
    if (typeof item === 'string') return item;
    const key = `${item.type} ${item.tag}`;
    const tag = left.get(key);
    left.delete(key);
    return tag;
  });
  const isWhole = !content.includes(undefined) && [...left.values()].every((tag) => tag?.format);
  return isWhole ? (content as InlineContent) : null;
}

/** Returns the positions of `words` in a text, without those inside of longer words. */
function positionsOf(text: string, words: string): number[] {
  const found: number[] = [];
  for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + words.length))
    if (!isInsideWord(text, at) && !isInsideWord(text, at + words.length)) found.push(at);
  return found;
}

/** Returns the elements of a content in reading order, as a tree. */
function elementsOf(source: InlineContent): Element[] {
  const root: Element[] = [];
  const open: Element[] = [];
  let seen = 0;
  for (const item of source) {
    if (typeof item === 'string') {
      seen += item.length;
      continue;
    }
    const siblings = open.at(-1)?.inside ?? root;
    if (item.type === 'close') {
      const element = open.pop()!;
      element.tags = [element.tags[0], item];
      element.end = seen;
      continue;
    }
    const element: Element = { tags: [item], start: seen, end: seen, inside: [] };
    siblings.push(element);
    if (item.type === 'open') open.push(element);
    else element.end = seen += item.text?.length ?? 0;
  }
  return root;
}

/** Returns a part of a text with its elements; null if one has no certain position, or if two of them overlap. */
function write(text: string, elements: readonly Element[], part: Range, proof: Proof): InlineContent | null {
  const found: { element: Element; range: Range }[] = [];
  const waiting = [...elements];
  for (let element = waiting.shift(); element; element = waiting.shift()) {
    const range = proof.rangeOf(element);
    if (range) found.push({ element, range });
    else if (element.tags[0].format) waiting.unshift(...element.inside);
    else return null;
  }
  found.sort((a, b) => a.range.start - b.range.start || a.range.end - b.range.end);
  const content: InlineContent = [];
  let at = part.start;
  for (const { element, range } of found) {
    if (range.start < at || range.end > part.end) return null;
    content.push(text.slice(at, range.start));
    at = range.end;
    const [first, last] = element.tags;
    const inside = last ? write(text, element.inside, range, proof) : [];
    if (!inside) return null;
    content.push(first, ...inside, ...(last ? [last] : []));
  }
  content.push(text.slice(at, part.end));
  return content;
}

/** The most tags of a source, and UTF-16 units of words, for which a position is proven. Longer ones take too long. */
const most = { tags: 200, words: 100 };

/** Marks that divide texts. A translation has its periods, colons and so on in the order of its source. */
const markPattern =
  /(?<stop>[.!?](?=["”»)]?(?:\s|$))|[。！？])|(?<colon>[:：])|(?<semicolon>[;；])|(?<open>[([（［])|(?<close>[)\]）］])|(?<quote>["“”„«»「」『』])|(?<dash>\s[-–—]\s|—)|(?<line>\n)/g;

/** The start or end of a text or of a mark. */
interface Boundary {
  at: number;
  /** Whether it belongs to a bracket or a quotation mark. */
  isEnclosing: boolean;
}

/** Returns the kinds of the marks of a text, and its boundaries in their order. */
function marksOf(text: string): { kinds: string[]; boundaries: Boundary[] } {
  const kinds: string[] = [];
  const boundaries = [{ at: 0, isEnclosing: false }];
  for (const { index, groups, 0: mark } of text.matchAll(markPattern)) {
    const kind = Object.keys(groups!).find((name) => groups![name] !== undefined)!;
    const isEnclosing = kind === 'open' || kind === 'close' || kind === 'quote';
    kinds.push(kind);
    boundaries.push({ at: index, isEnclosing }, { at: index + mark.length, isEnclosing });
  }
  boundaries.push({ at: text.length, isEnclosing: false });
  return { kinds, boundaries };
}

/** The positions of tags that two texts prove. */
class Proof {
  readonly #source: string;
  readonly #text: string;
  readonly #known: readonly KnownWords[];
  /** The boundaries of the source, and those of the translation, which correspond to them; only their ends without proof. */
  readonly #boundaries: { source: readonly Boundary[]; text: readonly Boundary[] };

  constructor(source: string, text: string, known: readonly KnownWords[]) {
    this.#source = source;
    this.#text = text;
    this.#known = known;
    const [of, to] = [marksOf(source), marksOf(text)];
    const isSame = of.kinds.join() === to.kinds.join();
    // Parts in brackets or quotation marks can change places.
    const movable = of.kinds.filter((kind) => kind === 'open' || kind === 'quote');
    const isOrdered = movable.length <= (movable[0] === 'quote' ? 2 : 1);
    this.#boundaries =
      isSame && isOrdered
        ? { source: of.boundaries, text: to.boundaries }
        : { source: ends(of.boundaries), text: ends(to.boundaries) };
  }

  /** Returns the certain range of an element in the translation; null without one. */
  rangeOf({ tags: [{ text, isWord }, last], start, end }: Element): Range | null {
    const words = this.#source.slice(start, end);
    if (last && words.trim() !== '') return this.#rangeOfWords(words.trim(), start + leading(words));
    if (text) return this.#rangeOfMark(text, start);
    const at = isWord || this.#isAlone(start) ? this.#emptyPlace(start) : this.#pointAt(start);
    return at === null ? null : { start: at, end: at };
  }

  #rangeOfWords(words: string, start: number): Range | null {
    const at = words.length <= most.words && isName(words) ? this.#onlyPosition(words) : -1;
    if (at >= 0) return { start: at, end: at + words.length };
    return this.#rangeOfKnown(words) ?? this.#between(start, start + words.length);
  }

  /** Returns the range of a translation of known words, if the source has the words once. */
  #rangeOfKnown(words: string): Range | null {
    if (this.#known.length === 0 || onlyPositionOf(this.#source, words) < 0) return null;
    const known = this.#known.filter(({ source }) => source.toLowerCase() === words.toLowerCase());
    const found = new Map<number, number>();
    for (const target of known.flatMap(({ targets }) => targets))
      for (const form of new Set([target, capitalized(target)])) {
        const at = onlyPositionOf(this.#text, form);
        if (at >= 0) found.set(at, at + form.length);
      }
    const [only, second] = found;
    return only && !second ? { start: only[0], end: only[1] } : null;
  }

  /** Returns the part of the translation between the boundaries between which a part of the source is. */
  #between(start: number, end: number): Range | null {
    const [first, last] = [this.#boundaryBefore(start), this.#boundaryAfter(end)];
    // The text before a bracket may also be elsewhere in the translation.
    if (!first || !last || first.isEnclosing !== last.isEnclosing) return null;
    const part = this.#text.slice(first.at, last.at);
    const range = { start: first.at + leading(part), end: first.at + part.trimEnd().length };
    return range.end > range.start ? range : null;
  }

  /** Returns the range of the character or words for which a void tag stands. */
  #rangeOfMark(mark: string, at: number): Range | null {
    const [inSource, inText] = [this.#source, this.#text].map((text) => text.split(mark));
    if (inSource!.length !== inText!.length) return null;
    const before = this.#source.slice(0, at).split(mark).length;
    const start = inText!.slice(0, before).join(mark).length;
    return { start, end: start + mark.length };
  }

  /** Whether a tag stands between a space and a mark or the end, like a word. */
  #isAlone(at: number): boolean {
    return /\s/.test(this.#source.charAt(at - 1)) && !/^[\s\p{L}\p{N}]/u.test(this.#source.slice(at, at + 2));
  }

  /** Returns the position of a tag in place of a word: the translation has a gap at the place of the source's. */
  #emptyPlace(at: number): number | null {
    const { source, text } = this.#boundaries;
    const isBlank = (of: string, [from, to]: [Boundary, Boundary]) => of.slice(from.at, to.at).trim() === '';
    const next = source.findIndex(({ at: start }, index) => {
      const before = source[index - 1];
      return before && before.at <= at && at <= start && isBlank(this.#source, [before, source[index]!]);
    });
    if (next < 0) return null;
    return isBlank(this.#text, [text[next - 1]!, text[next]!]) ? text[next]!.at : null;
  }

  /** Returns the position of a tag without words: at a boundary, or after a word that both texts have once. */
  #pointAt(at: number): number | null {
    const { source, text } = this.#boundaries;
    const exact = source.findIndex((one) => one.at === at);
    if (exact >= 0) return text[exact]!.at;
    const [word] = /[\p{L}\p{N}\p{M}]+$/u.exec(this.#source.slice(Math.max(0, at - most.words), at)) ?? [];
    const found = word && isName(word) ? this.#onlyPosition(word) : -1;
    if (found >= 0) return found + word!.length;
    const before = this.#boundaryBefore(at)?.at;
    if (before !== undefined) return before + leading(this.#text.slice(before));
    return this.#boundaryAfter(at)?.at ?? null;
  }

  /** Returns the last boundary up to a position of the source, if only spaces are between them. */
  #boundaryBefore(at: number): Boundary | undefined {
    const { source, text } = this.#boundaries;
    const index = source.findLastIndex((one) => one.at <= at);
    return this.#source.slice(source[index]!.at, at).trim() === '' ? text[index] : undefined;
  }

  /** Returns the first boundary from a position of the source on, if only spaces are between them. */
  #boundaryAfter(at: number): Boundary | undefined {
    const { source, text } = this.#boundaries;
    const index = source.findIndex((one) => one.at >= at);
    return this.#source.slice(at, source[index]!.at).trim() === '' ? text[index] : undefined;
  }

  /** Returns the position in the translation of words that both texts have once, in any case; otherwise -1. */
  #onlyPosition(words: string): number {
    const [source, text, form] = [this.#source, this.#text, words].map(lowered) as [string, string, string];
    return onlyPositionOf(source, form) < 0 ? -1 : onlyPositionOf(text, form);
  }
}

/** Whether equal words in two languages mean the same. Short ones, such as “die”, can be different words. */
function isName(words: string): boolean {
  return words.length > 3 || !/^\p{Ll}*$/u.test(words);
}

function ends(boundaries: readonly Boundary[]): Boundary[] {
  return [boundaries[0]!, boundaries.at(-1)!];
}

function leading(text: string): number {
  return text.length - text.trimStart().length;
}

/** Returns the text in lower case, with the same offsets. */
function lowered(text: string): string {
  const lower = text.toLowerCase();
  return lower.length === text.length ? lower : text;
}

function capitalized(text: string): string {
  const [first = ''] = text;
  return first.toUpperCase() + text.slice(first.length);
}
