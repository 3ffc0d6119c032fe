import { Link } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import type { TenantDocumentJob } from '#sdk/types.ts';
import { deployment } from '../../deployment.ts';
import { useT } from '../../i18n.tsx';
import { announce } from '../../parts/announcer.tsx';
import { useFormat } from '../../parts/format.ts';
import { LanguageSelect } from '../../parts/languages.tsx';
import { Problem } from '../../parts/problem.tsx';
import { SourceLanguageSelect } from '../../parts/source-language.tsx';
import { Warnings } from '../../parts/warnings.tsx';
import { accepted, type FilePaths, isTooLarge, pathsOf } from './file-kind.ts';
import { FilePages } from './file-pages.tsx';
import { OpenLanguage, openCandidates } from './open-language.tsx';
import { OptionFields } from './option-fields.tsx';
import { noOptions, optionsOf } from './options.ts';
import type { LanguageChoiceProps } from './search.ts';
import styles from './translate.module.css';
import { useFileSubmission } from './use-file-submission.ts';

/**
 * Translates a file: either its text, page by page, or the whole file, keeping its layout. The member sees which of
 * these applies before the file is sent.
 */
export function FileTranslation({ from, to, choose }: LanguageChoiceProps) {
  const t = useT();
  const { bytes } = useFormat();
  const { series, document, progress, isBusy, sendDocument, sendText } = useFileSubmission();
  const [file, setFile] = useState<File>();
  const [wantsText, setWantsText] = useState(false);
  const [options, setOptions] = useState(noOptions);
  const [wasSent, setWasSent] = useState(false);
  const paths = file && pathsOf(file);
  const keepsLayout = paths?.layout === true && !(wantsText && paths.text);
  const [target = ''] = to;
  const problem = !file
    ? wasSent && t('translate.no_file')
    : isTooLarge(file)
      ? t('translate.file_too_large', { most: bytes(deployment.maxUploadBytes) })
      : !paths?.text && !paths?.layout && t('translate.file_kind');

  const finish = (isDone: boolean) => announce(t(isDone ? 'translate.file_done' : 'translate.batch_stopped'));

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setWasSent(true);
    if (isBusy || !file || problem || !target) return;
    const submission = { file, from, target, options };
    if (!keepsLayout) finish(await sendText(submission));
    else if (await sendDocument(submission)) announce(t('translate.document_queued'));
  };

  return (
    <form onSubmit={(event) => void submit(event)} noValidate className={styles.columns}>
      <div>
        <FileField
          paths={paths}
          problem={problem}
          hint={file && !problem && t(keepsLayout ? 'translate.says_layout' : 'translate.says_text')}
          wantsText={wantsText}
          onFile={setFile}
          onPath={setWantsText}
        />
        <SourceLanguageSelect value={from} onChange={(code) => choose({ from: code })} />
        <OpenLanguage
          error={document.error ?? series.error}
          from={from}
          onChoose={(code) => choose({ from: code })}
        />
        <LanguageSelect
          label={t('translate.target_language')}
          value={target}
          any={t('translate.choose_one')}
          onChange={(code) => choose({ to: code ? [code] : [] })}
        />
        {wasSent && !target && <p className={styles.problem}>{t('translate.no_language')}</p>}
        <OptionFields
          options={options}
          offered={keepsLayout ? optionsOf.document : optionsOf.textFile}
          onChange={setOptions}
        />
        <button type="submit" className="primary" disabled={isBusy}>
          {isBusy ? t('translate.translating') : t('translate.submit')}
        </button>
        {progress !== undefined && <Upload progress={progress} />}
      </div>
      <section aria-label={t('translate.results')}>
        {document.error && !openCandidates(document.error) ? <Problem error={document.error} /> : null}
        {document.job && <QueuedDocument job={document.job} />}
        <FilePages series={series} resume={async () => finish(await series.resume())} />
      </section>
    </form>
  );
}

/**
 * The field for the file, and a selection if the file can be translated in two ways.
 * @param hint describes the selected way
 */
function FileField({
  paths,
  problem,
  hint,
  wantsText,
  onFile,
  onPath,
}: {
  paths: FilePaths | undefined;
  problem: string | false;
  hint: string | false | undefined;
  wantsText: boolean;
  onFile: (file: File | undefined) => void;
  onPath: (wantsText: boolean) => void;
}) {
  const t = useT();
  return (
    <>
      <label>
        {t('translate.file_field')}
        <input
          type="file"
          accept={accepted}
          aria-invalid={Boolean(problem)}
          aria-describedby="file-problem file-path"
          onChange={({ target: { files } }) => onFile(files?.[0])}
        />
      </label>
      <p id="file-problem" className={styles.problem}>
        {problem}
      </p>
      {paths?.text && paths.layout && (
        <fieldset className={styles.paths}>
          <legend>{t('translate.path')}</legend>
          <label className={styles.check}>
            <input type="radio" name="path" checked={!wantsText} onChange={() => onPath(false)} />
            {t('translate.path_layout')}
          </label>
          <label className={styles.check}>
            <input type="radio" name="path" checked={wantsText} onChange={() => onPath(true)} />
            {t('translate.path_text')}
          </label>
        </fieldset>
      )}
      <p id="file-path" className="hint">
        {hint}
      </p>
    </>
  );
}

/** @param progress the part of the file that has been sent, from 0 to 1 */
function Upload({ progress }: { progress: number }) {
  const t = useT();
  return (
    <p className={styles.upload}>
      <progress value={progress} aria-label={t('translate.uploading')} />{' '}
      {t(progress < 1 ? 'translate.uploading' : 'translate.uploaded')}
    </p>
  );
}

function QueuedDocument({ job: { id, warnings } }: { job: TenantDocumentJob }) {
  const t = useT();
  return (
    <>
      <p role="status">
        {t('translate.document_queued')}{' '}
        <Link to="/app/edit/documents/$documentId" params={{ documentId: id }}>
          {t('translate.document_open')}
        </Link>
      </p>
      <Warnings of={warnings} />
    </>
  );
}
