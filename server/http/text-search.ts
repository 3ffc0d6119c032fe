import { type SQL, sql } from 'drizzle-orm';
import { z } from 'zod';

/** A text to search for. Queries are part of the URL, so it is short. */
export const searchedText = z
  .string()
  .min(1)
  .max(200)
  .meta({ description: 'letter case does not matter; no wildcards' });

/** A part of a text, as UTF-16 offsets. */
export const textSpan = z.object({
  start: z.int().describe('The offset of its first character, from 0.'),
  end: z.int().describe('The offset after its last character.'),
});

export type TextSpan = z.infer<typeof textSpan>;

/** Whether the text may occur anywhere in another, or only at its start. */
export type SearchMode = 'contains' | 'prefix';

/**
 * SQL for whether a column has a text. Ignores case as the database's locale does. Does not use LIKE, because people
 * also search for its patterns `%` and `_`. No index helps: under row-level security only leakproof operators use
 * one. So the query must limit the rows that it reads.
 */
export function hasText(column: SQL, text: string, mode: SearchMode): SQL {
  const found = formsOf(text).map((form) => {
    // In a subquery, so that the text is converted once and not for each row.
    const folded = sql`(select lower(${form}::text))`;
    return mode === 'prefix'
      ? sql`starts_with(lower(${column}), ${folded})`
      : sql`strpos(lower(${column}), ${folded}) > 0`;
  });
  return sql`(${sql.join(found, sql` or `)})`;
}

/** Texts are stored as they were supplied: with composed characters, or, from some systems, decomposed ones. */
function formsOf(text: string): string[] {
  return [...new Set([text.normalize('NFC'), text.normalize('NFD')])];
}

/** The most spans that are listed of one text. */
const maxSpans = 100;

/**
 * Returns a function that finds the spans at which a text occurs in another, ignoring case: the first 100.
 * @param wholeWords ignores occurrences with a letter, a digit or a mark directly before or after them
 */
export function createSpanFinder(
  text: string,
  { wholeWords = false }: { wholeWords?: boolean } = {},
): (given: string) => TextSpan[] {
  const literal = formsOf(text).map(escapePattern).join('|');
  const inWord = '[\\p{L}\\p{N}\\p{M}_]';
  const pattern = wholeWords ? `(?<!${inWord})(?:${literal})(?!${inWord})` : literal;
  const expression = new RegExp(pattern, 'giu');
  return (given) =>
    [...given.matchAll(expression).take(maxSpans)].map(({ index, 0: found }) => ({
      start: index,
      end: index + found.length,
    }));
}

function escapePattern(text: string): string {
  return text.replace(/[\^$\\.*+?()[\]{}|/]/g, '\\$&');
}
