import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { CheckCheck, Download, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { TenantDocumentJob } from '#sdk/types.ts';
import { client } from '../client.ts';
import { useT } from '../i18n.tsx';
import { ConfirmDialog } from '../kit/dialog.tsx';
import { announce } from '../parts/announcer.tsx';
import { useLanguages } from '../parts/languages.tsx';
import { saveFile } from '../parts/save-file.ts';
import { useAction } from '../parts/use-action.ts';
import { queryKeys } from '../query-keys.ts';
import { isVisitor } from '../session/keeper.ts';
import { isAdministrator, useMe } from '../session/use-me.ts';
import styles from './editor.module.css';
import { EditorHead } from './editor-head.tsx';
import { forgetEdits } from './kept-edits.ts';
import type { SegmentSaves } from './segment-saves.ts';
import { storeAll } from './store-all.ts';
import { ActionProblem } from './unsaved.tsx';

/** The head of a document: the file, its languages, and the actions on the whole file. */
export function DocumentHead({
  document,
  saves,
  others,
  canApprove,
  onApprove,
}: {
  document: TenantDocumentJob;
  saves: SegmentSaves;
  /** Names of colleagues who have the document open. */
  others: readonly string[];
  canApprove: boolean;
  onApprove: () => void;
}) {
  const t = useT();
  const { nameOf } = useLanguages();
  const { run, error, isBusy } = useAction();
  const { source_file_name: name, source_format: format, request } = document;
  const download = run(async () => {
    await storeAll(saves);
    await saveFile(await client.documents.download(document.id));
    announce(t('documents.downloaded'));
  });
  const isTranslated = document.status === 'translated';
  return (
    <>
      <EditorHead
        format={
          <span className={`format ${styles['format']}`} data-format={format} translate="no">
            {format}
          </span>
        }
        title={<bdi translate="no">{name}</bdi>}
        pair={t('documents.pair', { from: nameOf(request.source_lang), to: nameOf(request.target_lang) })}
        others={others}
      >
        {isTranslated && (
          <button type="button" className="ghost" aria-disabled={isBusy} onClick={download}>
            <Download size={16} aria-hidden />
            <span className={styles['label']}>{t('documents.download')}</span>
          </button>
        )}
        {isTranslated && canApprove && !isVisitor() && (
          <button type="button" onClick={onApprove}>
            <CheckCheck size={16} aria-hidden />
            <span className={styles['label']}>{t('editor.approve')}</span>
          </button>
        )}
        <DeleteDocument documentId={document.id} saves={saves} />
      </EditorHead>
      {error ? <ActionProblem error={error} /> : null}
    </>
  );
}

/** Deletes a document, after a question. Only administrators see the button. */
function DeleteDocument({ documentId, saves }: { documentId: string; saves: SegmentSaves }) {
  const t = useT();
  const me = useMe();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [isAsked, setAsked] = useState(false);
  if (!me.data || !isAdministrator(me.data)) return null;
  const remove = async () => {
    // Edits stay until the document is deleted, because the deletion may fail. After it, none is sent.
    await storeAll(saves).catch(() => undefined);
    await client.documents.delete(documentId);
    saves.stop();
    saves.dropAll();
    announce(t('documents.deleted'));
    // Texts of a deleted document must not stay on this device.
    await forgetEdits(documentId).catch(() => undefined);
    await navigate({ to: '/app/files', ignoreBlocker: true });
    queries.removeQueries({ queryKey: queryKeys.documents.document(documentId) });
    await queries.invalidateQueries({ queryKey: queryKeys.documents.all });
  };
  return (
    <>
      <button
        type="button"
        className={`ghost ${styles['wideOnly']}`}
        aria-label={t('documents.delete')}
        onClick={() => setAsked(true)}
      >
        <Trash2 size={16} aria-hidden />
      </button>
      {isAsked && (
        <ConfirmDialog
          title={t('documents.delete_question')}
          action={t('documents.delete')}
          onConfirm={remove}
          onClose={() => setAsked(false)}
        >
          <p>{t('documents.delete_why')}</p>
        </ConfirmDialog>
      )}
    </>
  );
}
