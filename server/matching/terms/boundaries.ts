import type { LanguageCode } from '#server/languages.ts';
import { classAt, dense, denseMark, hangul, joiner, joinsWord, mark, other } from './character-class.ts';
import { type FoldedText, unitsToString } from './fold.ts';
import { apostrophe, hyphen } from './letters.ts';

/**
 * Rules for clitics, which are particles attached to another word. A term may end before Korean particles (계약을) and
 * before Nepali postpositions (सम्झौताको). In Arabic, particles and an article may precede a term, and pronouns may
 * follow it (وبالعقد).
 */
interface Clitics {
  /** Matches the text between the start of the word and the term. */
  before?: RegExp;
  /** Matches the text between the term and the end of the word. */
  after: RegExp;
  /** The minimum length of a term in UTF-16 units. Shorter terms occur in other words by chance. */
  minUnits: number;
}

const korean = [
  '은|는|이|가|을|를|의|에|에서|에게|에게서|께|께서|한테|로|으로|로서|으로서|로써|으로써|와|과|하고|도|만|부터|까지|처럼|같이|보다|마다',
  '조차|마저|밖에|뿐|라도|이라도|나|이나|든지|이든지|란|이란|라는|이라는|라고|이라고|야|이야|여|이여|만큼|대로|별|당|간|상|시',
  '이다|입니다|이며|이고|인|인지|이므로|이어야|이었다|였다|이지만|이면|임|적|적인|적으로',
].join('|');

const nepali = [
  'को|का|की|ले|लाई|मा|बाट|सँग|संग|देखि|सम्म|द्वारा|भित्र|बाहिर|माथि|बारे|बारेमा|लागि|विरुद्ध|अनुसार|बमोजिम|सहित|बीच|पछि|अघि|नै|पनि',
].join('|');

const cliticsOf: Partial<Record<LanguageCode, Clitics>> = {
  ko: { after: new RegExp(`^들?(?:${korean}){0,3}$`, 'u'), minUnits: 1 },
  ne: { after: new RegExp(`^(?:हरू|हरु)?(?:${nepali}){0,2}$`, 'u'), minUnits: 2 },
  ar: {
    before: /^(?:[وف]?(?:[بك]?ال|لل|[بكلس])?)$/u,
    after: /^(?:ه|ها|هم|هما|هن|ك|كم|كما|كن|ي|نا)?$/u,
    minUnits: 3,
  },
};

/** The maximum length of attached text before or after a term, in UTF-16 units. Longer texts are not examined. */
const maxUnits = 12;

/**
 * Returns functions that check a term whose start or end is inside a word: they return whether the rest of the word
 * consists only of clitics.
 */
function cliticChecker(
  text: FoldedText,
  language: LanguageCode,
): { opens(start: number, end: number): boolean; closes(start: number, end: number): boolean } | undefined {
  const clitics = cliticsOf[language];
  if (clitics === undefined) return undefined;
  const { before, after, minUnits } = clitics;
  const units = text.folded;
  const inWord = (index: number): boolean => joinsWord(classAt(units, index));
  return {
    opens: (start, end) => {
      if (before === undefined || end - start < minUnits) return false;
      let from = start;
      while (from > 0 && start - from <= maxUnits && inWord(from - 1)) from--;
      return start - from <= maxUnits && before.test(unitsToString(units.subarray(from, start)));
    },
    closes: (start, end) => {
      if (end - start < minUnits) return false;
      let to = end;
      while (to < units.length && to - end <= maxUnits && inWord(to)) to++;
      return to - end <= maxUnits && after.test(unitsToString(units.subarray(end, to)));
    },
  };
}

/**
 * For each position of a text, whether a term may start there (`opens`), and whether one may end there (`closes`). The
 * values are the constants below.
 */
interface Edges {
  opens: Uint8Array;
  closes: Uint8Array;
}

