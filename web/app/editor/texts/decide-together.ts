import { background, procedures } from '../../procedures.ts';
import { isFinal } from '../use-undo.ts';
import { parallel, reopenOwn } from './send-review.ts';
import type { ListedText, TextList, TextSegment } from './text-list.ts';

/** Texts that were decided together, so that they are also undone together. */
export interface Decision {
  ids: readonly string[];
  action: 'approve' | 'reject';
  notes?: string | undefined;
  /** Whether the service may not have decided about some of these texts, because a response was lost. */
  isUncertain?: boolean;
}

/** Maximum number of texts that the service decides about, or lists by ID, in a request. */
const maxPerRequest = 100;

/** Loads the present state of texts, and updates the list. @throws LinguaLoopError */
export async function reloadTexts(list: TextList, ids: readonly string[]): Promise<ListedText[]> {
  const present: ListedText[] = [];
  for (let from = 0; from < ids.length; from += maxPerRequest) {
    const { texts } = await procedures.reviews.texts.query({
      job_ids: ids.slice(from, from + maxPerRequest),
    });
    list.take(texts);
    present.push(...texts);
  }
  return present;
}

/** The texts that no one has decided about, and that no colleague has open. */
export function freeTexts(segments: readonly TextSegment[]): TextSegment[] {
  return segments.filter(({ holders, confirmed_at }) => confirmed_at === null && holders.length === 0);
}

/**
 * Decides about texts together. A request names the version of each text, so a second request never decides again. If a
 * response is lost, the service may have applied the decision: its texts are remembered as uncertain, so that an undo
 * finds out which ones this member has decided.
 * @param remember called for each request, so that it can be undone
 * @returns the number of texts that are decided now
 * @throws LinguaLoopError
 */
export async function decideTogether(
  list: TextList,
  texts: readonly TextSegment[],
  { action, notes }: Pick<Decision, 'action' | 'notes'>,
  remember: (decision: Decision) => void,
): Promise<number> {
  const reviewOf = ({ id, version }: TextSegment) => ({
    job_id: id,
    updated_at: version,
    action,
    ...(action === 'approve' ? { confirm_unopened: true } : { notes }),
  });
  let count = 0;
  for (let from = 0; from < texts.length; from += maxPerRequest) {
    const some = texts.slice(from, from + maxPerRequest);
    const ids = some.map(({ id }) => id);
    const request = { reviews: some.map(reviewOf) };
    const { results } = await background.translations.reviewMany
      .mutate(request)
      .catch(async (error: unknown) => {
        remember({ ids, action, notes, isUncertain: true });
        await reloadTexts(list, ids).catch(() => undefined);
        throw error;
      });
    const idsOf = (outcome: string) =>
      results.filter((result) => result.outcome === outcome).map(({ job_id: id }) => id);
    const [done, refused] = [idsOf('done'), idsOf('refused')];
    let own = refused;
    let isUncertain = refused.length > 0;
    try {
      // An earlier attempt of this request may have decided about texts that are refused now.
      const present = await reloadTexts(list, ids);
      own = ownDecisions(present, action).filter((id) => refused.includes(id));
      isUncertain = false;
    } finally {
      remember({ ids: [...done, ...own], action, notes, isUncertain });
    }
    count += done.length + own.length;
    for (const result of results) if (result.outcome === 'left_out') markCritical(list, result);
  }
  return count;
}

/**
 * Reopens texts that this member has decided about. One that someone else has changed since does not stop the others.
 * @returns the versions of the reopened texts, by job ID, and an error; if there are several, one that is not final
 */
export async function reopenTogether(ids: readonly string[], action: Decision['action']) {
  const versions = new Map<string, string>();
  const problems: unknown[] = [];
  const waiting = ids.values();
  const lane = async () => {
    for (const id of waiting) {
      await reopenOwn(id, action).then(
        (version) => versions.set(id, version),
        (error: unknown) => problems.push(error),
      );
      if (!problems.every(isFinal)) return;
    }
  };
  await Promise.all(Array.from({ length: parallel }, lane));
  return { versions, problem: problems.find((error) => !isFinal(error)) ?? problems[0] };
}

/** The IDs of the texts about which this member has made this decision. */
export function ownDecisions(texts: readonly ListedText[], action: Decision['action']): string[] {
  const status = action === 'reject' ? 'rejected' : 'confirmed';
  return texts.filter((text) => text.is_own_decision && text.status === status).map(({ id }) => id);
}

/** Shows the critical findings that the service found in a text that was not approved. */
function markCritical(
  list: TextList,
  {
    job_id: id,
    critical_findings: issues,
  }: { job_id: string; critical_findings: TextSegment['quality']['issues'] },
): void {
  const position = list.positionOf(id);
  if (position === undefined) return;
  const { quality } = list.at(position);
  list.update(position, { status: 'critical', quality: { ...quality, issues } });
}
