import { Link } from '@tanstack/react-router';
import { ArrowLeft, CheckCheck, Download, Keyboard } from 'lucide-react';
import type { TenantDocumentJob } from '#sdk/types.ts';
import { client } from '../client.ts';
import { useT } from '../i18n.tsx';
import { runCommand } from '../keys/use-commands.ts';
import { announce } from '../parts/announcer.tsx';
import { useLanguages } from '../parts/languages.tsx';
import { Problem } from '../parts/problem.tsx';
import { saveFile } from '../parts/save-file.ts';
import { useAction } from '../parts/use-action.ts';
import { DeleteDocument } from './delete-document.tsx';
import styles from './editor.module.css';

/** One line above the segments: the file, its languages, who else works on it, and the actions on the whole file. */
export function EditorHead({
  document,
  others,
  onApprove,
}: {
  document: TenantDocumentJob;
  /** Names of colleagues who have the document open. */
  others: readonly string[];
  onApprove: () => void;
}) {
  const t = useT();
  const { nameOf } = useLanguages();
  const { run, error, isBusy } = useAction();
  const { source_file_name: name, source_format: format, request } = document;
  const download = run(async () => {
    await saveFile(await client.documents.download(document.id));
    announce(t('documents.downloaded'));
  });
  const isTranslated = document.status === 'translated';
  return (
    <>
      <div className={styles['head']}>
        <Link to="/app" className="button ghost" aria-label={t('editor.back')}>
          <ArrowLeft size={18} aria-hidden className={styles['mirrored']} />
        </Link>
        <span className={styles['format']} data-format={format} translate="no">
          {format}
        </span>
        <h1>
          <bdi translate="no">{name}</bdi>
        </h1>
        <span className={styles['pair']}>
          {t('documents.pair', { from: nameOf(request.source_lang), to: nameOf(request.target_lang) })}
        </span>
        <span className={styles['space']} />
        {others.length > 0 && (
          <ul className={styles['others']} aria-label={t('editor.others')}>
            {others.map((other) => (
              <li key={other} title={other}>
                <span translate="no" aria-hidden>
                  {[...other][0]?.toUpperCase()}
                </span>
                <bdi className="visually-hidden">{other}</bdi>
              </li>
            ))}
          </ul>
        )}
        <button
          type="button"
          className="ghost"
          aria-label={t('keys.title')}
          onClick={() => runCommand('help')}
        >
          <Keyboard size={17} aria-hidden />
        </button>
        {isTranslated && (
          <button type="button" className="ghost" disabled={isBusy} onClick={download}>
            <Download size={16} aria-hidden />
            <span className={styles['label']}>{t('documents.download')}</span>
          </button>
        )}
        {isTranslated && document.approved_at === null && (
          <button type="button" onClick={onApprove}>
            <CheckCheck size={16} aria-hidden />
            <span className={styles['label']}>{t('editor.approve')}</span>
          </button>
        )}
        <DeleteDocument documentId={document.id} />
      </div>
      {error ? <Problem error={error} /> : null}
    </>
  );
}