/** The position is inside a character, or must not be the edge of a term for another reason. */
const closed = 0;
const open = 1;
/** The position is between two letters of a word. */
const inWord = 2;
/** The position is between two letters of a script without spaces, and the segmenter finds no word break there. */
const unbroken = 3;

/** @param breaks the result of `findWordBreaks` */
function edgesOf(text: FoldedText, language: LanguageCode, breaks: Uint8Array | undefined): Edges {
  const { cased, starts, length } = text;
  const opens = new Uint8Array(length + 1);
  let left: number = other;
  for (let position = 0; position < length; position++) {
    const right = classAt(cased, position);
    if (position > 0 && starts[position] === starts[position - 1]) opens[position] = closed;
    else opens[position] = edgeBetween(left, right, breaks?.[position] === 1);
    left = right;
  }
  opens[0] = open;
  opens[length] = open;
  const edges = { opens, closes: opens.slice() };
  if (cased.includes(apostrophe)) setApostropheEdges(text, language, edges);
  if (reduplicating.has(language) && cased.includes(hyphen)) closeRepeats(text, edges);
  return edges;
}

function edgeBetween(left: number, right: number, isBreak: boolean): number {
  if (right === mark || right === denseMark || right === joiner || left === joiner) return closed;
  const leftIsDense = left === dense || left === denseMark;
  if (leftIsDense && right === dense) return isBreak ? open : unbroken;
  if (!joinsWord(left) || !joinsWord(right)) return open;
  // Hangul follows letters and digits of other scripts without a space: API를, 3개월.
  return left !== mark && (left === hangul) !== (right === hangul) ? open : inWord;
}

/** Languages with elision, in which a word follows the apostrophe: "l'usine", "dell'accordo", "copo d'água". */
const eliding: ReadonlySet<string> = new Set(['fr', 'fr-CA', 'it', 'pt-BR', 'pt-PT']);

/**
 * Sets the edges at an apostrophe between two letters. An ending follows the apostrophe ("company's", "Ankara'nın",
 * "foto's"); in languages with elision, a word follows it. In Ukrainian the apostrophe is a letter of the word. In
 * English, "can" does not match in "can't".
 */
function setApostropheEdges(text: FoldedText, language: LanguageCode, { opens, closes }: Edges): void {
  const units = text.folded;
  const isLetter = (index: number): boolean => index < units.length && joinsWord(classAt(units, index));
  for (let index = units.indexOf(apostrophe, 1); index > 0; index = units.indexOf(apostrophe, index + 1)) {
    if (!isLetter(index - 1) || !isLetter(index + 1)) continue;
    if (!eliding.has(language)) opens[index + 1] = closed;
    const isNegation = language === 'en' && units[index + 1] === 0x74 && !isLetter(index + 2);
    if (language === 'uk' || isNegation) closes[index] = closed;
    if (language === 'uk') {
      opens[index] = closed;
      closes[index + 1] = closed;
    }
  }
}

/**
 * Languages that form the plural by repeating the word, which are Indonesian and Malay. "buku-buku" counts as one
 * occurrence of "buku".
 */
const reduplicating: ReadonlySet<string> = new Set(['id', 'ms']);

function closeRepeats(text: FoldedText, { opens }: Edges): void {
  const units = text.folded;
  const isLetter = (index: number): boolean => index >= 0 && joinsWord(classAt(units, index));
  for (let index = units.indexOf(hyphen, 1); index > 0; index = units.indexOf(hyphen, index + 1)) {
    let size = 0;
    while (size < 40 && isLetter(index - size - 1)) size++;
    if (size === 0 || size === 40) continue;
    let same = 0;
    while (same < size && units[index + 1 + same] === units[index - size + same]) same++;
    if (same === size) opens[index + 1] = closed;
  }
}

/**
 * The positions at which terms may start and end in a text. Position n is before the unit with the index n; the last
 * position is the end of the text.
 */
