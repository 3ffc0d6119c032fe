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

const lostSelect = (argument: string, selectors: readonly Found[]): QualityIssue =>
  critical(
    selectors[0]?.span ?? argument,
    `The select of {${argument}} is missing with its choices.`,
    `Keep {${argument}, select, …} with the choices of the source and translate only between their braces.`,
  );

/** The keys of arguments that only choose a plural form, and whose number the text never shows. */
export function pluralsWithoutNumber({ certain, choices }: Placeholders): Set<string> {
  const uses = new Map<string, number>();
  for (const { key } of certain) uses.set(key, (uses.get(key) ?? 0) + 1);
  const unshown = new Set<string>();
  const all = Map.groupBy(choices, ({ argument }) => `{${argument}}`);
  for (const [key, own] of all) {
    const onlyChooses = own.every(({ type, hash }) => type === 'plural' && !hash);
    if (onlyChooses && uses.get(key) === own.length) unshown.add(key);
  }
  return unshown;
}

function byArgument(choices: readonly Choice[]): Map<string, Choice> {
  const known = new Map<string, Choice>();
  for (const choice of choices) {
    const key = `${choice.type} ${choice.argument}`;
    const before = known.get(key);
    if (before === undefined) known.set(key, { ...choice, selectors: [...choice.selectors] });
    else {
      before.selectors.push(...choice.selectors);
      before.hash ||= choice.hash;
    }
  }
  return known;
}

/**
 * What of the choices of ICU messages is lost: a key of a select, the `other` of any, the number that a plural shows.
 * Plural categories differ between languages, so they are free.
 */
export function choiceIssues(source: Placeholders, target: Placeholders): QualityIssue[] {
  const issues: QualityIssue[] = [];
  if (source.choices.length > 0 && source.bracesMatch && !target.bracesMatch) {
    const { span } = source.certain.find(({ span: head }) => head.includes(','))!;
    issues.push(
      critical(
        span,
        `The braces of the choice ${span}…} do not match.`,
        'Close every brace of the choice as the source does.',
      ),
    );
  }
  const present = byArgument(target.choices);
  const shown = new Set(target.certain.map(({ key }) => key));
  const plain = new Set(target.certain.filter(({ span }) => !span.includes(',')).map(({ key }) => key));
  for (const [key, { argument, type, selectors, hash }] of byArgument(source.choices)) {
    const own = present.get(key);
    if (own === undefined) {
      if (type === 'select' && shown.has(`{${argument}}`)) issues.push(lostSelect(argument, selectors));
      continue;
    }
    const { lost } = compared(selectors, own.selectors);
    for (const { key: name, span } of lost) {
      if (type === 'plural' && name !== 'other') continue;
      issues.push(
        critical(
          span,
          `The choice ${span} of {${argument}} is missing; its name is a part of the program.`,
          `Keep ${span} {…} and translate only between its braces.`,
        ),
      );
    }
    if (type === 'plural' && hash && !own.hash && !plain.has(`{${argument}}`)) {
      issues.push(
        critical('#', `The number of {${argument}} is no longer shown.`, 'Keep # where the number stands.'),
      );
    }
  }
  return issues;
}
