import { type Abbreviations, abbreviationsOf } from './abbreviations.ts';

/** Marks that end a sentence only before a space. */
const openMarks = '.!?…‼⁇⁈⁉';
/** Marks that need no space after them. */
const tightMarks = '。！？｡．।॥۔؟';
const lineBreaks = '\n\r\v\f\x85\u2028\u2029';
const bullets = '•⁃‣▪◦';
/** Brackets in which no sentence ends: placeholders, and quotations and titles in East Asian languages. */
const pairs: Record<string, string> = { '{': '}', '「': '」', '『': '』', '（': '）', '《': '》' };
/** The longest pair of brackets in which no sentence ends, in UTF-16 units. */
const maxPair = 500;

/** The characters at which the search for an end stops. */
const stops = (marks: string) =>
  new RegExp(`[${marks}${tightMarks}${lineBreaks}${bullets}<)${Object.keys(pairs).join('')}]`, 'g');
const anyStop = stops(openMarks);
/** In Greek, a semicolon is the question mark. */
const greekStop = stops(`${openMarks};\u037e`);

const mark = new RegExp(`[${openMarks}${tightMarks};\u037e]`);
const tight = new RegExp(`[${tightMarks}]`);
const lineBreak = new RegExp(`[${lineBreaks}]`);
const whiteSpace = /\s/;
const wordCharacter = /[\p{L}\p{M}\p{N}'’]/u;

/** Characters before the first word of a sentence: quotation marks, brackets, dashes, formatting. */
const opens = /[\p{Ps}\p{Pi}\p{Pd}\p{Cf}\s"'*_~`„‚¿¡•⁃‣▪◦●○]/u;
/** Characters after the mark at the end of a sentence: quotation marks, brackets, formatting. */
const closes = /[\p{Pe}\p{Pf}\p{Cf}"'*_~`“‘]/u;
/** The character before a word. */
const beforeWord = new RegExp(`[\\s\\p{Ps}\\p{Pi}\\p{Pd}"'’„/${tightMarks}]`, 'u');

const tag = /<\/?[a-zA-Z][^<>]{0,200}>/y;
const closingTag = /<\/[a-zA-Z][^<>]{0,200}>/y;
/** A closing quotation mark after a space, as in French. */
const spacedClosing = /[ \u00a0\u202f]»(?![^\s\p{P}])/uy;
/** The number of a footnote. */
const reference = /\[\d{1,3}\]/y;
/** Full stops with spaces between them. */
const spacedDots = /(?:\.\s){2,}\.+/y;
/** The start of an item of a list at the start of a line. */
const listItem = /(?:[-*+•⁃‣▪◦●○–—]\s|\(?(?:\p{Nd}{1,3}|\p{L}|[ivx]{1,5})[.)]\)?\s|[①-⑳])/uy;
/** The marker of an item of a list in a line. */
const inlineMarker = /[([•⁃]?\s?(\d{1,2}|[a-y])(\.?\)|\.)\s/y;
/** The start of a sentence that is only the marker of an item of a list. */
const onlyMarker =
  /^[\p{Ps}•⁃‣▪◦*\s-]*(?:\p{Nd}{1,3}|[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Arabic}]|[ivxIVX]{1,4})$/u;
/** Scripts in which no space follows a sentence. */
const eastAsian = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;
/** Particles that continue a sentence of Japanese after a quotation. */
const particle = /[とってのがをにはもでなや、・]/;
/** Initials, acronyms and abbreviations of one letter. Scripts in which one letter can be a word are left out. */
const initials =
  /^(?:[\p{L}\p{M}]{1,3}\.)*(?:[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Arabic}]|\p{Script=Devanagari}\p{M}*)$|^(?:\p{L}{1,3}\.)+\p{L}{1,3}$/u;

/** Calls `push` with the start and the end of each sentence, in order. Runs in linear time. */
export function divide(text: string, base: string, push: (start: number, end: number) => void): void {
  const words = abbreviationsOf(base);
  const stop = base === 'el' ? greekStop : anyStop;
  let start = afterSpace(text, 0);
  let item = itemAfter(text, start);
  const cut = (end: number, next: number) => {
    let last = end;
    while (last > start && whiteSpace.test(text[last - 1] as string)) last -= 1;
    if (last > start) push(start, last);
    start = next;
    item = itemAfter(text, next);
  };
  /** The next position of each closing bracket, so that many opening ones do not search the text again. */
  const closings: Record<string, number> = {};
  stop.lastIndex = start;
  for (let found = stop.exec(text); found; found = stop.exec(text)) {
    const at = found.index;
    const character = found[0];
    if (lineBreak.test(character)) {
      const next = afterSpace(text, at);
      stop.lastIndex = Math.max(next, at + 1);
      if (endsParagraph(text, at, next)) cut(at, next);
    } else if (character === '<') {
      if (matches(tag, text, at)) stop.lastIndex = tag.lastIndex;
    } else if (pairs[character]) {
      const closing = pairs[character];
      if ((closings[closing] ?? -1) < at) closings[closing] = text.indexOf(closing, at);
      const position = closings[closing] as number;
      if (position < 0) closings[closing] = Number.POSITIVE_INFINITY;
      else if (position - at < maxPair) stop.lastIndex = position + 1;
    } else if (bullets.includes(character)) {
      if (whiteSpace.test(text[at - 1] ?? '') && /[\s\d]/.test(text[at + 1] ?? '')) cut(at, at);
    } else if (item !== undefined && isItem(text, at, item)) {
      const marker = at - item.next.length;
      if (marker > start) cut(marker, marker);
    } else if (character !== ')') {
      const spaced = character === '.' && matches(spacedDots, text, at);
      let end = spaced ? spacedDots.lastIndex : at + 1;
      while (end < text.length && mark.test(text[end] as string)) end += 1;
      const close = afterClosing(text, end);
      const next = afterSpace(text, close);
      if (next === text.length) break;
      stop.lastIndex = close;
      // Three full stops with spaces stand for omitted words. With a fourth one, the sentence ends.
      const ends = spaced
        ? (end - at > 6 || !whiteSpace.test(text[at - 1] ?? ' ')) && startsSentence(wordAfter(text, close))
        : endsAt(text, { start, at, end, close, next }, words, base);
      if (ends) cut(close, next);
    }
  }
  cut(text.length, text.length);
}

interface Place {
  start: number;
  /** The first mark, the end of the marks, and the end of what closes after them. */
  at: number;
  end: number;
  close: number;
  /** The next character other than white space. */
  next: number;
}

/** Whether a sentence ends at marks that are not at the end of the text. */
function endsAt(
  text: string,
  { start, at, end, close, next }: Place,
  words: Abbreviations,
  base: string,
): boolean {
  const character = text[at] as string;
  const following = text[next] as string;
  const isTight = tight.test(character) || (/[!?]/.test(character) && eastAsian.test(text[at - 1] ?? ''));
  if (isTight) {
    return !/[\p{Pe}\p{Pf}]/u.test(following) && !(close > end && close === next && particle.test(following));
  }
  if (close === next) return false;
  if (endsParagraph(text, close, next)) return true;
  const word = wordAfter(text, next);
  const dots = /^[.…]/.test(character) && (end > at + 1 || character === '…');
  if (/^(?:\.{3}|…)\p{L}/u.test(text.slice(next, next + 4))) return true;
  if (!startsSentence(word)) return false;
  // An ellipsis in brackets stands for omitted words.
  if (dots) return !/\p{Ps}/u.test(text[at - 1] ?? '');
  return character !== '.' || !isAbbreviated(text, start, at, word, words, base);
}

/** Whether the full stop at `at` belongs to an abbreviation, an initial or a number, and `word` continues the sentence. */
function isAbbreviated(
  text: string,
  start: number,
  at: number,
  word: string,
  { kinds, starters }: Abbreviations,
  base: string,
): boolean {
  if (at - start < 8 && onlyMarker.test(text.slice(start, at))) return true;
  let from = wordBefore(text, at);
  const last = text.slice(from, at).replace(/\p{Cf}/gu, '');
  let joined = last;
  // The parts of "z. B." and of "J. R. R. Tolkien" count together.
  for (
    let parts = 0;
    parts < 3 && whiteSpace.test(text[from - 1] ?? '') && text[from - 2] === '.';
    parts += 1
  ) {
    const earlier = wordBefore(text, from - 2);
    if (from - earlier > 10 || earlier < start) break;
    joined = text.slice(earlier, from - 1) + joined;
    from = earlier;
  }
  const kind = kindOf(kinds, joined) ?? kindOf(kinds, last);
  if (kind === 'end') return false;
  if (kind === 'never') return true;
  if (kind === 'number' && /^(?:\p{N}|[IVXLC]+\.?$|\p{Lu}\.?$)/u.test(word)) return true;
  // "A." is an initial, and of "It's" the first part counts.
  const isStarter =
    !/^.\.$/u.test(word) && starters.has((/^[\p{L}\p{M}]*/u.exec(word)?.[0] ?? '').toLowerCase());
  if (kind === 'maybe') return !isStarter;
  // The number of a day or an ordinal: "12. Juni", "2. Weltkrieg". A sentence can also end with a number.
  if (base === 'de' && /^(?:\d{1,2}|[IVX]{1,5})$/.test(last)) return !isStarter;
  if (/\p{Script=Thai}$/u.test(last)) return true;
  return joined.length < 16 && initials.test(joined) && !isStarter;
}

function kindOf(kinds: Abbreviations['kinds'], word: string) {
  return kinds.get(word) ?? kinds.get(word.toLowerCase());
}

/** Returns the start of the word that ends at a position, at most 24 characters before it. */
function wordBefore(text: string, position: number): number {
  let from = position;
  while (from > 0 && position - from < 24 && !beforeWord.test(text[from - 1] as string)) from -= 1;
  return from;
}

/** Returns the first word after a position with a full stop after it, or the first character outside a word. */
function wordAfter(text: string, position: number): string {
  let from = position;
  const furthest = position + 20;
  while (from < furthest && from < text.length) {
    if (text[from] === '<' && matches(tag, text, from)) from = tag.lastIndex;
    else if (opens.test(text[from] as string)) from += 1;
    else break;
  }
  let to = from;
  while (to < text.length && to - from < 24 && wordCharacter.test(text[to] as string)) to += 1;
  return text.slice(from, to === from || text[to] === '.' ? to + 1 : to);
}

/** Whether a word or character can begin a sentence. A word in lower case cannot, except for names such as "iPhone". */
function startsSentence(word: string): boolean {
  return !/^(?:\p{Ll}[^\p{Lu}]*$|[,;:.!?)\]}%])/u.test(word);
}

