import type { QualityIssue } from '#server/platform/engines/engine.ts';
import { blanked, compared, type Found } from './found.ts';
import { findLinks, withSchemesOf } from './links.ts';
import { findMarkup, type Markup, misnested } from './markup.ts';
import { lostNumbers, type NumberLoss } from './number-losses.ts';
import { choiceIssues, placeholderIssues } from './placeholder-losses.ts';
import { findPlaceholders } from './placeholders.ts';
import { type ChangedUnit, changedUnits } from './units.ts';

/** Maximum number of issues in a report. Only hostile texts have more. */
export const maxIssues = 100;

interface IntegrityInput {
  sourceText: string;
  targetText: string;
  /** Canonical language code. */
  sourceLang: string;
  targetLang: string;
  /** `Html`: the texts are text nodes or attribute values, so a `<b>` in them is not markup. */
  textType: 'Plain' | 'Html';
}

const noMarkup: Markup = { names: new Set(), tags: [], attributes: [], words: [], wordStarts: 0, ranges: [] };

const missing = (what: string, { span }: Found): QualityIssue => ({
  severity: 'critical',
  category: 'accuracy',
  span,
  explanation: `The ${what} ${span} of the source is missing.`,
  suggestion: `Keep ${span} exactly as it is.`,
});

const notClosed = ({ span }: Found): QualityIssue => ({
  severity: 'critical',
  category: 'accuracy',
  span,
  explanation: `The tag ${span} has no counterpart in its place.`,
  suggestion: 'Open and close the tags in the order of the source.',
});

function markupIssues(source: Markup, target: Markup): QualityIssue[] {
  const tags = compared(source.tags, target.tags);
  const attributes = compared(source.attributes, withSchemesOf(source.attributes, target.attributes));
  const gone = [...tags.lost, ...tags.rarer];
  // If a tag is lost, its attributes are lost too: report the tag only.
  const within = ({ start }: Found): boolean => gone.some((tag) => tag.start <= start && start < tag.end);
  // A word such as `<file>` may be translated or kept, but may not be left out.
  const fewer = source.words.length - target.wordStarts;
  const words = fewer > 0 ? compared(source.words, target.words).lost.slice(0, fewer) : [];
  const broken = gone.length === 0 && !misnested(source.tags) ? misnested(target.tags) : undefined;
  return [
    ...gone.map((piece) => missing('tag', piece)),
    ...(broken ? [notClosed(broken)] : []),
    ...words.map((piece): QualityIssue => ({ ...missing('word', piece), severity: 'major' })),
    ...[...attributes.lost, ...attributes.rarer]
      .filter((piece) => !within(piece))
      .map((piece) => missing('attribute', piece)),
  ];
}

function linkIssues(what: string, source: readonly Found[], target: readonly Found[]): QualityIssue[] {
  const { lost, rarer, added } = compared(source, withSchemesOf(source, target));
  return [
    ...[...lost, ...rarer].map((piece) => missing(what, piece)),
    ...added.map(
      ({ span }): QualityIssue => ({
        severity: 'major',
        category: 'accuracy',
        span,
        explanation: `The ${what} ${span} is not in the source.`,
        suggestion: `Remove ${span}, or replace it with the one in the source.`,
      }),
    ),
  ];
}

const numberLosses: Record<
  NumberLoss['kind'],
  (span: string) => Pick<QualityIssue, 'severity' | 'category' | 'explanation' | 'suggestion'>
> = {
  lost: (span) => ({
    severity: 'critical',
    category: 'accuracy',
    explanation: `The number ${span} of the source is missing.`,
    suggestion: `Keep the number ${span}; only its format may follow the target language.`,
  }),
  rarer: (span) => ({
    severity: 'major',
    category: 'accuracy',
    explanation: `The number ${span} occurs less often than in the source.`,
    suggestion: `Keep each ${span} of the source; only its format may follow the target language.`,
  }),
  converted: (span) => ({
    severity: 'major',
    category: 'locale',
    explanation: `The number ${span} of the source is given in another unit.`,
    suggestion: `Keep ${span} and its unit, unless the conversion is intended.`,
  }),
};

const otherUnit = (measure: ChangedUnit): QualityIssue => ({
  severity: 'critical',
  category: 'accuracy',
  span: measure.source,
  explanation: `The measure ${measure.source} of the source has another unit: ${measure.target}.`,
  suggestion: `Keep the unit of ${measure.source}.`,
});

/**
 * Returns the markup that an HTML text has lost: tags, and attributes except those with translatable values. At most
 * `maxIssues` issues.
 */
export function checkMarkup(sourceHtml: string, targetHtml: string): QualityIssue[] {
  const source = findMarkup(sourceHtml);
  return markupIssues(source, findMarkup(targetHtml, source)).slice(0, maxIssues);
}

/**
 * Finds the placeholders, markup, links, email addresses and numbers that a translation has lost, the units that it
 * changes, and the placeholders and links that it invents. Has no side effects, takes time linear in both texts, and never throws.
 * @returns at most `maxIssues` issues, by kind in the order above. `span` is copied from the text: the lost part of the
 *   source, or the invented part of the target
 */
export function checkIntegrity(input: IntegrityInput): QualityIssue[] {
  const { codes, numbers } = integrityIssues(input);
  return [...codes, ...numbers].slice(0, maxIssues);
}

/** Finds the issues of `checkIntegrity`, those of numbers apart from the others. */
export function integrityIssues(input: IntegrityInput): { codes: QualityIssue[]; numbers: QualityIssue[] } {
  const { sourceText, targetText, sourceLang, targetLang } = input;
  const isPlain = input.textType === 'Plain';
  const sourceMarkup = isPlain ? findMarkup(sourceText) : noMarkup;
  const targetMarkup = isPlain ? findMarkup(targetText, sourceMarkup) : noMarkup;
  const markups = [sourceMarkup, targetMarkup] as const;
  const references = /&#?\w{1,31};/g;
  const withoutMarkup = [sourceText, targetText].map((text, i) => {
    const entities = [...text.matchAll(references)].map(({ index, 0: { length } }) => ({
      start: index,
      end: index + length,
    }));
    return blanked(text, [...markups[i]!.ranges, ...entities]);
  });
  const links = withoutMarkup.map(findLinks);
  const withoutLinks = withoutMarkup.map((text, i) =>
    blanked(text, [...links[i]!.urls, ...links[i]!.addresses]),
  );
  const source = findPlaceholders(withoutLinks[0]!, sourceLang);
  const target = findPlaceholders(withoutLinks[1]!, targetLang, source);
  const prose = [blanked(withoutLinks[0]!, source.ranges), blanked(withoutLinks[1]!, target.ranges)] as const;
  return {
    codes: [
      ...placeholderIssues(source, target, prose[1]),
      ...choiceIssues(source, target, prose[1]),
      ...markupIssues(...markups),
      ...linkIssues('link', links[0]!.urls, links[1]!.urls),
      ...linkIssues('email address', links[0]!.addresses, links[1]!.addresses),
    ],
    numbers: [
      ...lostNumbers(prose[0], prose[1], targetLang).map(({ number: { span }, kind }) => ({
        span,
        ...numberLosses[kind](span),
      })),
      ...changedUnits(prose, sourceLang, targetLang).map(otherUnit),
    ],
  };
}
