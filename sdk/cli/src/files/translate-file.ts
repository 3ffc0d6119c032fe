import { extname } from 'node:path';
import {
  BadRequestError,
  DocumentFailedError,
  type DocumentTexts,
  type LeftOutText,
  type LinguaLoop,
  NotFoundError,
  type TenantDocumentJob,
  type TranslationEstimate,
  type TranslationJob,
} from '../../../src/index.ts';
import { Failed } from '../command.ts';
import { reviewOf } from './document-review.ts';
import { sha256, type Written } from './lock-file.ts';

/** A file to translate into one language. */
export interface FileTask {
  /** The path of the source; its extension selects the format. */
  path: string;
  content: Uint8Array;
  from: string;
  to: string;
  domain: string | undefined;
  tone: string | undefined;
  /** The texts that are translated only on request, and whether they were found in the file. */
  include: readonly LeftOutText[];
  isProposed?: boolean;
  /** The columns of sheets that stay. */
  columns: readonly string[];
  /** The document of the previous version; undefined if no version was translated, or for a text file. */
  earlier?: string | undefined;
  /** The document that has this translation, if the file was deleted. */
  written?: string | undefined;
  /** The existing translation, whose texts stay, and their hashes when they were written; null if unknown. */
  existing?: { content: Uint8Array; texts: DocumentTexts | null } | undefined;
}

/** A job that a reviewer has to close. */
export interface Held {
  id: string;
  kind: 'text' | 'document';
  reason: string;
}

export type Outcome =
  /** `held` are the parts of a document that need a review; the translation exists nevertheless. */
  | {
      kind: 'done';
      content: Uint8Array;
      held: Held[];
      document?: string;
      texts?: DocumentTexts | null;
      /** The jobs of a text file, by paragraph. */
      jobs?: string[];
      /** Set if texts were edited by hand and stay, although their sources have changed. */
      stale?: true;
      /** Notes for the reader, such as texts that were edited while their source has changed. */
      warnings?: string[];
    }
  /** The format has no separate texts, so the existing translation is kept as a whole. */
  | { kind: 'whole' }
  /** Texts that are published only after their review. */
  | { kind: 'held'; held: Held[] };

/** Requests of one file that are sent at the same time. */
const textsInFlight = 4;

/**
 * Translates a file. All requests have idempotency keys that depend only on the content and the options, so that a
 * repeat after an interruption gets the same jobs, which are not billed again. Of a text file, unchanged paragraphs get
 * their earlier jobs.
 * @param onProgress called with the completed share, 0 to 1
 */
export async function translateFile(
  client: LinguaLoop,
  task: FileTask,
  { signal, onProgress }: { signal: AbortSignal; onProgress?: (share: number) => void },
): Promise<Outcome> {
  if (!isText(task.path))
    return orWithoutEarlier(task, (own) => translateDocument(client, own, signal, onProgress)).catch(
      (error: unknown): Outcome => {
        if (isWholeFormat(error)) return { kind: 'whole' };
        throw error;
      },
    );
  let done = 0;
  return outcomeOfTexts(task, async (text, _, { length }) => {
    signal.throwIfAborted();
    const job = await translateText(client, task, text, signal);
    onProgress?.(++done / length);
    return job;
  });
}

/**
 * Reads a translation as it is at the service now, for example after a review, without translating anything. Undefined
 * if the service no longer has it, or if the lock file does not name its jobs.
 */
