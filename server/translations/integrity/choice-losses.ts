import type { QualityIssue } from '#server/engines/engine.ts';
import { compared, type Found } from './found.ts';
import type { Choice } from './icu.ts';
import type { Placeholders } from './placeholders.ts';

const critical = (span: string, explanation: string, suggestion: string): QualityIssue => ({
  severity: 'critical',
  category: 'accuracy',
  span,
  explanation,
  suggestion,
});

const lostChoice = ({ head }: Choice): QualityIssue =>
  critical(head, `The choice ${head}, …} of the source is missing.`, `Keep ${head}, …} as it is.`);

/** What a choice has lost that is in the target still. */
function lostWithin(choice: Choice, own: Choice, isShown: boolean): QualityIssue[] {
  const issues = compared(choice.selectors, own.selectors)
    .lost.filter(({ key }) => choice.type === 'select' || key === 'other')
    .map(({ span }: Found) =>
      critical(
        span,
        `The key ${span} of the choice ${choice.head}, …} is missing; it is a part of the program.`,
        `Keep ${span} {…} and translate only between its braces.`,
      ),
    );
  if (choice.hash && !own.hash && !isShown) {
    issues.push(
      critical('#', `The number of ${choice.key} is not shown.`, 'Keep # where the number stands.'),
    );
  }
  return issues;
}

/** The choices of each argument as one: a translator joins two plurals as often as not. */
function byArgument(choices: readonly Choice[]): Map<string, Choice> {
  const known = new Map<string, Choice>();
  for (const choice of choices) {
    const name = `${choice.type} ${choice.key}`;
    const before = known.get(name);
    if (before === undefined) known.set(name, { ...choice, selectors: [...choice.selectors] });
    else {
      before.selectors.push(...choice.selectors);
      before.hash ||= choice.hash;
    }
  }
  return known;
}

/**
 * What of the choices of ICU messages is lost: the choice, a key of a select, the `other` of any, the number that a
 * plural shows. Plural categories differ between languages, so they are free.
 * @param rest what of the target is no placeholder
 */
export function choiceIssues(source: Placeholders, target: Placeholders, rest: string): QualityIssue[] {
  const wanted = byArgument(source.choices);
  const present = byArgument(target.choices);
  const shown = new Set(target.certain.map(({ key }) => key));
  const issues: QualityIssue[] = [];
  if (source.choices.length > 0 && source.bracesMatch && !target.bracesMatch) {
    const { head } = source.choices[0]!;
    issues.push(
      critical(head, `The braces around ${head}, …} do not match.`, 'Close every brace as the source does.'),
    );
  }
  for (const [name, choice] of wanted) {
    const own = present.get(name);
    const isShown = shown.has(choice.key);
    if (own !== undefined) issues.push(...lostWithin(choice, own, isShown));
    // Japanese and Turkish need no plural here, and so no argument, unless its number is to be shown.
    else if (choice.type === 'select' || (choice.hash && !isShown) || rest.includes('{')) {
      issues.push(lostChoice(choice));
    }
  }
  const known = new Set([
    ...[...source.certain, ...source.choices].map(({ key }) => key),
    ...source.arguments,
  ]);
  for (const { key, head } of present.values()) {
    if (known.has(key)) continue;
    issues.push(
      critical(
        head,
        `The choice ${head}, …} is not in the source.`,
        `Put the source's argument in its place.`,
      ),
    );
  }
  return issues;
}
