import { describe, expect, test, vi } from 'vitest';
import { LinguaLoopError } from '#sdk/errors.ts';
import type { TenantDocumentJob, TranslationJob } from '#sdk/types.ts';
import { FileQueue, maxFiles } from '#web/app/screens/translate/file-queue.ts';
import { noOptions } from '#web/app/screens/translate/options.ts';
import { SentRecords } from '#web/app/screens/translate/sent-record.ts';
import { Series } from '#web/app/screens/translate/series.ts';
import { paragraph, run, wordFile } from '../formats/docx-file.ts';

/** The storage of a tab. */
function storage() {
  const items = new Map<string, string>();
  return {
    items,
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
  };
}

const documentJob = (id: string, target: string) =>
  ({
    id,
    request: { target_lang: target },
    source_file_name: 'letter.docx',
    artifacts: [{ kind: 'source', sha256: 'abc' }],
  }) as unknown as TenantDocumentJob;

const page = (key: string, number: number, status: string) =>
  ({
    id: `job ${number}`,
    status,
    updated_at: '2026-01-01T00:00:00Z',
    request: { idempotency_key: `${key}:${number}`, metadata: { source_document: { page_count: 2 } } },
  }) as unknown as TranslationJob;

/** A service whose responses the test gives. */
function service() {
  const uploads: {
    key: string;
    signal: AbortSignal;
    target: string;
    update_of: string | undefined;
    done: (id: string) => void;
    fail: (error: unknown) => void;
  }[] = [];
  const client = {
    documents: {
      translate: (
        _: unknown,
        request: { target_lang: string; update_of?: string },
        options: { idempotencyKey: string; signal: AbortSignal },
      ) => {
        const { promise, resolve, reject } = Promise.withResolvers<{ job: TenantDocumentJob }>();
        options.signal.addEventListener('abort', () => reject(options.signal.reason));
        uploads.push({
          key: options.idempotencyKey,
          signal: options.signal,
          target: request.target_lang,
          update_of: request.update_of,
          done: (id) => resolve({ job: documentJob(id, request.target_lang) }),
          fail: reject,
        });
        return promise;
      },
      get: vi.fn(async (id: string) => {
        if (id === 'deleted') throw new Error('not found');
        return documentJob(id, id === 'document 1' ? 'de' : 'fr');
      }),
    },
    translations: { createFromFile: vi.fn(), listPage: vi.fn(async () => ({ items: [] })) },
  };
  return { uploads, client: client as unknown as ConstructorParameters<typeof FileQueue>[0] };
}

const file = (name: string) => new File(['text'], name, { lastModified: 1 });
const request = (...targets: string[]) => ({ from: 'en', targets, options: noOptions });
const settled = () => new Promise((resolve) => setTimeout(resolve));