export async function readPresent(
  client: LinguaLoop,
  task: FileTask,
  { document, jobs }: Pick<Written, 'document' | 'jobs'>,
  signal: AbortSignal,
): Promise<Exclude<Outcome, { kind: 'whole' }> | undefined> {
  try {
    if (document !== undefined) {
      const job = await client.documents.get(document, { signal });
      // Nobody has approved the corrections that its file has now.
      if (job.awaits_approval) return { kind: 'held', held: heldOf(job) };
      return await outcomeOf(client, job, signal);
    }
    if (!jobs || jobs.length !== textsOf(splitParagraphs(readText(task))).length) return undefined;
    return await outcomeOfTexts(task, (_, at) => client.translations.get(jobs[at] as string, { signal }));
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}

/** Joins the translations of a text file. @param read returns the job of a paragraph */
async function outcomeOfTexts(
  task: FileTask,
  read: (text: string, at: number, all: readonly string[]) => Promise<TranslationJob>,
): Promise<Exclude<Outcome, { kind: 'whole' }>> {
  const pieces = splitParagraphs(readText(task));
  const texts = textsOf(pieces);
  const translations = new Map<string, string>();
  const held: Held[] = [];
  const jobs: string[] = [];
  await eachOf([...texts.entries()], textsInFlight, async ([at, text]) => {
    const job = await read(text, at, texts);
    jobs[at] = job.id;
    if (isPublished(job)) translations.set(text, job.final_translation ?? '');
    else if (job.status === 'rejected') throw new Failed(`a reviewer has rejected a text (job ${job.id})`);
    else
      held.push({
        id: job.id,
        kind: 'text',
        reason: job.agent_run.quality_gate?.reasons.join('; ') || 'awaits review',
      });
  });
  if (held.length > 0) return { kind: 'held', held };
  return { kind: 'done', content: Buffer.from(joinPieces(pieces, translations)), held: [], jobs };
}

/** Estimates the price of a file, without translating it. Jobs of earlier runs are free. */
export async function estimateFile(
  client: LinguaLoop,
  task: FileTask,
  signal: AbortSignal,
): Promise<
  Pick<TranslationEstimate, 'billable_characters' | 'characters' | 'refusal' | 'words'> &
    Record<'exact' | 'sentences' | 'typography' | 'fuzzy' | 'repeated', number> & { warnings: string[] }
> {
  const estimates: TranslationEstimate[] = [];
  if (isText(task.path))
    await eachOf(textsOf(splitParagraphs(readText(task))), textsInFlight, async (source_text) => {
      const request = { source_text, ...optionsOf(task), idempotency_key: keyOfText(task, source_text) };
      estimates.push(await client.translations.estimate(request, { signal }));
    });
  else
    try {
      const estimated = await orWithoutEarlier(task, (own) =>
        client.documents.estimate(sourceOf(own), documentOptionsOf(own), {
          signal,
          headers: { 'idempotency-key': keyOfDocument(own) },
        }),
      );
      estimates.push(estimated);
    } catch (error) {
      if (!isWholeFormat(error)) throw error;
    }
  const sum = (read: (one: TranslationEstimate) => number) =>
    estimates.reduce((total, one) => total + read(one), 0);
  return {
    // A service of an earlier release counts no words.
    words: sum((one) => one.words ?? 0),
    characters: sum((one) => one.characters),
    exact: sum((one) => one.exact_matches.characters),
    sentences: sum((one) => one.sentence_matches.characters - (one.typography_matches?.characters ?? 0)),
    typography: sum((one) => one.typography_matches?.characters ?? 0),
    fuzzy: sum((one) => one.fuzzy_matches.characters),
    repeated: sum((one) => one.repetitions.characters),
    billable_characters: sum((one) => one.billable_characters),
    refusal: estimates.find(({ refusal }) => refusal)?.refusal ?? null,
    warnings: estimates.flatMap(({ warnings }) => warningsOf(warnings)),
  };
}

async function translateText(
  client: LinguaLoop,
  task: FileTask,
  source_text: string,
  signal: AbortSignal,
): Promise<TranslationJob> {
  const request = { source_text, ...optionsOf(task) };
  return client.translations.create(request, { signal, idempotencyKey: keyOfText(task, source_text) });
}

async function translateDocument(
  client: LinguaLoop,
  task: FileTask,
  signal: AbortSignal,
  onProgress: ((share: number) => void) | undefined,
): Promise<Outcome> {
  if (task.written !== undefined) {
    const written = await client.documents.get(task.written, { signal }).catch(orMissing);
    if (written) return outcomeOf(client, written, signal);
  }
  let idempotencyKey = keyOfDocument(task);
  for (;;) {
    const poller = await client.documents
      .translate(sourceOf(task), documentOptionsOf(task), {
        signal,
        idempotencyKey,
        onProgress: (_job, share) => onProgress?.(share),
        pollEvery: { firstMs: 500, maxMs: 5_000 },
      })
      .withResponse();
    const { id } = poller.data;
    try {
      return await outcomeOf(client, await poller.data.pollUntilDone({ signal }), signal);
    } catch (error) {
      // A document that failed in an earlier run keeps its key, so it is sent again with a key of its failed job.
      const failedEarlier = error instanceof DocumentFailedError && poller.response.replayed;
      const isDeleted = error instanceof NotFoundError && poller.response.replayed;
      if (!failedEarlier && !isDeleted) throw error;
      idempotencyKey = `lingualoop-cli-${sha256(`${idempotencyKey} ${id}`)}`;
    }
  }
}

function orMissing(error: unknown): undefined {
  if (!(error instanceof NotFoundError)) throw error;
}

async function outcomeOf(
  client: LinguaLoop,
  job: TenantDocumentJob,
  signal: AbortSignal,
): Promise<Extract<Outcome, { kind: 'done' }>> {
  const { content, texts } = await download(client, job.id, signal);
  return {
    kind: 'done',
    content,
    held: heldOf(job),
    document: job.id,
    ...(texts && { texts }),
    warnings: warningsOf(job.warnings),
    ...(job.warnings.some(({ code }) => code === 'edited_target_kept') && { stale: true }),
  };
}

/** Returns the messages about edited texts. */
function warningsOf(warnings: TenantDocumentJob['warnings']): string[] {
  return warnings.filter(({ code }) => code.startsWith('edited_target_')).map(({ message }) => message);
}

/** Maximum downloads of a document, if reviewers correct it in between. */
const maxDownloads = 5;

/** Returns the file and the hashes of its texts, both of the same rendering. */
async function download(client: LinguaLoop, id: string, signal: AbortSignal) {
  let texts = await client.documents.texts(id, { signal });
  for (let at = 0; at < maxDownloads; at++) {
    const content = await (await client.documents.download(id, { signal })).bytes();
    const after = texts && (await client.documents.texts(id, { signal }));
    if (JSON.stringify(after) === JSON.stringify(texts)) return { content, texts };
    texts = after;
  }
  throw new Failed(`document ${id} is being corrected; run the command again`);
}

/** Runs `work`, and once more without the earlier document if the service rejects that, because it was deleted. */
async function orWithoutEarlier<T>(task: FileTask, work: (task: FileTask) => PromiseLike<T>): Promise<T> {
  try {
    return await work(task);
  } catch (error) {
    const isRejected = error instanceof BadRequestError && String(error.detail).startsWith('update_of:');
    if (task.earlier === undefined || !isRejected) throw error;
    return work({ ...task, earlier: undefined });
  }
}

/** Returns why the service rejects the existing translation; undefined for another error. */
export function problemOfExisting(error: unknown): string | undefined {
  if (!(error instanceof BadRequestError)) return undefined;
  return /^existing_target: (.*)/s.exec(String(error.detail))?.[1];
}

/** Whether the service rejects an existing translation because the format has no separate texts. */
const isWholeFormat = (error: unknown) =>
  problemOfExisting(error)?.startsWith('files of this format') === true;

/** The review that a document awaits, as one entry. */
function heldOf(job: TenantDocumentJob): Held[] {
  const reason = reviewOf(job);
  return reason === undefined ? [] : [{ id: job.id, kind: 'document', reason }];
}

export function isPublished({ status }: Pick<TranslationJob, 'status'>): boolean {
  return status === 'published' || status === 'human_edited';
}

export function isText(path: string): boolean {
  return extname(path).toLowerCase() === '.txt';
}

/** @throws Failed if the file is not UTF-8 */
function readText({ path, content }: FileTask): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    throw new Failed(`${path} is not UTF-8`);
  }
}

