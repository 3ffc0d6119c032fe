import { Link } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import type { TenantDocumentJob } from '#sdk/types.ts';
import { client } from '../../client.ts';
import { deployment } from '../../deployment.ts';
import { useT } from '../../i18n.tsx';
import { announce } from '../../parts/announcer.tsx';
import { useFormat } from '../../parts/format.ts';
import { LanguageSelect } from '../../parts/languages.tsx';
import { Problem } from '../../parts/problem.tsx';
import { SourceLanguageSelect } from '../../parts/source-language.tsx';
import { Warnings } from '../../parts/warnings.tsx';
import { useSubmissionKeys } from '../../submission-keys.ts';
import { shareOf } from '../../upload.ts';
import { accepted, isTooLarge, pathsOf } from './file-kind.ts';
import { FilePages } from './file-pages.tsx';
import { OpenLanguage, openCandidates } from './open-language.tsx';
import { OptionFields } from './option-fields.tsx';
import { documentFields, fileFields, noOptions, optionsOf } from './options.ts';
import type { LanguageChoiceProps } from './search.ts';
import styles from './translate.module.css';
import { useSeries } from './use-series.ts';

/** Translates a file: its text page by page, or the file with its layout. The way is shown before sending. */
export function FileTranslation({ from, to, choose }: LanguageChoiceProps) {
  const t = useT();
  const { bytes } = useFormat();
  const keys = useSubmissionKeys();
  const series = useSeries();
  const [file, setFile] = useState<File>();
  const [wantsText, setWantsText] = useState(false);
  const [options, setOptions] = useState(noOptions);
  /** The uploaded share of the file during the upload. */
  const [progress, setProgress] = useState<number>();
  const [document, setDocument] = useState<{ job?: TenantDocumentJob; error?: unknown; isBusy?: true }>({});
  const [wasSent, setWasSent] = useState(false);
  const paths = file && pathsOf(file);
  const keepsLayout = paths?.layout === true && !(wantsText && paths.text);
  const isBusy = series.state === 'running' || document.isBusy === true;
  const [target = ''] = to;
  const problem = !file
    ? wasSent && t('translate.no_file')
    : isTooLarge(file)
      ? t('translate.file_too_large', { most: bytes(deployment.maxUploadBytes) })
      : !paths?.text && !paths?.layout && t('translate.file_kind');

  const sendDocument = async (source: File, identity: object) => {
    setDocument({ isBusy: true });
    setProgress(0);
    try {
      const request = { source_lang: from, target_lang: target, ...documentFields(options) };
      const poller = await client.documents.translate(source, request, {
        idempotencyKey: keys.keyOf(identity),
        onUploadProgress: shareOf(setProgress),
      });
      keys.done(identity);
      setDocument({ job: poller.job });
      announce(t('translate.document_queued'));
    } catch (error) {
      keys.failed(identity, error);
      setDocument({ error });
    } finally {
      setProgress(undefined);
    }
  };

  const sendText = (source: File, identity: object) => {
    setDocument({});
    setProgress(0);
    const request = { source_lang: from, target_lang: target, ...fileFields(options) };
    return series.start({
      key: keys.keyOf(identity),
      first: 1,
      async send(key) {
        try {
          const jobs = await client.translations.createFromFile(source, request, {
            idempotencyKey: key,
            onUploadProgress: shareOf(setProgress),
          });
          keys.done(identity);
          return jobs;
        } catch (error) {
          keys.failed(identity, error);
          throw error;
        } finally {
          setProgress(undefined);
        }
      },
    });
  };

  const finish = (isDone: boolean) => announce(t(isDone ? 'translate.file_done' : 'translate.batch_stopped'));

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setWasSent(true);
    if (isBusy || !file || problem || !target) return;
    const { name, size, lastModified } = file;
    const identity = { name, size, lastModified, from, target, keepsLayout, options };
    if (keepsLayout) {
      series.clear();
      await sendDocument(file, identity);
    } else finish(await sendText(file, identity));
  };

  return (
    <form onSubmit={(event) => void submit(event)} noValidate className={styles.columns}>
      <div>
        <label>
          {t('translate.file_field')}
          <input
            type="file"
            accept={accepted}
            aria-invalid={Boolean(problem)}
            aria-describedby="file-problem file-path"
            onChange={({ target: { files } }) => setFile(files?.[0])}
          />
        </label>
        <p id="file-problem" className={styles.problem}>
          {problem}
        </p>
        {paths?.text && paths.layout && (
          <fieldset className={styles.paths}>
            <legend>{t('translate.path')}</legend>
            <label className={styles.check}>
              <input type="radio" name="path" checked={!wantsText} onChange={() => setWantsText(false)} />
              {t('translate.path_layout')}
            </label>
            <label className={styles.check}>
              <input type="radio" name="path" checked={wantsText} onChange={() => setWantsText(true)} />
              {t('translate.path_text')}
            </label>
          </fieldset>
        )}
        <p id="file-path" className="hint">
          {file && !problem && t(keepsLayout ? 'translate.says_layout' : 'translate.says_text')}
        </p>
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
        {progress !== undefined && (
          <p className={styles.upload}>
            <progress value={progress} aria-label={t('translate.uploading')} />{' '}
            {t(progress < 1 ? 'translate.uploading' : 'translate.uploaded')}
          </p>
        )}
      </div>
      <section aria-label={t('translate.results')}>
        {document.error && !openCandidates(document.error) ? <Problem error={document.error} /> : null}
        {document.job && (
          <>
            <p role="status">
              {t('translate.document_queued')}{' '}
              <Link to="/app/documents/$documentId" params={{ documentId: document.job.id }}>
                {t('translate.document_open')}
              </Link>
            </p>
            <Warnings of={document.job.warnings} />
          </>
        )}
        <FilePages series={series} resume={async () => finish(await series.resume())} />
      </section>
    </form>
  );
}
