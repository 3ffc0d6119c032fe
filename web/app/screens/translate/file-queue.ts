import { LinguaLoopError } from '#sdk/errors.ts';
import { findLeftOutTexts } from '#sdk/left-out-texts.ts';
import type { TenantDocumentJob, TranslationJob } from '#sdk/types.ts';
import type { Includable, Output } from '#server/formats/selection.ts';
import type { client } from '../../client.ts';
import type { translationService } from '../../translation-service.ts';
import { shareOf } from '../../upload.ts';
import { pathsOf } from './file-kind.ts';
import { documentFields, fileFields, type Options } from './options.ts';
import type { SentRecords } from './sent-record.ts';
import { Series, type SeriesView } from './series.ts';

/** How files are translated. */
export interface FileRequest {
  from: string;
  targets: readonly string[];
  options: Options;
}

/** What is translated of a file that keeps its layout, and the form of the result. */
export interface FileParts {
  /** Page ranges or names of sheets, as typed. */
  pages: string;
  include: readonly Includable[];
  /** Columns of sheets that stay, as typed. */
  exclude_columns: string;
  output: Output;
}

const wholeFile: FileParts = { pages: '', include: [], exclude_columns: '', output: 'translated' };

/** A file of the list: not sent yet, or sent into several languages. */
export interface ListedFile {
  id: number;
  /** Undefined after a reload: the browser has lost the file. */
  file: File | undefined;
  name: string;
  /** Why the file cannot be sent. */
  problem: 'kind' | 'size' | 'empty' | undefined;
  /** Whether the file is sent as a document, or else only its text. */
  keepsLayout: boolean;
  parts: FileParts;
  /** The texts that were checked because the file has them. */
  proposed?: readonly Includable[];
  /** For each language, the document of which the file is a new version. */
  updates?: Readonly<Record<string, string>>;
  /** Why the service rejected a field of `parts`. */
  invalid?: { field: keyof FileParts; message: string } | undefined;
  tasks: readonly FileTask[];
}

/** A file into one language. */
export interface FileTask {
  target: string;
  /** `sent`: the service has a document job. `pages`: the file is sent as text; its pages are in `series`. */
  state: 'waiting' | 'sending' | 'sent' | 'pages' | 'failed' | 'stopped';
  /** The part of the file that has been sent, from 0 to 1. */
  share: number;
  document?: TenantDocumentJob;
  series?: Series;
  /** The view of `series`. */
  pages?: SeriesView;
  error?: unknown;
}

/** The parts of the client that the queue uses. */
interface Service {
  documents: Pick<typeof client.documents, 'translate' | 'get'>;
  translations: Pick<typeof translationService, 'createFromFile' | 'listPage'>;
}

/** Maximum number of files in the list. */
export const maxFiles = 40;

/** Maximum number of requests with a file at the same time. The browser has six connections to the service. */
const maxConcurrent = 3;

/**
 * The files of the screen. Each file is sent once for each language; at most three are sent at the same time. The IDs
 * of the jobs are recorded, and the jobs are followed again after a reload.
 */
export class FileQueue {
  files: readonly ListedFile[] = [];
  /** Called after each task, with its result. */
  onEnd: (isDone: boolean, keepsLayout: boolean) => void = () => {};
  private readonly service: Service;
  private readonly sent: SentRecords;
  private readonly maxBytes: number;
  private readonly listeners = new Set<() => void>();
  private readonly waiting: (() => Promise<void>)[] = [];
  private readonly aborts = new Map<string, AbortController>();
  /** For each file, the request with which it was sent. */
  private readonly requests = new Map<number, FileRequest>();
  private running = 0;
  private nextId = 1;

