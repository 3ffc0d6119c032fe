import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { DocumentOutline, TenantDocumentJob } from '#sdk/types.ts';
import { useAssignments, useReload } from '../assignments/assignments.ts';
import { service } from '../assignments/colleagues.ts';
import { approveDocument, client } from '../client.ts';
import { useT } from '../i18n.tsx';
import { announce } from '../parts/announcer.tsx';
import { useAction } from '../parts/use-action.ts';
import { queryKeys } from '../query-keys.ts';
import { ApprovePlan } from './approve-plan.tsx';
import type { SegmentSaves } from './segment-saves.ts';
import { storeAll } from './store-all.ts';

/**
 * Says what an approval of all segments confirms and what it leaves out, then does it. Critical segments and those that a
 * colleague has open are never confirmed together; segments with warnings only if the reviewer selects them. When no
 * segment is left, the document is approved.
 */
export function ApproveDialog({
  document,
  seen,
  saves,
  outline,
  onDone,
  onClose,
}: {
  document: TenantDocumentJob;
  /** The `updated_at` of the document when its segments were loaded. */
  seen: string;
  saves: SegmentSaves;
  outline: DocumentOutline | undefined;
  /** Called with the change that confirmed the segments, which can be undone; null if no segment was confirmed. */
  onDone: (changeId: string | null) => void;
  onClose: () => void;
}) {
  const t = useT();
  const queries = useQueryClient();
  const reload = useReload();
  const [withWarnings, setWithWarnings] = useState(false);
  const { run, error, isBusy } = useAction();
  const item = { kind: 'document', id: document.id } as const;
  const { data: [assignment] = [] } = useAssignments([item]);
  // Only the second reviewer approves: the first one passes the file on.
  const passes = assignment?.four_eyes === true && assignment.step === 'first';
  const { isReady, error: unsaved } = useStored(document.id, saves);
  const { todo = 0, draft = 0, warning = 0, critical = 0, confirmed = 0 } = outline?.statuses ?? {};
  const clean = todo + draft;
  const count = clean + (withWarnings ? warning : 0);
  const left = critical + (withWarnings ? 0 : warning);
  const approve = run(async () => {
    await storeAll(saves);
    let changeId: string | null = null;
    let remaining = left;
    if (count > 0) {
      const statuses = ['todo', 'draft', ...(withWarnings ? ['warning'] : [])] as (
        | 'todo'
        | 'draft'
        | 'warning'
      )[];
      const result = await client.documents.confirmAll({
        document_id: document.id,
        statuses,
        updated_at: seen,
      });
      changeId = result.change_id;
      remaining = result.left;
      announce(t('editor.confirmed_many', { count: result.confirmed }));
    }
    if (remaining === 0) {
      if (passes) await service.pass(item);
      else await approveDocument({ document_id: document.id, updated_at: seen });
      announce(t(passes ? 'assignments.passed' : 'editor.approved'));
    }
    await reload();
    await queries.invalidateQueries({ queryKey: queryKeys.documents.all });
    onDone(changeId);
    onClose();
  });
  return (
    <ApprovePlan
      title={t('editor.approve_title')}
      clean={{ text: t('editor.plan_clean', { count: clean }), hint: t('editor.plan_unread') }}
      warnings={warning > 0 ? t('editor.plan_warnings', { count: warning }) : undefined}
      left={
        critical > 0
          ? [{ text: t('editor.plan_critical', { count: critical }), hint: t('editor.plan_never') }]
          : []
      }
      withWarnings={withWarnings}
      onWithWarnings={setWithWarnings}
      result={
        left === 0
          ? t(passes ? 'assignments.plan_pass' : 'editor.plan_complete')
          : t('editor.plan_left', { confirmed: confirmed + count, left })
      }
      action={
        left === 0
          ? t(passes ? 'assignments.confirm_and_pass' : 'editor.approve_and_deliver')
          : t('editor.confirm_many', { count })
      }
      isReady={!isBusy && isReady && outline !== undefined && (count > 0 || left === 0)}
      error={unsaved ?? error}
      onApprove={approve}
      onClose={onClose}
    />
  );
}

/** Stores all edits when the dialog opens, so that its counts include them. */
function useStored(documentId: string, saves: SegmentSaves) {
  const queries = useQueryClient();
  const [state, setState] = useState<{ isReady: boolean; error?: unknown }>({ isReady: false });
  useEffect(() => {
    storeAll(saves)
      .then(() => queries.invalidateQueries({ queryKey: queryKeys.documents.outline(documentId) }))
      .then(
        () => setState({ isReady: true }),
        (error: unknown) => setState({ isReady: false, error }),
      );
  }, [documentId, saves, queries]);
  return state;
}
