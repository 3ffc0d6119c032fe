import type { LanguageCode } from '#server/languages.ts';
import { foldText, unitsToString } from '#server/matching/terms/index.ts';
import type { QualityIssue, TaskStyle } from '#server/platform/engines/engine.ts';
import { blanked, type Range } from '../integrity/found.ts';
import { findLinks } from '../integrity/links.ts';
import { findMarkup } from '../integrity/markup.ts';
import { findPlaceholders } from '../integrity/placeholders.ts';
import { replacementOf } from '../replacement.ts';
import { type FoundWord, forbiddenWords } from './forbidden-words.ts';
import { requoted, wrongQuotations } from './quotation-marks.ts';

/** Maximum number of issues of one rule. A text that breaks a rule mostly does so everywhere. */
const maxOfRule = 10;

/** Code between backticks, character references, drives and paths of Windows, emoji codes, and options such as `--force`. */
const code =
  /`[^`\n]{1,500}`|&#?\w{1,31};|\b[A-Z]:(?=[\s.,)]|$)|\b[A-Za-z]:[\\/][^\s"“”„«»<>|]{0,500}|\\\\[^\s"“”„«»<>|]{1,500}|(?<!\w):\w{2,40}:(?!\w)|(?<![\w-])--[A-Za-z][\w-]{1,60}/g;

const spaces = {
  narrow_no_break: {
    explanation: 'The style guide requires a narrow no-break space before ; : ! ? and inside « ».',
    suggestion: 'Put a narrow no-break space (U+202F) there.',
  },
  none: {
    explanation: 'The style guide requires no space before ; : ! ? and inside « ».',
    suggestion: 'Remove the space.',
  },
};

/**
 * Finds what in a translation breaks the style guide, except for the rules as text and the formality. Has no side effects, and takes time
 * linear in the text. Forbidden words are major issues, the others minor ones.
 * @returns at most 10 issues of each rule, each with the words of the translation
 */
export function checkStyle(text: string, style: TaskStyle, language: string): QualityIssue[] {
  const prose = proseOf(text, language);
  const { quotationMarks, spacing } = style;
  const spanOf = ({ start, end }: Range) => text.slice(start, end);
  const minor = (
    ranges: Range[],
    words: Pick<QualityIssue, 'explanation' | 'suggestion'>,
    corrected?: (span: string) => string | undefined,
  ): QualityIssue[] =>
    firstOfEach(ranges, spanOf).map((range) => {
      const replacement = corrected?.(spanOf(range));
      return {
        ...{ severity: 'minor', category: 'style', span: spanOf(range), ...words },
        ...(replacement !== undefined && { replacement }),
      };
    });
  return [
    ...forbiddenIn(text, prose, style, language),
    ...(quotationMarks
      ? minor(
          wrongQuotations(prose, quotationMarks),
          {
            explanation: `The style guide requires the quotation marks ${quotationMarks}.`,
            suggestion: `Use ${quotationMarks.replace(/^./u, '$&…')}.`,
          },
          (span) => requoted(span, quotationMarks, spacing),
        )
      : []),
    ...(spacing
      ? minor(wrongSpaces(prose, spacing), spaces[spacing], (span) => respaced(span, spacing))
      : []),
  ];
}

/** Whether a stored translation contains a forbidden word, and may not be served without a model. */
export function hasForbiddenWord(text: string, style: TaskStyle, language: string): boolean {
  return (
    style.forbiddenWords.length > 0 && !findForbidden(proseOf(text, language), style, language).next().done
  );
}

/** Finds forbidden words. As for terms, accents, hyphens, apostrophes and invisible characters may be encoded in any way. */
function* findForbidden(
  prose: string,
  { forbiddenWords: words }: TaskStyle,
  language: string,
): Generator<FoundWord> {
  if (words.length === 0) return;
  // Folding removes the filler.
  const { cased, starts, ends } = foldText(prose.replaceAll('\0', '\ufffc'), language as LanguageCode);
  for (const { start, end, word } of forbiddenWords(unitsToString(cased), folded(words, language), language))
    yield { start: starts[start]!, end: ends[end - 1]!, word };
}

/** The folded words of a guide by language, because a page is checked in thousands of blocks. */
const foldedWords = new WeakMap<TaskStyle['forbiddenWords'], Map<string, TaskStyle['forbiddenWords']>>();

function folded(words: TaskStyle['forbiddenWords'], language: string): TaskStyle['forbiddenWords'] {
  const byLanguage = foldedWords.get(words) ?? new Map<string, TaskStyle['forbiddenWords']>();
  foldedWords.set(words, byLanguage);
  const fold = (text: string) => unitsToString(foldText(text, language as LanguageCode).cased);
  const own =
    byLanguage.get(language) ??
    words.map(({ term, use_instead }) => ({
      term: fold(term),
      use_instead: use_instead === null ? null : fold(use_instead),
    }));
  byLanguage.set(language, own);
  return own;
}

function forbiddenIn(text: string, prose: string, style: TaskStyle, language: string): QualityIssue[] {
  const spanOf = ({ start, end }: Range) => text.slice(start, end);
  return firstOfEach(findForbidden(prose, style, language), spanOf).map((found) => {
    const { term, use_instead } = style.forbiddenWords[found.word]!;
    const span = spanOf(found);
    const replacement =
      use_instead === null ? undefined : replacementOf(span, { term, use: use_instead, language });
    return {
      severity: 'major',
      category: 'style',
      span,
      explanation: `The style guide forbids “${span}”.`,
      suggestion: use_instead === null ? null : `Use “${use_instead}”.`,
      ...(replacement !== undefined && { replacement }),
    };
  });
}

/** Returns the first ranges with different words. */
function firstOfEach<R extends Range>(ranges: Iterable<R>, spanOf: (range: R) => string): R[] {
  const first = new Map<string, R>();
  for (const range of ranges) {
    if (!first.has(spanOf(range))) first.set(spanOf(range), range);
    if (first.size === maxOfRule) break;
  }
  return [...first.values()];
}

/**
 * Returns a text in which everything that is not prose has a filler: markup, links, email addresses, placeholders and
 * code. Its length is that of the text. The filler is neither a letter, a digit nor a space.
 */
function proseOf(text: string, language: string): string {
  const codes: Range[] = [...text.matchAll(code)].map(({ index, 0: { length } }) => ({
    start: index,
    end: index + length,
  }));
  const withoutMarkup = blanked(text, [...findMarkup(text).ranges, ...codes]);
  const { urls, addresses } = findLinks(withoutMarkup);
  const withoutLinks = blanked(withoutMarkup, [...urls, ...addresses]);
  return blanked(withoutLinks, findPlaceholders(withoutLinks, language).ranges);
}

/** The end of a word, of a number, or of something in brackets or quotation marks. */
const ending = String.raw`[\p{L}\p{M}\p{N}%€$£)\]»”“"’…]`;

