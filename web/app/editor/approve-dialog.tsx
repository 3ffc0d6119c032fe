import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { LinguaLoopError } from '#sdk/errors.ts';
import type { DocumentOutline, TenantDocumentJob } from '#sdk/types.ts';
import { useAssignments, useReload } from '../assignments/assignments.ts';
import { service } from '../assignments/colleagues.ts';
import { client } from '../client.ts';
import { useT } from '../i18n.tsx';
import { Stack } from '../kit/box.tsx';
import { announce } from '../parts/announcer.tsx';
import { TextDiff } from '../parts/text-diff.tsx';
import { useAction } from '../parts/use-action.ts';
import { procedures } from '../procedures.ts';
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
  onSeen,
  saves,
  outline,
  onDone,
  onClose,
}: {
  document: TenantDocumentJob;
  /** The `updated_at` of the document when its segments were loaded. */
  seen: string;
  /** Called with a later `updated_at`, after the dialog has shown what others have changed until then. */
  onSeen: (updatedAt: string) => void;
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
  const item = { kind: 'document' as const, id: document.id };
  const { data: [assignment] = [] } = useAssignments([item]);
  // Only the second reviewer approves: the first one passes the file on.
  const passes = assignment?.four_eyes === true && assignment.step === 'first';
  const { isReady, error: unsaved } = useStored(document.id, saves);
  const { todo = 0, draft = 0, warning = 0, critical = 0, confirmed = 0 } = outline?.statuses ?? {};
  const clean = todo + draft;
  const count = clean + (withWarnings ? warning : 0);
  const left = critical + (withWarnings ? 0 : warning);
  const [changes, setChanges] = useState<Changes>();
  const refresh = () =>
    Promise.all([reload(), queries.invalidateQueries({ queryKey: queryKeys.documents.all })]);
  const approve = run(() =>
    send().catch(async (error: unknown) => {
      const found = changesOf(error);
      setChanges(found);
      // The screen may be out of date: translations, or whose turn it is.
      if (error instanceof LinguaLoopError && error.status === 409) await refresh();
      if (!found) throw error;
      onSeen(found.updated_at);
    }),
  );
  const send = async () => {
    await storeAll(saves);
    let result = { change_id: null as string | null, confirmed: 0, left };
    if (count > 0) {
      result = await client.documents.confirmAll({
        document_id: document.id,
        statuses: withWarnings ? ['todo', 'draft', 'warning'] : ['todo', 'draft'],
        updated_at: seen,
      });
      announce(t('editor.confirmed_many', { count: result.confirmed }));
    }
    if (result.left === 0) {
      if (passes) await service.pass(item);
      else await procedures.documents.approve.mutate({ document_id: document.id, updated_at: seen });
      announce(t(passes ? 'assignments.passed' : 'editor.approved'));
    }
    await refresh();
    onDone(result.change_id);
    onClose();
  };
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
    >
      {changes && <ChangedSegments changes={changes} language={document.request.target_lang} />}
    </ApprovePlan>
  );
}

/** The changes of others since the reviewer read a document. */
interface Changes {
  /** The `updated_at` of the document with these changes. */
  updated_at: string;
  /** The number of changed segments, of which the first ones are listed. */
  total: number;
  segments: readonly { position: number; previous_text: string | null; target_text: string | null }[];
}

/** The changes because of which the service rejected an approval; undefined for other errors. */
function changesOf(error: unknown): Changes | undefined {
  if (!(error instanceof LinguaLoopError) || error.code !== 'conflict') return undefined;
  const present = error.present as Partial<Changes> | undefined;
  return present?.updated_at && present.segments ? (present as Changes) : undefined;
}

/** Shows what others have changed, so that the reviewer can approve it. */
function ChangedSegments({ changes: { total, segments }, language }: { changes: Changes; language: string }) {
  const t = useT();
  return (
    <Stack as="section" role="alert">
      <p>{t('editor.changed_since_opened', { count: total })}</p>
      <ol>
        {segments.map(({ position, previous_text: before, target_text: after }) => (
          <li key={position} value={position + 1}>
            <TextDiff before={before ?? ''} after={after ?? ''} language={language} />
          </li>
        ))}
      </ol>
      {total > segments.length && (
        <p className="hint">{t('editor.changed_more', { count: total - segments.length })}</p>
      )}
    </Stack>
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
