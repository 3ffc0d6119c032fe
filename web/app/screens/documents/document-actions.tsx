import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Check, Download, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { TenantDocumentJob } from '#sdk/types.ts';
import { approveDocument, client } from '../../client.ts';
import { useT } from '../../i18n.tsx';
import { announce } from '../../parts/announcer.tsx';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { type CriticalFinding, criticalFindingsOf } from '../../parts/critical-findings-of.ts';
import { ConfirmCritical } from '../../parts/critical-findings.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Reopen } from '../../parts/reopen.tsx';
import { saveFile } from '../../parts/save-file.ts';
import { useAction } from '../../parts/use-action.ts';
import { queryKeys } from '../../query-keys.ts';
import { isAdministrator, useMe } from '../../session/use-me.ts';
import { flaggedOf } from './document-rows.tsx';
import { forgetCorrections } from './kept-corrections.ts';

/** The actions on a whole document: download, approve, delete. @param unapplied number of unapplied corrections */
export function DocumentActions({ document, unapplied }: { document: TenantDocumentJob; unapplied: number }) {
  const t = useT();
  const me = useMe();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [asked, setAsked] = useState<'approve' | 'delete'>();
  const [critical, setCritical] = useState<CriticalFinding[]>();
  const { run, error, isBusy } = useAction();
  const isTranslated = document.status === 'translated';
  const flagged = flaggedOf(document);
  const download = run(async () => {
    await saveFile(await client.documents.download(document.id));
    announce(t('documents.downloaded'));
  });
  const approve = async (confirmed = false) => {
    const request = { document_id: document.id, confirm_critical: confirmed };
    const approval = await approveDocument(request).catch((error: unknown) => {
      const findings = criticalFindingsOf(error);
      if (!findings) throw error;
      setCritical(findings);
    });
    if (!approval) return;
    const { approval_result: result } = approval;
    announce(t('documents.approved_fed', { count: result.fed_pairs }));
    await queries.invalidateQueries({ queryKey: queryKeys.documents.all });
  };
  const remove = async () => {
    await client.documents.delete(document.id);
    announce(t('documents.deleted'));
    // The corrections on this device are useless now, and texts of a deleted document must not stay on the device.
    await forgetCorrections(document.id).catch(() => {});
    await navigate({ to: '/app/files', ignoreBlocker: true });
    queries.removeQueries({ queryKey: queryKeys.documents.document(document.id) });
    await queries.invalidateQueries({ queryKey: queryKeys.documents.all });
  };
  return (
    <>
      <div className="actions">
        {isTranslated && (
          <button type="button" disabled={isBusy} onClick={download}>
            <Download size={16} aria-hidden /> {t('documents.download')}
          </button>
        )}
        {isTranslated && document.approved_at === null && (
          <button type="button" disabled={unapplied > 0} onClick={() => setAsked('approve')}>
            <Check size={16} aria-hidden /> {t('documents.approve')}
          </button>
        )}
        {document.approved_at !== null && (
          <Reopen
            item={{ kind: 'document', id: document.id }}
            decidedAt={document.approved_at}
            decidedBy={document.approved_by}
          />
        )}
        {me.data && isAdministrator(me.data) && (
          <button type="button" className="danger" onClick={() => setAsked('delete')}>
            <Trash2 size={16} aria-hidden /> {t('documents.delete')}
          </button>
        )}
        {isTranslated && document.approved_at === null && unapplied > 0 && (
          <span className="hint">{t('documents.apply_first')}</span>
        )}
      </div>
      {error ? <Problem error={error} retry={() => void download()} /> : null}
      {asked === 'approve' && (
        <ConfirmDialog
          title={t('documents.approve_question')}
          action={t('documents.approve')}
          onConfirm={() => approve()}
          onClose={() => setAsked(undefined)}
        >
          <p>{t('documents.approve_why')}</p>
          {flagged > 0 && <p>{t('documents.still_flagged', { count: flagged })}</p>}
        </ConfirmDialog>
      )}
      {critical && (
        <ConfirmCritical
          findings={critical}
          onConfirm={() => approve(true)}
          onClose={() => setCritical(undefined)}
        />
      )}
      {asked === 'delete' && (
        <ConfirmDialog
          title={t('documents.delete_question')}
          action={t('documents.delete')}
          onConfirm={remove}
          onClose={() => setAsked(undefined)}
        >
          <p>{t('documents.delete_why')}</p>
        </ConfirmDialog>
      )}
    </>
  );
}
