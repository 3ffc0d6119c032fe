import { useNavigate } from '@tanstack/react-router';
import { Lock, Upload } from 'lucide-react';
import { type DragEvent, type ReactNode, type SyntheticEvent, useState } from 'react';
import type { LanguageCode } from '#server/languages.ts';
import { deployment } from '../../deployment.ts';
import { useT } from '../../i18n.tsx';
import { Fill, Row, Stack } from '../../kit/box.tsx';
import { leaveFocus } from '../../kit/data-table.tsx';
import { FileChoice } from '../../kit/file-choice.tsx';
import { Flaw, Text } from '../../kit/text.tsx';
import { useFormat } from '../../parts/format.ts';
import { PlanLink } from '../../parts/plan-link.tsx';
import { Problem } from '../../parts/problem.tsx';
import { detected, SourceLanguageSelect } from '../../parts/source-language.tsx';
import { useAction } from '../../parts/use-action.ts';
import type { Coverage } from '../../session/use-coverage.ts';
import { createEstimate } from '../estimates/uploads.ts';
import { accepted } from './file-kind.ts';
import { type FileQueue, type FileRequest, type ListedFile, maxFiles } from './file-queue.ts';
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
  const isCovered = coverage === undefined || coverage === 'all';
  const t = useT();
  const [left, setLeft] = useState(0);
  const documents = useDocumentStates(files);
  return (
    <section className={styles.files} aria-label={t('translate.files')}>
      {isCovered ? (
        <DropArea isAlone={isAlone} onFiles={(added) => setLeft(queue.add(added))}>
          {isAlone && <SourceLanguageSelect value={from} onChange={(code) => choose({ from: code })} />}
          <TargetChips codes={to} onChange={(codes: LanguageCode[]) => choose({ to: codes })} />
        </DropArea>
      ) : (
        <div className={`drop-area ${styles.drop}`}>
          <Lock size={22} aria-hidden />
          <Stack gap={0} isFilling>
            <b>{t('translate.files_need_plan')}</b>
            <span className="hint">
              {coverage === 'texts' && t('translate.trial_covers')} <PlanLink />
            </span>
          </Stack>
        </div>
      )}
      {left > 0 && (
        <Row pad={3}>
          <Flaw>{t('translate.too_many_files', { count: left })}</Flaw>
        </Row>
      )}
      {files.length > 0 && (
        <ul id="files" tabIndex={-1} className="bare" aria-label={t('translate.results')}>
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
      {isCovered && queue.ready.length > 0 && (
        <SendFiles queue={queue} request={{ from, targets: to, options }} />
      )}
    </section>
  );
}

/** The area onto which files are dropped. @param children what applies to all files */
function DropArea({
  isAlone,
  onFiles,
  children,
}: {
  isAlone: boolean;
  onFiles: (files: File[]) => void;
  children: ReactNode;
}) {
  const t = useT();
  const { bytes, number } = useFormat();
  return (
    <div className={`drop-area ${styles.drop}`} data-alone={isAlone || undefined}>
      <Upload size={22} aria-hidden />
      <Fill least={16}>
        <b id="file-label">{t('translate.drop', { count: maxFiles })}</b>
        <span className="hint">
          {t('translate.drop_kinds', {
            // Those with a layout, plain text and CSV.
            formats: number(deployment.layoutFormats + 2),
            most: bytes(deployment.maxUploadBytes),
          })}{' '}
          <FileChoice
            isLink
            label={t('translate.choose_files')}
            name={t('translate.file_field')}
            accept={accepted}
            onFiles={onFiles}
          />
        </span>
      </Fill>
      <Row align="end" gap={4}>
        {children}
      </Row>
    </div>
  );
}

/** Sends the files that are ready, or estimates first what they cost. */
function SendFiles({ queue, request }: { queue: FileQueue; request: FileRequest }) {
  const t = useT();
  const navigate = useNavigate();
  const { from, targets, options } = request;
  const [wasSent, setWasSent] = useState(false);
  const hasTargets = targets.length > 0;
  const { run, error, isBusy } = useAction();
  const countable = queue.countable.length;
  // A file that becomes text has no estimate either, but its owner has chosen that.
  const withOptions = queue.ready.filter(({ keepsLayout }) => keepsLayout).length - countable;
  const send = ({ currentTarget }: SyntheticEvent) => {
    setWasSent(true);
    if (!hasTargets) return;
    leaveFocus(currentTarget, '#files');
    queue.send(request);
  };
  const estimate = run(async () => {
    setWasSent(true);
    if (!hasTargets) return;
    const counted = queue.countable;
    const id = await createEstimate(
      { source_lang: from, target_langs: [...targets], ...documentFields(options) },
      counted.flatMap(({ file }) => file ?? []),
    );
    for (const file of counted) queue.remove(file.id);
    await navigate({ to: '/app/estimates/$estimateId', params: { estimateId: id } });
  });
  return (
    <>
      <div className={styles.send}>
        <Text as="p" size="sm" tone={wasSent && !hasTargets ? 'crit' : 'soft'}>
          {!hasTargets
            ? t('translate.no_language')
            : t(from === detected ? 'translate.files_detected' : 'translate.files_cost')}
          {withOptions > 0 && ` ${t('translate.not_estimated', { count: withOptions })}`}
        </Text>
        <Row>
          {countable > 0 && (
            <button type="button" aria-disabled={isBusy} onClick={estimate}>
              {t('translate.estimate')}
            </button>
          )}
          <button type="button" className="primary" onClick={send}>
            {t('translate.send_files', { count: queue.ready.length })}
          </button>
        </Row>
      </div>
      {error !== undefined && <Problem error={error} retry={() => void estimate()} />}
    </>
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
