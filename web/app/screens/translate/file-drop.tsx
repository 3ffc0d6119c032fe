import { useNavigate } from '@tanstack/react-router';
import { Lock, Upload } from 'lucide-react';
import { type DragEvent, useState } from 'react';
import type { LanguageCode } from '#server/languages.ts';
import { deployment } from '../../deployment.ts';
import { useT } from '../../i18n.tsx';
import { useFormat } from '../../parts/format.ts';
import { PlanLink } from '../../parts/plan-link.tsx';
import { Problem } from '../../parts/problem.tsx';
import { detected, SourceLanguageSelect } from '../../parts/source-language.tsx';
import { useAction } from '../../parts/use-action.ts';
import type { Coverage } from '../../session/use-coverage.ts';
import { createEstimate } from '../estimates/uploads.ts';
import { accepted } from './file-kind.ts';
import { type FileQueue, type ListedFile, maxFiles } from './file-queue.ts';
import { FileRow } from './file-rows.tsx';
import styles from './files.module.css';
import { documentFields, type Options } from './options.ts';
import type { LanguageChoiceProps } from './search.ts';
import { TargetChips } from './target-chips.tsx';
import { useDocumentStates } from './use-document-states.ts';

/**
 * Several files into several languages: the area where files are dropped, and a row for each file with its progress and
 * results.
 * @param isAlone whether the area is the only content of the screen
 */
export function FileDrop({
  queue,
  files,
  from,
  to,
  choose,
  options,
  isAlone,
  coverage,
}: LanguageChoiceProps & {
  queue: FileQueue;
  files: readonly ListedFile[];
  options: Options;
  isAlone: boolean;
  /** The work that the workspace may start; undefined if unknown. */
  coverage: Coverage | undefined;
}) {
  const t = useT();
  const isCovered = coverage === undefined || coverage === 'all';
  const { bytes, number } = useFormat();
  const [left, setLeft] = useState(0);
  const [wasSent, setWasSent] = useState(false);
  const documents = useDocumentStates(files);
  const ready = queue.ready.length;
  const send = () => {
    setWasSent(true);
    if (to.length > 0) queue.send({ from, targets: to, options });
  };
  const navigate = useNavigate();
  const estimating = useAction();
  const countable = queue.countable.length;
  // A file that becomes text has no estimate either, but its owner has chosen that.
  const withOptions = queue.ready.filter(({ keepsLayout }) => keepsLayout).length - countable;
  const estimate = estimating.run(async () => {
    setWasSent(true);
    if (to.length === 0) return;
    const counted = queue.countable;
    const request = { source_lang: from, target_langs: to, ...documentFields(options) };
    const id = await createEstimate(
      request,
      counted.flatMap(({ file }) => file ?? []),
    );
    for (const file of counted) queue.remove(file.id);
    await navigate({ to: '/app/estimates/$estimateId', params: { estimateId: id } });
  });
  return (
    <section className={styles.files} aria-label={t('translate.files')} data-alone={isAlone || undefined}>
      {isCovered ? (
        <div className={`drop-area ${styles.drop}`}>
          <Upload size={22} aria-hidden />
          <div className={styles.words}>
            <b id="file-label">{t('translate.drop', { count: maxFiles })}</b>
            <span className="hint">
              {t('translate.drop_kinds', {
                // Those with a layout, plain text and CSV.
                formats: number(deployment.layoutFormats + 2),
                most: bytes(deployment.maxUploadBytes),
              })}{' '}
              <label className={`file-choice ${styles.choose}`}>
                {t('translate.choose_files')}
                <input
                  type="file"
                  multiple
                  accept={accepted}
                  aria-label={t('translate.file_field')}
                  onChange={({ target }) => {
                    setLeft(queue.add([...(target.files ?? [])]));
                    // The same file can be selected again.
                    target.value = '';
                  }}
                />
              </label>
            </span>
          </div>
          {isAlone && <SourceLanguageSelect value={from} onChange={(code) => choose({ from: code })} />}
          <TargetChips codes={to} onChange={(codes: LanguageCode[]) => choose({ to: codes })} />
        </div>
      ) : (
        <p className={`drop-area ${styles.drop}`}>
          <Lock size={22} aria-hidden />
          <span className={styles.words}>
            <b>{t('translate.files_need_plan')}</b>
            <span className="hint">
              {coverage === 'texts' && t('translate.trial_covers')} <PlanLink />
            </span>
          </span>
        </p>
      )}
      {left > 0 && <p className={styles.problem}>{t('translate.too_many_files', { count: left })}</p>}
      {files.length > 0 && (
        <ul className="bare" aria-label={t('translate.results')}>
          {files.map((file) => (
            <FileRow
              key={file.id}
              file={file}
              queue={queue}
              request={{ from, targets: to, options }}
              documents={documents}
            />
          ))}
        </ul>
      )}
      {isCovered && ready > 0 && (
        <div className={styles.send}>
          <p className={wasSent && to.length === 0 ? styles.problem : 'hint'}>
            {to.length === 0
              ? t('translate.no_language')
              : t(from === detected ? 'translate.files_detected' : 'translate.files_cost')}
            {withOptions > 0 && ` ${t('translate.not_estimated', { count: withOptions })}`}
          </p>
          <div className={styles.acts}>
            {countable > 0 && (
              <button type="button" disabled={estimating.isBusy} onClick={estimate}>
                {t('translate.estimate')}
              </button>
            )}
            <button type="button" className="primary" onClick={send}>
              {t('translate.send_files', { count: ready })}
            </button>
          </div>
        </div>
      )}
      {estimating.error !== undefined && <Problem error={estimating.error} retry={() => void estimate()} />}
    </section>
  );
}

/** The handlers of an element on which files can be dropped. */
export function useFileDropping(onFiles: (files: File[]) => void) {
  const [isOver, setOver] = useState(false);
  const hasFiles = (event: DragEvent) => event.dataTransfer.types.includes('Files');
  return {
    isOver,
    handlers: {
      onDragOver(event: DragEvent) {
        if (!hasFiles(event)) return;
        event.preventDefault();
        setOver(true);
      },
      onDragLeave(event: DragEvent) {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false);
      },
      onDrop(event: DragEvent) {
        if (!hasFiles(event)) return;
        event.preventDefault();
        setOver(false);
        onFiles([...event.dataTransfer.files]);
      },
    },
  };
}
