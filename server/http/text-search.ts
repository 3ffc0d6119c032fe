import { type SQL, sql } from 'drizzle-orm';
import { z } from 'zod';

/** A text to search for. Its length is limited because it is part of the URL. */
export const searchedText = z
  .string()
  .min(1)
  .max(200)
  .meta({ description: 'The text to search for. Letter case is ignored, and wildcards are not supported.' });

/** A part of a text, as UTF-16 offsets; `end` is exclusive. */
export const textSpan = z.object({
  start: z.int().describe('The offset of the first character, from 0.'),
  end: z.int().describe('The offset after the last character.'),
});

type TextSpan = z.infer<typeof textSpan>;

/** Whether the searched text may occur anywhere in another text, or only at the start of that text. */
type SearchMode = 'contains' | 'prefix';

/**
 * Returns SQL that checks whether a column contains a text. Case is ignored, by the rules of the database's locale.
 * LIKE is not used, because members also search for `%` and `_`, which are its wildcards. The query cannot use an
 * index: under row-level security, only leakproof operators can. So the query must limit the rows that it reads.
 */
export function hasText(column: SQL, text: string, mode: SearchMode): SQL {
  const found = formsOf(text).map((form) => {
    // In a subquery, so that PostgreSQL converts the text once and not for each row.
    const folded = sql`(select lower(${form}::text))`;
    return mode === 'prefix'
      ? sql`starts_with(lower(${column}), ${folded})`
      : sql`strpos(lower(${column}), ${folded}) > 0`;
  });
  return sql`(${sql.join(found, sql` or `)})`;
}

/**
 * Returns the text in both normal forms: stored texts have composed characters (NFC) or, from some systems,
 * decomposed ones (NFD).
 */
function formsOf(text: string): string[] {
  return [...new Set([text.normalize('NFC'), text.normalize('NFD')])];
}

/** Maximum spans that are listed for one text. */
const maxSpans = 100;

/**
 * Returns a function that lists where `text` occurs in a given text; at most `maxSpans` spans.
 * @param options `matchCase`: whether letter case matters; `wholeWords`: whether to ignore occurrences with a letter, a digit or a mark directly before or after them
 */
export function createSpanFinder(
  text: string,
  options: { wholeWords?: boolean; matchCase?: boolean } = {},
): (given: string) => TextSpan[] {
  const expression = createTextPattern(text, options);
  return (given) =>
    [...given.matchAll(expression).take(maxSpans)].map(({ index, 0: found }) => ({
      start: index,
      end: index + found.length,
    }));
}

/** Returns a pattern of all occurrences of a text, in which wildcards have no meaning. */
export function createTextPattern(
  text: string,
  { wholeWords = false, matchCase = false }: { wholeWords?: boolean; matchCase?: boolean },
): RegExp {
  const literal = formsOf(text).map(escapePattern).join('|');
  const inWord = '[\\p{L}\\p{N}\\p{M}_]';
  const pattern = wholeWords ? `(?<!${inWord})(?:${literal})(?!${inWord})` : literal;
  return new RegExp(pattern, matchCase ? 'gu' : 'giu');
}

function escapePattern(text: string): string {
  return text.replace(/[\^$\\.*+?()[\]{}|/]/g, '\\$&');
}
