import { decodeText } from '#server/formats/html/character-references.ts';

/**
 * A text as a reader reads it, for the search for personal data: NFC, one kind of space and one of them between words, hyphen and apostrophe, ASCII
 * digits, and without inline tags and invisible characters. Escapes of JSON, URLs and HTML are decoded. Between two subtitles, there
 * is a line break.
 */
export interface ReadableText {
  text: string;
  /** For each UTF-16 unit of `text`, its start and end in the original. */
  starts: readonly number[] | null;
  ends: readonly number[] | null;
}

/** A place in the original text: UTF-16 offsets. */
export interface Range {
  start: number;
  end: number;
}

/** Returns the place in the original of a part of the readable text, without tags at its ends. */
export function originalRange({ starts, ends }: ReadableText, { start, end }: Range): Range {
  return { start: starts?.[start] ?? start, end: ends?.[end - 1] ?? end };
}

/** Everything that reads differently from how it is written. Each alternative is bounded, so a search is linear. */
const special = new RegExp(
  [
    String.raw`\n[ \t]*\r?\n(?:\d{1,6}\r?\n)?(?:\d\d:)?\d\d:\d\d[.,]\d{3} --> [^\n]{0,100}\n`,
    String.raw`\u00ad(?=\r?\n)|\r(?=\n)|[\u2028\u2029\u0085\v\f]`,
    String.raw`<\/?\d{1,9}\/?>`,
    String.raw`<\/?[A-Za-z][A-Za-z0-9]{0,15} ?\/?>`,
    String.raw`\\u[0-9a-fA-F]{4}`,
    String.raw`\\[nrt"\/]`,
    '(?:%[0-9a-fA-F]{2}){1,12}',
    '&(?:amp;){0,2}(?:#\\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});',
    String.raw`[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]`,
    String.raw`(?<=[\p{L}.,:;]) {2,8}(?=\p{L})`,
    String.raw`[\t\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]`,
    String.raw`[\u2010-\u2015\u2212\u2018\u2019\u02bc\u2032\u0130]`,
    String.raw`[\uff01-\uff5e]`,
    String.raw`[\u0660-\u0669\u06f0-\u06f9\u0966-\u096f\u0e50-\u0e59]`,
    String.raw`[\u1100-\u1112][\u1161-\u1175][\u11a8-\u11c2]?`,
    String.raw`[^\p{M}]\p{M}{1,8}`,
  ].join('|'),
  'gu',
);

/** Returns how a reference to a character reads. Of one that was escaped again, the rest is a reference: `&amp;oacute;`. */
function readingOfReference(piece: string): string {
  if (/^&amp;./.test(piece)) return `&${piece.slice(5)}`;
  const decoded = decodeText(piece);
  // Of an unknown name, some beginnings are decoded: `&notice;`.
  return decoded.endsWith(';') ? piece : decoded;
}

/** Longer tags within lines. Further ones have fewer letters or a digit. */
const tags =
  /name>$|^<\/?(?:abbr|acronym|audio|button|cite|code|data|emph|font|image|label|link|mark|math|meta|nobr|object|picture|ruby|samp|script|small|source|span|strike|strong|style|svg|time|title|track|video)>$/i;

function readingOfTag(tag: string): string {
  if (/^<\d+\/>$|^<br/i.test(tag)) return ' ';
  if (/^<at>$/i.test(tag)) return '@';
  if (/^<dot>$/i.test(tag)) return '.';
  // An element of XML with a name is read as a label.
  if (/^<[A-Za-z]*name>$/i.test(tag)) return `\n${tag.slice(1, -1)}: `;
  // “<quarnby>” is a member of a chat.
  return /^<\/?[A-Za-z]{4,}>$/.test(tag) && !tags.test(tag) ? tag : '';
}

/**
 * Returns how a special piece reads.
 * @param isLast whether a line ends behind it
 */
