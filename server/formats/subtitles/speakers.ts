import { decodeText } from '../html/character-references.ts';
import type { SubtitleKind } from './cues.ts';

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
