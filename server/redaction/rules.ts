import { z } from 'zod';
import { AppError, type FieldProblem } from '#server/errors.ts';
import { problemOfSize } from '#server/matching/patterns/index.ts';
import type { SlotScope } from '#server/platform/concurrency-limit.ts';
import { onPatternThread } from '#server/platform/patterns/pattern-threads.ts';

/** The kinds of personal data that the service recognizes, with the word of their placeholders. */
export const placeholderWords = {
  names: 'Person',
  addresses: 'Address',
  emails: 'Email',
  phones: 'Phone',
  accounts: 'Account',
  national_numbers: 'ID',
  birth_dates: 'Birthdate',
  patterns: 'Value',
  terms: 'Term',
} as const;

export type RedactedKind = keyof typeof placeholderWords;

/** The kinds that a workspace can select. Its own patterns and terms always apply. */
export const recognizedKinds = [
  'names',
  'addresses',
  'emails',
  'phones',
  'accounts',
  'national_numbers',
  'birth_dates',
] as const satisfies readonly RedactedKind[];

/** The rules as they are stored. Rules from before patterns had a limit stay readable (`redaction-thread.ts`). */
const storedRules = () =>
  z.strictObject({
    kinds: z
      .array(z.enum(recognizedKinds))
      .max(recognizedKinds.length)
      .describe('The kinds of personal data to replace.'),
    patterns: z
      .array(z.string().min(1).max(200))
      .max(20)
      .default([])
      .describe(
        'Regular expressions of other values to replace, such as customer numbers: 20 or fewer, each with 200 characters or fewer. The syntax is that of RE2; case counts. Repetitions count as often as they repeat, a Unicode class counts as 10 characters, and after `(?i)` a range as one for every 100 of its characters: a pattern may have 4000 or fewer, and all together 20,000.',
      ),
    terms: z
      .array(z.string().trim().min(2).max(100))
      .max(100)
      .default([])
      .describe(
        'Words to replace, in any case, such as names of projects: 100 or fewer, each with 100 characters or fewer.',
      ),
  });

export type RedactionRules = z.infer<ReturnType<typeof storedRules>>;

/** The personal data that a workspace keeps from models. */
export const redactionRules = storedRules().refine(({ patterns }) => problemOfSize(patterns) === undefined, {
  error: ({ input }) => problemOfSize((input as RedactionRules).patterns),
  path: ['patterns'],
});

/** The rules that a caller read before a change. Another schema, because arrays of one schema count together (`array-limits.ts`). */
export const earlierRules = storedRules();

const readable = storedRules();

/**
 * Returns the rules in the metadata of a workspace; null without redaction. Rules that cannot be read count as all kinds:
 * a fault must not send more than the workspace allows.
 */
export function rulesOf(stored: unknown): RedactionRules | null {
  if (stored === null || stored === undefined) return null;
  const { data } = readable.safeParse(stored);
  return data ?? { kinds: [...recognizedKinds], patterns: [], terms: [] };
}

/**
 * Requires that the patterns of rules are valid. A thread compiles them, so the caller must be authenticated.
 * @throws AppError 422
 */
export async function requireValidPatterns({ patterns }: RedactionRules, scope: SlotScope): Promise<void> {
  if (patterns.length === 0) return;
  const results = await onPatternThread('check', { patterns }, scope, () =>
    patterns.map(() => ({ problem: 'too slow' })),
  );
  const problems = results.flatMap((result, at): FieldProblem[] =>
    // A pattern that matches nothing in particular would redact every word.
    'problem' in result || result.matchesNothing
      ? [
          {
            loc: ['body', 'redaction', 'patterns', at],
            msg: 'invalid regular expression; the syntax is that of RE2, and it must not match an empty text',
            type: 'custom',
          },
        ]
      : [],
  );
  if (problems.length > 0) throw new AppError('invalid_fields', problems);
}