function reading(piece: string, isLast: boolean): string {
  const [first] = piece;
  if (first === '<') return readingOfTag(piece);
  if (first === '\n') return first;
  if (piece === '\r') return '';
  // Before the end of a line: at other places, it is invisible.
  if (piece === '\u00ad' && isLast) return '-';
  if (/[\u2028\u2029\u0085\v\f]/.test(piece)) return '\n';
  if (first === '\\') {
    if (piece[1] === 'u') return String.fromCharCode(Number.parseInt(piece.slice(2), 16));
    return piece[1] === '"' || piece[1] === '/' ? piece[1] : ' ';
  }
  if (first === '%' && piece.length > 2) {
    try {
      return decodeURIComponent(piece);
    } catch {
      return piece;
    }
  }
  if (first === '&') return readingOfReference(piece);
  if (first === ' ') return first;
  if (piece.length > 1) return piece.normalize('NFC');
  const code = piece.charCodeAt(0);
  if (code >= 0xff01 && code <= 0xff5e) return String.fromCharCode(code - 0xfee0);
  if (code === 0x130) return 'I';
  for (const zero of [0x660, 0x6f0, 0x966, 0xe50])
    if (code >= zero && code < zero + 10) return String(code - zero);
  if (/[\u2010-\u2015\u2212]/.test(piece)) return '-';
  if (/[\u2018\u2019\u02bc\u2032]/.test(piece)) return "'";
  return /\s/.test(piece) ? ' ' : '';
}

/** Reads a text. Takes linear time. */
export function readText(original: string): ReadableText {
  let text = '';
  let from = 0;
  let starts: number[] | null = null;
  const ends: number[] = [];
  const copy = (until: number) => {
    for (let at = from; starts && at < until; at++) {
      starts.push(at);
      ends.push(at + 1);
    }
    text += original.slice(from, until);
  };
  for (const match of original.matchAll(special)) {
    const [piece] = match;
    const decoded = reading(piece, /[\r\n]/.test(original[match.index + piece.length] ?? ''));
    if (decoded === piece) continue;
    // An escape can stand for another special piece, which is shorter.
    const read = /^[\\%&]/.test(piece) ? readText(decoded).text : decoded;
    starts ??= [];
    copy(match.index);
    from = match.index + piece.length;
    for (let unit = 0; unit < read.length; unit++) {
      starts.push(match.index);
      ends.push(from);
    }
    text += read;
  }
  copy(original.length);
  return { text, starts, ends: starts && ends };
}

export const inlineTag = /<(\/?)([A-Za-z0-9]{1,16}) ?(\/?)>/g;

/** Returns the tags of a value whose other half is outside of it. */
export function unbalancedTags(written: string): string[] {
  if (!written.includes('<')) return [];
  const open: { name: string; written: string }[] = [];
  const alone: string[] = [];
  for (const [whole, closing, name, single] of written.matchAll(inlineTag)) {
    if (single) continue;
    if (!closing) open.push({ name: name!, written: whole });
    else if (open.at(-1)?.name === name) open.pop();
    else alone.push(whole);
  }
  return [...alone, ...open.map((one) => one.written)];
}

/** Leaves out the first of each of some tags. */
export function withoutTags(written: string, tags: readonly string[]): string {
  return tags.reduce((text, one) => text.replace(one, ''), written);
}

/** Extends a range by the other halves of its tags if they stand directly at its ends. */
export function withTags(original: string, { start, end }: Range): Range {
  let range = { start, end };
  for (const one of unbalancedTags(original.slice(start, end))) {
    const other = one.startsWith('</') ? one.replace('/', '') : one.replace('<', '</');
    if (one.startsWith('</') && original.endsWith(other, range.start))
      range = { ...range, start: range.start - other.length };
    else if (!one.startsWith('</') && original.startsWith(other, range.end))
      range = { ...range, end: range.end + other.length };
  }
  return range;
}

/** Marks of emphasis that stand around a part of a text. */
const emphasis = /\*{1,3}|~~|`{1,3}/g;

/** Extends a range by the other half of a mark of emphasis if it stands directly at its end: `Dor**skub**`. */
export function withMarks(original: string, { start, end }: Range): Range {
  const counts = new Map<string, number>();
  for (const [mark] of original.slice(start, end).matchAll(emphasis))
    counts.set(mark, (counts.get(mark) ?? 0) + 1);
  for (const [mark, count] of counts) {
    if (count % 2 === 0) continue;
    if (original.startsWith(mark, end)) return { start, end: end + mark.length };
    if (start >= mark.length && original.startsWith(mark, start - mark.length))
      return { start: start - mark.length, end };
  }
  return { start, end };
}
