import { isDenseScript } from '#server/languages.ts';
import { FileError } from '../file-error.ts';
import { decodeText } from '../html/character-references.ts';
import type { Selection } from '../selection.ts';

/** The kinds of subtitle files: SubRip and WebVTT. */
export type SubtitleKind = 'srt' | 'vtt';

/** A text that is shown at a time. */
export interface Cue {
  /** Seconds from the beginning of the video. */
  from: number;
  to: number;
  /** The text as written, with its line breaks and tags. */
  text: string;
  /** The offsets of the text in the file, in UTF-16 units. */
  start: number;
  end: number;
  /** The number of the line on which the text begins, from 1. */
  line: number;
}

const timing =
  /^[ \t]*(?:(\d+):)?(\d{1,2}):(\d{1,2})[.,](\d{1,3})[ \t]*-->[ \t]*(?:(\d+):)?(\d{1,2}):(\d{1,2})[.,](\d{1,3})(?:[ \t].*)?$/;

/**
 * Reads the cues of a file. Skips comments, styles and regions of WebVTT. Lines after a blank line that do not begin
 * a cue belong to the previous cue, as players of SubRip show them.
 *
 * @throws {FileError} `unreadable`, with the number of the line
 */
export function readCues(text: string, kind: SubtitleKind): Cue[] {
  const lines = [...text.matchAll(/([^\r\n]*)(?:\r\n|\r|\n|$)/g)].map(
    ({ 0: all, 1: content = '', index }) => ({
      content,
      start: index,
      end: index + content.length,
      next: index + all.length,
    }),
  );
  const cues: Cue[] = [];
  let at = 0;
  if (kind === 'vtt') {
    if (!/^WEBVTT(?:[ \t]|$)/.test(lines[0]!.content))
      throw new FileError('unreadable', 'the file is not valid WebVTT: line 1: WEBVTT is expected');
    at = endOfBlock(lines, 0);
  }
  while (at < lines.length) {
    if (lines[at]!.content.trim() === '') {
      at++;
      continue;
    }
    const end = endOfBlock(lines, at);
    const first = timing.test(lines[at]!.content) ? at : at + 1;
    const found = timing.exec(lines[first]?.content ?? '');
    if (found && first < end) {
      cues.push(cueOf(lines, found, first + 1, end));
      at = end;
      continue;
    }
    if (!(kind === 'vtt' && /^(?:NOTE|STYLE|REGION)(?:\s|$)/.test(lines[at]!.content))) {
      const previous = cues.at(-1);
      if (kind === 'vtt' || !previous)
        throw new FileError(
          'unreadable',
          `the file has no valid subtitles: line ${at + 1}: a time such as 00:00:01,000 --> 00:00:02,500 is expected`,
        );
      cues.push({ ...previous, ...rangeOf(lines, at, end) });
    }
    at = end;
  }
  return cues.filter((cue) => cue.text.trim() !== '');
}

interface Line {
  content: string;
  start: number;
  end: number;
}

function endOfBlock(lines: readonly Line[], from: number): number {
  let at = from;
  while (at < lines.length && lines[at]!.content.trim() !== '') at++;
  return at;
}

function rangeOf(
  lines: readonly Line[],
  from: number,
  to: number,
): Pick<Cue, 'text' | 'start' | 'end' | 'line'> {
  const own = lines.slice(from, to);
  const start = own[0]?.start ?? 0;
  return {
    text: own.map(({ content }) => content).join('\n'),
    start,
    end: own.at(-1)?.end ?? start,
    line: from + 1,
  };
}

function cueOf(lines: readonly Line[], found: RegExpExecArray, from: number, to: number): Cue {
  const seconds = (at: number) =>
    Number(found[at] ?? 0) * 3600 +
    Number(found[at + 1]) * 60 +
    Number(found[at + 2]) +
    Number(found[at + 3]!.padEnd(3, '0')) / 1000;
  return { from: seconds(1), to: seconds(5), ...rangeOf(lines, from, to) };
}

/*
 * The lines of speakers, sounds and music in a cue. They stay lines; other lines are joined.
 */

/** Markup inside of a cue: a tag, or a position of SubRip such as `{\an8}`. */
export const markup = /<\/?[^<>\r\n]+>|\{\\[^{}\r\n]*\}/g;