function sourceOf({ path, content }: FileTask) {
  return { name: path.split('/').at(-1) ?? path, data: content };
}

function optionsOf({ from, to, domain, tone }: FileTask) {
  return { source_lang: from, target_lang: to, ...(domain && { domain }), ...(tone && { tone }) };
}

function documentOptionsOf(task: FileTask) {
  const { earlier, existing, include, columns } = task;
  return {
    ...optionsOf(task),
    ...(include.length > 0 && { include: [...include] }),
    ...(columns.length > 0 && { exclude_columns: [...columns] }),
    ...(earlier !== undefined && { update_of: earlier }),
    ...(existing && { existing_target: sourceOf({ ...task, content: existing.content }) }),
    ...(existing?.texts && { existing_texts: existing.texts }),
  };
}

/** A hash of the options that affect a translation. */
export function optionsKey({
  from,
  to,
  domain,
  tone,
  include,
  columns,
}: Pick<FileTask, 'columns' | 'domain' | 'from' | 'include' | 'to' | 'tone'>): string {
  // Without these options, the key is that of an earlier version.
  const more = columns.length > 0 ? [include, columns] : include.length > 0 ? [include] : [];
  return JSON.stringify([from, to, domain ?? '', tone ?? '', ...more]);
}

function keyOfText(task: FileTask, text: string): string {
  return `lingualoop-cli-${sha256(`text ${optionsKey(task)} ${text}`)}`;
}

