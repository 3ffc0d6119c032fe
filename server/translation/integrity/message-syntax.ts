import type { Found, Range } from './found.ts';

const header =
  /\{\s{0,20}([\p{L}_][\p{L}\p{M}\p{N}_.-]{0,80}|\d{1,4})\s{0,20},\s{0,20}(plural|selectordinal|select|number|date|time|spellout|ordinal|duration|choice)\s{0,20}([,}])/uy;

const maxSelectorLength = 80;

/** An argument of an ICU message that selects one of several texts. */
export interface Choice {
  /** The argument, in the form of a placeholder's key: `{count}`. */
  key: string;
  /** The beginning of the argument as written: `{count, plural`. */
  head: string;
  type: 'plural' | 'select';
  /** The words before the braces of each text: `one`, `=0`, `female`. */
  selectors: Found[];
  /** Whether a text of a plural shows the number with `#`. */
  hash: boolean;
}

interface IcuMessage {
  /** Arguments with a format, such as `{total, number, percent}`, as placeholders such as `{total}`. */
  formatted: Found[];
  choices: Choice[];
  /** Whether each brace has its counterpart. */
  bracesMatch: boolean;
  /** The position of the closing brace for each opening brace that is closed. */
  pairs: ReadonlyMap<number, number>;
  /** The syntax: heads, selectors and their braces, without the texts between them, which are translated. */
  syntax: Range[];
}

/** Returns the position of the closing brace for each opening brace that is closed. */
function matchedBraces(text: string): Map<number, number> {
  const pairs = new Map<number, number>();
  const open: number[] = [];
  for (let i = 0; i < text.length; i += 1) {
    if (text[i] === '{') open.push(i);
    else if (text[i] === '}' && open.length > 0) pairs.set(open.pop()!, i);
  }
  return pairs;
}

/**
 * Returns the selectors between `from` and the closing brace of a choice. Skips the texts of the choice, so that each
 * character is read once, however deep choices are nested.
 */
function selectors(text: string, from: number, end: number, pairs: Map<number, number>): Found[] {
  const found: Found[] = [];
  let i = from;
  while (i < end) {
    const start = i;
    while (i < end && text[i] !== '{') i += 1;
    const close = pairs.get(i);
    if (i >= end || close === undefined) break;
    let to = i;
    while (to > start && text[to - 1]!.trim() === '') to -= 1;
    let at = to;
    // In a plural, `offset:1` may precede the first selector.
    while (at > start && to - at < maxSelectorLength && text[at - 1]!.trim() !== '') at -= 1;
    const span = text.slice(at, to);
    found.push({ key: span, span, start: at, end: i + 1 });
    i = close + 1;
  }
  return found;
}

/** Whether one of the ascending `positions` lies between `start` and `end`. */
function hasBetween(positions: readonly number[], start: number, end: number): boolean {
  let low = 0;
  let high = positions.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (positions[middle]! < start) low = middle + 1;
    else high = middle;
  }
  return low < positions.length && positions[low]! < end;
}

/** Returns the typed arguments of an ICU message; none for other texts. */
export function findIcu(text: string): IcuMessage {
  const pairs = matchedBraces(text);
  const bracesMatch = (text.match(/[{}]/g)?.length ?? 0) === 2 * pairs.size;
  const message: IcuMessage = { formatted: [], choices: [], bracesMatch, pairs, syntax: [] };
  const hashes = [...text.matchAll(/#/g)].map(({ index }) => index);
  for (const [start, end] of [...pairs].sort(([a], [b]) => a - b)) {
    header.lastIndex = start;
    const match = header.exec(text);
    if (match === null) continue;
    const key = `{${match[1]}}`;
    const type = match[2]!;
    const afterHead = header.lastIndex;
    const choosing = type === 'plural' || type === 'selectordinal' || type === 'select';
    if (match[3] === '}' || !choosing) {
      message.formatted.push({ key, span: text.slice(start, end + 1), start, end: end + 1 });
      message.syntax.push({ start, end: end + 1 });
      continue;
    }
    const found = selectors(text, afterHead, end, pairs);
    message.choices.push({
      key,
      head: text.slice(start, afterHead - 1).trimEnd(),
      type: type === 'select' ? 'select' : 'plural',
      selectors: found,
      hash: hasBetween(hashes, start, end),
    });
    message.syntax.push({ start, end: afterHead }, { start: end, end: end + 1 });
    for (const { start: from, end: to } of found) {
      message.syntax.push({ start: from, end: to });
      message.syntax.push({ start: pairs.get(to - 1)!, end: pairs.get(to - 1)! + 1 });
    }
  }
  return message;
}

/** `{{PLURAL:$1|page|pages}}`: MediaWiki's syntax for selecting a word form. */
interface WikiForms {
  /** The argument that selects the form: `$1`, or the grammatical case for GRAMMAR. */
  argument: string;
  /** The beginning as written: `{{PLURAL:$1`. */
  head: Found;
  isGrammar: boolean;
}

/** Matches what may precede a form's text: a key such as "2=", or the number itself as in "1 page". */
const key = /\d{1,4}=|1(?=\s)/y;
const head = /\{\{(PLURAL|GENDER|GRAMMAR):([^{}|\n\0]{0,60})\|/iy;

/**
 * Returns the word-form choices in a text, and their syntax: heads, bars and closing braces, without the texts between
 * them, which are translated. Nested choices are skipped, so that each character is read once.
 * @param pairs the position of the closing brace for each opening brace
 */
export function findWikiForms(
  text: string,
  pairs: ReadonlyMap<number, number>,
): { forms: WikiForms[]; syntax: Range[] } {
  const forms: WikiForms[] = [];
  const syntax: Range[] = [];
  for (const [start, end] of pairs) {
    if (text[start + 1] !== '{' || pairs.get(start + 1) !== end - 1) continue;
    head.lastIndex = start;
    const match = head.exec(text);
    if (match === null) continue;
    const span = match[0].slice(0, -1);
    forms.push({
      argument: match[2]!.trim(),
      head: { key: span, span, start, end: start + span.length },
      isGrammar: match[1]!.toUpperCase() === 'GRAMMAR',
    });
    syntax.push({ start, end: head.lastIndex }, { start: end - 1, end: end + 1 });
    for (let i = head.lastIndex - 1; i < end - 1; i += 1) {
      if (text[i] === '|') {
        key.lastIndex = i + 1;
        const isForm = match[1]!.toUpperCase() === 'PLURAL' && key.test(text);
        syntax.push({ start: i, end: isForm ? key.lastIndex : i + 1 });
      }
      i = pairs.get(i) ?? i;
    }
  }
  return { forms, syntax };
}