/** The first characters of a line that stays a line: a dash or `>>` of a speaker, a sound or music. */
const ownLine = /^(?:[-\u2010-\u2015\u2212－(（【[♪♫]|>>|＞＞)/u;

/** A name before the words of a speaker, such as `MAN:` and `アンナ：`. */
const speaker = /^(?:\p{Lu}[\p{Lu}\p{N} .'’-]{1,30}:|[\p{Lo}ー・]{1,10}：)/u;

/** A name in small letters, such as `Anna Berg:`, which can also be a part of a sentence. */
const name = /^\p{Lu}[\p{L}.'’-]*(?: \p{Lu}[\p{L}.'’-]*){0,2}:\s/u;

/** A line with nothing but a sound or music. */
const sound = /^(?:\[.*\]|\(.*\)|（.*）|[♪♫].*[♪♫])$/;

/** Characters that determine the direction of a line, and show nothing. */
const directions = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** The tag of a voice in WebVTT at the start of a line. */
const voice = /^(?:<[^<>]*>)*(<v[.\s][^<>]*>)/;

/** A noncharacter instead of a line end that stays. */
export const keptEnd = '\ufdd3';

/** Returns a cue in which the ends of lines that stay are marked. */
export function markLines(written: string, kind: SubtitleKind): string {
  const lines = written.split('\n');
  const shown = lines.map((line) => {
    const text = line.replaceAll(markup, '');
    return (kind === 'vtt' ? decodeText(text) : text).replaceAll(directions, '').trim();
  });
  const styles = lines.map((line) => styleOf(line.trim()));
  return lines
    .map((line, at) => {
      if (at === 0) return line;
      const [before, own] = [shown[at - 1]!, shown[at]!];
      const isOther =
        ownLine.test(own) ||
        speaker.test(own) ||
        (name.test(own) && !goesOn.test(before)) ||
        sound.test(before) ||
        voice.test(line.trim()) ||
        isOtherStyle(styles[at - 1]!, styles[at]!, endsSentence(before, own));
      return (isOther ? keptEnd : '\n') + line;
    })
    .join('');
}

/** Returns the tag around a whole line, such as `<c.yellow>`; otherwise an empty text. */
function styleOf(line: string): string {
  const [, open = '', tag = ''] = /^(?:\{\\[^{}]*\})*(<([a-z]+)[^<>]*>)/i.exec(line) ?? [];
  const end = `</${tag}>`.toLowerCase();
  const isWhole = open !== '' && line.toLowerCase().indexOf(end) === line.length - end.length;
  return isWhole ? open : '';
}

/**
 * Whether two lines are of different speakers by their tags: by their colors, or if one of them is in italics. A sentence
 * can continue in a line with the same tag, or in a line in italics.
 */
function isOtherStyle(before: string, own: string, isNewSentence: boolean): boolean {
  if (before === '' && own === '') return false;
  const areColors = [before, own].every((one) => one === '' || /^<(?:c|font)\b/i.test(one));
  return (before !== own && areColors) || isNewSentence;
}

/** The end of a line whose sentence can continue in the next one. */
const goesOn = /[\p{L}\p{M}\p{N},、，،]["'”’»)\]]*$/u;

/** Whether a line ends a sentence. In scripts without upper case, only its last sign shows this. */
function endsSentence(line: string, next: string): boolean {
  return !goesOn.test(line) || /^\P{L}*\p{Lu}/u.test(next);
}

/** Whether a cue has another voice or color than the end of the previous one. */
export function isOtherSpeaker(before: string, next: string): boolean {
  const [lastLine, firstLine] = [before.trim().split('\n').at(-1)!, next.trim().split('\n')[0]!];
  const own = voice.exec(firstLine)?.[1] ?? styleOf(firstLine);
  const last = before.match(/<v[.\s][^<>]*>/g)?.at(-1) ?? styleOf(lastLine);
  return last !== own && own !== '' && !/^<[biu]>/i.test(own);
}

/** The maximum numbers of characters: of a line, and of a subtitle for each second. */
export interface SubtitleLimits {
  line: number;
  speed: number;
}

/** Returns the limits of readable subtitles, as broadcasters have them. A character of a dense script counts as about two. */
export function limitsFor(
  language: string,
  { lineLength, readingSpeed }: Pick<Selection, 'lineLength' | 'readingSpeed'>,
): SubtitleLimits {
  const [line, speed] = isDenseScript(language) ? ([20, 11] as const) : ([42, 21] as const);
  return { line: lineLength ?? line, speed: readingSpeed ?? speed };
}

/** Returns the number of characters that are shown: tags do not count, and a character reference of WebVTT counts as one. */
export function visible(text: string): number {
  if (!/[<{&\ud800-\udfff]/.test(text)) return text.length;
  return [...text.replaceAll(/<[^<>]*>|\{\\[^{}]*\}/g, '').replaceAll(/&(?:amp|lt|gt|nbsp|lrm|rlm);/g, '.')]
    .length;
}

/** Breaks a text into lines of about the same length: as few as possible, each of at most `most` characters. */
export function breakLines(text: string, language: string, most: number): string[] {
  const count = Math.ceil(visible(text) / most);
  if (count < 2) return [text];
  const pieces = piecesOf(text, language);
  const length = visible(text);
  // With more lines than these, a piece is longer than a line, or the text has far too many lines anyway.
  for (let lines = count; lines < Math.min(pieces.length, count + maxMore); lines++) {
    const broken = fill(pieces, length / lines, lines);
    if (broken.every((line) => visible(line) <= most)) return broken;
  }
  return fill(pieces, length / count, count);
}

const maxMore = 10;

/** Cuts a text at the possible ends of lines: after spaces, or between words in languages without spaces. Tags are not cut. */
function piecesOf(text: string, language: string): string[] {
  const words = text.match(/(?:<[^<>]*>|\S)+\s*/g) ?? [text];
  if (!isDenseScript(language)) return words;
  const segmenter = new Intl.Segmenter(language, { granularity: 'word' });
  return words.flatMap((word) => {
    if (/[<{]/.test(word)) return [word];
    const parts: string[] = [];
    for (const { segment, isWordLike } of segmenter.segment(word))
      if (isWordLike || parts.length === 0) parts.push(segment);
      else parts[parts.length - 1] += segment;
    return parts;
  });
}

/** Fills lines with pieces. A line ends where its length is nearest to `length`. */
function fill(pieces: readonly string[], length: number, lines: number): string[] {
  const filled: string[] = [''];
  // The length of the last line, with the white space at its end and without it.
  let [own, trimmed] = [0, 0];
  for (const piece of pieces) {
    const [whole, word] = [visible(piece), visible(piece.trimEnd())];
    const isNext = own > 0 && filled.length < lines && own + word - length > length - trimmed;
    if (isNext) filled.push(piece);
    else filled[filled.length - 1] += piece;
    trimmed = (isNext ? 0 : own) + word;
    own = (isNext ? 0 : own) + whole;
  }
  return filled.map((line) => line.trim());
}