function keyOfDocument(task: FileTask): string {
  const extension = extname(task.path).toLowerCase();
  const { existing } = task;
  const kept = existing ? ` ${sha256(existing.content)} ${JSON.stringify(existing.texts)}` : '';
  return `lingualoop-cli-${sha256(`document ${optionsKey(task)} ${extension} ${sha256(task.content)}${kept}`)}`;
}

/** Runs `work` for each item, some of them at the same time. The first error stops the rest. */
export async function eachOf<T>(
  items: readonly T[],
  lanes: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const rest = items.values();
  let failed = false;
  const lane = async () => {
    for (const item of rest) {
      if (failed) return;
      await work(item).catch((error: unknown) => {
        failed = true;
        throw error;
      });
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: Math.min(lanes, items.length) }, lane));
  const broken = ended.find((one) => one.status === 'rejected');
  if (broken) throw broken.reason;
}

/** A part of a text file: a text to translate, or the white space between two of them. */
type Piece = { text: string } | { gap: string };

/** Maximum characters of one text, which is one request. The service accepts 50,000. */
const maxLength = 10_000;

/** Splits a text into its paragraphs, which blank lines separate. The pieces joined are exactly the text. */
export function splitParagraphs(text: string): Piece[] {
  const pieces: Piece[] = [];
  // A gap has a line break, blank lines and the indentation of the next paragraph, or is at an end of the file.
  for (const part of text.split(/((?:^|\r?\n)[^\S\n]*\r?\n\s*|^\s+|\s+$)/)) {
    if (part === '') continue;
    if (part.trim() === '') pieces.push({ gap: part });
    else pieces.push(...splitLong(part));
  }
  return pieces;
}

/** Splits a paragraph that is too long for one request at its line breaks, or else between sentences. */
function splitLong(paragraph: string): Piece[] {
  if (paragraph.length <= maxLength) return [{ text: paragraph }];
  const pieces: Piece[] = [];
  for (const part of paragraph.split(/(\r?\n|(?<=[.!?。！？])\s+)/)) {
    const last = pieces.at(-1);
    if (part.trim() === '') {
      if (part !== '') pieces.push({ gap: part });
    } else if (last && 'text' in last && last.text.length + part.length <= maxLength) last.text += part;
    else
      for (let at = 0; at < part.length; at += maxLength)
        pieces.push({ text: part.slice(at, at + maxLength) });
  }
  return pieces;
}

export function joinPieces(pieces: readonly Piece[], translations: ReadonlyMap<string, string>): string {
  return pieces
    .map((piece) => ('gap' in piece ? piece.gap : (translations.get(piece.text) ?? piece.text)))
    .join('');
}

export function textsOf(pieces: readonly Piece[]): string[] {
  return [...new Set(pieces.flatMap((piece) => ('text' in piece ? [piece.text] : [])))];
}
