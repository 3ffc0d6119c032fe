import { Upload as UploadIcon, X } from 'lucide-react';
import { useState } from 'react';
import type { Analysis } from '#sdk/types.ts';
import { deployment } from '../../deployment.ts';
import { useT } from '../../i18n.tsx';
import { useFormat } from '../../parts/format.ts';
import { problemText } from '../../parts/problem.tsx';
import { StatusMark } from '../../parts/status-mark.tsx';
import { useFileDropping } from '../translate/file-drop.tsx';
import { accepted } from '../translate/file-kind.ts';
import { refusalId } from './counts.ts';
import { FileName, RemoveFile } from './estimate-table.tsx';
import styles from './estimates.module.css';
import { addFiles, maxFiles, removeUpload, retryUpload, type Upload, useUploads } from './uploads.ts';

/** Adds files to an estimate, and lists those that cannot be translated, each with its reason and what can be done. */
export function AddFiles({ estimate }: { estimate: Analysis }) {
  const t = useT();
  const [left, setLeft] = useState(0);
  const uploads = useUploads(estimate.id);
  const add = (files: File[]) => setLeft(addFiles(estimate.id, files, estimate.files.length));
  const { isOver, handlers } = useFileDropping(add);
  const isOpen =
    estimate.status !== 'canceled' && estimate.started_at === null && estimate.files.length < maxFiles;
  const refused = estimate.files.filter(({ state }) => state === 'refused');
  const problems = uploads.filter(({ problem }) => problem);
  return (
    <>
      {refused.length + problems.length > 0 && (
        <section className={styles.refused}>
          <h2>
            <StatusMark status="critical" />{' '}
            {t('estimates.refused_files', { count: refused.length + problems.length })}{' '}
            <span className="hint">{t('estimates.refused_note')}</span>
          </h2>
          <ul>
            {refused.map((file) => (
              <li key={file.id}>
                <FileName name={file.name} />
                <Reason refusal={file.refusal ?? ''} />
                {isOpen && <Choose label={t('estimates.replace')} name={file.name} onFiles={add} />}
                <RemoveFile estimateId={estimate.id} file={file} />
              </li>
            ))}
            {problems.map((upload) => (
              <ProblemRow key={upload.id} estimateId={estimate.id} upload={upload} onFiles={add} />
            ))}
          </ul>
        </section>
      )}
      {isOpen && (
        <div className={`drop-area ${styles.drop}`} data-over={isOver || undefined} {...handlers}>
          <UploadIcon size={18} aria-hidden />
          {estimate.files.length + uploads.length === 0 && <span>{t('estimates.no_files')}</span>}
          <Choose label={t('estimates.add')} onFiles={add} />
        </div>
      )}
      {left > 0 && (
        <p role="alert" className={styles.reason}>
          {t('estimates.left_out', { count: left })}
        </p>
      )}
    </>
  );
}

/** A button that opens the dialog of the browser to select files. */
function Choose({
  label,
  name,
  onFiles,
}: {
  label: string;
  name?: string;
  onFiles: (files: File[]) => void;
}) {
  return (
    <label className="button file-choice">
      {label}
      <input
        type="file"
        multiple
        accept={accepted}
        aria-label={name ? `${label} ${name}` : label}
        onChange={({ target }) => {
          onFiles([...(target.files ?? [])]);
          // The same file can be selected again.
          target.value = '';
        }}
      />
    </label>
  );
}

/** Why the service refuses a file. Its own message is in English. */
function Reason({ refusal }: { refusal: string }) {
  const t = useT();
  const known = refusalId(refusal);
  if (known)
    return (
      <span className={styles.reason} title={refusal}>
        {t(known)}
      </span>
    );
  return (
    <span className={styles.reason} lang="en" dir="auto" translate="no">
      {refusal}
    </span>
  );
}

function ProblemRow({
  estimateId,
  upload: { id, file, problem },
  onFiles,
}: {
  estimateId: string;
  upload: Upload;
  onFiles: (files: File[]) => void;
}) {
  const t = useT();
  const { bytes } = useFormat();
  const { name } = file;
  const remove = () => removeUpload(estimateId, id);
  return (
    <li>
      <FileName name={name} />
      <span className={styles.reason}>
        {problem === 'empty'
          ? t('translate.file_empty')
          : problem === 'size'
            ? t('translate.file_too_large', { most: bytes(deployment.maxUploadBytes) })
            : `${t('estimates.upload_failed')}: ${problemText(problem?.error, t)}`}
      </span>
      {typeof problem === 'object' ? (
        <button type="button" className="small" onClick={() => retryUpload(estimateId, id)}>
          {t('common.retry')}
        </button>
      ) : (
        <Choose
          label={t('estimates.replace')}
          name={name}
          onFiles={(files) => {
            if (files.length > 0) remove();
            onFiles(files);
          }}
        />
      )}
      <button
        type="button"
        className="ghost icon"
        aria-label={t('estimates.remove', { name })}
        title={t('estimates.remove', { name })}
        onClick={remove}
      >
        <X size={16} aria-hidden />
      </button>
    </li>
  );
}
