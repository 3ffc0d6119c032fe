import { clip } from '#server/formats/text.ts';
import type { FoundPlaceholders } from '#server/language/text-rules/placeholders.ts';
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
    `The placeholder ${span} is not in the source: the program has no value for it.`,
    `Remove ${span}, or replace it with the source's placeholder.`,
  );

const repeated = ({ span }: Found): QualityIssue =>
  critical(
    span,
    `The placeholder ${span} occurs twice in succession.`,
    `Use ${span} as often as the source.`,
  );

const rarer = ({ span }: Found): QualityIssue => ({
  severity: 'minor',
  category: 'accuracy',
  span,
  explanation: `The placeholder ${span} occurs less often than in the source.`,
  suggestion: `Keep each ${span} of the source.`,
});

function conversionIssues(source: Placeholders, target: Placeholders): QualityIssue[] {
  const [from, to] = aligned(source.conversions, target.conversions);
  const difference = compared(from, to);
  // Each missing `%s` is a lost argument. A numbered argument may occur any number of times.
  const gone = [...difference.lost, ...difference.rarer.filter(({ key }) => !key.includes('$'))];
  const back = compared(to, from);
  const surplus = [...back.lost, ...back.rarer.filter(({ key }) => !key.includes('$'))];
  const issues = [...gone.map(missing), ...surplus.filter(({ key }) => !source.loose.has(key)).map(invented)];
  if (issues.length === 0 && reordered(from, to)) {
    const spans = source.conversions.map(({ span }) => span).join(' ');
    issues.push(
      critical(
        source.conversions[0]!.span,
        `The placeholders ${spans} are in a different order, but the program fills them in the order of the source.`,
        `Keep the order ${spans}, or number them: %1$${source.conversions[0]!.type} and so on.`,
      ),
    );
  }
  return issues;
}

/**
 * Returns an issue if a format that prints a number has "100%%" and the translation a single "%", which would start a
 * placeholder.
 */
function percentIssues(source: Placeholders, target: Placeholders, bareSigns: boolean): QualityIssue[] {
  if (source.percents.length === 0 || source.conversions.length === 0) return [];
  return target.percents.length === 0 && bareSigns ? [missing(source.percents[0]!)] : [];
}

/** Returns the placeholders that occur twice in succession, and more often than in the source. */
function repetitions(source: readonly Found[], target: readonly Found[], rest: string): Found[] {
  const surplus = new Set(compared(target, source).rarer.map(({ key }) => key));
  if (surplus.size === 0) return [];
  const ordered = target.toSorted((a, b) => a.start - b.start);
  return ordered.filter(
    ({ key, start }, at) =>
      surplus.has(key) &&
      ordered[at - 1]?.key === key &&
      /^\s*$/.test(rest.slice(ordered[at - 1]!.end, start)),
  );
}

/**
 * Returns the placeholders that are lost, invented, doubled or out of order, except those of ICU choices.
 * @param rest the target without placeholders
 */
export function placeholderIssues(source: Placeholders, target: Placeholders, rest: string): QualityIssue[] {
  const certain = compared(source.certain, target.certain);
  const likely = compared(source.likely, target.likely);
  // In a plural, `#` shows the same number as `{count}`.
  const shown = new Set(target.choices.filter(({ hash }) => hash).map(({ key }) => key));
  const lost = certain.lost.filter(({ key }) => !shown.has(key));
  const choosing = new Set(source.choices.map(({ key }) => key));
  const chosen = new Set([...choosing].filter((key) => key.startsWith('{')));
  const kept = new Set(target.choices.map(({ key }) => key));
  // "{standard input}" is prose in the source, but its translation may look like a placeholder. The same is true of the
  // texts of a choice whose head is broken.
  const looksAlike =
    (lost.length === 0 && certain.rarer.length === 0 && target.openBraces <= source.openBraces) ||
    [...chosen].some((key) => !kept.has(key));
  const added = looksAlike ? [] : certain.added.filter(({ key }) => !chosen.has(key));
  return [
    ...[...lost, ...likely.lost, ...lostFields(source.dateFields, rest)].map(missing),
    ...conversionIssues(source, target),
    ...percentIssues(source, target, rest.includes('%')),
    ...added.map(invented),
    ...[
      ...repetitions(source.certain, target.certain, rest),
      ...repetitions(source.likely, target.likely, rest),
    ].map(repeated),
    // The number of texts in a choice depends on the language, and each of them may show the number.
    ...[...certain.rarer, ...likely.rarer]
      .filter(({ key }) => !shown.has(key) && !choosing.has(key))
      .map(rarer),
  ];
}

const lostChoice = ({ head }: Choice): QualityIssue =>
  critical(head, `The choice ${head}, …} of the source is missing.`, `Keep ${head}, …} as it is.`);

