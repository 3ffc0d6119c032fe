import { X } from 'lucide-react';
import { deployment } from '../../deployment.ts';
import { useT } from '../../i18n.tsx';
import { Stack } from '../../kit/box.tsx';
import { Choice } from '../../kit/check-group.tsx';
import { leaveFocus } from '../../kit/data-table.tsx';
import { IconButton } from '../../kit/icon-button.tsx';
import { Flaw, Text } from '../../kit/text.tsx';
import { useFormat } from '../../parts/format.ts';
import { FormatBadge } from '../../parts/format-badge.tsx';
import { useLanguages } from '../../parts/languages.tsx';
import { EarlierVersion } from './earlier-version.tsx';
import { accepted, pathsOf } from './file-kind.ts';
import { FileParts } from './file-parts.tsx';
import type { FileQueue, FileRequest, ListedFile } from './file-queue.ts';
import { FailedLine, FileTaskLine, failedAlike } from './file-task-line.tsx';
import styles from './files.module.css';
import { fileName } from './series.ts';
import type { DocumentState } from './use-document-states.ts';

/** A file: its name, how it is translated, and a line for each language into which it was sent. */
export function FileRow({
  file,
  queue,
  request,
  documents,
}: {
  file: ListedFile;
  queue: FileQueue;
  /** How files are translated that are not sent yet. */
  request: FileRequest;
  documents: ReadonlyMap<string, DocumentState>;
}) {
  const t = useT();
  const { bytes } = useFormat();
  const { nameOf } = useLanguages();
  const { id, tasks, problem } = file;
  const [firstJob] = tasks[0]?.pages?.jobs.values() ?? [];
  const name = file.name || fileName(firstJob) || t('translate.file');
  const isReady = tasks.length === 0;
  const about = isReady
    ? file.file && bytes(file.file.size)
    : tasks
        .map(({ target }) => target || firstJob?.request.target_lang)
        .flatMap((code) => (code ? nameOf(code) : []))
        .join(', ');
  return (
    <li className={styles.row}>
      <FormatBadge name={name} />
      <Stack gap={0}>
        <Text as="b">
          <bdi translate="no">{name}</bdi>
        </Text>
        <Text size="xs" tone="faint">
          {about}
        </Text>
      </Stack>
      <div className={styles.tasks}>
        {problem && (
          <Flaw>
            {t(problem === 'size' ? 'translate.file_too_large' : `translate.file_${problem}`, {
              most: bytes(deployment.maxUploadBytes),
              types: accepted.replaceAll(',', ' '),
            })}
          </Flaw>
        )}
        {isReady && !problem && <PathChoice file={file} queue={queue} />}
        {isReady && !problem && file.keepsLayout && (
          <>
            <EarlierVersion file={file} request={request} queue={queue} />
            <FileParts file={file} queue={queue} />
          </>
        )}
        {failedAlike(tasks, t) ? (
          <FailedLine file={file} name={name} tasks={tasks} queue={queue} />
        ) : (
          tasks.map((task) => (
            <FileTaskLine
              key={task.target}
              file={file}
              name={name}
              task={task}
              state={task.document && documents.get(task.document.id)}
              queue={queue}
            />
          ))
        )}
      </div>
      <IconButton
        label={t('translate.remove_file', { name })}
        onClick={({ currentTarget }) => {
          leaveFocus(currentTarget.parentElement, `.${styles.row} > button`);
          queue.remove(id);
        }}
      >
        <X size={16} aria-hidden />
      </IconButton>
    </li>
  );
}

/** Whether the file keeps its layout, or only its text is translated: a choice, if both are possible. */
function PathChoice({ file, queue }: { file: ListedFile; queue: FileQueue }) {
  const t = useT();
  const paths = pathsOf(file);
  const says = file.keepsLayout ? 'translate.says_layout' : 'translate.says_text';
  return (
    <>
      {paths.text && paths.layout && (
        <Choice
          label={t('translate.path')}
          isLabelShown={false}
          isRow
          value={file.keepsLayout ? 'layout' : 'text'}
          options={[
            ['layout', t('translate.path_layout')],
            ['text', t('translate.path_text')],
          ]}
          onChange={(path) => queue.keepLayout(file.id, path === 'layout')}
        />
      )}
      {!(file.keepsLayout && file.parts.output !== 'translated') && <p className="hint">{t(says)}</p>}
    </>
  );
}
