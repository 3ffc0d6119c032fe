import { createHash } from 'node:crypto';
import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import type { ClaimedVia } from '#server/identity/access/principal.ts';
import type { QualityIssue } from '#server/platform/engines/engine.ts';

/*
 * What becomes of a finding, that is an issue of a stored translation.
 *
 * A check of the service is computed again for each wording, so its findings come and go with the wording. A finding of a
 * model, or of the recognition of a picture, cannot be computed: it stays until a person resolves it, or until the judge
 * model has seen the present wording.
 */

/** The ways in which a person resolves a finding. */
export const resolutions = ['fixed', 'not_an_error', 'accepted'] as const;
export type Resolution = (typeof resolutions)[number];

/**
 * `open`: it is about the present wording. `not_rechecked`: the wording has changed since, and the finding may still apply. Both block what the finding blocks.
 */
export const findingStates = ['open', 'not_rechecked', ...resolutions] as const;
type FindingState = (typeof findingStates)[number];

/**
 * The status of a finding of a check that an edit has made vanish. A check only compares words, so the judge model sees
 * the segment once it is confirmed. Until then the finding is stored, but not shown, and blocks nothing.
 */
const vanished = 'vanished';

/** A finding as it is stored. Without `status` it is open. */
export interface Finding extends QualityIssue {
  status?: FindingState | typeof vanished;
  resolution?: FindingResolution;
}

export interface FindingResolution {
  /** Email address or user ID of the member, or the name in the request; null for an API key without a name. */
  by: string | null;
  /** ISO 8601 in UTC. */
  at: string;
  reason: string | null;
  /** The API key whose client named the person; absent for a signed-in member. */
  claimed_via?: ClaimedVia;
}

/**
 * `edited`: the wording has changed. `seen`: the judge model has seen the present wording and does not find it;
 * `found_again`: it does. The others are decisions of a person.
 */
type FindingEvent = 'edited' | 'seen' | 'found_again' | Resolution;

/**
 * The state after each event; null: the finding is gone; undefined: the event is rejected.
 *
 * A fix is a claim about one wording, so another wording needs another look. An accepted finding stays accepted,
 * and one that was never an error stays so.
 */
const transitions: Readonly<
  Record<FindingState, Readonly<Partial<Record<FindingEvent, FindingState | null>>>>
> = {
  open: {
    edited: 'not_rechecked',
    seen: null,
    found_again: 'open',
    not_an_error: 'not_an_error',
    accepted: 'accepted',
  },
  not_rechecked: {
    edited: 'not_rechecked',
    seen: null,
    found_again: 'open',
    fixed: 'fixed',
    not_an_error: 'not_an_error',
    accepted: 'accepted',
  },
  fixed: { edited: 'not_rechecked', seen: 'fixed', found_again: 'open' },
  not_an_error: { edited: 'not_an_error', seen: 'not_an_error', found_again: 'not_an_error' },
  accepted: { edited: 'accepted', seen: 'accepted', found_again: 'accepted' },
};

export function stateOf({ status = 'open' }: Finding): FindingState {
  return status === vanished ? 'fixed' : status;
}

/** SQL: whether a JSON array of findings has one that the judge model is to see. */
export function hasUnseen(findings: SQLWrapper): SQL {
  return sql`jsonb_path_exists(${findings}, ${sql.raw(
    `'$[*] ? (@.status == "${vanished}" || @.status == "not_rechecked" && !exists(@.found_by))'`,
  )})`;
}

/** Whether neither a person nor the judge model has settled the finding. */
export function isOpen(finding: Finding): boolean {
  const state = stateOf(finding);
  return state === 'open' || state === 'not_rechecked';
}

/** Whether the finding prevents a confirmation or an approval without an explicit decision. */
export function isOpenCritical(finding: Finding): boolean {
  return finding.severity === 'critical' && isOpen(finding);
}

/** SQL: whether a JSON array of findings has an open one, by default of any severity and category. */
export function hasOpen(
  findings: SQLWrapper,
  { severity, category }: Partial<Pick<QualityIssue, 'severity' | 'category'>> = {},
): SQL {
  const conditions = [
    ...(severity ? [`@.severity == "${severity}"`] : []),
    ...(category ? [`@.category == "${category}"`] : []),
    '(!exists(@.status) || @.status == "not_rechecked")',
  ];
  // Not a parameter: a query that groups by the condition contains it twice, as the same expression.
  return sql`jsonb_path_exists(${findings}, ${sql.raw(`'$[*] ? (${conditions.join(' && ')})'`)})`;
}

/**
 * Returns the finding after an event; null if it is gone.
 * @returns undefined if the event is impossible in the finding's state
 */
function after(finding: Finding, event: FindingEvent): Finding | null | undefined {
  const state = transitions[stateOf(finding)][event];
  if (state === null || state === undefined) return state;
  const { status: _, resolution, ...issue } = finding;
  if (state === 'open') return issue;
  const isResolved = state !== 'not_rechecked';
  return { ...issue, status: state, ...(isResolved && resolution && { resolution }) };
}

/** Returns the ID of a finding in its segment or text: findings with the same content are one. */
export function idOf({ severity, category, span, explanation }: QualityIssue): string {
  const content = JSON.stringify([severity, category, span, explanation]);
  return createHash('sha256').update(content).digest('hex').slice(0, 32);
}

