import { CheckCheck, Download } from 'lucide-react';
import type { TenantDocumentJob } from '#sdk/types.ts';
import { client } from '../client.ts';
import { useT } from '../i18n.tsx';
import { announce } from '../parts/announcer.tsx';
import { useLanguages } from '../parts/languages.tsx';
import { saveFile } from '../parts/save-file.ts';
import { useAction } from '../parts/use-action.ts';
import { isVisitor } from '../session/keeper.ts';
import { DeleteDocument } from './delete-document.tsx';
import styles from './editor.module.css';
import { EditorHead } from './editor-head.tsx';
import type { SegmentSaves } from './segment-saves.ts';
import { storeAll } from './store-all.ts';
import { ActionProblem } from './unsaved.tsx';

/** The head of a document: the file, its languages, and the actions on the whole file. */
export function DocumentHead({
  document,
  saves,
  others,
  onApprove,
}: {
  document: TenantDocumentJob;
  saves: SegmentSaves;
  /** Names of colleagues who have the document open. */
  others: readonly string[];
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
          <span className={styles['format']} data-format={format} translate="no">
            {format}
          </span>
        }
        title={<bdi translate="no">{name}</bdi>}
        pair={t('documents.pair', { from: nameOf(request.source_lang), to: nameOf(request.target_lang) })}
        others={others}
      >
        {isTranslated && (
          <button type="button" className="ghost" disabled={isBusy} onClick={download}>
            <Download size={16} aria-hidden />
            <span className={styles['label']}>{t('documents.download')}</span>
          </button>
        )}
        {isTranslated && document.approved_at === null && !isVisitor() && (
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