/**
 * A mark at the end of a clause. The characters after it exclude times (10:30), emoticons, operators, and
 * names such as `a::b`; those before it exclude marks that begin a line or follow another mark.
 */
const mark = String.raw`(?:[!?]+(?=$|[\s»”“"’)\]])|[;:](?=$|[\s»”“"]))`;

const marks = {
  /** No space at all, or one at which a line may break. Between digits it is a ratio, and not checked. */
  narrow_no_break: [
    new RegExp(`(?<=${ending}) ?${mark}`, 'gu'),
    /«[ \p{L}\p{N}]/gu,
    /[\p{L}\p{M}\p{N}%.,;:!?…)\]’] ?»/gu,
  ],
  none: [new RegExp(`(?<=${ending})[ \u00A0\u202F]${mark}`, 'gu'), /«[ \u00A0\u202F]|[ \u00A0\u202F]»/gu],
} as const satisfies Record<NonNullable<TaskStyle['spacing']>, readonly RegExp[]>;

/** Maximum UTF-16 units that are shown on each side of a mark. */
const maxShown = 40;

/**
 * Finds marks with another space than the required one, with the words next to them. A no-break space (U+00A0) is
 * accepted in the place of a narrow one.
 * @param prose the result of `proseOf`
 */
function wrongSpaces(prose: string, spacing: NonNullable<TaskStyle['spacing']>): Range[] {
  return marks[spacing]
    .flatMap((pattern) => [...prose.matchAll(pattern)])
    .map(({ index, 0: found }) => ({ start: index, end: index + found.length }))
    .filter((range) => !isRatio(prose, range))
    .map(({ start, end }) => ({
      start: start - (/\S*$/.exec(prose.slice(Math.max(0, start - maxShown), start))?.[0].length ?? 0),
      end: end + (/^\S*/.exec(prose.slice(end, end + maxShown))?.[0].length ?? 0),
    }))
    .sort((a, b) => a.start - b.start);
}

/** Returns the shown words with the required space at each mark. */
function respaced(span: string, spacing: NonNullable<TaskStyle['spacing']>): string {
  const space = spacing === 'none' ? '' : '\u202f';
  return marks[spacing].reduce(
    (text, pattern) =>
      text.replace(pattern, (found) => {
        if (found.startsWith('«')) return `«${space}${found.slice(1).trimStart()}`;
        return found.endsWith('»')
          ? `${found.slice(0, -1).trimEnd()}${space}»`
          : `${space}${found.trimStart()}`;
      }),
    span,
  );
}

/** Whether the range is ` :` in `3 : 1`. */
function isRatio(prose: string, { start, end }: Range): boolean {
  const isDigit = (at: number) => /\d/.test(prose[at] ?? '');
  return prose[end - 1] === ':' && isDigit(start - 1) && prose[end] === ' ' && isDigit(end + 1);
}