/** Returns the findings that are shown. */
export function shownFindings(findings: readonly Finding[]): Finding[] {
  return findings.filter(({ status }) => status !== vanished);
}

/** Returns the finding as it is shown, with its ID and its state. */
export function findingView(finding: Finding) {
  return { ...finding, id: idOf(finding), status: stateOf(finding) };
}

/** Maximum numbers of resolved and of vanished findings that are kept: each wording may add some. */
const maxResolved = 50;
const maxVanished = 20;

/** Returns the earlier findings of checks that an edit has made vanish, except minor ones. */
export function vanishedFindings(earlier: readonly Finding[], present: readonly Finding[]): Finding[] {
  const known = new Set(present.map(idOf));
  return earlier
    .filter((one) => one.found_by === 'check' && (isOpen(one) || one.status === vanished))
    .filter((one) => one.severity !== 'minor' && !known.has(idOf(one)))
    .slice(-maxVanished)
    .map((one) => ({ ...one, status: vanished }));
}

/**
 * Returns the findings after the checks have seen a wording: what they find in it now, and the earlier findings that
 * cannot be computed. A decision about a finding of a check counts as long as the check finds it.
 * @param issues the issues that the checks of the service find in the wording
 * @param isEdited whether the wording is another one than that of the earlier findings
 */
export function findingsAfterChecks(
  earlier: readonly Finding[],
  issues: readonly QualityIssue[],
  isEdited: boolean,
): Finding[] {
  const isComputed = (finding: Finding) => finding.found_by === 'check';
  const next = (finding: Finding) => (isEdited ? after(finding, 'edited') : finding);
  const kept = earlier.filter((finding) => !isComputed(finding)).flatMap((one) => next(one) ?? []);
  const decided = new Map(
    shownFindings(earlier)
      .filter((finding) => isComputed(finding) && !isOpen(finding))
      .map((one) => [idOf(one), one]),
  );
  const found = marked(issues).map((issue) => {
    const decision = decided.get(idOf(issue));
    return (decision && next(decision)) ?? issue;
  });
  return bounded([...found, ...kept]);
}

/**
 * Returns the earlier findings of a wording that the checks have not seen yet: open findings of checks are left out until
 * they have.
 */
export function findingsBeforeChecks(earlier: readonly Finding[], isEdited: boolean): Finding[] {
  const kept = earlier.filter((finding) => finding.found_by !== 'check' || !isOpen(finding));
  return bounded(isEdited ? kept.flatMap((finding) => after(finding, 'edited') ?? []) : kept);
}

/**
 * Returns the findings of a wording that the judge model has seen now. A finding about the same words as an earlier one
 * is the same one, because a model describes it in other words each time.
 */
export function findingsAfterJudgement(
  earlier: readonly Finding[],
  judged: readonly QualityIssue[],
  checked: readonly QualityIssue[],
): Finding[] {
  const others = findingsAfterChecks(earlier, checked, false);
  const unknown = new Set(judged);
  const kept = others.flatMap((finding) => {
    if (finding.found_by !== undefined) return finding;
    const again = judged.find(
      (issue) =>
        unknown.has(issue) && isSame(finding, issue) && (isOpen(finding) || !isWorse(issue, finding)),
    );
    if (!again) return after(finding, 'seen') ?? [];
    unknown.delete(again);
    const next = after(finding, 'found_again');
    // The latest description counts, unless a person has decided on the earlier one.
    return next && isOpen(next) ? again : (next ?? []);
  });
  return bounded([...kept, ...unknown]);
}

const weights = { minor: 0, major: 1, critical: 2 };

/** Whether an issue is more severe: a decision about the other one is then none about it. */
function isWorse(one: QualityIssue, other: QualityIssue): boolean {
  return weights[one.severity] > weights[other.severity];
}

function isSame(one: QualityIssue, other: QualityIssue): boolean {
  if (idOf(one) === idOf(other)) return true;
  return one.span !== null && one.span === other.span && one.category === other.category;
}

/**
 * Resolves one finding.
 * @returns undefined if the finding is missing, or if it cannot be resolved so in its state
 */
export function withResolution(
  findings: readonly Finding[],
  id: string,
  { as, ...resolution }: FindingResolution & { as: Resolution },
): Finding[] | undefined {
  const at = findings.findIndex((finding) => idOf(finding) === id && isOpen(finding));
  const finding = findings[at];
  const resolved = finding && after(finding, as);
  return resolved ? findings.with(at, { ...resolved, resolution }) : undefined;
}

/** Marks issues as found by the checks of the service, which are computed again for each wording. */
export function marked(issues: readonly QualityIssue[]): Finding[] {
  return issues.map((issue) => ({ ...issue, found_by: 'check' }));
}

function bounded(findings: readonly Finding[]): Finding[] {
  const resolved = findings.filter((finding) => !isOpen(finding));
  const dropped = new Set(resolved.slice(0, Math.max(0, resolved.length - maxResolved)));
  const unique = new Map(findings.filter((one) => !dropped.has(one)).map((one) => [idOf(one), one]));
  return [...unique.values()];
}
