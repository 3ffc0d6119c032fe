import { useState } from 'react';
import { useT } from '../../i18n.tsx';
import { announce } from '../../parts/announcer.tsx';
import { useAction } from '../../parts/use-action.ts';
import { ApprovePlan } from '../approve-plan.tsx';
import { decideTogether, freeTexts } from './decide-together.ts';
import type { TextList, TextSegment } from './text-list.ts';
import { countStatuses } from './use-shown.ts';
import type { useTextDecisions } from './use-text-decisions.ts';

/**
 * Lists what an approval of all shown texts publishes and what it leaves out, then does it. Critical texts, those that a
 * colleague has open and those with edits that are not stored are never approved together.
 */
export function ApproveTexts({
  list,
  segments,
  decisions: { saves, remember },
  hasMore,
  onClose,
}: {
  list: TextList;
  segments: readonly TextSegment[];
  decisions: Pick<ReturnType<typeof useTextDecisions>, 'saves' | 'remember'>;
  /** Whether texts follow that are not loaded. */
  hasMore: boolean;
  onClose: () => void;
}) {
  const t = useT();
  const [withWarnings, setWithWarnings] = useState(false);
  const { run, error, isBusy } = useAction();
  const open = segments.filter(({ confirmed_at }) => confirmed_at === null);
  const free = freeTexts(open);
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
    const count = await decideTogether(list, chosen, { action: 'approve' }, remember);
    announce(t('editor.approved_texts', { count, left: open.length - count }));
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
      result={
        hasMore ? t('editor.plan_texts_more') : t('editor.plan_texts_left', { left: open.length - count })
      }
      action={t('editor.publish_many', { count })}
      isReady={!isBusy && count > 0}
      error={error}
      onApprove={approve}
      onClose={onClose}
    />
  );
}
