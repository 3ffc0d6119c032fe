import type {
  ExtractedDocument,
  Languages,
  LayoutFormat,
  RebuildOptions,
  RebuiltDocument,
  Recognition,
  RecognizedPage,
  SegmentTranslation,
} from '#server/formats/document.ts';
import { hashTexts, type KeptTexts, keepTexts, type WrittenTexts } from '#server/formats/existing-target.ts';
import { FileError, type FileErrorReason } from '#server/formats/file-error.ts';
import { layoutFormats } from '#server/formats/layout-formats.ts';
import type { LayoutKind } from '#server/formats/layout-kinds.ts';
import { type OperatorFont, useOperatorFonts } from '#server/formats/operator-fonts.ts';
import type { Selection } from '#server/formats/selection.ts';

interface FilePayload {
  format: LayoutKind;
  bytes: Uint8Array;
}

export interface DocumentPayload extends FilePayload {
  /** Undefined for everything that is translated by default. */
  selection?: Selection;
  /** Undefined if the language of the source is not known yet. */
  languages?: Languages;
  /** Undefined without an existing translation. */
  kept?: KeptTexts | undefined;
  /** Undefined before the pages that consist of images are recognized. */
  recognition?: Recognition;
}

export interface RecognitionPayload extends FilePayload {
  /** The page number, from 1. */
  page: number;
  language: string;
}

interface ExistingPayload extends FilePayload {
  options: Languages & Selection;
  /** The existing translation. */
  target: Uint8Array;
}

export interface HashTextsPayload extends ExistingPayload {
  /** The texts of an existing translation that the translation has. Undefined without one. */
  kept: KeptTexts | undefined;
}

export interface KeepTextsPayload extends ExistingPayload {
  /** The hashes that `hashTextsTask` has returned, as JSON. Null if they are unknown. */
  written: Uint8Array | null;
  /** The latest translated file of the earlier document. Null without one. */
  corrected: Uint8Array | null;
}

export interface RebuildPayload extends FilePayload {
  translations: SegmentTranslation[];
  fonts?: readonly OperatorFont[];
  options: RebuildOptions;
}

/** A rejected file. A rejection is a result and not an error, because error classes are lost between processes. */
export interface RefusedFile {
  refused: FileErrorReason;
  message: string;
}

export function checkDocumentTask({
  format,
  bytes,
  selection,
}: DocumentPayload): Promise<RefusedFile | { ok: true }> {
  return orRefusal(format, async ({ check }) => {
    await check(bytes, undefined, selection);
    return { ok: true };
  });
}

/** UTF-16 units of a file's text that are enough to detect its language. */
const sampleLength = 20_000;

/** Checks a file, and returns the beginning of its text. */
export function sampleDocumentTask({
  format,
  bytes,
  selection,
}: DocumentPayload): Promise<RefusedFile | { text: string }> {
  return orRefusal(format, async ({ check }) => {
    let text = '';
    const take = (part: string): boolean => {
      text += `${part}\n`;
      return text.length < sampleLength;
    };
    await check(bytes, take, selection);
    return { text: text.slice(0, sampleLength).toWellFormed() };
  });
}

export function extractDocumentTask({
  format,
  bytes,
  selection,
  languages,
  kept,
  recognition,
}: DocumentPayload): Promise<RefusedFile | ExtractedDocument> {
  return orRefusal(format, ({ extract }) =>
    extract(bytes, { ...selection, ...languages, kept, recognition }),
  );
}

/** Decides which texts of an existing translation stay. */
export function keepTextsTask({
  written,
  corrected,
  ...payload
}: KeepTextsPayload): Promise<RefusedFile | ReturnType<typeof keepTexts>> {
  return orRefusal(payload.format, async (format) => {
    const read = await textsOf(format, payload);
    if (!read)
      throw new FileError('existing', 'existing_target: files of this format have no separate texts');
    const latest = corrected && (await textsOf(format, { ...payload, target: corrected }));
    return keepTexts({
      ...read,
      written: written && readWritten(written),
      corrected: latest?.target ?? null,
    });
  });
}

/** Returns the hashes of all texts of a translation; null for a format without separate texts. */
export function hashTextsTask(
  payload: HashTextsPayload,
): Promise<RefusedFile | { texts: WrittenTexts | null }> {
  return orRefusal(payload.format, async (format) => {
    const read = await textsOf(format, payload);
    return { texts: read && hashTexts(read.source, read.target, payload.kept) };
  });
}

async function textsOf({ texts }: LayoutFormat, { bytes, target, options }: ExistingPayload) {
  const source = await texts?.(bytes, options);
  if (!texts || !source) return null;
  const found = await texts(target, options).catch((error: unknown) => {
    if (error instanceof FileError) throw new FileError('existing', `existing_target: ${error.message}`);
    throw error;
  });
  return found ? { source, target: found } : null;
}

/** @throws {FileError} `existing` */
function readWritten(bytes: Uint8Array): WrittenTexts {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    if (typeof value === 'object' && value !== null) return value as WrittenTexts;
  } catch {}
  throw new FileError('existing', 'existing_texts: a JSON object or list is expected');
}

export function recognizePageTask({
  format,
  bytes,
  page,
  language,
}: RecognitionPayload): Promise<RefusedFile | RecognizedPage> {
  return orRefusal(format, ({ recognize }) => {
    if (!recognize) throw new Error(`the format ${format} has no pages that consist of images`);
    return recognize(bytes, page, language);
  });
}

export function rebuildDocumentTask({
  format,
  bytes,
  translations,
  options,
  fonts = [],
}: RebuildPayload): Promise<RefusedFile | RebuiltDocument> {
  useOperatorFonts(fonts);
  return orRefusal(format, ({ rebuild }) => rebuild(bytes, translations, options));
}

async function orRefusal<T>(
  kind: LayoutKind,
  work: (format: LayoutFormat) => Promise<T>,
): Promise<RefusedFile | T> {
  try {
    return await work(await layoutFormats[kind]());
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    return { refused: error.reason, message: error.message };
  }
}
