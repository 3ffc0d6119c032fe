import { Upload } from 'lucide-react';
import { type FormEvent, type ReactNode, type RefObject, useRef, useState } from 'react';
import type { GlossaryPreview } from '#sdk/types.ts';
import { deployment } from '../../deployment.ts';
import { useT } from '../../i18n.tsx';
import { Grid, Row } from '../../kit/box.tsx';
import { Field, Labelled } from '../../kit/field.tsx';
import { useFormat } from '../../parts/format.ts';
import { LanguageSelect } from '../../parts/languages.tsx';
import { Problem } from '../../parts/problem.tsx';
import { useAction } from '../../parts/use-action.ts';
import { maxNameLength } from '../../terms/use-new-glossary.ts';
import type { UploadShare } from '../../upload.ts';
import { useDefaultLanguages } from '../general/default-languages.ts';
import {
  type AssignedTable,
  assignmentOf,
  ColumnFields,
  isComplete,
  type ReadTable,
  tableOf,
} from './column-fields.tsx';
import { FileInput } from './file-input.tsx';
import { ImportPreview } from './import-preview.tsx';
import { type FileLine, RefusedLine, readRefusedLine } from './line-warnings.tsx';

/** The fields that are sent with the file. A language is '' if the file itself names it. */
export interface SetFields {
  name: string;
  source_lang: string;
  target_lang: string;
  /** The use of the file's columns, if the member has assigned them. */
  table?: AssignedTable | undefined;
}

interface Uploading {
  /** Reads the file without storing it; undefined if the file cannot be previewed, and is sent directly. */
  preview?: ((file: File, fields: SetFields) => Promise<GlossaryPreview | undefined>) | undefined;
  /** Uploads the file, and returns a function that shows the result; the form shows its error. */
  send: (file: File, fields: SetFields, onProgress: UploadShare) => Promise<() => void>;
}

/**
 * A form that uploads a file as a set. If the service rejects the file, the form shows the message and the line to
 * which it refers.
 * @param accept the extensions that the file dialog offers
 * @param isPairNeeded whether the service can read this file only with its languages
 * @param names the names of existing sets; a file with one of these names replaces that set
 */
export function UploadForm({
  accept,
  hint,
  isPairNeeded,
  names,
  preview,
  send,
}: {
  accept: string;
  hint: string;
  isPairNeeded: (file: File | undefined) => boolean;
  names: readonly string[];
} & Uploading) {
  const t = useT();
  const { upload, error, isBusy, sent, wrongLine, previewed, endPreview } = useUpload({ preview, send });
  const input = useRef<HTMLInputElement>(null);
  const [file, setFile] = useState<File>();
  const [fields, setFields] = useState<SetFields>({ name: '', source_lang: '', target_lang: '' });
  const [wasSent, setWasSent] = useState(false);
  const [assigned, setAssigned] = useState<AssignedTable>();
  const change = (changed: Partial<SetFields>) => setFields((before) => ({ ...before, ...changed }));
  const name = fields.name.trim();
  const isReplacing = names.includes(name);
  const needsPair = isPairNeeded(file);
  const defaults = useDefaultLanguages();
  const pair = {
    source_lang: fields.source_lang || (needsPair && defaults?.source) || '',
    target_lang: fields.target_lang || (needsPair && defaults?.targets[0]) || '',
  };
  const isPairMissing = needsPair && !(pair.source_lang && pair.target_lang);

  /** The columns that the service has read, also if it has rejected the file. */
  const table = previewed ? previewed.table : tableOf(error);
  const shown = assigned ?? (table && assignmentOf(table));
  /** Whether the columns were changed after the preview. */
  const isOutdated = previewed?.table && shown && !isAsRead(previewed.table, shown);

  const choose = (chosen: File | undefined) => {
    setFile(chosen);
    setAssigned(undefined);
    // The name of the set follows that of the file until the member types another name.
    if (fields.name === '' || fields.name === nameOf(file)) change({ name: nameOf(chosen) });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setWasSent(true);
    if (!file || isTooLarge(file) || name === '' || isPairMissing) return;
    if (assigned && !isComplete(assigned)) return;
    const isConfirmed = previewed !== undefined && !isOutdated;
    void upload(file, { ...fields, ...pair, name, table: assigned }, isConfirmed, () => {
      // The form is cleared, because the next file usually becomes another set.
      if (input.current) input.current.value = '';
      setFile(undefined);
      setAssigned(undefined);
      change({ name: '' });
      setWasSent(false);
    });
  };

  const isPreviewNext = previewed ? isOutdated : preview;
  return (
    <form onSubmit={submit} noValidate className={previewed ? undefined : 'form'}>
      {file && previewed ? (
        <ImportPreview file={file} name={name} preview={previewed} />
      ) : (
        <>
          <FileField {...{ ref: input, file, accept, hint }} isNeeded={wasSent} onFile={choose} />
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
          <LanguagePair fields={pair} isNeeded={needsPair} onChange={change} />
          {wasSent && isPairMissing && <p className="field-problem">{t('sets.no_language')}</p>}
        </>
      )}
      {error ? <Problem error={error} /> : null}
      {wrongLine && <RefusedLine line={wrongLine} />}
      {table && shown && <ColumnFields table={table} assigned={shown} onAssign={setAssigned} />}
      {isOutdated && <p role="status">{t('sets.columns_changed')}</p>}
      <div className="actions">
        <button type="submit" className="primary" aria-disabled={isBusy}>
          {t(isPreviewNext ? 'sets.preview' : isReplacing ? 'sets.replace' : 'sets.upload')}
        </button>
        {previewed && (
          <button type="button" disabled={isBusy} onClick={endPreview}>
            {t('sets.back')}
          </button>
        )}
        {sent !== undefined && <Sending sent={sent} />}
      </div>
    </form>
  );
}

