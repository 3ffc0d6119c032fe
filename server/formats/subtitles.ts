import type { Finding } from './document.ts';
import { decodeText } from './html/character-references.ts';
import {
  type FormatKind,
  type InlineContent,
  isSameContent,
  joinStrings,
  plainText,
} from './inline-content.ts';
import type { Edit } from './office/splice.ts';
import {
  breakLines,
  type Cue,
  isOtherSpeaker,
  keptEnd,
  limitsFor,
  markLines,
  markup,
  readCues,
  type SubtitleKind,
  type SubtitleLimits,
  visible,
} from './subtitles/cues.ts';
import {
  lineEndOf,
  placeOfLine,
  type TextOptions,
  type TextPlace,
  type TextPlaces,
  textFormat,
} from './text-file.ts';
import { countCharacters } from './text-tally.ts';

/*
 * Subtitles: SubRip and WebVTT. Times, numbers and settings stay. A sentence that runs over several cues is one segment,
 * with a tag at the end of each cue, so that it is translated as a whole and set back into its cues.
 */

export const srt = textFormat((text, options) => findCues(text, 'srt', options));
export const vtt = textFormat((text, options) => findCues(text, 'vtt', options));

/** Limits of one segment. The cues of a sentence follow each other without a pause. */
const limits = { cues: 6, units: 400, pause: 1.5 };

function findCues(
  text: string,
  kind: SubtitleKind,
  { sourceLanguage, targetLanguage = 'en', ...options }: TextOptions,
): TextPlaces {
  const cues = readCues(text, kind).map((cue) => ({ cue, content: contentOf(cue.text, kind) }));
  const lineEnd = lineEndOf(text);
  const most = limitsFor(targetLanguage, options);
  const writing: Writing = { kind, lineEnd, targetLanguage, most };
  const places: TextPlace[] = [];
  const kept: { reason: string; text: string }[] = [];
  let characters = 0;
  let group: ParsedCue[] = [];
  const finish = (): void => {
    if (group.length > 0) places.push(placeOf(group, writing));
    group = [];
  };
  for (const one of cues) {
    const plain = plainText(one.content);
    characters += countCharacters(plain);
    const before = group.at(-1);
    if (!/\p{L}/u.test(plain)) {
      finish();
      kept.push({ reason: 'number', text: plain });
      continue;
    }
    if (before && !continues(before, one, group, sourceLanguage)) finish();
    group.push(one);
  }
  finish();
  const language = kind === 'vtt' ? languageOf(text) : undefined;
  return { places, kept, characters, always: language ? [{ ...language, text: targetLanguage }] : [] };
}

/** Returns the position of the language in the header of a WebVTT file, as YouTube writes it. */
function languageOf(text: string): { start: number; end: number } | undefined {
  const [header = ''] = /^(?:[^\r\n]+(?:\r\n|\r|\n|$))*/.exec(text) ?? [];
  const found = /^(Language:[ \t]*)([\w-]+)/im.exec(header);
  if (!found) return undefined;
  const start = found.index + found[1]!.length;
  return { start, end: start + found[2]!.length };
}

interface ParsedCue {
  cue: Cue;
  content: InlineContent;
}

/** Languages whose letters have no upper case: whether a cue begins a sentence cannot be seen. */
const uncased = /^(?:zh|ja|ko|ar|fa|ur|hi|mr|ne|th)/;

/** Whether a cue continues the sentence of the previous cue. */
function continues(before: ParsedCue, one: ParsedCue, group: readonly ParsedCue[], language = 'en'): boolean {
  const [first, next] = [plainText(before.content).trim(), plainText(one.content).trim()];
  if (group.length >= limits.cues || one.cue.from - before.cue.to > limits.pause || uncased.test(language))
    return false;
  if (isOtherSpeaker(before.cue.text, one.cue.text)) return false;
  if (group.reduce((sum, { cue }) => sum + cue.text.length, next.length) > limits.units) return false;
  return /[\p{L}\p{N},]$/u.test(first) && /^[\p{Ll}\p{N}]/u.test(next);
}

const formats: Readonly<Record<string, FormatKind>> = { b: 'bold', i: 'italic', u: 'underline' };

