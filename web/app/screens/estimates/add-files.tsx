import { Upload as UploadIcon, X } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { Analysis } from '#sdk/types.ts';
import { deployment } from '../../deployment.ts';
import { useT } from '../../i18n.tsx';
import { Fill, Row } from '../../kit/box.tsx';
import { FileChoice } from '../../kit/file-choice.tsx';
import { IconButton } from '../../kit/icon-button.tsx';
import { Flaw, Text } from '../../kit/text.tsx';
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
        <section>
          <Row>
            <StatusMark status="critical" />
            <Text as="h2" size="sm">
              {t('estimates.refused_files', { count: refused.length + problems.length })}
            </Text>
            <span className="hint">{t('estimates.refused_note')}</span>
          </Row>
          <ul className="rows">
            {refused.map((file) => (
              <RefusedRow key={file.id} name={file.name} why={<Reason refusal={file.refusal ?? ''} />}>
                {isOpen && <Choose label={t('estimates.replace')} name={file.name} onFiles={add} />}
                <RemoveFile estimateId={estimate.id} file={file} />
              </RefusedRow>
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
      {left > 0 && <Flaw role="alert">{t('estimates.left_out', { count: left })}</Flaw>}
    </>
  );
}

/** A button to select files. @param name the file that they replace */
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
    <FileChoice label={label} name={name ? `${label} ${name}` : label} accept={accepted} onFiles={onFiles} />
  );
}

/** A file that cannot be translated, why, and what can be done. */
function RefusedRow({ name, why, children }: { name: string; why: ReactNode; children: ReactNode }) {
  return (
    <li>
      <Row gap={3}>
        <FileName name={name} />
        <Fill least={14}>{why}</Fill>
        {children}
      </Row>
    </li>
  );
}

/** Why the service refuses a file. Its own message is in English. */
function Reason({ refusal }: { refusal: string }) {
  const t = useT();
  const known = refusalId(refusal);
  if (known)
    return (
      <Flaw as="span" title={refusal}>
        {t(known)}
      </Flaw>
    );
  return (
    <Flaw as="span">
      <bdi lang="en" translate="no">
        {refusal}
      </bdi>
    </Flaw>
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
    <RefusedRow
      name={name}
      why={
        <Flaw as="span">
          {problem === 'empty'
            ? t('translate.file_empty')
            : problem === 'size'
              ? t('translate.file_too_large', { most: bytes(deployment.maxUploadBytes) })
              : `${t('estimates.upload_failed')}: ${problemText(problem?.error, t)}`}
        </Flaw>
      }
    >
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
      <IconButton label={t('estimates.remove', { name })} onClick={remove}>
        <X size={16} aria-hidden />
      </IconButton>
    </RefusedRow>
  );
}