export interface Boundaries {
  /** Whether any term may end at a position. If not, `allows` need not be called. */
  mayEnd(position: number): boolean;
  allows(start: number, end: number): boolean;
}

/**
 * Whether the text is a source or a translation. In a translation, a term may also match at positions that are only
 * possibly word breaks.
 */
type Side = 'source' | 'target';

export function boundariesOf(
  text: FoldedText,
  given: string,
  language: LanguageCode,
  side: Side,
): Boundaries {
  const breaks = findWordBreaks(text, language);
  const edges = edgesOf(text, language, breaks);
  closeVerbatimSpans(text, given, edges);
  const { opens, closes } = edges;
  const clitics = cliticChecker(text, language);
  const fits = (start: number, end: number): boolean =>
    side === 'target' && breaks !== undefined && fitsAcrossBreaks(text, breaks, start, end);
  return {
    mayEnd: (position) => {
      const edge = closes[position];
      return (
        edge === open ||
        (edge === inWord && clitics !== undefined) ||
        (edge === unbroken && side === 'target')
      );
    },
    allows: (start, end) => {
      const [opening, closing] = [opens[start]!, closes[end]!];
      if (opening === closed || closing === closed) return false;
      if (opening === inWord && !clitics?.opens(start, end)) return false;
      if (closing === inWord && !clitics?.closes(start, end)) return false;
      return (opening !== unbroken && closing !== unbroken) || fits(start, end);
    },
  };
}

/**
 * Closes the positions inside addresses and placeholders. A term may contain a whole address or placeholder, but may
 * not start or end inside one.
 */
function closeVerbatimSpans({ starts, length }: FoldedText, given: string, { opens, closes }: Edges): void {
  for (const [start, end] of verbatimSpans(given)) {
    let position = firstAfter(starts, start);
    for (; position < length && starts[position]! < end; position++) {
      opens[position] = closed;
      closes[position] = closed;
    }
  }
}