/** Returns the content of a cue. Lines are joined, except those of several speakers and of sounds. */
function contentOf(cue: string, kind: SubtitleKind): InlineContent {
  const written = markLines(cue.replaceAll(keptEnd, ''), kind);
  const codes = [...written.matchAll(markup)].map(({ 0: code, index }) => ({ code, index }));
  const pairs = pairsOf(codes.map(({ code }) => code));
  const content: InlineContent = [];
  let tag = 0;
  const numbers = new Map<number, number>();
  const addText = (text: string): void => {
    const parts = text.split(/[ \t]*\ufdd3[ \t]*/);
    for (const [at, part] of parts.entries()) {
      if (at > 0) content.push({ tag: ++tag, type: 'void', text: '\n' });
      const shown = kind === 'vtt' ? decodeText(part) : part;
      content.push(shown.replaceAll(/[ \t]*\n[ \t]*/g, ' '));
    }
  };
  let end = 0;
  for (const [at, { code, index }] of codes.entries()) {
    addText(written.slice(end, index));
    end = index + code.length;
    const pair = pairs.get(at);
    if (pair === undefined) content.push({ tag: ++tag, type: 'void' });
    else {
      const isOpen = pair > at;
      const number = isOpen ? ++tag : numbers.get(pair)!;
      numbers.set(at, number);
      const format = formats[nameOf(codes[isOpen ? at : pair]!.code)] ?? 'other';
      content.push({ tag: number, type: isOpen ? 'open' : 'close', format });
    }
  }
  addText(written.slice(end));
  return joinStrings(content);
}

const nameOf = (code: string): string => /^<\/?([a-z]+)/i.exec(code)?.[1]?.toLowerCase() ?? '';

/** Returns for each tag of a pair the index of the other one. Tags without a counterpart are in no pair. */
function pairsOf(codes: readonly string[]): Map<number, number> {
  const pairs = new Map<number, number>();
  const open: { name: string; at: number }[] = [];
  for (const [at, code] of codes.entries()) {
    const name = nameOf(code);
    if (name === '' || name === 'v') continue;
    if (!code.startsWith('</')) open.push({ name, at });
    else if (open.at(-1)?.name === name) {
      const start = open.pop()!.at;
      pairs.set(start, at).set(at, start);
    }
  }
  return pairs;
}

interface Writing {
  kind: SubtitleKind;
  lineEnd: string;
  targetLanguage: string;
  most: SubtitleLimits;
}

/** The cues of a segment: their tags are numbered from 1 on, and a void tag stands at the end of each cue except the last one. */
function placeOf(group: readonly ParsedCue[], writing: Writing): TextPlace {
  const source: InlineContent = [];
  /** The number of the tag after each cue except the last one, and the tags of each cue with their markup. */
  const breaks: number[] = [];
  const codes = new Map<number, { open: string; close: string }>();
  let tag = 0;
  for (const { cue, content } of group) {
    if (source.length > 0) {
      source.push(' ', { tag: ++tag, type: 'void' });
      breaks.push(tag);
    }
    const first = tag;
    const own = cue.text.match(markup) ?? [];
    let at = 0;
    for (const item of content) {
      if (typeof item === 'string') source.push(item);
      else {
        const number = item.tag + first;
        tag = Math.max(tag, number);
        source.push({ ...item, tag: number });
        if (item.text === undefined) {
          const code = own[at++]!;
          const known = codes.get(number) ?? { open: code, close: code };
          codes.set(number, item.type === 'close' ? { ...known, close: code } : { ...known, open: code });
        }
      }
    }
  }
  const content = joinStrings(source);
  // `>>` of a speaker stays if the file does not escape it.
  const isRaw = group.some(({ cue }) => cue.text.replaceAll(markup, '').includes('>'));
  const encode = (text: string) => (writing.kind === 'vtt' ? escapeText(text, isRaw) : text);
  const split = (target: InlineContent) => splitAt(target, breaks);
  const texts = (target: InlineContent) =>
    split(target).map((part) => writeCue(part, codes, encode, writing));
  return {
    segments: [
      {
        kind: 'text_block',
        place: placeOfLine(group[0]!.cue.line),
        maxLength: group.reduce((sum, one) => sum + maxLengthOf(one, writing.most), 0),
        source: content,
      },
    ],
    write([one]) {
      const own = split(content);
      return split(one!.target).flatMap((part, at): Edit[] => {
        const { start, end } = group[at]!.cue;
        if (isSameContent(part, own[at]!)) return [];
        return [{ start, end, text: writeCue(part, codes, encode, writing).join(writing.lineEnd) }];
      });
    },
    check: ([one]) => problemsOf(texts(one!.target), group, writing.most),
  };
}

