import { useState } from 'react';
import { actOnJobs } from '../../client.ts';
import { useT } from '../../i18n.tsx';
import { announce } from '../../parts/announcer.tsx';
import { useAction } from '../../parts/use-action.ts';
import { ApprovePlan } from '../approve-plan.tsx';
import type { TextList, TextSegment } from './text-list.ts';
import { countStatuses } from './use-shown.ts';
import type { useTextDecisions } from './use-text-decisions.ts';

/** Maximum number of reviews in a request. */
const maxPerRequest = 100;

/**
 * Lists what an approval of all shown texts publishes and what it leaves out, then does it. Critical texts, those that a
 * colleague has open and those with edits that are not stored are never approved together.
 */
export function ApproveTexts({
  list,
  segments,
  decisions: { saves, reload, remember },
  onClose,
}: {
  list: TextList;
  segments: readonly TextSegment[];
  decisions: Pick<ReturnType<typeof useTextDecisions>, 'saves' | 'reload' | 'remember'>;
  onClose: () => void;
}) {
  const t = useT();
  const [withWarnings, setWithWarnings] = useState(false);
  const { run, error, isBusy } = useAction();
  const open = segments.filter(({ confirmed_at }) => confirmed_at === null);
  const free = open.filter(({ holders }) => holders.length === 0);
  const { todo, draft, warning, critical } = countStatuses(free).statuses;
  const statuses = ['todo', 'draft', ...(withWarnings ? ['warning'] : [])];
  const approve = run(async () => {
    await saves.flush();
    const unsent = saves.all();
    const chosen = free
      .map(({ position }) => list.at(position))
      .filter(({ position, status, confirmed_at }) => {
        return confirmed_at === null && statuses.includes(status) && !unsent.has(position);
      });
    const approved: string[] = [];
    for (let from = 0; from < chosen.length; from += maxPerRequest) {
      const some = chosen.slice(from, from + maxPerRequest);
      const { results } = await actOnJobs(
        some.map(({ id, version }) => ({
          job_id: id,
          updated_at: version,
          action: 'approve' as const,
          confirm_unopened: true,
        })),
      );
      const done = results.filter(({ outcome }) => outcome === 'done').map(({ job_id: id }) => id);
      approved.push(...done);
      remember({ ids: done, action: 'approve' });
      await reload(some.map(({ id }) => id));
      for (const result of results) markLeftOut(list, result);
    }
    announce(t('editor.approved_texts', { count: approved.length, left: open.length - approved.length }));
    onClose();
  });
  const count = todo + draft + (withWarnings ? warning : 0);
  const held = open.length - free.length;
  return (
    <ApprovePlan
      title={t('editor.approve_texts')}
      clean={{ text: t('editor.plan_texts_clean', { count: todo + draft }), hint: t('editor.plan_unread') }}
      warnings={warning > 0 ? t('editor.plan_texts_warnings', { count: warning }) : undefined}
      left={[
        ...(critical > 0
          ? [
              {
                text: t('editor.plan_texts_critical', { count: critical }),
                hint: t('editor.plan_texts_never'),
              },
            ]
          : []),
        ...(held > 0 ? [{ text: t('editor.plan_texts_held', { count: held }) }] : []),
      ]}
      withWarnings={withWarnings}
      onWithWarnings={setWithWarnings}
      result={t('editor.plan_texts_left', { left: open.length - count })}
      action={t('editor.publish_many', { count })}
      isReady={!isBusy && count > 0}
      error={error}
      onApprove={approve}
      onClose={onClose}
    />
  );
}

/** Shows the critical findings that the service found in a text that was not approved. */
function markLeftOut(list: TextList, result: Awaited<ReturnType<typeof actOnJobs>>['results'][number]): void {
  const position = list.positionOf(result.job_id);
  if (result.outcome !== 'left_out' || position === undefined) return;
  const { quality } = list.at(position);
  list.update(position, {
    status: 'critical',
    quality: { ...quality, issues: result.critical_findings },
  });
}
