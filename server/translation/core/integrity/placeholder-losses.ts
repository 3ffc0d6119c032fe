import type { QualityIssue } from '#server/platform/engines/engine.ts';
import { lostFields } from './date-formats.ts';
import { compared, type Found } from './found.ts';
import type { Choice } from './message-syntax.ts';
import type { Conversion, Placeholders } from './placeholders.ts';

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

const numbered = (conversions: readonly Conversion[]): Conversion[] => {
  let next = 0;
  return conversions.map((conversion) => {
    // A width or precision `*` takes a value of its own.
    next += conversion.position === undefined ? 1 + conversion.span.split('*').length - 1 : 0;
    const position = conversion.position ?? next;
    return { ...conversion, position, key: `%${position}$${conversion.type}` };
  });
};

/**
 * The two sides of a format, both by position if either is: a translator who turns arguments around has to number
 * them.
 */
function aligned(source: readonly Conversion[], target: readonly Conversion[]): [Conversion[], Conversion[]] {
  const byPosition = [...source, ...target].some(({ position }) => position !== undefined);
  if (source.length === 0 || !byPosition) return [[...source], [...target]];
  return [numbered(source), numbered(target)];
}

/** Whether conversions that take the next argument each come in another order than those of the source. */
function reordered(source: readonly Conversion[], target: readonly Conversion[]): boolean {
  if (source.length !== target.length || source.some(({ position }) => position !== undefined)) return false;
  return source.some(({ key }, i) => key !== target[i]!.key);
}
