import { type FormEvent, type ReactNode, useId, useRef, useState } from 'react';
import { LinguaLoopError } from '#sdk/errors.ts';
import { deployment } from '../../deployment.ts';
import { useT } from '../../i18n.tsx';
import { Field } from '../../parts/field.tsx';
import { useFormat } from '../../parts/format.ts';
import { LanguageSelect } from '../../parts/languages.tsx';
import { Problem } from '../../parts/problem.tsx';
import { useAction } from '../../parts/use-action.ts';
import type { UploadShare } from '../../upload.ts';
import styles from './sets.module.css';

/** Maximum length of a set's name. */
const maxNameLength = 128;

/** The fields sent with the file; a language is '' if the file contains it. */
export interface SetFields {
  name: string;
  source_lang: string;
  target_lang: string;
}

/**
 * Uploads a file as a set. If the file is rejected, the service's message is shown with the line that it names.
 * @param accept the file's extensions
 * @param isPairNeeded whether this file needs its languages to be read
 * @param names of existing sets: a file with the same name replaces the set
 * @param send uploads the file; its error is shown
 */
export function UploadForm({
  accept,
  hint,
  isPairNeeded,
  names,
  send,
}: {
  accept: string;
  hint: string;
  isPairNeeded: (file: File | undefined) => boolean;
  names: readonly string[];
  send: (file: File, fields: SetFields, onProgress: UploadShare) => Promise<void>;
}) {
  const t = useT();
  const { bytes } = useFormat();
  const ids = useId();
  const { run, error, isBusy } = useAction();
  const input = useRef<HTMLInputElement>(null);
  const [file, setFile] = useState<File>();
  const [fields, setFields] = useState<SetFields>({ name: '', source_lang: '', target_lang: '' });
  const [sent, setSent] = useState<number>();
  const [wrongLine, setWrongLine] = useState<FileLine>();
  const [wasSent, setWasSent] = useState(false);
  const change = (changed: Partial<SetFields>) => setFields((before) => ({ ...before, ...changed }));
  const name = fields.name.trim();
  const isReplacing = names.includes(name);
  const needsPair = isPairNeeded(file);
  const fileProblem = !file
    ? wasSent && t('sets.no_file')
    : file.size > deployment.maxUploadBytes &&
      t('sets.file_too_large', { most: bytes(deployment.maxUploadBytes) });
  const isPairMissing = needsPair && !(fields.source_lang && fields.target_lang);

  const choose = (chosen: File | undefined) => {
    setFile(chosen);
    // The name follows the file until the member types another one.
    if (fields.name === '' || fields.name === nameOf(file)) change({ name: nameOf(chosen) });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setWasSent(true);
    if (!file || fileProblem || name === '' || isPairMissing) return;
    void run(async () => {
      setWrongLine(undefined);
      setSent(0);
      try {
        await send(file, { ...fields, name }, setSent);
        // The next file becomes another set, unless it has the same name.
        if (input.current) input.current.value = '';
        setFile(undefined);
        change({ name: '' });
        setWasSent(false);
      } catch (thrown) {
        setWrongLine(await readRefusedLine(file, thrown));
        throw thrown;
      } finally {
        setSent(undefined);
      }
    })();
  };

  return (
    <form onSubmit={submit} noValidate className="form">
      <div className="field">
        <label htmlFor={`${ids}-file`}>{t('sets.file')}</label>
        <input
          ref={input}
          id={`${ids}-file`}
          type="file"
          accept={accept}
          aria-invalid={fileProblem ? true : undefined}
          aria-describedby={`${ids}-hint ${ids}-problem`}
          onChange={({ target }) => choose(target.files?.[0])}
        />
        <span id={`${ids}-hint`} className="hint">
          {hint}
        </span>
        <span id={`${ids}-problem`} className="field-problem">
          {fileProblem}
        </span>
      </div>
      <Field
        label={t('sets.name')}
        value={fields.name}
        maxLength={maxNameLength}
        dir="auto"
        autoComplete="off"
        problem={wasSent && name === '' ? t('sets.no_name') : undefined}
        {...(isReplacing && { hint: t('sets.replaces') })}
        onValue={(value) => change({ name: value })}
      />
      <div className={styles.pair}>
        <LanguageSelect
          label={t('sets.source_language')}
          value={fields.source_lang}
          any={t(needsPair ? 'sets.choose_one' : 'sets.as_in_file')}
          onChange={(code) => change({ source_lang: code })}
        />
        <LanguageSelect
          label={t('sets.target_language')}
          value={fields.target_lang}
          any={t(needsPair ? 'sets.choose_one' : 'sets.as_in_file')}
          onChange={(code) => change({ target_lang: code })}
        />
      </div>
      {wasSent && isPairMissing && <p className="field-problem">{t('sets.no_language')}</p>}
      {error ? <Problem error={error} /> : null}
      {wrongLine && (
        <figure className={styles.wrongLine}>
          <figcaption className="hint">{t('sets.wrong_line', { line: wrongLine.line })}</figcaption>
          <pre dir="auto" translate="no">
            {wrongLine.text}
          </pre>
        </figure>
      )}
      <div className="actions">
        <button type="submit" className="primary" disabled={isBusy}>
          {t(isReplacing ? 'sets.replace' : 'sets.upload')}
        </button>
        {sent !== undefined && (
          <span className={styles.sending}>
            <progress {...(sent < 1 && { value: sent })} aria-label={t('sets.sending')} />
            {t(sent < 1 ? 'sets.sending' : 'sets.reading')}
          </span>
        )}
      </div>
    </form>
  );
}

/** The default name of a file's set. */
function nameOf(file: File | undefined): string {
  return file?.name.replace(/\.[^.]*$/, '').slice(0, maxNameLength) ?? '';
}

/**
 * Collapses the upload form if there are sets. It stays open when the first set is created, so that its result is visible.
 */
export function UploadSection({
  title,
  isOpenFirst,
  children,
}: {
  title: string;
  isOpenFirst: boolean;
  children: ReactNode;
}) {
  const [isOpen] = useState(isOpenFirst);
  return (
    <details className={styles.upload} open={isOpen}>
      <summary>{title}</summary>
      {children}
    </details>
  );
}

/** A line of a file, from 1. */
interface FileLine {
  line: number;
  text: string;
}

/** Bytes of a file that are read to show a line; for later lines, only the number is shown. */
const searchedBytes = 8_000_000;

/** Maximum number of characters of a line to show. */
const shownCharacters = 300;

/**
 * Reads the line that an error names, so that the member does not have to open the file; undefined if it names none that can
 * be shown.
 */
async function readRefusedLine(file: File, error: unknown): Promise<FileLine | undefined> {
  if (!(error instanceof LinguaLoopError) || typeof error.detail !== 'string') return undefined;
  const line = Number(/\bline (\d+):/.exec(error.detail)?.[1]);
  if (!line) return undefined;
  // The service reads only UTF-8; other bytes show as replacement characters.
  const text = await file
    .slice(0, searchedBytes)
    .text()
    .catch(() => '');
  const found = text.split(/\r\n|\r|\n/, line)[line - 1];
  return found ? { line, text: found.slice(0, shownCharacters) } : undefined;
}