describe('the files of the screen Translate', () => {
  test('are sent three at a time, each once for each language', async () => {
    const { uploads, client } = service();
    const queue = new FileQueue(client, new SentRecords('ada', storage()), 1000);
    queue.add([file('a.docx'), file('b.docx')]);
    queue.send(request('de', 'fr'));
    await settled();
    expect(uploads).toHaveLength(3);
    for (const { done } of uploads.slice(0, 3)) done('document');
    await settled();
    expect(uploads.map(({ target }) => target)).toEqual(['de', 'fr', 'de', 'fr']);
    queue.send(request('de', 'fr'));
    await settled();
    expect(uploads).toHaveLength(4);
  });

  test('have the same idempotency key after a failure and after a reload, and a new one after a success', async () => {
    const { uploads, client } = service();
    const kept = storage();
    const queue = new FileQueue(client, new SentRecords('ada', kept), 1000);
    queue.add([file('a.docx')]);
    queue.send(request('de'));
    await settled();
    uploads[0]?.fail(new TypeError('the response is lost'));
    await settled();
    expect(queue.files[0]?.tasks[0]).toMatchObject({ state: 'failed' });
    queue.again(queue.files[0]?.id ?? 0, 'de');
    const reloaded = new FileQueue(client, new SentRecords('ada', kept), 1000);
    reloaded.add([file('a.docx')]);
    reloaded.send(request('de'));
    await settled();
    uploads[2]?.done('document 1');
    await settled();
    reloaded.add([file('a.docx')]);
    reloaded.send(request('de'));
    await settled();
    const [first, second, third, fourth] = uploads.map(({ key }) => key);
    expect([second, third]).toEqual([first, first]);
    expect(fourth).not.toBe(first);
  });

  test('are new versions of earlier files by language, and separate files once these are gone', async () => {
    const { uploads, client } = service();
    const queue = new FileQueue(client, new SentRecords('ada', storage()), 1000);
    queue.add([file('a.docx')]);
    const id = queue.files[0]?.id ?? 0;
    queue.update(id, { de: 'earlier' });
    queue.send(request('de', 'fr'));
    await settled();
    expect(uploads.map(({ update_of }) => update_of)).toEqual(['earlier', undefined]);
    uploads[0]?.fail(new LinguaLoopError({ status: 400, detail: 'update_of: document not found' }));
    await settled();
    expect(queue.files[0]?.tasks[0]).toMatchObject({ state: 'failed' });
    queue.again(id, 'de');
    await settled();
    expect(uploads[2]).toMatchObject({ target: 'de', update_of: undefined });
    expect(uploads[2]?.key).not.toBe(uploads[0]?.key);
  });

  test('with text boxes have them checked, unless the member has chosen before', async () => {
    const { client } = service();
    const queue = new FileQueue(client, new SentRecords('ada', storage()), 100_000);
    const body = paragraph(
      `<w:r><w:pict><w:txbxContent>${paragraph(run('one'))}</w:txbxContent></w:pict></w:r>`,
    );
    const word = (name: string) => new File([new Uint8Array(wordFile(body))], name);
    queue.add([word('a.docx'), word('b.docx'), file('c.docx')]);
    queue.select(queue.files[1]?.id ?? 0, { output: 'bilingual' });
    await vi.waitFor(() => expect(queue.files[0]?.proposed).toEqual(['text_boxes']));
    expect(queue.files.map(({ parts }) => parts.include)).toEqual([['text_boxes'], [], []]);
    queue.select(queue.files[0]?.id ?? 0, { include: [] });
    expect(queue.files[0]?.parts.include).toEqual([]);
  });

  test('with a rejected page are shown as not sent once, and a late rejection changes nothing', async () => {
    const { uploads, client } = service();
    const queue = new FileQueue(client, new SentRecords('ada', storage()), 1000);
    queue.add([file('a.pdf')]);
    const id = queue.files[0]?.id ?? 0;
    queue.select(id, { pages: '9' });
    queue.send(request('de', 'fr'));
    await settled();
    const rejected = new LinguaLoopError({ status: 400, detail: 'pages: the file has 2 pages' });
    uploads[0]?.fail(rejected);
    await settled();
    expect(queue.ready[0]).toMatchObject({
      parts: { pages: '9' },
      invalid: { field: 'pages', message: 'the file has 2 pages' },
    });
    queue.select(id, { pages: '2' });
    expect(queue.files[0]?.invalid).toBeUndefined();
    queue.send(request('de', 'fr'));
    uploads[1]?.fail(rejected);
    await settled();
    expect(queue.files[0]?.tasks.map(({ state }) => state)).toEqual(['sending', 'sending']);
    expect(uploads).toHaveLength(4);
    expect(new Set(uploads.map(({ key }) => key)).size).toBe(4);
  });

  test('that are stopped end their request, and a late response changes nothing', async () => {
    const { uploads, client } = service();
    const queue = new FileQueue(client, new SentRecords('ada', storage()), 1000);
    queue.add([file('a.docx')]);
    queue.send(request('de'));
    await settled();
    queue.stop(queue.files[0]?.id ?? 0, 'de');
    await settled();
    expect(uploads[0]?.signal.aborted).toBe(true);
    expect(queue.files[0]?.tasks[0]?.state).toBe('stopped');
  });

  test('are shown again after a reload to the same member only, a row for each file', async () => {
    const { client } = service();
    const kept = storage();
    new SentRecords('ada', kept).change(() => ({ documents: ['document 1', 'deleted', 'document 2'] }));
    const other = new FileQueue(client, new SentRecords('eve', kept), 1000);
    await other.restore();
    expect(other.files).toEqual([]);
    const queue = new FileQueue(client, new SentRecords('ada', kept), 1000);
    await queue.restore();
    expect(queue.files).toHaveLength(1);
    expect(queue.files[0]?.tasks.map(({ target }) => target)).toEqual(['de', 'fr']);
  });

  test('that are too large, of another kind or too many are not sent', () => {
    const { client } = service();
    const queue = new FileQueue(client, new SentRecords('ada', storage()), 3);
    queue.add([file('a.docx'), new File(['x'], 'a.exe')]);
    expect(queue.files.map(({ problem }) => problem)).toEqual(['size', 'kind']);
    expect(queue.ready).toEqual([]);
    expect(queue.add(Array.from({ length: maxFiles }, () => file('b.docx')))).toBe(2);
  });

  test('leave neither their names nor their texts in the storage', async () => {
    const { client } = service();
    const kept = storage();
    const queue = new FileQueue(client, new SentRecords('ada', kept), 1000);
    queue.add([file('secret plans.docx')]);
    queue.send(request('de'));
    await settled();
    expect([...kept.items.values()].join()).not.toContain('secret');
  });
});

describe('a series that is followed after a reload', () => {
  const followed = () => {
    const series = new Series({ listPage: vi.fn() } as never, () => {});
    series.follow({ key: 'k', first: 1 });
    return series;
  };

  test('is done when all its pages are translated', () => {
    const series = followed();
    series.take([page('k', 1, 'published'), page('other', 2, 'published')]);
    expect([series.view.state, series.view.jobs.size]).toEqual(['running', 1]);
    series.take([page('k', 1, 'published'), page('k', 2, 'awaiting_review')]);
    expect(series.view.state).toBe('done');
  });

  test('has stopped if no page is in progress any longer', () => {
    const series = followed();
    for (let lists = 0; lists < 6; lists += 1) series.take([page('k', 1, 'pending')]);
    expect(series.view.state).toBe('running');
    for (let lists = 0; lists < 4; lists += 1) series.take([page('k', 1, 'failed')]);
    expect(series.view.state).toBe('failed');
  });
});