/** Splits a translation into the texts of its cues. A cue without a text shows nothing. */
function splitAt(target: InlineContent, breaks: readonly number[]): InlineContent[] {
  const parts: InlineContent[] = [[]];
  for (const item of target) {
    if (typeof item !== 'string' && item.type === 'void' && breaks.includes(item.tag)) parts.push([]);
    else parts.at(-1)!.push(item);
  }
  return parts.map((part) => trim(joinStrings(part)));
}

function trim(content: InlineContent): InlineContent {
  return joinStrings(
    content.map((item, at) => {
      if (typeof item !== 'string') return item;
      const text = at === 0 ? item.trimStart() : item;
      return at === content.length - 1 ? text.trimEnd() : text;
    }),
  );
}

function writeCue(
  content: InlineContent,
  codes: ReadonlyMap<number, { open: string; close: string }>,
  encode: (text: string) => string,
  { targetLanguage, most }: Pick<Writing, 'most' | 'targetLanguage'>,
): string[] {
  const written = content
    .map((item) => {
      if (typeof item === 'string') return encode(item);
      const code = codes.get(item.tag);
      return item.text ?? (item.type === 'close' ? code?.close : code?.open) ?? '';
    })
    .join('');
  const lines = written
    .split(/\r\n?|\n/)
    .flatMap((line) => breakLines(line.trim(), targetLanguage, most.line));
  // A line with an arrow, or a blank one, would end the cue.
  return lines
    .map((line) => line.replaceAll('-->', '→'))
    .filter((line, _, all) => line !== '' || all.length === 1);
}

const secondsOf = ({ from, to }: Cue): number => Math.max(to - from, 0.1);

/** Returns the maximum number of characters of a cue. A source that is longer itself may keep its length. */
function maxLengthOf({ cue, content }: ParsedCue, { line, speed }: SubtitleLimits): number {
  const lines = Math.max(2, cue.text.split('\n').length);
  const readable = Math.floor(secondsOf(cue) * speed);
  return Math.min(lines * line, Math.max(readable, plainText(content).length));
}

/** Returns a finding if a line is too long, or a text too fast to read. */
function problemsOf(
  cues: readonly (readonly string[])[],
  group: readonly ParsedCue[],
  most: SubtitleLimits,
): Omit<Finding, 'unitId'>[] {
  const found: Omit<Finding, 'unitId'>[] = [];
  for (const [at, lines] of cues.entries()) {
    const { cue, content } = group[at] ?? group.at(-1)!;
    const length = visible(lines.join(''));
    const seconds = secondsOf(cue);
    const longest = Math.max(...lines.map(visible));
    const add = (message: string) =>
      found.push({ severity: 'warning', code: 'text_too_long', message: `line ${cue.line}: ${message}` });
    if (lines.length > 2 && lines.length > cue.text.split('\n').length)
      add(`the subtitle has ${lines.length} lines, but two can be read at a time`);
    else if (longest > most.line) add(`a line has ${longest} characters, but ${most.line} fit`);
    if (length / seconds > most.speed && length > plainText(content).length)
      add(
        `${Math.round(length / seconds)} characters a second are too fast to read; at most ${most.speed} can be read`,
      );
  }
  return found;
}

const references: readonly [character: string, reference: string][] = [
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['\u00a0', '&nbsp;'],
  ['\u200e', '&lrm;'],
  ['\u200f', '&rlm;'],
];

/** @param isRaw whether `>` stays as it is */
function escapeText(text: string, isRaw: boolean): string {
  return text.replaceAll(/[&<>\u00a0\u200e\u200f]/g, (found) =>
    isRaw && found === '>' ? found : references.find(([one]) => one === found)![1],
  );
}