/** Returns the first position whose offset in the given text is greater than `offset`. */
function firstAfter(starts: Int32Array, offset: number): number {
  let [low, high] = [0, starts.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (starts[middle]! <= offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Returns the spans of a text that a translation does not change: addresses, markup, placeholders. A term inside such a
 * span is not a word of the text. For example, `{total}` and https://example.com/total do not show how "total" is
 * translated. Takes time linear in the length of the text.
 *
 * @returns the start and end of each span, as offsets in the text; spans may overlap
 */
function verbatimSpans(text: string): [start: number, end: number][] {
  const spans: [number, number][] = [];
  for (const [sign, pattern] of patterns)
    if (text.includes(sign))
      for (const { index, 0: span } of text.matchAll(pattern)) spans.push([index, index + span.length]);
  if (text.includes('@')) spans.push(...mailAddresses(text));
  return spans;
}

/**
 * The patterns of such spans, each with a string that every match contains. Searching for this string first is much
 * faster. To bound the time, every repetition in a pattern has a limit or ends at a delimiter.
 */
const patterns: readonly [sign: string, RegExp][] = [
  ['://', /(?<![a-z])[a-z]{2,12}:\/\/[\x21-\x7e]+/gi],
  ['www.', /(?<![a-z])www\.[\x21-\x7e]+/g],
  ['<', /<\/?[a-z][^<>]{0,2000}>/gi],
  // Variables, `{user.name!r:>10}`, and the syntax of ICU messages up to their first form: `{total, plural, one {`.
  [
    '{',
    /[$#]?\{\s{0,8}[\p{L}\d_$@][\p{L}\p{M}\p{N}_$@.:[\]-]{0,80}(?:![ars])?(?::[^{}\s]{0,20})?\s{0,8}\}/gu,
  ],
  [
    '{',
    /\{\s{0,8}[\w.]{1,64}\s{0,8},\s{0,8}(?:plural|select|selectordinal|number|date|time|spellout|ordinal|duration)\b[^{}]{0,100}/g,
  ],
  ['{', /\{\{[^{}\n]{1,200}\}\}|[$#]\{[^{}\n]{1,100}\}/g],
  // Tags of Liquid, Jinja, ERB and Template Toolkit.
  [
    '%',
    /\{%(?:(?!%\}|\{%)[\s\S]){1,300}%\}|<%(?:(?!%>|<%)[\s\S]){1,300}%>|\[%(?:(?!%\]|\[%)[\s\S]){1,300}%\]/g,
  ],
  ['%', /%\(\w{1,64}\)[a-z]|(?<![\d%])%[A-Za-z_][\w.-]{2,40}%(?![A-Za-z])/g],
  ['$', /(?<![\p{L}\p{N}_])\$(?:t\([^()\n]{1,200}\)|[A-Za-z_]\w{0,60}|\([A-Za-z_]\w{0,60}\))/gu],
  // `:name` and `@name` at the start of a word.
  [':', /(?<=^|[\s("'«“„‘>]):[a-z_]\w{2,40}(?![\w:(])/g],
  ['@', /(?<=^|[\s("'«“„‘>])@[a-z_][\w-]{1,40}/g],
];

function mailAddresses(text: string): [number, number][] {
  const spans: [number, number][] = [];
  let from = 0;
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    let start = at;
    while (start > from && ofAddress.test(text[start - 1]!)) start--;
    let end = at + 1;
    while (end < text.length && ofAddress.test(text[end]!)) end++;
    if (start < at && end > at + 1) spans.push([start, end]);
    from = at + 1;
  }
  return spans;
}

const ofAddress = /[\w.+-]/;

const segmenters = new Map<LanguageCode, Intl.Segmenter>();

/**
 * Returns the word breaks that `Intl.Segmenter` finds, as one flag for each position. Returns undefined if the text has
 * no letters of a script that is written without spaces between words.
 */
function findWordBreaks(text: FoldedText, language: LanguageCode): Uint8Array | undefined {
  if (!hasDenseLetters(text.cased)) return undefined;
  let segmenter = segmenters.get(language);
  if (segmenter === undefined) {
    segmenter = new Intl.Segmenter(language, { granularity: 'word' });
    segmenters.set(language, segmenter);
  }
  const breaks = new Uint8Array(text.length + 1);
  for (const { index } of segmenter.segment(unitsToString(text.cased))) breaks[index] = 1;
  breaks[text.length] = 1;
  return breaks;
}

function hasDenseLetters(units: Uint16Array): boolean {
  // Thai is the first script in Unicode that is written without spaces between words.
  for (let index = 0; index < units.length; index++)
    if (units[index]! >= 0x0e00 && classAt(units, index) === dense) return true;
  return false;
}

/**
 * Whether a term may match a translation from `start` to `end` although the segmenter finds no word break at `start` or
 * `end`. Such a term may be a part of a longer word (教育 in 高等教育), or missing in the segmenter's dictionary. It must not
 * consist of parts of two words, like 京都 in 東京都. Long terms almost never do so by chance.
 */
function fitsAcrossBreaks(text: FoldedText, breaks: Uint8Array, start: number, end: number): boolean {
  const term = unitsToString(text.cased.subarray(start, end));
  const size = end - start;
  // A short word in katakana is not searched inside a longer one, because it is a different loanword: コード is not a part
  // of レコード.
  if (katakana.test(term)) return size >= 5;
  const [inside, oneEdge, anywhere] = ideographsOrKana.test(term) ? [2, 3, 4] : [5, 5, 7];
  if (size >= anywhere) return true;
  if (size >= oneEdge && (breaks[start] === 1 || breaks[end] === 1)) return true;
  if (size < inside) return false;
  for (let position = start + 1; position < end; position++) if (breaks[position] === 1) return false;
  return true;
}

const katakana = /^\p{scx=Kana}+$/u;
const ideographsOrKana = /\p{scx=Han}|\p{scx=Hira}|\p{scx=Kana}/u;
