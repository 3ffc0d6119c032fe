import { useQueryClient } from '@tanstack/react-query';
import { Lock } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { DocumentOutline, TenantDocumentJob } from '#sdk/types.ts';
import { approveDocument, client } from '../client.ts';
import { useT } from '../i18n.tsx';
import { announce } from '../parts/announcer.tsx';
import { Dialog } from '../parts/confirm-dialog.tsx';
import { StatusMark } from '../parts/status-mark.tsx';
import { useAction } from '../parts/use-action.ts';
import { queryKeys } from '../query-keys.ts';
import styles from './editor.module.css';
import type { SegmentSaves } from './segment-saves.ts';
import { storeAll } from './store-all.ts';
import { ActionProblem } from './unsaved.tsx';

/**
 * Says what an approval of all segments confirms and what it leaves out, then does it. Critical segments and those that a
 * colleague has open are never confirmed together; segments with warnings only if the reviewer selects them. When no
 * segment is left, the document is approved.
 */
export function ApproveDialog({
  document,
  saves,
  outline,
  onDone,
  onClose,
}: {
  document: TenantDocumentJob;
  saves: SegmentSaves;
  outline: DocumentOutline | undefined;
  /** Called with the change that confirmed the segments, which can be undone; null if no segment was confirmed. */
  onDone: (changeId: string | null) => void;
  onClose: () => void;
}) {
  const t = useT();
  const queries = useQueryClient();
  const [withWarnings, setWithWarnings] = useState(false);
  const { run, error, isBusy } = useAction();
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
      const result = await client.documents.confirmAll({ document_id: document.id, statuses });
      changeId = result.change_id;
      remaining = result.left;
      announce(t('editor.confirmed_many', { count: result.confirmed }));
    }
    if (remaining === 0) {
      await approveDocument({ document_id: document.id });
      announce(t('editor.approved'));
    }
    await queries.invalidateQueries({ queryKey: queryKeys.documents.all });
    onDone(changeId);
    onClose();
  });
  return (
    <Dialog title={t('editor.approve_title')} onClose={onClose}>
      <ul className={styles['plan']}>
        <li>
          <StatusMark status="todo" />
          <div>
            <b>{t('editor.plan_clean', { count: clean })}</b>
            <span className="hint">{t('editor.plan_unread')}</span>
          </div>
        </li>
        {warning > 0 && (
          <li>
            <StatusMark status="warning" />
            <label>
              <input
                type="checkbox"
                checked={withWarnings}
                onChange={({ target }) => setWithWarnings(target.checked)}
              />
              {t('editor.plan_warnings', { count: warning })}
            </label>
          </li>
        )}
        {critical > 0 && (
          <li className={styles['locked']}>
            <StatusMark status="critical" />
            <div>
              <b>
                <Lock size={13} aria-hidden /> {t('editor.plan_critical', { count: critical })}
              </b>
              <span className="hint">{t('editor.plan_never')}</span>
            </div>
          </li>
        )}
      </ul>
      <p className={styles['result']}>
        {left === 0
          ? t('editor.plan_complete')
          : t('editor.plan_left', { confirmed: confirmed + count, left })}
      </p>
      {(unsaved ?? error) ? <ActionProblem error={unsaved ?? error} /> : null}
      <div className="actions">
        <button type="button" onClick={onClose}>
          {t('common.cancel')}
        </button>
        <button
          type="button"
          className="primary"
          disabled={isBusy || !isReady || !outline || (count === 0 && left > 0)}
          onClick={approve}
        >
          {left === 0 ? t('editor.approve_and_deliver') : t('editor.confirm_many', { count })}
        </button>
      </div>
    </Dialog>
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