  /** @param maxBytes the maximum size of a file */
  constructor(service: Service, sent: SentRecords, maxBytes: number) {
    [this.service, this.sent, this.maxBytes] = [service, sent, maxBytes];
  }

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  };

  /** The files that can be sent. */
  get ready(): readonly ListedFile[] {
    return this.files.filter(({ tasks, problem, file }) => file && !problem && tasks.length === 0);
  }

  /** The files that an estimate can count: whole files that keep their layout. */
  get countable(): readonly ListedFile[] {
    return this.ready.filter(({ keepsLayout, parts }) => keepsLayout && parts === wholeFile);
  }

  /** Adds files to the list. @returns the number of files for which the list has no space */
  add(added: readonly File[]): number {
    const space = Math.max(0, maxFiles - this.files.filter(({ tasks }) => tasks.length === 0).length);
    const listed = added.slice(0, space).map((file): ListedFile => {
      const { text, layout } = pathsOf(file);
      const problem =
        file.size === 0 ? 'empty' : file.size > this.maxBytes ? 'size' : text || layout ? undefined : 'kind';
      return {
        id: this.nextId++,
        file,
        name: file.name,
        problem,
        keepsLayout: layout,
        parts: wholeFile,
        tasks: [],
      };
    });
    this.show([...this.files, ...listed]);
    for (const file of listed) void this.propose(file);
    return added.length - listed.length;
  }

  /** Checks the texts that stay by default although a reader of the file sees them, unless the member has chosen. */
  private async propose({ id, file, problem }: ListedFile): Promise<void> {
    if (!file || problem || !/\.(?:docx|xlsx)$/i.test(file.name)) return;
    const include = await file.arrayBuffer().then(
      (bytes) => findLeftOutTexts(new Uint8Array(bytes)),
      // The browser cannot read the file, which its submission shows.
      () => [],
    );
    const listed = this.fileOf(id);
    if (include.length === 0 || listed?.parts !== wholeFile || listed.tasks.length > 0) return;
    this.show(this.files.map((one) => (one.id === id ? { ...one, proposed: include } : one)));
    this.select(id, { include });
  }

  /** Removes a file from the list. Requests that are not completed end; the service keeps what it has. */
  remove(id: number): void {
    const file = this.fileOf(id);
    for (const task of file?.tasks ?? []) this.stop(id, task.target);
    const documents = file?.tasks.map(({ document }) => document?.id) ?? [];
    const series = file?.tasks.map((task) => task.series?.key) ?? [];
    this.sent.change((record) => ({
      documents: record.documents.filter((one) => !documents.includes(one)),
      series: record.series.filter((one) => !series.includes(one)),
    }));
    this.show(this.files.filter((one) => one.id !== id));
  }

  keepLayout(id: number, keepsLayout: boolean): void {
    this.show(this.files.map((one) => (one.id === id ? { ...one, keepsLayout } : one)));
  }

  /** Selects what is translated of a file. */
  select(id: number, change: Partial<FileParts>): void {
    this.show(
      this.files.map((one) =>
        one.id === id ? { ...one, parts: { ...one.parts, ...change }, invalid: undefined } : one,
      ),
    );
  }

  /** Makes a file the new version of documents, by language. */
  update(id: number, updates: Readonly<Record<string, string>>): void {
    this.show(this.files.map((one) => (one.id === id ? { ...one, updates } : one)));
  }

  /** Sends all files that are ready, into each language. */
  send(request: FileRequest): void {
    for (const { id } of this.ready) {
      this.requests.set(id, request);
      const tasks = request.targets.map((target): FileTask => ({ target, state: 'waiting', share: 0 }));
      this.show(this.files.map((one) => (one.id === id ? { ...one, tasks } : one)));
      for (const { target } of tasks) this.enqueue(id, target);
    }
  }

  /** Sends a file into a language again: after a failure, or from a language that the member has selected. */
  again(id: number, target: string, from?: string): void {
    const request = this.requests.get(id);
    const file = this.fileOf(id);
    if (!request || !file?.file) return;
    if (from) this.requests.set(id, { ...request, from });
    this.change(id, target, { state: 'waiting', share: 0, error: undefined });
    this.enqueue(id, target);
  }

  /** Ends the request of a file that is not completely sent. */
  stop(id: number, target: string): void {
    const task = this.fileOf(id)?.tasks.find((one) => one.target === target);
    if (task?.state !== 'waiting' && task?.state !== 'sending') return;
    this.aborts.get(`${id} ${target}`)?.abort();
    this.change(id, target, { state: 'stopped' });
  }

  /** Shows what this tab sent before it was reloaded. */
  async restore(): Promise<void> {
    const { documents, series } = this.sent.read();
    for (const key of series) {
      const id = this.nextId++;
      const followed = new Series(this.service.translations, () => this.seriesChanged(id, ''));
      const task: FileTask = { target: '', state: 'pages', share: 1, series: followed, pages: followed.view };
      this.show([
        ...this.files,
        {
          id,
          file: undefined,
          name: '',
          problem: undefined,
          keepsLayout: false,
          parts: wholeFile,
          tasks: [task],
        },
      ]);
      followed.follow({ key, first: 1 });
    }
    // A document that was deleted is not shown.
    const found = await Promise.all(
      documents.map((one) => this.service.documents.get(one).catch(() => null)),
    );
    const files = Map.groupBy(
      found.filter((one) => one !== null),
      ({ source_file_name: name, artifacts }) =>
        `${artifacts.find(({ kind }) => kind === 'source')?.sha256} ${name}`,
    );
    const listed = [...files.values()].map((jobs): ListedFile => {
      // The same file may have been sent twice into a language; the later document is shown.
      const latest = new Map(jobs.map((document) => [document.request.target_lang, document]));
      const tasks = [...latest].map(
        ([target, document]): FileTask => ({ target, state: 'sent', share: 1, document }),
      );
      const name = jobs[0]?.source_file_name ?? '';
      return {
        id: this.nextId++,
        file: undefined,
        name,
        problem: undefined,
        keepsLayout: true,
        parts: wholeFile,
        tasks,
      };
    });
    this.show([...listed, ...this.files]);
  }

  private enqueue(id: number, target: string): void {
    this.waiting.push(() => this.run(id, target));
    this.startNext();
  }

  private startNext(): void {
    while (this.running < maxConcurrent) {
      const next = this.waiting.shift();
      if (!next) return;
      this.running += 1;
      void next().finally(() => {
        this.running -= 1;
        this.startNext();
      });
    }
  }

  private async run(id: number, target: string): Promise<void> {
    const listed = this.fileOf(id);
    const request = this.requests.get(id);
    const task = listed?.tasks.find((one) => one.target === target);
    if (!listed?.file || !request || task?.state !== 'waiting') return;
    const abort = new AbortController();
    this.aborts.set(`${id} ${target}`, abort);
    this.change(id, target, { state: 'sending', share: 0 });
    const send = listed.keepsLayout ? this.sendDocument : this.sendText;
    const isDone = await send.call(this, listed, target, request, abort.signal);
    if (!abort.signal.aborted) this.onEnd(isDone, listed.keepsLayout);
  }

  /** @returns whether the document was queued */
  private async sendDocument(
    { id, file, parts, updates }: ListedFile,
    target: string,
    { from, options }: FileRequest,
    signal: AbortSignal,
  ): Promise<boolean> {
    const earlier = updates?.[target];
    const version = earlier !== undefined && { update_of: earlier };
    const identity = { ...identityOf(file as File, true, from, target, options), parts, ...version };
    const fields = {
      source_lang: from,
      target_lang: target,
      ...documentFields(options),
      ...partFields(parts),
      ...version,
    };
    try {
      const sending = this.service.documents.translate(file as File, fields, {
        idempotencyKey: this.sent.keys.keyOf(identity),
        onUploadProgress: shareOf((share) => this.change(id, target, { share })),
        signal,
      });
      const { job } = await this.sent.keys.settle(identity, sending);
      this.sent.change((record) => ({ documents: [...record.documents, job.id] }));
      this.change(id, target, { state: 'sent', share: 1, document: job });
      return true;
    } catch (error) {
      if (signal.aborted) return false;
      // The earlier version was deleted. Another try sends a separate file.
      if (version && error instanceof LinguaLoopError && /^update_of: /.test(`${error.detail}`))
        this.update(id, {});
      const invalid = invalidPart(error);
      if (invalid) this.takeBack(id, invalid);
      else this.change(id, target, { state: 'failed', error });
      return false;
    }
  }

  /** Shows a file as not sent, with what is invalid. It is the same for all languages, whose requests end. */
  private takeBack(id: number, invalid: ListedFile['invalid']): void {
    for (const { target } of this.fileOf(id)?.tasks ?? []) this.aborts.get(`${id} ${target}`)?.abort();
    this.show(this.files.map((one) => (one.id === id ? { ...one, tasks: [], invalid } : one)));
  }

  /** @returns whether all pages were translated */
  private sendText(
    { id, file }: ListedFile,
    target: string,
    { from, options }: FileRequest,
    signal: AbortSignal,
  ): Promise<boolean> {
    const identity = identityOf(file as File, false, from, target, options);
    const fields = { source_lang: from, target_lang: target, ...fileFields(options) };
    const key = this.sent.keys.keyOf(identity);
    const series = new Series(this.service.translations, () => this.seriesChanged(id, target));
    const send = (idempotencyKey: string): Promise<TranslationJob[]> =>
      this.sent.keys.settle(
        identity,
        this.service.translations.createFromFile(file as File, fields, {
          idempotencyKey,
          onUploadProgress: shareOf((share) =>
            this.change(id, target, { share, ...(share >= 1 && { state: 'pages' as const }) }),
          ),
          signal,
        }),
      );
    this.sent.change((record) => ({ series: [...record.series.filter((one) => one !== key), key] }));
    this.change(id, target, { series });
    return series.start({ key, first: 1, send });
  }

  /** A text file shows its pages after it was sent; an error before that is an error of the file. */
  private seriesChanged(id: number, target: string): void {
    const series = this.fileOf(id)?.tasks.find((one) => one.target === target)?.series;
    if (!series) return;
    const { view } = series;
    const isRejected = view.state === 'failed' && view.jobs.size === 0;
    const hasPages = view.jobs.size > 0 || view.state === 'done';
    this.change(id, target, {
      pages: view,
      ...(isRejected ? { state: 'failed', error: view.error } : hasPages && { state: 'pages' }),
    });
  }

  private fileOf(id: number): ListedFile | undefined {
    return this.files.find((one) => one.id === id);
  }

  private change(id: number, target: string, change: Partial<FileTask>): void {
    this.show(
      this.files.map((one) =>
        one.id !== id
          ? one
          : {
              ...one,
              tasks: one.tasks.map((task) =>
                task.target !== target || (task.state === 'stopped' && change.state !== 'waiting')
                  ? task
                  : { ...task, ...change },
              ),
            },
      ),
    );
  }

  private show(files: readonly ListedFile[]): void {
    this.files = files;
    for (const listener of this.listeners) listener();
  }
}

/** Converts the parts of a file to fields of the request. */
function partFields({ pages, include, exclude_columns, output }: FileParts) {
  return {
    ...(pages.trim() !== '' && { pages }),
    ...(include.length > 0 && { include: [...include] }),
    ...(exclude_columns.trim() !== '' && { exclude_columns }),
    ...(output !== 'translated' && { output }),
  };
}

/** The field that the service rejected. Its message begins with the name of the field. */
function invalidPart(error: unknown): ListedFile['invalid'] {
  if (!(error instanceof LinguaLoopError) || error.status !== 400 || typeof error.detail !== 'string')
    return undefined;
  const [, field, message] = /^(pages|include|exclude_columns|output): (.*)$/s.exec(error.detail) ?? [];
  return field && message ? { field: field as keyof FileParts, message } : undefined;
}

/** The identity of a submission. The content of a file is not part of it. */
function identityOf(
  { name, size, lastModified }: File,
  keepsLayout: boolean,
  from: string,
  target: string,
  options: Options,
) {
  return { name, size, lastModified, keepsLayout, from, target, options };
}
