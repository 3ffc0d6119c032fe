import { parseStrings, writeString } from './apple/strings-parser.ts';
import { placesOfStrings, type StringEntry } from './messages/strings.ts';
import { type TextOptions, type TextPlaces, textFormat } from './text-file.ts';
import { countCharacters } from './text-tally.ts';

/**
 * Strings files of Apple's platforms: `"key" = "value";`. A comment is the context of the pair on its line, or else of the next pair.
 *
 * @throws {FileError} `not_text` or `unreadable`
 */
export const { check, extract, rebuild, texts } = textFormat(findStrings);

function findStrings(text: string, { sourceLanguage, targetLanguage, kept }: TextOptions): TextPlaces {
  const pairs = parseStrings(text);
  const entries = pairs.map(
    ({ key, value, line, comment, start, end }): StringEntry => ({
      key,
      text: value,
      line,
      comment,
      // A key alone is its own value.
      write: (translation) => ({
        start,
        end,
        text: `${start === end ? ' = ' : ''}${writeString(translation, text[start])}`,
      }),
    }),
  );
  return {
    ...placesOfStrings(entries, { sourceLanguage, targetLanguage, kept }),
    characters: pairs.reduce((sum, { value }) => sum + countCharacters(value), 0),
  };
}