/** Returns the parts that a choice has lost, if the target contains the choice itself. */
function lostWithin(choice: Choice, own: Choice, isShown: boolean): QualityIssue[] {
  const issues = compared(choice.selectors, own.selectors)
    .lost.filter(({ key }) => choice.type === 'select' || key === 'other')
    .map(({ span }: Found) =>
      critical(
        span,
        `The key ${span} of the choice ${choice.head}, …} is missing, but the program uses this key.`,
        `Keep ${span} {…} and translate only between its braces.`,
      ),
    );
  if (choice.hash && !own.hash && !isShown) {
    issues.push(
      critical(
        '#',
        `The sign #, which shows the number, is missing in ${choice.key}.`,
        'Keep # in place of the number.',
      ),
    );
  }
  return issues;
}

/** Merges the choices of the same argument: translators often join two plurals. */
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
 * Returns what is lost of the choices in ICU messages: a whole choice, a selector of a select, the `other` text, or the
 * number that a plural shows. Plural categories differ between languages, so they are not checked.
 * @param rest the target without placeholders
 */
export function choiceIssues(source: Placeholders, target: Placeholders, rest: string): QualityIssue[] {
  const wanted = byArgument(source.choices);
  const present = byArgument(target.choices);
  const shown = new Set(target.certain.map(({ key }) => key));
  const wantedKeys = new Set(source.certain.map(({ key }) => key));
  // The head of a choice that was translated, such as `{{PLURIEL:$1|`, looks like another placeholder.
  const hasOtherBraces =
    rest.includes('{') || [...shown].some((key) => /^\{\{.*\|/.test(key) && !wantedKeys.has(key));
  const issues: QualityIssue[] = [];
  if (source.choices.length > 0 && source.bracesMatch && !target.bracesMatch) {
    const { head } = source.choices[0]!;
    issues.push(
      critical(head, `The braces around ${head}, …} do not match.`, 'Close each brace as in the source.'),
    );
  }
  for (const [name, choice] of wanted) {
    const own = present.get(name);
    const isShown = shown.has(choice.key);
    if (own !== undefined) issues.push(...lostWithin(choice, own, isShown));
    // Languages such as Japanese and Turkish need no plural here, so the choice may be missing, unless it shows its
    // number.
    else if (choice.type === 'select' || (choice.hash && !isShown) || hasOtherBraces) {
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
      critical(head, `The choice ${head}, …} is not in the source.`, `Use the choice of the source instead.`),
    );
  }
  return issues;
}

const numbered = (conversions: readonly Conversion[]): Conversion[] => {
  let next = 0;
  return conversions.map((conversion) => {
    // A `*` as width or precision takes an additional value.
    next += conversion.position === undefined ? 1 + conversion.span.split('*').length - 1 : 0;
    const position = conversion.position ?? next;
    return { ...conversion, position, key: `%${position}$${conversion.type}` };
  });
};

/**
 * Returns the conversions of source and target; if either numbers its arguments, both are identified by position. A
 * translator who changes the order has to number the arguments.
 */
function aligned(source: readonly Conversion[], target: readonly Conversion[]): [Conversion[], Conversion[]] {
  const byPosition = [...source, ...target].some(({ position }) => position !== undefined);
  if (source.length === 0 || !byPosition) return [[...source], [...target]];
  return [numbered(source), numbered(target)];
}

/** Whether unnumbered conversions are in a different order than in the source. */
function reordered(source: readonly Conversion[], target: readonly Conversion[]): boolean {
  if (source.length !== target.length || source.some(({ position }) => position !== undefined)) return false;
  return source.some(({ key }, i) => key !== target[i]!.key);
}

/** The patterns of a workspace, and what they match in the segments of a source. */
export interface OwnPlaceholders {
  patterns: readonly string[];
  found: FoundPlaceholders;
}

/** Maximum number of different placeholders of a text that are protected, and of issues about them. */
const most = 100;

/** Maximum UTF-16 units of a placeholder in an issue. */
const maxSpan = 200;

/** Returns the different placeholders of a source, the longest first: one can be a part of another. */
export function differentPlaceholders(own: OwnPlaceholders | undefined): string[] {
  const all = [...new Set(own?.found?.flat())].slice(0, most);
  return all.sort((one, other) => other.length - one.length);
}

/** Returns what a model is told about the placeholders of a segment. */
export const placeholderNote = (keep: readonly string[] = []): string | null =>
  keep.length === 0 ? null : `placeholders: ${keep.join(', ')}`;

/**
 * Returns an issue for each placeholder that a translation lacks, has less often, or has although the source lacks it; as
 * for other placeholders, a translation with the first or last kind is never published without review.
 */
export function ownPlaceholderIssues(source: readonly string[], target: readonly string[]): QualityIssue[] {
  const { lost, rarer: fewer, added } = compared(source.map(foundOf), target.map(foundOf));
  return [...lost.map(missing), ...added.map(invented), ...fewer.map(rarer)].slice(0, most);
}

const foundOf = (text: string): Found => ({ key: text, span: clip(text, maxSpan), start: 0, end: 0 });
