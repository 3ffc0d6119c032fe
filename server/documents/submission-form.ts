import { AppError } from '#server/errors.ts';
import type { Languages } from '#server/formats/document.ts';
import { layoutKind, plainFileName } from '#server/formats/document-kind.ts';
import { allExtensions, type LayoutKind, layoutKinds } from '#server/formats/layout-kinds.ts';
import { clip } from '#server/formats/text.ts';
import { fingerprintOf } from '#server/http/request-fingerprint.ts';
import { requireLanguage } from '#server/http/supported-language.ts';
import type { Warning } from '#server/http/warnings.ts';
import { languageWarnings, unknownFieldWarnings } from '#server/translation/intake/request-warnings.ts';
import { asksForDetection, type SourceDetection } from '#server/translation/intake/source-language.ts';
import { readLimits, type SubmissionLimits } from '#server/translation/intake/submission-limits.ts';
import type { UploadedFile } from '#server/trpc.ts';
import { type DocumentForm, type DocumentTranslationRequest, documentForm } from './schema.ts';
import { readSelection } from './selection-fields.ts';

/** A form with valid fields; missing fields have their defaults. */
export interface CheckedForm {
  file: UploadedFile;
  format: LayoutKind;
  fileName: string;
  wait: boolean;
  limits: SubmissionLimits;
  /** The existing translation, and the hashes of its texts when they were written; null without one. */
  existing: { target: Uint8Array; written: Uint8Array | null } | null;
  request: Omit<DocumentTranslationRequest, 'metadata'>;
  /** Set if the form was sent to POST /api/translations. */
  submittedVia?: 'translations_upload';
}

/**
 * Checks the fields of a form. The content of the file is checked later.
 * @throws AppError 400, 415
 */
export function checkForm(form: DocumentForm): CheckedForm {
  const file = form.source_document;
  if (!file) throw new AppError('validation_error', 'source_document upload is required');
  if (file.bytes.length === 0) throw new AppError('validation_error', 'source_document is empty');
  const format = layoutKind(file.name, file.contentType);
  if (!format)
    throw new AppError(
      'unsupported_media_type',
      `unsupported source_document type; accepted: ${allExtensions.map((extension) => `.${extension}`).join(', ')}`,
      hintFor(file.name),
    );
  if (!form.target_lang?.trim()) throw new AppError('validation_error', 'target_lang is required');
  const textType = form.text_type?.trim() ?? '';
  if (textType !== '' && textType !== 'Plain' && textType !== 'Html')
    throw new AppError(
      'validation_error',
      `unsupported text_type ${JSON.stringify(textType.slice(0, 40))}; send Plain or Html`,
    );
  const source_lang = form.source_lang?.trim() || 'en';
  const { existing_target: target, existing_texts: written } = form;
  if (written && !target) throw new AppError('validation_error', 'existing_texts needs existing_target');
  return {
    file,
    format,
    fileName: fileNameOf(file, format),
    wait: ['1', 'true', 'yes'].includes(form.wait?.trim().toLowerCase() ?? ''),
    limits: readLimits(form),
    existing: target ? { target: target.bytes, written: written?.bytes ?? null } : null,
    request: {
      source_lang: asksForDetection(source_lang) ? source_lang : requireLanguage('source_lang', source_lang),
      target_lang: requireLanguage('target_lang', form.target_lang.trim()),
      domain: form.domain?.trim() || null,
      idempotency_key: form.idempotency_key,
      text_type: textType || null,
      tone: form.tone?.trim() || null,
      gender: form.gender?.trim() || null,
      ...(form.update_of?.trim() && { update_of: form.update_of.trim() }),
      ...readSelection(form, format),
    },
  };
}

/** The fields that the form may have. */
const formFields = Object.keys(documentForm.shape);

/** Returns the warnings about a form. The text's language is compared with the stated one in the extracted text. */
export function formWarnings(
  { source_lang, target_lang }: CheckedForm['request'],
  detection: SourceDetection | null,
  unknownFields: readonly string[],
): Warning[] {
  return [
    ...unknownFieldWarnings(unknownFields, formFields),
    ...languageWarnings({ source_lang, target_lang, isDetected: detection !== null }),
  ];
}

export function languagesOfForm({ request }: Pick<CheckedForm, 'request'>): Languages {
  return { sourceLanguage: request.source_lang, targetLanguage: request.target_lang };
}

/** Returns the bytes that a submission stores at most: the file, and the texts of an existing translation. */
export function bytesToStore({ file, existing }: Pick<CheckedForm, 'existing' | 'file'>): number {
  return file.bytes.length + (existing?.target.length ?? 0);
}

/** Returns the file's name; adds an extension of the format if it has none. */
function fileNameOf({ name }: UploadedFile, format: LayoutKind): string {
  const stem = clip(plainFileName(name).trim(), 250) || 'document';
  const { extensions } = layoutKinds[format];
  const lower = stem.toLowerCase();
  return extensions.some((extension) => lower.endsWith(`.${extension}`)) ? stem : `${stem}.${extensions[0]}`;
}

/**
 * Returns the fingerprint of what the translated file depends on: the bytes, and the fields except the text type, which
 * a document job ignores, and the earlier document, which only saves work unless there is an existing translation. Of the
 * file's name, only the format counts. It is stored with the idempotency key; null without one.
 */
export async function fingerprintOfForm({
  file,
  format,
  request,
  existing,
}: CheckedForm): Promise<Uint8Array | null> {
  const { idempotency_key: key, text_type: _, update_of, ...fields } = request;
  if (key === null) return null;
  // The digest is computed on another thread, because a file may have 50 MB.
  const digest = async (bytes: Uint8Array) =>
    Buffer.from(await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>)).toString('hex');
  // `auto` is accepted in any letter case.
  const source_lang = fields.source_lang.toLowerCase();
  return fingerprintOf({
    ...fields,
    source_lang,
    format,
    bytes: await digest(file.bytes),
    ...(existing && {
      existing: await digest(existing.target),
      // The corrections of the earlier document are in the file.
      ...(update_of !== undefined && { update_of }),
      written: existing.written && (await digest(existing.written)),
    }),
  });
}

/** The extension as which a file of another kind can be saved, by the extensions of that kind. */
const savedAs: readonly [extensions: readonly string[], as: string][] = [
  [['doc', 'docm', 'dot', 'dotx', 'dotm', 'rtf', 'pages'], 'docx'],
  [['xls', 'xlsm', 'xlsb', 'xlt', 'xltx', 'xltm', 'numbers'], 'xlsx'],
  [['ppt', 'pptm', 'pps', 'ppsx', 'ppsm', 'pot', 'potx', 'potm', 'key'], 'pptx'],
  [['fodt', 'ott'], 'odt'],
  [['fods', 'ots'], 'ods'],
  [['fodp', 'otp'], 'odp'],
];

/** Returns how the caller can change an office file of a kind that is not accepted, such as one with macros. */
function hintFor(name: string): { hint: string } | undefined {
  const extension = /\.(\w{1,10})$/.exec(name)?.[1]?.toLowerCase() ?? '';
  const found = savedAs.find(([extensions]) => extensions.includes(extension));
  return found && { hint: `a .${extension} file cannot be read; save it as .${found[1]}` };
}