/** Whether white space ends a paragraph: it has a blank line, or a line break before an item of a list. */
function endsParagraph(text: string, from: number, to: number): boolean {
  let breaks = 0;
  for (let i = from; i < to; i += 1) {
    const character = text[i] as string;
    if (character === '\f' || character === '\u2029') return true;
    if (lineBreak.test(character) && !(character === '\n' && i > from && text[i - 1] === '\r')) breaks += 1;
    if (breaks > 1) return true;
  }
  return breaks > 0 && matches(listItem, text, to);
}

/** Returns the position after the quotation marks, brackets, tags and numbers of footnotes that close at a position. */
function afterClosing(text: string, position: number): number {
  let to = position;
  while (to < text.length) {
    if (closes.test(text[to] as string)) to += 1;
    else if (text[to] === '<' && matches(closingTag, text, to)) to = closingTag.lastIndex;
    else if (text[to] === '[' && matches(reference, text, to)) to = reference.lastIndex;
    else if (text[to + 1] === '»' && matches(spacedClosing, text, to)) to = spacedClosing.lastIndex;
    else break;
  }
  return to;
}

function afterSpace(text: string, position: number): number {
  let next = position;
  while (next < text.length && whiteSpace.test(text[next] as string)) next += 1;
  return next;
}

function matches(pattern: RegExp, text: string, position: number): boolean {
  pattern.lastIndex = position;
  return pattern.test(text);
}

/** The marker that the next item of a list in a line would have: "2." after "1.". */
interface Item {
  next: string;
  style: string;
}

function itemAfter(text: string, start: number): Item | undefined {
  inlineMarker.lastIndex = start;
  const [, value, style] = inlineMarker.exec(text) ?? [];
  if (value === undefined || style === undefined) return undefined;
  const number = Number(value);
  const next = Number.isNaN(number) ? String.fromCharCode(value.charCodeAt(0) + 1) : String(number + 1);
  return { next, style };
}

/** Whether the marker of the next item ends at a position. */
function isItem(text: string, at: number, { next, style }: Item): boolean {
  const from = at - next.length;
  return (
    text.startsWith(style, at) &&
    text.startsWith(next, from) &&
    whiteSpace.test(text[from - 1] ?? '') &&
    whiteSpace.test(text[at + style.length] ?? '')
  );
}
