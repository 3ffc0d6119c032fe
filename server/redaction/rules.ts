import { RE2JS } from 're2js';
import { z } from 'zod';

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

/** The patterns that were checked last. The largest takes 15 ms, and the rules are read for each text. */
const checked = new Map<string, boolean>();

function isPattern(pattern: string): boolean {
  const known = checked.get(pattern);
  if (known !== undefined) return known;
  let isValid = false;
  try {
    // A pattern that matches nothing in particular would redact every word.
    isValid = !RE2JS.compile(pattern).matcher('').find();
  } catch {
    // An invalid pattern.
  }
  if (checked.size >= 1000) checked.clear();
  checked.set(pattern, isValid);
  return isValid;
}

/** Returns a new schema each time, because arrays of one schema count together (`array-limits.ts`). */
const rulesSchema = () =>
  z.strictObject({
    kinds: z
      .array(z.enum(recognizedKinds))
      .max(recognizedKinds.length)
      .describe('The kinds of personal data to replace.'),
    patterns: z
      .array(
        z
          .string()
          .min(1)
          .max(200)
          .refine(
            isPattern,
            'invalid regular expression; the syntax is that of RE2, and it must not match an empty text',
          ),
      )
      .max(20)
      .default([])
      .describe(
        'Regular expressions of other values to replace, such as customer numbers: 20 or fewer, each with 200 characters or fewer. The syntax is that of RE2; case counts.',
      ),
    terms: z
      .array(z.string().trim().min(2).max(100))
      .max(100)
      .default([])
      .describe(
        'Words to replace, in any case, such as names of projects: 100 or fewer, each with 100 characters or fewer.',
      ),
  });

/** The personal data that a workspace keeps from models. */
export const redactionRules = rulesSchema();

/** The rules that a caller read before a change. */
export const earlierRules = rulesSchema();

export type RedactionRules = z.infer<typeof redactionRules>;

/**
 * Returns the rules in the metadata of a workspace; null without redaction. Rules that cannot be read count as all kinds:
 * a fault must not send more than the workspace allows.
 */
export function rulesOf(stored: unknown): RedactionRules | null {
  if (stored === null || stored === undefined) return null;
  const { data } = redactionRules.safeParse(stored);
  return data ?? { kinds: [...recognizedKinds], patterns: [], terms: [] };
}
