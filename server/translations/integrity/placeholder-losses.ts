import type { QualityIssue } from '#server/engines/engine.ts';
import { lostFields } from './date-formats.ts';
import { compared, type Found } from './found.ts';
import type { Placeholders } from './placeholders.ts';
import { aligned, reordered } from './printf.ts';

const critical = (span: string, explanation: string, suggestion: string): QualityIssue => ({
  severity: 'critical',
  category: 'accuracy',
  span,
  explanation,
  suggestion,
});

const missing = ({ span }: Found): QualityIssue =>
  critical(span, `The placeholder ${span} of the source is missing.`, `Keep ${span} exactly as it is.`);

const invented = ({ span }: Found): QualityIssue =>
  critical(
    span,
    `The placeholder ${span} is not in the source: the program has nothing to put there.`,
    `Remove ${span}, or put the source's placeholder in its place.`,
  );

const rarer = ({ span }: Found): QualityIssue => ({
  severity: 'minor',
  category: 'accuracy',
  span,
  explanation: `The placeholder ${span} stands less often than in the source.`,
  suggestion: `Keep every ${span} of the source.`,
});

function conversionIssues(source: Placeholders, target: Placeholders): QualityIssue[] {
  const [from, to] = aligned(source.conversions, target.conversions);
  const difference = compared(from, to);
  // One `%s` fewer is an argument fewer; an argument called by its number may be shown as often as it likes.
  const gone = [...difference.lost, ...difference.rarer.filter(({ key }) => !key.includes('$'))];
  const back = compared(to, from);
  const surplus = [...back.lost, ...back.rarer.filter(({ key }) => !key.includes('$'))];
  const issues = [...gone.map(missing), ...surplus.filter(({ key }) => !source.loose.has(key)).map(invented)];
  if (issues.length === 0 && reordered(from, to)) {
    const spans = source.conversions.map(({ span }) => span).join(' ');
    issues.push(
      critical(
        source.conversions[0]!.span,
        `The placeholders ${spans} stand in another order, and each takes the next value.`,
        `Keep the order ${spans}, or number them: %1$${source.conversions[0]!.type} and so on.`,
      ),
    );
  }
  return issues;
}

/** "100%%" in a format that prints a number: a single sign would start a placeholder. */
function percentIssues(source: Placeholders, target: Placeholders, bareSigns: boolean): QualityIssue[] {
  if (source.percents.length === 0 || source.conversions.length === 0) return [];
  return target.percents.length === 0 && bareSigns ? [missing(source.percents[0]!)] : [];
}

/**
 * The placeholders lost, invented or out of order, those of ICU choices aside.
 * @param rest what of the target is no placeholder
 */
export function placeholderIssues(source: Placeholders, target: Placeholders, rest: string): QualityIssue[] {
  const certain = compared(source.certain, target.certain);
  const likely = compared(source.likely, target.likely);
  // `#` shows the number of a plural as `{count}` does.
  const shown = new Set(target.choices.filter(({ hash }) => hash).map(({ key }) => key));
  const lost = certain.lost.filter(({ key }) => !shown.has(key));
  const choosing = new Set(source.choices.map(({ key }) => key));
  const chosen = new Set([...choosing].filter((key) => key.startsWith('{')));
  const kept = new Set(target.choices.map(({ key }) => key));
  // "{standard input}" is prose that becomes one word, and looks like a placeholder, elsewhere. So do the texts of a
  // choice whose head is broken.
  const looksAlike =
    (lost.length === 0 && certain.rarer.length === 0 && target.openBraces <= source.openBraces) ||
    [...chosen].some((key) => !kept.has(key));
  const added = looksAlike ? [] : certain.added.filter(({ key }) => !chosen.has(key));
  return [
    ...[...lost, ...likely.lost, ...lostFields(source.dateFields, rest)].map(missing),
    ...conversionIssues(source, target),
    ...percentIssues(source, target, rest.includes('%')),
    ...added.map(invented),
    // A choice has as many forms as the language, and each may show its number.
    ...[...certain.rarer, ...likely.rarer]
      .filter(({ key }) => !shown.has(key) && !choosing.has(key))
      .map(rarer),
  ];
}
