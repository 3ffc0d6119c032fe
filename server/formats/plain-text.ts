import { plainText } from './inline-content.ts';
import { reasonToKeep } from './messages/strings.ts';
import {
  lineCounter,
  placeOfLine,
  type TextOptions,
  type TextPlace,
  type TextPlaces,
  textFormat,
} from './text-file.ts';
import { countCharacters } from './text-tally.ts';

/**
 * Plain text: each line is a text, and its indentation stays. A translation has one line, so the number of lines stays,
 * too.
 *
 * @throws {FileError} `not_text`
 */
export const { check, extract, rebuild } = textFormat(findLines);

const lineEnds = /[\n\r\v\f\u0085\u2028\u2029]+/g;

function findLines(file: string, _options: TextOptions): TextPlaces {
  const lineOf = lineCounter(file);
  const places: TextPlace[] = [];
  const kept: { reason: string; text: string }[] = [];
  let characters = 0;
  let from = 0;
  const take = (to: number) => {
    const line = file.slice(from, to);
    const text = line.trim();
    characters += countCharacters(text);
    if (text === '') return;
    const isCode = /^\{\{|^\{%|^<%/.test(text) && reasonToKeep(text) === 'code';
    const reason = /\p{L}/u.test(text)
      ? (/^(?:https?:\/\/|mailto:)\S+$/i.test(text) && 'address') || (isCode && 'code')
      : 'number';
    if (reason) {
      kept.push({ reason, text });
      return;
    }
    const start = from + line.indexOf(text);
    places.push({
      segments: [{ kind: 'text_block', place: placeOfLine(lineOf(start)), source: [text] }],
      write: ([one]) => [
        {
          start,
          end: start + text.length,
          text: one ? plainText(one.target).replace(lineEnds, ' ') : text,
        },
      ],
    });
  };
  for (const { index, 0: end } of file.matchAll(lineEnds)) {
    take(index);
    from = index + end.length;
  }
  take(file.length);
  return { places, kept, characters };
}
