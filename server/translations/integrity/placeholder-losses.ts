import type { QualityIssue } from '#server/engines/engine.ts';
import { pluralsWithoutNumber } from './choice-losses.ts';
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

const withoutPlural = ({ span }: Found): QualityIssue => ({
  severity: 'minor',
  category: 'accuracy',
  span,
  explanation: `The translation no longer depends on ${span}}.`,
  suggestion: 'Keep the plural unless one form serves every number.',
});

function conversionIssues(source: Placeholders, target: Placeholders): QualityIssue[] {
  const [from, to] = aligned(source.conversions, target.conversions);
  const difference = compared(from, to);
  // One `%s` fewer is an argument fewer; an argument called by its number may be shown as often as it likes.
  const gone = [...difference.lost, ...difference.rarer.filter(({ key }) => !key.includes('$'))];
  const back = compared(to, from);
  const surplus = [...back.lost, ...back.rarer.filter(({ key }) => !key.includes('$'))];
  const issues = [...gone.map(missing), ...surplus.filter(({ key }) => !source.loose.has(key)).map(invented)];
  if (issues.length === 0 && reordered(source.conversions, target.conversions)) {
    const spans = source.conversions.map(({ span }) => span).join(' ');
    const inOrder = target.conversions.every(({ position }) => position === undefined);
    if (inOrder) {
      issues.push(
        critical(
          source.conversions[0]!.span,
          `The placeholders ${spans} stand in another order, and each takes the next value.`,
          `Keep the order ${spans}, or number them: %1$${source.conversions[0]!.type} and so on.`,
        ),
      );
    }
  }
  return issues;
}

/** "100%%" in a format that prints a number: a single sign would start a placeholder. */
function percentIssues(source: Placeholders, target: Placeholders, bareSigns: boolean): QualityIssue[] {
  if (source.percents.length === 0 || source.conversions.length === 0) return [];
  return target.percents.length === 0 && bareSigns ? [missing(source.percents[0]!)] : [];
}

/**
 * The placeholders lost, invented or out of order.
 * @param rest what of the target is no placeholder
 */
export function placeholderIssues(source: Placeholders, target: Placeholders, rest: string): QualityIssue[] {
  const certain = compared(source.certain, target.certain);
  const likely = compared(source.likely, target.likely);
  // "{standard input}" is prose that becomes one word, and looks like a placeholder, elsewhere.
  const translatesBraces = certain.lost.length === 0 && target.openBraces <= source.openBraces;
  const unshown = pluralsWithoutNumber(source);
  // Japanese needs no plural, and so no argument. Where braces are left, the argument is broken rather than unneeded.
  const unneeded = ({ key }: Found): boolean => unshown.has(key) && !rest.includes('{');
  return [
    ...[...certain.lost, ...likely.lost].map((piece) =>
      unneeded(piece) ? withoutPlural(piece) : missing(piece),
    ),
    ...conversionIssues(source, target),
    ...percentIssues(source, target, rest.includes('%')),
    ...(translatesBraces ? [] : certain.added.map(invented)),
    ...[...certain.rarer, ...likely.rarer].filter(({ span }) => !span.includes(',')).map(rarer),
  ];
}
