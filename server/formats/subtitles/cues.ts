import { FileError } from '../file-error.ts';

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