/** Previews a file, then sends it. Returns the state of both. */
function useUpload({ preview, send }: Uploading) {
  const { run, error, isBusy } = useAction();
  const [sent, setSent] = useState<number>();
  const [wrongLine, setWrongLine] = useState<FileLine>();
  const [previewed, setPreviewed] = useState<GlossaryPreview>();
  /** @param isConfirmed whether the member has seen the preview of this upload */
  const upload = (file: File, fields: SetFields, isConfirmed: boolean, onSent: () => void) =>
    run(async () => {
      setWrongLine(undefined);
      try {
        const found = isConfirmed ? undefined : await preview?.(file, fields);
        setPreviewed(found);
        if (found) return;
        setSent(0);
        const showResult = await send(file, fields, setSent);
        onSent();
        // Last, because an announcement renders everything: the result and the empty form appear together.
        showResult();
      } catch (thrown) {
        setWrongLine(await readRefusedLine(file, thrown));
        throw thrown;
      } finally {
        setSent(undefined);
      }
    })();
  return { upload, error, isBusy, sent, wrongLine, previewed, endPreview: () => setPreviewed(undefined) };
}

function isTooLarge(file: File | undefined): boolean {
  return file !== undefined && file.size > deployment.maxUploadBytes;
}

/** Whether the member's columns are those that the service has read. */
function isAsRead(table: ReadTable, assigned: AssignedTable): boolean {
  return JSON.stringify(assignmentOf(table)) === JSON.stringify(assigned);
}

/** The progress of an upload. @param sent the part of the file that was sent, from 0 to 1 */
function Sending({ sent }: { sent: number }) {
  const t = useT();
  return (
    <Row as="span">
      <progress {...(sent < 1 && { value: sent })} aria-label={t('sets.sending')} />
      {t(sent < 1 ? 'sets.sending' : 'sets.reading')}
    </Row>
  );
}

function FileField({
  ref,
  file,
  accept,
  hint,
  isNeeded,
  onFile,
}: {
  ref: RefObject<HTMLInputElement | null>;
  file: File | undefined;
  accept: string;
  hint: string;
  /** Whether a missing file is a mistake already. */
  isNeeded: boolean;
  onFile: (file: File | undefined) => void;
}) {
  const t = useT();
  const { bytes } = useFormat();
  const missing = !file && isNeeded && t('sets.no_file');
  const tooLarge = isTooLarge(file) && t('sets.file_too_large', { most: bytes(deployment.maxUploadBytes) });
  return (
    <Labelled label={t('sets.file')} hint={hint} problem={missing || tooLarge || undefined}>
      {(control) => (
        <FileInput
          {...control}
          ref={ref}
          accept={accept}
          files={file ? [file] : []}
          onFiles={([first]) => onFile(first)}
        />
      )}
    </Labelled>
  );
}

/**
 * Fields for the languages of a file.
 * @param isNeeded whether the languages must be selected, because the file does not name them
 */
function LanguagePair({
  fields,
  isNeeded,
  onChange,
}: {
  fields: Pick<SetFields, 'source_lang' | 'target_lang'>;
  isNeeded: boolean;
  onChange: (changed: Partial<SetFields>) => void;
}) {
  const t = useT();
  const any = t(isNeeded ? 'sets.choose_one' : 'sets.as_in_file');
  return (
    <Grid least={12}>
      <LanguageSelect
        label={t('sets.source_language')}
        value={fields.source_lang}
        any={any}
        onChange={(code) => onChange({ source_lang: code })}
      />
      <LanguageSelect
        label={t('sets.target_language')}
        value={fields.target_lang}
        any={any}
        onChange={(code) => onChange({ target_lang: code })}
      />
    </Grid>
  );
}

/** The default name of a set: the name of its file without the extension. */
function nameOf(file: File | undefined): string {
  return file?.name.replace(/\.[^.]*$/, '').slice(0, maxNameLength) ?? '';
}

/**
 * The upload form, collapsed if there already are sets. It stays open when the first set is created, so that the result
 * is visible.
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
    <details open={isOpen}>
      <summary className="button">
        <Upload size={16} aria-hidden /> {title}
      </summary>
      {children}
    </details>
  );
}
