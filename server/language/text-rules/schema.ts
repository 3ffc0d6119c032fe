import { z } from 'zod';

/** Names and patterns of one workspace. */
export const limits = { names: 100, nameLength: 64, patterns: 20, patternLength: 200 } as const;

const name = z
  .string()
  .trim()
  .regex(new RegExp(String.raw`^[\p{L}\p{N}_](?:[\p{L}\p{M}\p{N}_.: -]{0,${limits.nameLength - 1}})$`, 'u'), {
    error: `a name has 1 to ${limits.nameLength} letters, digits, spaces and signs of _ - . : and begins with a letter, a digit or _`,
  });

const names = (what: string) =>
  z
    .array(name)
    .max(limits.names)
    .transform((list) => [...new Set(list)])
    .describe(`${what} whose values are texts, in any spelling: \`nav_label\` is also \`navLabel\`.`);

const patterns = () =>
  z
    .array(
      z
        .string()
        .min(1)
        .max(limits.patternLength)
        .regex(/^\P{Cc}*$/u, { error: 'a pattern has no control characters; write a tab as \\t' }),
    )
    .max(limits.patterns);

const rules = z.strictObject({
  keys: names('Keys of front matter, at any depth,'),
  attributes: names('Attributes of components, elements of HTML, shortcodes and directives'),
  placeholders: patterns()
    .transform((list) => [...new Set(list)])
    .describe(
      'Regular expressions of RE2, case-sensitive. Translations of texts and files keep the parts that they match.',
    ),
});

export type TextRules = z.infer<typeof rules>;

const noRules: TextRules = { keys: [], attributes: [], placeholders: [] };

/** Returns stored rules. An operator can set all metadata, so other values than rules are ignored. */
export function textRulesOf(stored: unknown): TextRules {
  return stored === null || stored === undefined ? noRules : (rules.safeParse(stored).data ?? noRules);
}

const version = z.string().max(64);

export const saveInput = rules.extend({
  version: version
    .optional()
    .describe('The version that the caller read. If the rules have changed since, the response is 409.'),
});

export const textRules = rules.extend({
  version: version.describe('Identifies these values; they are saved only if it has not changed.'),
});

/** Characters of a text on which patterns are tried. */
const maxTried = 2000;

export const tryInput = z.strictObject({ placeholders: patterns(), text: z.string().max(maxTried) });

export const tried = z.object({
  found: z
    .array(z.object({ start: z.int(), end: z.int() }))
    .describe('The parts of the text that would stay, as UTF-16 offsets, in order.'),
});
