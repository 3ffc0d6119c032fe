import type { QualityIssue, TaskStyle } from '#server/platform/engines/engine.ts';
import { blanked, type Range } from '../integrity/found.ts';
import { findLinks } from '../integrity/links.ts';
import { findMarkup } from '../integrity/markup.ts';
import { findPlaceholders } from '../integrity/placeholders.ts';
import { type FoundWord, forbiddenWords } from './forbidden-words.ts';
import { wrongAddress } from './formality.ts';
import { wrongQuotations } from './quotation-marks.ts';
import { wrongSpaces } from './spacing.ts';

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
 * Finds what in a translation breaks the style guide, except for the rules as text. Has no side effects, and takes time
 * linear in the text. Forbidden words are major issues, the others minor ones.
 * @returns at most 10 issues of each rule, each with the words of the translation
 */
export function checkStyle(text: string, style: TaskStyle, language: string): QualityIssue[] {
  const prose = proseOf(text, language);
  const { quotationMarks, spacing, formality } = style;
  const spanOf = ({ start, end }: Range) => text.slice(start, end);
  const minor = (ranges: Range[], words: Pick<QualityIssue, 'explanation' | 'suggestion'>): QualityIssue[] =>
    firstOfEach(ranges, spanOf).map((range) => ({
      severity: 'minor',
      category: 'style',
      span: spanOf(range),
      ...words,
    }));
  return [
    ...forbiddenIn(text, prose, style, language),
    ...(quotationMarks
      ? minor(wrongQuotations(prose, quotationMarks), {
          explanation: `The style guide requires the quotation marks ${quotationMarks}.`,
          suggestion: `Use ${quotationMarks.replace(/^./u, '$&…')}.`,
        })
      : []),
    ...(spacing ? minor(wrongSpaces(prose, spacing), spaces[spacing]) : []),
    ...(formality
      ? minor(wrongAddress(prose, formality, language), {
          explanation: `The style guide requires the ${formality} form of address.`,
          suggestion: `Address the reader in the ${formality} form.`,
        })
      : []),
  ];
}

/** Whether a stored translation contains a forbidden word, and may not be served without a model. */
export function hasForbiddenWord(text: string, style: TaskStyle, language: string): boolean {
  return (
    style.forbiddenWords.length > 0 &&
    !forbiddenWords(proseOf(text, language), style.forbiddenWords, language).next().done
  );
}

function forbiddenIn(text: string, prose: string, style: TaskStyle, language: string): QualityIssue[] {
  const spanOf = ({ start, end }: Range) => text.slice(start, end);
  const found = forbiddenWords(prose, style.forbiddenWords, language);
  return firstOfEach<FoundWord>(found, spanOf).map((word) => ({
    severity: 'major',
    category: 'style',
    span: spanOf(word),
    explanation: `The style guide forbids “${spanOf(word)}”.`,
    suggestion: word.useInstead === null ? null : `Use “${word.useInstead}”.`,
  }));
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
